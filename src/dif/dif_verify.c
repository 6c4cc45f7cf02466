/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DIF verifier: the trust boundary in front of every substrate.
 *
 * An object may come from our own compiler, from a DOF image that another
 * process wrote, or from a fuzzer; nothing about it is believed.  Three passes:
 * tables (sizes, types, names), instructions one by one (operand fields against
 * the tables), and paths.  Branches only go forward, so one walk from the first
 * instruction to the last visits every predecessor before its successor: the
 * state at an instruction is the meet of what arrives there, namely the set of
 * registers that every path has written and the least depth of the tuple stack.
 *
 * Stricter than reference/dif.md section 5 in one point: a user variable must
 * be declared with the very id, scope and kind that an instruction uses, not
 * only lie below the highest declared id.  A substrate can then find every
 * variable it is asked for.
 */
#include "dif/dif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is known on arrival at an instruction. */
struct dv_state {
	uint8_t regs;		/* bit n: %rn was written on every path */
	uint8_t depth;		/* of the tuple stack, the least */
	bool is_reached;
};

struct dv {
	struct dif_obj *dp;
	char **msg;
	uint32_t pc;
	bool is_destructive;
};

/* Returns false always, so that a rule reads `return dv_refuse(...)`. */
static bool __attribute__((format(printf, 2, 3)))
dv_refuse(struct dv *dv, const char *fmt, ...)
{
	uint32_t ins = dv->dp->text[dv->pc];
	const char *mnem = dif_opinfo[dif_instr_op(ins)].mnem;
	struct strbuf sb = { 0 };
	va_list ap;

	strbuf_printf(&sb, "instruction %u (%s): ", dv->pc,
	    mnem != NULL ? mnem : "unknown opcode");
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	*dv->msg = strbuf_steal(&sb);
	return false;
}

static bool __attribute__((format(printf, 2, 3)))
dv_refuse_table(struct dv *dv, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	*dv->msg = strbuf_steal(&sb);
	return false;
}

/* ---- tables -------------------------------------------------------------- */

static bool
dv_sizes(struct dv *dv)
{
	const struct dif_obj *dp = dv->dp;
	uint64_t bytes = (uint64_t)dp->ntext * sizeof(*dp->text) +
	    (uint64_t)dp->nint * sizeof(*dp->inttab) + dp->strlen +
	    (uint64_t)dp->nvar * sizeof(*dp->vartab);

	if (dp->ntext == 0)
		return dv_refuse_table(dv, "the object has no instructions");
	if (bytes > DIF_MAX_BYTES)
		return dv_refuse_table(dv, "the object has %llu bytes, more "
		    "than %u", (unsigned long long)bytes, DIF_MAX_BYTES);
	if (dp->strlen != 0 && dp->strtab[dp->strlen - 1] != '\0')
		return dv_refuse_table(dv,
		    "the string table does not end with a NUL");
	return true;
}

static bool
is_value_size(uint32_t size)
{
	return size == 0 || size == 1 || size == 2 || size == 4 || size == 8;
}

static bool
dv_rtype(struct dv *dv)
{
	const struct dif_type *t = &dv->dp->rtype;
	bool is_byref = (t->flags & (DIF_TF_BYREF | DIF_TF_BYUREF)) != 0;

	if (t->kind != DIF_TYPE_CTF && t->kind != DIF_TYPE_STRING)
		return dv_refuse_table(dv, "unknown kind %u of return type",
		    t->kind);
	if (t->kind == DIF_TYPE_STRING && !is_byref)
		return dv_refuse_table(dv,
		    "a string must be returned by reference");
	if (!is_byref && !is_value_size(t->size))
		return dv_refuse_table(dv, "a value of %u bytes cannot be "
		    "returned", t->size);
	return true;
}

static bool
dv_var_type(struct dv *dv, uint32_t i)
{
	const struct dif_var *v = &dv->dp->vartab[i];
	const struct dif_type *t = &v->type;

	if (t->kind != DIF_TYPE_CTF && t->kind != DIF_TYPE_STRING)
		return dv_refuse_table(dv, "variable %u: unknown kind %u of "
		    "type", i, t->kind);
	if (v->id < DIF_VAR_USER_MIN)
		return true;
	if (t->kind == DIF_TYPE_STRING && !(t->flags & DIF_TF_BYREF))
		return dv_refuse_table(dv, "variable %u: a string must be "
		    "stored by reference", i);
	if (!(t->flags & DIF_TF_BYREF)) {
		if (!is_value_size(t->size))
			return dv_refuse_table(dv, "variable %u: a value of "
			    "%u bytes", i, t->size);
		return true;
	}
	/* a string of size 0 takes strsize bytes */
	if (t->size == 0 && t->kind != DIF_TYPE_STRING)
		return dv_refuse_table(dv, "variable %u: stored by reference "
		    "without a size", i);
	if (t->size > DIF_STATVAR_MAX)
		return dv_refuse_table(dv, "variable %u: %u bytes, more than "
		    "%u", i, t->size, DIF_STATVAR_MAX);
	return true;
}

static bool
is_same_type(const struct dif_type *a, const struct dif_type *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->size == b->size;
}

static bool
dv_var_unique(struct dv *dv, uint32_t i)
{
	const struct dif_var *v = &dv->dp->vartab[i];

	for (uint32_t j = 0; j < i; j++) {
		const struct dif_var *w = &dv->dp->vartab[j];

		if (v->id != w->id || v->scope != w->scope)
			continue;
		if (v->kind != w->kind || !is_same_type(&v->type, &w->type))
			return dv_refuse_table(dv, "variables %u and %u share "
			    "an id but not a type", j, i);
	}
	return true;
}

static bool
dv_vartab(struct dv *dv)
{
	const struct dif_obj *dp = dv->dp;

	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->scope > DIFV_SCOPE_LOCAL)
			return dv_refuse_table(dv, "variable %u: unknown "
			    "scope %u", i, v->scope);
		if (v->kind > DIFV_KIND_SCALAR)
			return dv_refuse_table(dv, "variable %u: unknown "
			    "kind %u", i, v->kind);
		if (v->id > DIF_VAR_MAX)
			return dv_refuse_table(dv, "variable %u: id %u is "
			    "above %u", i, v->id, DIF_VAR_MAX);
		if (v->name >= dp->strlen)
			return dv_refuse_table(dv, "variable %u: its name is "
			    "outside of the string table", i);
		if (!dv_var_type(dv, i) || !dv_var_unique(dv, i))
			return false;
	}
	return true;
}

/* ---- one instruction ----------------------------------------------------- */

static bool
dv_reg(struct dv *dv, const char *field, unsigned r)
{
	if (r < DIF_NREGS)
		return true;
	return dv_refuse(dv, "%s is %%r%u, but there are %u registers", field,
	    r, DIF_NREGS);
}

static bool
dv_dest(struct dv *dv, unsigned r)
{
	if (!dv_reg(dv, "rd", r))
		return false;
	if (r == 0)
		return dv_refuse(dv, "%%r0 cannot be written");
	return true;
}

static bool
dv_zero(struct dv *dv, const char *field, unsigned value)
{
	if (value == 0)
		return true;
	return dv_refuse(dv, "unused field %s is %u, not 0", field, value);
}

static const struct dif_var *
find_var(const struct dif_obj *dp, uint32_t id, uint8_t scope, uint8_t kind)
{
	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->id == id && v->scope == scope && v->kind == kind)
			return v;
	}
	return NULL;
}

static bool
dv_user_var(struct dv *dv, uint32_t id, uint8_t scope, uint8_t kind)
{
	static const char *const scopes[] = { "global", "thread-local",
		"clause-local" };

	if (id < DIF_VAR_USER_MIN)
		return dv_refuse(dv, "variable %u is not a user variable", id);
	if (find_var(dv->dp, id, scope, kind) == NULL)
		return dv_refuse(dv, "%s %s %u is not in the variable table",
		    scopes[scope], kind == DIFV_KIND_ARRAY ? "array" :
		    "variable", id);
	return true;
}

static bool
dv_variable(struct dv *dv, uint32_t ins)
{
	uint32_t id = dif_instr_idx(ins);

	switch (dif_instr_op(ins)) {
	case DIF_OP_LDGS:
		if (id >= DIF_VAR_USER_MIN)
			return dv_user_var(dv, id, DIFV_SCOPE_GLOBAL,
			    DIFV_KIND_SCALAR);
		if (id < DIF_VAR_SCALAR_MIN || dif_var_name(id) == NULL)
			return dv_refuse(dv, "there is no built-in variable %u",
			    id);
		return true;
	case DIF_OP_LDLS:
		if (id >= DIF_VAR_SCALAR_MIN && id < DIF_VAR_USER_MIN)
			return true;	/* reads as 0 */
		return dv_user_var(dv, id, DIFV_SCOPE_LOCAL, DIFV_KIND_SCALAR);
	case DIF_OP_STGS:
		return dv_user_var(dv, id, DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR);
	case DIF_OP_STLS:
		return dv_user_var(dv, id, DIFV_SCOPE_LOCAL, DIFV_KIND_SCALAR);
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
		return dv_user_var(dv, id, DIFV_SCOPE_THREAD, DIFV_KIND_SCALAR);
	case DIF_OP_LDGAA:
	case DIF_OP_STGAA:
		return dv_user_var(dv, id, DIFV_SCOPE_GLOBAL, DIFV_KIND_ARRAY);
	default:
		return dv_user_var(dv, id, DIFV_SCOPE_THREAD, DIFV_KIND_ARRAY);
	}
}

static bool
dv_branch(struct dv *dv, uint32_t ins)
{
	uint32_t label = dif_instr_label(ins);

	if (label >= dv->dp->ntext)
		return dv_refuse(dv, "label %u is outside of the text", label);
	if (label <= dv->pc)
		return dv_refuse(dv, "label %u does not go forward", label);
	return true;
}

static bool
dv_call(struct dv *dv, uint32_t ins)
{
	const struct dif_subrinfo *si = dif_subr_find(dif_instr_idx(ins));

	if (si == NULL)
		return dv_refuse(dv, "there is no subroutine %u",
		    dif_instr_idx(ins));
	if (si->flags & DIF_SUBRF_DESTRUCTIVE)
		dv->is_destructive = true;
	return dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_push(struct dv *dv, uint32_t ins)
{
	unsigned type = dif_instr_r1(ins);
	unsigned max = dif_instr_op(ins) == DIF_OP_PUSHTR ? DIF_TYPE_STRING :
	    DIF_TYPE_CTF;

	if (type > max)
		return dv_refuse(dv, "type %u cannot be pushed so", type);
	return dv_reg(dv, "r2", dif_instr_r2(ins)) &&
	    dv_reg(dv, "rs", dif_instr_rd(ins));
}

static bool
dv_setx(struct dv *dv, uint32_t ins)
{
	if (dif_instr_idx(ins) >= dv->dp->nint)
		return dv_refuse(dv, "integer %u is outside of the table of %u",
		    dif_instr_idx(ins), dv->dp->nint);
	return dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_sets(struct dv *dv, uint32_t ins)
{
	if (dif_instr_idx(ins) >= dv->dp->strlen)
		return dv_refuse(dv, "string %u is outside of the table of %u "
		    "bytes", dif_instr_idx(ins), dv->dp->strlen);
	return dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_lda(struct dv *dv, uint32_t ins)
{
	if (dif_var_name(dif_instr_r1(ins)) == NULL)
		return dv_refuse(dv, "there is no built-in array %u",
		    dif_instr_r1(ins));
	return dv_reg(dv, "ri", dif_instr_r2(ins)) &&
	    dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_fields(struct dv *dv, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	unsigned rd = dif_instr_rd(ins);

	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_INVALID:
		return dv_refuse(dv, "opcode 0x%02x is not defined",
		    dif_instr_op(ins));
	case DIF_FMT_RRR:
		return dv_reg(dv, "r1", r1) && dv_reg(dv, "r2", r2) &&
		    dv_dest(dv, rd);
	case DIF_FMT_RR:
	case DIF_FMT_LOAD:
	case DIF_FMT_STORE:
		return dv_reg(dv, "r1", r1) && dv_zero(dv, "r2", r2) &&
		    dv_dest(dv, rd);
	case DIF_FMT_CMP:
		return dv_reg(dv, "r1", r1) && dv_reg(dv, "r2", r2) &&
		    dv_zero(dv, "rd", rd);
	case DIF_FMT_TST:
		return dv_reg(dv, "r1", r1) && dv_zero(dv, "r2", r2) &&
		    dv_zero(dv, "rd", rd);
	case DIF_FMT_BRANCH:
		return dv_branch(dv, ins);
	case DIF_FMT_RET:
		return dv_zero(dv, "r1", r1) && dv_zero(dv, "r2", r2) &&
		    dv_reg(dv, "rd", rd);
	case DIF_FMT_NONE:
		return dv_zero(dv, "r1", r1) && dv_zero(dv, "r2", r2) &&
		    dv_zero(dv, "rd", rd);
	case DIF_FMT_SETX:
		return dv_setx(dv, ins);
	case DIF_FMT_SETS:
		return dv_sets(dv, ins);
	case DIF_FMT_LDA:
		return dv_lda(dv, ins);
	case DIF_FMT_LDV:
		return dv_dest(dv, rd) && dv_variable(dv, ins);
	case DIF_FMT_STV:
		return dv_reg(dv, "rs", rd) && dv_variable(dv, ins);
	case DIF_FMT_CALL:
		return dv_call(dv, ins);
	case DIF_FMT_PUSH:
		return dv_push(dv, ins);
	case DIF_FMT_XL:
		return dv_refuse(dv,
		    "translator references must be linked first");
	}
	return dv_refuse(dv, "unknown format");
}

/* ---- paths --------------------------------------------------------------- */

/* Registers that an instruction reads, as a set. */
static uint8_t
reads_of(uint32_t ins)
{
	unsigned r1 = 1U << (dif_instr_r1(ins) % DIF_NREGS);
	unsigned r2 = 1U << (dif_instr_r2(ins) % DIF_NREGS);
	unsigned rd = 1U << (dif_instr_rd(ins) % DIF_NREGS);

	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_RRR:
		/* COPYS takes its destination's address from rd */
		return (uint8_t)(r1 | r2 |
		    (dif_instr_op(ins) == DIF_OP_COPYS ? rd : 0));
	case DIF_FMT_CMP:
		return (uint8_t)(r1 | r2);
	case DIF_FMT_RR:
	case DIF_FMT_TST:
	case DIF_FMT_LOAD:
		return (uint8_t)r1;
	case DIF_FMT_STORE:
		return (uint8_t)(r1 | rd);
	case DIF_FMT_RET:
	case DIF_FMT_STV:
		return (uint8_t)rd;
	case DIF_FMT_PUSH:
		return (uint8_t)(r2 | rd);
	case DIF_FMT_LDA:
		return (uint8_t)r2;
	case DIF_FMT_BRANCH:
	case DIF_FMT_NONE:
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
	case DIF_FMT_LDV:
	case DIF_FMT_CALL:
	case DIF_FMT_XL:
	case DIF_FMT_INVALID:
		return 0;
	}
	return 0;
}

static uint8_t
writes_of(uint32_t ins)
{
	uint8_t rd = (uint8_t)(1U << (dif_instr_rd(ins) % DIF_NREGS));

	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_RRR:
		return dif_instr_op(ins) == DIF_OP_COPYS ? 0 : rd;
	case DIF_FMT_RR:
	case DIF_FMT_LOAD:
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
	case DIF_FMT_LDA:
	case DIF_FMT_LDV:
	case DIF_FMT_CALL:
		return rd;
	case DIF_FMT_CMP:
	case DIF_FMT_TST:
	case DIF_FMT_BRANCH:
	case DIF_FMT_STORE:
	case DIF_FMT_RET:
	case DIF_FMT_NONE:
	case DIF_FMT_STV:
	case DIF_FMT_PUSH:
	case DIF_FMT_XL:
	case DIF_FMT_INVALID:
		return 0;
	}
	return 0;
}

static void
dv_flow(struct dv_state *to, const struct dv_state *from)
{
	if (!to->is_reached) {
		*to = *from;
		return;
	}
	to->regs &= from->regs;
	if (from->depth < to->depth)
		to->depth = from->depth;
}

static bool
dv_tuple_effect(struct dv *dv, uint32_t ins, struct dv_state *st)
{
	switch (dif_instr_op(ins)) {
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
		/* overflow is a fault at run time, not an error here */
		if (st->depth < DIF_NTREGS)
			st->depth++;
		return true;
	case DIF_OP_POPTS:
		if (st->depth == 0)
			return dv_refuse(dv, "the tuple stack may be empty");
		st->depth--;
		return true;
	case DIF_OP_FLUSHTS:
		st->depth = 0;
		return true;
	default:
		return true;
	}
}

static bool
dv_step(struct dv *dv, struct dv_state *in)
{
	uint32_t ins = dv->dp->text[dv->pc];
	struct dv_state out = in[dv->pc];
	uint8_t unset = reads_of(ins) & (uint8_t)~out.regs;

	if (!out.is_reached)
		return true;
	if (unset != 0)
		return dv_refuse(dv, "%%r%d is read before it is written",
		    __builtin_ctz(unset));
	out.regs |= writes_of(ins);
	if (!dv_tuple_effect(dv, ins, &out))
		return false;
	if (dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_BRANCH)
		dv_flow(&in[dif_instr_label(ins)], &out);
	if (dif_instr_op(ins) != DIF_OP_BA && dif_instr_op(ins) != DIF_OP_RET)
		dv_flow(&in[dv->pc + 1], &out);
	return true;
}

static bool
dv_paths(struct dv *dv)
{
	uint32_t n = dv->dp->ntext;
	struct dv_state *in = mem_alloc((n + 1) * sizeof(*in));
	bool ok = true;

	in[0] = (struct dv_state){ .regs = 1, .is_reached = true };
	for (dv->pc = 0; dv->pc < n && ok; dv->pc++)
		ok = dv_step(dv, in);
	free(in);
	return ok;
}

static bool
dv_text(struct dv *dv)
{
	const struct dif_obj *dp = dv->dp;

	for (dv->pc = 0; dv->pc < dp->ntext; dv->pc++) {
		if (!dv_fields(dv, dp->text[dv->pc]))
			return false;
	}
	dv->pc = dp->ntext - 1;
	if (dif_instr_op(dp->text[dv->pc]) != DIF_OP_RET)
		return dv_refuse(dv, "the last instruction must be ret");
	return true;
}

int
dif_verify(struct dif_obj *dp, char **msg)
{
	struct dv dv = { .dp = dp, .msg = msg };

	if (!dv_sizes(&dv) || !dv_rtype(&dv) || !dv_vartab(&dv) ||
	    !dv_text(&dv) || !dv_paths(&dv))
		return -EINVAL;
	dp->is_destructive = dv.is_destructive;
	return 0;
}
