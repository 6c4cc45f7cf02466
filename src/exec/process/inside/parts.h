/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_PROCESS_INSIDE_PARTS_H
#define EXEC_PROCESS_INSIDE_PARTS_H

/*
 * Small parts of a firing that several files of the folder have inline, as a
 * call would cost more than the work; and functions that only these files call.
 *
 * All of it is freestanding code (jit/blob.h): it runs in traced processes and
 * may interrupt any code, also itself (in a signal handler).
 */
#include "exec/process/inside/area.h"

#include "exec/runtime/drops.h"
#include "exec/process/inside/fire.h"
#include "exec/runtime/rt_code.h"
#include "exec/runtime/rt_cpu.h"
#include "exec/runtime/tsc.h"

enum { CLOCK_MONOTONIC = 1, CLOCK_THREAD_CPUTIME_ID = 3 };

#define NS 1000000000ULL

/* thread.c: prepare a level of the thread. */
void pr_level_init(struct pr_thread *t, u64 region, struct rt_vm *vm);
/* builtin.c: a clock of the kernel; the time of the session. */
u64 pr_read_clock(u32 clock);
u64 pr_time_now(const struct pr_thread *t);

RT_INLINE struct pr_thread *
thread_of(const struct rt_vm *vm)
{
	return PR_FIRE(vm)->thread;
}

RT_INLINE u64
region_of(const struct pr_thread *t)
{
	return (u64)t->own - t->conf->own;
}

RT_INLINE void
drop(struct pr_thread *t, u32 kind)
{
	rt_cpu_add(&t->shared->drops[kind], 1);
}

RT_INLINE struct pr_head *
head_of(const struct pr_own *own, const struct pr_conf *c)
{
	return (struct pr_head *)((u64)own - c->own + c->data);
}

RT_INLINE struct rt_vm *
level(const struct pr_thread *t, u64 i)
{
	return (struct rt_vm *)((u64)t + t->conf->levels +
	    i * t->conf->level_size + sizeof(struct pr_fire));
}

RT_INLINE struct pr_place *
place_of(const struct pr_thread *t, u64 index)
{
	return (struct pr_place *)((u64)t + t->conf->places) + index;
}

RT_INLINE u32
this_cpu(const struct pr_conf *c)
{
	u32 cpu = 0;

	if (c->has_cpu)
		cpu = rt_cpu_number();
	else
		rt_syscall3(RT_SYS_GETCPU, (long)&cpu, 0, 0);
	return cpu & EXEC_CPU_MASK; /* the upper bits are its node */
}

/* May the thread record?  An untraced CPU and a full buffer forbid it. */
RT_INLINE int
is_wanted(const struct pr_thread *t, const struct pr_conf *c)
{
	if (c->cpu >= 0 && this_cpu(c) != (u32)c->cpu)
		return 0;
	return c->policy != DT_BUF_FILL ||
	    t->shared->drops[DT_DROP_FILLED] == 0;
}

RT_INLINE u64
timestamp_of(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	if (f->time == 0)
		f->time = pr_time_now(f->thread);
	return f->time;
}

RT_INLINE u64
cpu_of(const struct rt_vm *vm)
{
	const struct pr_fire *f = PR_FIRE(vm);

	return f->cpu != 0 ? f->cpu - 1 : this_cpu(f->thread->conf);
}

#endif
