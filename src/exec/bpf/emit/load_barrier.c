/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that load code wait until dtrace has looked at it.
 *
 * The dynamic linker tells debuggers about mappings: it calls a function that
 * does nothing, _dl_debug_state(), behind each step (<link.h>).  If the step is
 * the last one of an addition, as struct r_debug says, a program there counts
 * the call, wakes dtrace, and keeps the thread busy until dtrace has planted
 * its probes in the new library, so none of its calls is missed.  It waits
 * EXEC_LOAD_BARRIER_NS at most, whatever becomes of dtrace, and no longer than
 * dtrace traces: no process is stopped.  The wait is 1 to 4 ms if dtrace has a
 * CPU to itself.  Waits without result are counted (DT_DROP_LOADS).
 *
 * Most kernels do not preempt a thread that runs in the kernel, and dtrace may
 * be in the queue of that very CPU, or of the only one.  So the program, which
 * may sleep, yields all the time: it reads a word of its thread's stack with
 * bpf_copy_from_user_task().  On the way to each such page the kernel calls
 * cond_resched() (__get_user_pages() in mm/gup.c), and the next thread of the
 * queue runs: dtrace, after a few milliseconds on the busiest CPU.  Meanwhile
 * the thread holds a lock of its own process (mmap_lock, to read), for which
 * dtrace waits in uprobe_register(): a thread that gets no CPU for seconds
 * delays both.
 */
#include "exec/bpf/bpf_impl.h"

#include <asm/ptrace.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"

/* R2 <- address of the linker's struct r_debug, or 0: the site's word holds the
 * distance.  R1 is the context. */
static void
put_r_debug(struct bx_asm *a)
{
	bx_label done = bx_new_label(a);

	bx_ldx(a, 8, R6, R1, offsetof(struct pt_regs, rip));
	bx_helper(a, H_GET_ATTACH_COOKIE);
	bx_mov(a, R2, R0);
	bx_alui(a, BPF_ARSH, R2, 32);
	bx_jcci(a, BPF_JEQ, R2, 0, done);
	bx_alu(a, BPF_ADD, R2, R6);
	bx_bind(a, done);
}

#define FAMILIES_ONLY 1 /* the cookie's other word: all processes come here */

/* R1 and R6 are the context. */
static void
check_family(struct bx_tr *t, bx_label quit)
{
	struct bx_asm *a = &t->a;
	bx_label is_wanted = bx_new_label(a);

	if (!t->lo->opts->follow)
		return;
	bx_helper(a, H_GET_ATTACH_COOKIE);
	bx_alui(a, BPF_AND, R0, FAMILIES_ONLY);
	bx_jcci(a, BPF_JEQ, R0, 0, is_wanted);
	bx_match_family(t, 0, quit);
	bx_bind(a, is_wanted);
	bx_mov(a, R1, R6);
}

int
bx_translate_load_barrier(struct bx_tr *t)
{
	bx_label quit = bx_new_label(&t->a);

	bx_note(t, (struct diag_span){ 0 }, "wait for dtrace to see new code");
	bx_keep_stack(t);
	bx_mov(&t->a, R6, R1);
	check_family(t, quit);
	bx_ldx(&t->a, 8, R7, R1, offsetof(struct pt_regs, rsp));
	put_r_debug(&t->a);
	bx_mov(&t->a, R1, R7);
	bx_call(&t->a, "rt_load_barrier");
	bx_bind(&t->a, quit);
	bx_movi(&t->a, R0, 0);
	bx_exit(&t->a);
	return bx_tr_finish(t);
}

/* Is it a place of all processes, and armed? */
static bool
is_armed(struct bx_exec *x, const struct dt_probe *p)
{
	if (p->up->pid != 0)
		return false;
	VEC_FOREACH(&x->loaders, have) {
		if (*have == p)
			return true;
	}
	VEC_PUSH(&x->loaders, p);
	return false;
}

int
bx_watch_loads(
    struct dt_exec *e, pid_t pid, const struct dt_probe *p, struct err *err)
{
	struct bx_exec *x = bx_of(e);
	struct bx_arming a = { .probes = &p,
		.n = 1,
		.first_cookie = p->up->pid == 0 ? FAMILIES_ONLY : 0,
		.places = x->places };

	(void)pid;
	if (x->load_barrier.progs.n == 0)
		return 0;
	if (is_armed(x, p))
		return 1;
	a.prog_fd = x->load_barrier.progs.v[0];
	return bx_arm_uprobes(&a, &x->load_barrier.armed, err);
}

bool
bx_has_loads(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	x->loads = x->ctl->loads;
	return x->loads != x->ctl->loads_seen;
}

void
bx_resume(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	__atomic_store_n(&x->ctl->loads_seen, x->loads, __ATOMIC_SEQ_CST);
}
