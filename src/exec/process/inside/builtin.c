/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Built-in variables: clocks, ids, names and arguments.  thread_self.c has
 * those about the process.
 */
#include "exec/process/inside/parts.h"

#define TIME_TRIES 100

enum { PR_GET_NAME = 16 };

u64
pr_read_clock(u32 clock)
{
	u64 ts[2] = { 0, 0 };

	rt_syscall3(RT_SYS_CLOCK_GETTIME, clock, (long)ts, 0);
	return ts[0] * NS + ts[1];
}

/*
 * The time by the time-stamp counter, if that is even.  dtrace may renew the
 * scale meanwhile, but not often, unless a process scribbles over it.
 */
u64
pr_time_now(const struct pr_thread *t)
{
	const struct pr_head *h = t->head;
	u64 turn, ns, past, tries = 0;

	do {
		if (!t->conf->has_tsc || tries++ == TIME_TRIES)
			return pr_read_clock(CLOCK_MONOTONIC);
		turn = __atomic_load_n(&h->turn, __ATOMIC_ACQUIRE);
		const struct pr_scale *s = &h->scale[turn & 1];
		/* RDTSC does not wait for loads: it may precede a new scale
		 */
		past = rt_cpu_cycles() - s->cycles;
		past = (s64)past < 0 ? 0 : past;
		ns = s->ns +
		    (u64)((unsigned __int128)past * s->mult >> PR_SCALE_SHIFT);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (h->turn - turn > 1);
	return ns;
}

u64
pr_timestamp(struct rt_vm *vm)
{
	return timestamp_of(vm);
}

/* Read anew each time: unlike timestamp, it moves within a clause. */
u64
pr_walltimestamp(struct rt_vm *vm, u64 index)
{
	(void)index;
	return pr_time_now(PR_FIRE(vm)->thread) + thread_of(vm)->head->wall_off;
}

u64
pr_vtimestamp(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	if (f->vtime == 0)
		f->vtime = pr_read_clock(CLOCK_THREAD_CPUTIME_ID);
	return f->vtime;
}

u64
pr_machtimestamp(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	if (f->cycles == 0)
		f->cycles = rt_cpu_cycles();
	return f->cycles;
}

u64
pr_pid(struct rt_vm *vm)
{
	const struct pr_thread *t = thread_of(vm);

	return t->child != 0 ? t->child : t->own->start.pid;
}

u64
pr_tid(struct rt_vm *vm)
{
	const struct pr_thread *t = thread_of(vm);

	return t->child != 0 ? t->child : t->tid;
}

u64
pr_ppid(struct rt_vm *vm)
{
	(void)vm;
	return (u32)rt_syscall3(RT_SYS_GETPPID, 0, 0, 0);
}

u64
pr_uid(struct rt_vm *vm)
{
	(void)vm;
	return (u32)rt_syscall3(RT_SYS_GETUID, 0, 0, 0);
}

u64
pr_gid(struct rt_vm *vm)
{
	(void)vm;
	return (u32)rt_syscall3(RT_SYS_GETGID, 0, 0, 0);
}

u64
pr_cpu(struct rt_vm *vm)
{
	return cpu_of(vm);
}

static u64
thread_name(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	memset(f->comm, 0, sizeof(f->comm));
	rt_syscall3(RT_SYS_PRCTL, PR_GET_NAME, (long)f->comm, 0);
	return (u64)f->comm;
}

u64
pr_execname(struct rt_vm *vm)
{
	return thread_name(vm);
}

u64
pr_threadname(struct rt_vm *vm)
{
	return thread_name(vm);
}

#define PID_DIGITS 10

/* probeprov of a probe that fires in several processes. */
u64
pr_provider(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);
	char *at = f->prov + sizeof(f->prov) - 1;
	u64 pid = pr_pid(vm);

	*at = '\0';
	for (u32 i = 0; i < PID_DIGITS; i++) {
		*--at = (char)('0' + pid % 10);
		pid /= 10;
		if (pid == 0)
			break;
	}
	*--at = 'd';
	*--at = 'i';
	*--at = 'p';
	return (u64)at;
}

/* An argument on the stack, beyond the sixth; 0 where there is none. */
u64
pr_stack_arg(struct rt_vm *vm, u64 n)
{
	const struct pr_fire *f = PR_FIRE(vm);

	return pr_user_word(vm, f->frame[4] + 8 * (n - 5), 8);
}

/* The stack's page that holds the saved registers is mapped: read it. */
u64
pr_user_word(struct rt_vm *vm, u64 addr, u64 size)
{
	const struct rt_range *page = &PR_FIRE(vm)->ranges[1];
	u64 value = 0;

	if (addr - page->addr <= page->size - size)
		memcpy(&value, (const void *)addr, size);
	else
		rt_os_read((u32)thread_of(vm)->tid, &value, size, addr);
	return value;
}
