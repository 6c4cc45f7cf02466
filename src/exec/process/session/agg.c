/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading aggregations: a table, or a value, per thread and generation.
 *
 * Values only grow within a generation, so reading them while threads update
 * them loses nothing.  To forget them (clear(), trunc()) the generation is
 * advanced: threads go on in the other table, and when the last firing that
 * knew the old one has ended, its values are final.
 *
 * A hostile process may have written the tables: the number and size of entries
 * come from our own data, and an entry is copied before it is examined.  Pages
 * that were never written are not touched, whatever a table says: all tables
 * together are far larger than memory.
 */
#include "exec/process/impl.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define QUIET_NS                                                               \
	20000000ULL /* agg_turn() waits no longer for a firing                 \
		     */
/*
 * Most entries in a row that are unfinished or given up, because a signal
 * handler interrupted the firing.  More of them mean a wrong count.
 */
#define GAP_MAX 64

struct agg_walk {
	struct pr_exec *x;
	const struct pr_agg *ag;
	uint32_t agg_id;
	uint64_t gen;
	uint64_t *key, *val;
	dt_aggent_f *f;
	void *arg;
};

static uint64_t *
generation(const struct pr_exec *x, uint32_t agg_id)
{
	uint64_t *gens = (uint64_t *)(void *)(x->base + x->conf.gens);

	return &gens[agg_id - 1];
}

static struct pr_tab
table_of(const struct agg_walk *w, uint32_t thread)
{
	return pr_tab(w->x, w->ag, thread, w->gen);
}

static uint32_t
nused(const struct agg_walk *w, const struct pr_tab *tab)
{
	uint64_t n = __atomic_load_n(&tab->t->n, __ATOMIC_ACQUIRE);

	if (w->ag->key_size == 0)
		return 1;
	return n < tab->max ? (uint32_t)n : tab->max;
}

static int
walk_entry(const struct agg_walk *w, const uint64_t *entry)
{
	uint32_t cpu;

	memset(w->key, 0, PLAN_KEYHDR);
	memcpy(w->key, entry + 1, w->ag->key_size);
	memcpy(w->val, entry + 1 + w->ag->key_size / 8, w->ag->val_size);
	cpu = (uint16_t)w->key[0];
	w->key[0] = cpu | (w->gen & 0xffff) << 16;
	return w->f(w->agg_id, w->key, w->val, w->arg);
}

static int
walk_thread(const struct agg_walk *w, uint32_t thread)
{
	struct pr_tab tab = table_of(w, thread);
	uint32_t n = nused(w, &tab), gap = 0;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < n && gap <= GAP_MAX; i++) {
		uint64_t *entry = (uint64_t *)(void *)(tab.entries +
		    (uint64_t)i * w->ag->entry_size);
		bool is_there = __atomic_load_n(entry, __ATOMIC_ACQUIRE) != 0;

		gap = is_there ? 0 : gap + 1;
		if (is_there)
			rc = walk_entry(w, entry);
	}
	if (gap > GAP_MAX)
		pr_damaged(w->x);
	return rc;
}

/* Zero those of `len` bytes that have been written. */
static void
wipe(const struct pr_exec *x, char *p, uint64_t len)
{
	char *data = (char *)x->base + x->conf.data;
	off_t from = p - data, end = from + (off_t)len, to;

	while (from < end) {
		from = lseek(x->data_fd, from, SEEK_DATA);
		if (from < 0 || from >= end) /* ENXIO: no data from there on */
			return;
		to = lseek(x->data_fd, from, SEEK_HOLE);
		to = to > from && to < end ? to : end;
		memset(data + from, 0, (size_t)(to - from));
		from = to;
	}
}

/* Forget all that a thread left in a table. */
static void
forget_thread(const struct agg_walk *w, uint32_t thread)
{
	struct pr_tab tab = table_of(w, thread);
	uint64_t slots = 4ULL * tab.nslots;

	if (tab.t->n == 0 && w->ag->key_size != 0)
		return;
	wipe(w->x, (char *)tab.t->slots,
	    slots + (uint64_t)nused(w, &tab) * w->ag->entry_size);
	__atomic_store_n(&tab.t->n, 0, __ATOMIC_RELEASE);
}

static struct agg_walk
walk_begin(struct pr_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	const struct pr_agg *ag = &x->aggs.v[agg_id - 1];

	return (struct agg_walk){ .x = x,
		.ag = ag,
		.agg_id = agg_id,
		.gen = *generation(x, agg_id),
		.key = mem_alloc(PLAN_KEYHDR + ag->key_size),
		.val = mem_alloc(ag->val_size),
		.f = f,
		.arg = arg };
}

static void
walk_end(struct agg_walk *w)
{
	free(w->key);
	free(w->val);
}

static int
walk_all(const struct agg_walk *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->x->conf.nthreads; i++) {
		if (pr_owner(w->x, i) != 0)
			rc = walk_thread(w, i);
	}
	return rc;
}

int
pr_agg_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct pr_exec *x = pr_of(e);
	struct agg_walk w = walk_begin(x, agg_id, f, arg);
	int rc = walk_all(&w);

	walk_end(&w);
	return rc;
}

static bool
is_firing(const struct pr_shared *s)
{
	return __atomic_load_n(&s->active, __ATOMIC_ACQUIRE) != 0 ||
	    __atomic_load_n(&s->counting, __ATOMIC_ACQUIRE) != 0;
}

/* Wait until all firings that began before have ended, but not for ever: a
 * thread may be stopped, or have been killed, in a firing. */
static void
quiesce(const struct pr_exec *x)
{
	uint64_t until = now_ns() + QUIET_NS;

	for (uint32_t i = 0; i < x->conf.nthreads; i++) {
		pid_t tid = (pid_t)(uint32_t)pr_owner(x, i);

		while (tid != 0 && is_firing(pr_shared(x, i)) &&
		    kill(tid, 0) == 0 && now_ns() < until)
			sched_yield();
	}
}

int
pr_agg_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct pr_exec *x = pr_of(e);
	struct agg_walk w = walk_begin(x, agg_id, f, arg);
	int rc;

	x->fills = __atomic_load_n(&pr_head(x)->fills, __ATOMIC_ACQUIRE);
	__atomic_store_n(generation(x, agg_id), w.gen + 1, __ATOMIC_SEQ_CST);
	quiesce(x);
	rc = walk_all(&w);
	for (uint32_t i = 0; i < x->conf.nthreads; i++) {
		if (pr_owner(x, i) != 0)
			forget_thread(&w, i);
	}
	walk_end(&w);
	return rc;
}

/* Report the fullest table, scaled as if all were as large as the first. */
void
pr_agg_fill(struct dt_exec *e, uint32_t agg_id, uint64_t *used, uint64_t *room)
{
	struct pr_exec *x = pr_of(e);
	struct agg_walk w = { .x = x,
		.ag = &x->aggs.v[agg_id - 1],
		.gen = *generation(x, agg_id) };

	*used = 0;
	*room = w.ag->key_size != 0 ? w.ag->sizes[0].max : 1;
	for (uint32_t i = 0; i < x->conf.nthreads; i++) {
		struct pr_tab tab;
		uint64_t n;

		if (pr_owner(x, i) == 0)
			continue;
		tab = table_of(&w, i);
		n = nused(&w, &tab) * *room / tab.max;
		*used = n > *used ? n : *used;
	}
}

bool
pr_aggs_are_filling(const struct dt_exec *e)
{
	const struct pr_exec *x = pr_of(e);

	return __atomic_load_n(&pr_head(x)->fills, __ATOMIC_ACQUIRE) !=
	    x->fills;
}
