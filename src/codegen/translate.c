/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses of translators: xlate, translated args[n], and their members. */
#include "codegen/cg_impl.h"

#include "base/mem.h"
#include "base/vec.h"
#include "codegen/expand_impl.h"

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
	if (!cg_check_output(cg, out, e->span))
		return false;
	if (xl != NULL && is_late(xl) && xl->argn != CG_NO_ARG)
		return true;
	if (!ck_expr(cg, e->a))
		return false;
	in = cg_decay(cg, e->a);
	if (in == NULL)
		in = e->a->type;
	xl = cg_find_xlator(cg, in, out);
	if (xl == NULL)
		xl = cg_late_xlator(cg, cg_tn(cg, in), out, CG_NO_ARG);
	if (xl == NULL) {
		refuse_translation(cg, e, out);
		return false;
	}
	e->sym = xl;
	/* the argument's own type tells whose memory it points to */
	e->b = cg_bind(cg, e->a, in, &e->c);
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
	value = cg_instance_of(cg, m->value, &ps, &e->b, e->span);
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

	*set = cg_set_node(cg, buffer, cg_node(cg, AST_XLATE, pointer, span));
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
	const struct cg_xmember *m = cg_find_xmember(tr->sym, name);
	struct ast_expr *value = member_value(cg, tr, m), *set, *buffer;

	if (value == NULL)
		return NULL;
	buffer = buffer_node(cg, m->member->type, tr->span, &set);
	set = cg_sequence(
	    cg, set, cg_set_node(cg, contents_node(cg, buffer), value));
	return cg_sequence(
	    cg, cg_sequence(cg, tr->c, set), contents_node(cg, buffer));
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
	    cg_sequence(
		cg, all, cg_set_node(cg, member_node(cg, buffer, m), value));
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
	all = cg_sequence(cg, e->c, all);
	all = is_late(e->sym) ? set_late(cg, e, buffer, all) :
				set_known(cg, e, buffer, all);
	if (all == NULL)
		return false;
	e->inst = cg_sequence(cg, all, buffer);
	return true;
}

bool
cg_lacks_member(struct cg *cg, struct ast_expr *tr, const char *name)
{
	return open_translation(cg, tr) &&
	    cg_find_xmember(tr->sym, name) == NULL;
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
	return cg_inline_instance(cg, e, sym, before);
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
	const struct cg_xmember *m = cg_find_xmember(xl, e->u.ident.name);
	struct ast_expr *value;

	if (m == NULL) {
		refuse_translated(cg, e, xl);
		return NULL;
	}
	value = member_value(cg, tr, m);
	if (value != NULL)
		e->type = cg_takes_string(m->member->type, value) ?
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
	e->inst = cg_sequence(cg, cg_sequence(cg, before, tr->c), value);
	e->a = tr; /* its type is known, unlike that of an
				 * inline */
	return true;
}
