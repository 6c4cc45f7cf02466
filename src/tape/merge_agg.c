/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of a fleet: each host sends what has come since it sent last.
 *
 * Values wait here until the consumer turns the aggregation, and are merged
 * into its base then, as those of several CPUs are.  So memory grows with keys,
 * and with what comes between two turns, not with hosts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tape/merge_impl.h"

void
merge_aggs_init(struct tape_merge *m)
{
	m->aggs = mem_alloc((m->pl->aggs.n + 1) * sizeof(*m->aggs));
	for (size_t i = 0; i < m->pl->aggs.n; i++)
		m->aggs[i].size = (size_t)m->pl->aggs.v[i].key_size +
		    m->pl->aggs.v[i].val_size;
}

void
merge_aggs_fini(struct tape_merge *m)
{
	for (size_t i = 0; i < m->pl->aggs.n; i++)
		free(m->aggs[i].entries);
	free(m->aggs);
}

static char *
reserve(struct merge_agg *ag)
{
	if (ag->n == ag->cap) {
		ag->cap = ag->cap != 0 ? 2 * ag->cap : 64;
		ag->entries = mem_realloc(ag->entries, ag->cap * ag->size);
	}
	return ag->entries + ag->n * ag->size;
}

static void
add_entry(struct tape_merge *m, struct merge_host *h, uint32_t id,
    const char *key, const void *val)
{
	const struct plan_agg *pa = &m->pl->aggs.v[id - 1];
	struct merge_agg *ag = &m->aggs[id - 1];
	char *to = reserve(ag);

	/* CPUs of several hosts are not told apart */
	memset(to, 0, PLAN_KEYHDR);
	memcpy(to + PLAN_KEYHDR, key + PLAN_KEYHDR, pa->key_size - PLAN_KEYHDR);
	memcpy(to + pa->key_size, val, pa->val_size);
	merge_strings(m, h, pa->keys.v, pa->keys.n, to, 0);
	ag->n++;
	m->npending++;
}

/* The entries that are in this block. */
static void
take_entries(struct tape_merge *m, struct merge_host *h, uint32_t id)
{
	const struct plan_agg *pa = &m->pl->aggs.v[id - 1];
	const char *key;
	const void *val;

	while (
	    record_take_entry(h->r, id, pa->key_size, pa->val_size, &key, &val))
		add_entry(m, h, id, key, val);
}

static void
add_event(
    struct tape_merge *m, struct merge_host *h, const struct record_event *ev)
{
	const struct plan_agg *pa;

	if (ev->agg < 1 || ev->agg > m->pl->aggs.n)
		return;
	pa = &m->pl->aggs.v[ev->agg - 1];
	if (ev->size == pa->key_size && ev->val_size == pa->val_size)
		add_entry(m, h, ev->agg, ev->data, ev->val);
}

void
merge_take_agg(struct tape_merge *m, struct merge_host *h, size_t max)
{
	struct record_event ev;
	uint32_t id;

	merge_take(m, h, &ev);
	id = ev.agg;
	if (id < 1 || id > m->pl->aggs.n)
		return;
	if (ev.kind == RECORD_AGG_ENTRY)
		add_event(m, h, &ev);
	take_entries(m, h, id);
	while (m->npending < max && merge_peek(h, &ev) &&
	    (ev.kind == RECORD_AGG_ENTRY || ev.kind == RECORD_AGG_END)) {
		merge_take(m, h, &ev);
		if (ev.kind == RECORD_AGG_ENTRY)
			add_event(m, h, &ev);
		else if (ev.agg == id)
			break;
		take_entries(m, h, id);
	}
}

/*
 * The consumer asks for values while it has a record of the host.  The values
 * that the host's consumer read for that record come next.
 */
static void
read_for_record(struct tape_merge *m)
{
	struct record_event ev;

	while (m->current != NULL && merge_peek(m->current, &ev) &&
	    ev.kind == RECORD_AGG_BEGIN)
		merge_take_agg(m, m->current, SIZE_MAX);
}

static int
hand_over(struct tape_merge *m, uint32_t id, dt_aggent_f *f, void *arg)
{
	const struct merge_agg *ag = &m->aggs[id - 1];
	uint32_t key_size = m->pl->aggs.v[id - 1].key_size;
	int rc = 0;

	for (size_t i = 0; i < ag->n && rc == 0; i++) {
		const char *key = ag->entries + i * ag->size;

		rc = f(id, key, key + key_size, arg);
	}
	return rc;
}

int
merge_walk(struct dt_exec *x, uint32_t id, dt_aggent_f *f, void *arg)
{
	struct tape_merge *m = (struct tape_merge *)x;

	read_for_record(m);
	return hand_over(m, id, f, arg);
}

int
merge_turn(struct dt_exec *x, uint32_t id, dt_aggent_f *f, void *arg)
{
	struct tape_merge *m = (struct tape_merge *)x;
	int rc;

	read_for_record(m);
	rc = hand_over(m, id, f, arg);
	m->npending -= m->aggs[id - 1].n;
	m->aggs[id - 1].n = 0;
	return rc;
}

uint32_t
tape_merge_pending(const struct tape_merge *m)
{
	for (uint32_t i = 0; i < m->pl->aggs.n && m->npending != 0; i++) {
		if (m->aggs[i].n != 0)
			return i + 1;
	}
	return 0;
}
