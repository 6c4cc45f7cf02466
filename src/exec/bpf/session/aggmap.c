/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading aggregations.
 *
 * Values only grow within a generation and are never reset in place, so reading
 * them while programs update them loses nothing.  To forget them (clear(),
 * trunc()) dtrace advances the generation: programs begin new values.  The old
 * values are final when the last program that knew the old generation has
 * ended; then dtrace reads and deletes them.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

#define BATCH 4096

static volatile uint64_t *
generation(struct bx_exec *x, uint32_t agg_id)
{
	char *gens = (char *)x->ctl + x->lo.ctl_gens;

	return (volatile uint64_t *)(void *)(gens + 8 * (agg_id - 1));
}

static int
agg_fd(const struct bx_exec *x, uint32_t agg_id)
{
	char *sym = mem_printf("rtm_agg%u", agg_id);
	int fd = bx_map_find(x, sym);

	free(sym);
	return fd;
}

/* The cell of a CPU and a generation (of which two take turns). */
static uint64_t *
cell(const struct bx_exec *x, const struct plan_agg *pa, uint32_t cpu,
    uint16_t gen)
{
	char *cells = x->cells.v[pa->agg->id - 1].p;
	uint32_t i = cpu << 1 | (gen & 1);

	return (uint64_t *)(void *)(cells + (size_t)i * bx_cell_size(pa));
}

/* A fresh value of an aggregation without keys: unused, with its identity. */
static void
reset_cells(const struct bx_exec *x, const struct plan_agg *pa, uint16_t gen)
{
	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++) {
		uint64_t *val = cell(x, pa, cpu, gen);

		memset(val, 0, bx_cell_size(pa));
		if (pa->agg->kind == DT_ACT_MIN)
			val[0] = x->ctl->min_init;
		else if (pa->agg->kind == DT_ACT_MAX)
			val[0] = x->ctl->max_init;
	}
}

int
bx_agg_init(struct bx_exec *x)
{
	VEC_FOREACH(&x->pl->aggs, pa) {
		if (x->cells.v[pa->agg->id - 1].p == NULL)
			continue;
		reset_cells(x, pa, 0);
		reset_cells(x, pa, 1);
	}
	return 0;
}

int
bx_aggs_warm(const struct bx_exec *x)
{
	int rc = 0;

	VEC_FOREACH(&x->pl->aggs, pa) {
		if (rc == 0 && pa->keys.n != 0)
			rc = bx_map_warm(
			    agg_fd(x, pa->agg->id), pa->key_size, pa->val_size);
	}
	return rc;
}

struct aggmap_walk {
	struct bx_exec *x; /* to finish stacks in keys; NULL: leave them as they
			    * are */
	dt_aggent_f *f;
	void *arg;
	uint32_t agg_id;
	uint16_t gen;
};

/* Copy values before use: programs may still change them. */
static int
walk_scalar(const struct bx_exec *x, const struct plan_agg *pa,
    const struct aggmap_walk *w)
{
	uint64_t *val = mem_alloc(pa->val_size);
	int rc = 0;

	for (uint32_t cpu = 0; cpu < x->e.ncpus && rc == 0; cpu++) {
		uint16_t key[4] = { (uint16_t)cpu, w->gen, 0, 0 };
		volatile uint64_t *from = cell(x, pa, cpu, w->gen);
		size_t nwords = pa->val_size / 8;

		if (from[bx_agg_counts(pa->agg->kind) ? 0 : nwords] == 0)
			continue;
		for (size_t i = 0; i < nwords; i++)
			val[i] = from[i];
		rc = w->f(w->agg_id, key, val, w->arg);
	}
	free(val);
	return rc;
}

/* Finish the stacks of a key.  Each stack that dtrace has to finish makes a key
 * of its own; finished keys may be equal. */
static void
finish_key(const struct plan_agg *pa, char *key, const struct aggmap_walk *w)
{
	VEC_FOREACH(&pa->keys, rec)
		bx_unwind_finish_put(w->x, rec, key + rec->offset);
}

/* Pass one batch on; entries of other generations are dead. */
static int
walk_batch(const struct plan_agg *pa, char *keys, const char *vals, uint32_t n,
    const struct aggmap_walk *w)
{
	for (uint32_t i = 0; i < n; i++) {
		char *key = keys + (size_t)i * pa->key_size;
		uint16_t gen;
		int rc;

		memcpy(&gen, key + 2, sizeof(gen));
		if (gen != w->gen)
			continue;
		if (w->x != NULL && bx_unwind_finish_any(w->x))
			finish_key(pa, key, w);
		rc = w->f(
		    w->agg_id, key, vals + (size_t)i * pa->val_size, w->arg);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
walk_keyed(const struct plan_agg *pa, int fd, const struct aggmap_walk *w)
{
	uint32_t batch = BATCH, n;
	char *keys = NULL, *vals = NULL;
	uint64_t pos = 0, next = 0;
	bool first = true;
	int rc = 0, err;

	do {
		if (keys == NULL) {
			keys = mem_alloc((size_t)batch * pa->key_size);
			vals = mem_alloc((size_t)batch * pa->val_size);
		}
		n = batch;
		err = bpf_map_lookup_batch(
		    fd, first ? NULL : &pos, &next, keys, vals, &n, NULL);
		if (err == -ENOSPC) { /* one bucket exceeds the batch */
			free(keys);
			free(vals);
			keys = vals = NULL;
			batch *= 2;
			continue;
		}
		if (err != 0 && err != -ENOENT) {
			rc = err;
			break;
		}
		rc = walk_batch(pa, keys, vals, n, w);
		first = false;
		pos = next;
	} while (rc == 0 && err != -ENOENT);
	free(keys);
	free(vals);
	return rc;
}

struct doomed {
	uint32_t key_size;
	VEC(char) keys;
};

static int
doom(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	struct doomed *d = arg;

	(void)agg_id;
	(void)val;
	VEC_RESERVE(&d->keys, d->keys.n + d->key_size);
	memcpy(d->keys.v + d->keys.n, key, d->key_size);
	d->keys.n += d->key_size;
	return 0;
}

static int
walk_generation(
    struct bx_exec *x, uint32_t agg_id, uint16_t gen, dt_aggent_f *f, void *arg)
{
	const struct plan_agg *pa = &x->pl->aggs.v[agg_id - 1];
	struct aggmap_walk w = { .x = f != doom ? x : NULL,
		.f = f,
		.arg = arg,
		.agg_id = agg_id,
		.gen = gen };
	int fd = agg_fd(x, agg_id);

	if (fd < 0)
		return 0;
	if (pa->keys.n == 0)
		return walk_scalar(x, pa, &w);
	return walk_keyed(pa, fd, &w);
}

int
bx_agg_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct bx_exec *x = bx_of(e);

	return walk_generation(
	    x, agg_id, (uint16_t)*generation(x, agg_id), f, arg);
}

static void
forget_keyed(struct bx_exec *x, const struct plan_agg *pa, int fd, uint16_t gen)
{
	struct doomed d = { .key_size = pa->key_size };

	walk_generation(x, pa->agg->id, gen, doom, &d);
	for (size_t off = 0; off < d.keys.n; off += d.key_size) {
		const char *key = d.keys.v + off;

		bpf_map_delete_elem(fd, key);
		VEC_FOREACH(&pa->keys, rec)
			bx_unwind_finish_forget(x, rec, key + rec->offset);
	}
	VEC_FREE(&d.keys);
}

int
bx_agg_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct bx_exec *x = bx_of(e);
	const struct plan_agg *pa = &x->pl->aggs.v[agg_id - 1];
	volatile uint64_t *gen = generation(x, agg_id);
	uint16_t old = (uint16_t)*gen;
	int fd = agg_fd(x, agg_id), rc;

	if (fd < 0)
		return 0;
	*gen = *gen + 1;
	if (x->stop_ns == 0) /* otherwise bx_stop() has waited */
		bx_quiesce(x);
	rc = walk_generation(x, agg_id, old, f, arg);
	if (pa->keys.n != 0) {
		forget_keyed(x, pa, fd, old);
		return rc;
	}
	reset_cells(x, pa, old);
	return rc;
}

static int
count_entry(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	(void)agg_id;
	(void)key;
	(void)val;
	++*(uint64_t *)arg;
	return 0;
}

void
bx_agg_fill(struct dt_exec *e, uint32_t agg_id, uint64_t *used, uint64_t *room)
{
	struct bx_exec *x = bx_of(e);
	const struct plan_agg *pa = &x->pl->aggs.v[agg_id - 1];
	struct aggmap_walk w = { .f = count_entry,
		.arg = used,
		.agg_id = agg_id,
		.gen = (uint16_t)*generation(x, agg_id) };
	int fd = agg_fd(x, agg_id);

	*used = 0;
	*room = bx_agg_max(x, pa);
	if (fd >= 0 && pa->keys.n != 0)
		walk_keyed(pa, fd, &w);
}
