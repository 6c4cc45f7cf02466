/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_CODE_H
#define EXEC_RUNTIME_RT_CODE_H

/*
 * Declarations shared by the runtime's files: faults, scratch, strings in and
 * out.
 *
 * Loops.  The variables of an RT_LOOP live in ms->loop, not on the stack: the
 * verifier knows each stack word's value, so it would follow a counter there
 * through every iteration; a value loaded from a map is unknown to it, so that
 * one pass over the callback is enough.  Each file overlays ms->loop with its
 * own struct (RT_LOOP_VARS).
 */
#include "dif/acts.h"
#include "dif/dif.h"
#include "exec/runtime/rt_prim.h"

struct rt_ctx { /* the argument of every callback */
	struct rt_mstate *ms;
};

#define RT_LOOP_VARS(type, ms)                                                 \
	({                                                                     \
		_Static_assert(                                                \
		    sizeof(type) <= sizeof((ms)->loop), "loop variables");     \
		(type *)(void *)(ms)->loop;                                    \
	})

RT_INLINE u64
rt_fault(struct rt_mstate *ms, enum dif_fault fault, u64 val)
{
	ms->fault = fault;
	ms->fault_val = val;
	return 0;
}

RT_INLINE u64
rt_addr(const struct rt_mstate *ms, u64 off)
{
	return ms->base + RT_MEM_OFF + off;
}

RT_INLINE u8 *
rt_mem(struct rt_mstate *ms, u64 off)
{
	return &ms->mem[off & RTC(ms, memmask)];
}

/* A size in a form that the verifier accepts: at most strsize. */
RT_INLINE u64
rt_bound(const struct rt_mstate *ms, u64 size)
{
	u64 max = RTC(ms, strsize);

	RT_OPAQUE(size);
	return size > max ? max : size;
}

/* The offset of the next claim: the first aligned free byte. */
RT_INLINE u64
rt_scratch(const struct rt_mstate *ms)
{
	return (ms->scratch + 7) & ~(u64)7;
}

/*
 * Claim `size` bytes of scratch: returns the offset, or RT_NONE after a fault.
 */
RT_INLINE u64
rt_claim(struct rt_mstate *ms, u64 size)
{
	u64 off = rt_scratch(ms), end = RTC(ms, scratch_end);

	if (off > end || size > end - off) {
		rt_fault(ms, DIF_FLT_NOSCRATCH, size);
		return RT_NONE;
	}
	ms->scratch = off + size;
	return off;
}

/* Make the string of `len` bytes that was written at rt_scratch() a result. */
RT_INLINE u64
rt_result(struct rt_mstate *ms, u64 len)
{
	u64 off = rt_claim(ms, len + 1);

	if (off == RT_NONE)
		return 0;
	*rt_mem(ms, off + len) = 0;
	return rt_addr(ms, off);
}

/* The bytes mem[off ... off+len) as a result, cut to the longest string. */
RT_INLINE u64
rt_slice(struct rt_mstate *ms, u64 off, u64 len)
{
	u64 max = RTC(ms, strsize) - 1;

	if (len > max)
		len = max;
	rt_peek(ms, rt_mem(ms, rt_scratch(ms)), rt_bound(ms, len),
	    rt_addr(ms, off));
	return rt_result(ms, len);
}

/*
 * Read the string at `addr` into mem[off ... off+size), size <= strsize;
 * returns its length, or RT_NONE after a fault.  A string of `size` bytes or
 * more fills all of it, without a NUL: the kernel's helper always writes a NUL,
 * so the last byte is read again.
 */
RT_INLINE u64
rt_get(struct rt_mstate *ms, u64 off, u64 addr, u64 size)
{
	u8 last = 0;
	long n;

	size = rt_bound(ms, size);
	if (addr == 0) {
		*rt_mem(ms, off) = 0;
		return 0;
	}
	n = rt_peek_str(ms, rt_mem(ms, off), size, addr);
	if (n > 0 && (u64)n < size)
		return (u64)n - 1;
	if (n <= 0 || rt_peek(ms, &last, 1, addr + size - 1) != 0) {
		rt_fault(ms, DIF_FLT_BADADDR, addr);
		return RT_NONE;
	}
	if (last == 0)
		return size - 1;
	*rt_mem(ms, off + size - 1) = last;
	return size;
}

/* isspace(3) in the C locale */
RT_INLINE int
rt_is_space(u64 c)
{
	return c == ' ' || c - '\t' < 5;
}

/* Read a whole argument into one of the two areas for arguments. */
RT_INLINE u64
rt_get_a(struct rt_mstate *ms, u64 addr)
{
	return rt_get(ms, RTC(ms, tmp_a), addr, RTC(ms, strsize));
}

RT_INLINE u64
rt_get_b(struct rt_mstate *ms, u64 addr)
{
	return rt_get(ms, RTC(ms, tmp_b), addr, RTC(ms, strsize));
}

/* ---- eight bytes at a time (little-endian: byte 0 is the lowest) -------- */

#define RT_ONES 0x0101010101010101ULL
#define RT_LOWS 0x7f7f7f7f7f7f7f7fULL
#define RT_HIGHS 0x8080808080808080ULL
#define RT_WORDS(len) (((len) + 7) / 8)

/* 0x80 in each byte of w that is zero. */
RT_INLINE u64
rt_zero_bytes(u64 w)
{
	return ~(((w & RT_LOWS) + RT_LOWS) | w | RT_LOWS);
}

/* The index of the lowest nonzero byte; w is not 0. */
RT_INLINE u64
rt_low_byte(u64 w)
{
	u64 below = (w & -w) - 1; /* ones below the lowest one */

	return ((below >> 7) & RT_ONES) * RT_ONES >> 56;
}

/* The index of the highest 0x80 in m, which has no other bits and is not 0. */
RT_INLINE u64
rt_high_byte(u64 m)
{
	m |= m >> 8;
	m |= m >> 16;
	m |= m >> 32;
	return ((m >> 7) * RT_ONES >> 56) - 1;
}

/* The lowest `n` bytes of a word; the whole word if n >= 8. */
RT_INLINE u64
rt_low_mask(u64 n)
{
	return n < 8 ? ((u64)1 << (8 * n)) - 1 : ~(u64)0;
}

#endif
