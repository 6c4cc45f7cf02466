/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of expressions: code shared by all kinds of nodes, and the questions
 * about types that both the checker and the generator ask.
 */
#include "codegen/cg_impl.h"

#include <string.h>

/*
 * Chains such as a+b+c are as deep as they are long.  The parser makes no tree
 * higher than AST_MAX_HEIGHT, but inlines and translators are checked inside of
 * the trees that use them; deeper ones would overflow the stack of these walks.
 */
#define MAX_DEPTH 2000

/* ---- questions about types ----------------------------------------------- */

const char *
cg_tn(struct cg *cg, const struct ctf_type *t)
{
	return ctf_type_name(cg->g, t);
}

bool
cg_is_string(struct ctf_type *t)
{
	return ctf_resolve(t)->kind == CTF_K_D_STRING;
}

/* A string, or a char array or pointer that can be used as one. */
bool
cg_is_strcompat(struct ctf_type *t)
{
	struct ctf_type *r = ctf_strip(t);

	if (r->kind == CTF_K_D_STRING)
		return true;
	if (r->kind != CTF_K_POINTER && r->kind != CTF_K_ARRAY)
		return false;
	r = ctf_strip(r->ref);
	return r->kind == CTF_K_INTEGER && r->size == 1 &&
	    (r->encoding & CTF_INT_BOOL) == 0;
}

bool
cg_is_scalar(struct ctf_type *t)
{
	return ctf_is_integer(t) || ctf_is_pointer(t);
}

/* Is a value of the type kept as the address of its bytes? */
bool
cg_is_byref(struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);

	return r->kind == CTF_K_D_STRING || r->kind == CTF_K_ARRAY ||
	    r->kind == CTF_K_STRUCT || r->kind == CTF_K_UNION ||
	    ((r->kind == CTF_K_FLOAT || r->kind == CTF_K_INTEGER) &&
		r->size > 8);
}

bool
cg_is_null(const struct ast_expr *e)
{
	return e->is_const && e->const_value == 0 && ctf_is_integer(e->type);
}

bool
cg_in_userland(const struct ast_expr *e)
{
	struct ctf_type *t;

	if (e->inst != NULL)
		return false; /* converted: gen_as() has copied it in */
	switch (e->kind) {
	case AST_UNARY:
		t = ctf_resolve(e->a->type);
		return e->op == AST_OP_DEREF &&
		    (t->kind == CTF_K_POINTER ? t->is_userland :
						cg_in_userland(e->a));
	case AST_MEMBER:
	case AST_INDEX:
		if (e->kind == AST_INDEX && e->sym != NULL)
			return false;
		t = ctf_resolve(e->a->type);
		if (t->kind == CTF_K_POINTER)
			return t->is_userland;
		return cg_in_userland(e->a);
	default:
		return false;
	}
}

struct ctf_type *
cg_decay(struct cg *cg, const struct ast_expr *e)
{
	struct ctf_type *t = ctf_resolve(e->type);

	if (t->kind == CTF_K_POINTER)
		return t;
	if (t->kind == CTF_K_ARRAY)
		return ctf_pointer(cg->g, t->ref, cg_in_userland(e));
	return NULL;
}

struct ctf_type *
cg_pointer(struct cg *cg, const struct ast_expr *e)
{
	struct ctf_type *c;

	if (!cg_is_string(e->type))
		return cg_decay(cg, e);
	c = ctf_lookup(cg->g, CTF_SP_ORDINARY, "char");
	return ctf_pointer(cg->g, c, cg_in_userland(e));
}

struct dif_type
cg_dif_type(struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);
	struct dif_type dt = { .ckind = (uint8_t)r->kind,
		.size = (uint32_t)r->size };

	if (r->kind == CTF_K_D_STRING) {
		dt.kind = DIF_TYPE_STRING;
		dt.ckind = CTF_K_UNKNOWN;
	}
	if (cg_is_byref(r))
		dt.flags = DIF_TF_BYREF;
	return dt;
}

/* ---- C's conversions ----------------------------------------------------- */

static bool
is_bool(struct ctf_type *t)
{
	t = ctf_resolve(t);
	return t->kind == CTF_K_INTEGER && (t->encoding & CTF_INT_BOOL) != 0;
}

/* Small integers keep their type in arithmetic: D does not make them int. */
struct ctf_type *
cg_promote(struct cg *cg, struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);

	if (r->kind == CTF_K_ENUM && r->size == 8)
		return ctf_is_signed(r) ? cg->g->t_long : cg->g->t_ulong;
	if (r->kind == CTF_K_ENUM && r->size == 4 && !ctf_is_signed(r))
		return cg->g->t_uint;
	if (r->kind == CTF_K_ENUM || is_bool(r))
		return cg->g->t_int;
	return r->kind == CTF_K_INTEGER ? t : r;
}

/*
 * The type of higher rank: the larger one, or the unsigned one of two of equal
 * size.
 */
struct ctf_type *
cg_usual(struct cg *cg, struct ctf_type *a, struct ctf_type *b)
{
	struct ctf_type *ra, *rb;

	a = cg_promote(cg, a);
	b = cg_promote(cg, b);
	ra = ctf_resolve(a);
	rb = ctf_resolve(b);
	if (ra->size != rb->size)
		return ra->size > rb->size ? a : b;
	return ctf_is_signed(ra) ? b : a;
}

static bool
const_fits(uint64_t value, struct ctf_type *to)
{
	unsigned bits = 8 * (unsigned)ctf_resolve(to)->size;

	if (is_bool(to))
		return value <= 1;
	if (bits == 64)
		return true;
	if (!ctf_is_signed(to))
		return value >> bits == 0;
	return (int64_t)value >= -(1LL << (bits - 1)) &&
	    (int64_t)value < (1LL << (bits - 1));
}

/* Does every value of type `from` lie in the range of `to`? */
static bool
range_fits(struct ctf_type *from, struct ctf_type *to)
{
	from = ctf_resolve(from);
	to = ctf_resolve(to);
	if (is_bool(to))
		return is_bool(from);
	if (to->size == 8)
		return true;
	if (!ctf_is_integer(from) || is_bool(from))
		return is_bool(from);
	if (ctf_is_signed(from) == ctf_is_signed(to))
		return from->size <= to->size;
	return ctf_is_signed(to) && from->size < to->size;
}

static bool
yields_bool(const struct ast_expr *e)
{
	if (e->kind == AST_UNARY)
		return e->op == AST_OP_LNOT;
	if (e->kind != AST_BINARY)
		return false;
	return (e->op >= AST_OP_EQ && e->op <= AST_OP_GE) ||
	    e->op == AST_OP_LAND || e->op == AST_OP_LOR || e->op == AST_OP_LXOR;
}

bool
cg_keeps_word(const struct ast_expr *e)
{
	const struct cg_sym *sym = e->sym;

	return e->inst == NULL && sym != NULL &&
	    (e->kind == AST_IDENT || e->kind == AST_INDEX) &&
	    sym->kind == CG_SYM_VAR && !sym->is_hidden &&
	    ctf_is_integer(e->type) && !is_bool(e->type);
}

/*
 * Arithmetic and variables keep 64 bits; everything else stays within its own
 * type.
 */
static bool
stays_in_type(const struct ast_expr *e)
{
	switch (e->kind) {
	case AST_UNARY:
		if (e->op >= AST_OP_PREINC && e->op <= AST_OP_POSTDEC)
			return !cg_keeps_word(e->a);
		return e->op != AST_OP_PLUS &&
		    ((e->op != AST_OP_NEG && e->op != AST_OP_BNOT) ||
			!ctf_is_signed(e->type));
	case AST_BINARY:
		return false;
	case AST_ASSIGN:
		return !cg_keeps_word(e->a);
	case AST_IDENT:
	case AST_INDEX:
		return !cg_keeps_word(e);
	default:
		return true;
	}
}

bool
cg_fits(const struct ast_expr *e, struct ctf_type *to)
{
	if (e->is_const)
		return const_fits(e->const_value, to);
	if (ctf_resolve(to)->size == 8 || yields_bool(e))
		return true;
	if (e->kind == AST_COND)
		return cg_fits(e->b, to) && (e->c == NULL || cg_fits(e->c, to));
	if (e->kind == AST_BINARY && e->op == AST_OP_COMMA)
		return cg_fits(e->b, to);
	if (e->kind == AST_BINARY && e->op == AST_OP_BAND)
		return (e->a->is_const && const_fits(e->a->const_value, to) &&
			   (int64_t)e->a->const_value >= 0) ||
		    (e->b->is_const && const_fits(e->b->const_value, to) &&
			(int64_t)e->b->const_value >= 0);
	return stays_in_type(e) && range_fits(e->type, to);
}

/* Do both pointers point to the same type, or one of them to void? */
bool
cg_same_target(struct ctf_type *a, struct ctf_type *b)
{
	return ctf_is_void(a->ref) || ctf_is_void(b->ref) ||
	    ctf_type_compat(a->ref, b->ref);
}

bool
ck_converts(struct cg *cg, const struct ast_expr *e, struct ctf_type *to)
{
	struct ctf_type *rt = ctf_resolve(to), *rf = ctf_resolve(e->type), *p;

	if (ctf_is_integer(rt))
		return ctf_is_integer(rf);
	if (rt->kind == CTF_K_D_STRING)
		return cg_is_strcompat(rf) || cg_is_null(e);
	if (rt->kind == CTF_K_POINTER) {
		p = cg_pointer(cg, e);
		return cg_is_null(e) || (p != NULL && cg_same_target(rt, p));
	}
	return rt == rf && !ctf_is_void(rt) && rt->kind != CTF_K_D_STACK;
}

/* ---- nodes --------------------------------------------------------------- */

static void
set_const(struct ast_expr *e, uint64_t value, struct ctf_type *type)
{
	e->is_const = true;
	e->const_value = value;
	e->type = type;
}

/* The type of an integer constant: C99 6.4.4.1. */
static bool
ck_int(struct cg *cg, struct ast_expr *e)
{
	uint64_t v = e->u.num.value;
	struct ctf_type *t = cg->g->t_ulong;

	if (e->u.num.is_char)
		t = v <= INT32_MAX ? cg->g->t_int : cg->g->t_long;
	else if (!e->u.num.is_long && !e->u.num.is_unsigned && v <= INT32_MAX)
		t = cg->g->t_int;
	else if (!e->u.num.is_long && v <= UINT32_MAX &&
	    (e->u.num.is_unsigned || !e->u.num.is_decimal))
		t = cg->g->t_uint;
	else if (!e->u.num.is_unsigned && v <= INT64_MAX)
		t = cg->g->t_long;
	set_const(e, v, t);
	return true;
}

bool
ck_const(struct cg *cg, struct ast_expr *e, int64_t *value)
{
	(void)cg;
	if (!e->is_const || !ctf_is_integer(e->type))
		return false;
	*value = (int64_t)e->const_value;
	return true;
}

bool
ck_sizeof_type(struct cg *cg, struct ast_expr *e, struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);
	uint64_t size = r->size;

	if (r->kind == CTF_K_D_STRING)
		size = cg->s->strsize;
	if (r->is_incomplete) {
		diag_error(cg->ds, D_SIZEOF_TYPE, e->span,
		    "%s is not defined here: its size is not known",
		    cg_tn(cg, t));
		cg_hint_incomplete(cg, r);
		return false;
	}
	if (size == 0) {
		diag_error(cg->ds, D_SIZEOF_TYPE, e->span,
		    "sizeof cannot be applied to type %s", cg_tn(cg, t));
		return false;
	}
	set_const(e, size, ctf_lookup(cg->g, CTF_SP_ORDINARY, "size_t"));
	return true;
}

struct ctf_type *
ck_named(struct cg *cg, struct ast_expr *e)
{
	if (e->named == NULL)
		e->named = cg_decl_type(cg, e->decl);
	return e->named;
}

uint64_t
cg_truncate(uint64_t v, struct ctf_type *t)
{
	unsigned shift = 64 - 8 * (unsigned)ctf_resolve(t)->size;

	if (is_bool(t))
		return v != 0;
	if (shift == 0 || shift == 64)
		return v;
	return ctf_is_signed(t) ? (uint64_t)((int64_t)(v << shift) >> shift) :
				  v << shift >> shift;
}

static bool
can_cast(struct cg *cg, const struct ast_expr *from, struct ctf_type *to)
{
	if (ctf_is_void(to))
		return true;
	if (cg_is_string(to))
		return cg_is_strcompat(from->type) || cg_is_scalar(from->type);
	if (cg_is_scalar(to))
		return cg_is_scalar(from->type) ||
		    ((cg_decay(cg, from) != NULL || cg_is_string(from->type)) &&
			ctf_resolve(to)->size == 8);
	return ctf_resolve(to) == ctf_resolve(from->type);
}

static bool
ck_cast(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *t = ck_named(cg, e);

	if (t == NULL || !ck_expr(cg, e->a) ||
	    (ctf_is_void(t) && !ck_no_action(cg, e->a)))
		return false;
	if (!can_cast(cg, e->a, t)) {
		diag_error(cg->ds, D_CAST_INVAL, e->span,
		    "an expression of type %s cannot be cast to %s",
		    cg_tn(cg, e->a->type), cg_tn(cg, t));
		return false;
	}
	e->type = t;
	if (e->a->is_const && cg_is_scalar(t))
		set_const(e, cg_truncate(e->a->const_value, t), t);
	return true;
}

static bool
ck_offsetof(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *t = ck_named(cg, e);
	const struct ctf_member *m;
	uint64_t bit_off;

	if (t == NULL)
		return false;
	if (!ctf_is_sou(t) || ctf_resolve(t)->is_incomplete) {
		diag_error(cg->ds, D_OFFSETOF_TYPE, e->span,
		    "offsetof needs a complete struct or union, not %s",
		    cg_tn(cg, t));
		return false;
	}
	m = ctf_member_find(ctf_resolve(t), e->u.ident.name, &bit_off);
	if (m == NULL) {
		diag_error(cg->ds, D_TYPE_MEMBER, e->span,
		    "%s has no member '%s'", cg_tn(cg, t), e->u.ident.name);
		cg_suggest_member(cg, ctf_resolve(t), e->u.ident.name);
		return false;
	}
	if (m->bits != 0) {
		diag_error(cg->ds, D_OFFSETOF_BITFIELD, e->span,
		    "'%s' is a bit-field: it has no offset in bytes",
		    e->u.ident.name);
		return false;
	}
	set_const(e, bit_off / 8, ctf_lookup(cg->g, CTF_SP_ORDINARY, "size_t"));
	return true;
}

static bool
ck_agg_operand(struct cg *cg, const struct ast_expr *e)
{
	diag_error(cg->ds, D_OP_SCALAR, e->span,
	    "aggregation '@%s' cannot be used as a value",
	    ast_agg_name(e->u.ident.name));
	cg_agg_read_hint(cg, e);
	return false;
}

/* The parser has replaced what $target can mean for several processes. */
static bool
ck_not_targets(struct cg *cg, const struct ast_expr *e)
{
	if (!e->u.num.is_targets)
		return true;
	diag_error(cg->ds, D_MACRO_TARGETS, e->span,
	    "$target is %zu processes here, and no number", cg->lc->ntargets);
	diag_hint(cg->ds,
	    "a variable can be compared with it (pid == $target, pid != "
	    "$target), progenyof($target) is true below each of them, and "
	    "probe descriptions (pid$target:::) stand for each");
	return false;
}

static bool
ck_node(struct cg *cg, struct ast_expr *e)
{
	switch (e->kind) {
	case AST_INT:
		return ck_not_targets(cg, e) && ck_int(cg, e);
	case AST_STR:
		e->type = cg->g->t_string;
		return true;
	case AST_IDENT:
		return ck_ident(cg, e);
	case AST_AGG:
		return ck_agg_operand(cg, e);
	case AST_UNARY:
		return ck_unary(cg, e);
	case AST_BINARY:
		return ck_binary(cg, e);
	case AST_ASSIGN:
		return ck_assign(cg, e);
	case AST_COND:
		return ck_cond(cg, e);
	case AST_CALL:
		return ck_call(cg, e);
	case AST_INDEX:
		return ck_index(cg, e);
	case AST_MEMBER:
		return ck_member(cg, e);
	case AST_CAST:
		return ck_cast(cg, e);
	case AST_SIZEOF_TYPE:
		e->type = ck_named(cg, e);
		return e->type != NULL && ck_sizeof_type(cg, e, e->type);
	case AST_OFFSETOF:
		return ck_offsetof(cg, e);
	case AST_XLATE:
		return ck_xlate(cg, e);
	case AST_BOUND:
		e->type = ((struct cg_sym *)e->sym)->type;
		return true;
	case AST_XLREF:
		return true; /* has its type from the start */
	}
	return false;
}

bool
ck_expr(struct cg *cg, struct ast_expr *e)
{
	bool ok;

	if (cg->depth >= MAX_DEPTH) {
		diag_error(cg->ds, D_CG_EXPR, e->span,
		    "the expression is nested too deeply");
		return false;
	}
	cg->depth++;
	ok = ck_node(cg, e);
	cg->depth--;
	return ok;
}
