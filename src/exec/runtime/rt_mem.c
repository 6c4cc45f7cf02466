/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Memory: single loads and fields of records; the current process; numbers.
 */
#include "exec/runtime/rt_code.h"

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

RT_INLINE u64
load(u64 slot, u64 addr, u64 size, int is_user)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 value = 0;
	long err;

	if (ms == NULL)
		return 0;
	if (size < 1 || size > sizeof(value))
		return rt_fault(ms, DIF_FLT_ILLOP, size);
	err = is_user ? rt_upeek(ms, &value, size, addr) :
			rt_peek(ms, &value, size, addr);
	return err == 0 ? value : rt_fault(ms, DIF_FLT_BADADDR, addr);
}

RT_PUBLIC u64
rt_load(u64 slot, u64 addr, u64 size)
{
	return load(slot, addr, size, 0);
}

RT_PUBLIC u64
rt_uload(u64 slot, u64 addr, u64 size)
{
	return load(slot, addr, size, 1);
}

/* ---- the current process ------------------------------------------------ */

#define ANCESTORS_MAX 65536 /* a deeper tree would be a loop */

struct ancestors {
	u64 task;
	u64 pid; /* the process searched for */
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

/* ---- numbers ------------------------------------------------------------ */

RT_PUBLIC u64
rt_random64(u64 slot)
{
	RT_OPAQUE(slot);
	return (u64)rt_random() << 32 | rt_random();
}

/* A dev_t of the kernel: 12 bits of major number, 20 of minor
 * (include/linux/kdev_t.h). */
RT_PUBLIC u64
rt_getmajor(u64 slot, u64 dev)
{
	RT_OPAQUE(slot);
	return (u32)dev >> 20;
}

RT_PUBLIC u64
rt_getminor(u64 slot, u64 dev)
{
	RT_OPAQUE(slot);
	return dev & 0xfffff;
}
