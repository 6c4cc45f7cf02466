/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Memory: loads, copies and allocation of bytes; and the current process.
 *
 * The verifier lets one helper write at most strsize bytes at an offset that it
 * does not know (the spare bytes of struct rt_mstate), so what may be larger
 * is done in pieces of that size.
 */
#include "exec/runtime/rt_impl.h"

struct pieces {
	u64 off;	/* next place in mem */
	u64 uaddr;	/* where the next piece comes from */
	u64 left;	/* bytes still to do */
	u64 failed;
};

/* Do the first piece of what is left: its size. */
RT_INLINE u64
next_piece(const struct rt_mstate *ms, const struct pieces *p)
{
	return rt_bound(ms, p->left);
}

RT_INLINE long
piece_done(struct pieces *p, u64 size)
{
	p->off += size;
	p->uaddr += size;
	p->left -= size;
	return p->left == 0;
}

RT_CALLBACK long
copyin_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct pieces *p = RT_LOOP_VARS(struct pieces, ms);
	u64 size = next_piece(ms, p);

	(void)i;
	if (rt_upeek(ms, rt_mem(ms, p->off), size, p->uaddr) != 0) {
		p->failed = 1;
		return 1;
	}
	return piece_done(p, size);
}

RT_CALLBACK long
zero_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct pieces *p = RT_LOOP_VARS(struct pieces, ms);
	u64 size = next_piece(ms, p);

	(void)i;
	rt_zero(rt_mem(ms, p->off), size);
	return piece_done(p, size);
}

/* Claim `size` bytes and set up a loop over them; NULL after a fault. */
RT_INLINE struct pieces *
pieces_start(struct rt_mstate *ms, u64 uaddr, u64 size)
{
	struct pieces *p = RT_LOOP_VARS(struct pieces, ms);
	u64 off = rt_claim(ms, size);

	if (off == RT_NONE)
		return NULL;
	p->off = off;
	p->uaddr = uaddr;
	p->left = size;
	p->failed = 0;
	return p;
}

RT_INLINE u64
pieces_count(const struct rt_mstate *ms, u64 size)
{
	u64 max = RTC(ms, strsize);

	return (size + max - 1) / max;
}

RT_PUBLIC u64
rt_copyin(u64 slot, u64 uaddr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct pieces *p;
	u64 addr;

	if (ms == NULL)
		return 0;
	addr = rt_addr(ms, ms->scratch);
	if ((p = pieces_start(ms, uaddr, size)) == NULL)
		return 0;
	RT_LOOP(pieces_count(ms, size), copyin_step, &ctx);
	return p->failed ? rt_fault(ms, DIF_FLT_BADADDR, uaddr) : addr;
}

RT_PUBLIC u64
rt_alloc(u64 slot, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	u64 addr;

	if (ms == NULL)
		return 0;
	addr = rt_addr(ms, ms->scratch);
	if (pieces_start(ms, 0, size) == NULL)
		return 0;
	RT_LOOP(pieces_count(ms, size), zero_step, &ctx);
	return addr;
}

RT_PUBLIC u64
rt_store_bytes(u64 slot, u64 off, u64 addr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);

	if (ms == NULL)
		return 1;
	if (size > RTC(ms, strsize)) {
		rt_fault(ms, DIF_FLT_ILLOP, size);
		return 1;
	}
	if (rt_peek(ms, rt_mem(ms, off), rt_bound(ms, size), addr) == 0)
		return 0;
	rt_fault(ms, DIF_FLT_BADADDR, addr);
	return 1;
}

RT_PUBLIC u64
rt_load(u64 slot, u64 addr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 value = 0;

	if (ms == NULL)
		return 0;
	if (size < 1 || size > sizeof(value))
		return rt_fault(ms, DIF_FLT_ILLOP, size);
	if (rt_peek(ms, &value, size, addr) != 0)
		return rt_fault(ms, DIF_FLT_BADADDR, addr);
	return value;
}

RT_PUBLIC u64
rt_uload(u64 slot, u64 addr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 value = 0;

	if (ms == NULL)
		return 0;
	if (size < 1 || size > sizeof(value))
		return rt_fault(ms, DIF_FLT_ILLOP, size);
	if (rt_upeek(ms, &value, size, addr) != 0)
		return rt_fault(ms, DIF_FLT_BADADDR, addr);
	return value;
}

/* ---- the current process ------------------------------------------------ */

#define ANCESTORS_MAX 65536	/* a deeper tree would be a loop */

struct ancestors {
	u64 task;
	u64 pid;	/* whom we look for */
	u64 found;
};

RT_CALLBACK long
ancestors_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct ancestors *a = RT_LOOP_VARS(struct ancestors, ms);
	u64 parent;

	(void)i;
	if (rt_task_pid(ms, a->task) == (u32)a->pid) {
		a->found = 1;
		return 1;
	}
	parent = rt_task_parent(ms, a->task);
	if (parent == 0 || parent == a->task)
		return 1;
	a->task = parent;
	return 0;
}

RT_PUBLIC u64
rt_progenyof(u64 slot, u64 pid)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct ancestors *a;

	if (ms == NULL)
		return 0;
	a = RT_LOOP_VARS(struct ancestors, ms);
	a->task = rt_task_current();
	a->pid = pid;
	a->found = 0;
	RT_LOOP(ANCESTORS_MAX, ancestors_step, &ctx);
	return a->found;
}

/* An int of D that is never negative. */
RT_PUBLIC u64
rt_rand(u64 slot)
{
	RT_OPAQUE(slot);
	return rt_random() & 0x7fffffff;
}
