/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linking a program (option late=dynamic): each member of a translator that the
 * program refers to is compiled from the session's translators to an object of
 * its own, and dif_link() puts it in place.
 *
 *	xlate 0, %r1	! struct out < struct in * >.m
 *
 * is the expression xlate <struct out> (x).m, where x is a hidden variable that
 * gets the value of %r1.  For an xlarg, x is the probe's argument.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

/* Call f for each object of a program, until f returns false. */
static bool
each_obj(const struct dif_prog *p,
    bool (*f)(struct dif_obj *dp, const struct dif_clause *cl, void *arg),
    void *arg)
{
	VEC_FOREACH(&p->clauses, cl) {
		if (cl->pred != NULL && !f(cl->pred, cl, arg))
			return false;
		VEC_FOREACH(&cl->actions, act) {
			if (act->difo != NULL && !f(act->difo, cl, arg))
				return false;
		}
	}
	return true;
}

static bool
is_linked(struct dif_obj *dp, const struct dif_clause *cl, void *arg)
{
	(void)cl;
	(void)arg;
	return dp->nxlref == 0;
}

bool
cg_needs_link(const struct dif_prog *p)
{
	return !each_obj(p, is_linked, NULL);
}

static bool
reserve_obj(struct dif_obj *dp, const struct dif_clause *cl, void *arg)
{
	uint32_t *next = arg;

	(void)cl;
	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->id >= next[v->scope])
			next[v->scope] = v->id + 1;
	}
	return true;
}

bool
cg_session_reserve(struct cg_session *s, const struct dif_prog *p)
{
	uint32_t next[3] = { DIF_VAR_USER_MIN, DIF_VAR_USER_MIN,
		DIF_VAR_USER_MIN };

	each_obj(p, reserve_obj, next);
	for (int i = 0; i < 3; i++) {
		if (next[i] > DIF_VAR_USER_MIN &&
		    s->next_id[i] > DIF_VAR_USER_MIN)
			return false;
	}
	for (int i = 0; i < 3; i++) {
		if (next[i] > s->next_id[i])
			s->next_id[i] = next[i];
	}
	return true;
}

/* ---- one reference ------------------------------------------------------- */

static const struct diag_span nowhere;

/*
 * The expression that is translated; *input is the variable that holds it, or
 * NULL.
 */
static struct ast_expr *
translated(
    struct cg *cg, const struct dif_xlref *x, bool is_arg, uint32_t *input)
{
	struct ctf_type *in = ctf_lookup_text(cg->g, x->in);
	struct ast_expr *e;
	struct cg_sym *sym;

	if (is_arg)
		return cg_native_arg(cg, in, x->argn);
	if (in == NULL || ctf_is_void(in)) {
		diag_error(cg->ds, D_XLATE_NONE, nowhere,
		    "the program "
		    "translates from %s, a type that is not known here",
		    x->in);
		return NULL;
	}
	sym = cg_take_hidden(cg, in);
	e = cg_node(cg, AST_BOUND, in, nowhere);
	e->sym = sym;
	*input = sym->id;
	return e;
}

/* Does the value have the form that the program expects? */
static bool
is_alike(const struct dif_type *a, const struct dif_type *b)
{
	return a->kind == b->kind &&
	    (a->flags & DIF_TF_BYREF) == (b->flags & DIF_TF_BYREF) &&
	    a->size == b->size;
}

/*
 * A char array may be made from a string: then the string is converted to one.
 */
static struct ast_expr *
fit(struct cg *cg, const struct dif_xlref *x, struct ast_expr *e,
    struct ast_expr *tr)
{
	struct dif_type t = cg_dif_type(e->type);

	if (cg_is_string(e->type) && x->type.kind == DIF_TYPE_CTF) {
		e = cg_member_in_memory(cg, tr, x->member);
		if (e == NULL)
			return NULL;
		t = cg_dif_type(e->type);
	}
	if (is_alike(&t, &x->type))
		return e;
	diag_error(cg->ds, D_XLATE_NOCONV, nowhere,
	    "the program expects "
	    "member '%s' of %s to have %u bytes, but here it is of type %s",
	    x->member, x->out, x->type.size, cg_tn(cg, e->type));
	return NULL;
}

/* xlate <out> (input), not checked yet. */
static struct ast_expr *
translation(struct cg *cg, const struct dif_xlref *x, struct ast_expr *input)
{
	struct ast_expr *tr = cg_node(cg, AST_XLATE, NULL, nowhere);

	tr->named = ctf_lookup_text(cg->g, x->out);
	tr->a = input;
	return tr;
}

static struct dif_obj *
compile_member(struct cg *cg, const struct dif_xlref *x, struct ast_expr *input)
{
	struct ast_expr *e = cg_node(cg, AST_MEMBER, NULL, nowhere);

	e->a = translation(cg, x, input);
	e->u.ident.name = arena_strdup(cg->lc->arena, x->member);
	e->u.ident.arrow = ctf_is_pointer(e->a->named);
	if (!ck_expr(cg, e))
		return NULL;
	e = fit(cg, x, e, e->a);
	return e == NULL ? NULL : cg_typed_obj(cg, e, cg_dif_type(e->type));
}

static struct dif_obj *
compile_ref(
    struct cg *cg, const struct dif_xlref *x, bool is_arg, uint32_t *input)
{
	struct dif_type type = x->type;
	struct ast_expr *e;

	cg_begin_statement(cg);
	if (ctf_lookup_text(cg->g, x->out) == NULL) {
		diag_error(cg->ds, D_XLATE_NONE, nowhere,
		    "the program needs a "
		    "translator from %s to %s, a type that is not known here",
		    x->in, x->out);
		return NULL;
	}
	e = translated(cg, x, is_arg, input);
	if (e == NULL)
		return NULL;
	type.flags &= (uint8_t)~DIF_TF_OPTIONAL;
	if (type.flags != x->type.flags &&
	    cg_lacks_member(cg, translation(cg, x, e), x->member))
		return cg_zeroes_obj(cg, type);
	return compile_member(cg, x, e);
}

/* ---- an object ----------------------------------------------------------- */

enum { USED_BY_XLATE = 1, USED_BY_XLARG = 2 };

/* By which instructions each reference is used: USED_BY_* flags. */
static uint8_t *
find_uses(const struct dif_obj *dp)
{
	uint8_t *uses = mem_alloc(dp->nxlref);

	for (uint32_t pc = 0; pc < dp->ntext; pc++) {
		uint8_t op = dif_instr_op(dp->text[pc]);

		if (dif_opinfo[op].fmt == DIF_FMT_XL)
			uses[dif_instr_idx(dp->text[pc])] |=
			    op == DIF_OP_XLARG ? USED_BY_XLARG : USED_BY_XLATE;
	}
	return uses;
}

static void
take_saves(struct cg_session *s, uint32_t saves[DIF_NREGS])
{
	for (unsigned r = 1; r < DIF_NREGS; r++) {
		if (s->saves[r] == NULL) {
			s->saves[r] = cg_var_add(s, DIFV_SCOPE_LOCAL,
			    arena_printf(&s->arena, "$saved%u", r),
			    s->types.t_ulong);
			s->saves[r]->is_hidden = true;
		}
		saves[r] = s->saves[r]->id;
	}
}

static bool
join_parts(struct cg *cg, struct dif_obj *dp, const struct dif_part *parts)
{
	uint32_t saves[DIF_NREGS];
	struct err err = { 0 };

	take_saves(cg->s, saves);
	if (dif_link(dp, parts, saves, &err) == 0)
		return true;
	diag_error(cg->ds, D_CG_EXPR, nowhere,
	    "a translator cannot be put "
	    "into the program: %s",
	    err_text(&err));
	err_clear(&err);
	return false;
}

/* The arguments of an object's probes are those of its clause. */
static void
set_clause(struct cg *cg, const struct dif_clause *cl)
{
	struct ast_clause *ac = ARENA_NEW(cg->lc->arena, struct ast_clause);

	VEC_FOREACH(&cl->pdescs, pd) {
		struct ast_pdesc ap = { .prov = pd->prov,
			.mod = pd->mod,
			.func = pd->func,
			.name = pd->name,
			.id = pd->id };

		AST_PUSH(cg->lc->arena, &ac->pdescs, ap);
	}
	cg->clause = ac;
	cg->args = NULL;
}

static bool
compile_part(struct cg *cg, const struct dif_xlref *x, uint8_t use,
    struct dif_part *part)
{
	if (use == 0)
		return true;
	if (use == (USED_BY_XLATE | USED_BY_XLARG)) {
		diag_error(cg->ds, D_XLATE_NONE, nowhere,
		    "the program "
		    "translates to member '%s' of %s both a value and an "
		    "argument of the probe by one reference",
		    x->member, x->out);
		return false;
	}
	part->obj = compile_ref(cg, x, use == USED_BY_XLARG, &part->input);
	if (part->obj == NULL &&
	    cg->ds->list.v[cg->ds->list.n - 1].hint == NULL)
		diag_hint(cg->ds,
		    "the program was compiled without its "
		    "translators (late=dynamic): -L names a directory of D "
		    "libraries that define them");
	return part->obj != NULL;
}

static bool
link_obj(struct dif_obj *dp, const struct dif_clause *cl, void *arg)
{
	struct cg *cg = arg;
	struct dif_part *parts;
	uint32_t nparts = dp->nxlref;
	uint8_t *uses;
	bool ok = true;

	if (nparts == 0)
		return true;
	set_clause(cg, cl);
	uses = find_uses(dp);
	parts = mem_alloc(nparts * sizeof(*parts));
	for (uint32_t i = 0; i < nparts && ok; i++)
		ok = compile_part(cg, &dp->xlrefs[i], uses[i], &parts[i]);
	ok = ok && join_parts(cg, dp, parts);
	for (uint32_t i = 0; i < nparts; i++)
		dif_obj_destroy(parts[i].obj);
	free(parts);
	free(uses);
	return ok;
}

int
cg_link(struct cg_session *s, struct lang_compile *lc, struct dif_prog *p)
{
	struct cg cg = { .s = s, .g = &s->types, .lc = lc, .ds = lc->diags };
	bool was_late = s->is_late, ok;

	s->is_late = false;
	ok = each_obj(p, link_obj, &cg);
	s->is_late = was_late;
	return ok ? 0 : -1;
}
