/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks over aggregations, for programs that take the data themselves.
 *
 * Values taken from the substrate are in each aggregation's base; a walk copies
 * base, entry by entry, and sorts the copy.  So an entry has the same number in
 * both, and entries that the program wants cleared or removed are changed in
 * base after the walk.
 */
#include "consume/consume_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

int
consumer_aggs_snap(struct consumer *c)
{
	int error = 0;

	for (size_t i = 0; i < c->pl->aggs.n && error == 0; i++)
		error = agg_turn(c, &c->aggs[i]);
	return error;
}

int
consumer_aggs_clear(struct consumer *c)
{
	int error = 0;

	for (size_t i = 0; i < c->pl->aggs.n && error == 0; i++)
		error = agg_clear(c, &c->aggs[i]);
	return error;
}

struct consume_row
agg_walk_row(const struct agg *ag, uint32_t i)
{
	return (struct consume_row){ .pa = ag->pa,
		.num = i,
		.is_printed = ag->is_printed,
		.normal = ag->normal,
		.key = agg_ent_key(&ag->snap, i),
		.val = agg_ent_val(&ag->snap, i) };
}

static struct agg *
agg_of(const struct consumer *c, const struct consume_row *row)
{
	return &c->aggs[row->pa->agg->id - 1];
}

/* ---- order -------------------------------------------------------------- */

struct walk_ctx {
	struct consumer *c;
	enum consume_order order;
};

static int
cmp_vars(const struct consume_row *a, const struct consume_row *b)
{
	uint32_t x = a->pa->agg->id, y = b->pa->agg->id;

	return x < y ? -1 : x > y;
}

static int
cmp_keys(const struct walk_ctx *wc, const struct consume_row *a,
    const struct consume_row *b)
{
	return agg_cmp_keys(
	    wc->c, agg_of(wc->c, a), a->num, agg_of(wc->c, b), b->num);
}

/*
 * Values of different functions, or with different buckets: order by function
 * and buckets.
 */
static int
cmp_vals(const struct walk_ctx *wc, const struct consume_row *a,
    const struct consume_row *b)
{
	uint16_t x = a->pa->agg->kind, y = b->pa->agg->kind;

	if (x != y)
		return x < y ? -1 : 1;
	if (a->pa->agg->arg != b->pa->agg->arg)
		return a->pa->agg->arg < b->pa->agg->arg ? -1 : 1;
	return agg_cmp_vals(agg_of(wc->c, a), a->val, b->val);
}

static int
cmp_rows(const void *pa, const void *pb, void *arg)
{
	const struct consume_row *a = pa, *b = pb;
	const struct walk_ctx *wc = arg;
	int first = 0, second = 0;

	switch (wc->order) {
	case ORDER_VAR_KEY:
		first = cmp_vars(a, b);
		second = first != 0 ? 0 : cmp_keys(wc, a, b);
		break;
	case ORDER_VAR_VALUE:
		first = cmp_vars(a, b);
		second = first != 0 ? 0 : cmp_vals(wc, a, b);
		break;
	case ORDER_KEY_VAR:
		first = cmp_keys(wc, a, b);
		second = cmp_vars(a, b);
		break;
	case ORDER_VALUE_VAR:
		first = cmp_vals(wc, a, b);
		second = cmp_vars(a, b);
		break;
	case ORDER_NONE:
	case ORDER_OPTIONS:
		break;
	}
	if (first != 0 || second != 0)
		return first != 0 ? first : second;
	return cmp_keys(wc, a, b);
}

static void
rows_reverse(struct consume_row *rows, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct consume_row row = rows[i];

		rows[i] = rows[n - 1 - i];
		rows[n - 1 - i] = row;
	}
}

static void
rows_sort(struct consumer *c, enum consume_order order, bool is_reverse,
    struct consume_row *rows, size_t n)
{
	struct walk_ctx wc = { c, order };

	if (order == ORDER_NONE)
		return;
	if (order == ORDER_OPTIONS) {
		wc.order = c->opts.aggsortkey ? ORDER_VAR_KEY : ORDER_VAR_VALUE;
		is_reverse = c->opts.aggsortrev;
	}
	qsort_r(rows, n, sizeof(*rows), cmp_rows, &wc);
	if (is_reverse)
		rows_reverse(rows, n);
}

/* ---- walks -------------------------------------------------------------- */

int
consumer_rows(struct consumer *c, enum consume_order order, bool is_reverse,
    struct consume_row **rowsp, size_t *np)
{
	struct consume_row *rows;
	size_t max = 0, n = 0;
	int error = 0;

	for (size_t i = 0; i < c->pl->aggs.n && error == 0; i++) {
		error = agg_snap_base(c, &c->aggs[i]);
		max += c->aggs[i].snap.n;
	}
	rows = error == 0 ? malloc((max + 1) * sizeof(*rows)) : NULL;
	if (rows == NULL)
		return error != 0 ? error : -ENOMEM;
	for (size_t i = 0; i < c->pl->aggs.n; i++) {
		for (uint32_t k = 0; k < c->aggs[i].snap.n; k++)
			rows[n++] = agg_walk_row(&c->aggs[i], k);
	}
	rows_sort(c, order, is_reverse, rows, n);
	*rowsp = rows;
	*np = n;
	return 0;
}

static void
joined_fill(const struct agg_rows *lines, struct consume_row *rows)
{
	size_t naggs = lines->naggs;

	for (size_t i = 0; i < lines->n * naggs; i++) {
		const struct agg *ag = lines->aggs[i % naggs];

		if (lines->nums[i] != 0) {
			rows[i] = agg_walk_row(ag, lines->nums[i] - 1);
			continue;
		}
		rows[i] = (struct consume_row){
			.pa = ag->pa, .normal = ag->normal, .val = ag->zero
		};
	}
}

int
consumer_joined_rows(struct consumer *c, const uint32_t *ids, size_t naggs,
    struct consume_row **rowsp, size_t *nlines)
{
	struct agg **aggs = mem_alloc(naggs * sizeof(*aggs));
	struct agg_rows lines = { 0 };
	int error = 0;

	for (size_t i = 0; i < naggs && error == 0; i++) {
		aggs[i] = &c->aggs[ids[i] - 1];
		error = agg_snap_base(c, aggs[i]);
	}
	if (error == 0)
		error = agg_rows_init(c, &lines, aggs, naggs);
	if (error == 0) {
		*rowsp = malloc((lines.n * naggs + 1) * sizeof(**rowsp));
		*nlines = lines.n;
		error = *rowsp == NULL ? -ENOMEM : 0;
	}
	if (error == 0)
		joined_fill(&lines, *rowsp);
	agg_rows_fini(&lines);
	free(aggs);
	return error;
}

/* ---- what a row has besides --------------------------------------------- */

static const void *
val_or_none(const struct agg *ag, const struct agg_table *t,
    const struct consume_row *row)
{
	const void *val = row->key != NULL ? agg_table_val(t, row->key) : NULL;

	return val != NULL ? val : ag->none;
}

const void *
consumer_row_delta(struct consumer *c, const struct consume_row *row)
{
	const struct agg *ag = agg_of(c, row);

	return val_or_none(ag, &ag->delta, row);
}

const void *
consumer_row_cpu(struct consumer *c, const struct consume_row *row,
    uint32_t cpu, bool is_delta)
{
	const struct agg *ag = agg_of(c, row);
	const struct agg_cpu *ac = &ag->cpus[cpu];

	return val_or_none(ag, is_delta ? &ac->delta : &ac->base, row);
}

uint32_t
consumer_row_ncpus(const struct consumer *c)
{
	return c->ncpus;
}

static void
extent_add(struct consume_extent *ex, int64_t count)
{
	ex->total += count < 0 ? -(uint64_t)count : (uint64_t)count;
	ex->has_negatives |= count < 0;
	ex->has_positives |= count > 0;
}

static void
extent_add_bins(
    struct consume_extent *ex, const struct agg *ag, const int64_t *counts)
{
	for (uint32_t i = 0; i < ag->hist.n; i++) {
		if (counts[i] == 0)
			continue;
		extent_add(ex, counts[i]);
		ex->min_bin = i < ex->min_bin ? i : ex->min_bin;
		ex->max_bin = i > ex->max_bin ? i : ex->max_bin;
	}
}

struct consume_extent
consumer_agg_extent(struct consumer *c, const struct plan_agg *pa)
{
	struct agg *ag = &c->aggs[pa->agg->id - 1];
	struct consume_extent ex = { .min_bin = UINT32_MAX };

	if (ag->has_extent)
		return ag->extent;
	for (uint32_t i = 0; i < ag->snap.n; i++) {
		const void *val = agg_ent_val(&ag->snap, i);

		if (hist_is_kind(pa->agg->kind))
			extent_add_bins(&ex, ag, val);
		else
			extent_add(&ex, (int64_t)agg_value_bits(ag, val, 1));
	}
	ag->extent = ex;
	ag->has_extent = true;
	return ex;
}

/* ---- changes ------------------------------------------------------------ */

/* Rebuild an aggregation without the removed entries. */
static int
rows_remove(struct consumer *c, struct agg *ag, const struct consume_row *rows,
    size_t n)
{
	uint32_t *nums = calloc(ag->base.n + 1, sizeof(*nums));
	size_t kept = 0;
	int error;

	if (nums == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < ag->base.n; i++)
		nums[i] = i + 1;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].pa == ag->pa && rows[i].change == ROW_REMOVE)
			nums[rows[i].num] = 0;
	}
	for (uint32_t i = 0; i < ag->base.n; i++) {
		if (nums[i] != 0)
			nums[kept++] = nums[i];
	}
	error = agg_keep(c, ag, nums, kept);
	free(nums);
	return error;
}

int
consumer_rows_apply(
    struct consumer *c, const struct consume_row *rows, size_t n)
{
	bool *loses = mem_alloc((c->pl->aggs.n + 1) * sizeof(*loses));
	int error = 0;

	for (size_t i = 0; i < n; i++) {
		struct agg *ag = agg_of(c, &rows[i]);

		if (rows[i].new_normal != 0)
			ag->normal = rows[i].new_normal;
		if (rows[i].change == ROW_CLEAR)
			agg_reset_entry(c, ag, rows[i].num);
		loses[ag - c->aggs] |= rows[i].change == ROW_REMOVE;
	}
	for (size_t i = 0; i < c->pl->aggs.n && error == 0; i++) {
		if (loses[i])
			error = rows_remove(c, &c->aggs[i], rows, n);
	}
	free(loses);
	return error;
}

int
consumer_rows_print(
    struct consumer *c, const struct consume_row *rows, size_t n)
{
	const struct plan_agg *last = NULL;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].is_printed)
			continue;
		if (rows[i].pa != last && !has_events(c))
			strbuf_addc(&c->buf, '\n');
		last = rows[i].pa;
		agg_print_row(c, agg_of(c, &rows[i]), rows[i].num);
	}
	consumer_flush(c);
	return consumer_take_error(c);
}

int
consumer_row_tell(struct consumer *c, const struct consume_row *row)
{
	agg_print_row(c, agg_of(c, row), row->num);
	return consumer_take_error(c);
}
