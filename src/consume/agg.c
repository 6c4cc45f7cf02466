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

#define MANY_BYTES 64

/* Keys and values are whole words, and mostly one or two of them. */
static inline void
copy_words(char *to, const char *from, uint32_t size)
{
	uint64_t w;

	if (size > MANY_BYTES) {
		memcpy(to, from, size);
		return;
	}
	for (uint32_t i = 0; i < size; i += sizeof(w)) {
		memcpy(&w, from + i, sizeof(w));
		memcpy(to + i, &w, sizeof(w));
	}
}

static inline bool
is_same_key(const char *a, const char *b, uint32_t size)
{
	uint64_t x, y;

	if (size > MANY_BYTES)
		return memcmp(a, b, size) == 0;
	for (uint32_t i = 0; i < size; i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x != y)
			return false;
	}
	return true;
}

static uint32_t
key_hash(const char *key, uint32_t size)
{
	uint64_t h = 0x9e3779b97f4a7c15u, w;

	for (uint32_t i = 0; i < size; i += sizeof(w)) {
		memcpy(&w, key + i, sizeof(w));
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

static void
table_fini(struct agg_table *t)
{
	free(t->ents);
	free(t->slots);
	t->ents = NULL;
	t->slots = NULL;
	t->n = t->cap = t->nslots = 0;
	t->npending = 0;
}

/* Forget the entries, keep the memory. */
static void
table_reset(struct agg_table *t)
{
	t->n = 0;
	t->npending = 0;
	if (t->nslots != 0)
		memset(t->slots, 0, t->nslots * sizeof(*t->slots));
}

static char *
table_ent(const struct agg_table *t, size_t i)
{
	return t->ents + i * (t->key_size + t->val_size);
}

static int
table_grow_slots(struct agg_table *t)
{
	size_t nslots = t->nslots ? t->nslots * 2 : 256;
	struct agg_slot *slots = malloc(nslots * sizeof(*slots));

	if (slots == NULL)
		return -ENOMEM;
	memset(slots, 0, nslots * sizeof(*slots));
	for (size_t i = 0; i < t->nslots; i++) {
		size_t j = t->slots[i].hash & (nslots - 1);

		if (t->slots[i].num == 0)
			continue;
		while (slots[j].num != 0)
			j = (j + 1) & (nslots - 1);
		slots[j] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = nslots;
	return 0;
}

/* Room for one more set of pending entries, in `ents` and among the slots. */
static int
table_reserve(struct agg_table *t)
{
	size_t want = t->n + AGG_PENDING, cap = t->cap ? t->cap : 128;
	char *ents;

	if (want >= UINT32_MAX / 2)
		return -E2BIG;
	while (want * 3 > t->nslots * 2)
		if (table_grow_slots(t) != 0)
			return -ENOMEM;
	while (cap < want)
		cap *= 2;
	if (cap == t->cap)
		return 0;
	ents = realloc(t->ents, cap * (t->key_size + t->val_size));
	if (ents == NULL)
		return -ENOMEM;
	t->ents = ents;
	t->cap = cap;
	return 0;
}

/* The slot of a key, or the empty slot for it. */
static struct agg_slot *
table_slot(const struct agg_table *t, const char *key, uint32_t hash)
{
	size_t i = hash & (t->nslots - 1);

	while (t->slots[i].num != 0 &&
	    (t->slots[i].hash != hash ||
		!is_same_key(
		    table_ent(t, t->slots[i].num - 1), key, t->key_size)))
		i = (i + 1) & (t->nslots - 1);
	return &t->slots[i];
}

/* ------------------------------------------------------------------------ */

static void
merge_sums(uint64_t *dst, const uint64_t *src, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		dst[i] += src[i];
}

/* count, sum, low and high word of the sum of squares */
static void
merge_stddev(uint64_t *dst, const uint64_t *src)
{
	merge_sums(dst, src, 4);
	dst[3] += dst[2] < src[2];
}

static void
merge_value(uint16_t kind, uint64_t *dst, const uint64_t *src, uint32_t size)
{
	if (kind == DT_ACT_MIN) {
		if ((int64_t)*src < (int64_t)*dst)
			*dst = *src;
	} else if (kind == DT_ACT_MAX) {
		if ((int64_t)*src > (int64_t)*dst)
			*dst = *src;
	} else if (kind == DT_ACT_STDDEV)
		merge_stddev(dst, src);
	else
		merge_sums(dst, src, size / sizeof(*dst));
}

/*
 * Enter the pending values into the table; a key that is there already is
 * merged.
 */
static void
table_settle(const struct agg *ag, struct agg_table *t)
{
	size_t first = t->n;

	for (uint32_t i = 0; i < t->npending; i++) {
		char *ent = table_ent(t, first + i), *dst;
		struct agg_slot *s = table_slot(t, ent, t->pending[i]);

		if (s->num != 0) {
			dst = table_ent(t, s->num - 1);
			merge_value(ag->pa->agg->kind,
			    (uint64_t *)(void *)(dst + t->key_size),
			    (uint64_t *)(void *)(ent + t->key_size),
			    t->val_size);
			continue;
		}
		dst = table_ent(t, t->n);
		if (dst != ent)
			memcpy(dst, ent, t->key_size + t->val_size);
		*s = (struct agg_slot){ t->pending[i], (uint32_t)++t->n };
	}
	t->npending = 0;
}

/* Add a value; it may stay pending until table_settle(). */
static int
table_merge(
    const struct agg *ag, struct agg_table *t, const char *key, const void *val)
{
	uint32_t hash = key_hash(key, t->key_size);
	char *ent;
	int error;

	if (t->npending == AGG_PENDING)
		table_settle(ag, t);
	if (t->npending == 0) {
		error = table_reserve(t);
		if (error != 0)
			return error;
	}
	__builtin_prefetch(&t->slots[hash & (t->nslots - 1)], 1);
	ent = table_ent(t, t->n + t->npending);
	copy_words(ent, key, t->key_size);
	copy_words(ent + t->key_size, val, t->val_size);
	t->pending[t->npending++] = hash;
	return 0;
}

/* The slot of a key, or NULL. */
static const struct agg_slot *
table_find_slot(const struct agg_table *t, const char *key)
{
	const struct agg_slot *s;

	if (t->nslots == 0)
		return NULL;
	s = table_slot(t, key, key_hash(key, t->key_size));
	return s->num != 0 ? s : NULL;
}

/* The entry of a key, or NULL. */
static const char *
table_find(const struct agg_table *t, const char *key)
{
	const struct agg_slot *s = table_find_slot(t, key);

	return s != NULL ? table_ent(t, s->num - 1) : NULL;
}

/* Rebuild the table from n of its entries. */
static int
table_keep(
    const struct agg *ag, struct agg_table *t, const uint32_t *nums, size_t n)
{
	struct agg_table kept = { .key_size = t->key_size,
		.val_size = t->val_size };
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++)
		error = table_merge(ag, &kept, agg_ent_key(t, nums[i] - 1),
		    agg_ent_val(t, nums[i] - 1));
	table_settle(ag, &kept);
	table_fini(t);
	*t = kept;
	return error;
}

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
	    table_merge(ag, ma->to_base ? &ag->base : &ag->snap, bytes, val);
	memcpy(&cpu, key, sizeof(cpu));
	if (error == 0 && cpu < ncpu_tables(ma->c, ag))
		error = table_merge(ag,
		    ma->to_base ? &ag->cpus[cpu].base : &ag->cpus[cpu].snap,
		    bytes, val);
	if (error == 0 && ma->to_delta)
		error = table_merge(ag, &ag->delta, bytes, val);
	if (error == 0 && ma->to_delta && cpu < ncpu_tables(ma->c, ag))
		error = table_merge(ag, &ag->cpus[cpu].delta, bytes, val);
	return error;
}

static int
agg_settled(struct consumer *c, struct agg *ag, bool to_base, int error)
{
	table_settle(ag, to_base ? &ag->base : &ag->snap);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		table_settle(
		    ag, to_base ? &ag->cpus[i].base : &ag->cpus[i].snap);
	return error < 0 ? agg_failed(c, ag, error) : 0;
}

static int
snap_start(
    const struct agg *ag, const struct agg_table *base, struct agg_table *snap)
{
	int error = 0;

	table_reset(snap);
	for (uint32_t i = 0; i < base->n && error == 0; i++)
		error = table_merge(
		    ag, snap, agg_ent_key(base, i), agg_ent_val(base, i));
	return error;
}

static int
snaps_start(struct consumer *c, struct agg *ag)
{
	int error = snap_start(ag, &ag->base, &ag->snap);

	ag->has_extent = false;
	for (uint32_t i = 0; i < ncpu_tables(c, ag) && error == 0; i++)
		error = snap_start(ag, &ag->cpus[i].base, &ag->cpus[i].snap);
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
	table_fini(&ag->snap);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		table_fini(&ag->cpus[i].snap);
}

int
agg_snap_base(struct consumer *c, struct agg *ag)
{
	return agg_settled(c, ag, false, snaps_start(c, ag));
}

static void
delta_start(struct consumer *c, struct agg *ag)
{
	table_reset(&ag->delta);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		table_reset(&ag->cpus[i].delta);
}

static void
delta_settle(struct consumer *c, struct agg *ag)
{
	table_settle(ag, &ag->delta);
	for (uint32_t i = 0; i < ncpu_tables(c, ag); i++)
		table_settle(ag, &ag->cpus[i].delta);
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
	const char *key = table_ent(&ag->base, i);

	for (uint32_t cpu = 0; cpu < ncpu_tables(c, ag); cpu++) {
		struct agg_table *t = &ag->cpus[cpu].base;
		const struct agg_slot *s = table_find_slot(t, key);

		if (s != NULL)
			value_reset(ag, table_ent(t, s->num - 1) + t->key_size);
	}
	value_reset(ag, table_ent(&ag->base, i) + ag->base.key_size);
}

static void
table_clear(const struct agg *ag, struct agg_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		value_reset(ag, table_ent(t, i) + t->key_size);
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
		if (table_find(&ag->base, agg_ent_key(t, i)) != NULL)
			nums[n++] = i + 1;
	error = table_keep(ag, t, nums, n);
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
	int error = table_keep(ag, &ag->base, nums, n);

	return error != 0 ? error : cpus_trunc(c, ag);
}

static int
base_trunc(struct consumer *c, struct agg *ag, int64_t keep, uint64_t want)
{
	uint32_t *nums;
	int error = agg_sort(c, ag, &ag->base, false, &nums);

	if (error != 0)
		return agg_failed(c, ag, error);
	error = table_keep(ag, &ag->base,
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
		table_fini(&ag->base);
	else
		error = base_trunc(c, ag, keep, want);
	return error != 0 ? error : cpus_trunc(c, ag);
}

const void *
agg_table_val(const struct agg_table *t, const char *key)
{
	const char *ent = table_find(t, key);

	return ent != NULL ? ent + t->key_size : NULL;
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
		table_fini(&ag->cpus[i].base);
		table_fini(&ag->cpus[i].snap);
		table_fini(&ag->cpus[i].delta);
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
		table_fini(&c->aggs[i].base);
		table_fini(&c->aggs[i].snap);
		table_fini(&c->aggs[i].delta);
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
