/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option follow: is the process that fires of the probe's family?  And the
 * program that adds children to families (kern/family.bpf.c).
 */
#include "exec/bpf/bpf_impl.h"

/* Leave for `done` unless the current process is of the family of `root`, or of
 * any family if that is 0.  R6 to R9 stay. */
void
bx_match_family(struct bx_tr *t, pid_t root, bx_label done)
{
	struct bx_asm *a = &t->a;

	bx_current_pid(t);
	bx_mov(a, R1, R0);
	bx_call(a, "rt_family_root");
	bx_jcci(a, root != 0 ? BPF_JNE : BPF_JEQ, R0, root, done);
}

/* Words of the context: the parent, which is the current task, and the child
 * (tracepoint sched_process_fork). */
int
bx_translate_family(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_note(t, (struct diag_span){ 0 }, "descendants");
	bx_ldx(a, 8, R7, R1, 8);
	bx_current_pid(t);
	bx_mov(a, R6, R0);
	bx_task_process(t, R7);
	bx_mov(a, R1, R6);
	bx_mov(a, R2, R0);
	bx_call(a, "rt_family_fork");
	bx_movi(a, R0, 0);
	bx_exit(a);
	return bx_tr_finish(t);
}
