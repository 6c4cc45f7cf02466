/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregations: a hash table of entries (key, value) for each. */
#include "exec/replay/impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define SLOTS_MIN 64

void
rp_aggs_init(struct rp *rp)
{
	uint32_t key_max = PLAN_KEYHDR;

	rp->aggs = mem_alloc((rp->pl->aggs.n + 1) * sizeof(*rp->aggs));
	for (size_t i = 0; i < rp->pl->aggs.n; i++) {
		const struct plan_agg *pa = &rp->pl->aggs.v[i];

		rp->aggs[i].pa = pa;
		rp->aggs[i].size = pa->key_size + pa->val_size;
		key_max = pa->key_size > key_max ? pa->key_size : key_max;
	}
	rp->key = mem_alloc(key_max);
}

void
rp_aggs_fini(struct rp *rp)
{
	for (size_t i = 0; rp->aggs != NULL && i < rp->pl->aggs.n; i++) {
		free(rp->aggs[i].entries);
		free(rp->aggs[i].slots);
	}
	free(rp->aggs);
	free(rp->key);
}

static uint8_t *
entry_at(const struct rp_agg *ag, size_t i)
{
	return ag->entries + i * ag->size;
}

static const uint64_t *
key_at(const struct rp_agg *ag, size_t i)
{
	return (const uint64_t *)(const void *)entry_at(ag, i);
}

static uint64_t *
value_at(const struct rp_agg *ag, size_t i)
{
	return (uint64_t *)(void *)(entry_at(ag, i) + ag->pa->key_size);
}

/* Keys are whole words.  memcmp() would load what was just stored in smaller
 * pieces as one vector, for which the processor waits. */
static bool
is_key_of(const struct rp_agg *ag, size_t i, const uint64_t *key)
{
	const uint64_t *k = key_at(ag, i);
	uint64_t differs = 0;

	for (uint32_t n = 0; n < ag->pa->key_size / 8; n++)
		differs |= k[n] ^ key[n];
	return differs == 0;
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t *
slot_of(const struct rp_agg *ag, const uint64_t *key)
{
	size_t i = hash_bytes(key, ag->pa->key_size) & (ag->nslots - 1);

	while (ag->slots[i] != 0 && !is_key_of(ag, ag->slots[i] - 1, key))
		i = (i + 1) & (ag->nslots - 1);
	return &ag->slots[i];
}

static void
grow(struct rp_agg *ag)
{
	ag->nslots = ag->nslots != 0 ? 2 * ag->nslots : SLOTS_MIN;
	ag->cap = ag->nslots / 2;
	ag->entries = mem_realloc(ag->entries, ag->cap * ag->size);
	free(ag->slots);
	ag->slots = mem_alloc(ag->nslots * sizeof(*ag->slots));
	for (size_t i = 0; i < ag->n; i++)
		*slot_of(ag, key_at(ag, i)) = (uint32_t)i + 1;
}

/* The value of the key; it is new the first time. */
static uint64_t *
value_of(struct rp_agg *ag, const uint64_t *key)
{
	uint32_t *slot;
	uint8_t *entry;
	uint64_t *value;

	/* firings come in bursts of one thread */
	if (ag->n != 0 && is_key_of(ag, ag->last, key))
		return value_at(ag, ag->last);
	if (ag->n == ag->cap)
		grow(ag);
	slot = slot_of(ag, key);
	if (*slot != 0) {
		ag->last = *slot - 1;
		return value_at(ag, ag->last);
	}
	ag->last = ag->n;
	*slot = (uint32_t)++ag->n;
	entry = entry_at(ag, ag->n - 1);
	memcpy(entry, key, ag->pa->key_size);
	value = (uint64_t *)(void *)(entry + ag->pa->key_size);
	memset(value, 0, ag->pa->val_size);
	if (ag->pa->agg->kind == DT_ACT_MIN)
		*value = INT64_MAX;
	else if (ag->pa->agg->kind == DT_ACT_MAX)
		*value = (uint64_t)INT64_MIN;
	return value;
}

static uint64_t
bucket_of(const struct dif_agg *agg, uint64_t value)
{
	switch (agg->kind) {
	case DT_ACT_QUANTIZE:
		return rt_quantize_index(value);
	case DT_ACT_LQUANTIZE:
		return rt_lquantize_index(value, agg->arg);
	case DT_ACT_LLQUANTIZE:
		return rt_llquantize_index(value, agg->arg);
	default:
		return rt_percentile_index(value);
	}
}

static void
add_square(uint64_t v[2], int64_t value)
{
	uint64_t abs = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned __int128 sum = (unsigned __int128)v[1] << 64 | v[0];

	sum += (unsigned __int128)abs * abs;
	v[0] = (uint64_t)sum;
	v[1] = (uint64_t)(sum >> 64);
}

void
rp_agg_update(
    struct rp *rp, const struct plan_step *s, uint64_t value, uint64_t incr)
{
	struct rp_agg *ag = &rp->aggs[s->agg->agg->id - 1];
	const struct dif_agg *agg = s->agg->agg;
	uint64_t *v = value_of(ag, rp->key), i;

	switch (agg->kind) {
	case DT_ACT_COUNT:
		v[0]++;
		break;
	case DT_ACT_SUM:
		v[0] += value;
		break;
	case DT_ACT_MIN:
		v[0] = (int64_t)value < (int64_t)v[0] ? value : v[0];
		break;
	case DT_ACT_MAX:
		v[0] = (int64_t)value > (int64_t)v[0] ? value : v[0];
		break;
	case DT_ACT_AVG:
		v[0]++;
		v[1] += value;
		break;
	case DT_ACT_STDDEV:
		v[0]++;
		v[1] += value;
		add_square(&v[2], (int64_t)value);
		break;
	default:
		i = bucket_of(agg, value);
		if (i < s->agg->val_size / 8)
			v[i] += incr;
		break;
	}
}

static int
walk(const struct rp *rp, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	const struct rp_agg *ag = &rp->aggs[agg_id - 1];
	int rc = 0;

	for (size_t i = 0; i < ag->n && rc == 0; i++) {
		const uint8_t *entry = entry_at(ag, i);

		rc = f(agg_id, entry, entry + ag->pa->key_size, arg);
	}
	return rc;
}

static void
empty(struct rp *rp, uint32_t agg_id)
{
	struct rp_agg *ag = &rp->aggs[agg_id - 1];

	ag->n = ag->last = 0;
	if (ag->nslots != 0)
		memset(ag->slots, 0, ag->nslots * sizeof(*ag->slots));
}

static uint32_t
crew_size(const struct rp *rp)
{
	return rp->crew != NULL ? rp_crew_size(rp->crew) : 0;
}

/* A key may come from several members of the crew: the consumer merges. */
int
rp_agg_walk(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct rp *rp = (struct rp *)x;
	int rc = walk(rp, agg_id, f, arg);

	for (uint32_t i = 0; i < crew_size(rp) && rc == 0; i++)
		rc = walk(rp_crew_member(rp->crew, i), agg_id, f, arg);
	return rc;
}

int
rp_agg_turn(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct rp *rp = (struct rp *)x;
	int rc = rp_agg_walk(x, agg_id, f, arg);

	empty(rp, agg_id);
	for (uint32_t i = 0; i < crew_size(rp); i++)
		empty(rp_crew_member(rp->crew, i), agg_id);
	return rc;
}

void
rp_agg_fill(struct dt_exec *x, uint32_t agg_id, uint64_t *used, uint64_t *room)
{
	struct rp *rp = (struct rp *)x;

	*used = rp->aggs[agg_id - 1].n;
	for (uint32_t i = 0; i < crew_size(rp); i++)
		*used += rp_crew_member(rp->crew, i)->aggs[agg_id - 1].n;
	*room = UINT32_MAX;
}
