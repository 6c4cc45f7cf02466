/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions.
 *
 * Binary operators are read by precedence climbing over one table; everything
 * else has its own function.  Chains such as a + b + c + ... make trees that
 * lean to the left without recursion here, so the height of each tree is
 * counted and bounded for later recursive walks.
 */
#include "lang/parse_impl.h"

#include <string.h>

#include "base/mem.h"

/* Binary operators: how tightly they bind (0: not binary) and what they are. */
static const struct binary_info {
	int prec;
	enum ast_op op;
} binary_info[TOK_COUNT_] = {
	[TOK_LOR] = { 1, AST_OP_LOR },
	[TOK_LXOR] = { 2, AST_OP_LXOR },
	[TOK_LAND] = { 3, AST_OP_LAND },
	[TOK_BOR] = { 4, AST_OP_BOR },
	[TOK_BXOR] = { 5, AST_OP_BXOR },
	[TOK_BAND] = { 6, AST_OP_BAND },
	[TOK_EQ] = { 7, AST_OP_EQ },
	[TOK_NE] = { 7, AST_OP_NE },
	[TOK_LT] = { 8, AST_OP_LT },
	[TOK_LE] = { 8, AST_OP_LE },
	[TOK_GT] = { 8, AST_OP_GT },
	[TOK_GE] = { 8, AST_OP_GE },
	[TOK_SHL] = { 9, AST_OP_SHL },
	[TOK_SHR] = { 9, AST_OP_SHR },
	[TOK_ADD] = { 10, AST_OP_ADD },
	[TOK_SUB] = { 10, AST_OP_SUB },
	[TOK_MUL] = { 11, AST_OP_MUL },
	[TOK_DIV] = { 11, AST_OP_DIV },
	[TOK_MOD] = { 11, AST_OP_MOD },
};

/* AST_OP_NONE means `=` in an entry, so a flag marks the entries in use. */
static const struct assign_info {
	bool is_assign;
	enum ast_op op;
} assign_info[TOK_COUNT_] = {
	[TOK_ASSIGN] = { true, AST_OP_NONE },
	[TOK_ADD_ASSIGN] = { true, AST_OP_ADD },
	[TOK_SUB_ASSIGN] = { true, AST_OP_SUB },
	[TOK_MUL_ASSIGN] = { true, AST_OP_MUL },
	[TOK_DIV_ASSIGN] = { true, AST_OP_DIV },
	[TOK_MOD_ASSIGN] = { true, AST_OP_MOD },
	[TOK_SHL_ASSIGN] = { true, AST_OP_SHL },
	[TOK_SHR_ASSIGN] = { true, AST_OP_SHR },
	[TOK_AND_ASSIGN] = { true, AST_OP_BAND },
	[TOK_OR_ASSIGN] = { true, AST_OP_BOR },
	[TOK_XOR_ASSIGN] = { true, AST_OP_BXOR },
};

static const enum ast_op prefix_op[TOK_COUNT_] = {
	[TOK_INC] = AST_OP_PREINC,
	[TOK_DEC] = AST_OP_PREDEC,
	[TOK_BAND] = AST_OP_ADDROF,
	[TOK_MUL] = AST_OP_DEREF,
	[TOK_ADD] = AST_OP_PLUS,
	[TOK_SUB] = AST_OP_NEG,
	[TOK_BNOT] = AST_OP_BNOT,
	[TOK_LNOT] = AST_OP_LNOT,
	[TOK_KW_STRINGOF] = AST_OP_STRINGOF,
};

static struct ast_expr *parse_cast(struct parser *p);
static struct ast_expr *parse_unary(struct parser *p);

static struct ast_expr *
expr_new(struct parser *p, enum ast_kind kind, struct diag_span span)
{
	struct ast_expr *e = ARENA_NEW(p->arena, struct ast_expr);

	e->kind = kind;
	e->span = span;
	e->height = 1;
	return e;
}

/* Make the height of `e` greater than that of its child. */
static void
expr_raise(struct parser *p, struct ast_expr *e, unsigned height)
{
	if (height >= e->height)
		e->height = height + 1;
	if (e->height > AST_MAX_HEIGHT)
		parse_error(p, D_SYNTAX, e->span,
		    "this expression chains more than %d operators",
		    AST_MAX_HEIGHT);
}

/* Note that `e` has the child `child`. */
static void
expr_adopt(struct parser *p, struct ast_expr *e, const struct ast_expr *child)
{
	e->span = diag_span_join(e->span, child->span);
	expr_raise(p, e, child->height);
}

/*
 * Parse the type that belongs to `e`; sizes of arrays in it add to the height
 * of `e`.
 */
static void
expr_type(struct parser *p, struct ast_expr *e)
{
	unsigned outer = p->type_height;

	p->type_height = 0;
	e->decl = parse_type_name(p);
	expr_raise(p, e, p->type_height);
	p->type_height = outer;
}

/* An operator over one or two operands; its span grows to cover them. */
static struct ast_expr *
expr_op(struct parser *p, enum ast_kind kind, enum ast_op op,
    struct diag_span span, struct ast_expr *a, struct ast_expr *b)
{
	struct ast_expr *e = expr_new(p, kind, span);

	e->op = op;
	e->a = a;
	e->b = b;
	expr_adopt(p, e, a);
	if (b != NULL)
		expr_adopt(p, e, b);
	return e;
}

/* ---- $target, where it is several processes ------------------------------ */

static bool
is_targets(const struct ast_expr *e)
{
	return e->kind == AST_INT && e->u.num.is_targets;
}

/* May the expression be evaluated once more for each process? */
static bool
can_be_repeated(const struct ast_expr *e)
{
	if (e->kind == AST_MEMBER || e->kind == AST_CAST)
		return can_be_repeated(e->a);
	if (e->kind != AST_INDEX)
		return e->kind == AST_IDENT || e->kind == AST_INT;
	for (size_t i = 0; i < e->args.n; i++) {
		if (!can_be_repeated(e->args.v[i]))
			return false;
	}
	return can_be_repeated(e->a);
}

/* A copy of a test in which $target is the process. */
static struct ast_expr *
copy_test(struct parser *p, const struct ast_expr *e, int64_t target)
{
	struct ast_expr *copy = ARENA_NEW(p->arena, struct ast_expr);

	*copy = *e;
	if (is_targets(e)) {
		copy->u.num.value = (uint64_t)target;
		copy->u.num.is_targets = false;
	}
	if (e->a != NULL)
		copy->a = copy_test(p, e->a, target);
	if (e->b != NULL)
		copy->b = copy_test(p, e->b, target);
	memset(&copy->args, 0, sizeof(copy->args));
	for (size_t i = 0; i < e->args.n; i++)
		AST_PUSH(
		    p->arena, &copy->args, copy_test(p, e->args.v[i], target));
	return copy;
}

/* The tests of processes from..to, joined by `join`; the tree stays low. */
static struct ast_expr *
join_tests(struct parser *p, const struct ast_expr *test, enum ast_op join,
    size_t from, size_t to)
{
	size_t half = from + (to - from) / 2;
	struct ast_expr *e;

	if (to - from == 1)
		return copy_test(p, test, p->lc->targets[from]);
	e = expr_op(p, AST_BINARY, join, test->span,
	    join_tests(p, test, join, from, half),
	    join_tests(p, test, join, half, to));
	e->in_parens = true;
	return e;
}

/*
 * "x == $target" is true for each of the processes, "x != $target" for none of
 * them.  Other uses are errors when the tree is checked.
 */
static struct ast_expr *
expr_binary(
    struct parser *p, enum ast_op op, struct ast_expr *a, struct ast_expr *b)
{
	struct ast_expr *e = expr_op(p, AST_BINARY, op, a->span, a, b);

	if ((op != AST_OP_EQ && op != AST_OP_NE) ||
	    is_targets(a) == is_targets(b) || !can_be_repeated(a) ||
	    !can_be_repeated(b))
		return e;
	return join_tests(p, e, op == AST_OP_EQ ? AST_OP_LOR : AST_OP_LAND, 0,
	    p->lc->ntargets);
}

static bool
starts_primary(enum lex_kind kind)
{
	return kind == TOK_IDENT || kind == TOK_INT || kind == TOK_STR ||
	    kind == TOK_LPAREN || kind == TOK_LNOT || kind == TOK_BNOT ||
	    kind == TOK_KW_SELF || kind == TOK_KW_THIS ||
	    kind == TOK_KW_SIZEOF || kind == TOK_KW_STRINGOF;
}

/*
 * Is the '(' here followed by a type?  A type that only the type graph knows is
 * recognised by the tokens after it: "(name *)" is no expression, and neither
 * is "(name) name".
 */
static bool
paren_is_type(struct parser *p, bool in_cast)
{
	size_t i = 2;

	if (parse_is_type(p, 1))
		return true;
	if (parse_peek(p, 1)->kind != TOK_IDENT)
		return false;
	while (parse_peek(p, i)->kind == TOK_MUL)
		i++;
	if (parse_peek(p, i)->kind != TOK_RPAREN)
		return false;
	return i > 2 || (in_cast && starts_primary(parse_peek(p, i + 1)->kind));
}

/* Hint at what was meant by the token after the last argument, or key. */
static void
hint_after_arg(struct parser *p, const struct ast_expr *e, enum lex_kind kind)
{
	bool is_call = e->kind == AST_CALL;

	if (is_call && strcmp(e->u.ident.name, "foreach") == 0)
		parse_hint(p,
		    "D does not walk the keys of an array; printa() prints "
		    "those of an aggregation");
	else if (kind == TOK_STR && e->args.v[e->args.n - 1]->kind == AST_STR)
		parse_hint_strings(p);
	else if (starts_primary(kind) && kind != TOK_LPAREN &&
	    !parse_is_infix(p))
		parse_hint(p, "%s are separated by commas",
		    is_call ? "arguments" : "keys");
}

/* Arguments or keys: assign { ',' assign }, and the closing token. */
static void
parse_args(struct parser *p, struct ast_expr *e, enum lex_kind close,
    const char *where)
{
	enum lex_kind kind;

	do {
		struct ast_expr *arg = parse_assign(p);

		expr_adopt(p, e, arg);
		AST_PUSH(p->arena, &e->args, arg);
	} while (parse_accept(p, TOK_COMMA));
	kind = parse_kind(p);
	if (!parse_expect(p, close, where))
		hint_after_arg(p, e, kind);
	e->span = parse_span_from(p, e->span);
}

/* ---- primary expressions ------------------------------------------------- */

static struct ast_expr *
parse_int(struct parser *p)
{
	const struct lex_tok *t = parse_take(p);
	struct ast_expr *e = expr_new(p, AST_INT, t->span);

	e->u.num.value = t->value;
	e->u.num.is_unsigned = t->is_unsigned;
	e->u.num.is_long = t->is_long;
	e->u.num.is_char = t->is_char;
	e->u.num.is_decimal = t->is_decimal;
	e->u.num.is_targets = t->is_targets;
	return e;
}

static struct ast_expr *
parse_str(struct parser *p)
{
	const struct lex_tok *t = parse_take(p);
	struct ast_expr *e = expr_new(p, AST_STR, t->span);

	e->u.str.s = t->s;
	e->u.str.len = t->len;
	return e;
}

static struct ast_expr *
parse_ident(struct parser *p)
{
	const struct lex_tok *t = parse_take(p);
	struct ast_expr *e = expr_new(p, AST_IDENT, t->span);

	e->u.ident.name = t->s;
	e->u.ident.module = t->module;
	return e;
}

/* self->name, this->name */
static void
refuse_dot(struct parser *p, const char *scope)
{
	const struct lex_tok *next = parse_peek(p, 1);

	parse_expected(p, "'->' after '%s'", scope);
	parse_hint(p, "a variable of the %s is %s->%s",
	    strcmp(scope, "self") == 0 ? "thread" : "clause", scope,
	    next->kind == TOK_IDENT ? next->s : "NAME");
}

static struct ast_expr *
parse_scoped(struct parser *p, enum ast_scope scope)
{
	struct ast_expr *e = expr_new(p, AST_IDENT, parse_span(p));

	parse_take(p);
	if (parse_kind(p) == TOK_DOT)
		refuse_dot(p, scope == AST_SELF ? "self" : "this");
	parse_expect(
	    p, TOK_ARROW, scope == AST_SELF ? "after 'self'" : "after 'this'");
	e->u.ident.scope = scope;
	e->u.ident.name = parse_expect_ident(p, "the name of a variable");
	e->span = parse_span_from(p, e->span);
	return e;
}

static struct ast_expr *
parse_agg(struct parser *p)
{
	const struct lex_tok *t = parse_take(p);
	struct ast_expr *e = expr_new(p, AST_AGG, t->span);

	e->u.ident.name = t->s;
	if (parse_accept(p, TOK_LBRACKET))
		parse_args(p, e, TOK_RBRACKET, "after the aggregation's key");
	if (parse_kind(p) == TOK_LBRACKET) {
		parse_error(p, D_AGG_MDIM, parse_span(p),
		    "an aggregation has one list of keys, found a second");
		parse_hint(p, "separate keys by commas: @%s[a, b]",
		    ast_agg_name(t->s));
	}
	return e;
}

static struct ast_expr *
parse_paren(struct parser *p)
{
	struct diag_span start = parse_span(p);
	struct ast_expr *e;

	parse_take(p);
	e = parse_expr(p);
	parse_expect(p, TOK_RPAREN, "after the expression");
	e->span = parse_span_from(p, start);
	e->in_parens = true;
	return e;
}

static struct ast_expr *
parse_offsetof(struct parser *p)
{
	struct ast_expr *e = expr_new(p, AST_OFFSETOF, parse_span(p));

	parse_take(p);
	parse_expect(p, TOK_LPAREN, "after 'offsetof'");
	expr_type(p, e);
	parse_expect(p, TOK_COMMA, "after the type");
	e->u.ident.name = parse_expect_ident(p, "the name of a member");
	parse_expect(p, TOK_RPAREN, "after the member");
	e->span = parse_span_from(p, e->span);
	return e;
}

static struct ast_expr *
parse_xlate(struct parser *p)
{
	struct ast_expr *e = expr_new(p, AST_XLATE, parse_span(p));

	parse_take(p);
	parse_expect(p, TOK_LT, "after 'xlate'");
	expr_type(p, e);
	parse_expect(p, TOK_GT, "after the type");
	parse_expect(p, TOK_LPAREN, "after '>'");
	e->a = parse_expr(p);
	parse_expect(p, TOK_RPAREN, "after the expression");
	expr_adopt(p, e, e->a);
	e->span = parse_span_from(p, e->span);
	return e;
}

/* Is the '<' here the last of SystemTap's '<<<'? */
static bool
is_after_shift(struct parser *p)
{
	uint32_t off = parse_span(p).off;

	return off >= 2 && memcmp(p->lx.text + off - 2, "<<", 2) == 0;
}

static struct ast_expr *
parse_primary(struct parser *p)
{
	enum lex_kind kind = parse_kind(p);

	/*
	 * `probe` is a keyword in declarations of providers, and a variable
	 * here
	 */
	if (kind == TOK_IDENT || kind == TOK_KW_PROBE)
		return parse_ident(p);
	if (kind == TOK_INT)
		return parse_int(p);
	if (kind == TOK_STR)
		return parse_str(p);
	if (kind == TOK_AGG)
		return parse_agg(p);
	if (kind == TOK_KW_SELF)
		return parse_scoped(p, AST_SELF);
	if (kind == TOK_KW_THIS)
		return parse_scoped(p, AST_THIS);
	if (kind == TOK_LPAREN)
		return parse_paren(p);
	if (kind == TOK_KW_OFFSETOF)
		return parse_offsetof(p);
	if (kind == TOK_KW_XLATE)
		return parse_xlate(p);
	parse_expected(p, "an expression");
	if (kind != TOK_EOF &&
	    (parse_is_after(p, TOK_EQ) || parse_is_after(p, TOK_NE)))
		parse_hint(p,
		    "is $NAME missing here?  In double quotes, the shell "
		    "replaces it: write the program in single quotes");
	if (kind == TOK_MOD && parse_is_after(p, TOK_LPAREN))
		parse_hint(p, "a format is a string: printf(\"%%d\\n\", ...)");
	if (kind == TOK_LT && is_after_shift(p))
		parse_hint(p,
		    "SystemTap's x <<< n is @x = sum(n), or another function: "
		    "count(), avg(n), quantize(n), ...");
	return expr_new(p, AST_INT, parse_span(p));
}

/* ---- postfix, unary, cast ------------------------------------------------ */

static struct ast_expr *
parse_call(struct parser *p, struct ast_expr *callee)
{
	struct ast_expr *e;

	if (callee->kind != AST_IDENT || callee->u.ident.scope != AST_GLOBAL) {
		parse_error(p, D_FUNC_IDENT, callee->span,
		    "expected the name of a function before '('");
		if (callee->kind == AST_AGG)
			parse_hint(p, "keys stand in brackets: @%s[...]",
			    ast_agg_name(callee->u.ident.name));
		return callee;
	}
	e = expr_new(p, AST_CALL, callee->span);
	e->u.ident.name = callee->u.ident.name;
	e->u.ident.module = callee->u.ident.module;
	parse_take(p);
	if (parse_accept(p, TOK_RPAREN))
		e->span = parse_span_from(p, e->span);
	else
		parse_args(p, e, TOK_RPAREN, "after the argument list");
	if (strcmp(e->u.ident.name, "progenyof") == 0 && e->args.n == 1 &&
	    is_targets(e->args.v[0]))
		return join_tests(p, e, AST_OP_LOR, 0, p->lc->ntargets);
	return e;
}

static struct ast_expr *
parse_index(struct parser *p, struct ast_expr *a)
{
	struct ast_expr *e =
	    expr_op(p, AST_INDEX, AST_OP_NONE, a->span, a, NULL);

	parse_take(p);
	parse_args(p, e, TOK_RBRACKET, "after the index");
	return e;
}

char *
parse_member_name(struct parser *p)
{
	const struct lex_tok *t = parse_peek(p, 0);

	if (lex_info[t->kind].class < LEX_CLASS_EXPR)
		return parse_expect_ident(p, "the name of a member");
	p->pos++;
	return arena_strdup(p->arena, lex_info[t->kind].text);
}

static struct ast_expr *
parse_member(struct parser *p, struct ast_expr *a)
{
	struct ast_expr *e =
	    expr_op(p, AST_MEMBER, AST_OP_NONE, a->span, a, NULL);
	bool is_string;

	e->u.ident.arrow = parse_take(p)->kind == TOK_ARROW;
	is_string = !e->u.ident.arrow && parse_kind(p) == TOK_STR;
	e->u.ident.name = parse_member_name(p);
	if (is_string)
		parse_hint_strings(p);
	e->span = parse_span_from(p, e->span);
	return e;
}

static struct ast_expr *
parse_postfix(struct parser *p)
{
	struct ast_expr *e = parse_primary(p);

	for (;;) {
		enum lex_kind kind = parse_kind(p);

		if (kind == TOK_LBRACKET) {
			e = parse_index(p, e);
		} else if (kind == TOK_LPAREN) {
			e = parse_call(p, e);
		} else if (kind == TOK_DOT || kind == TOK_ARROW) {
			e = parse_member(p, e);
		} else if (kind == TOK_INC || kind == TOK_DEC) {
			e = expr_op(p, AST_UNARY,
			    kind == TOK_INC ? AST_OP_POSTINC : AST_OP_POSTDEC,
			    parse_span(p), e, NULL);
			parse_take(p);
		} else {
			return e;
		}
	}
}

static struct ast_expr *
parse_sizeof(struct parser *p)
{
	struct diag_span start = parse_span(p);
	struct ast_expr *e;

	parse_take(p);
	if (parse_kind(p) != TOK_LPAREN || !paren_is_type(p, false))
		return expr_op(
		    p, AST_UNARY, AST_OP_SIZEOF, start, parse_unary(p), NULL);
	parse_take(p);
	e = expr_new(p, AST_SIZEOF_TYPE, start);
	expr_type(p, e);
	parse_expect(p, TOK_RPAREN, "after the type");
	e->span = parse_span_from(p, start);
	return e;
}

static struct ast_expr *
parse_unary(struct parser *p)
{
	enum lex_kind kind = parse_kind(p);
	struct diag_span start = parse_span(p);
	struct ast_expr *e;

	parse_enter(p);
	if (kind == TOK_KW_SIZEOF) {
		e = parse_sizeof(p);
	} else if (prefix_op[kind] != AST_OP_NONE) {
		parse_take(p);
		e = kind == TOK_INC || kind == TOK_DEC ||
			kind == TOK_KW_STRINGOF ?
		    parse_unary(p) :
		    parse_cast(p);
		e = expr_op(p, AST_UNARY, prefix_op[kind], start, e, NULL);
	} else {
		e = parse_postfix(p);
	}
	parse_leave(p);
	return e;
}

static struct ast_expr *
parse_cast(struct parser *p)
{
	struct ast_expr *e;

	if (parse_kind(p) != TOK_LPAREN || !paren_is_type(p, true))
		return parse_unary(p);
	parse_enter(p);
	e = expr_new(p, AST_CAST, parse_span(p));
	parse_take(p);
	expr_type(p, e);
	parse_expect(p, TOK_RPAREN, "after the type");
	e->a = parse_cast(p);
	expr_adopt(p, e, e->a);
	parse_leave(p);
	return e;
}

/* ---- binary, conditional, assignment, comma ------------------------------ */

static struct ast_expr *
parse_binary(struct parser *p, int min_prec)
{
	struct ast_expr *a = parse_cast(p);

	for (;;) {
		struct binary_info bi = binary_info[parse_kind(p)];

		if (bi.prec == 0 || bi.prec < min_prec)
			return a;
		parse_take(p);
		a = expr_binary(p, bi.op, a, parse_binary(p, bi.prec + 1));
	}
}

struct ast_expr *
parse_cond(struct parser *p)
{
	struct ast_expr *a = parse_binary(p, 1), *e;

	if (!parse_accept(p, TOK_QUESTION))
		return a;
	parse_enter(p);
	e = expr_op(p, AST_COND, AST_OP_NONE, a->span, a, parse_expr(p));
	parse_expect(p, TOK_COLON, "after the second operand of '?:'");
	e->c = parse_cond(p);
	expr_adopt(p, e, e->c);
	parse_leave(p);
	return e;
}

struct ast_expr *
parse_assign(struct parser *p)
{
	struct ast_expr *a = parse_cond(p);
	struct assign_info ai = assign_info[parse_kind(p)];

	if (!ai.is_assign)
		return a;
	parse_enter(p);
	parse_take(p);
	a = expr_op(p, AST_ASSIGN, ai.op, a->span, a, parse_assign(p));
	parse_leave(p);
	return a;
}

struct ast_expr *
parse_expr(struct parser *p)
{
	struct ast_expr *a = parse_assign(p);

	while (parse_accept(p, TOK_COMMA))
		a = expr_op(
		    p, AST_BINARY, AST_OP_COMMA, a->span, a, parse_assign(p));
	return a;
}
