/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Stores through addresses: ST* and COPYS.  A program may only write to its own
 * memory: the machine state (scratch, clause-local variables), the storage of
 * global variables, and that of the thread's.  An address is turned back into
 * an offset in one of them, and anything else is a bad address.
 */
#include "exec/runtime/rt_impl.h"

/*
 * Write the low `size` (1, 2, 4, 8) bytes of value at base + off if they lie in
 * [0, end).  Sizes are apart so that each store has a bound of its own, which
 * the verifier can check.  Returns whether they did.
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

/* Returns 1, or 0 when the address is not ours. */
RT_INLINE int
write_own(struct rt_mstate *ms, u64 addr, u64 value, u64 size)
{
	u8 *p;

	if (write_at(ms->mem, addr - rt_addr(ms, 0), RTC(ms, scratch_end),
		value, size))
		return 1;
	p = rt_globals(ms);
	if (p != NULL && write_at(p, addr - rt_number(ms, p),
		RTC(ms, globals_size), value, size))
		return 1;
	p = rt_tls(ms);
	return p != NULL && write_at(p, addr - rt_number(ms, p),
	    RTC(ms, tls_size), value, size);
}

RT_PUBLIC u64
rt_poke(u64 slot, u64 addr, u64 value, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);

	if (ms == NULL)
		return 0;
	if (addr & (size - 1))
		return rt_fault(ms, DIF_FLT_BADALIGN, addr);
	if (!write_own(ms, addr, value, size))
		return rt_fault(ms, DIF_FLT_BADADDR, addr);
	return 0;
}

struct copy {
	u64 to, from, left;
	u64 bad;		/* an address that could not be used, or 0 */
};

/* Eight bytes at a time where both are left and the destination is aligned. */
RT_CALLBACK long
copy_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct copy *c = RT_LOOP_VARS(struct copy, ms);
	u64 word = 0, size = c->left >= 8 && (c->to & 7) == 0 ? 8 : 1;

	(void)i;
	if (rt_peek(ms, &word, size, c->from) != 0) {
		c->bad = c->from;
		return 1;
	}
	if (!write_own(ms, c->to, word, size)) {
		c->bad = c->to;
		return 1;
	}
	c->to += size;
	c->from += size;
	c->left -= size;
	return c->left == 0;
}

RT_PUBLIC u64
rt_copys(u64 slot, u64 dst, u64 src, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct copy *c;

	if (ms == NULL || size == 0)
		return 0;
	c = RT_LOOP_VARS(struct copy, ms);
	c->to = dst;
	c->from = src;
	c->left = size;
	c->bad = 0;
	RT_LOOP(size, copy_step, &ctx);
	return c->bad ? rt_fault(ms, DIF_FLT_BADADDR, c->bad) : 0;
}
