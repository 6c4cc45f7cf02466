/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a replay: the recorded program with the recorded probes.  Its
 * layouts must be those of the recording, or records would be misread.
 */
#include "tape/tape_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A probe that the recording does not hold, since a part of it is damaged. */
static const struct record_probe unknown = {
	.prov = "", .mod = "", .func = "", .name = "unknown"
};

static const struct dt_probe *
probe_of(struct tape_player *t, uint32_t n)
{
	const struct record_probe *rp = record_probe(t->r, n);
	struct dt_probe *p;

	while (t->probes.n <= n)
		VEC_PUSH(&t->probes, NULL);
	if (t->probes.v[n] != NULL)
		return t->probes.v[n];
	if (rp == NULL)
		rp = &unknown;
	p = mem_alloc(sizeof(*p));
	*p = (struct dt_probe){ .id = rp->id,
		.prov = rp->prov,
		.mod = rp->mod,
		.func = rp->func,
		.name = rp->name,
		.kind = (enum dt_probe_kind)rp->kind };
	t->probes.v[n] = p;
	return p;
}

/* Numbers of probes are bounded by the probes there are. */
static const struct dt_probe *
enabled_probe(struct tape_player *t, uint32_t epid)
{
	const struct record_enabling *e = record_enabling(t->r, epid);
	uint32_t nprobes = record_nprobes(t->r);

	return probe_of(
	    t, e != NULL && e->probe < nprobes ? e->probe : nprobes);
}

CHECKED static int
differs(const char *what, uint32_t n, struct err *err)
{
	return err_set(err, -EINVAL,
	    "%s %u of the recording is not what this dtrace makes of its "
	    "program: replay it with the version of dtrace that made it",
	    what, n);
}

/* Give a clause its probes. */
CHECKED static int
add_probes(struct tape_player *t, uint32_t n, struct err *err)
{
	const struct record_clause *rc = record_clause(t->r, n);

	if (rc == NULL || rc->nepids > record_nenablings(t->r))
		return err_set(err, -EINVAL,
		    "the recording lacks the probes of clause %u", n + 1);
	for (uint32_t i = 0; i < rc->nepids; i++)
		plan_clause_add_probe(
		    &t->pl->clauses.v[n], enabled_probe(t, rc->epid_base + i));
	return 0;
}

CHECKED static int
compare_clause(const struct tape_player *t, uint32_t n, struct err *err)
{
	const struct record_clause *rc = record_clause(t->r, n);
	const struct plan_clause *pc = &t->pl->clauses.v[n];

	return rc->size != pc->size || rc->epid_base != pc->epid_base ?
	    differs("clause", n + 1, err) :
	    0;
}

CHECKED static int
compare_agg(const struct tape_player *t, uint32_t n, struct err *err)
{
	const struct record_agg *ra = record_agg(t->r, n + 1);
	const struct plan_agg *pa = &t->pl->aggs.v[n];

	if (pa->agg == NULL)
		return err_set(err, -EINVAL,
		    "the program of the recording lacks aggregation %u", n + 1);
	return ra == NULL || ra->kind != pa->agg->kind ||
		ra->arg != pa->agg->arg || ra->key_size != pa->key_size ||
		ra->val_size != pa->val_size ?
	    differs("aggregation", n + 1, err) :
	    0;
}

int
tape_make_plan(struct tape_player *t, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < t->pl->clauses.n && rc == 0; i++)
		rc = add_probes(t, i, err);
	if (rc != 0)
		return rc;
	plan_finish(t->pl);
	for (uint32_t i = 0; i < t->pl->clauses.n && rc == 0; i++)
		rc = compare_clause(t, i, err);
	for (uint32_t i = 0; i < t->pl->aggs.n && rc == 0; i++)
		rc = compare_agg(t, i, err);
	tape_grow_plan(t);
	return rc;
}

/* Strings have numbers in the order in which they are interned. */
static void
add_strings(struct tape_player *t)
{
	struct strtab *strs = t->pl->strs;

	while (strs->strs.n < record_nstrings(t->r)) {
		uint32_t id = (uint32_t)strs->strs.n + 1;
		const char *s = record_string(t->r, id);
		char *made = s != NULL ? mem_strdup(s) : mem_strdup("?");

		/* only a hostile or a damaged table has a string twice */
		for (unsigned n = 2; strtab_find(strs, made) != 0; n++) {
			free(made);
			made = mem_printf("[string %u, %u]", id, n);
		}
		strtab_intern(strs, made);
		free(made);
	}
}

void
tape_grow_plan(struct tape_player *t)
{
	struct plan *pl = t->pl;

	while (pl->nepids < record_nenablings(t->r)) {
		uint32_t epid = pl->nepids + 1;
		const struct record_enabling *e = record_enabling(t->r, epid);
		uint32_t clause =
		    e != NULL && e->clause < pl->clauses.n ? e->clause : 0;

		if (pl->clauses.n == 0)
			break;
		plan_add_late(pl, clause, enabled_probe(t, epid));
	}
	add_strings(t);
}
