/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Firings: a probe fires in a thread, which takes a level for it.
 */
#include "exec/process/inside/parts.h"

/* Flags as LAHF has them, and the overflow flag (inproc_frame). */
enum {
	FLAG_O = 1,
	FLAG_C = 1 << 8,
	FLAG_P = 4 << 8,
	FLAG_Z = 0x40 << 8,
	FLAG_S = 0x80 << 8
};

/*
 * Does a condition hold, as Jcc decides (Intel SDM, volume 2, appendix
 * B.1.4.7)?  Numbers come in pairs, the odd one is the opposite.
 */
static __attribute__((noinline)) u64
holds(u64 flags, u32 cond)
{
	u64 less = !(flags & FLAG_S) != !(flags & FLAG_O), is;

	switch (cond >> 1) {
	case 0:
		is = (flags & FLAG_O) != 0;
		break;
	case 1:
		is = (flags & FLAG_C) != 0;
		break;
	case 2:
		is = (flags & FLAG_Z) != 0;
		break;
	case 3:
		is = (flags & (FLAG_C | FLAG_Z)) != 0;
		break;
	case 4:
		is = (flags & FLAG_S) != 0;
		break;
	case 5:
		is = (flags & FLAG_P) != 0;
		break;
	case 6:
		is = less;
		break;
	default:
		is = less || (flags & FLAG_Z) != 0;
		break;
	}
	return is ^ (cond & 1);
}

/* stack_t (asm-generic/signal-defs.h) */
struct signal_stack {
	u64 sp, flags, size;
};
enum { MS_ASYNC = 1 };

/* Is all memory between the two mapped?  msync() with MS_ASYNC only checks it.
 */
static int
is_one_mapping(u64 from, u64 to)
{
	from &= -(u64)PR_STACK_PAGE;
	return rt_syscall3(
		   RT_SYS_MSYNC, (long)from, (long)(to - from), MS_ASYNC) == 0;
}

/*
 * Has longjmp() out of a signal handler abandoned the firing whose frame is
 * `old`?  If the handler still ran, a firing that begins now would be below
 * `old` on the same stack, or on the handlers' own stack.
 */
static __attribute__((noinline)) int
is_abandoned(u64 old, u64 now)
{
	struct signal_stack s = { 0, 0, 0 };
	int was_there, is_there;

	if (rt_syscall3(RT_SYS_SIGALTSTACK, 0, (long)&s, 0) != 0)
		return 0;
	was_there = old - s.sp < s.size;
	is_there = now - s.sp < s.size;
	if (was_there != is_there)
		return was_there;
	return old <= now && is_one_mapping(old, now + 1);
}

/* The number of levels in use.  Takes back levels of abandoned firings. */
static u64
levels_in_use(struct pr_thread *t, u64 now)
{
	u64 top = t->top, n;

	while ((n = top & PR_TOP_LEVELS) != 0 && is_abandoned(top - n, now))
		top = PR_FIRE(level(t, n - 1))->below;
	*(volatile u64 *)&t->top = top;
	return n;
}

#define FRAME_FLAGS 16 /* of inproc_frame, in words */

struct rt_vm *
pr_enter(struct pr_own *own, const struct pr_conf *c, const u64 *frame,
    const struct pr_probe *probe)
{
	struct pr_thread *t = pr_thread_self(own, c);
	struct rt_vm *vm;
	struct rt_mstate *ms;
	u64 n;

	if (t == NULL || (!probe->is_own && !is_wanted(t, c)))
		return NULL;
	if (__builtin_expect(probe->cond != PR_ALWAYS, 0) &&
	    !holds(frame[FRAME_FLAGS], probe->cond))
		return NULL;
	n = levels_in_use(t, (u64)frame);
	if (n == t->nlevels) {
		drop(t, DT_DROP_SCRATCH);
		return NULL;
	}
	vm = level(t, n);
	if (__builtin_expect(vm->thread != t->serial, 0))
		pr_level_init(t, region_of(t), vm);
	*(volatile u64 *)&PR_FIRE(vm)->below = t->top;
	*(volatile u64 *)&t->top = PR_TOP((u64)frame, n + 1);
	*(volatile u64 *)&t->shared->active = n + 1;
	PR_FIRE(vm)->frame = frame;
	PR_FIRE(vm)->probe = probe;
	PR_FIRE(vm)->ranges[1].addr =
	    ((u64)frame + PR_FRAME_LAST) & -(u64)PR_STACK_PAGE;
	PR_FIRE(vm)->has_regs = 0;
	PR_FIRE(vm)->time = PR_FIRE(vm)->vtime = PR_FIRE(vm)->cycles = 0;
	ms = rt_vm_ms(vm);
	ms->fault = 0;
	ms->tok = 0;
	/* by words: most scripts have none or few */
	for (u64 off = c->rt.locals; off < c->rt.tmp_a; off += 8)
		rt_set_word(ms, off, 0);
	return vm;
}

u64
pr_leave(struct rt_vm *vm)
{
	struct pr_thread *t = thread_of(vm);

	*(volatile u64 *)&t->shared->active =
	    PR_FIRE(vm)->below & PR_TOP_LEVELS;
	*(volatile u64 *)&t->top = PR_FIRE(vm)->below;
	return 0;
}
