/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operators: operands, result types, constant folding.
 *
 * Constants are folded as the generated code would compute them: in 64 bits,
 * signed or unsigned as C's conversions say.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"
#include "lang/habits.h"

static bool
refuse_operand(struct cg *cg, const char *tag, const struct ast_expr *e,
    enum ast_op op, const char *what)
{
	diag_error(cg->ds, tag, e->span,
	    "operator %s needs %s, not an "
	    "operand of type %s",
	    ast_op_text(op), what, cg_tn(cg, e->type));
	return false;
}

static bool
is_char(const struct ast_expr *e)
{
	return e->kind == AST_INT && e->u.num.is_char;
}

static bool
refuse_pair(struct cg *cg, const struct ast_expr *e)
{
	diag_error(cg->ds, D_OP_INCOMPAT, e->span,
	    "operator %s cannot be "
	    "applied to operands of types %s and %s",
	    ast_op_text(e->op), cg_tn(cg, e->a->type), cg_tn(cg, e->b->type));
	if (is_char(e->a) || is_char(e->b))
		diag_hint(cg->ds,
		    "a string stands in double quotes: '...' is "
		    "an integer");
	else if (e->op == AST_OP_ADD && cg_is_string(e->a->type) &&
	    cg_is_string(e->b->type))
		diag_hint(cg->ds, "strjoin() joins two strings");
	return false;
}

static void
set_const(struct ast_expr *e, uint64_t value)
{
	e->is_const = true;
	e->const_value = value;
}

/* ---- unary --------------------------------------------------------------- */

/* Is `e` a part of a symbol of the kernel? */
static bool
is_in_symbol(const struct ast_expr *e)
{
	while (e->inst == NULL &&
	    ((e->kind == AST_MEMBER && !e->u.ident.arrow) ||
		(e->kind == AST_INDEX && e->sym == NULL &&
		    ctf_strip(e->a->type)->kind == CTF_K_ARRAY)))
		e = e->a;
	return e->inst == NULL && e->kind == AST_IDENT && e->sym != NULL &&
	    ((const struct cg_sym *)e->sym)->kind == CG_SYM_KERNEL;
}

/* Is `e` a character of a string: s[1], *s? */
static bool
is_in_string(const struct ast_expr *e)
{
	return ((e->kind == AST_INDEX && e->sym == NULL) ||
		   (e->kind == AST_UNARY && e->op == AST_OP_DEREF)) &&
	    cg_is_string(e->a->type);
}

/* A clause that assigns to a name of a library means a variable of its own. */
static void
hint_constant(struct cg *cg, const struct cg_sym *sym, enum ast_op op)
{
	if (sym->kind == CG_SYM_INLINE || sym->kind == CG_SYM_ENUM)
		diag_hint(cg->ds, "give the variable another name: '%s' is %s",
		    sym->name,
		    sym->kind == CG_SYM_ENUM ? "an enumerator" : "an inline");
	else if (op == AST_OP_NONE)
		diag_hint(cg->ds, "== compares");
}

static bool
ck_lvalue(struct cg *cg, struct ast_expr *e, enum ast_op op)
{
	const struct cg_sym *sym = e->sym;

	if (e->kind == AST_IDENT && sym != NULL && sym->kind != CG_SYM_VAR) {
		diag_error(cg->ds, D_OP_WRITE, e->span,
		    "operator %s cannot write '%s': it is %s", ast_op_text(op),
		    sym->name,
		    sym->kind == CG_SYM_BUILTIN	   ? "a built-in variable" :
			sym->kind == CG_SYM_PARAM  ? "a parameter" :
			sym->kind == CG_SYM_KERNEL ? "the kernel's" :
						     "a constant");
		hint_constant(cg, sym, op);
		return false;
	}
	if (is_in_symbol(e)) {
		diag_error(cg->ds, D_OP_WRITE, e->span,
		    "operator %s cannot write the kernel's memory",
		    ast_op_text(op));
		return false;
	}
	if (!e->is_lvalue) {
		diag_error(cg->ds, D_OP_LVAL, e->span,
		    "operator %s needs a "
		    "variable or memory to write, not a value",
		    ast_op_text(op));
		return false;
	}
	if (is_in_string(e)) {
		diag_error(cg->ds, D_OP_WRITE, e->span,
		    "operator %s cannot write into a string", ast_op_text(op));
		return false;
	}
	if (cg_in_userland(e)) {
		diag_error(cg->ds, D_OP_WRITE, e->span,
		    "operator %s cannot write a process's memory",
		    ast_op_text(op));
		return false;
	}
	return true;
}

/* Is the size of the element that the pointer points to known? */
static bool
ck_steps(struct cg *cg, const struct ast_expr *e, enum ast_op op)
{
	struct ctf_type *p = cg_decay(cg, e);

	if (p == NULL ||
	    (!ctf_is_void(p->ref) &&
		ctf_resolve(p->ref)->kind != CTF_K_FUNCTION))
		return true;
	diag_error(cg->ds, D_OP_VFPTR, e->span,
	    "operator %s cannot be applied "
	    "to a pointer of type %s",
	    ast_op_text(op), cg_tn(cg, e->type));
	diag_hint(cg->ds, "cast it first: (char *)x counts bytes");
	return false;
}

static bool
ck_incdec(struct cg *cg, struct ast_expr *e)
{
	if (e->a->kind == AST_AGG)
		return ck_agg_step(cg, e);
	if (ck_is_new_var(cg, e->a) &&
	    !ck_declare_target(
		cg, e->a, ctf_lookup(cg->g, CTF_SP_ORDINARY, "int64_t")))
		return false;
	if (!ck_expr(cg, e->a) || !ck_lvalue(cg, e->a, e->op))
		return false;
	if (!cg_is_scalar(e->a->type))
		return refuse_operand(
		    cg, D_OP_SCALAR, e->a, e->op, "an integer or a pointer");
	e->type = e->a->type;
	return ck_steps(cg, e->a, e->op);
}

static bool
ck_deref(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *p = cg_pointer(cg, e->a);

	if (p == NULL) {
		diag_error(cg->ds, D_DEREF_NONPTR, e->span,
		    "operator * needs a pointer, not an operand of type %s",
		    cg_tn(cg, e->a->type));
		if (ctf_is_integer(e->a->type))
			diag_hint(cg->ds, "cast it first: *(int *)x");
		return false;
	}
	if (ctf_is_void(p->ref)) {
		diag_error(cg->ds, D_DEREF_VOID, e->span,
		    "a pointer to void has no value to load");
		diag_hint(cg->ds, "cast it first: *(int *)x");
		return false;
	}
	if (ctf_resolve(p->ref)->kind == CTF_K_FUNCTION) {
		diag_error(cg->ds, D_DEREF_FUNC, e->span,
		    "a function has no value to load");
		return false;
	}
	if (ctf_resolve(p->ref)->is_incomplete)
		return cg_refuse_incomplete(cg, e->span, p->ref);
	e->type = p->ref;
	e->is_lvalue = true;
	return true;
}

static bool
ck_addrof(struct cg *cg, struct ast_expr *e)
{
	uint64_t bit_off;

	if (e->a->kind == AST_MEMBER && cg_member(e->a, &bit_off)->bits != 0) {
		diag_error(cg->ds, D_ADDROF_BITFIELD, e->span,
		    "a bit-field has no address");
		return false;
	}
	if (e->a->kind == AST_IDENT ||
	    (e->a->kind == AST_INDEX && e->a->sym != NULL)) {
		diag_error(cg->ds, D_ADDROF_VAR, e->span,
		    "the address of a D variable cannot be taken");
		return false;
	}
	if (!e->a->is_lvalue) {
		diag_error(cg->ds, D_ADDROF_LVAL, e->span,
		    "operator & needs something in memory, not a value");
		return false;
	}
	e->type = ctf_pointer(cg->g, e->a->type, cg_in_userland(e->a));
	return true;
}

/*
 * The operand may be a symbol of unknown type; a function stands for its
 * address.
 */
static bool
ck_symbol_address(struct cg *cg, struct ast_expr *e)
{
	if (!ck_symbol(cg, e->a, true))
		return false;
	e->type = e->a->is_lvalue ? ctf_pointer(cg->g, e->a->type, false) :
				    e->a->type;
	if (!e->a->is_const)
		return true;
	diag_error(cg->ds, D_ADDROF_LVAL, e->span,
	    "operator & needs something in memory, not a constant");
	return false;
}

static bool
ck_arith_unary(struct cg *cg, struct ast_expr *e)
{
	uint64_t v = e->a->const_value;

	if (!ctf_is_integer(e->a->type)) {
		refuse_operand(cg, e->op == AST_OP_BNOT ? D_OP_INT : D_OP_ARITH,
		    e->a, e->op, "an integer");
		if (e->op == AST_OP_BNOT && cg_is_string(e->a->type))
			diag_hint(cg->ds, "%s", HABIT_MATCHES);
		return false;
	}
	e->type = cg_promote(cg, e->a->type);
	if (!e->a->is_const)
		return true;
	v = e->op == AST_OP_NEG ? -v : e->op == AST_OP_BNOT ? ~v : v;
	set_const(e, ctf_is_signed(e->type) ? v : cg_truncate(v, e->type));
	return true;
}

static bool
ck_sizeof(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *t = cg_type_in_parens(cg, e->a);
	uint64_t bit_off;

	if (t != NULL)
		return ck_sizeof_type(cg, e, t);
	if (!ck_expr(cg, e->a))
		return false;
	if (e->a->kind == AST_STR) { /* an array of its characters */
		e->type = ctf_lookup(cg->g, CTF_SP_ORDINARY, "size_t");
		set_const(e, strlen(e->a->u.str.s) + 1);
		return true;
	}
	if (e->a->kind == AST_MEMBER && cg_member(e->a, &bit_off)->bits != 0) {
		diag_error(cg->ds, D_SIZEOF_BITFIELD, e->span,
		    "sizeof cannot be applied to a bit-field");
		return false;
	}
	return ck_sizeof_type(cg, e, e->a->type);
}

bool
ck_unary(struct cg *cg, struct ast_expr *e)
{
	if (e->op >= AST_OP_PREINC && e->op <= AST_OP_POSTDEC)
		return ck_incdec(cg, e);
	if (e->op == AST_OP_SIZEOF)
		return ck_sizeof(cg, e);
	if (e->op == AST_OP_ADDROF && cg_is_symbol(cg, e->a))
		return ck_symbol_address(cg, e);
	if (!ck_expr(cg, e->a))
		return false;
	switch (e->op) {
	case AST_OP_LNOT:
		if (!cg_is_scalar(e->a->type))
			return refuse_operand(cg, D_OP_SCALAR, e->a, e->op,
			    "an integer or a pointer");
		e->type = cg->g->t_int;
		if (e->a->is_const)
			set_const(e, e->a->const_value == 0);
		return true;
	case AST_OP_DEREF:
		return ck_deref(cg, e);
	case AST_OP_ADDROF:
		return ck_addrof(cg, e);
	case AST_OP_STRINGOF:
		if (!cg_is_scalar(e->a->type) && !cg_is_strcompat(e->a->type)) {
			diag_error(cg->ds, D_STRINGOF_TYPE, e->span,
			    "an expression of type %s cannot become a string",
			    cg_tn(cg, e->a->type));
			return false;
		}
		e->type = cg->g->t_string;
		return true;
	default:
		return ck_arith_unary(cg, e);
	}
}

/* ---- binary -------------------------------------------------------------- */

static uint64_t
fold_divide(enum ast_op op, bool is_signed, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	if (!is_signed)
		return op == AST_OP_DIV ? a / b : a % b;
	if (sb == -1) /* INT64_MIN / -1 traps */
		return op == AST_OP_DIV ? -a : 0;
	return (uint64_t)(op == AST_OP_DIV ? sa / sb : sa % sb);
}

static bool
fold_less(bool is_signed, uint64_t a, uint64_t b)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t
fold(enum ast_op op, bool is_signed, uint64_t a, uint64_t b)
{
	switch (op) {
	case AST_OP_ADD:
		return a + b;
	case AST_OP_SUB:
		return a - b;
	case AST_OP_MUL:
		return a * b;
	case AST_OP_DIV:
	case AST_OP_MOD:
		return fold_divide(op, is_signed, a, b);
	case AST_OP_SHL:
		return a << (b & 63);
	case AST_OP_SHR:
		return is_signed ? (uint64_t)((int64_t)a >> (b & 63)) :
				   a >> (b & 63);
	case AST_OP_BAND:
		return a & b;
	case AST_OP_BOR:
		return a | b;
	case AST_OP_BXOR:
		return a ^ b;
	case AST_OP_LAND:
		return a && b;
	case AST_OP_LOR:
		return a || b;
	case AST_OP_LXOR:
		return !a != !b;
	case AST_OP_EQ:
		return a == b;
	case AST_OP_NE:
		return a != b;
	case AST_OP_LT:
		return fold_less(is_signed, a, b);
	case AST_OP_LE:
		return !fold_less(is_signed, b, a);
	case AST_OP_GT:
		return fold_less(is_signed, b, a);
	default:
		return !fold_less(is_signed, a, b);
	}
}

/* Both sides have been checked; e->type is set when this returns true. */
static bool
ck_add(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *pa = cg_pointer(cg, e->a), *pb = cg_pointer(cg, e->b);

	if (pa == NULL && pb == NULL) {
		if (!ctf_is_integer(e->a->type) || !ctf_is_integer(e->b->type))
			return refuse_pair(cg, e);
		e->type = cg_usual(cg, e->a->type, e->b->type);
		return true;
	}
	if (pa != NULL && pb != NULL) {
		if (e->op != AST_OP_SUB || !ctf_type_compat(pa, pb) ||
		    ctf_resolve(pa->ref)->size == 0)
			return refuse_pair(cg, e);
		e->type = cg->g->t_long;
		return true;
	}
	if (pa == NULL && (e->op == AST_OP_SUB || !ctf_is_integer(e->a->type)))
		return refuse_pair(cg, e);
	if (pb == NULL && !ctf_is_integer(e->b->type))
		return refuse_pair(cg, e);
	e->type = pa != NULL ? pa : pb;
	if (ctf_is_void(e->type->ref) ||
	    ctf_resolve(e->type->ref)->kind == CTF_K_FUNCTION)
		return ck_steps(cg, pa != NULL ? e->a : e->b, e->op);
	if (ctf_resolve(e->type->ref)->is_incomplete)
		return cg_refuse_incomplete(cg, e->span, e->type->ref);
	return true;
}

static bool
ck_integers(struct cg *cg, struct ast_expr *e, const char *tag)
{
	if (!ctf_is_integer(e->a->type))
		return refuse_operand(cg, tag, e->a, e->op, "integers");
	if (!ctf_is_integer(e->b->type))
		return refuse_operand(cg, tag, e->b, e->op, "integers");
	if ((e->op == AST_OP_DIV || e->op == AST_OP_MOD) && cg_is_null(e->b)) {
		diag_error(cg->ds, D_DIV_ZERO, e->b->span, "division by zero");
		return false;
	}
	if (e->op == AST_OP_SHL || e->op == AST_OP_SHR)
		e->type = cg_promote(cg, e->a->type);
	else
		e->type = cg_usual(cg, e->a->type, e->b->type);
	return true;
}

static bool
ck_logical(struct cg *cg, struct ast_expr *e)
{
	if (!cg_is_scalar(e->a->type))
		return refuse_operand(
		    cg, D_OP_SCALAR, e->a, e->op, "integers or pointers");
	if (!cg_is_scalar(e->b->type))
		return refuse_operand(
		    cg, D_OP_SCALAR, e->b, e->op, "integers or pointers");
	e->type = cg->g->t_int;
	return true;
}

static bool
can_compare(struct cg *cg, const struct ast_expr *e)
{
	struct ctf_type *pa = cg_decay(cg, e->a), *pb = cg_decay(cg, e->b);
	bool a_string = cg_is_string(e->a->type);
	bool b_string = cg_is_string(e->b->type);

	if (ctf_is_integer(e->a->type) && ctf_is_integer(e->b->type))
		return true;
	if (a_string || b_string)
		return (cg_is_strcompat(e->a->type) || cg_is_null(e->a)) &&
		    (cg_is_strcompat(e->b->type) || cg_is_null(e->b));
	if (pa != NULL && pb != NULL)
		return cg_same_target(pa, pb);
	return (pa != NULL && cg_is_null(e->b)) ||
	    (pb != NULL && cg_is_null(e->a));
}

static bool
ck_compare(struct cg *cg, struct ast_expr *e)
{
	if (!can_compare(cg, e))
		return refuse_pair(cg, e);
	e->type = cg->g->t_int;
	return true;
}

bool
cg_compares_signed(struct cg *cg, const struct ast_expr *e)
{
	if (!ctf_is_integer(e->a->type) || !ctf_is_integer(e->b->type))
		return false;
	if (e->op == AST_OP_SHR)
		return ctf_is_signed(cg_promote(cg, e->a->type));
	return ctf_is_signed(cg_usual(cg, e->a->type, e->b->type));
}

static bool
ck_operands(struct cg *cg, struct ast_expr *e)
{
	switch (e->op) {
	case AST_OP_ADD:
	case AST_OP_SUB:
		return ck_add(cg, e);
	case AST_OP_MUL:
	case AST_OP_DIV:
		return ck_integers(cg, e, D_OP_ARITH);
	case AST_OP_MOD:
	case AST_OP_SHL:
	case AST_OP_SHR:
	case AST_OP_BAND:
	case AST_OP_BOR:
	case AST_OP_BXOR:
		return ck_integers(cg, e, D_OP_INT);
	case AST_OP_LAND:
	case AST_OP_LOR:
	case AST_OP_LXOR:
		return ck_logical(cg, e);
	case AST_OP_COMMA:
		e->type = e->b->type;
		return ck_no_action(cg, e->a) && ck_no_action(cg, e->b);
	default:
		return ck_compare(cg, e);
	}
}

/* The binary operator spelled like a prefix operator. */
static enum ast_op
prefix_of(enum ast_op op)
{
	switch (op) {
	case AST_OP_ADD:
		return AST_OP_PLUS;
	case AST_OP_SUB:
		return AST_OP_NEG;
	case AST_OP_MUL:
		return AST_OP_DEREF;
	case AST_OP_BAND:
		return AST_OP_ADDROF;
	default:
		return AST_OP_NONE;
	}
}

/*
 * The parser knows no types of the kernel and takes (u64)-x for a subtraction.
 * Returns the type that the left side names, if no variable has the name.
 */
static struct ctf_type *
hidden_cast(struct cg *cg, const struct ast_expr *e)
{
	if (prefix_of(e->op) == AST_OP_NONE || !e->a->in_parens)
		return NULL;
	return cg_type_in_parens(cg, e->a);
}

/*
 * Make the cast.  Operands that the operator accepts and the cast does not are
 * refused.
 */
static bool
ck_hidden_cast(struct cg *cg, struct ast_expr *e, struct ctf_type *t)
{
	struct ast_expr *operand;

	if (e->b->kind == AST_BINARY && !e->b->in_parens) {
		diag_error(cg->ds, D_SYNTAX, e->span,
		    "(%s) is a cast, and its operand is ambiguous",
		    cg_tn(cg, t));
		diag_hint(cg->ds,
		    "put the operand in parentheses, or the "
		    "cast: ((%s)%sx)",
		    cg_tn(cg, t), ast_op_text(e->op));
		return false;
	}
	operand = ARENA_NEW(cg->lc->arena, struct ast_expr);
	*operand = *e;
	operand->kind = AST_UNARY;
	operand->op = prefix_of(e->op);
	operand->a = e->b;
	operand->b = NULL;
	e->kind = AST_CAST;
	e->named = t;
	e->a = operand;
	e->b = NULL;
	return ck_expr(cg, e);
}

/* execname == bash: an unknown name beside a string wants quotes. */
static void
hint_at_quotes(struct cg *cg, const struct ast_expr *e)
{
	const struct diag *last = &cg->ds->list.v[cg->ds->list.n - 1];

	if ((e->op == AST_OP_EQ || e->op == AST_OP_NE) &&
	    cg_is_string(e->a->type) && e->b->kind == AST_IDENT &&
	    last->tag != NULL && strcmp(last->tag, "D_IDENT_UNDEF") == 0)
		diag_hint(cg->ds, "a string stands in double quotes: \"%s\"",
		    e->b->u.ident.name);
}

bool
ck_binary(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *t = hidden_cast(cg, e);

	if (t != NULL)
		return ck_hidden_cast(cg, e, t);
	if (!ck_expr(cg, e->a))
		return false;
	if (!ck_expr(cg, e->b)) {
		hint_at_quotes(cg, e);
		return false;
	}
	if (!ck_operands(cg, e))
		return false;
	if (e->op != AST_OP_COMMA && e->a->is_const && e->b->is_const &&
	    ctf_is_integer(e->a->type) && ctf_is_integer(e->b->type))
		set_const(e,
		    fold(e->op, cg_compares_signed(cg, e), e->a->const_value,
			e->b->const_value));
	return true;
}

/* ---- ?: ------------------------------------------------------------------ */

/* The value of ?: that is not e->b; or e->b if there is no other. */
static const struct ast_expr *
other(const struct ast_expr *e)
{
	return e->c != NULL ? e->c : e->b;
}

static struct ctf_type *
cond_type(struct cg *cg, const struct ast_expr *e)
{
	const struct ast_expr *b = e->b, *c = other(e);
	struct ctf_type *pb = cg_decay(cg, b), *pc = cg_decay(cg, c);

	if (ctf_is_integer(b->type) && ctf_is_integer(c->type))
		return cg_usual(cg, b->type, c->type);
	if (cg_is_string(b->type) || cg_is_string(c->type))
		return ck_converts(cg, b, cg->g->t_string) &&
			ck_converts(cg, c, cg->g->t_string) ?
		    cg->g->t_string :
		    NULL;
	if (pb != NULL && pc != NULL)
		return cg_same_target(pb, pc) ? pb : NULL;
	if (pb != NULL || pc != NULL)
		return cg_is_null(pb != NULL ? c : b) ? (pb != NULL ? pb : pc) :
							NULL;
	return ctf_resolve(b->type) == ctf_resolve(c->type) ? b->type : NULL;
}

static bool
ck_condition(struct cg *cg, struct ast_expr *e)
{
	if (!ck_expr(cg, e))
		return false;
	if (cg_is_scalar(e->type))
		return true;
	diag_error(cg->ds, D_OP_SCALAR, e->span,
	    "operator ?: needs "
	    "an integer or a pointer as its condition, not %s",
	    cg_tn(cg, e->type));
	return false;
}

/*
 * For a constant condition the other value is not even checked.  The chosen
 * value becomes the only child, so that walkers of the tree meet it once.
 */
static void
choose(struct ast_expr *e)
{
	if (!e->a->is_const || e->c == NULL)
		return;
	if (e->a->const_value == 0)
		e->b = e->c;
	e->c = NULL;
}

bool
ck_cond(struct cg *cg, struct ast_expr *e)
{
	if (!ck_condition(cg, e->a))
		return false;
	choose(e);
	if (!ck_expr(cg, e->b) || (e->c != NULL && !ck_expr(cg, e->c)) ||
	    !ck_no_action(cg, e->b) ||
	    (e->c != NULL && !ck_no_action(cg, e->c)))
		return false;
	e->type = cond_type(cg, e);
	if (e->type == NULL) {
		diag_error(cg->ds, D_OP_INCOMPAT, e->span,
		    "the two values of ?: have types %s and %s",
		    cg_tn(cg, e->b->type), cg_tn(cg, other(e)->type));
		return false;
	}
	if (e->a->is_const && e->b->is_const && ctf_is_integer(e->type))
		set_const(e, e->b->const_value);
	return true;
}

/* ---- assignment ---------------------------------------------------------- */

static struct ctf_type *
unqualified(struct ctf_type *t)
{
	while (t->kind == CTF_K_CONST || t->kind == CTF_K_VOLATILE)
		t = t->ref;
	return t;
}

/* Check the type that a variable takes from the first value assigned to it. */
static bool
implied_type(struct cg *cg, const struct ast_expr *e, struct ctf_type **tp)
{
	struct ctf_type *t = unqualified(e->b->type), *r = ctf_resolve(t);

	if (ctf_is_void(t) || r->kind == CTF_K_D_STACK) {
		diag_error(cg->ds, D_DECL_VOIDOBJ, e->b->span,
		    "a variable cannot take a value of type %s", cg_tn(cg, t));
		return false;
	}
	if (r->size > DIF_STATVAR_MAX) {
		diag_error(cg->ds, D_DECL_ARRBIG, e->b->span,
		    "%s takes %llu bytes; a variable has at most %u",
		    cg_tn(cg, t), (unsigned long long)r->size, DIF_STATVAR_MAX);
		return false;
	}
	if (e->op != AST_OP_NONE)
		t = ctf_lookup(cg->g, CTF_SP_ORDINARY, "int64_t");
	*tp = t;
	return true;
}

/*
 * The value is in error, so the new variable's type is not known: declare it
 * as broken, lest every later use is reported as well.
 */
static void
declare_broken(struct cg *cg, struct ast_expr *target)
{
	const struct ast_expr *id =
	    target->kind == AST_INDEX ? target->a : target;
	struct cg_sym *sym = cg_var_add(
	    cg->s, cg_scope(id->u.ident.scope), id->u.ident.name, cg->g->t_int);

	sym->is_broken = true;
}

/* a op= b is a = a op b; find the type that the operation has. */
static bool
ck_compound(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr op = { .kind = AST_BINARY,
		.op = e->op,
		.span = e->span,
		.a = e->a,
		.b = e->b };

	if (!ck_operands(cg, &op))
		return false;
	if (ctf_is_pointer(op.type) != ctf_is_pointer(e->a->type))
		return refuse_pair(cg, e);
	if (!ck_steps(cg, e->a, e->op))
		return false;
	e->sym = op.type;
	return true;
}

/* Is the value the address of a translation as a whole? */
bool
ck_points_to_translation(const struct ast_expr *e)
{
	if (e->kind == AST_XLATE)
		return ctf_is_pointer(e->type);
	if (e->inst != NULL)
		return ck_points_to_translation(e->inst);
	if (e->kind == AST_COND)
		return ck_points_to_translation(e->b) ||
		    (e->c != NULL && ck_points_to_translation(e->c));
	if (e->kind == AST_CAST)
		return ck_points_to_translation(e->a);
	return e->kind == AST_BINARY && e->op == AST_OP_COMMA &&
	    ck_points_to_translation(e->b);
}

/*
 * A pointer to scratch memory cannot be kept: the memory is gone when the
 * firing ends.
 */
static bool
ck_lifetime(struct cg *cg, const struct ast_expr *e)
{
	if (!ck_points_to_translation(e->b) ||
	    (e->a->kind == AST_IDENT && e->a->u.ident.scope == AST_THIS))
		return true;
	diag_error(cg->ds, D_OP_DYN, e->span,
	    "the translation lives in this "
	    "firing's memory: its address can be kept in a this-> variable "
	    "only");
	diag_hint(cg->ds,
	    "assign the struct itself: xlate <T> (...), without "
	    "the star");
	return false;
}

bool
ck_assign(struct cg *cg, struct ast_expr *e)
{
	bool is_new = ck_is_new_var(cg, e->a);
	struct ctf_type *t;

	if (!ck_expr(cg, e->b) || (is_new && !implied_type(cg, e, &t))) {
		if (is_new)
			declare_broken(cg, e->a);
		return false;
	}
	/* x = x + 1 declares nothing: the use came first and was refused */
	if (is_new && !ck_declare_target(cg, e->a, t))
		return false;
	if (!ck_expr(cg, e->a) || !ck_lvalue(cg, e->a, e->op))
		return false;
	e->type = e->a->type;
	if (e->op != AST_OP_NONE)
		return ck_compound(cg, e);
	if (!ck_converts(cg, e->b, e->a->type))
		return refuse_pair(cg, e);
	if (ctf_resolve(e->type)->kind == CTF_K_ARRAY) {
		diag_error(cg->ds, D_OP_ARRFUN, e->span,
		    "operator = cannot be applied to an array of C");
		return false;
	}
	return ck_lifetime(cg, e);
}
