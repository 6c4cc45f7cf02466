/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_JIT_JIT_IMPL_H
#define EXEC_JIT_JIT_IMPL_H

/* What the compiler's files share. */
#include "dif/flow.h"
#include "exec/jit/jit.h"

#define VM X_RBX
#define VM_AT(member) X_AT(VM, offsetof(struct rt_vm, member))
#define MS_AT(member) X_AT(VM, RT_VM_MS + offsetof(struct rt_mstate, member))
#define MEM_AT(off) X_AT(VM, RT_VM_MS + RT_MEM_OFF + (off))

/* What is known before the first instruction is emitted. */
struct jit_insn {
	struct dif_state st; /* on arrival */
	bool is_reached;
	bool is_target;
	bool is_dead;	  /* nobody wants its result */
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
	int8_t regs[DIF_NREGS]; /* enum x_reg, or -1: in the vm's spill */
	uint32_t pc;
	VEC(struct jit_fault_exit) exits;
	x_label fault, end;
	bool decides; /* the result is not wanted, only whether it is 0: */
	x_label no;   /* then the code goes there */
	uint32_t used;
	bool wants_initial_flags;
	bool has_tuple; /* somebody may ask for rt_vm.depth */
	char **msg;	/* NULL in it: nothing was refused */
};

static inline uint32_t
jit_ins(const struct jit *j)
{
	return j->dp->text[j->pc];
}

/* A register's value, where it is known. */
const struct dif_value *jit_fact(const struct jit *j, unsigned dr);
bool jit_const(const struct jit *j, unsigned dr, uint64_t *value);
/* ... as an immediate operand. */
bool jit_imm(const struct jit *j, unsigned dr, int32_t *imm);

/* The register that holds DIF's, loaded into `tmp` if it is nowhere. */
int jit_use(struct jit *j, unsigned dr, int tmp);
/* ... in `r`, wherever it was. */
void jit_use_in(struct jit *j, unsigned dr, int r);
/* Where to make the new value of a DIF register; then it is there. */
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
 * Where an instruction jumps to when it faults: code behind the object that
 * notes the fault, unless the runtime has (fault 0), and the instruction.
 */
x_label jit_fault_exit(struct jit *j, enum dif_fault fault);
/* Call a function of the runtime; afterwards, leave if it set a fault. */
void jit_call(struct jit *j, const char *func);
void jit_call_checked(struct jit *j, const char *func);
/* %rdi <- the machine state */
void jit_slot(struct jit *j);

/* Where a branch to an instruction leads. */
x_label jit_target(const struct jit *j, uint32_t pc);

/* jit_flow.c: find out what struct jit_insn holds. */
void jit_analyse(struct jit *j);
bool jit_may_call(const struct jit *j);
bool jit_insn_may_call(const struct jit *j, uint32_t pc);
bool jit_defines(uint32_t ins, unsigned dr);
/* Is the access through register `addr` inside of claimed scratch? */
bool jit_is_proved(const struct jit_insn *at, uint32_t ins, unsigned addr);

/* jit_leaf.c: does an object only compute from arguments? */
bool jit_only_computes(const struct dif_obj *dp);
/* Are all its constants immediates? */
bool jit_has_short_constants(const struct dif_obj *dp);
/* The register of the one argument that is all that DIF's register ever holds,
 * or -1. */
int jit_only_arg(const struct jit *j, unsigned dr);
/* Registers of the arguments that it reads. */
uint32_t jit_arg_regs(const struct jit_env *env, const struct dif_obj *dp);

/* jit_op.c */
void jit_arith(struct jit *j);
void jit_compare(struct jit *j);
void jit_branch(struct jit *j);
void jit_access(struct jit *j);
/* jit_div.c */
void jit_divide(struct jit *j, bool is_signed, bool wants_rest);
/* %rdx <- register n by a number that is not 0; %rax is changed. */
void jit_quotient(struct x_asm *a, bool is_signed, int n, uint64_t by);
/* jit_var.c */
void jit_variable(struct jit *j);
void jit_probe_array(struct jit *j);
void jit_tuple(struct jit *j);
void jit_subroutine(struct jit *j);
/* Is an element of the tuple pushed without a call? */
bool jit_push_is_plain(const struct jit *j, uint32_t ins);
/* The call that env->copy emits, or what it says of it. */
uint32_t jit_copy(const struct jit *j, const x_label *fault);

#endif
