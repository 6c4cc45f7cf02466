/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clauses of a large group, in an order that keeps those of a probe together.
 *
 * A firing runs the parts (part.c) that hold clauses of its probe.  Where a
 * script goes through the probes again and again, these would be most parts.
 * Only clauses that share a probe have an order between them, directly or by
 * way of others: such clauses are a family.  So families are put one behind the
 * other, each in the order of the program.
 */
#include "exec/bpf/tr.h"

#include <stdlib.h>
#include <string.h>

/* parent[i] <= i: a clause of the same family; itself for the first. */
static uint32_t
first_of(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static void
join(uint32_t *parent, uint32_t i, uint32_t j)
{
	i = first_of(parent, i);
	j = first_of(parent, j);
	if (i < j)
		parent[j] = i;
	else
		parent[i] = j;
}

static void
find_families(const struct bx_tr *t, uint32_t *parent)
{
	struct idmap seen = { 0 }; /* probe id -> its first clause */

	for (uint32_t i = 0; i < t->clauses.n; i++) {
		parent[i] = i;
		VEC_FOREACH(&t->clauses.v[i]->probes, pp) {
			const uint32_t *first = idmap_get(&seen, (*pp)->id);

			if (first != NULL)
				join(parent, *first, i);
			else
				idmap_put(&seen, (*pp)->id, i);
		}
	}
	idmap_fini(&seen);
}

void
bx_clauses_order(struct bx_tr *t)
{
	size_t n = t->clauses.n;
	uint32_t *next = mem_alloc((n + 1) * sizeof(*next));
	uint32_t *parent = mem_alloc((n + 1) * sizeof(*parent));
	const struct plan_clause **to = mem_alloc((n + 1) * sizeof(*to));
	uint32_t at = 0;

	find_families(t, parent);
	/* next[i]: of family i, how many; then where its next clause goes */
	for (uint32_t i = 0; i < n; i++)
		next[first_of(parent, i)]++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = next[i];

		next[i] = at;
		at += size;
	}
	for (uint32_t i = 0; i < n; i++)
		to[next[first_of(parent, i)]++] = t->clauses.v[i];
	memcpy(t->clauses.v, to, n * sizeof(*to));
	free(next);
	free(parent);
	free(to);
}
