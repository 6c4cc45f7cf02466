/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_EMIT_COMPILE_H
#define EXEC_PROCESS_EMIT_COMPILE_H

/*
 * Clauses to x86-64.  While a body runs, %rbx is its struct rt_vm, right behind
 * a struct pr_fire, and everything else is the compiled objects' (jit/jit.h).
 */
#include "exec/process/impl.h"
#include "exec/runtime/rt_prim.h"

struct pr_fault_exit {
	x_label label;
	uint32_t action;
	bool has_offset; /* in DIF text: an object faulted */
};

struct pr_slow {
	unsigned kind;
	const struct plan_clause *pc;
	uint32_t agg;	     /* its number - 1 */
	uint32_t subr, size; /* that copies, and how much */
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
	bool args_intact; /* registers that arguments come in are not yet */
	/* a predicate that has held already, and registers that it changed */
	const struct dif_obj *decided;
	uint32_t decided_used;
	uint32_t error_at; /* ERROR's clauses, in the region; 0: none */
	uint32_t error_used;
	VEC(struct pr_fault_exit) exits;
	VEC(struct pr_slow) slow; /* fast.c */
	x_label leave;		  /* the end of a firing that has a level */
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

/* What the script asks for and a process does not have: kept if it is the
 * first. */
void pr_refuse(struct pr_tr *t, struct diag_span at, char *why);
/* The D text that the code from here on is for. */
void pr_note(struct pr_tr *t, struct diag_span span, const char *text);
/* ... is an object's. */
void pr_note_object(struct pr_tr *t, const struct dif_obj *dp);
/* names.c: the text, in order: code from here on is said to be a function of
 * ours, or a body. */
void pr_names_begin(struct pr_tr *t);
void pr_names_runtime(struct pr_tr *t);
void pr_name(struct pr_tr *t, const char *what);
void pr_name_body(struct pr_tr *t, const struct pr_body *b);
void pr_names_end(struct pr_tr *t);
/* A name and a note. */
void pr_function(struct pr_tr *t, const char *what);
/* Call a function of the freestanding code, its arguments in place. */
void pr_call(struct pr_tr *t, const char *func);
/* ... whose first one is the struct rt_vm. */
void pr_call_vm(struct pr_tr *t, const char *func);

/* What a function of C may change (System V ABI, 3.2.1). */
#define PR_CALL_CHANGES                                                        \
	(1U << X_RAX | 1U << X_RCX | 1U << X_RDX | 1U << X_RSI | 1U << X_RDI | \
	    1U << X_R8 | 1U << X_R9 | 1U << X_R10 | 1U << X_R11)
#define PR_ARG_REGS                                                            \
	(1U << X_RDI | 1U << X_RSI | 1U << X_RDX | 1U << X_RCX | 1U << X_R8 |  \
	    1U << X_R9)
void pr_changes(struct pr_tr *t, uint32_t regs);
/* To the frame that the body was entered with, and back. */
void pr_save_regs(struct pr_tr *t, uint32_t regs);
void pr_restore_regs(struct pr_tr *t, uint32_t regs);
/* %rax <- the level, or NULL; the probe's offset is in %eax. */
void pr_call_enter(struct pr_tr *t);
void pr_call_record(struct pr_tr *t, const struct plan_clause *pc);

/* fast.c: inline what a function does, if that can be; false: nothing was
 * emitted.  Without a level, or a value, they go to the label. */
bool pr_fast_enter(struct pr_tr *t, x_label quit);
bool pr_fast_leave(struct pr_tr *t);
bool pr_fast_time(struct pr_tr *t);				 /* %rax */
bool pr_fast_key(struct pr_tr *t, uint32_t index, x_label none); /* %rax */
bool pr_fast_scalar(struct pr_tr *t, uint32_t index);		 /* %rax */
bool pr_fast_bucket(struct pr_tr *t);				 /* %rax */
bool pr_fast_count(struct pr_tr *t, uint32_t index);
bool pr_fast_record(struct pr_tr *t);
/* A fault that has come to `fault`, its offset in %eax, is reported, and the
 * code goes to `out`. */
bool pr_fast_fault(struct pr_tr *t, x_label fault, x_label out);
/* jit_env.copy, of a struct pr_tr. */
uint32_t pr_fast_copy(
    void *arg, uint32_t subr, uint32_t size, const x_label *fault);
/* Behind a body: what they leave to functions. */
void pr_slow_paths(struct pr_tr *t);

/* depth.c: the code that looks how much stack there is; go to the label, with
 * all but the flags as it was and the firing counted, if functions of C must
 * not be called. */
void pr_depth_emit(struct pr_tr *t);
void pr_ask_for_room(struct pr_tr *t, x_label none);

/* A clause, at whose end is the next; exit() leads to `done`. */
void pr_clause(
    struct pr_tr *t, const struct plan_clause *pc, uint32_t no, x_label done);
/* Set the built-in variables that are read in the struct rt_vm (vars.c). */
void pr_load_vars(struct pr_tr *t, const struct dif_uses *u);
/* The function that computes a variable where it is read, or NULL. */
const char *pr_var_call(uint32_t id);
/* Registers of the frame that the clause's variables come from. */
uint32_t pr_wanted_regs(const struct pr_body *b);
/* Arguments that clauses read, a bit each. */
uint32_t pr_args_read(const struct plan_clause *const *clauses, size_t n);
/* usdt.c: %rax <- an argument of a USDT site; the registers that they are in;
 * refuse those that cannot be had. */
void pr_usdt_arg(struct pr_tr *t, unsigned n);
uint32_t pr_usdt_regs(const struct pr_body *b, uint32_t args);
void pr_usdt_check(struct pr_tr *t);
/* Registers in which functions get their arguments, in order. */
extern const int pr_arg_regs[JIT_NARGS];
/* Go to `no` unless a leaf's result holds (jit/jit.h). */
void pr_leaf(struct pr_tr *t, const struct jit_env *env,
    const struct dif_obj *dp, x_label no);
/* leaf.c: the predicate that is decided before anything else, or NULL. */
const struct dif_obj *pr_light_predicate(
    const struct pr_body *b, uint32_t *changes);
/* Save those registers; go to `no` if it does not hold. */
void pr_decide(struct pr_tr *t, const struct dif_obj *pred, uint32_t changes,
    x_label no);
/* A body that needs nothing but the thread: true, and it is there. */
bool pr_light_body(struct pr_tr *t);
/* syscall.c: %rax <- an argument, errno, of a system call; registers that they
 * are in; code that sites lead to. */
void pr_sys_arg(struct pr_tr *t, unsigned n);
void pr_sys_errno(struct pr_tr *t);
uint32_t pr_sys_regs(const struct pr_body *b, uint32_t args);
void pr_sys_emit(struct pr_tr *t);
/* Report a fault, its offset in %eax; run ERROR's clauses. */
void pr_report_fault(struct pr_tr *t);

#endif
