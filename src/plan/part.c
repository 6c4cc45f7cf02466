/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a plan: some of its clauses, for a substrate that does not run all.
 *
 * A part owns only its lists.  Clauses and aggregations are shallow copies:
 * steps and records belong to the whole plan, and point to one another there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "plan/plan.h"

static void
take_clauses(struct plan_part *part, const bool *has)
{
	const struct plan *whole = part->whole;

	part->numbers =
	    mem_alloc((whole->clauses.n + 1) * sizeof(*part->numbers));
	for (size_t i = 0; i < whole->clauses.n; i++) {
		part->numbers[i] = PLAN_ELSEWHERE;
		if (!has[i])
			continue;
		part->numbers[i] = (uint32_t)part->pl.clauses.n;
		VEC_PUSH(&part->pl.clauses, whole->clauses.v[i]);
	}
}

static bool
updates(const struct plan *pl, const struct plan_agg *pa)
{
	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FOREACH(&pc->steps, s) {
			if (s->agg != NULL && s->agg->agg->id == pa->agg->id)
				return true;
		}
	}
	return false;
}

static void
take_aggs(struct plan *pl, const struct plan *whole)
{
	VEC_COPY(&pl->aggs, &whole->aggs);
	VEC_FOREACH(&pl->aggs, pa)
		pa->is_elsewhere = !updates(pl, pa);
}

struct plan_part *
plan_part_create(const struct plan *whole, const bool *has)
{
	struct plan_part *part = mem_alloc(sizeof(*part));
	struct plan *pl = &part->pl;

	*pl = *whole;
	memset(&pl->clauses, 0, sizeof(pl->clauses));
	memset(&pl->late, 0, sizeof(pl->late));
	part->whole = whole;
	take_clauses(part, has);
	take_aggs(pl, whole);
	plan_part_grow(part);
	return part;
}

void
plan_part_destroy(struct plan_part *part)
{
	if (part == NULL)
		return;
	VEC_FREE(&part->pl.clauses);
	VEC_FREE(&part->pl.aggs);
	VEC_FREE(&part->pl.late);
	free(part->numbers);
	free(part);
}

size_t
plan_part_grow(struct plan_part *part)
{
	const struct plan *whole = part->whole;
	size_t n = 0;

	for (size_t i = part->pl.late.n; i < whole->late.n; i++) {
		struct plan_late late = whole->late.v[i];

		late.clause = part->numbers[late.clause];
		n += late.clause != PLAN_ELSEWHERE;
		VEC_PUSH(&part->pl.late, late);
	}
	part->pl.nepids = whole->nepids;
	return n;
}
