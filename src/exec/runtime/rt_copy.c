/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Bytes from one place to another: scratch, copies between own, kernel and user
 * memory, stores through addresses.
 *
 * A program may only write to its own memory: scratch that it has claimed, its
 * clause-local variables, the storage of global and thread-local variables, and
 * values of elements of arrays.  An address is turned back into an offset in
 * one of them before the first byte is written, and anything else is a bad
 * address.
 *
 * At an unknown offset the verifier lets a helper write at most strsize bytes
 * (the spare bytes of struct rt_mstate), so larger copies are made in pieces of
 * that size.
 */
#include "exec/runtime/rt_code.h"

/* ---- pieces ------------------------------------------------------------- */

struct pieces {
	u64 off;     /* in mem: the next byte to write or read */
	u64 addr;    /* of the next byte elsewhere */
	u64 left;    /* bytes still to do */
	u64 is_user; /* addr is in the current process */
	u64 failed;
};

/* Set up a loop over mem[off ... off+size); returns the number of steps. */
RT_INLINE u64
pieces_start(struct rt_mstate *ms, u64 off, u64 addr, u64 size, u64 is_user)
{
	struct pieces *p = RT_LOOP_VARS(struct pieces, ms);
	u64 max = RTC(ms, strsize);

	p->off = off;
	p->addr = addr;
	p->left = size;
	p->is_user = is_user;
	p->failed = 0;
	if (size <= max) /* a division takes as long as most copies */
		return size != 0;
	return (size + max - 1) / max;
}

RT_INLINE long
piece_done(struct pieces *p, u64 size)
{
	p->off += size;
	p->addr += size;
	p->left -= size;
	return p->left == 0;
}

RT_INLINE long
piece_failed(struct pieces *p)
{
	p->failed = 1;
	return 1;
}

RT_CALLBACK long
fill_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct pieces *p = RT_LOOP_VARS(struct pieces, ms);
	u64 size = rt_bound(ms, p->left);
	u8 *to = rt_mem(ms, p->off);

	(void)i;
	if ((p->is_user ? rt_upeek(ms, to, size, p->addr) :
			  rt_peek(ms, to, size, p->addr)) != 0)
		return piece_failed(p);
	return piece_done(p, size);
}

RT_CALLBACK long
zero_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct pieces *p = RT_LOOP_VARS(struct pieces, ms);
	u64 size = rt_bound(ms, p->left);

	(void)i;
	rt_zero(rt_mem(ms, p->off), size);
	return piece_done(p, size);
}

/* mem[off ... off+size) <- bytes at addr.  Returns 0, or 1 after a fault. */
RT_INLINE u64
fill(struct rt_mstate *ms, u64 off, u64 addr, u64 size, u64 is_user)
{
	struct rt_ctx ctx = { ms };
	u64 steps = pieces_start(ms, off, addr, size, is_user);

	RT_LOOP(steps, fill_step, &ctx);
	if (RT_LOOP_VARS(struct pieces, ms)->failed == 0)
		return 0;
	rt_fault(ms, DIF_FLT_BADADDR, addr);
	return 1;
}

/* ---- into scratch ------------------------------------------------------- */

/*
 * Let the bytes claimed last be read as a string: it ends with them, so that
 * bytes of an earlier claim after them are not printed.
 */
RT_INLINE void
end_claim(struct rt_mstate *ms)
{
	if (ms->scratch < RTC(ms, scratch_end))
		*rt_mem(ms, ms->scratch) = 0;
}

RT_PUBLIC u64
rt_alloc(u64 slot, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	u64 off;

	if (ms == NULL || (off = rt_claim(ms, size)) == RT_NONE)
		return 0;
	RT_LOOP(pieces_start(ms, off, 0, size, 0), zero_step, &ctx);
	end_claim(ms);
	return rt_addr(ms, off);
}

RT_PUBLIC u64
rt_copyin(u64 slot, u64 uaddr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 off;

	if (ms == NULL || (off = rt_claim(ms, size)) == RT_NONE)
		return 0;
	if (fill(ms, off, uaddr, size, 1) != 0)
		return 0;
	end_claim(ms);
	return rt_addr(ms, off);
}

/* The operand of printm(): an address and the number of bytes there. */
RT_PUBLIC u64
rt_memref(u64 slot, u64 addr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 off;

	if (ms == NULL || (off = rt_claim(ms, 2 * sizeof(u64))) == RT_NONE)
		return 0;
	rt_set_word(ms, off, addr);
	rt_set_word(ms, off + sizeof(u64), size);
	return rt_addr(ms, off);
}

RT_PUBLIC u64
rt_store_ref(u64 slot, u64 off, u64 ref, u64 max)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 words[2] = { 0, 0 };

	if (ms == NULL)
		return 1;
	if (rt_peek(ms, words, sizeof(words), ref) != 0) {
		rt_fault(ms, DIF_FLT_BADADDR, ref);
		return 1;
	}
	rt_set_word(ms, off, words[1]);
	return fill(ms, off + sizeof(u64), words[0],
	    words[1] < max ? words[1] : max, 0);
}

#define MEMSTR_MAX 4096 /* doc/reference/dif.md section 9 */

struct memstr {
	u64 off, sep; /* sep: the character, eight times */
};

RT_CALLBACK long
memstr_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct memstr *m = RT_LOOP_VARS(struct memstr, ms);
	u64 off = m->off + 8 * (u64)i;
	u64 word = rt_word(ms, off), nuls = rt_zero_bytes(word);

	/* 0x80 in bytes that are NUL, doubled, minus 1 in their place: 0xff */
	rt_set_word(ms, off, word | (m->sep & ((nuls >> 7) * 0xff)));
	return 0;
}

/* `size` bytes with NULs inside, as a string: the last byte becomes its NUL. */
RT_PUBLIC u64
rt_memstr(u64 slot, u64 addr, u64 sep, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct memstr *m;
	u64 off;

	if (ms == NULL || size == 0)
		return 0;
	if (size > MEMSTR_MAX)
		return rt_fault(ms, DIF_FLT_ILLOP, size);
	if ((off = rt_claim(ms, size)) == RT_NONE ||
	    fill(ms, off, addr, size - 1, 0) != 0)
		return 0;
	m = RT_LOOP_VARS(struct memstr, ms);
	m->off = off;
	m->sep = (sep & 0xff) * RT_ONES;
	RT_LOOP(RT_WORDS(size), memstr_step, &ctx);
	*rt_mem(ms, off + size - 1) = 0;
	return rt_addr(ms, off);
}

/* ---- into own memory ---------------------------------------------------- */

/*
 * Write the low `size` (1, 2, 4, 8) bytes of value at base + off if they lie in
 * [0, end).  Each size has a store with its own bound, which the verifier can
 * check.  Returns whether the bytes were written.
 */
RT_INLINE int
write_at(u8 *base, u64 off, u64 end, u64 value, u64 size)
{
	if (off >= end)
		return 0;
	switch (size) {
	case 1:
		base[off] = (u8)value;
		return 1;
	case 2:
		if (off > end - 2)
			return 0;
		*(u16 *)(void *)(base + off) = (u16)value;
		return 1;
	case 4:
		if (off > end - 4)
			return 0;
		*(u32 *)(void *)(base + off) = (u32)value;
		return 1;
	default:
		if (off > end - 8)
			return 0;
		*(u64 *)(void *)(base + off) = value;
		return 1;
	}
}

RT_INLINE int
is_within(u64 off, u64 size, u64 begin, u64 end)
{
	return off >= begin && off <= end && size <= end - off;
}

/*
 * A value about which the verifier forgets everything.  The verifier of Linux
 * 6.1 does not see that a range has become empty (below locals, but not below
 * scratch), goes on with it and refuses the program.
 */
RT_INLINE u64
forget(struct rt_mstate *ms, u64 value)
{
	*(volatile u64 *)&ms->ptr = value;
	return *(volatile u64 *)&ms->ptr;
}

/* May the program write to mem[off ... off+size)? */
RT_INLINE int
is_own_mem(struct rt_mstate *ms, u64 off, u64 size)
{
	return is_within(
		   forget(ms, off), size, RTC(ms, locals), RTC(ms, tmp_a)) ||
	    is_within(
		forget(ms, off), size, RTC(ms, scratch_begin), ms->scratch);
}

/* Store into the storage of variables: 1, or 0 if the address is not in it. */
RT_INLINE int
write_var(struct rt_mstate *ms, u64 slot, u64 addr, u64 value, u64 size)
{
	u8 *p = rt_globals(ms);

	if (p != NULL &&
	    write_at(
		p, addr - rt_number(ms, p), RTC(ms, globals_size), value, size))
		return 1;
	p = rt_tls(ms);
	if (p != NULL && addr - rt_number(ms, p) >= RTC(ms, tls_begin) &&
	    write_at(
		p, addr - rt_number(ms, p), RTC(ms, tls_size), value, size))
		return 1;
	return rt_elem(slot, addr, size, size, value) != 0;
}

RT_PUBLIC u64
rt_poke(u64 slot, u64 addr, u64 value, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 off;

	if (ms == NULL)
		return 0;
	if (addr & (size - 1))
		return rt_fault(ms, DIF_FLT_BADALIGN, addr);
	off = addr - rt_addr(ms, 0);
	if (is_own_mem(ms, off, size) &&
	    write_at(ms->mem, off, RTC(ms, scratch_end), value, size))
		return 0;
	if (!write_var(ms, slot, addr, value, size))
		return rt_fault(ms, DIF_FLT_BADADDR, addr);
	return 0;
}

struct copy {
	u64 to, from, left, is_user;
	u64 failed, bad; /* bad: the address that faulted */
	u64 slot;
};

RT_INLINE struct copy *
copy_start(struct rt_mstate *ms, u64 to, u64 from, u64 size)
{
	struct copy *c = RT_LOOP_VARS(struct copy, ms);

	c->to = to;
	c->from = from;
	c->left = size;
	c->failed = 0;
	return c;
}

RT_INLINE long
copy_done(struct copy *c, u64 size)
{
	c->to += size;
	c->from += size;
	c->left -= size;
	return c->left == 0;
}

RT_INLINE long
copy_failed(struct copy *c, u64 bad)
{
	c->failed = 1;
	c->bad = bad;
	return 1;
}

/* Eight bytes at a time if as many are left and the destination is aligned. */
RT_CALLBACK long
copy_var_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct copy *c = RT_LOOP_VARS(struct copy, ms);
	u64 word = 0, size = c->left >= 8 && (c->to & 7) == 0 ? 8 : 1;

	(void)i;
	if ((c->is_user ? rt_upeek(ms, &word, size, c->from) :
			  rt_peek(ms, &word, size, c->from)) != 0)
		return copy_failed(c, c->from);
	if (!write_var(ms, c->slot, c->to, word, size))
		return copy_failed(c, c->to);
	return copy_done(c, size);
}

/* Copies to variables have known types, so they are short. */
RT_INLINE void
copy_var(
    struct rt_mstate *ms, u64 slot, u64 dst, u64 src, u64 size, u64 is_user)
{
	struct copy *c = copy_start(ms, dst, src, size);
	struct rt_ctx ctx = { ms };

	c->slot = slot;
	c->is_user = is_user;
	RT_LOOP(size, copy_var_step, &ctx);
	if (c->failed)
		rt_fault(ms, DIF_FLT_BADADDR, c->bad);
}

RT_INLINE int
is_own_var(struct rt_mstate *ms, u64 slot, u64 addr, u64 size)
{
	u8 *p = rt_globals(ms);

	if (p != NULL &&
	    is_within(addr - rt_number(ms, p), size, 0, RTC(ms, globals_size)))
		return 1;
	p = rt_tls(ms);
	if (p != NULL &&
	    is_within(addr - rt_number(ms, p), size, RTC(ms, tls_begin),
		RTC(ms, tls_size)))
		return 1;
	return rt_elem(slot, addr, size, 0, 0) != 0;
}

RT_INLINE u64
copy_own(u64 slot, u64 dst, u64 src, u64 size, u64 is_user)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 off;

	if (ms == NULL || size == 0)
		return 0;
	off = dst - rt_addr(ms, 0);
	if (is_own_mem(ms, off, size))
		fill(ms, off, src, size, is_user);
	else if (is_own_var(ms, slot, dst, size))
		copy_var(ms, slot, dst, src, size, is_user);
	else
		rt_fault(ms, DIF_FLT_BADADDR, dst);
	return 0;
}

RT_PUBLIC u64
rt_bcopy(u64 slot, u64 src, u64 dst, u64 size)
{
	return copy_own(slot, dst, src, size, 0);
}

RT_PUBLIC u64
rt_copyinto(u64 slot, u64 uaddr, u64 size, u64 dst)
{
	return copy_own(slot, dst, uaddr, size, 1);
}

/* ---- into user memory --------------------------------------------------- */

/*
 * The helper that writes user memory takes bytes of map memory: copy them to
 * tmp_a first.
 */
RT_CALLBACK long
copyout_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct copy *c = RT_LOOP_VARS(struct copy, ms);
	u8 *piece = rt_mem(ms, RTC(ms, tmp_a));
	u64 rest = c->left - 1, max = RTC(ms, strsize) - 1, size;

	(void)i;
	/*
	 * The verifier has to see that the size is not 0, in this form since
	 * 6.1.
	 */
	RT_OPAQUE(rest);
	size = (rest > max ? max : rest) + 1;
	if (rt_peek(ms, piece, size, c->from) != 0)
		return copy_failed(c, c->from);
	if (rt_upoke(ms, c->to, piece, size) != 0)
		return copy_failed(c, c->to);
	return copy_done(c, size);
}

RT_INLINE u64
copy_out(struct rt_mstate *ms, u64 addr, u64 uaddr, u64 size)
{
	struct copy *c = copy_start(ms, uaddr, addr, size);
	u64 max = RTC(ms, strsize);
	struct rt_ctx ctx = { ms };

	RT_LOOP((size + max - 1) / max, copyout_step, &ctx);
	return c->failed ? rt_fault(ms, DIF_FLT_BADADDR, c->bad) : 0;
}

#define COPYOUT_MAX ((u64)1 << 22) /* 4 MiB: milliseconds in a probe */

RT_PUBLIC u64
rt_copyout(u64 slot, u64 addr, u64 uaddr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);

	if (ms == NULL)
		return 0;
	if (size > COPYOUT_MAX)
		return rt_fault(ms, DIF_FLT_ILLOP, size);
	return copy_out(ms, addr, uaddr, size);
}

/* Copy the string with its NUL, but at most max bytes. */
RT_PUBLIC u64
rt_copyoutstr(u64 slot, u64 s, u64 uaddr, u64 max)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n;

	if (ms == NULL || (n = rt_get_b(ms, s)) == RT_NONE)
		return 0;
	if (n == RTC(ms, strsize))
		n--;
	*rt_mem(ms, RTC(ms, tmp_b) + n) = 0;
	return copy_out(
	    ms, rt_addr(ms, RTC(ms, tmp_b)), uaddr, n + 1 < max ? n + 1 : max);
}
