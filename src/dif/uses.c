/* SPDX-License-Identifier: BSD-2-Clause */
#include "dif/uses.h"

#include <string.h>

#include "base/mem.h"
#include "dif/dif_impl.h"

#define ANY_ARG UINT32_MAX
#define NARG_BITS 32

unsigned
dif_row_of_var(uint32_t id)
{
	switch (id) {
#define DIF_VAR(val, NAME, ...)                                                \
	case val:                                                              \
		return DIF_VROW_##NAME;
#include "dif/dif_vars.def"
#undef DIF_VAR
	default:
		return DIF_NVROWS;
	}
}

static uint64_t
var_bit(uint32_t id)
{
	unsigned row = dif_row_of_var(id);

	return row < DIF_NVROWS ? 1ULL << row : 0;
}

static uint64_t
subr_bit(uint32_t id)
{
	switch (id) {
#define DIF_SUBR(val, NAME, ...)                                               \
	case val:                                                              \
		return 1ULL << DIF_SROW_##NAME;
#include "dif/dif_subrs.def"
#undef DIF_SUBR
	default:
		return 0;
	}
}

uint32_t
dif_var_of_row(unsigned row)
{
	static const uint32_t ids[] = {
#define DIF_VAR(val, NAME, ...) val,
#include "dif/dif_vars.def"
#undef DIF_VAR
	};

	return ids[row];
}

uint32_t
dif_subr_of_row(unsigned row)
{
	static const uint32_t ids[] = {
#define DIF_SUBR(val, NAME, ...) val,
#include "dif/dif_subrs.def"
#undef DIF_SUBR
	};

	return ids[row];
}

/* args[i]: a bit for i where the instruction before sets the index. */
static uint32_t
args_read(const struct dif_obj *dp, uint32_t pc)
{
	unsigned index = dif_instr_r2(dp->text[pc]);
	uint32_t before = pc > 0 ? dp->text[pc - 1] : 0;
	uint64_t value;

	if (index == 0)
		return 1;
	if (dif_instr_op(before) != DIF_OP_SETX ||
	    dif_instr_rd(before) != index)
		return ANY_ARG;
	value = dp->inttab[dif_instr_idx(before)];
	return value < NARG_BITS ? 1U << value : 0;
}

static void
add_instr(struct dif_uses *u, const struct dif_obj *dp, uint32_t pc)
{
	uint32_t ins = dp->text[pc];
	uint8_t op = dif_instr_op(ins);

	u->ops[op / 64] |= 1ULL << (op % 64);
	if (op == DIF_OP_LDGS)
		u->vars |= var_bit(dif_instr_idx(ins));
	else if (op == DIF_OP_CALL)
		u->subrs |= subr_bit(dif_instr_idx(ins));
	if (op != DIF_OP_LDGA)
		return;
	u->arrays |= var_bit(dif_instr_r1(ins));
	if (dif_instr_r1(ins) == DIF_VAR_ARGS)
		u->args |= args_read(dp, pc);
}

void
dif_uses_find(struct dif_obj *dp)
{
	struct dif_uses *u;

	if (dp->uses == NULL)
		dp->uses = mem_alloc(sizeof(*dp->uses));
	u = dp->uses;
	memset(u, 0, sizeof(*u));
	u->ntext = dp->ntext;
	for (uint32_t pc = 0; pc < dp->ntext; pc++)
		add_instr(u, dp, pc);
	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->id < DIF_VAR_USER_MIN)
			continue;
		u->has_byref |= (v->type.flags & DIF_TF_BYREF) != 0;
		u->has_locals |= v->scope == DIFV_SCOPE_LOCAL;
	}
	/* two instructions: a constant or a variable, and ret */
	u->may_fault =
	    dp->ntext > 2 || dif_instr_op(dp->text[0]) == DIF_OP_LDGS;
}

void
dif_uses_add(struct dif_uses *sum, const struct dif_uses *u)
{
	sum->vars |= u->vars;
	sum->arrays |= u->arrays;
	sum->subrs |= u->subrs;
	for (unsigned i = 0; i < DIF_USES_OPS; i++)
		sum->ops[i] |= u->ops[i];
	sum->args |= u->args;
	sum->ntext += u->ntext;
	sum->has_byref |= u->has_byref;
	sum->has_locals |= u->has_locals;
	sum->may_fault |= u->may_fault;
}

bool
dif_uses_var(const struct dif_uses *u, uint32_t id)
{
	uint64_t sets = u->vars | u->arrays;

	if (id >= DIF_VAR_ARG0 && id <= DIF_VAR_ARG9 &&
	    (u->arrays & 1ULL << DIF_VROW_ARGS) != 0)
		return true;
	return (sets & var_bit(id)) != 0;
}

bool
dif_uses_subr(const struct dif_uses *u, uint32_t subr)
{
	return (u->subrs & subr_bit(subr)) != 0;
}

bool
dif_uses_op(const struct dif_uses *u, uint8_t op)
{
	return (u->ops[op / 64] >> (op % 64) & 1) != 0;
}

bool
dif_uses_tls(const struct dif_uses *u)
{
	return dif_uses_op(u, DIF_OP_LDTS) || dif_uses_op(u, DIF_OP_STTS) ||
	    dif_uses_op(u, DIF_OP_LDTAA) || dif_uses_op(u, DIF_OP_STTAA);
}
