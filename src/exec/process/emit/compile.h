/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_EMIT_COMPILE_H
#define EXEC_PROCESS_EMIT_COMPILE_H

/*
 * Compile clauses to x86-64.  While a body runs, %rbx points to its struct
 * rt_vm, right behind a struct pr_fire; compiled objects use all other
 * registers (jit/jit.h).
 */
#include "base/str.h"
#include "base/vec.h"
#include "exec/process/impl.h"
#include "exec/runtime/rt_prim.h"

struct pr_fault_exit {
	x_label label;
	uint32_t action;
	bool has_offset; /* an object faulted: there is an offset in DIF text */
};

struct pr_slow {
	unsigned kind;
	const struct plan_clause *pc;
	uint32_t agg;	     /* its number - 1 */
	uint32_t subr, size; /* the copying subroutine; bytes */
	x_label from, back, quit, none, fault;
};

struct pr_tr {
	struct pr_exec *x;
	struct x_asm *a;
	struct strbuf *names;
	const struct pr_body *body;
	const struct plan_clause *pc;
	uint32_t clause_no, action_no;
	bool in_error;
	uint32_t used;	  /* registers that are changed */
	bool args_intact; /* the argument registers are not changed yet */
	/* a predicate that has held already, and registers that it changed */
	const struct dif_obj *decided;
	uint32_t decided_used;
	uint32_t error_at; /* ERROR's clauses, in the region; 0: none */
	uint32_t error_used;
	VEC(struct pr_fault_exit) exits;
	VEC(struct pr_slow) slow; /* fast_slow.c */
	x_label leave;		  /* ends a firing that has a level */
	bool has_asked;		  /* the body begins with pr_ask_for_room() */
	char *refused;		  /* malloced; or NULL */
	struct diag_span refused_span;
};

#define PR_VM X_RBX
#define PR_VM_AT(member) X_AT(PR_VM, offsetof(struct rt_vm, member))
#define PR_MS_AT(member)                                                       \
	X_AT(PR_VM, RT_VM_MS + offsetof(struct rt_mstate, member))
#define PR_MEM_AT(off) X_AT(PR_VM, RT_VM_MS + RT_MEM_OFF + (off))
#define PR_FIRE_AT(member)                                                     \
	X_AT(PR_VM,                                                            \
	    (int32_t)offsetof(struct pr_fire, member) -                        \
		(int32_t)sizeof(struct pr_fire))

#define PR_OWN_AT(t, member)                                                   \
	X_IN_REGION((t)->x->conf.own + offsetof(struct pr_own, member))
#define PR_SEED_AT(t, member)                                                  \
	X_IN_REGION((t)->x->conf.seed + offsetof(struct pr_seed, member))
#define PR_HEAD_AT(t, member)                                                  \
	X_IN_REGION((t)->x->conf.data + offsetof(struct pr_head, member))

/* Refuse what the script asks for at `at`; the first refusal is kept.  Takes
 * `why`. */
void pr_refuse(struct pr_tr *t, struct diag_span at, char *why);
/* The refusal, with its place in the script (malloced). */
char *pr_refusal(const struct pr_exec *x, const struct pr_tr *t);
/* May the clause be compiled?  Only clauses that can fire are checked. */
bool pr_clause_check(struct pr_tr *t, const struct plan_clause *pc);
/* -EPERM: only the kernel substrate has this probe. */
CHECKED int pr_probe_check(
    const struct pr_exec *x, const struct dt_probe *p, struct err *err);
/* Only processes of -c and -p can bring new code. */
CHECKED int pr_growth_check(
    const struct pr_exec *x, const struct plan_clause *pc, struct err *err);
/* Give bodies to the plan's probes, or to those that have come since the last
 * call; probes that were collected before a failure have their bodies. */
CHECKED int pr_bodies_make(struct pr_exec *x, struct err *err);
CHECKED int pr_bodies_make_late(struct pr_exec *x, struct err *err);
/* The D text that the code from here on is for. */
void pr_note(struct pr_tr *t, struct diag_span span, const char *text);
/* The code from here on is for this object. */
void pr_note_object(struct pr_tr *t, const struct dif_obj *dp);
/* names.c: name the code's functions, in order: the code from here on is the
 * function `what`, or the body `b`. */
void pr_names_begin(struct pr_tr *t);
void pr_names_runtime(struct pr_tr *t);
void pr_name(struct pr_tr *t, const char *what);
void pr_name_body(struct pr_tr *t, const struct pr_body *b);
void pr_names_end(struct pr_tr *t);
/* pr_name() and pr_note(). */
void pr_function(struct pr_tr *t, const char *what);
/* Call a function of the freestanding code; its arguments are in place. */
void pr_call(struct pr_tr *t, const char *func);
/* Call one with the struct rt_vm as its first argument. */
void pr_call_vm(struct pr_tr *t, const char *func);

/* Registers that a C function may change (System V ABI, 3.2.1). */
#define PR_CALL_CHANGES                                                        \
	(1U << X_RAX | 1U << X_RCX | 1U << X_RDX | 1U << X_RSI | 1U << X_RDI | \
	    1U << X_R8 | 1U << X_R9 | 1U << X_R10 | 1U << X_R11)
#define PR_ARG_REGS                                                            \
	(1U << X_RDI | 1U << X_RSI | 1U << X_RDX | 1U << X_RCX | 1U << X_R8 |  \
	    1U << X_R9)
void pr_changes(struct pr_tr *t, uint32_t regs);
/* Save registers in the frame of the body's entry; restore them from there. */
void pr_save_regs(struct pr_tr *t, uint32_t regs);
void pr_restore_regs(struct pr_tr *t, uint32_t regs);
/* %rax <- the level, or NULL; the probe's offset is in %eax. */
void pr_call_enter(struct pr_tr *t);
void pr_call_record(struct pr_tr *t, const struct plan_clause *pc);

/* fast.c: emit a function's work inline if possible; false: nothing was
 * emitted.  The code goes to the label if there is no level or value. */
bool pr_fast_enter(struct pr_tr *t, x_label quit);
bool pr_fast_leave(struct pr_tr *t);
bool pr_fast_time(struct pr_tr *t);				 /* %rax */
bool pr_fast_key(struct pr_tr *t, uint32_t index, x_label none); /* %rax */
bool pr_fast_scalar(struct pr_tr *t, uint32_t index);		 /* %rax */
bool pr_fast_bucket(struct pr_tr *t);				 /* %rax */
bool pr_fast_count(struct pr_tr *t, uint32_t index);
bool pr_fast_record(struct pr_tr *t);
/* Code at `fault`: report a fault, whose offset is in %eax, and go to `out`. */
bool pr_fast_fault(struct pr_tr *t, x_label fault, x_label out);
/* jit_env.copy; `arg` is a struct pr_tr. */
uint32_t pr_fast_copy(
    void *arg, uint32_t subr, uint32_t size, const x_label *fault);
/* Behind a body: emit the paths on which inline code calls functions. */
void pr_slow_paths(struct pr_tr *t);

/* depth.c: emit the code that checks the stack's depth.  pr_ask_for_room() goes
 * to the label if there is too little stack for C functions; the firing is then
 * counted, and only the flags are changed. */
void pr_depth_emit(struct pr_tr *t);
void pr_ask_for_room(struct pr_tr *t, x_label none);

void pr_body_emit(struct pr_tr *t, struct pr_body *b);
/* ERROR's clauses; code that reports a clause's fault calls them. */
void pr_error_emit(struct pr_tr *t);
/* The code by which dtrace itself fires the probes of the body, if it does. */
void pr_own_emit(struct pr_tr *t, const struct pr_body *b);
/* Code in which a thread waits until dtrace has seen its newly loaded code. */
void pr_load_barrier_emit(struct pr_tr *t);
/* Emit a clause; the next one follows at its end.  exit() goes to `done`. */
void pr_clause(
    struct pr_tr *t, const struct plan_clause *pc, uint32_t no, x_label done);
/* vars.c: is it a built-in variable that a process does not have? */
bool pr_var_is_of_kernel(uint32_t id);
void pr_refuse_var(struct pr_tr *t, uint32_t id);
/* vars.c: set those built-in variables of the struct rt_vm that are read. */
void pr_load_vars(struct pr_tr *t, const struct dif_uses *u);
/* The function that computes a variable where it is read, or NULL. */
const char *pr_var_call(uint32_t id);
/* Is probeprov that of the process that fires (option follow)? */
bool pr_is_of_family(const struct pr_tr *t);
/* Registers of the frame that the body's variables are computed from. */
uint32_t pr_wanted_regs(const struct pr_body *b);
/* Arguments that clauses read, a bit each. */
uint32_t pr_args_read(const struct plan_clause *const *clauses, size_t n);
/* usdt.c: %rax <- an argument of a USDT site; the registers that hold these
 * arguments; refuse arguments that cannot be read. */
void pr_usdt_arg(struct pr_tr *t, unsigned n);
uint32_t pr_usdt_regs(const struct pr_body *b, uint32_t args);
void pr_usdt_check(struct pr_tr *t);
/* Registers in which functions get their arguments, in order. */
extern const int pr_arg_regs[JIT_NARGS];
/* Go to `no` unless a leaf's result holds (jit/jit.h). */
void pr_leaf(struct pr_tr *t, const struct jit_env *env,
    const struct dif_obj *dp, x_label no);
/* leaf.c: the predicate that is decided before all other code, or NULL. */
const struct dif_obj *pr_light_predicate(
    const struct pr_body *b, uint32_t *changes);
/* Save the registers `changes`; go to `no` if the predicate does not hold. */
void pr_decide(
    struct pr_tr *t, const struct dif_obj *pred, uint32_t changes, x_label no);
/* Emit the body if it needs only the thread; else return false. */
bool pr_light_body(struct pr_tr *t);
/* syscall.c: %rax <- an argument of a system call, or errno; the registers that
 * hold them; the code that sites lead to. */
void pr_sys_arg(struct pr_tr *t, unsigned n);
void pr_sys_errno(struct pr_tr *t);
uint32_t pr_sys_regs(const struct pr_body *b, uint32_t args);
void pr_sys_emit(struct pr_tr *t);
/* Report a fault, whose offset is in %eax; run ERROR's clauses. */
void pr_report_fault(struct pr_tr *t);

#endif
