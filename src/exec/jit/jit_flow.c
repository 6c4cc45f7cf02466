/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Analysis before the code is emitted.  Branches only go forward, so one pass
 * from the end to the start finds the values that are still needed at each
 * place:
 *
 *	a register, unless its uses know its value and take an immediate
 *	the operands of a comparison, unless the branch comes right behind it
 * and finds the machine's own flags
 *
 * An instruction whose result is not needed is dead.
 */
#include "exec/jit/jit_impl.h"

#include <stdlib.h>

#include "base/mem.h"

#define LIVE_FLAGS (1U << DIF_NREGS)

static bool
keep_state(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct jit *j = arg;

	j->at[pc].st = *st;
	j->at[pc].is_reached = true;
	return true;
}

static bool
is_branch(uint32_t ins)
{
	return dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_BRANCH;
}

static bool
is_compare(uint32_t ins)
{
	enum dif_fmt fmt = dif_opinfo[dif_instr_op(ins)].fmt;

	return fmt == DIF_FMT_CMP || fmt == DIF_FMT_TST;
}

static void
find_targets(struct jit *j)
{
	for (uint32_t pc = 0; pc < j->dp->ntext; pc++) {
		struct jit_insn *to;

		j->at[pc].flags = -1;
		if (!is_branch(j->dp->text[pc]) || !j->at[pc].is_reached)
			continue;
		to = &j->at[dif_instr_label(j->dp->text[pc])];
		if (!to->is_target)
			to->label = x_new_label(j->a);
		to->is_target = true;
	}
}

/* Mark branches that find the flags as a compare left them. */
static void
find_flags(struct jit *j)
{
	for (uint32_t pc = 1; pc < j->dp->ntext; pc++) {
		uint32_t before = j->dp->text[pc - 1];

		if (!is_branch(j->dp->text[pc]) || j->at[pc].is_target ||
		    !j->at[pc - 1].is_reached)
			continue;
		if (is_compare(before))
			j->at[pc].flags = pc - 1;
		else if (is_branch(before))
			j->at[pc].flags = j->at[pc - 1].flags;
	}
}

bool
jit_defines(uint32_t ins, unsigned dr)
{
	return (dif_writes(ins) & 1U << dr) != 0;
}

static uint32_t
bit_if_wanted(const struct jit_insn *at, unsigned dr)
{
	uint8_t kind = at->st.regs[dr].kind;

	if (dr == 0 || kind == DIF_K_CONST || kind == DIF_K_STRING)
		return 0;
	return 1U << dr;
}

/* The registers that an instruction reads. */
static uint32_t
reads(const struct jit_insn *at, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	unsigned rd = dif_instr_rd(ins);

	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_RRR:
		return bit_if_wanted(at, r1) | bit_if_wanted(at, r2) |
		    (dif_instr_op(ins) == DIF_OP_COPYS ? bit_if_wanted(at, rd) :
							 0);
	case DIF_FMT_CMP:
		return bit_if_wanted(at, r1) | bit_if_wanted(at, r2);
	case DIF_FMT_RR:
	case DIF_FMT_TST:
	case DIF_FMT_LOAD:
		return bit_if_wanted(at, r1);
	case DIF_FMT_STORE:
		return bit_if_wanted(at, r1) | bit_if_wanted(at, rd);
	case DIF_FMT_RET:
	case DIF_FMT_STV:
		return bit_if_wanted(at, rd);
	case DIF_FMT_LDA:
		return bit_if_wanted(at, r2);
	case DIF_FMT_PUSH:
		return bit_if_wanted(at, rd) | bit_if_wanted(at, r2);
	default:
		return 0;
	}
}

/* Does the instruction have no effect but its result? */
static bool
is_pure(uint32_t ins)
{
	switch (dif_instr_op(ins)) {
	case DIF_OP_SDIV:
	case DIF_OP_UDIV:
	case DIF_OP_SREM:
	case DIF_OP_UREM:
	case DIF_OP_COPYS:
	case DIF_OP_ALLOCS:
	case DIF_OP_LDTA:
	case DIF_OP_LDGAA:
	case DIF_OP_LDTAA:
		return false;
	default:
		break;
	}
	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_RRR:
	case DIF_FMT_RR:
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
	case DIF_FMT_LDA:
	case DIF_FMT_LDV:
		return true;
	default:
		return false;
	}
}

static uint32_t
live_at_branch(const struct jit *j, uint32_t pc, const uint32_t *live)
{
	uint32_t ins = j->dp->text[pc], set = live[dif_instr_label(ins)];

	if (dif_instr_op(ins) == DIF_OP_BA)
		return set;
	if (j->at[pc].flags < 0)
		set |= LIVE_FLAGS;
	return set | live[pc + 1];
}

/* live[pc]: the values needed before the instruction at pc. */
static void
find_live(struct jit *j, uint32_t *live)
{
	for (uint32_t pc = j->dp->ntext; pc-- > 0;) {
		uint32_t ins = j->dp->text[pc], set = live[pc + 1];
		struct jit_insn *at = &j->at[pc];
		unsigned rd = dif_instr_rd(ins);

		if (!at->is_reached)
			continue;
		if (is_branch(ins)) {
			live[pc] = live_at_branch(j, pc, live);
			continue;
		}
		if (dif_instr_op(ins) == DIF_OP_RET)
			set = 0;
		if (is_compare(ins)) {
			at->wants_flags = set & LIVE_FLAGS;
			set &= ~LIVE_FLAGS;
		}
		if (jit_defines(ins, rd)) {
			at->is_dead = is_pure(ins) && (set & 1U << rd) == 0;
			set &= ~(1U << rd);
		}
		live[pc] = set | (at->is_dead ? 0 : reads(at, ins));
	}
}

/* Pushes and pops keep rt_vm.depth; arrays and some calls read it. */
static bool
has_tuple(const struct jit *j)
{
	for (uint32_t pc = 0; pc < j->dp->ntext; pc++) {
		uint8_t op = dif_instr_op(j->dp->text[pc]);
		enum dif_fmt fmt = dif_opinfo[op].fmt;

		if (fmt == DIF_FMT_PUSH || op == DIF_OP_POPTS ||
		    ((fmt == DIF_FMT_LDV || fmt == DIF_FMT_STV) &&
			dif_op_kind(op) == DIFV_KIND_ARRAY))
			return true;
	}
	return false;
}

void
jit_analyse(struct jit *j)
{
	uint32_t *live = mem_alloc((j->dp->ntext + 1) * sizeof(*live));

	dif_flow(j->dp, keep_state, j);
	find_targets(j);
	find_flags(j);
	find_live(j, live);
	j->has_tuple = has_tuple(j);
	j->wants_initial_flags = live[0] & LIVE_FLAGS;
	free(live);
}

static bool
access_may_call(const struct jit *j, uint32_t pc)
{
	uint32_t ins = j->dp->text[pc];
	bool is_load = dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_LOAD;

	return !jit_is_proved(
	    &j->at[pc], ins, is_load ? dif_instr_r1(ins) : dif_instr_rd(ins));
}

bool
jit_is_proved(const struct jit_insn *at, uint32_t ins, unsigned addr)
{
	const struct dif_memop *mo = &dif_memops[dif_instr_op(ins)];

	return !mo->is_user && dif_in_scratch(&at->st.regs[addr], mo->size);
}

static bool
store_may_call(const struct jit *j, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);
	const struct rt_uvar *v = exec_vars_find(j->env->vars,
	    dif_instr_idx(ins), dif_op_scope(op), dif_op_kind(op));

	return v == NULL || v->is_byref || v->kind == DIFV_KIND_ARRAY;
}

bool
jit_insn_may_call(const struct jit *j, uint32_t pc)
{
	uint32_t ins = j->dp->text[pc];

	switch (dif_instr_op(ins)) {
	case DIF_OP_SCMP:
	case DIF_OP_CALL:
	case DIF_OP_COPYS:
	case DIF_OP_ALLOCS:
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
		return true;
	case DIF_OP_LDGA:
		return jit_builtin(j, dif_instr_r1(ins)) != NULL;
	case DIF_OP_LDGS:
		return jit_builtin(j, dif_instr_idx(ins)) != NULL;
	default:
		break;
	}
	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_LOAD:
	case DIF_FMT_STORE:
		return access_may_call(j, pc);
	case DIF_FMT_LDV:
		return dif_op_kind(dif_instr_op(ins)) == DIFV_KIND_ARRAY;
	case DIF_FMT_STV:
		return store_may_call(j, ins);
	default:
		return false;
	}
}

bool
jit_may_call(const struct jit *j)
{
	for (uint32_t pc = 0; pc < j->dp->ntext; pc++) {
		if (j->at[pc].is_reached && jit_insn_may_call(j, pc))
			return true;
	}
	return false;
}
