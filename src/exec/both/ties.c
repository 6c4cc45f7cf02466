/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ties between clauses.
 *
 *	probe		all clauses of a probe fire in program order
 *	place		a jump covers several bytes, and a breakpoint of the
 *			kernel must not be among them
 *	growth		descriptions that may find the same places while tracing
 *	variable	globals, thread-local variables and associative arrays
 *	speculation	any two clauses may use the same one
 *	calls		system calls of dtrace's code, and clauses that see them
 */
#include "exec/both/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "provider/usites.h"

/*
 * Places nearer than this are one, unless they are in different functions.  A
 * jump covers less than 20 bytes, of one function: five, the rest of the last
 * instruction, and the first bytes of the next one.
 */
#define NEAR 64

static void
add(struct both_ties *ties, struct both_tie tie)
{
	VEC_PUSH(&ties->v, tie);
}

/* ---- variables ------------------------------------------------------- */

struct ties_arg {
	struct both_ties *ties; /* NULL: only ask */
	uint32_t clause;
	bool has;
};

static void
add_variables(const struct dif_obj *dp, void *arg)
{
	struct ties_arg *a = arg;

	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *dv = &dp->vartab[i];

		if (dv->id < DIF_VAR_USER_MIN || dv->scope == DIFV_SCOPE_LOCAL)
			continue;
		a->has = true;
		if (a->ties != NULL)
			add(a->ties,
			    (struct both_tie){ .kind = BOTH_TIE_VARIABLE,
				.clause = a->clause,
				.key = { dv->scope, dv->kind, dv->id },
				.is_soft = exec_shared_can(dv) &&
				    (dv->scope == DIFV_SCOPE_GLOBAL ||
					a->ties->self_is_soft),
				.name = dp->strtab + dv->name });
	}
}

static bool
speculates(const struct plan_clause *pc)
{
	return plan_clause_does(pc, DIF_STEP_SPECULATE) ||
	    plan_clause_does(pc, DIF_STEP_SPEC_END) ||
	    dif_uses_subr(&pc->uses, DIF_SUBR_SPECULATION);
}

bool
both_has_state(const struct plan_clause *pc)
{
	struct ties_arg a = { 0 };

	plan_clause_each_obj(pc, add_variables, &a);
	return a.has || speculates(pc);
}

static void
add_state(struct both_ties *ties, const struct plan_clause *pc, uint32_t clause)
{
	struct ties_arg a = { .ties = ties, .clause = clause };

	plan_clause_each_obj(pc, add_variables, &a);
	if (speculates(pc))
		add(ties,
		    (struct both_tie){
			.kind = BOTH_TIE_SPECULATION, .clause = clause });
}

/* ---- probes and places ----------------------------------------------- */

/* A probe named exit fires at returns of other functions, too, so its place
 * does not tell the function. */
static uint64_t
function_of(const struct dt_probe *p, const struct dt_usite *s)
{
	if (p->kind == DT_PROBE_FUNC_ENTRY || s->is_first)
		return s->off;
	if (p->kind == DT_PROBE_FUNC_RETURN && strcmp(p->name, "exit") != 0)
		return s->off - (uint64_t)(int64_t)s->func_off;
	return 0;
}

static void
add_places(struct both_ties *ties, const struct dt_probe *p, uint32_t clause)
{
	VEC_FOREACH(&p->up->sites, s)
		add(ties,
		    (struct both_tie){ .kind = BOTH_TIE_PLACE,
			.clause = clause,
			.key = { s->file->dev, s->file->ino, s->off },
			.func = function_of(p, s) });
}

static void
add_probes(
    struct both_ties *ties, const struct plan_clause *pc, uint32_t clause)
{
	VEC_FOREACH(&pc->probes, p) {
		add(ties,
		    (struct both_tie){ .kind = BOTH_TIE_PROBE,
			.clause = clause,
			.key = { (*p)->id } });
		if ((*p)->up != NULL)
			add_places(ties, *p, clause);
	}
}

/* ---- growth ---------------------------------------------------------- */

static bool
is_pattern(const char *field)
{
	return *field == '\0' || strpbrk(field, "*?[\\") != NULL;
}

static const char *
base_name(const char *module)
{
	const char *slash = strrchr(module, '/');

	return slash != NULL ? slash + 1 : module;
}

/* "a.out" is another name of the program, a path that of a file. */
static bool
may_be_one_module(const char *module, const char *other)
{
	const char *a = base_name(module), *b = base_name(other);
	size_t na = strlen(a), nb = strlen(b);

	if (is_pattern(a) || is_pattern(b))
		return true;
	if (strcmp(a, "a.out") == 0 || strcmp(b, "a.out") == 0)
		return strstr(a, ".so") == NULL && strstr(b, ".so") == NULL;
	return strncmp(a, b, na < nb ? na : nb) == 0;
}

bool
both_grows(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->clause->pdescs, desc) {
		if (dt_registry_may_grow(desc))
			return true;
	}
	return false;
}

/* May both find places in one function?  Probe names make no difference. */
static bool
may_meet(const struct dif_pdesc *a, const struct dif_pdesc *b)
{
	return dt_registry_may_grow(a) && dt_registry_may_grow(b) &&
	    (strcmp(a->prov, b->prov) == 0 || is_pattern(a->prov) ||
		is_pattern(b->prov)) &&
	    may_be_one_module(a->mod, b->mod) &&
	    (is_pattern(a->func) || is_pattern(b->func) ||
		strcmp(a->func, b->func) == 0);
}

static bool
clauses_may_meet(const struct plan_clause *a, const struct plan_clause *b)
{
	VEC_FOREACH(&a->clause->pdescs, da) {
		VEC_FOREACH(&b->clause->pdescs, db) {
			if (may_meet(da, db))
				return true;
		}
	}
	return false;
}

/* Two clauses that may meet have a tie of their own. */
static void
add_growth(struct both_ties *ties, const struct plan *pl, const bool *is_tied)
{
	for (uint32_t i = 0; i < pl->clauses.n; i++) {
		for (uint32_t k = 0; k < i; k++) {
			const struct plan_clause *a = &pl->clauses.v[i];
			const struct plan_clause *b = &pl->clauses.v[k];
			struct both_tie tie = { .kind = BOTH_TIE_GROWTH,
				.clause = i,
				.key = { i, k } };

			if (!is_tied[i] || !is_tied[k] ||
			    !clauses_may_meet(a, b))
				continue;
			add(ties, tie);
			tie.clause = k;
			add(ties, tie);
		}
	}
}

/* ---- system calls ----------------------------------------------------- */

static bool
any_sees_calls(const struct plan *pl, const bool *is_tied)
{
	for (size_t i = 0; i < pl->clauses.n; i++) {
		if (is_tied[i] && both_sees_calls(&pl->clauses.v[i]))
			return true;
	}
	return false;
}

static bool
is_fired_by_dtrace(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, p) {
		if ((*p)->kind != DT_PROBE_RUN)
			return false;
	}
	return !both_grows(pc);
}

static void
add_calls(struct both_ties *ties, const struct plan *pl, const bool *is_tied)
{
	if (!any_sees_calls(pl, is_tied))
		return;
	for (uint32_t i = 0; i < pl->clauses.n; i++) {
		const struct plan_clause *pc = &pl->clauses.v[i];

		if (!is_tied[i] || is_fired_by_dtrace(pc))
			continue;
		if (both_sees_calls(pc) || both_makes_calls(pc))
			add(ties,
			    (struct both_tie){
				.kind = BOTH_TIE_CALLS, .clause = i });
	}
}

/* ---- all ------------------------------------------------------------- */

static int
compare_ties(const void *pa, const void *pb)
{
	const struct both_tie *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	for (unsigned i = 0; i < 3; i++) {
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	}
	return a->clause < b->clause ? -1 : a->clause > b->clause;
}

void
both_ties_find(
    struct both_ties *ties, const struct plan *pl, const bool *is_tied)
{
	for (uint32_t i = 0; i < pl->clauses.n; i++) {
		if (!is_tied[i])
			continue;
		add_state(ties, &pl->clauses.v[i], i);
		add_probes(ties, &pl->clauses.v[i], i);
	}
	add_growth(ties, pl, is_tied);
	add_calls(ties, pl, is_tied);
	if (ties->v.n != 0)
		qsort(ties->v.v, ties->v.n, sizeof(*ties->v.v), compare_ties);
}

void
both_ties_fini(struct both_ties *ties)
{
	VEC_FREE(&ties->v);
}

/* `b` is not before `a`, in the same file. */
static bool
are_near(const struct both_tie *a, const struct both_tie *b)
{
	bool are_apart = a->func != 0 && b->func != 0 && a->func != b->func;

	return b->key[2] - a->key[2] < NEAR && !are_apart;
}

static bool
are_equal(const struct both_tie *a, const struct both_tie *b)
{
	return a->kind == b->kind && a->key[0] == b->key[0] &&
	    a->key[1] == b->key[1] &&
	    (a->kind == BOTH_TIE_PLACE ? are_near(a, b) :
					 a->key[2] == b->key[2]);
}

/* An object of another compiler may see a variable as something else. */
bool
both_ties_are_soft(const struct both_ties *ties, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		if (!ties->v.v[i].is_soft)
			return false;
	}
	return true;
}

size_t
both_ties_end(const struct both_ties *ties, size_t first)
{
	size_t i = first + 1;

	while (i < ties->v.n && are_equal(&ties->v.v[i - 1], &ties->v.v[i]))
		i++;
	return i;
}
