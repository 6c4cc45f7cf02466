/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Built-in variables about the process and the CPU that a probe fires in.  Part
 * of the freestanding code, as firing.c is.
 */
#include "exec/process/inside/fire.h"
#include "exec/runtime/rt_code.h"

static const struct pr_self *
self_of(const struct rt_vm *vm)
{
	const struct pr_thread *t = PR_FIRE(vm)->thread;

	return &seed_of(t->own, t->conf)->self;
}

/* The arguments of the process, joined by blanks. */
u64
pr_execargs(struct rt_vm *vm, u64 index)
{
	const struct pr_self *self = self_of(vm);
	struct rt_mstate *ms = rt_vm_ms(vm);
	u64 len = self->arg_end - self->arg_start, max = RTC(ms, strsize) - 1;
	u8 *text = rt_mem(ms, rt_scratch(ms));

	(void)index;
	if (len > 0)
		len--; /* the last argument's NUL */
	if (len > max)
		len = max;
	if (rt_upeek(ms, text, len, self->arg_start) != 0)
		return rt_fault(ms, DIF_FLT_BADADDR, self->arg_start);
	for (u64 i = 0; i < len; i++) {
		if (text[i] == '\0')
			text[i] = ' ';
	}
	return rt_result(ms, len);
}

/* The working directory from /proc; without it from getcwd(2), if it fits. */
u64
pr_cwd(struct rt_vm *vm, u64 index)
{
	struct rt_mstate *ms = rt_vm_ms(vm);
	u8 *text = rt_mem(ms, rt_scratch(ms));
	long max = (long)RTC(ms, strsize) - 1;
	long n = rt_syscall3(
	    RT_SYS_READLINK, (long)"/proc/self/cwd", (long)text, max);

	(void)index;
	if (n < 0) {
		n = rt_syscall3(RT_SYS_GETCWD, (long)text, max, 0);
		n -= n > 0; /* the NUL */
	}
	if (n < 0)
		return rt_fault(ms, DIF_FLT_ILLOP, (u64)-n);
	return rt_result(ms, (u64)n);
}

/* Is the root directory the one that dtrace has found? */
static int
has_same_root(const struct pr_self *self)
{
	u64 st[18]; /* asm/stat.h: struct stat; device and inode come first */

	return self->root_ino != 0 &&
	    rt_syscall3(RT_SYS_STAT, (long)"/", (long)st, 0) == 0 &&
	    st[0] == self->root_dev && st[1] == self->root_ino;
}

/* The process's root directory; only dtrace can find out its path. */
u64
pr_root(struct rt_vm *vm, u64 index)
{
	const struct pr_self *self = self_of(vm);
	struct rt_mstate *ms = rt_vm_ms(vm);
	u64 max = RTC(ms, strsize) - 1;
	u64 len = strnlen(self->root, PR_ROOT_MAX);

	(void)index;
	if (!has_same_root(self))
		return rt_fault(ms, DIF_FLT_ILLOP, 0);
	len = len < max ? len : max;
	memcpy(rt_mem(ms, rt_scratch(ms)), self->root, len);
	return rt_result(ms, len);
}

/* The container, which only dtrace sees: a namespace can hide the groups. */
u64
pr_zonename(struct rt_vm *vm, u64 index)
{
	const struct pr_self *self = self_of(vm);
	struct rt_mstate *ms = rt_vm_ms(vm);
	u64 max = RTC(ms, strsize) - 1, len = strnlen(self->zone, PR_ZONE_MAX);

	(void)index;
	len = len < max ? len : max;
	memcpy(rt_mem(ms, rt_scratch(ms)), self->zone, len);
	return rt_result(ms, len);
}

/* ---- CPUs --------------------------------------------------------------- */

u64
pr_curcpu(struct rt_vm *vm, u64 index)
{
	const struct pr_thread *t = PR_FIRE(vm)->thread;
	u64 cpu = pr_cpu(vm);

	(void)index;
	if (cpu >= t->conf->ncpus)
		return 0;
	return (u64)t->own - t->conf->own + t->conf->cpus +
	    cpu * sizeof(struct dif_cpuinfo);
}

static const struct dif_cpuinfo *
cpuinfo(struct rt_vm *vm)
{
	return (const struct dif_cpuinfo *)pr_curcpu(vm, 0);
}

u64
pr_chip(struct rt_vm *vm, u64 index)
{
	const struct dif_cpuinfo *ci = cpuinfo(vm);

	(void)index;
	return ci != NULL ? (u64)(s64)ci->cpu_chip : 0;
}

u64
pr_lgrp(struct rt_vm *vm, u64 index)
{
	const struct dif_cpuinfo *ci = cpuinfo(vm);

	(void)index;
	return ci != NULL ? (u64)(s64)ci->cpu_lgrp : 0;
}
