/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of a replay.
 *
 * The recording has the entries of an aggregation whenever the recorded
 * consumer read them.  If the replay's consumer reads at the same place, it
 * gets them; at any other, the last that came.
 */
#include "tape/tape_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
tape_aggs_init(struct tape_player *t)
{
	t->aggs = mem_alloc((t->pl->aggs.n + 1) * sizeof(*t->aggs));
	for (size_t i = 0; i < t->pl->aggs.n; i++)
		t->aggs[i].size = (size_t)t->pl->aggs.v[i].key_size +
		    t->pl->aggs.v[i].val_size;
}

void
tape_aggs_fini(struct tape_player *t)
{
	for (size_t i = 0; t->aggs != NULL && i < t->pl->aggs.n; i++)
		free(t->aggs[i].entries);
	free(t->aggs);
}

static bool
reserve(struct tape_agg *ag)
{
	size_t cap = ag->cap != 0 ? 2 * ag->cap : 64;
	char *entries;

	if (ag->n < ag->cap)
		return true;
	entries = realloc(ag->entries, cap * ag->size);
	if (entries == NULL)
		return false;
	ag->entries = entries;
	ag->cap = cap;
	return true;
}

static void
add_entry(struct tape_player *t, const struct record_event *ev)
{
	struct tape_agg *ag = &t->aggs[ev->agg - 1];
	char *to;
	uint16_t cpu;

	memcpy(&cpu, ev->data, sizeof(cpu));
	if (cpu >= t->x.ncpus)
		return;
	if (!reserve(ag)) {
		tape_no_memory(t);
		return;
	}
	to = ag->entries + ag->n++ * ag->size;
	memcpy(to, ev->data, ev->size);
	memcpy(to + ev->size, ev->val, ev->val_size);
}

void
tape_read_agg(struct tape_player *t)
{
	struct record_event ev;
	struct tape_agg *ag;
	uint32_t id;

	tape_take(t, &ev);
	id = ev.agg;
	ag = id >= 1 && id <= t->pl->aggs.n ? &t->aggs[id - 1] : NULL;
	if (ag != NULL) {
		ag->n = 0;
		ag->is_turned = ev.is_turn;
	}
	while (tape_peek(t, &ev) == 1 &&
	    (ev.kind == RECORD_AGG_ENTRY || ev.kind == RECORD_AGG_END)) {
		tape_take(t, &ev);
		if (ev.agg != id || ag == NULL)
			continue;
		if (ev.kind == RECORD_AGG_END)
			break;
		add_entry(t, &ev);
	}
}

/*
 * Read what the recorded consumer read here, up to this aggregation: another
 * output may take them in another order.
 */
static void
read_up_to(struct tape_player *t, uint32_t id, bool is_turn)
{
	struct record_event ev;

	while (tape_peek(t, &ev) == 1) {
		bool is_ours = ev.agg == id && ev.is_turn == is_turn;

		if (ev.kind == RECORD_CLOCK) {
			tape_take(t, &ev);
			continue;
		}
		if (ev.kind != RECORD_AGG_BEGIN)
			break;
		tape_read_agg(t);
		if (is_ours)
			break;
	}
}

static int
hand_over(struct tape_player *t, uint32_t id, dt_aggent_f *f, void *arg)
{
	const struct tape_agg *ag = &t->aggs[id - 1];
	uint32_t key_size = t->pl->aggs.v[id - 1].key_size;
	int rc = t->error;

	for (size_t i = 0; i < ag->n && rc == 0; i++) {
		const char *key = ag->entries + i * ag->size;

		rc = f(id, key, key + key_size, arg);
	}
	return rc;
}

int
tape_play_walk(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct tape_player *t = (struct tape_player *)x;

	read_up_to(t, agg_id, false);
	/* a turn of the recorded consumer's that this one did not make */
	return hand_over(t, agg_id, f, arg);
}

int
tape_play_turn(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct tape_player *t = (struct tape_player *)x;
	int rc;

	if (!t->aggs[agg_id - 1].is_turned)
		read_up_to(t, agg_id, true);
	rc = hand_over(t, agg_id, f, arg);
	t->aggs[agg_id - 1].n = 0;
	t->aggs[agg_id - 1].is_turned = false;
	return rc;
}
