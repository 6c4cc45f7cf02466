/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread-local variables that processes reach, too (exec/shared.h).
 *
 * frame.self points to the words of the firing's thread, or is 0: then the
 * thread is of another process, or has no words yet.  Threads of other
 * processes have their values in rtm_tls, where no process can change them.
 */
#include "exec/bpf/bpf_impl.h"

#include "exec/runtime/rt_self.h"
#include "exec/shared.h"

/* Leave for `other` unless r0 is the id of a process that reaches the
 * memory. */
static void
match_process(struct bx_tr *t, bx_label other)
{
	struct bx_asm *a = &t->a;
	bx_label is_one = bx_new_label(a);

	VEC_FOREACH(&t->lo->opts->shared->pids, pid)
		bx_jcci(a, BPF_JEQ, R0, (int32_t)*pid, is_one);
	bx_ja(a, other);
	bx_bind(a, is_one);
}

/* frame.self <- what `func` finds for the thread, if it is of a process that
 * reaches the memory.  R6 to R9 stay. */
static void
find_words(struct bx_tr *t, const char *func)
{
	const struct exec_shared *sh = t->lo->opts->shared;
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a);

	bx_sti(a, 8, R10, t->frame.self, 0);
	bx_pid(t);
	match_process(t, none);
	bx_tid(t);
	bx_mov(a, R1, R0);
	bx_call(a, func);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
	/* the verifier does not know the function's result */
	bx_jcci(a, BPF_JGT, R0,
	    (int32_t)(sh->self_words + (RT_SELF_SLOTS - 1) * sh->self_size),
	    none);
	bx_mapval(a, R1, "rtm_shared", 0);
	bx_alu(a, BPF_ADD, R1, R0);
	bx_stx(a, 8, R10, t->frame.self, R1);
	bx_bind(a, none);
}

void
bx_self_find(struct bx_tr *t)
{
	if (t->frame.self != 0)
		find_words(t, "rt_self_find");
}

/* r0 <- the variable's word; jump to `none` if the thread has no words here. */
void
bx_self_load(struct bx_tr *t, const struct bx_var *v, bx_label none)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R0, R10, t->frame.self);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
	bx_ldx(a, 8, R0, R0, (int)v->shared_off);
}

/* r0 <- the address of the thread's words; `none`: it has none here.  A value
 * of 0 takes no place. */
void
bx_self_place(struct bx_tr *t, int value, bx_label none)
{
	struct bx_asm *a = &t->a;
	bx_label have = bx_new_label(a);

	bx_ldx(a, 8, R0, R10, t->frame.self);
	bx_jcci(a, BPF_JNE, R0, 0, have);
	bx_jcci(a, BPF_JEQ, value, 0, none);
	find_words(t, "rt_self_take");
	bx_ldx(a, 8, R0, R10, t->frame.self);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
	bx_bind(a, have);
}

/*
 * The words of a context's first thread end: it has ended (sched_process_free),
 * or it executes a program and takes the id of its process's first thread, so
 * that thread's values would become its own (sched_process_exec; the second
 * word is the id that it had).
 */
int
bx_translate_self(struct bx_tr *t, bool is_exec)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	bx_note(t, (struct diag_span){ 0 }, "self-> variables");
	bx_ldx(a, 8, R7, R1, 0);
	if (is_exec)
		bx_ldx(a, 4, R8, R1, 8);
	bx_task_process(t, R7);
	match_process(t, done);
	bx_const(a, R3, "rtc_task_pid");
	bx_alu(a, BPF_ADD, R3, R7);
	bx_read_kernel(a, FP_TMP, 4);
	bx_ldx(a, 4, R1, R10, FP_TMP);
	if (is_exec)
		bx_jcc(a, BPF_JEQ, R1, R8, done);
	bx_call(a, "rt_self_end");
	bx_bind(a, done);
	bx_movi(a, R0, 0);
	bx_exit(a);
	return bx_tr_finish(t);
}
