/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translate helpers to code for helper.bpf.c.
 *
 * All objects of a file stand one behind the other: each helper is its
 * predicate, which may jump to the next helper, and its actions.  Labels become
 * places in the array of all code, variables offsets in the machine state,
 * integers immediates.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "exec/vars.h"

struct maker {
	struct bx_hcode *code;
	struct exec_vars vars;
	const struct dof_hobj *o;
	VEC(uint32_t) places; /* of the object's instructions, in insns */
	uint32_t strs;	      /* start of the object's strings */
	struct err *err;
};

static uint32_t
here(const struct maker *m)
{
	return m->code->at + (uint32_t)m->code->insns.n;
}

static int
refuse(struct maker *m, const char *what)
{
	return err_set(
	    m->err, -EINVAL, "%s is not available in a helper", what);
}

/* ---- instructions -------------------------------------------------------- */

static bool
is_based(const struct dof_hobj *o, uint32_t i)
{
	VEC_FOREACH(&o->based, b) {
		if (*b == i)
			return true;
	}
	return false;
}

static int
make_builtin(struct maker *m, struct bx_hinsn *in, uint32_t id)
{
	if (id >= DIF_VAR_ARG0 && id <= DIF_VAR_ARG9) {
		in->op = BX_H_ARG;
		in->aux = id - DIF_VAR_ARG0;
		return 0;
	}
	switch (id) {
	case DIF_VAR_PID:
	case DIF_VAR_TID:
	case DIF_VAR_PPID:
	case DIF_VAR_UID:
	case DIF_VAR_GID:
		in->op = BX_H_VAR;
		in->aux = id;
		return 0;
	default:
		return refuse(m, dif_var_name(id));
	}
}

static unsigned char
op_of_local(bool is_load, const struct rt_uvar *v)
{
	if (is_load)
		return v->is_byref ? BX_H_LDREF : BX_H_LDLOCAL;
	if (!v->is_byref)
		return BX_H_STLOCAL;
	return v->is_string ? BX_H_STSTR : BX_H_STREF;
}

static int
make_variable(struct maker *m, struct bx_hinsn *in, uint32_t id)
{
	uint8_t op = in->op, scope = dif_op_scope(op);
	bool is_load = op == DIF_OP_LDGS || op == DIF_OP_LDLS;
	const struct rt_uvar *v;

	if (id < DIF_VAR_USER_MIN)
		return make_builtin(m, in, id);
	v = exec_vars_find(&m->vars, id, scope, dif_op_kind(op));
	if (v == NULL)
		return refuse(m, "a variable that is not declared");
	in->aux = v->size;
	if (scope == DIFV_SCOPE_LOCAL) {
		in->op = op_of_local(is_load, v);
		in->imm = BX_HMEM + v->off;
		return 0;
	}
	if (v->is_byref)
		return refuse(m, "a global variable that is no number");
	in->op = is_load ? BX_H_LDGLOBAL : BX_H_STGLOBAL;
	in->imm = v->off / 8;
	return 0;
}

static int
make_call(struct maker *m, struct bx_hinsn *in, uint32_t subr)
{
	char *what;
	int rc;

	in->op = BX_H_CALL;
	in->aux = subr;
	switch (subr) {
	case DIF_SUBR_BCOPY:
		in->op = BX_H_COPY;
		in->aux = 0;
		return 0;
	case DIF_SUBR_COPYINTO:
		in->op = BX_H_COPYIN;
		in->aux = 0;
		return 0;
	case DIF_SUBR_JSON:
	case DIF_SUBR_STRTOLL:
	case DIF_SUBR_MEMREF:
	case DIF_SUBR_MEMSTR:
		what = mem_printf("%s()", dif_subr_find(subr)->name);
		rc = refuse(m, what);
		free(what);
		return rc;
	default:
		return 0; /* dif_verify_helper() has rejected all others */
	}
}

static void
make_access(struct bx_hinsn *in, uint8_t op)
{
	const struct dif_memop *mo = &dif_memops[op];

	in->op = dif_opinfo[op].fmt == DIF_FMT_STORE ? BX_H_STORE :
	    mo->is_user				     ? BX_H_ULOAD :
						       BX_H_LOAD;
	in->aux = mo->size | (mo->is_signed ? BX_H_SIGNED : 0);
}

/* COPYS becomes two instructions: the second can be repeated. */
static int
make_copys(struct maker *m, struct bx_hinsn *in)
{
	struct bx_hinsn copy = { .op = BX_H_COPY, .aux = DIF_NTREGS };

	in->op = BX_H_SETCOPY;
	VEC_PUSH(&m->code->insns, *in);
	*in = copy;
	return 0;
}

static int
make_insn(struct maker *m, uint32_t ins, struct bx_hinsn *in)
{
	switch (dif_opinfo[in->op].fmt) {
	case DIF_FMT_BRANCH:
		in->aux = dif_instr_label(ins); /* until labels are resolved */
		return 0;
	case DIF_FMT_LOAD:
	case DIF_FMT_STORE:
		make_access(in, in->op);
		return 0;
	case DIF_FMT_SETX:
		in->op =
		    is_based(m->o, dif_instr_idx(ins)) ? BX_H_BASED : BX_H_IMM;
		in->imm = m->o->difo->inttab[dif_instr_idx(ins)];
		return 0;
	case DIF_FMT_SETS:
		in->op = BX_H_STR;
		in->imm = m->strs + dif_instr_idx(ins);
		return 0;
	case DIF_FMT_LDA:
		in->op = BX_H_ARGN;
		return in->r1 == DIF_VAR_ARGS ? 0 :
						refuse(m, dif_var_name(in->r1));
	case DIF_FMT_LDV:
	case DIF_FMT_STV:
		return make_variable(m, in, dif_instr_idx(ins));
	case DIF_FMT_CALL:
		return make_call(m, in, dif_instr_idx(ins));
	case DIF_FMT_PUSH:
		in->op = BX_H_PUSH;
		return 0;
	default:
		break;
	}
	if (in->op == DIF_OP_SCMP)
		in->op = BX_H_SCMP;
	else if (in->op == DIF_OP_ALLOCS)
		in->op = BX_H_ALLOCS;
	else if (in->op == DIF_OP_POPTS)
		in->op = BX_H_POP;
	else if (in->op == DIF_OP_FLUSHTS)
		in->op = BX_H_FLUSH;
	else if (in->op == DIF_OP_NOP)
		*in = (struct bx_hinsn){ .op = BX_H_IMM }; /* %r0 <- 0 */
	else if (in->op == DIF_OP_COPYS)
		return make_copys(m, in);
	return 0;
}

/* ---- objects ------------------------------------------------------------- */

/* Resolve labels.  RET need not be the last instruction: it jumps behind the
 * object. */
static void
resolve_labels(struct maker *m, size_t from)
{
	for (size_t i = from; i < m->code->insns.n; i++) {
		struct bx_hinsn *in = &m->code->insns.v[i];

		if (in->op >= DIF_OP_BA && in->op <= DIF_OP_BLEU)
			in->aux = m->places.v[in->aux];
		else if (in->op == BX_H_VALUE)
			in->aux = here(m);
		else if (in->op == BX_H_PRED)
			in->imm = here(m);
	}
}

/* Translate an object, with `ret` in place of RET. */
static int
make_object(struct maker *m, const struct dof_hobj *o, enum bx_hop ret)
{
	const struct dif_obj *dp = o->difo;
	size_t from = m->code->insns.n;
	int rc = 0;

	m->o = o;
	m->strs = m->code->strs_at + (uint32_t)m->code->strs.n;
	m->places.n = 0;
	VEC_RESERVE(&m->code->strs, m->code->strs.n + dp->strlen);
	if (dp->strlen != 0)
		memcpy(
		    m->code->strs.v + m->code->strs.n, dp->strtab, dp->strlen);
	m->code->strs.n += dp->strlen;
	for (uint32_t pc = 0; pc < dp->ntext && rc == 0; pc++) {
		uint32_t ins = dp->text[pc];
		struct bx_hinsn in = { dif_instr_op(ins), dif_instr_r1(ins),
			dif_instr_r2(ins), dif_instr_rd(ins), 0, 0 };

		VEC_PUSH(&m->places, here(m));
		if (in.op == DIF_OP_RET)
			in.op = (unsigned char)ret;
		else
			rc = make_insn(m, ins, &in);
		VEC_PUSH(&m->code->insns, in);
	}
	resolve_labels(m, from);
	return rc;
}

/* Make a predicate that is false jump to `end`. */
static void
resolve_predicate(struct maker *m, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		if (m->code->insns.v[i].op == BX_H_PRED)
			m->code->insns.v[i].aux = here(m);
	}
}

static int
make_helper(struct maker *m, const struct dof_helper *h)
{
	size_t from = m->code->insns.n, end;
	int rc = 0;

	if (h->pred.difo != NULL)
		rc = make_object(m, &h->pred, BX_H_PRED);
	end = m->code->insns.n;
	for (size_t i = 0; i < h->actions.n && rc == 0; i++)
		rc = make_object(m, &h->actions.v[i], BX_H_VALUE);
	resolve_predicate(m, from, end);
	return rc;
}

/* ---- a file's helpers ---------------------------------------------------- */

static int
add_vars(struct maker *m, const struct dof_hobj *o)
{
	return o->difo == NULL ||
		exec_vars_add(&m->vars, o->difo, m->code->strsize, m->err) ?
	    0 :
	    -EINVAL;
}

static int
find_vars(struct maker *m, const struct dof_helpers *h)
{
	int rc = 0;

	for (size_t i = 0; i < h->v.n && rc == 0; i++) {
		rc = add_vars(m, &h->v.v[i].pred);
		for (size_t k = 0; k < h->v.v[i].actions.n && rc == 0; k++)
			rc = add_vars(m, &h->v.v[i].actions.v[k]);
	}
	if (rc != 0)
		return rc;
	VEC_FOREACH(&m->vars.v, v) {
		if (v->is_byref && v->size > m->code->strsize)
			return refuse(m, "a variable larger than strsize");
	}
	if (m->vars.sizes[DIFV_SCOPE_LOCAL] > BX_HLOCALS)
		return refuse(m, "so much in this-> variables");
	if (m->vars.sizes[DIFV_SCOPE_GLOBAL] > 8 * BX_HGLOBALS)
		return refuse(m, "so much in global variables");
	return 0;
}

int
bx_hcode_make(
    const struct dof_helpers *h, struct bx_hcode *code, struct err *err)
{
	struct maker m = { .code = code, .err = err };
	int rc = find_vars(&m, h);

	for (size_t i = 0; i < h->v.n && rc == 0; i++)
		rc = make_helper(&m, &h->v.v[i]);
	VEC_PUSH(&code->insns, (struct bx_hinsn){ .op = BX_H_END });
	VEC_FREE(&m.places);
	VEC_FREE(&m.vars.v);
	return rc;
}
