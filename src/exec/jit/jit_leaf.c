/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that only compute from arguments.  They can run while the arguments
 * are still in the registers in which a function gets them, and only the few
 * registers that they change have to be saved.
 */
#include "exec/jit/jit_impl.h"

static bool
only_computes(uint32_t ins)
{
	uint32_t id = dif_instr_idx(ins);
	uint8_t op = dif_instr_op(ins);

	switch ((enum dif_fmt)dif_opinfo[op].fmt) {
	case DIF_FMT_RRR:
	case DIF_FMT_RR:
		return op != DIF_OP_COPYS && op != DIF_OP_ALLOCS &&
		    op != DIF_OP_SDIV && op != DIF_OP_UDIV &&
		    op != DIF_OP_SREM && op != DIF_OP_UREM;
	case DIF_FMT_CMP:
		return op != DIF_OP_SCMP;
	case DIF_FMT_LDV:
		return op == DIF_OP_LDGS && id >= DIF_VAR_ARG0 &&
		    id < DIF_VAR_ARG0 + JIT_NARGS;
	case DIF_FMT_TST:
	case DIF_FMT_BRANCH:
	case DIF_FMT_RET:
	case DIF_FMT_SETX:
		return true;
	default:
		return false;
	}
}

bool
jit_only_computes(const struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->ntext; i++) {
		if (!only_computes(dp->text[i]))
			return false;
	}
	return true;
}

bool
jit_has_short_constants(const struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->nint; i++) {
		if ((uint64_t)(int64_t)(int32_t)dp->inttab[i] != dp->inttab[i])
			return false;
	}
	return true;
}

int
jit_only_arg(const struct jit *j, unsigned dr)
{
	int reg = -1;

	if (j->env->args == NULL)
		return -1;
	for (uint32_t pc = 0; pc < j->dp->ntext; pc++) {
		uint32_t ins = j->dp->text[pc];
		int from;

		if (!jit_defines(ins, dr) || j->at[pc].is_dead)
			continue;
		if (dif_instr_op(ins) != DIF_OP_LDGS)
			return -1;
		from = j->env->args[dif_instr_idx(ins) - DIF_VAR_ARG0];
		if (reg >= 0 && from != reg)
			return -1;
		reg = from;
	}
	return reg;
}

uint32_t
jit_arg_regs(const struct jit_env *env, const struct dif_obj *dp)
{
	uint32_t regs = 0;

	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint32_t ins = dp->text[i], id = dif_instr_idx(ins);

		if (dif_instr_op(ins) == DIF_OP_LDGS && id >= DIF_VAR_ARG0 &&
		    id < DIF_VAR_ARG0 + JIT_NARGS)
			regs |= 1U << env->args[id - DIF_VAR_ARG0];
	}
	return regs;
}
