/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations and names of types.
 *
 * A C declarator is read inside out: `int *x[3]` makes x an array of pointers.
 * Each declarator is read into a chain.  Its head says what the name is, its
 * tail is next to the base type; parentheses put one chain in front of another.
 * Combinations of specifiers are checked where types are built; the parser
 * refuses only those that the tree cannot express.
 */
#include "lang/parse_impl.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* A chain of declarators, appended to at its end. */
struct chain {
	struct ast_declarator *head, **tail;
	char *name;
	unsigned n;
};

static struct ast_decl *parse_specs(struct parser *p);

static bool
is_type_keyword(enum lex_kind kind)
{
	switch (kind) {
	case TOK_KW_AUTO:
	case TOK_KW_EXTERN:
	case TOK_KW_INLINE:
	case TOK_KW_PROVIDER:
	case TOK_KW_REGISTER:
	case TOK_KW_SELF:
	case TOK_KW_STATIC:
	case TOK_KW_THIS:
	case TOK_KW_TRANSLATOR:
	case TOK_KW_TYPEDEF:
		return false;
	default:
		return lex_info[kind].class == LEX_CLASS_DECL;
	}
}

/* vmlinux`struct foo is the same as struct vmlinux`foo. */
static enum ast_tag
tag_word(const char *s)
{
	return strcmp(s, "struct") == 0 ? AST_TAG_STRUCT :
	    strcmp(s, "union") == 0	? AST_TAG_UNION :
	    strcmp(s, "enum") == 0	? AST_TAG_ENUM :
					  AST_TAG_NONE;
}

bool
parse_is_type(struct parser *p, size_t ahead)
{
	const struct lex_tok *t = parse_peek(p, ahead);

	if (t->kind == TOK_IDENT)
		return t->module == NULL ? lex_is_type(&p->lx, t->s) :
					   tag_word(t->s) != AST_TAG_NONE;
	return is_type_keyword(t->kind);
}

bool
parse_is_decl(struct parser *p, size_t ahead)
{
	enum lex_kind kind = parse_peek(p, ahead)->kind;

	if (kind == TOK_KW_SELF || kind == TOK_KW_THIS)
		return parse_peek(p, ahead + 1)->kind != TOK_ARROW;
	if (kind == TOK_IDENT)
		return parse_peek(p, ahead + 1)->kind == TOK_IDENT &&
		    parse_is_type(p, ahead);
	return lex_info[kind].class == LEX_CLASS_DECL;
}

/*
 * An expression inside a type adds to the height of the tree that contains the
 * type.
 */
static struct ast_expr *
parse_type_expr(struct parser *p)
{
	struct ast_expr *e = parse_cond(p);

	if (e->height > p->type_height)
		p->type_height = e->height;
	return e;
}

/* ---- specifiers ---------------------------------------------------------- */

static bool
spec_storage(struct parser *p, struct ast_decl *d)
{
	static const enum ast_storage storage[TOK_COUNT_] = {
		[TOK_KW_AUTO] = AST_ST_AUTO,
		[TOK_KW_EXTERN] = AST_ST_EXTERN,
		[TOK_KW_REGISTER] = AST_ST_REGISTER,
		[TOK_KW_SELF] = AST_ST_SELF,
		[TOK_KW_STATIC] = AST_ST_STATIC,
		[TOK_KW_THIS] = AST_ST_THIS,
		[TOK_KW_TYPEDEF] = AST_ST_TYPEDEF,
	};
	enum ast_storage st = storage[parse_kind(p)];

	if (st == AST_ST_NONE)
		return false;
	if (d->storage != AST_ST_NONE)
		parse_error(p, D_DECL_CLASS, parse_span(p),
		    "expected one storage class, found a second, '%s'",
		    lex_info[parse_kind(p)].text);
	d->storage = st;
	parse_take(p);
	return true;
}

/* Qualifiers, which stand before or after the base or a '*'. */
static bool
spec_qualifier(
    struct parser *p, bool *is_const, bool *is_volatile, bool *is_userland)
{
	switch (parse_kind(p)) {
	case TOK_KW_CONST:
		*is_const = true;
		break;
	case TOK_KW_VOLATILE:
		*is_volatile = true;
		break;
	case TOK_KW_USERLAND:
		*is_userland = true;
		break;
	case TOK_KW_RESTRICT: /* a promise to C's optimizer */
	case TOK_KW_ATOMIC:   /* the layout is the same */
		break;
	default:
		return false;
	}
	parse_take(p);
	return true;
}

static void parse_spec_list(struct parser *p, struct ast_decl *d);

/* _Atomic(int): the specifiers of a type in parentheses. */
static bool
spec_atomic(struct parser *p, struct ast_decl *d)
{
	if (parse_kind(p) != TOK_KW_ATOMIC ||
	    parse_peek(p, 1)->kind != TOK_LPAREN)
		return false;
	parse_take(p);
	parse_take(p);
	parse_spec_list(p, d);
	parse_expect(p, TOK_RPAREN, "after the type of _Atomic()");
	return true;
}

/*
 * Words that may be combined and repeated; the combinations are checked later.
 */
static bool
spec_modifier(struct parser *p, struct ast_decl *d)
{
	switch (parse_kind(p)) {
	case TOK_KW_SIGNED:
		d->n_signed++;
		break;
	case TOK_KW_UNSIGNED:
		d->n_unsigned++;
		break;
	case TOK_KW_SHORT:
		d->n_short++;
		break;
	case TOK_KW_LONG:
		d->n_long++;
		break;
	case TOK_KW_COMPLEX:
		d->n_complex++;
		break;
	default:
		return false;
	}
	parse_take(p);
	return true;
}

static struct ast_decl *
parse_member_decl(struct parser *p)
{
	bool outer = p->in_members;
	struct ast_decl *d;

	p->in_members = true;
	d = parse_specs(p);
	p->in_members = outer;
	for (struct ast_decl *m = d; m != NULL; m = m->next)
		if (m->dtor != NULL && m->dtor->kind == AST_D_ARRAY)
			m->dtor->may_be_empty = m->dtor->size != NULL;
	parse_expect(p, TOK_SEMI, "after the member");
	return d;
}

static void
parse_members(struct parser *p, struct ast_decl *d)
{
	struct ast_decl *m = NULL;

	while (!parse_accept(p, TOK_RBRACE)) {

		if (parse_kind(p) == TOK_EOF) {
			parse_expected(p, "'}' after the members");
			return;
		}
		m = parse_member_decl(p);
		AST_PUSH(p->arena, &d->members, m);
	}
	while (m != NULL && m->next != NULL)
		m = m->next;
	if (m != NULL && m->dtor != NULL && m->dtor->kind == AST_D_ARRAY)
		m->dtor->may_be_empty = true;
}

static void
parse_enumerators(struct parser *p, struct ast_decl *d)
{
	do {
		struct ast_enumerator en = { .span = parse_span(p) };

		if (d->enums.n > 0 && parse_kind(p) == TOK_RBRACE)
			break;
		en.name = parse_expect_ident(p, "the name of an enumerator");
		if (parse_accept(p, TOK_ASSIGN))
			en.value = parse_type_expr(p);
		AST_PUSH(p->arena, &d->enums, en);
	} while (parse_accept(p, TOK_COMMA));
	parse_expect(p, TOK_RBRACE, "after the enumerators");
}

/* The name of a type or tag, with its module if one is given. */
static char *
type_spelling(struct parser *p, const struct lex_tok *t)
{
	if (t->module == NULL)
		return t->s;
	return arena_printf(p->arena, "%s`%s", t->module, t->s);
}

static void
parse_tagged(struct parser *p, struct ast_decl *d)
{
	enum lex_kind kind = parse_take(p)->kind;

	d->tag = kind == TOK_KW_STRUCT ? AST_TAG_STRUCT :
	    kind == TOK_KW_UNION       ? AST_TAG_UNION :
					 AST_TAG_ENUM;
	if (parse_kind(p) == TOK_IDENT)
		d->base = type_spelling(p, parse_take(p));
	else if (parse_kind(p) != TOK_LBRACE)
		parse_expected(
		    p, "a tag or '{' after '%s'", lex_info[kind].text);
	if (!parse_accept(p, TOK_LBRACE))
		return;
	d->has_body = true;
	if (d->tag == AST_TAG_ENUM)
		parse_enumerators(p, d);
	else
		parse_members(p, d);
}

static void
parse_scoped_tag(struct parser *p, struct ast_decl *d)
{
	const struct lex_tok *t = parse_take(p);
	char *name = parse_expect_ident(p, "the tag of the type");

	d->tag = tag_word(t->s);
	d->base = arena_printf(p->arena, "%s`%s", t->module, name);
}

static bool
has_base(const struct ast_decl *d)
{
	return d->base != NULL || d->tag != AST_TAG_NONE;
}

static bool
has_specifier(const struct ast_decl *d)
{
	return has_base(d) || d->n_signed || d->n_unsigned || d->n_short ||
	    d->n_long || d->n_complex;
}

/* Is there only a name after self, this or extern, as in `self x;`? */
static bool
lacks_int(struct parser *p, const struct ast_decl *d)
{
	enum lex_kind next = parse_peek(p, 1)->kind;

	return (d->storage == AST_ST_SELF || d->storage == AST_ST_THIS ||
		   d->storage == AST_ST_EXTERN) &&
	    parse_kind(p) == TOK_IDENT &&
	    (next == TOK_SEMI || next == TOK_COMMA || next == TOK_LBRACKET ||
		next == TOK_LPAREN);
}

/*
 * The base: a keyword, a tagged type or the name of a type.  Where a type is
 * required and none was given yet, any identifier may name one: the type graph
 * knows more names than the parser.
 */
static bool
spec_base(struct parser *p, struct ast_decl *d)
{
	const struct lex_tok *t = parse_peek(p, 0);
	struct diag_span start = t->span;

	if (t->kind == TOK_IDENT) {
		if (has_specifier(d) || lacks_int(p, d))
			return false;
		if (t->module != NULL && tag_word(t->s) != AST_TAG_NONE) {
			parse_scoped_tag(p, d);
			d->base_span = parse_span_from(p, start);
			return true;
		}
		d->base = type_spelling(p, parse_take(p));
		d->base_span = start;
		return true;
	}
	if (!is_type_keyword(t->kind))
		return false;
	if (has_base(d)) {
		parse_error(p, D_DECL_COMBO, start,
		    "expected one type, found '%s' after another",
		    lex_info[t->kind].text);
		return false;
	}
	if (t->kind == TOK_KW_STRUCT || t->kind == TOK_KW_UNION ||
	    t->kind == TOK_KW_ENUM)
		parse_tagged(p, d);
	else
		d->base = lex_info[parse_take(p)->kind].text;
	d->base_span = parse_span_from(p, start);
	return true;
}

static void
parse_spec_list(struct parser *p, struct ast_decl *d)
{
	parse_enter(p);
	while (spec_storage(p, d) || spec_atomic(p, d) ||
	    spec_qualifier(p, &d->is_const, &d->is_volatile, &d->is_userland) ||
	    spec_modifier(p, d) || spec_base(p, d))
		;
	parse_leave(p);
}

static void
parse_specifiers(struct parser *p, struct ast_decl *d)
{
	d->span = parse_span(p);
	parse_spec_list(p, d);
	if (!has_specifier(d) && lacks_int(p, d))
		d->base = "int";
	if (!has_specifier(d) && d->storage == AST_ST_NONE)
		parse_expected(p, "a type");
	else if (!has_specifier(d))
		parse_expected(p, "a type after the storage class");
	d->span = parse_span_from(p, d->span);
}

/* ---- declarators --------------------------------------------------------- */

static struct ast_declarator *
chain_add(struct parser *p, struct chain *c, enum ast_dkind kind)
{
	struct ast_declarator *dt = ARENA_NEW(p->arena, struct ast_declarator);

	dt->kind = kind;
	*c->tail = dt;
	c->tail = &dt->next;
	if (++c->n > PARSE_MAX_DEPTH)
		parse_error(p, D_SYNTAX, parse_span(p),
		    "this type has more than %d parts", PARSE_MAX_DEPTH);
	return dt;
}

/* `[]`, `[size]` or, for an associative array, `[type, type]`. */
static void
parse_subscript(struct parser *p, struct chain *c)
{
	struct ast_declarator *dt = chain_add(p, c, AST_D_ARRAY);

	parse_take(p);
	if (parse_accept(p, TOK_RBRACKET))
		return;
	if (!parse_is_type(p, 0) &&
	    (parse_kind(p) != TOK_IDENT ||
		parse_peek(p, 1)->kind != TOK_COMMA)) {
		dt->size = parse_type_expr(p);
	} else {
		dt->kind = AST_D_ASSOC;
		do {
			struct ast_decl *key = parse_param(p);

			AST_PUSH(p->arena, &dt->types, key);
		} while (parse_accept(p, TOK_COMMA));
	}
	parse_expect(p, TOK_RBRACKET, "after the dimension");
}

static void
parse_params(struct parser *p, struct chain *c)
{
	struct ast_declarator *dt = chain_add(p, c, AST_D_FUNC);

	parse_take(p);
	if (parse_accept(p, TOK_RPAREN))
		return;
	do {
		struct ast_decl *param;

		if (parse_kind(p) == TOK_ELLIPSIS && dt->types.n == 0 &&
		    !p->in_extern)
			parse_error(p, D_DECL_PROTO_FORM, parse_span(p),
			    "expected a parameter before '...'");
		if (parse_accept(p, TOK_ELLIPSIS)) {
			dt->varargs = true;
			break;
		}
		param = parse_param(p);
		if (param->storage != AST_ST_NONE)
			parse_error(p, D_DECL_PARMCLASS, param->span,
			    "a parameter has no storage class");
		/* as in C, an array here is a pointer */
		if (param->dtor != NULL && param->dtor->kind == AST_D_ARRAY)
			param->dtor->kind = AST_D_POINTER;
		AST_PUSH(p->arena, &dt->types, param);
	} while (parse_accept(p, TOK_COMMA));
	parse_expect(p, TOK_RPAREN, "after the parameters");
}

/* Only D has these keywords; headers use them as names. */
static bool
is_member_keyword(struct parser *p)
{
	enum lex_kind kind = parse_kind(p);

	return p->in_members &&
	    (kind == TOK_KW_COUNTER || kind == TOK_KW_PROBE ||
		kind == TOK_KW_IMPORT || kind == TOK_KW_PROVIDER);
}

/* Is the '(' here a declarator in parentheses, not a parameter list? */
static bool
paren_is_declarator(struct parser *p)
{
	enum lex_kind kind = parse_peek(p, 1)->kind;

	return kind == TOK_MUL || kind == TOK_LPAREN ||
	    (kind == TOK_IDENT && !parse_is_type(p, 1));
}

/*
 * { '*' qualifiers } ( name | '(' declarator ')' | nothing ) { [..] | (..) }
 *
 * The stars are nearest to the base type, the leftmost nearest of all, so
 * they are kept, reversed, until everything else has been appended.
 */
static void
parse_chain(struct parser *p, struct chain *c)
{
	struct ast_declarator *stars = NULL, *star;
	struct chain own = { .tail = &stars, .n = c->n };

	parse_enter(p);
	while (parse_accept(p, TOK_MUL)) {
		star = stars;
		own.tail = &stars;
		chain_add(p, &own, AST_D_POINTER)->next = star;
		while (spec_qualifier(p, &stars->is_const, &stars->is_volatile,
		    &stars->is_userland))
			;
	}
	c->n = own.n;
	if (parse_kind(p) == TOK_LPAREN && paren_is_declarator(p)) {
		parse_take(p);
		parse_chain(p, c);
		parse_expect(p, TOK_RPAREN, "after the declarator");
	} else if (is_member_keyword(p)) {
		c->name =
		    arena_strdup(p->arena, lex_info[parse_take(p)->kind].text);
	} else if (parse_kind(p) == TOK_IDENT) {
		if (parse_peek(p, 0)->module != NULL)
			parse_error(p, D_DECL_SCOPE, parse_span(p),
			    "a declared name has no '`'");
		else
			c->name = parse_take(p)->s;
	}
	while (parse_kind(p) == TOK_LBRACKET || parse_kind(p) == TOK_LPAREN)
		if (parse_kind(p) == TOK_LBRACKET)
			parse_subscript(p, c);
		else
			parse_params(p, c);
	*c->tail = stars;
	while (*c->tail != NULL)
		c->tail = &(*c->tail)->next;
	parse_leave(p);
}

static void
parse_declarator(struct parser *p, struct ast_decl *d)
{
	struct ast_declarator *head = NULL;
	struct chain c = { .tail = &head };
	struct diag_span start = parse_span(p);
	size_t pos = p->pos;

	parse_chain(p, &c);
	d->dtor = head;
	d->name = c.name;
	if (p->pos > pos)
		d->span = parse_span_from(p, start);
}

struct ast_decl *
parse_param(struct parser *p)
{
	struct ast_decl *d = ARENA_NEW(p->arena, struct ast_decl);
	struct diag_span start;

	parse_specifiers(p, d);
	start = d->span;
	parse_declarator(p, d);
	d->span = diag_span_join(start, d->span);
	return d;
}

struct ast_decl *
parse_type_name(struct parser *p)
{
	struct ast_decl *d = parse_param(p);

	if (d->name != NULL)
		parse_error(p, D_DECL_IDENT, d->span,
		    "expected a type, found a declaration of '%s'", d->name);
	else if (d->storage != AST_ST_NONE)
		parse_error(p, D_DECL_BADCLASS, d->span,
		    "expected a type, found a storage class");
	return d;
}

/* ---- declarations -------------------------------------------------------- */

/* Is there a declarator to read? A bit-field may have no name. */
static bool
starts_declarator(struct parser *p)
{
	enum lex_kind kind = parse_kind(p);

	return kind == TOK_IDENT || kind == TOK_MUL || kind == TOK_LPAREN ||
	    kind == TOK_COLON || is_member_keyword(p);
}

/*
 * Specifiers and declarators, up to the ';'.  The declarators share the
 * specifiers and a body: the first declaration has the others as `next`.
 */
static struct ast_decl *
parse_specs(struct parser *p)
{
	struct ast_decl *first = ARENA_NEW(p->arena, struct ast_decl), *d;
	struct ast_decl specs;

	parse_specifiers(p, first);
	specs = *first;
	p->in_extern = first->storage == AST_ST_EXTERN;
	if (!starts_declarator(p))
		return first;
	for (d = first;; d = d->next) {
		parse_declarator(p, d);
		/* the size of an extern array is known elsewhere */
		if (p->in_extern && d->dtor != NULL &&
		    d->dtor->kind == AST_D_ARRAY)
			d->dtor->may_be_empty = true;
		if (p->in_members && parse_accept(p, TOK_COLON))
			d->bits = parse_type_expr(p);
		if (d->name == NULL && d->bits == NULL)
			parse_expected(p, "a name in the declaration");
		if (d->storage == AST_ST_TYPEDEF && d->name != NULL)
			strtab_intern(&p->lx.types, d->name);
		if (!parse_accept(p, TOK_COMMA))
			break;
		d->next = ARENA_NEW(p->arena, struct ast_decl);
		*d->next = specs;
	}
	p->in_extern = false;
	return first;
}

static void
push_decl(struct parser *p, struct ast_program *prog, enum ast_ikind kind,
    struct ast_decl *d, struct ast_expr *init, struct diag_span start)
{
	struct ast_item *item = parse_push_item(p, prog, kind, start);

	item->decl = d;
	item->init = init;
}

/*
 * Headers define functions, which D ignores: skip the body.  This is done only
 * after the preprocessor; elsewhere the script's author is told that D has no
 * functions.
 */
static bool
skip_function(struct parser *p, const struct ast_decl *d)
{
	unsigned depth = 0;

	if ((p->lc->flags & LANG_F_CPP) == 0 || d->dtor == NULL ||
	    d->dtor->kind != AST_D_FUNC || parse_kind(p) != TOK_LBRACE)
		return false;
	p->lx.decl_has_body = false; /* the '}' of a struct's body ends
					 * the item */
	do {
		enum lex_kind kind = parse_take(p)->kind;

		depth += kind == TOK_LBRACE;
		depth -= kind == TOK_RBRACE;
	} while (depth > 0 && parse_kind(p) != TOK_EOF);
	return true;
}

void
parse_declaration(struct parser *p, struct ast_program *prog)
{
	struct diag_span start = parse_span(p);
	struct ast_decl *d = parse_specs(p);
	bool has_body;

	if (skip_function(p, d))
		return;
	has_body = d->dtor != NULL && d->dtor->kind == AST_D_FUNC &&
	    parse_kind(p) == TOK_LBRACE;
	if (parse_kind(p) == TOK_ASSIGN) {
		parse_error(p, D_SYNTAX, parse_span(p),
		    "expected ';' after the declaration, found '='");
		parse_hint(p,
		    "variables start at zero; assign to them in "
		    "a clause such as BEGIN");
	}
	if (!parse_expect(p, TOK_SEMI, "after the declaration") && has_body)
		parse_hint(p,
		    "D has no functions; inline int NAME[int x] = EXPRESSION; "
		    "is called as NAME(x)");
	if (!p->panic)
		push_decl(p, prog, AST_I_DECL, d, NULL, start);
}

/* inline type name = value; */
void
parse_inline(struct parser *p, struct ast_program *prog)
{
	struct diag_span start = parse_span(p);
	struct ast_decl *d;
	struct ast_expr *init;

	parse_take(p);
	d = parse_param(p);
	if (d->name == NULL)
		parse_expected(p, "a name in the inline declaration");
	parse_expect(p, TOK_ASSIGN, "after the inline's name");
	init = parse_assign(p);
	parse_expect(p, TOK_SEMI, "after the inline's value");
	if (!p->panic)
		push_decl(p, prog, AST_I_INLINE, d, init, start);
}
