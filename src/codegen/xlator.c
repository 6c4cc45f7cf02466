/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions of translators. */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "codegen/expand_impl.h"

struct cg_xlator *
cg_find_xlator(struct cg *cg, struct ctf_type *in, struct ctf_type *out)
{
	VEC_FOREACH(&cg->s->xlators, xp) {
		if (ctf_resolve((*xp)->out) == ctf_resolve(out) &&
		    ctf_type_compat((*xp)->param->type, in))
			return *xp;
	}
	return NULL;
}

const struct cg_xmember *
cg_find_xmember(const struct cg_xlator *xl, const char *name)
{
	VEC_FOREACH(&xl->members, m) {
		if (strcmp(m->name, name) == 0)
			return m;
	}
	return NULL;
}

bool
cg_takes_string(struct ctf_type *to, const struct ast_expr *value)
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
	if (!cg_check_value(cg, ps, NULL, am->value)) {
		m.lacks = cg_take_lack(cg, ndiags, false);
		if (m.lacks != NULL && cg_find_xmember(xl, am->name) == NULL)
			AST_PUSH(&cg->s->arena, &xl->members, m);
		return m.lacks != NULL;
	}
	if (!ck_converts(cg, am->value, m.member->type) &&
	    !cg_takes_string(m.member->type, am->value)) {
		diag_error(cg->ds, D_XLATE_INCOMPAT, am->value->span,
		    "member '%s' has type %s, but its value has type %s",
		    am->name, cg_tn(cg, m.member->type),
		    cg_tn(cg, am->value->type));
		return false;
	}
	if (cg_find_xmember(xl, am->name) != NULL)
		return true; /* the first definition counts */
	m.value = cg_template_of(cg, am->value);
	m.type = am->value->type;
	AST_PUSH(&cg->s->arena, &xl->members, m);
	return m.value != NULL;
}

bool
cg_check_output(struct cg *cg, struct ctf_type *t, struct diag_span span)
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
	if (xl->out == NULL || !cg_check_output(cg, xl->out, ax->out->span) ||
	    !cg_add_param(cg, &ps, ax->in))
		return;
	if (cg_find_xlator(cg, xl->param->type, xl->out) != NULL) {
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

	return cg_find_xlator(
		   cg, in, r->kind == CTF_K_POINTER ? r->ref : out) != NULL;
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
