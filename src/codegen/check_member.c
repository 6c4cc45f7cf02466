/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Members of structs and unions, and hints at the member that was meant.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/habits.h"

const struct ctf_member *
cg_member(const struct ast_expr *e, uint64_t *bit_off)
{
	struct ctf_type *t = ctf_resolve(e->a->type);

	if (e->u.ident.arrow)
		t = ctf_resolve(t->ref);
	return ctf_member_find(t, e->u.ident.name, bit_off);
}

#define MAX_ALL 24    /* members that are listed if none is near */
#define MAX_ALIKE 12  /* listed members that have a word of the name */
#define MAX_SEEN 4096 /* members without a name may contain themselves */

static bool
has_word(const char *name, const char *word, size_t len)
{
	for (;; name++) {
		size_t n = strcspn(name, "_");

		if (n == len && strncmp(name, word, n) == 0)
			return true;
		name += n;
		if (*name == '\0')
			return false;
	}
}

/* Do the names share a word of two letters or more, between underscores? */
static bool
shares_word(const char *a, const char *b)
{
	for (;; a++) {
		size_t n = strcspn(a, "_");

		if (n > 1 && has_word(b, a, n))
			return true;
		a += n;
		if (*a == '\0')
			return false;
	}
}

struct cg_wanted
cg_want(const char *name)
{
	return (struct cg_wanted){ .near = near_start(name) };
}

void
cg_want_try(struct cg_wanted *w, const char *name)
{
	near_try(&w->near, name);
	if (w->n++ < MAX_ALL)
		strbuf_printf(&w->all, "%s%s", w->n > 1 ? ", " : "", name);
	if (shares_word(w->near.to, name) && w->nalike++ < MAX_ALIKE)
		strbuf_printf(
		    &w->alike, "%s%s", w->nalike > 1 ? ", " : "", name);
}

void
cg_suggest_wanted(struct cg *cg, struct cg_wanted *w, const char *type)
{
	if (w->near.name != NULL)
		diag_hint(cg->ds, "did you mean '%s'?", w->near.name);
	else if (w->n > 0 && w->n <= MAX_ALL)
		diag_hint(cg->ds, "the members are %s", w->all.s);
	else if (w->nalike > 0 && w->nalike <= MAX_ALIKE)
		diag_hint(cg->ds, "members like it: %s", w->alike.s);
	else if (w->n > 0 && type != NULL)
		diag_hint(cg->ds, "dtrace -T '%s' lists the members", type);
	strbuf_fini(&w->all);
	strbuf_fini(&w->alike);
}

/* Members of a struct without a name are taken as its own. */
static void
want_among(struct cg_wanted *w, const struct ctf_type *sou)
{
	VEC_FOREACH(&sou->members, m) {
		struct ctf_type *t = ctf_resolve(m->type);

		if (w->nseen++ == MAX_SEEN)
			return;
		if (m->name != NULL)
			cg_want_try(w, m->name);
		else if (ctf_is_sou(t))
			want_among(w, t);
	}
}

void
cg_suggest_member(struct cg *cg, const struct ctf_type *sou, const char *name)
{
	struct cg_wanted w = cg_want(name);
	const char *habit = habit_hint(HABIT_IS_MEMBER, name);

	if (habit != NULL) {
		diag_hint(cg->ds, "%s", habit);
		return;
	}
	want_among(&w, sou);
	cg_suggest_wanted(
	    cg, &w, sou->name != NULL ? ctf_type_name(cg->g, sou) : NULL);
}

static bool
refuse_member(struct cg *cg, const struct ast_expr *e, const char *what)
{
	const struct ctf_type *p = cg_decay(cg, e->a);

	diag_error(cg->ds, D_OP_SOU, e->span,
	    "operator %s needs a %s, not an operand of type %s",
	    e->u.ident.arrow ? "->" : ".", what, cg_tn(cg, e->a->type));
	if (!e->u.ident.arrow && cg_is_string(e->a->type))
		diag_hint(cg->ds,
		    "strjoin(a, b) joins two strings, and strlen(s) is the "
		    "length of one");
	if (!e->u.ident.arrow && p != NULL && ctf_is_sou(ctf_resolve(p->ref)))
		diag_hint(cg->ds,
		    "members of what a pointer points to are "
		    "taken with ->");
	return false;
}

bool
ck_member(struct cg *cg, struct ast_expr *e)
{
	const struct ctf_member *m;
	struct ast_expr *before, *tr;
	struct ctf_type *t, *p;
	uint64_t bit_off;

	if (!cg_translation(cg, e->a, &tr, &before))
		return false;
	if (tr != NULL)
		return ck_translated_member(cg, e, tr, before);
	if (!ck_expr(cg, e->a)) {
		if (cg_is_args(cg, e->a))
			diag_hint(cg->ds,
			    "bpftrace's args.NAME is args[0], args[1], ...: "
			    "dtrace -lvn PROBE lists a probe's arguments");
		return false;
	}
	t = ctf_resolve(e->a->type);
	if (e->u.ident.arrow) {
		p = cg_decay(cg, e->a);
		if (p == NULL) {
			diag_error(cg->ds, D_OP_PTR, e->span,
			    "operator -> "
			    "needs a pointer, not an operand of type %s",
			    cg_tn(cg, e->a->type));
			if (ctf_is_sou(t))
				diag_hint(cg->ds,
				    "members of a struct itself "
				    "are taken with .");
			else if (ctf_is_integer(t))
				diag_hint(cg->ds,
				    "cast an address to a pointer first: "
				    "((struct NAME *)address)->%s",
				    e->u.ident.name);
			return false;
		}
		t = ctf_resolve(p->ref);
	}
	if (!ctf_is_sou(t))
		return refuse_member(cg, e,
		    e->u.ident.arrow ? "pointer to a struct or union" :
				       "struct or union");
	if (t->is_incomplete)
		return cg_refuse_incomplete(cg, e->span, t);
	m = ctf_member_find(t, e->u.ident.name, &bit_off);
	if (m == NULL && cg_refuse_unavailable(cg, e, t))
		return false;
	if (m == NULL) {
		diag_error(cg->ds, D_TYPE_MEMBER, e->span,
		    "%s has no member '%s'", cg_tn(cg, t), e->u.ident.name);
		cg_suggest_member(cg, t, e->u.ident.name);
		return false;
	}
	if (m->bits != 0 && cg_unit(m, bit_off).pos + m->bits > 64) {
		diag_error(cg->ds, D_CG_EXPR, e->span,
		    "bit-field '%s' lies in "
		    "nine bytes, and no load takes more than eight",
		    e->u.ident.name);
		return false;
	}
	e->type = m->type;
	e->is_lvalue = true;
	t = ctf_resolve(m->type);
	if (t->kind == CTF_K_ARRAY && t->nelems == 0) {
		/* char data[]: the address is known, the length is not */
		e->type = ctf_pointer(cg->g, t->ref, cg_in_userland(e));
		e->is_lvalue = false;
	}
	return true;
}
