/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules: the clauses of D libraries.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

/* The derived probe that a rule fires; NULL: the clause has no fire(). */
static const char *
fired_probe(const struct ast_clause *ac)
{
	for (size_t i = 0; i < ac->body.n; i++) {
		const struct ast_expr *e = ac->body.v[i]->expr;

		if (ac->body.v[i]->kind == AST_S_EXPR && cg_is_fire(e))
			return e->args.v[0]->u.str.s;
	}
	return NULL;
}

/*
 * The message of the first error since diagnostic n, as the reason; all of
 * these errors are removed.
 */
static const char *
take_back(struct cg *cg, size_t n, size_t first)
{
	const char *why = NULL;

	if (n < cg->ds->list.n)
		why = arena_strdup(cg->lc->arena, cg->ds->list.v[n].msg);
	diags_truncate(cg->ds, n);
	while (cg->prog->clauses.n > first)
		dif_clause_fini(&cg->prog->clauses.v[--cg->prog->clauses.n]);
	return why != NULL ? why : "its predicate is never true here";
}

static void
leave_out(struct cg *cg, const char *fires, const char *why)
{
	struct dif_leftout lo = { mem_strdup(fires), mem_strdup(why) };

	VEC_PUSH(&cg->prog->leftouts, lo);
}

/*
 * Is the predicate a constant decided by exists()?  Such a clause is not armed.
 */
static bool
is_never_true(const struct ast_expr *pred)
{
	if (pred == NULL)
		return false;
	if (pred->is_const)
		return pred->const_value == 0;
	return pred->kind == AST_BINARY && pred->op == AST_OP_LAND &&
	    (is_never_true(pred->a) || is_never_true(pred->b));
}

/*
 * The thread-local variable, perhaps an array, that the statement sets and does
 * nothing else; or NULL.
 */
static const char *
kept_by(const struct ast_stmt *st)
{
	const struct ast_expr *e = st->expr;

	if (st->kind != AST_S_EXPR || e->kind != AST_ASSIGN)
		return NULL;
	e = e->a->kind == AST_INDEX ? e->a->a : e->a;
	return e->kind == AST_IDENT && e->u.ident.scope == AST_SELF ?
	    e->u.ident.name :
	    NULL;
}

/*
 * Does the clause only set thread-local variables, for other clauses of the
 * library?
 */
static bool
only_keeps(const struct ast_clause *ac)
{
	for (size_t i = 0; i < ac->body.n; i++) {
		if (kept_by(ac->body.v[i]) == NULL)
			return false;
	}
	return ac->body.n != 0 && ac->body.n <= 10;
}

static struct cg_kept *
find_kept(const struct cg *cg, const char *name)
{
	VEC_FOREACH(&cg->kept, k) {
		if (strcmp(k->name, name) == 0)
			return k;
	}
	return NULL;
}

/* If several clauses set a variable, one that works is enough. */
static void
note_kept(struct cg *cg, const struct ast_clause *ac, const char *why)
{
	for (size_t i = 0; i < ac->body.n; i++) {
		const char *name = kept_by(ac->body.v[i]);
		struct cg_kept *k = find_kept(cg, name);

		if (k == NULL)
			VEC_PUSH(&cg->kept, (struct cg_kept){ name, why });
		else if (why == NULL)
			k->why = NULL;
	}
}

static void
compile_keeper(struct cg *cg, struct ast_clause *ac)
{
	size_t n = cg->ds->list.n, first = cg->prog->clauses.n;
	size_t nerrors = cg->ds->list.n;
	const char *why = NULL;

	cg_compile_clause(cg, ac);
	if (cg->ds->list.n != nerrors || is_never_true(ac->pred))
		why = take_back(cg, n, first);
	note_kept(cg, ac, why);
}

/*
 * Why this kernel does not set a thread-local variable of the expression; NULL:
 * all of them are set.
 */
static const char *
why_unkept(const struct cg *cg, const struct ast_expr *e)
{
	const struct cg_kept *k;
	const char *why = NULL;

	if (e == NULL)
		return NULL;
	if (e->kind == AST_IDENT && e->u.ident.scope == AST_SELF) {
		k = find_kept(cg, e->u.ident.name);
		return k == NULL ? NULL : k->why;
	}
	for (size_t i = 0; i < e->args.n && why == NULL; i++)
		why = why_unkept(cg, e->args.v[i]);
	if (why == NULL)
		why = why_unkept(cg, e->a);
	if (why == NULL)
		why = why_unkept(cg, e->b);
	return why != NULL ? why : why_unkept(cg, e->c);
}

void
cg_compile_rule(struct cg *cg, struct ast_clause *ac)
{
	const char *fires = fired_probe(ac), *why;
	size_t n = cg->ds->list.n, first = cg->prog->clauses.n;
	size_t nerrors = cg->ds->list.n;

	if (fires == NULL && only_keeps(ac)) {
		compile_keeper(cg, ac);
		return;
	}
	if (fires == NULL || ac->body.n != 1) {
		diag_error(cg->ds, D_FIRE_ALONE, ac->span,
		    "a D library may "
		    "only declare: the body of a clause is one fire(), or "
		    "assigns to self-> variables");
		return;
	}
	why = why_unkept(cg, ac->pred);
	if (why == NULL)
		why = why_unkept(cg, ac->body.v[0]->expr);
	if (why == NULL) {
		cg_compile_clause(cg, ac);
		if (cg->ds->list.n != nerrors || is_never_true(ac->pred))
			why = take_back(cg, n, first);
	}
	if (why != NULL)
		leave_out(cg, fires, why);
}

static bool
same_pdescs(const struct dif_clause *a, const struct dif_clause *b)
{
	for (size_t i = 0; a->pdescs.n == b->pdescs.n && i < a->pdescs.n; i++) {
		const struct dif_pdesc *pa = &a->pdescs.v[i],
				       *pb = &b->pdescs.v[i];

		if (strcmp(pa->prov, pb->prov) != 0 ||
		    strcmp(pa->mod, pb->mod) != 0 ||
		    strcmp(pa->func, pb->func) != 0 ||
		    strcmp(pa->name, pb->name) != 0)
			return false;
	}
	return a->pdescs.n == b->pdescs.n;
}

/* Find another rule for the same probe at the same origins that lacks nothing.
 */
static bool
has_better(const struct cg *cg, const struct dif_clause *c)
{
	VEC_FOREACH(&cg->prog->clauses, other) {
		if (other->fires != NULL && other->lacks == NULL &&
		    strcmp(other->fires, c->fires) == 0 &&
		    same_pdescs(other, c))
			return true;
	}
	return false;
}

static const char *
first_lack(const struct dif_clause *c)
{
	size_t i = 0;

	while (c->lacks[i] == NULL)
		i++;
	return c->lacks[i];
}

void
cg_leave_out_worse(struct cg *cg)
{
	size_t kept = 0;

	VEC_FOREACH(&cg->prog->clauses, c) {
		if (c->lacks != NULL && has_better(cg, c)) {
			leave_out(cg, c->fires, first_lack(c));
			dif_clause_fini(c);
			memset(c, 0, sizeof(*c));
		}
	}
	VEC_FOREACH(&cg->prog->clauses, c) {
		if (c->pdescs.n != 0)
			cg->prog->clauses.v[kept++] = *c;
	}
	cg->prog->clauses.n = kept;
}
