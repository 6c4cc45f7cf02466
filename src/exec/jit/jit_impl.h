/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_JIT_JIT_IMPL_H
#define EXEC_JIT_JIT_IMPL_H

/* Declarations shared by the compiler's files. */
#include "base/err.h"
#include "base/vec.h"
#include "dif/flow.h"
#include "dif/uses.h"
#include "exec/jit/jit.h"

#define VM X_RBX
#define VM_AT(member) X_AT(VM, offsetof(struct rt_vm, member))
#define MS_AT(member) X_AT(VM, RT_VM_MS + offsetof(struct rt_mstate, member))
#define MEM_AT(off) X_AT(VM, RT_VM_MS + RT_MEM_OFF + (off))

/* Facts about an instruction, found before the first one is emitted. */
struct jit_insn {
	struct dif_state st; /* before the instruction */
	bool is_reached;
	bool is_target;
	bool is_dead;	  /* its result is not needed */
	bool wants_flags; /* compare: a branch reads them from memory */
	int64_t flags;	  /* branch: the compare right before it, or -1 */
	x_label label;
};

struct jit_fault_exit {
	x_label label;
	uint32_t pc;
	enum dif_fault fault; /* 0: the runtime has set it */
};

struct jit {
	struct x_asm *a;
	const struct jit_env *env;
	const struct dif_obj *dp;
	struct jit_insn *at;	/* by instruction */
	int8_t regs[DIF_NREGS]; /* enum x_reg; -1: in the vm's spill */
	uint32_t pc;
	VEC(struct jit_fault_exit) exits;
	x_label fault, end;
	bool decides; /* only whether the result is 0 is needed: */
	x_label no;   /* if it is 0, jump there */
	uint32_t used;
	bool wants_initial_flags;
	bool has_tuple;	 /* rt_vm.depth may be read */
	bool is_refused; /* *err says why */
	struct err *err;
};

static inline uint32_t
jit_ins(const struct jit *j)
{
	return j->dp->text[j->pc];
}

/* The value of a register, if it is known; else NULL. */
const struct dif_value *jit_fact(const struct jit *j, unsigned dr);
bool jit_const(const struct jit *j, unsigned dr, uint64_t *value);
/* The value of a register as an immediate operand, if it is known and fits. */
bool jit_imm(const struct jit *j, unsigned dr, int32_t *imm);

/*
 * The x86 register that holds DIF's; if none does, `tmp`, into which the value
 * is loaded.
 */
int jit_use(struct jit *j, unsigned dr, int tmp);
/* Load a DIF register's value into `r`. */
void jit_use_in(struct jit *j, unsigned dr, int r);
/*
 * The x86 register in which to make the new value of a DIF register; the value
 * then has to be stored with jit_defined().
 */
int jit_def(const struct jit *j, unsigned dr);
void jit_defined(struct jit *j, unsigned dr, int r);

/* The function that computes a built-in variable, or NULL. */
static inline const char *
jit_builtin(const struct jit *j, uint32_t id)
{
	return j->env->builtin != NULL ? j->env->builtin(id) : NULL;
}

void jit_refuse(struct jit *j, const char *what, uint32_t id);
/*
 * The label to which an instruction jumps when it faults: code after the object
 * that stores the fault, unless the runtime has stored it (fault 0), and the
 * instruction.
 */
x_label jit_fault_exit(struct jit *j, enum dif_fault fault);
/* Call a function of the runtime; after the call, leave if it set a fault. */
void jit_call(struct jit *j, const char *func);
void jit_call_checked(struct jit *j, const char *func);
/* %rdi <- the machine state */
void jit_slot(struct jit *j);

/* The label of a branch to an instruction. */
x_label jit_target(const struct jit *j, uint32_t pc);

/* jit_flow.c: fill in struct jit_insn. */
void jit_analyse(struct jit *j);
bool jit_may_call(const struct jit *j);
bool jit_insn_may_call(const struct jit *j, uint32_t pc);
bool jit_defines(uint32_t ins, unsigned dr);
/*
 * Is the access through register `addr` proved to be in claimed scratch memory?
 */
bool jit_is_proved(const struct jit_insn *at, uint32_t ins, unsigned addr);

/* jit_leaf.c: does an object only compute from arguments? */
bool jit_only_computes(const struct dif_obj *dp);
/* Are all constants of the object immediates? */
bool jit_has_short_constants(const struct dif_obj *dp);
/*
 * The register of the argument that DIF's register always holds; -1: there is
 * no such argument.
 */
int jit_only_arg(const struct jit *j, unsigned dr);
/* The registers of the arguments that the object reads. */
uint32_t jit_arg_regs(const struct jit_env *env, const struct dif_obj *dp);

/* jit_op.c */
void jit_arith(struct jit *j);
void jit_compare(struct jit *j);
void jit_branch(struct jit *j);
void jit_access(struct jit *j);
/* jit_div.c */
void jit_divide(struct jit *j, bool is_signed, bool wants_rest);
/* %rdx <- register n divided by a number that is not 0; changes %rax. */
void jit_quotient(struct x_asm *a, bool is_signed, int n, uint64_t by);
/* jit_var.c */
void jit_variable(struct jit *j);
void jit_probe_array(struct jit *j);
void jit_tuple(struct jit *j);
void jit_subroutine(struct jit *j);
/* Is an element of the tuple pushed without a call? */
bool jit_push_is_plain(const struct jit *j, uint32_t ins);
/*
 * The call that env->copy emits; without `fault`, only the registers that it
 * would change.
 */
uint32_t jit_copy(const struct jit *j, const x_label *fault);

#endif
