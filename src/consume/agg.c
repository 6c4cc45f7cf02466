/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations: merge what the CPUs counted, and print it.
 *
 * The substrate keeps (CPU, generation, key) -> value.  A snapshot drops the
 * key's header and merges equal keys, which yields the sum over CPUs, the
 * smallest minimum and so on.  Printing subtracts and resets nothing in the
 * substrate.
 *
 *	live values of all CPUs --agg_walk--+
 *	                                    +--> snap --> sort --> rows
 *	base: earlier generations ----------+
 *
 * clear() and trunc() begin a new generation: the final values of the old one
 * are merged into base, which is then edited.  Keys that are filling their
 * buffer do so, too, at each aggrate: aggsize bounds the keys that arrive
 * between two of them, not the number of keys in base.  Running out of memory
 * is reported, not fatal.
 */
#include "consume/consume_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"

/* ------------------------------------------------------------------------ */

/*
 * With option aggpercpu each CPU has its own tables beside the merged ones;
 * every change of the merged tables is made to these, too.
 */
static uint32_t
ncpu_tables(const struct consumer *c, const struct agg *ag)
{
	return ag->cpus != NULL ? c->ncpus : 0;
}

int
agg_failed(struct consumer *c, const struct agg *ag, int error)
{
	consumer_warn(c, "cannot read aggregation @%s: %s", ag->pa->agg->name,
	    strerror(-error));
	c->has_unread = true;
	return error;
}

bool
consumer_has_unread(const struct consumer *c)
{
	return c->has_unread;
}

struct merge_arg {
	struct consumer *c;
	struct agg *ag;
	bool to_base;  /* else to the snapshot */
	bool to_delta; /* to base and to delta */
};

/* A key with one value for all addresses in a symbol. */
static const char *
merged_symbols(struct consumer *c, struct agg *ag, const char *bytes)
{
	memcpy(ag->key_buf, bytes, ag->base.key_size);
	VEC_FOREACH(&ag->pa->keys, key)
		symbol_merge(c, key, ag->key_buf + key->offset - PLAN_KEYHDR);
	return ag->key_buf;
}

static int
merge_live(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	const struct merge_arg *ma = arg;
	const char *bytes = (const char *)key + PLAN_KEYHDR;
	struct agg *ag = ma->ag;
	uint16_t cpu;
	int error;

	(void)agg_id;
	if (ag->key_buf != NULL)
		bytes = merged_symbols(ma->c, ag, bytes);
	error =
	    agg_table_merge(ma->to_base ? &ag->base : &ag->snap, bytes, val);
	memcpy(&cpu, key, sizeof(cpu));
	if (error == 0 && cpu < ncpu_tables(ma->c, ag))
		error = agg_table_merge(
		    ma->to_base ? &ag->cpus[cpu].base : &ag->cpus[cpu].snap,
		    bytes, val);
	if (error == 0 && ma->to_delta)
		error = agg_table_merge(&ag->delta, bytes, val);
	if (error == 0 && ma->to_delta && cpu < ncpu_tables(ma->c, ag))
		error = agg_table_merge(&ag->cpus[cpu].delta, bytes, val);
	return error;
}

static int
agg_settled(struct consumer *c, struct agg *ag, bool to_base, int error)
{
	agg_table_settle(to_base ? &ag->base : &ag->snap);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		agg_table_settle(
		    to_base ? &ag->cpus[i].base : &ag->cpus[i].snap);
	return error < 0 ? agg_failed(c, ag, error) : 0;
}

static int
snap_start(const struct agg_table *base, struct agg_table *snap)
{
	int error = 0;

	agg_table_reset(snap);
	for (uint32_t i = 0; i < base->n && error == 0; i++)
		error = agg_table_merge(
		    snap, agg_ent_key(base, i), agg_ent_val(base, i));
	return error;
}

static int
snaps_start(struct consumer *c, struct agg *ag)
{
	int error = snap_start(&ag->base, &ag->snap);

	ag->has_extent = false;
	for (uint32_t i = 0; i < ncpu_tables(c, ag) && error == 0; i++)
		error = snap_start(&ag->cpus[i].base, &ag->cpus[i].snap);
	return error;
}

int
agg_snapshot(struct consumer *c, struct agg *ag)
{
	struct merge_arg ma = { c, ag, false, false };
	int error = snaps_start(c, ag);

	if (error == 0)
		error =
		    c->ops->agg_walk(c->x, ag->pa->agg->id, merge_live, &ma);
	return agg_settled(c, ag, false, error);
}

void
agg_snap_free(struct consumer *c, struct agg *ag)
{
	agg_table_fini(&ag->snap);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		agg_table_fini(&ag->cpus[i].snap);
}

int
agg_snap_base(struct consumer *c, struct agg *ag)
{
	return agg_settled(c, ag, false, snaps_start(c, ag));
}

static void
delta_start(struct consumer *c, struct agg *ag)
{
	agg_table_reset(&ag->delta);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		agg_table_reset(&ag->cpus[i].delta);
}

static void
delta_settle(struct consumer *c, struct agg *ag)
{
	agg_table_settle(&ag->delta);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		agg_table_settle(&ag->cpus[i].delta);
}

/* Begin a new generation; the old one's values go to base. */
int
agg_turn(struct consumer *c, struct agg *ag)
{
	bool has_delta = (c->opts.agg_keep & AGG_KEEP_DELTA) != 0;
	struct merge_arg ma = { c, ag, true, has_delta };
	int error;

	if (has_delta)
		delta_start(c, ag);
	error = c->ops->agg_turn(c->x, ag->pa->agg->id, merge_live, &ma);
	if (has_delta)
		delta_settle(c, ag);
	return agg_settled(c, ag, true, error);
}

/*
 * Will the keys fill their buffer before the next look?  Counting them may take
 * 2 % of the time.
 */
static bool
is_filling(struct consumer *c, struct agg *ag)
{
	uint64_t used, room, before = ag->fill, now = now_ns();

	if (now < ag->next_fill)
		return false;
	c->ops->agg_fill(c->x, ag->pa->agg->id, &used, &room);
	ag->next_fill = now + 50 * (now_ns() - now);
	ag->fill = used;
	return used >= room / 2 ||
	    (used > before && used + 2 * (used - before) >= room);
}

void
consumer_take_aggs(struct consumer *c)
{
	/* a program with hooks takes the values itself */
	if (c->ops->agg_fill == NULL || c->opts.hooks != NULL)
		return;
	for (size_t i = 0; i < c->pl->aggs.n; i++) {
		struct agg *ag = &c->aggs[i];

		if (ag->pa->keys.n == 0 || !is_filling(c, ag))
			continue;
		ag->fill = 0;
		if (agg_turn(c, ag) != 0) {
			c->has_unread = false;
			return;
		}
	}
}

int
consumer_turn_agg(struct consumer *c, uint32_t agg_id)
{
	return agg_turn(c, &c->aggs[agg_id - 1]);
}

/* The value of a key before anything was aggregated. */
static void
value_reset(const struct agg *ag, void *val)
{
	int64_t v;

	memset(val, 0, ag->base.val_size);
	if (ag->pa->agg->kind == DT_ACT_MIN)
		v = INT64_MAX;
	else if (ag->pa->agg->kind == DT_ACT_MAX)
		v = INT64_MIN;
	else
		return;
	memcpy(val, &v, sizeof(v));
}

void
agg_reset_entry(struct consumer *c, struct agg *ag, uint32_t i)
{
	const char *key = agg_table_ent(&ag->base, i);

	for (uint32_t cpu = 0; cpu < ncpu_tables(c, ag); cpu++) {
		struct agg_table *t = &ag->cpus[cpu].base;
		const struct agg_slot *s = agg_table_find_slot(t, key);

		if (s != NULL)
			value_reset(
			    ag, agg_table_ent(t, s->num - 1) + t->key_size);
	}
	value_reset(ag, agg_table_ent(&ag->base, i) + ag->base.key_size);
}

static void
table_clear(const struct agg *ag, struct agg_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		value_reset(ag, agg_table_ent(t, i) + t->key_size);
}

int
agg_clear(struct consumer *c, struct agg *ag)
{
	int error = agg_turn(c, ag);

	delta_start(c, ag);
	table_clear(ag, &ag->base);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		table_clear(ag, &ag->cpus[i].base);
	return error;
}

/* Forget those keys of a CPU that the merged table no longer has. */
static int
cpu_trunc(const struct agg *ag, struct agg_table *t)
{
	uint32_t *nums = mem_alloc((t->n + 1) * sizeof(*nums));
	size_t n = 0;
	int error;

	for (uint32_t i = 0; i < t->n; i++)
		if (agg_table_val(&ag->base, agg_ent_key(t, i)) != NULL)
			nums[n++] = i + 1;
	error = agg_table_keep(t, nums, n);
	free(nums);
	return error;
}

static int
cpus_trunc(struct consumer *c, struct agg *ag)
{
	int error = 0;

	for (uint32_t i = 0; i < ncpu_tables(c, ag) && error == 0; i++)
		error = cpu_trunc(ag, &ag->cpus[i].base);
	return error;
}

int
agg_keep(struct consumer *c, struct agg *ag, const uint32_t *nums, size_t n)
{
	int error = agg_table_keep(&ag->base, nums, n);

	return error != 0 ? error : cpus_trunc(c, ag);
}

static int
base_trunc(struct consumer *c, struct agg *ag, int64_t keep, uint64_t want)
{
	uint32_t *nums;
	int error = agg_sort(c, ag, &ag->base, false, &nums);

	if (error != 0)
		return agg_failed(c, ag, error);
	error = agg_table_keep(&ag->base,
	    keep < 0 ? nums : nums + ag->base.n - want, (size_t)want);
	free(nums);
	return error;
}

/* keep > 0: the largest, < 0: the least, 0: nothing. */
int
agg_trunc(struct consumer *c, struct agg *ag, int64_t keep)
{
	uint64_t want = keep < 0 ? -(uint64_t)keep : (uint64_t)keep;
	int error = agg_turn(c, ag);

	delta_start(c, ag);
	if (error != 0 || want >= ag->base.n)
		return error;
	if (want == 0)
		agg_table_fini(&ag->base);
	else
		error = base_trunc(c, ag, keep, want);
	return error != 0 ? error : cpus_trunc(c, ag);
}

const void *
agg_row_cpu_val(const struct agg_row *row, size_t i, uint32_t cpu)
{
	const struct agg *ag = row->aggs[i];

	if (ag->cpus == NULL || row->nums[i] == 0)
		return NULL;
	return agg_table_val(
	    &ag->cpus[cpu].snap, agg_ent_key(&ag->snap, row->nums[i] - 1));
}

/* ------------------------------------------------------------------------ */

static void
cpus_init(const struct consumer *c, struct agg *ag)
{
	ag->cpus = mem_alloc(c->ncpus * sizeof(*ag->cpus));
	for (uint32_t i = 0; i < c->ncpus; i++)
		ag->cpus[i].base = ag->cpus[i].snap = ag->cpus[i].delta =
		    ag->base;
}

static void
cpus_fini(const struct consumer *c, struct agg *ag)
{
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++) {
		agg_table_fini(&ag->cpus[i].base);
		agg_table_fini(&ag->cpus[i].snap);
		agg_table_fini(&ag->cpus[i].delta);
	}
	free(ag->cpus);
}

void
aggs_init(struct consumer *c)
{
	bool has_cpus =
	    c->opts.aggpercpu || (c->opts.agg_keep & AGG_KEEP_CPUS) != 0;

	if (has_cpus)
		c->ncpus = c->x->ncpus;
	c->aggs = mem_alloc(c->pl->aggs.n * sizeof(*c->aggs));
	for (size_t i = 0; i < c->pl->aggs.n; i++) {
		const struct plan_agg *pa = &c->pl->aggs.v[i];
		struct agg *ag = &c->aggs[i];

		ag->pa = pa;
		ag->normal = 1;
		ag->base.key_size = pa->key_size - PLAN_KEYHDR;
		ag->base.val_size = pa->val_size;
		ag->base.kind = pa->agg->kind;
		ag->snap = ag->delta = ag->base;
		if (has_cpus)
			cpus_init(c, ag);
		ag->zero = mem_alloc(pa->val_size);
		ag->none = mem_alloc(pa->val_size);
		value_reset(ag, ag->none);
		if (symbol_in_keys(pa))
			ag->key_buf = mem_alloc(pa->key_size);
		if (hist_is_kind(pa->agg->kind))
			hist_init(&ag->hist, pa->agg->kind, pa->agg->arg);
	}
}

void
aggs_fini(struct consumer *c)
{
	for (size_t i = 0; i < c->pl->aggs.n; i++) {
		agg_table_fini(&c->aggs[i].base);
		agg_table_fini(&c->aggs[i].snap);
		agg_table_fini(&c->aggs[i].delta);
		cpus_fini(c, &c->aggs[i]);
		hist_fini(&c->aggs[i].hist);
		free(c->aggs[i].zero);
		free(c->aggs[i].none);
		free(c->aggs[i].key_buf);
	}
	free(c->aggs);
}

/* The aggregation whose id is in a record; NULL: there is none. */
struct agg *
agg_by_id(struct consumer *c, uint64_t id)
{
	if (id >= 1 && id <= c->pl->aggs.n)
		return &c->aggs[id - 1];
	consumer_warn(
	    c, "no aggregation has the id %llu", (unsigned long long)id);
	return NULL;
}

struct datum
agg_key(const struct agg *ag, const struct agg_table *t, uint32_t i, size_t key)
{
	const struct plan_rec *rec = &ag->pa->keys.v[key];

	return (struct datum){ .rec = rec,
		.data = agg_ent_key(t, i) + rec->offset - PLAN_KEYHDR };
}

/* ------------------------------------------------------------------------ */

/* The largest x with x * x <= v: one bit of the result at a time. */
static uint64_t
isqrt128(unsigned __int128 v)
{
	uint64_t x = 0;

	for (int bit = 63; bit >= 0; bit--) {
		uint64_t try = x | UINT64_C(1) << bit;

		if ((unsigned __int128)try * try <= v)
			x = try;
	}
	return x;
}

/* The square root of (mean of squares - square of the mean). */
static uint64_t
stddev_value(const uint64_t *w, uint64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)w[3] << 64 | w[2];
	unsigned __int128 mean_sq;
	int64_t mean;

	if ((int64_t)w[0] <= 0)
		return 0;
	mean = (int64_t)w[1] / (int64_t)normal / (int64_t)w[0];
	mean_sq = (unsigned __int128)((__int128)mean * mean);
	squares = squares / normal / normal / w[0];
	return squares > mean_sq ? isqrt128(squares - mean_sq) : 0;
}

static int64_t
avg_value(const uint64_t *w, uint64_t normal)
{
	if ((int64_t)w[0] <= 0)
		return 0;
	return (int64_t)w[1] / (int64_t)normal / (int64_t)w[0];
}

/* sum, min, max and avg may be negative; count and stddev may not. */
bool
agg_is_signed(const struct agg *ag)
{
	uint16_t kind = ag->pa->agg->kind;

	return kind != DT_ACT_COUNT && kind != DT_ACT_STDDEV;
}

/* The number that is printed for a scalar aggregation. */
uint64_t
agg_value_bits(const struct agg *ag, const void *val, uint64_t normal)
{
	uint64_t w[4];

	memcpy(w, val,
	    ag->pa->val_size < sizeof(w) ? ag->pa->val_size : sizeof(w));
	if (ag->pa->agg->kind == DT_ACT_AVG)
		return (uint64_t)avg_value(w, normal);
	if (ag->pa->agg->kind == DT_ACT_STDDEV)
		return stddev_value(w, normal);
	if (normal == 1)
		return w[0];
	if (agg_is_signed(ag))
		return (uint64_t)((int64_t)w[0] / (int64_t)normal);
	return w[0] / normal;
}
