/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DIF verifier: the trust boundary in front of every substrate.
 *
 * An object may come from our own compiler, from a DOF image that another
 * process wrote, or from a fuzzer; nothing about it is believed.  Three passes:
 * tables (sizes, types, names), instructions one by one (operand fields against
 * the tables), and paths (dif/flow.h: registers and the tuple stack on arrival
 * at each instruction).
 *
 * Stricter than doc/reference/dif.md section 5 in three points, so that a
 * substrate finds what it is asked for: a user variable must be declared with
 * the very id, scope and kind that an instruction uses, not only lie below the
 * highest declared id; no register is read before it is written; and a
 * subroutine is not called without the arguments that it must have.
 */
#include "dif/flow.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"
#include "dif/dif_impl.h"

struct dv {
	struct dif_obj *dp;
	struct err *err;
	struct dif_varmap vars;
	uint32_t pc;
	bool may_refer; /* may refer to translators */
	bool is_destructive;
};

/* Always returns false, so that a rule reads `return dv_refuse(...)`. */
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
	err_take(dv->err, -EINVAL, strbuf_steal(&sb));
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
	err_take(dv->err, -EINVAL, strbuf_steal(&sb));
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
		return dv_refuse_table(dv,
		    "the object has %llu bytes, more "
		    "than %u",
		    (unsigned long long)bytes, DIF_MAX_BYTES);
	if (dp->strlen != 0 && dp->strtab[dp->strlen - 1] != '\0')
		return dv_refuse_table(
		    dv, "the string table does not end with a NUL");
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
		return dv_refuse_table(
		    dv, "unknown kind %u of return type", t->kind);
	if (t->kind == DIF_TYPE_STRING && !is_byref)
		return dv_refuse_table(
		    dv, "a string must be returned by reference");
	if (!is_byref && !is_value_size(t->size))
		return dv_refuse_table(dv,
		    "a value of %u bytes cannot be "
		    "returned",
		    t->size);
	return true;
}

static bool
dv_var_type(struct dv *dv, uint32_t i)
{
	const struct dif_var *v = &dv->dp->vartab[i];
	const struct dif_type *t = &v->type;

	if (t->kind != DIF_TYPE_CTF && t->kind != DIF_TYPE_STRING)
		return dv_refuse_table(dv,
		    "variable %u: unknown kind %u of "
		    "type",
		    i, t->kind);
	if (v->id < DIF_VAR_USER_MIN)
		return true;
	if (t->kind == DIF_TYPE_STRING && !(t->flags & DIF_TF_BYREF))
		return dv_refuse_table(dv,
		    "variable %u: a string must be "
		    "stored by reference",
		    i);
	if (!(t->flags & DIF_TF_BYREF)) {
		if (!is_value_size(t->size))
			return dv_refuse_table(dv,
			    "variable %u: a value of "
			    "%u bytes",
			    i, t->size);
		return true;
	}
	/* a string of size 0 takes strsize bytes */
	if (t->size == 0 && t->kind != DIF_TYPE_STRING)
		return dv_refuse_table(dv,
		    "variable %u: stored by reference "
		    "without a size",
		    i);
	if (t->size > DIF_STATVAR_MAX)
		return dv_refuse_table(dv,
		    "variable %u: %u bytes, more than "
		    "%u",
		    i, t->size, DIF_STATVAR_MAX);
	return true;
}

static bool
is_same_type(const struct dif_type *a, const struct dif_type *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->size == b->size;
}

/* An id is one variable of its scope, however often it is declared. */
static bool
dv_var_unique(struct dv *dv, uint32_t i)
{
	const struct dif_var *v = &dv->dp->vartab[i];
	const struct dif_var *w = dif_varmap_find(&dv->vars, v->id, v->scope);

	if (v->kind == w->kind && is_same_type(&v->type, &w->type))
		return true;
	return dv_refuse_table(dv,
	    "variables %u and %u share an id but not a "
	    "type",
	    i, (uint32_t)(w - dv->dp->vartab));
}

static bool
dv_vartab(struct dv *dv)
{
	const struct dif_obj *dp = dv->dp;

	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->scope > DIFV_SCOPE_LOCAL)
			return dv_refuse_table(dv,
			    "variable %u: unknown "
			    "scope %u",
			    i, v->scope);
		if (v->kind > DIFV_KIND_SCALAR)
			return dv_refuse_table(dv,
			    "variable %u: unknown "
			    "kind %u",
			    i, v->kind);
		if (v->id > DIF_VAR_MAX)
			return dv_refuse_table(dv,
			    "variable %u: id %u is "
			    "above %u",
			    i, v->id, DIF_VAR_MAX);
		if (v->name >= dp->strlen)
			return dv_refuse_table(dv,
			    "variable %u: its name is "
			    "outside of the string table",
			    i);
		if (!dv_var_type(dv, i))
			return false;
	}
	dif_varmap_init(&dv->vars, dp);
	for (uint32_t i = 0; i < dp->nvar; i++) {
		if (!dv_var_unique(dv, i))
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
	return dv_refuse(
	    dv, "%s is %%r%u, but there are %u registers", field, r, DIF_NREGS);
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

static bool
dv_user_var(struct dv *dv, uint32_t id, uint8_t op)
{
	static const char *const scopes[] = { "global", "thread-local",
		"clause-local" };
	uint8_t scope = dif_op_scope(op), kind = dif_op_kind(op);
	const struct dif_var *v;

	if (id < DIF_VAR_USER_MIN)
		return dv_refuse(dv, "variable %u is not a user variable", id);
	v = dif_varmap_find(&dv->vars, id, scope);
	if (v == NULL || v->kind != kind)
		return dv_refuse(dv, "%s %s %u is not in the variable table",
		    scopes[scope],
		    kind == DIFV_KIND_ARRAY ? "array" : "variable", id);
	return true;
}

static bool
dv_variable(struct dv *dv, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);
	uint32_t id = dif_instr_idx(ins);

	if (op == DIF_OP_LDGS && id < DIF_VAR_USER_MIN) {
		if (id >= DIF_VAR_SCALAR_MIN && dif_var_name(id) != NULL)
			return true;
		return dv_refuse(dv, "there is no built-in variable %u", id);
	}
	if (op == DIF_OP_LDLS && id >= DIF_VAR_SCALAR_MIN &&
	    id < DIF_VAR_USER_MIN)
		return true; /* reads as 0 */
	return dv_user_var(dv, id, op);
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
		return dv_refuse(
		    dv, "there is no subroutine %u", dif_instr_idx(ins));
	if (si->flags & DIF_SUBRF_DESTRUCTIVE)
		dv->is_destructive = true;
	return dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_push(struct dv *dv, uint32_t ins)
{
	unsigned type = dif_instr_r1(ins);
	unsigned max =
	    dif_instr_op(ins) == DIF_OP_PUSHTR ? DIF_TYPE_STRING : DIF_TYPE_CTF;

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
		return dv_refuse(dv,
		    "string %u is outside of the table of %u "
		    "bytes",
		    dif_instr_idx(ins), dv->dp->strlen);
	return dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_lda(struct dv *dv, uint32_t ins)
{
	if (dif_var_name(dif_instr_r1(ins)) == NULL)
		return dv_refuse(
		    dv, "there is no built-in array %u", dif_instr_r1(ins));
	return dv_reg(dv, "ri", dif_instr_r2(ins)) &&
	    dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_xlref(struct dv *dv, uint32_t ins)
{
	if (!dv->may_refer)
		return dv_refuse(
		    dv, "translator references must be linked first");
	if (dif_instr_idx(ins) >= dv->dp->nxlref)
		return dv_refuse(dv,
		    "translator reference %u is outside of "
		    "the table of %u",
		    dif_instr_idx(ins), dv->dp->nxlref);
	return dv_dest(dv, dif_instr_rd(ins));
}

static bool
dv_fields(struct dv *dv, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	unsigned rd = dif_instr_rd(ins);

	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_INVALID:
		return dv_refuse(
		    dv, "opcode 0x%02x is not defined", dif_instr_op(ins));
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
		return dv_xlref(dv, ins);
	}
	return dv_refuse(dv, "unknown format");
}

/* ---- paths --------------------------------------------------------------- */

/* A subroutine's arguments must be pushed on every path to the call. */
static bool
dv_arguments(struct dv *dv, uint32_t ins, const struct dif_state *st)
{
	const struct dif_subrinfo *si = dif_subr_find(dif_instr_idx(ins));
	uint32_t want = dif_subr_min_args(si);

	if (st->depth_min >= want)
		return true;
	return dv_refuse(dv,
	    "%s takes %u argument%s, but the tuple stack may "
	    "hold %u",
	    si->name, want, want == 1 ? "" : "s", st->depth_min);
}

static bool
dv_arrival(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct dv *dv = arg;
	uint32_t ins = dv->dp->text[pc];
	uint8_t reads = dif_reads(ins);

	dv->pc = pc;
	for (unsigned r = 1; reads >> r != 0; r++) {
		if ((reads >> r & 1) && st->regs[r].kind == DIF_K_UNSET)
			return dv_refuse(
			    dv, "%%r%u is read before it is written", r);
	}
	return dif_instr_op(ins) != DIF_OP_CALL || dv_arguments(dv, ins, st);
}

/* An integer that the loader replaces must exist. */
static bool
dv_krels(struct dv *dv)
{
	const struct dif_obj *dp = dv->dp;

	for (uint32_t i = 0; i < dp->nkrel; i++) {
		if (dp->krels[i].int_index >= dp->nint)
			return dv_refuse_table(dv,
			    "relocation %u: integer %u "
			    "is outside of the table of %u",
			    i, dp->krels[i].int_index, dp->nint);
	}
	return true;
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

CHECKED static int
verify(struct dif_obj *dp, bool may_refer, struct err *err)
{
	struct dv dv = { .dp = dp, .err = err, .may_refer = may_refer };
	bool ok;

	ok = dv_sizes(&dv) && dv_rtype(&dv) && dv_vartab(&dv) &&
	    dv_krels(&dv) && dv_text(&dv) && dif_flow(dp, dv_arrival, &dv);
	dif_varmap_fini(&dv.vars);
	if (!ok)
		return -EINVAL;
	dp->is_destructive = dv.is_destructive;
	dif_uses_find(dp);
	return 0;
}

int
dif_verify(struct dif_obj *dp, struct err *err)
{
	return verify(dp, false, err);
}

int
dif_verify_unlinked(struct dif_obj *dp, struct err *err)
{
	return verify(dp, true, err);
}
