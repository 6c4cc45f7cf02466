/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of a flame graph, in bounded memory.
 *
 * A frame's total is never larger than its caller's.  So to drop all frames
 * below a bound leaves a tree, and what they counted stays in their callers.
 */
#include "consume/flame.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
flame_tree_init(struct flame_tree *t)
{
	*t = (struct flame_tree){ 0 };
	strtab_init(&t->names);
	VEC_PUSH(&t->nodes, ((struct flame_node){ .name = 0 }));
}

void
flame_tree_fini(struct flame_tree *t)
{
	VEC_FREE(&t->nodes);
	free(t->slots);
	strtab_fini(&t->names);
}

static size_t
first_slot(const struct flame_tree *t, uint32_t caller, uint32_t name)
{
	uint64_t h = ((uint64_t)caller << 32 | name) * 0x9e3779b97f4a7c15u;

	return (size_t)(h >> 20) & (t->nslots - 1);
}

/* The slot of a frame, or the free slot for it. */
static uint32_t *
slot_of(const struct flame_tree *t, uint32_t caller, uint32_t name)
{
	size_t i = first_slot(t, caller, name);

	while (t->slots[i] != 0) {
		const struct flame_node *n = &t->nodes.v[t->slots[i] - 1];

		if (n->caller == caller && n->name == name)
			break;
		i = (i + 1) & (t->nslots - 1);
	}
	return &t->slots[i];
}

static void
make_slots(struct flame_tree *t, size_t nslots)
{
	free(t->slots);
	t->slots = mem_alloc(nslots * sizeof(*t->slots));
	t->nslots = nslots;
	for (uint32_t i = 1; i < t->nodes.n; i++)
		*slot_of(t, t->nodes.v[i].caller, t->nodes.v[i].name) = i + 1;
}

uint32_t
flame_tree_add(struct flame_tree *t, uint32_t caller, const char *name,
    enum flame_kind kind, uint64_t value)
{
	uint32_t id = strtab_intern(&t->names, name), *slot;

	if (t->nodes.n * 2 >= t->nslots)
		make_slots(t, t->nslots != 0 ? t->nslots * 2 : 1024);
	slot = slot_of(t, caller, id);
	if (*slot == 0) {
		VEC_PUSH(&t->nodes,
		    ((struct flame_node){
			.name = id, .caller = caller, .kind = kind }));
		*slot = (uint32_t)t->nodes.n;
	}
	t->nodes.v[*slot - 1].total += value;
	return *slot - 1;
}

uint32_t
flame_tree_find(const struct flame_tree *t, uint32_t caller, const char *name)
{
	uint32_t id = strtab_find(&t->names, name), slot;

	if (id == 0 || t->nslots == 0)
		return 0;
	slot = *slot_of(t, caller, id);
	return slot != 0 ? slot - 1 : 0;
}

/* ---- limits ------------------------------------------------------------- */

static size_t
count_from(const struct flame_tree *t, uint64_t least)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nodes.n; i++)
		n += i == 0 || t->nodes.v[i].total >= least;
	return n;
}

/* Names of dropped frames go, too. */
static void
keep_from(struct flame_tree *t, uint64_t least)
{
	struct flame_tree kept;
	uint32_t *places = mem_alloc(t->nodes.n * sizeof(*places));

	flame_tree_init(&kept);
	kept.nodes.v[0].total = t->nodes.v[0].total;
	kept.nmerged = t->nmerged;
	kept.nflat = t->nflat;
	kept.is_compared = t->is_compared;
	kept.gone = t->gone;
	kept.ngone = t->ngone;
	kept.nodes.v[0].before = t->nodes.v[0].before;
	for (size_t i = 1; i < t->nodes.n; i++) {
		const struct flame_node *n = &t->nodes.v[i];

		if (n->total < least)
			kept.nmerged++;
		else {
			places[i] = flame_tree_add(&kept, places[n->caller],
			    strtab_str(&t->names, n->name), n->kind, n->total);
			kept.nodes.v[places[i]].before = n->before;
		}
	}
	free(places);
	flame_tree_fini(t);
	*t = kept;
}

void
flame_tree_limit(struct flame_tree *t, size_t max)
{
	uint64_t least = 2;

	if (t->nodes.n <= max)
		return;
	/* a total is at most 2^63 */
	while (count_from(t, least) > max && least < UINT64_C(1) << 63)
		least *= 2;
	keep_from(t, least);
}
