/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions that are written once and used in many places: inlines and the
 * members of translators.
 *
 * A definition is checked where it stands, and kept as a template: the tree
 * without the results of the checks, except for the types that were written
 * out.  At each use, a copy with the arguments in place of the parameters
 * (`inst`) is checked and compiled instead.
 *
 * An argument is evaluated once: unless it is a constant or a built-in
 * variable, it waits in a hidden clause-local variable (AST_BOUND), which a
 * comma expression sets before the copy is evaluated.  A template can use only
 * earlier definitions, so there is no recursion; but it may use them many
 * times, so the nodes made for one statement are counted.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "codegen/expand_impl.h"

#define MAX_NODES 65536 /* made of templates, for one statement */

/* ---- trees of our own ---------------------------------------------------- */

struct ast_expr *
cg_node(struct cg *cg, enum ast_kind kind, struct ctf_type *type,
    struct diag_span span)
{
	struct ast_expr *e = ARENA_NEW(cg->lc->arena, struct ast_expr);

	e->kind = kind;
	e->span = span;
	e->type = type;
	return e;
}

struct ast_expr *
cg_var_node(struct cg *cg, struct cg_sym *sym, struct diag_span span)
{
	struct ast_expr *e = cg_node(cg, AST_IDENT, sym->type, span);

	e->sym = sym;
	return e;
}

static struct ast_expr *
binary_node(struct cg *cg, enum ast_kind kind, enum ast_op op,
    struct ast_expr *a, struct ast_expr *b)
{
	struct ast_expr *e = cg_node(cg, kind, b->type, a->span);

	e->op = op;
	e->a = a;
	e->b = b;
	return e;
}

struct ast_expr *
cg_sequence(struct cg *cg, struct ast_expr *first, struct ast_expr *then)
{
	if (first == NULL || then == NULL)
		return first != NULL ? first : then;
	return binary_node(cg, AST_BINARY, AST_OP_COMMA, first, then);
}

struct ast_expr *
cg_set_node(struct cg *cg, struct ast_expr *place, struct ast_expr *value)
{
	struct ast_expr *e =
	    binary_node(cg, AST_ASSIGN, AST_OP_NONE, place, value);

	e->type = place->type;
	return e;
}

/* ---- hidden variables ---------------------------------------------------- */

/*
 * All statements share the hidden variables; each statement begins with all of
 * them free.
 */
void
cg_begin_statement(struct cg *cg)
{
	cg->nnodes = 0;
	cg->action = NULL;
	cg->args_attr = (struct dif_attr)DIF_ATTR_PROGRAM;
	VEC_FOREACH(&cg->s->bound, sp)
		(*sp)->is_taken = false;
}

struct cg_sym *
cg_take_hidden(struct cg *cg, struct ctf_type *type)
{
	struct cg_session *s = cg->s;
	struct cg_sym *sym;

	VEC_FOREACH(&s->bound, sp) {
		if (!(*sp)->is_taken && (*sp)->type == type) {
			(*sp)->is_taken = true;
			return *sp;
		}
	}
	sym = cg_var_add(s, DIFV_SCOPE_LOCAL,
	    arena_printf(&s->arena, "$bound%zu", s->bound.n), type);
	sym->is_hidden = true;
	sym->is_taken = true;
	VEC_PUSH(&s->bound, sym);
	return sym;
}

/* ---- templates ----------------------------------------------------------- */

/* The place of a copy, and the arguments for its parameters. */
struct copying {
	struct cg *cg;
	struct arena *arena;
	const struct cg_params *params;
	struct ast_expr *const *args; /* NULL: a template is made */
};

static struct ast_expr *copy_tree(struct copying *c, const struct ast_expr *e);

static struct ast_expr *
argument_of(const struct copying *c, const struct ast_expr *e)
{
	if (c->args == NULL || e->kind != AST_IDENT ||
	    e->u.ident.module != NULL || e->u.ident.scope != AST_GLOBAL)
		return NULL;
	for (uint32_t i = 0; i < c->params->n; i++) {
		if (strcmp(c->params->v[i]->name, e->u.ident.name) == 0)
			return c->args[i];
	}
	return NULL;
}

static void
copy_text(struct copying *c, struct ast_expr *to, const struct ast_expr *e)
{
	if (e->kind == AST_STR) {
		to->u.str.s = arena_alloc(c->arena, (size_t)e->u.str.len + 1);
		memcpy(to->u.str.s, e->u.str.s, e->u.str.len);
	} else if (e->kind != AST_INT && e->u.ident.name != NULL) {
		to->u.ident.name = arena_strdup(c->arena, e->u.ident.name);
		if (e->u.ident.module != NULL)
			to->u.ident.module =
			    arena_strdup(c->arena, e->u.ident.module);
	}
}

static struct ast_expr *
copy_child(struct copying *c, const struct ast_expr *e)
{
	return e != NULL ? copy_tree(c, e) : NULL;
}

static struct ast_expr *
copy_tree(struct copying *c, const struct ast_expr *e)
{
	const struct ast_expr *arg = argument_of(c, e);
	struct ast_expr *to = ARENA_NEW(c->arena, struct ast_expr);

	if (++c->cg->nnodes > MAX_NODES)
		return to; /* reported when the copy is complete */
	if (arg != NULL)
		return copy_tree(c, arg);
	to->kind = e->kind;
	to->op = e->op;
	to->span = e->span;
	to->height = e->height;
	to->u = e->u;
	to->named = e->named;
	to->sym = e->kind == AST_BOUND ? e->sym : NULL;
	if (c->args == NULL)
		copy_text(c, to, e);
	to->a = copy_child(c, e->a);
	to->b = e->kind == AST_XLATE ? NULL : copy_child(c, e->b);
	to->c = e->kind == AST_XLATE ? NULL : copy_child(c, e->c);
	for (size_t i = 0; i < e->args.n; i++)
		AST_PUSH(c->arena, &to->args, copy_tree(c, e->args.v[i]));
	return to;
}

static bool
check_size(struct cg *cg, struct diag_span span)
{
	if (cg->nnodes <= MAX_NODES)
		return true;
	diag_error(cg->ds, D_CG_EXPR, span,
	    "the expression has more than %d "
	    "parts once the inlines and translators that it uses are put in "
	    "place",
	    MAX_NODES);
	diag_hint(cg->ds, "assign a part of it to a this-> variable");
	return false;
}

struct ast_expr *
cg_template_of(struct cg *cg, const struct ast_expr *e)
{
	struct copying c = { .cg = cg, .arena = &cg->s->arena };
	struct ast_expr *t = copy_tree(&c, e);

	return check_size(cg, e->span) ? t : NULL;
}

struct ast_expr *
cg_instance_of(struct cg *cg, const struct ast_expr *tmpl,
    const struct cg_params *params, struct ast_expr *const *args,
    struct diag_span at)
{
	static struct ast_expr *const none[1];
	struct copying c = { .cg = cg,
		.arena = cg->lc->arena,
		.params = params,
		.args = args != NULL ? args : none };
	struct ast_expr *inst = copy_tree(&c, tmpl);

	return check_size(cg, at) ? inst : NULL;
}

/* ---- parameters ---------------------------------------------------------- */

struct cg_sym *
cg_param_find(const struct cg *cg, const char *name)
{
	for (uint32_t i = 0; cg->params != NULL && i < cg->params->n; i++) {
		if (strcmp(cg->params->v[i]->name, name) == 0)
			return cg->params->v[i];
	}
	return NULL;
}

bool
cg_add_param(struct cg *cg, struct cg_params *ps, struct ast_decl *d)
{
	struct ctf_type *t = cg_decl_type(cg, d);
	struct cg_sym *sym = ARENA_NEW(&cg->s->arena, struct cg_sym);

	if (t == NULL)
		return false;
	if (d->name == NULL) {
		diag_error(cg->ds, D_DECL_PROTO_NAME, d->span,
		    "a parameter needs a name");
		return false;
	}
	for (uint32_t i = 0; i < ps->n; i++) {
		if (strcmp(ps->v[i]->name, d->name) == 0) {
			diag_error(cg->ds, D_DECL_IDRED, d->span,
			    "parameter '%s' is declared twice", d->name);
			return false;
		}
	}
	if (!cg_check_object_type(cg, d, t) || !cg_check_var_size(cg, d, t))
		return false;
	sym->kind = CG_SYM_PARAM;
	sym->name = arena_strdup(&cg->s->arena, d->name);
	sym->type = t;
	ps->v[ps->n++] = sym;
	return true;
}

static bool
is_builtin(const struct ast_expr *e)
{
	return e->kind == AST_IDENT && e->inst == NULL && e->sym != NULL &&
	    ((const struct cg_sym *)e->sym)->kind == CG_SYM_BUILTIN;
}

/*
 * The expression for a parameter if `arg` may be evaluated at each use; else
 * NULL.
 */
static struct ast_expr *
repeatable(struct cg *cg, struct ast_expr *arg, struct ctf_type *type)
{
	struct ast_expr *e, *value = arg;

	if (arg->kind == AST_STR || arg->kind == AST_BOUND)
		return arg;
	if (arg->is_const && ctf_is_integer(arg->type)) {
		value = cg_node(cg, AST_INT, NULL, arg->span);
		value->u.num.value = arg->const_value;
		value->u.num.is_unsigned = true;
		value->u.num.is_long = true;
	} else if (!is_builtin(arg)) {
		return NULL;
	}
	e = cg_node(cg, AST_CAST, type, arg->span);
	e->named = type;
	e->a = value;
	return e;
}

struct ast_expr *
cg_bind(struct cg *cg, struct ast_expr *arg, struct ctf_type *type,
    struct ast_expr **before)
{
	struct ast_expr *e = repeatable(cg, arg, type);
	struct cg_sym *sym;

	if (e != NULL)
		return e;
	sym = cg_take_hidden(cg, type);
	*before = cg_sequence(
	    cg, *before, cg_set_node(cg, cg_var_node(cg, sym, arg->span), arg));
	e = cg_node(cg, AST_BOUND, type, arg->span);
	e->sym = sym;
	return e;
}

bool
cg_take_params(
    struct cg *cg, struct cg_params *ps, const struct ast_declarator *dt)
{
	ps->v = arena_alloc(&cg->s->arena, dt->types.n * sizeof(*ps->v) + 1);
	for (size_t i = 0; i < dt->types.n; i++) {
		if (!cg_add_param(cg, ps, dt->types.v[i]))
			return false;
	}
	return true;
}

bool
cg_check_value(struct cg *cg, const struct cg_params *ps, const char *name,
    struct ast_expr *value)
{
	bool ok;

	cg->params = ps;
	cg->defining = name;
	cg_begin_statement(cg);
	ok = ck_expr(cg, value);
	cg->params = NULL;
	cg->defining = NULL;
	return ok;
}
