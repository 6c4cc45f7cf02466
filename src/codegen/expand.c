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

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

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

/* first, then; either may be NULL. */
static struct ast_expr *
sequence(struct cg *cg, struct ast_expr *first, struct ast_expr *then)
{
	if (first == NULL || then == NULL)
		return first != NULL ? first : then;
	return binary_node(cg, AST_BINARY, AST_OP_COMMA, first, then);
}

/* The assignment of a checked value to a hidden variable or place. */
static struct ast_expr *
set_node(struct cg *cg, struct ast_expr *place, struct ast_expr *value)
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

/* Where a copy is made, and the arguments for its parameters. */
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

static struct ast_expr *
template_of(struct cg *cg, const struct ast_expr *e)
{
	struct copying c = { .cg = cg, .arena = &cg->s->arena };
	struct ast_expr *t = copy_tree(&c, e);

	return check_size(cg, e->span) ? t : NULL;
}

/* A copy of the template with arguments, for the node `at`; not checked yet. */
static struct ast_expr *
instance_of(struct cg *cg, const struct ast_expr *tmpl,
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

static bool
add_param(struct cg *cg, struct cg_params *ps, struct ast_decl *d)
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

/*
 * The node that stands for a parameter of the type.  An expression that must be
 * evaluated before it is appended to *before.
 */
static struct ast_expr *
bind(struct cg *cg, struct ast_expr *arg, struct ctf_type *type,
    struct ast_expr **before)
{
	struct ast_expr *e = repeatable(cg, arg, type);
	struct cg_sym *sym;

	if (e != NULL)
		return e;
	sym = cg_take_hidden(cg, type);
	*before = sequence(
	    cg, *before, set_node(cg, cg_var_node(cg, sym, arg->span), arg));
	e = cg_node(cg, AST_BOUND, type, arg->span);
	e->sym = sym;
	return e;
}

/* ---- inlines ------------------------------------------------------------- */

static bool
take_params(
    struct cg *cg, struct cg_params *ps, const struct ast_declarator *dt)
{
	ps->v = arena_alloc(&cg->s->arena, dt->types.n * sizeof(*ps->v) + 1);
	for (size_t i = 0; i < dt->types.n; i++) {
		if (!add_param(cg, ps, dt->types.v[i]))
			return false;
	}
	return true;
}

/* Check the value of a definition, where its parameters are names. */
static bool
check_value(struct cg *cg, const struct cg_params *ps, const char *name,
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

static bool
define_inline(struct cg *cg, struct cg_sym *sym, struct ast_decl *d,
    struct ast_expr *init)
{
	if (sym->is_array && !take_params(cg, &sym->params, d->dtor))
		return false;
	if (!cg_check_object_type(cg, d, sym->type) ||
	    !check_value(cg, &sym->params, d->name, init))
		return false;
	if (!ck_converts(cg, init, sym->type)) {
		diag_error(cg->ds, D_OP_INCOMPAT, init->span,
		    "inline '%s' has type %s, but its value has type %s",
		    d->name, cg_tn(cg, sym->type), cg_tn(cg, init->type));
		return false;
	}
	sym->is_const = init->is_const && ctf_is_integer(sym->type) &&
	    cg_fits(init, sym->type);
	sym->value = (int64_t)init->const_value;
	sym->init = template_of(cg, init);
	return sym->init != NULL;
}

/* Does the library define the same inline again, for other kernels? */
static bool
is_alternative(
    const struct cg *cg, const struct cg_sym *old, const struct cg_sym *sym)
{
	return cg->s->in_library && old->kind == CG_SYM_INLINE &&
	    old->source == sym->source && old->is_array == sym->is_array &&
	    ctf_resolve(old->type) == ctf_resolve(sym->type);
}

/* Does the library define it more than once? */
static bool
has_alternatives(const struct cg *cg, const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; cg->s->in_library && i < cg->text->items.n; i++) {
		const struct ast_item *it = cg->text->items.v[i];

		n += it->kind == AST_I_INLINE &&
		    strcmp(it->decl->name, name) == 0;
	}
	return n > 1;
}

static bool
is_function(const char *name)
{
	return dif_subr_find_name(name) != NULL || cg_is_action(name) ||
	    cg_is_aggfunc(name);
}

/*
 * After an error the name is marked as broken, so that its uses are not
 * reported, too.  A library may define an inline again: the first definition
 * that fits this kernel's types counts.
 */
void
cg_declare_inline(struct cg *cg, struct ast_decl *d, struct ast_expr *init)
{
	struct ctf_type *t = cg_var_type(cg, d);
	struct cg_sym *to = cg_sym_taken(cg->s, DIFV_SCOPE_GLOBAL, d->name);
	struct cg_sym sym = { .kind = CG_SYM_INLINE,
		.type = t,
		.source = d->span.source,
		.is_array = d->dtor != NULL && d->dtor->kind == AST_D_ASSOC };
	size_t n = cg->ds->list.n;

	if (t == NULL)
		return;
	if ((to != NULL && !is_alternative(cg, to, &sym)) ||
	    is_function(d->name)) {
		diag_error(cg->ds, D_DECL_IDRED, d->span,
		    "'%s' is already declared%s", d->name,
		    to != NULL ? "" : " as a function");
		return;
	}
	if (to != NULL && to->lacks == NULL)
		return;
	sym.attr = (struct dif_attr)DIF_ATTR_PROGRAM;
	cg->lack = NULL;
	sym.is_broken = !define_inline(cg, &sym, d, init);
	if (sym.is_broken)
		sym.lacks = cg_take_lack(cg, n, has_alternatives(cg, d->name));
	if (to == NULL)
		to = cg_sym_add(
		    cg->s, CG_SYM_INLINE, DIFV_SCOPE_GLOBAL, d->name, t);
	sym.name = to->name;
	sym.is_library = to->is_library;
	*to = sym;
}

/* An inline is used as it was declared, x[1], or as a function, x(1). */
static const char *
inline_brackets(const struct ast_expr *e)
{
	return e->kind == AST_CALL ? "()" : "[]";
}

static bool
ck_inline_args(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym,
    struct ast_expr **args, struct ast_expr **before)
{
	if (e->args.n != sym->params.n) {
		diag_error(cg->ds, D_PROTO_LEN, e->span,
		    "%s%s takes %u argument%s, not %zu", sym->name,
		    inline_brackets(e), sym->params.n,
		    sym->params.n == 1 ? "" : "s", e->args.n);
		return false;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		struct ast_expr *arg = e->args.v[i];
		struct ctf_type *type = sym->params.v[i]->type;

		if (!ck_expr(cg, arg))
			return false;
		if (!ck_converts(cg, arg, type)) {
			diag_error(cg->ds, D_PROTO_ARG, arg->span,
			    "argument %zu of %s%s must be of type %s, not %s",
			    i + 1, sym->name, inline_brackets(e),
			    cg_tn(cg, type), cg_tn(cg, arg->type));
			return false;
		}
		args[i] = bind(cg, arg, type, before);
	}
	return true;
}

/*
 * The expression that `e`, name[arguments] or just the name of an inline,
 * stands for; not checked yet.
 */
static struct ast_expr *
inline_instance(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym,
    struct ast_expr **before)
{
	struct ast_expr **args =
	    arena_alloc(cg->lc->arena, e->args.n * sizeof(*args) + 1);

	if (sym->is_array && !ck_inline_args(cg, e, sym, args, before))
		return NULL;
	return instance_of(cg, sym->init, &sym->params, args, e->span);
}

bool
ck_inline(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym)
{
	struct ast_expr *before = NULL, *inst;

	e->type = sym->type;
	if (sym->is_const && !sym->is_array) {
		e->is_const = true;
		e->const_value = (uint64_t)sym->value;
		return true;
	}
	inst = inline_instance(cg, e, sym, &before);
	if (inst == NULL || !ck_expr(cg, inst))
		return false;
	e->is_const = before == NULL && inst->is_const &&
	    ctf_is_integer(sym->type) && cg_fits(inst, sym->type);
	e->const_value = inst->const_value;
	e->inst = sequence(cg, before, inst);
	return true;
}

/* ---- translators --------------------------------------------------------- */

static struct cg_xlator *
find_xlator(struct cg *cg, struct ctf_type *in, struct ctf_type *out)
{
	VEC_FOREACH(&cg->s->xlators, xp) {
		if (ctf_resolve((*xp)->out) == ctf_resolve(out) &&
		    ctf_type_compat((*xp)->param->type, in))
			return *xp;
	}
	return NULL;
}

static const struct cg_xmember *
find_xmember(const struct cg_xlator *xl, const char *name)
{
	VEC_FOREACH(&xl->members, m) {
		if (strcmp(m->name, name) == 0)
			return m;
	}
	return NULL;
}

/* A char array takes a string, cut to its size. */
static bool
takes_string(struct ctf_type *to, const struct ast_expr *value)
{
	return ctf_resolve(to)->kind == CTF_K_ARRAY && cg_is_strcompat(to) &&
	    cg_is_strcompat(value->type) &&
	    ctf_resolve(to) != ctf_resolve(value->type);
}

static bool
define_member(struct cg *cg, struct cg_xlator *xl, const struct cg_params *ps,
    const struct ast_xmember *am)
{
	struct cg_xmember m = { .span = am->span };
	size_t ndiags = cg->ds->list.n;
	uint64_t bit_off;

	m.member = ctf_member_find(ctf_resolve(xl->out), am->name, &bit_off);
	if (m.member == NULL) {
		diag_error(cg->ds, D_XLATE_MEMB, am->span,
		    "%s has no member '%s'", cg_tn(cg, xl->out), am->name);
		cg_suggest_member(cg, ctf_resolve(xl->out), am->name);
		return false;
	}
	m.name = arena_strdup(&cg->s->arena, am->name);
	cg->lack = NULL;
	if (!check_value(cg, ps, NULL, am->value)) {
		m.lacks = cg_take_lack(cg, ndiags, false);
		if (m.lacks != NULL && find_xmember(xl, am->name) == NULL)
			AST_PUSH(&cg->s->arena, &xl->members, m);
		return m.lacks != NULL;
	}
	if (!ck_converts(cg, am->value, m.member->type) &&
	    !takes_string(m.member->type, am->value)) {
		diag_error(cg->ds, D_XLATE_INCOMPAT, am->value->span,
		    "member '%s' has type %s, but its value has type %s",
		    am->name, cg_tn(cg, m.member->type),
		    cg_tn(cg, am->value->type));
		return false;
	}
	if (find_xmember(xl, am->name) != NULL)
		return true; /* the first definition counts */
	m.value = template_of(cg, am->value);
	m.type = am->value->type;
	AST_PUSH(&cg->s->arena, &xl->members, m);
	return m.value != NULL;
}

/* The type must be complete, and a struct or union. */
static bool
check_output(struct cg *cg, struct ctf_type *t, struct diag_span span)
{
	if (!ctf_is_sou(t)) {
		diag_error(cg->ds, D_XLATE_SOU, span,
		    "a translation makes a struct or union, not %s",
		    cg_tn(cg, t));
		return false;
	}
	if (!ctf_resolve(t)->is_incomplete)
		return true;
	diag_error(cg->ds, D_XLATE_SOU, span, "%s is not declared completely",
	    cg_tn(cg, t));
	return false;
}

void
cg_declare_xlator(struct cg *cg, struct ast_xlator *ax)
{
	struct cg_xlator *xl = ARENA_NEW(&cg->s->arena, struct cg_xlator);
	struct cg_params ps = { .v = &xl->param };
	bool ok = true;

	xl->out = cg_decl_type(cg, ax->out);
	if (xl->out == NULL || !check_output(cg, xl->out, ax->out->span) ||
	    !add_param(cg, &ps, ax->in))
		return;
	if (find_xlator(cg, xl->param->type, xl->out) != NULL) {
		diag_error(cg->ds, D_XLATE_REDECL, ax->in->span,
		    "the translator from %s to %s is already declared",
		    cg_tn(cg, xl->param->type), cg_tn(cg, xl->out));
		return;
	}
	VEC_FOREACH(&ax->members, m)
		ok = define_member(cg, xl, &ps, m) && ok;
	if (ok)
		VEC_PUSH(&cg->s->xlators, xl);
}

bool
cg_has_xlator(struct cg *cg, struct ctf_type *in, struct ctf_type *out)
{
	struct ctf_type *r = ctf_resolve(out);

	return find_xlator(cg, in, r->kind == CTF_K_POINTER ? r->ref : out) !=
	    NULL;
}

static void
describe_xlator(const struct cg_xlator *xl, cg_translator_f *f, void *arg)
{
	struct cg_translator t = { .in = xl->param->type,
		.param = xl->param->name,
		.n = xl->members.n };
	struct cg_made *made = mem_alloc(t.n * sizeof(*made));

	for (size_t i = 0; i < t.n; i++)
		made[i] = (struct cg_made){ .member = xl->members.v[i].name,
			.type = xl->members.v[i].type,
			.lacks = xl->members.v[i].lacks };
	t.made = made;
	f(&t, arg);
	free(made);
}

void
cg_each_translator(
    struct cg_session *s, struct ctf_type *out, cg_translator_f *f, void *arg)
{
	VEC_FOREACH(&s->xlators, xp) {
		if (ctf_resolve((*xp)->out) == ctf_resolve(out))
			describe_xlator(*xp, f, arg);
	}
}

/* ---- translations -------------------------------------------------------- */

static struct ctf_type *
output_type(struct ctf_type *named)
{
	struct ctf_type *r = ctf_resolve(named);

	return r->kind == CTF_K_POINTER ? r->ref : named;
}

static void
refuse_translation(
    struct cg *cg, const struct ast_expr *e, struct ctf_type *out)
{
	diag_error(cg->ds, D_XLATE_NONE, e->span,
	    "there is no translator from %s to %s", cg_tn(cg, e->a->type),
	    cg_tn(cg, out));
	VEC_FOREACH(&cg->s->xlators, xp) {
		if (ctf_resolve((*xp)->out) != ctf_resolve(out))
			continue;
		diag_hint(cg->ds, "there is a translator from %s",
		    cg_tn(cg, (*xp)->param->type));
		return;
	}
}

struct cg_xlator *
cg_late_xlator(
    struct cg *cg, const char *in_name, struct ctf_type *out, uint32_t argn)
{
	struct cg_xlator *xl = ARENA_NEW(cg->lc->arena, struct cg_xlator);

	xl->in_name = in_name;
	xl->out_name = cg_tn(cg, out);
	xl->argn = argn;
	xl->out = out;
	/* the types are looked up by their names when the program is linked */
	if (!cg->s->is_late || ctf_lookup_text(cg->g, xl->out_name) == NULL ||
	    (argn == CG_NO_ARG && ctf_lookup_text(cg->g, in_name) == NULL))
		return NULL;
	return xl;
}

static bool
is_late(const struct cg_xlator *xl)
{
	return xl->in_name != NULL;
}

/* Find the translator of xlate <T> (a) and bind its parameter: e->b, e->c. */
static bool
open_translation(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *named = ck_named(cg, e), *out, *in;
	struct cg_xlator *xl = e->sym;

	if (named == NULL)
		return false;
	out = output_type(named);
	e->type = named;
	if (!check_output(cg, out, e->span))
		return false;
	if (xl != NULL && is_late(xl) && xl->argn != CG_NO_ARG)
		return true;
	if (!ck_expr(cg, e->a))
		return false;
	in = cg_decay(cg, e->a);
	if (in == NULL)
		in = e->a->type;
	xl = find_xlator(cg, in, out);
	if (xl == NULL)
		xl = cg_late_xlator(cg, cg_tn(cg, in), out, CG_NO_ARG);
	if (xl == NULL) {
		refuse_translation(cg, e, out);
		return false;
	}
	e->sym = xl;
	/* the argument's own type tells whose memory it points to */
	e->b = bind(cg, e->a, in, &e->c);
	return true;
}

static struct ast_expr *
member_value(struct cg *cg, struct ast_expr *e, const struct cg_xmember *m)
{
	struct cg_xlator *xl = e->sym;
	struct cg_params ps = { .v = &xl->param, .n = 1 };
	struct ast_expr *value;

	if (m->lacks != NULL) {
		diag_error(cg->ds, D_XLATE_NOCONV, e->span,
		    "%s is not available: %s", m->name, m->lacks);
		cg_hint_imports(cg);
		return NULL;
	}
	value = instance_of(cg, m->value, &ps, &e->b, e->span);
	return value != NULL && ck_expr(cg, value) ? value : NULL;
}

/* buffer->member */
static struct ast_expr *
member_node(struct cg *cg, struct ast_expr *buffer, const struct cg_xmember *m)
{
	struct ast_expr *place =
	    cg_node(cg, AST_MEMBER, m->member->type, buffer->span);

	place->u.ident.name = arena_strdup(cg->lc->arena, m->name);
	place->u.ident.arrow = true;
	place->a = buffer;
	return place;
}

/*
 * A variable that points to memory for a value of type t; *set is the
 * expression that sets it.
 */
static struct ast_expr *
buffer_node(struct cg *cg, struct ctf_type *t, struct diag_span span,
    struct ast_expr **set)
{
	struct ctf_type *pointer = ctf_pointer(cg->g, t, false);
	struct ast_expr *buffer =
	    cg_var_node(cg, cg_take_hidden(cg, pointer), span);

	*set = set_node(cg, buffer, cg_node(cg, AST_XLATE, pointer, span));
	return buffer;
}

/* *buffer */
static struct ast_expr *
contents_node(struct cg *cg, struct ast_expr *buffer)
{
	struct ast_expr *e = cg_node(
	    cg, AST_UNARY, ctf_resolve(buffer->type)->ref, buffer->span);

	e->op = AST_OP_DEREF;
	e->a = buffer;
	return e;
}

/* Begin the members of the translation tr, which is not closed yet. */
struct ast_expr *
cg_member_in_memory(struct cg *cg, struct ast_expr *tr, const char *name)
{
	const struct cg_xmember *m = find_xmember(tr->sym, name);
	struct ast_expr *value = member_value(cg, tr, m), *set, *buffer;

	if (value == NULL)
		return NULL;
	buffer = buffer_node(cg, m->member->type, tr->span, &set);
	set = sequence(cg, set, set_node(cg, contents_node(cg, buffer), value));
	return sequence(
	    cg, sequence(cg, tr->c, set), contents_node(cg, buffer));
}

/* A member of a translator that is not defined yet. */
static struct ast_expr *
late_member(struct cg *cg, struct ast_expr *tr, const struct ctf_member *m,
    struct diag_span span)
{
	struct ast_expr *value = cg_node(cg, AST_XLREF, m->type, span);

	if (tr->b != NULL && !ck_expr(cg, tr->b))
		return NULL;
	value->u.ident.name = arena_strdup(cg->lc->arena, m->name);
	value->a = tr->b;
	value->sym = tr->sym;
	return value;
}

static struct ast_expr *
set_member(struct cg *cg, struct ast_expr *all, struct ast_expr *buffer,
    const struct cg_xmember *m, struct ast_expr *value)
{
	return value == NULL ?
	    NULL :
	    sequence(cg, all, set_node(cg, member_node(cg, buffer, m), value));
}

/* buffer->m = v for each member that the translator defines. */
static struct ast_expr *
set_known(struct cg *cg, struct ast_expr *e, struct ast_expr *buffer,
    struct ast_expr *all)
{
	const struct cg_xlator *xl = e->sym;

	VEC_FOREACH(&xl->members, m) {
		all = set_member(cg, all, buffer, m, member_value(cg, e, m));
		if (all == NULL)
			break;
	}
	return all;
}

/*
 * buffer->m = v for each member of the structure; which of them the translator
 * defines is known later.
 */
static struct ast_expr *
set_late(struct cg *cg, struct ast_expr *e, struct ast_expr *buffer,
    struct ast_expr *all)
{
	const struct cg_xlator *xl = e->sym;
	const struct ctf_type *out = ctf_resolve(xl->out);

	for (size_t i = 0; all != NULL && i < out->members.n; i++) {
		const struct cg_xmember m = { .name = out->members.v[i].name,
			.member = &out->members.v[i] };
		struct ast_expr *value;

		if (m.name == NULL) {
			diag_error(cg->ds, D_XLATE_NONE, e->span,
			    "the translator to %s is missing: a type with an "
			    "unnamed member cannot be translated later as a "
			    "whole",
			    cg_tn(cg, xl->out));
			return NULL;
		}
		value = late_member(cg, e, m.member, e->span);
		if (value != NULL)
			value->u.ident.is_optional = true;
		all = set_member(cg, all, buffer, &m, value);
	}
	return all;
}

/*
 * A translation as a whole: its members are computed into scratch memory.
 *
 *	argument, buffer = (memory), buffer->m1 = v1, ..., buffer
 */
bool
ck_xlate(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *buffer, *all;

	if (!open_translation(cg, e))
		return false;
	buffer = buffer_node(cg, output_type(e->named), e->span, &all);
	all = sequence(cg, e->c, all);
	all = is_late(e->sym) ? set_late(cg, e, buffer, all) :
				set_known(cg, e, buffer, all);
	if (all == NULL)
		return false;
	e->inst = sequence(cg, all, buffer);
	return true;
}

bool
cg_lacks_member(struct cg *cg, struct ast_expr *tr, const char *name)
{
	return open_translation(cg, tr) && find_xmember(tr->sym, name) == NULL;
}

/* The translation that an inline stands for; NULL: it stands for none. */
static struct ast_expr *
inlined_translation(struct cg *cg, struct ast_expr *e, struct ast_expr **before)
{
	const struct ast_expr *id = e->kind == AST_INDEX ? e->a : e;
	const struct cg_sym *sym;

	if ((id->kind != AST_IDENT && id->kind != AST_CALL) ||
	    id->u.ident.module != NULL || id->u.ident.scope != AST_GLOBAL)
		return NULL;
	sym = cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, id->u.ident.name);
	if (sym == NULL || sym->kind != CG_SYM_INLINE || sym->is_broken ||
	    sym->init->kind != AST_XLATE ||
	    sym->is_array != (id != e || e->kind == AST_CALL))
		return NULL;
	return inline_instance(cg, e, sym, before);
}

bool
cg_translation(struct cg *cg, struct ast_expr *e, struct ast_expr **tr,
    struct ast_expr **before)
{
	*before = NULL;
	if (e->kind == AST_INDEX && cg_is_args(cg, e->a) &&
	    !cg_resolve_args(cg, e))
		return false;
	*tr = e->kind == AST_XLATE ? e : inlined_translation(cg, e, before);
	return true;
}

static bool
check_access(struct cg *cg, const struct ast_expr *e, const struct ast_expr *tr)
{
	bool is_pointer = ctf_is_pointer(tr->type);

	if (e->u.ident.arrow == is_pointer)
		return true;
	diag_error(cg->ds, is_pointer ? D_OP_SOU : D_OP_PTR, e->span,
	    "operator %s cannot be applied to an operand of type %s",
	    e->u.ident.arrow ? "->" : ".", cg_tn(cg, tr->type));
	diag_hint(cg->ds,
	    is_pointer ? "members of what a pointer points to "
			 "are taken with ->" :
			 "members of a struct itself are taken with .");
	return false;
}

/* Hint at a similar name among the members that the translator defines. */
static void
suggest_translated(struct cg *cg, const struct cg_xlator *xl, const char *name)
{
	struct cg_wanted w = cg_want(name);

	VEC_FOREACH(&xl->members, m)
		cg_want_try(&w, m->name);
	cg_suggest_wanted(cg, &w, NULL);
}

static bool
refuse_translated(
    struct cg *cg, const struct ast_expr *e, const struct cg_xlator *xl)
{
	const struct ctf_type *out = ctf_resolve(xl->out);
	uint64_t bit_off;
	bool exists = ctf_member_find(out, e->u.ident.name, &bit_off) != NULL;

	if (cg_refuse_unavailable(cg, e, out))
		return false;
	diag_error(cg->ds, exists ? D_XLATE_NOCONV : D_TYPE_MEMBER, e->span,
	    exists ?
		"the translator from %s to %s does not define '%s'" :
		"the translator from %s makes %s, which has no member '%s'",
	    is_late(xl) ? xl->in_name : cg_tn(cg, xl->param->type),
	    cg_tn(cg, xl->out), e->u.ident.name);
	if (!exists)
		suggest_translated(cg, xl, e->u.ident.name);
	return false;
}

static struct ast_expr *
late_value(struct cg *cg, struct ast_expr *e, struct ast_expr *tr)
{
	const struct cg_xlator *xl = tr->sym;
	uint64_t bit_off;
	const struct ctf_member *m =
	    ctf_member_find(ctf_resolve(xl->out), e->u.ident.name, &bit_off);

	if (m == NULL) {
		refuse_translated(cg, e, xl);
		return NULL;
	}
	e->type = m->type;
	return late_member(cg, tr, m, e->span);
}

static struct ast_expr *
known_value(struct cg *cg, struct ast_expr *e, struct ast_expr *tr)
{
	const struct cg_xlator *xl = tr->sym;
	const struct cg_xmember *m = find_xmember(xl, e->u.ident.name);
	struct ast_expr *value;

	if (m == NULL) {
		refuse_translated(cg, e, xl);
		return NULL;
	}
	value = member_value(cg, tr, m);
	if (value != NULL)
		e->type = takes_string(m->member->type, value) ?
		    cg->g->t_string :
		    m->member->type;
	return value;
}

bool
ck_translated_member(struct cg *cg, struct ast_expr *e, struct ast_expr *tr,
    struct ast_expr *before)
{
	struct ast_expr *value;

	if (!open_translation(cg, tr) || !check_access(cg, e, tr))
		return false;
	value =
	    is_late(tr->sym) ? late_value(cg, e, tr) : known_value(cg, e, tr);
	if (value == NULL)
		return false;
	e->inst = sequence(cg, sequence(cg, before, tr->c), value);
	e->a = tr; /* its type is known, unlike that of an
				 * inline */
	return true;
}
