/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of an aggregation's rows.
 *
 * By value with ties by key, or by key (aggsortkey).  A million rows are
 * common, and comparing whole entries, scattered in memory, would take most of
 * the time to print them.  So each entry is first reduced to two numbers, one
 * for its value and one for the first bytes of its key; entries whose numbers
 * differ are ordered like the numbers.  The numbers are radix-sorted; only runs
 * of equal numbers are sorted by comparing entries.
 */
#include "consume/consume_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct sortent {
	uint64_t val, key; /* equal in two entries: compare the entries */
	uint32_t num;	   /* entry number plus 1 */
};

struct sort_ctx {
	struct consumer *c;
	struct agg *ag;
	const struct agg_table *t;
	bool by_key;
};

#define SIGN_BIT (UINT64_C(1) << 63)

static uint64_t
load_be64(const char *s, size_t len)
{
	uint64_t v = 0;

	memcpy(&v, s, len < sizeof(v) ? len : sizeof(v));
	return __builtin_bswap64(v);
}

static int
cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
cmp_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* ------------------------------------------------------------------------ */

static bool
key_is_signed(const struct datum *d)
{
	return d->rec->src != NULL && d->rec->src->is_signed;
}

/* Stacks and addresses that have names are compared word by word. */
static bool
is_addresses(const struct datum *d)
{
	return PLAN_IS_STACK(d->rec->store) || datum_is_symbol(d);
}

/* A number ordered as datum_cmp() orders data, for numbers that differ. */
static uint64_t
datum_prefix(const struct plan *pl, const struct datum *d)
{
	size_t len;
	uint64_t pc;
	const char *s;

	if (datum_is_int(d))
		return key_is_signed(d) ? (uint64_t)datum_int(d) ^ SIGN_BIT :
					  datum_uint(d);
	if (is_addresses(d) && d->rec->size >= sizeof(pc)) {
		memcpy(&pc, d->data, sizeof(pc));
		return pc;
	}
	if (d->rec->store == PLAN_BYTES)
		return load_be64(d->data, d->rec->size);
	s = datum_text(pl, d, &len);
	return load_be64(s, len);
}

static int
text_cmp(const char *a, size_t alen, const char *b, size_t blen)
{
	int cmp = memcmp(a, b, alen < blen ? alen : blen);

	return cmp != 0 ? cmp : cmp_u64(alen, blen);
}

static int
stack_cmp(const struct datum *a, const struct datum *b)
{
	uint32_t size =
	    a->rec->size < b->rec->size ? a->rec->size : b->rec->size;
	int cmp = 0;

	for (uint32_t i = 0; i + 8 <= size && cmp == 0; i += 8) {
		uint64_t x, y;

		memcpy(&x, (const char *)a->data + i, sizeof(x));
		memcpy(&y, (const char *)b->data + i, sizeof(y));
		cmp = cmp_u64(x, y);
	}
	return cmp;
}

/* Compare two data of one D type, even if stored in different sizes. */
static int
datum_cmp(const struct plan *pl, const struct datum *a, const struct datum *b)
{
	size_t alen, blen;
	const char *atext, *btext;

	if (datum_is_int(a) && datum_is_int(b)) {
		if (key_is_signed(a))
			return cmp_i64(datum_int(a), datum_int(b));
		return cmp_u64(datum_uint(a), datum_uint(b));
	}
	if (is_addresses(a) && is_addresses(b))
		return stack_cmp(a, b);
	if (a->rec->store == PLAN_BYTES && b->rec->store == PLAN_BYTES)
		return text_cmp(a->data, a->rec->size, b->data, b->rec->size);
	atext = datum_text(pl, a, &alen);
	btext = datum_text(pl, b, &blen);
	return text_cmp(atext, alen, btext, blen);
}

static size_t
first_key(const struct consumer *c, const struct agg *ag)
{
	size_t pos = c->opts.aggsortkeypos;

	return pos < ag->pa->keys.n ? pos : 0;
}

/* Keys from aggsortkeypos on, then those before it. */
static int
keys_cmp(const struct consumer *c, const struct agg *aga,
    const struct agg_table *ta, uint32_t a, const struct agg *agb,
    const struct agg_table *tb, uint32_t b)
{
	size_t n = aga->pa->keys.n < agb->pa->keys.n ? aga->pa->keys.n :
						       agb->pa->keys.n;
	size_t pos = first_key(c, aga);
	int cmp = 0;

	for (size_t i = 0; i < n && cmp == 0; i++) {
		struct datum da = agg_key(aga, ta, a, (pos + i) % n);
		struct datum db = agg_key(agb, tb, b, (pos + i) % n);

		cmp = datum_cmp(c->pl, &da, &db);
	}
	return cmp;
}

/* ------------------------------------------------------------------------ */

/* A number ordered as agg_cmp_vals() orders values, for numbers that differ. */
static uint64_t
value_prefix(const struct agg *ag, const void *val)
{
	uint64_t bits;
	double weight;

	if (!hist_is_kind(ag->pa->agg->kind)) {
		bits = agg_value_bits(ag, val, 1);
		return agg_is_signed(ag) ? bits ^ SIGN_BIT : bits;
	}
	/* IEEE 754 numbers order as integers, the negative ones backwards. */
	weight = (double)hist_weight(&ag->hist, val) + 0.0;
	memcpy(&bits, &weight, sizeof(bits));
	return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static int
hists_cmp(const struct agg *ag, const void *a, const void *b)
{
	long double x = hist_weight(&ag->hist, a);
	long double y = hist_weight(&ag->hist, b);

	if (x != y)
		return x < y ? -1 : 1;
	return cmp_i64(hist_zero(&ag->hist, a), hist_zero(&ag->hist, b));
}

int
agg_cmp_vals(const struct agg *ag, const void *a, const void *b)
{
	if (hist_is_kind(ag->pa->agg->kind))
		return hists_cmp(ag, a, b);
	return cmp_u64(value_prefix(ag, a), value_prefix(ag, b));
}

int
agg_cmp_keys(const struct consumer *c, const struct agg *aga, uint32_t a,
    const struct agg *agb, uint32_t b)
{
	return keys_cmp(c, aga, &aga->snap, a, agb, &agb->snap, b);
}

/*
 * Compare entries of a run: their scalar values are equal, but distributions
 * may differ.
 */
static int
sortent_cmp(const void *a, const void *b, void *arg)
{
	const struct sort_ctx *sc = arg;
	uint32_t x = ((const struct sortent *)a)->num - 1;
	uint32_t y = ((const struct sortent *)b)->num - 1;
	int cmp = 0;

	if (!sc->by_key && hist_is_kind(sc->ag->pa->agg->kind))
		cmp = hists_cmp(
		    sc->ag, agg_ent_val(sc->t, x), agg_ent_val(sc->t, y));
	return cmp != 0 ? cmp :
			  keys_cmp(sc->c, sc->ag, sc->t, x, sc->ag, sc->t, y);
}

/* ------------------------------------------------------------------------ */

static uint64_t
sortent_word(const struct sortent *e, bool is_key)
{
	return is_key ? e->key : e->val;
}

static void
radix_pass(const struct sortent *src, struct sortent *dst, size_t n,
    bool is_key, unsigned shift, const uint32_t *count)
{
	uint32_t at[256], sum = 0;

	for (unsigned i = 0; i < 256; i++) {
		at[i] = sum;
		sum += count[i];
	}
	for (size_t i = 0; i < n; i++) {
		unsigned digit = sortent_word(&src[i], is_key) >> shift & 0xff;

		dst[at[digit]++] = src[i];
	}
}

/* Stable sort by one word; bytes that are equal in all entries are skipped. */
static void
radix_sort(struct sortent **entsp, struct sortent **tmpp, size_t n, bool is_key)
{
	uint32_t count[8][256] = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t w = sortent_word(&(*entsp)[i], is_key);

		for (unsigned b = 0; b < 8; b++)
			count[b][w >> b * 8 & 0xff]++;
	}
	for (unsigned b = 0; b < 8; b++) {
		uint64_t w = sortent_word(&(*entsp)[0], is_key);
		struct sortent *tmp = *tmpp;

		if (count[b][w >> b * 8 & 0xff] == n)
			continue;
		radix_pass(*entsp, tmp, n, is_key, b * 8, count[b]);
		*tmpp = *entsp;
		*entsp = tmp;
	}
}

static void
sort_runs(struct sort_ctx *sc, struct sortent *ents, size_t n)
{
	size_t start = 0;

	for (size_t i = 1; i <= n; i++) {
		if (i < n && ents[i].val == ents[start].val &&
		    ents[i].key == ents[start].key)
			continue;
		if (i - start > 1)
			qsort_r(ents + start, i - start, sizeof(*ents),
			    sortent_cmp, sc);
		start = i;
	}
}

/*
 * For distributions the key's number is not used: two distributions with equal
 * `val` may still differ, and then their keys must not decide.
 */
static void
sortents_fill(struct sort_ctx *sc, struct sortent *ents)
{
	bool use_key = sc->ag->pa->keys.n != 0 &&
	    (sc->by_key || !hist_is_kind(sc->ag->pa->agg->kind));
	size_t pos = first_key(sc->c, sc->ag);

	for (uint32_t i = 0; i < sc->t->n; i++) {
		struct sortent *e = &ents[i];

		e->num = i + 1;
		e->val = e->key = 0;
		if (!sc->by_key)
			e->val = value_prefix(sc->ag, agg_ent_val(sc->t, i));
		if (use_key) {
			struct datum d = agg_key(sc->ag, sc->t, i, pos);

			e->key = datum_prefix(sc->c->pl, &d);
		}
	}
}

/*
 * The entry numbers (plus 1) of a table in ascending order: an array that the
 * caller frees.
 */
int
agg_sort(struct consumer *c, struct agg *ag, const struct agg_table *t,
    bool by_key, uint32_t **numsp)
{
	struct sort_ctx sc = { c, ag, t, by_key };
	size_t n = t->n;
	struct sortent *ents = malloc((n + 1) * sizeof(*ents));
	struct sortent *tmp = malloc((n + 1) * sizeof(*tmp));
	uint32_t *nums = malloc((n + 1) * sizeof(*nums));
	int error = 0;

	if (ents == NULL || tmp == NULL || nums == NULL) {
		free(nums);
		nums = NULL;
		error = -ENOMEM;
	} else if (n != 0) {
		sortents_fill(&sc, ents);
		radix_sort(&ents, &tmp, n, true);
		radix_sort(&ents, &tmp, n, false);
		sort_runs(&sc, ents, n);
		for (size_t i = 0; i < n; i++)
			nums[i] = ents[i].num;
	}
	free(ents);
	free(tmp);
	*numsp = nums;
	return error;
}

/* ------------------------------------------------------------------------ */

const void *
agg_row_val(const struct agg_row *row, size_t i)
{
	const struct agg *ag = row->aggs[i];

	return row->nums[i] ? agg_ent_val(&ag->snap, row->nums[i] - 1) :
			      ag->zero;
}

/* Merging of lists sorted by key: the rest of each list. */
struct join {
	struct consumer *c;
	struct agg **aggs;
	size_t naggs;
	uint32_t **lists;
	size_t *next;
};

static uint32_t
join_head(const struct join *j, size_t i)
{
	return j->next[i] < j->aggs[i]->snap.n ? j->lists[i][j->next[i]] : 0;
}

static int
join_cmp(const struct join *j, size_t a, size_t b)
{
	return keys_cmp(j->c, j->aggs[a], &j->aggs[a]->snap,
	    join_head(j, a) - 1, j->aggs[b], &j->aggs[b]->snap,
	    join_head(j, b) - 1);
}

/*
 * Take the least key from all lists that contain it; false: all lists are
 * empty.
 */
static bool
join_row(struct join *j, uint32_t *nums)
{
	size_t least = j->naggs;

	for (size_t i = 0; i < j->naggs; i++)
		if (join_head(j, i) != 0 &&
		    (least == j->naggs || join_cmp(j, i, least) < 0))
			least = i;
	if (least == j->naggs)
		return false;
	for (size_t i = 0; i < j->naggs; i++)
		nums[i] = join_head(j, i) != 0 &&
			(i == least || join_cmp(j, i, least) == 0) ?
		    join_head(j, i) :
		    0;
	for (size_t i = 0; i < j->naggs; i++)
		j->next[i] += nums[i] != 0;
	return true;
}

static int
join_all(struct join *j, struct agg_rows *rows)
{
	size_t max = 0;

	for (size_t i = 0; i < j->naggs; i++)
		max += j->aggs[i]->snap.n;
	rows->nums = malloc((max + 1) * j->naggs * sizeof(*rows->nums));
	if (rows->nums == NULL)
		return -ENOMEM;
	while (rows->n < max && join_row(j, rows->nums + rows->n * j->naggs))
		rows->n++;
	return 0;
}

static int
rows_join(struct consumer *c, struct agg_rows *rows)
{
	struct join j = { .c = c, .aggs = rows->aggs, .naggs = rows->naggs };
	int error = 0;

	j.lists = mem_alloc(j.naggs * sizeof(*j.lists));
	j.next = mem_alloc(j.naggs * sizeof(*j.next));
	for (size_t i = 0; i < j.naggs && error == 0; i++)
		error =
		    agg_sort(c, j.aggs[i], &j.aggs[i]->snap, true, &j.lists[i]);
	if (error == 0)
		error = join_all(&j, rows);
	for (size_t i = 0; i < j.naggs; i++)
		free(j.lists[i]);
	free(j.lists);
	free(j.next);
	return error;
}

struct rows_ctx {
	const struct agg_rows *rows;
	size_t pos; /* the aggregation whose values are compared
				 * first */
};

/*
 * Compare rows by the values of one aggregation, then of the next one and so
 * on, wrapping around.  Rows that are equal in all of them keep the order of
 * their keys.
 */
static int
rows_cmp(const void *a, const void *b, void *arg)
{
	const struct rows_ctx *rc = arg;
	const struct agg_rows *rows = rc->rows;
	struct agg_row x = { rows->aggs, *(uint32_t *const *)a, rows->naggs };
	struct agg_row y = { rows->aggs, *(uint32_t *const *)b, rows->naggs };
	int cmp = 0;

	for (size_t n = 0; n < rows->naggs && cmp == 0; n++) {
		size_t i = (rc->pos + n) % rows->naggs;

		cmp = agg_cmp_vals(
		    rows->aggs[i], agg_row_val(&x, i), agg_row_val(&y, i));
	}
	return cmp != 0 ? cmp : x.nums < y.nums ? -1 : 1;
}

static int
rows_sort(struct consumer *c, struct agg_rows *rows)
{
	size_t row_size = rows->naggs * sizeof(*rows->nums);
	struct rows_ctx rc = { rows, c->opts.aggsortpos };
	uint32_t **ptrs = malloc((rows->n + 1) * sizeof(*ptrs));
	uint32_t *sorted = malloc((rows->n + 1) * row_size);

	if (ptrs == NULL || sorted == NULL) {
		free(ptrs);
		free(sorted);
		return -ENOMEM;
	}
	if (rc.pos >= rows->naggs)
		rc.pos = 0;
	for (size_t i = 0; i < rows->n; i++)
		ptrs[i] = rows->nums + i * rows->naggs;
	qsort_r(ptrs, rows->n, sizeof(*ptrs), rows_cmp, &rc);
	for (size_t i = 0; i < rows->n; i++)
		memcpy(sorted + i * rows->naggs, ptrs[i], row_size);
	free(ptrs);
	free(rows->nums);
	rows->nums = sorted;
	return 0;
}

static void
rows_reverse(struct agg_rows *rows)
{
	for (size_t i = 0; i < rows->n / 2; i++) {
		uint32_t *a = rows->nums + i * rows->naggs;
		uint32_t *b = rows->nums + (rows->n - 1 - i) * rows->naggs;

		for (size_t k = 0; k < rows->naggs; k++) {
			uint32_t num = a[k];

			a[k] = b[k];
			b[k] = num;
		}
	}
}

/* The rows of the aggregations' snapshots, in the order of printing. */
int
agg_rows_init(
    struct consumer *c, struct agg_rows *rows, struct agg **aggs, size_t naggs)
{
	int error;

	*rows = (struct agg_rows){ .aggs = aggs, .naggs = naggs };
	if (naggs == 1) {
		rows->n = aggs[0]->snap.n;
		error = agg_sort(c, aggs[0], &aggs[0]->snap, c->opts.aggsortkey,
		    &rows->nums);
	} else {
		error = rows_join(c, rows);
		if (error == 0 && !c->opts.aggsortkey)
			error = rows_sort(c, rows);
	}
	if (error != 0)
		agg_rows_fini(rows);
	else if (c->opts.aggsortrev)
		rows_reverse(rows);
	return error;
}

void
agg_rows_fini(struct agg_rows *rows)
{
	free(rows->nums);
	rows->nums = NULL;
}
