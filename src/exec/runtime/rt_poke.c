/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Stores through addresses: ST* and COPYS.  A program may only write to the
 * machine state's own memory (scratch, and variables kept there): an address is
 * turned back into an offset, and anything else is a bad address.
 */
#include "exec/runtime/rt_impl.h"

/* The offset in mem of [addr, addr + size), or RT_NONE after a fault. */
RT_INLINE u64
own_offset(struct rt_mstate *ms, u64 addr, u64 size)
{
	u64 off = addr - rt_addr(ms, 0), end = RTC(ms, scratch_end);

	if (off >= end || size > end - off) {
		rt_fault(ms, DIF_FLT_BADADDR, addr);
		return RT_NONE;
	}
	return off;
}

RT_PUBLIC u64
rt_poke(u64 slot, u64 addr, u64 value, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 off;

	if (ms == NULL)
		return 0;
	off = own_offset(ms, addr, size);
	if (off == RT_NONE)
		return 0;
	if (addr & (size - 1))
		return rt_fault(ms, DIF_FLT_BADALIGN, addr);
	switch (size) {
	case 1:
		*rt_mem(ms, off) = (u8)value;
		break;
	case 2:
		rt_mem(ms, off)[0] = (u8)value;
		rt_mem(ms, off + 1)[0] = (u8)(value >> 8);
		break;
	case 4:
		for (u32 i = 0; i < 4; i++)
			*rt_mem(ms, off + i) = (u8)(value >> (8 * i));
		break;
	default:
		rt_set_word(ms, off, value);
		break;
	}
	return 0;
}

struct copy {
	u64 to, from, left, failed;
};

RT_CALLBACK long
copy_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct copy *c = RT_LOOP_VARS(struct copy, ms);
	u64 size = rt_bound(ms, c->left);

	(void)i;
	if (rt_peek(rt_mem(ms, c->to), size, c->from) != 0) {
		c->failed = 1;
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
	u64 off;

	if (ms == NULL || size == 0)
		return 0;
	off = own_offset(ms, dst, size);
	if (off == RT_NONE)
		return 0;
	c = RT_LOOP_VARS(struct copy, ms);
	c->to = off;
	c->from = src;
	c->left = size;
	c->failed = 0;
	RT_LOOP(size, copy_step, &ctx);
	return c->failed ? rt_fault(ms, DIF_FLT_BADADDR, src) : 0;
}
