/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Printing of aggregations: rows of keys and values, and their pictures.
 *
 * A row is printed in one of three ways.  The classic form is the keys, then
 * the values of one or several joined aggregations.  Option agghist draws
 * count() and sum() as bars, one row per key; aggpack draws a distribution in
 * one line.  These two apply to a single aggregation that is printed without a
 * format.  They read all rows first, since the length of a bar depends on the
 * total of all rows.
 */
#include "consume/consume_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/oformat.h"

enum look { LOOK_CLASSIC, LOOK_BARS, LOOK_PACKED };

/* Facts shared by all rows of one printing. */
struct aggprint_printing {
	struct consumer *c;
	const struct agg_rows *rows;
	const struct pf_format *pf;
	enum look look;
	struct bars bars;   /* LOOK_BARS */
	struct pack pack;   /* LOOK_PACKED */
	struct datum *keys; /* of the row being printed */
	size_t nkeys;
};

void
agg_print_value(struct consumer *c, struct agg *ag, const void *val)
{
	struct bars bars;
	uint64_t bits;

	if (hist_is_kind(ag->pa->agg->kind)) {
		bars_init(&bars, &c->opts, ag->normal);
		hist_print(&c->buf, &ag->hist, val, &bars);
		return;
	}
	strbuf_addc(&c->buf, ' ');
	bits = agg_value_bits(ag, val, ag->normal);
	if (agg_is_signed(ag))
		out_i64(&c->buf, (int64_t)bits, 16);
	else
		out_u64(&c->buf, bits, 16);
}

/* The keys of a row, from the first joined aggregation that has them. */
static size_t
row_keys(const struct agg_row *row, struct datum *keys, size_t max)
{
	size_t i = 0, n;
	const struct agg *ag;

	while (row->nums[i] == 0)
		i++;
	ag = row->aggs[i];
	n = ag->pa->keys.n < max ? ag->pa->keys.n : max;
	for (size_t k = 0; k < n; k++)
		keys[k] = agg_key(ag, &ag->snap, row->nums[i] - 1, k);
	return n;
}

static size_t
max_keys(struct agg **aggs, size_t naggs)
{
	size_t n = 0;

	for (size_t i = 0; i < naggs; i++)
		if (aggs[i]->pa->keys.n > n)
			n = aggs[i]->pa->keys.n;
	return n;
}

/*
 * Rows come in sorted order, so their entries are scattered in memory: prefetch
 * those of a row some rows before it is printed. (gcc 12 drops calls of a
 * function that only prefetches, as having no effect, unless the function is
 * inlined first.)
 */
#define ROWS_AHEAD 16

static inline __attribute__((always_inline)) void
row_prefetch(const struct agg_rows *rows, size_t i)
{
	const uint32_t *nums = rows->nums + i * rows->naggs;

	if (i >= rows->n)
		return;
	for (size_t k = 0; k < rows->naggs; k++) {
		const struct agg_table *t = &rows->aggs[k]->snap;

		if (nums[k] == 0)
			continue;
		__builtin_prefetch(agg_ent_key(t, nums[k] - 1));
		__builtin_prefetch(agg_ent_val(t, nums[k] - 1));
	}
}

/* ---- pictures ----------------------------------------------------------- */

static enum look
look_of(const struct consumer *c, const struct agg_rows *rows,
    const struct pf_format *pf)
{
	uint16_t kind = rows->aggs[0]->pa->agg->kind;

	if (pf != NULL || rows->naggs != 1 || has_events(c))
		return LOOK_CLASSIC;
	if (c->opts.agghist && (kind == DT_ACT_COUNT || kind == DT_ACT_SUM))
		return LOOK_BARS;
	if (c->opts.aggpack && hist_is_kind(kind) &&
	    !hist_is_summary(&rows->aggs[0]->hist))
		return LOOK_PACKED;
	return LOOK_CLASSIC;
}

/* The columns that out_packed_key() needs for the keys. */
static int
keys_width(const struct agg *ag)
{
	int width = 0;

	VEC_FOREACH(&ag->pa->keys, key)
		width += pack_columns(key) + 1;
	return width;
}

static void
measure_rows(struct aggprint_printing *pr)
{
	struct agg *ag = pr->rows->aggs[0];

	bars_init(&pr->bars, &pr->c->opts, ag->normal);
	pack_init(&pr->pack, &ag->hist, pr->c->opts.units);
	for (size_t i = 0; i < pr->rows->n; i++) {
		const void *val = agg_ent_val(&ag->snap, pr->rows->nums[i] - 1);

		if (pr->look == LOOK_BARS)
			bars_measure(&pr->bars, *(const int64_t *)val);
		else
			pack_measure(&pr->pack, val);
	}
	if (pr->look == LOOK_BARS) {
		int width = keys_width(ag);

		bars_heading(&pr->c->buf, width > 0 ? "key" : "", width);
		return;
	}
	pack_settle(&pr->pack, ag->pa->agg->kind == DT_ACT_LQUANTIZE);
	pack_heading(&pr->c->buf, &pr->pack, keys_width(ag));
}

static void
row_picture(struct aggprint_printing *pr, const struct agg_row *row)
{
	struct strbuf *sb = &pr->c->buf;
	const void *val = agg_row_val(row, 0);
	struct bars bars;

	for (size_t k = 0; k < pr->nkeys; k++)
		out_packed_key(pr->c, &pr->keys[k]);
	if (pr->look == LOOK_BARS) {
		strbuf_addc(sb, ' ');
		bar_print(sb, &pr->bars, *(const int64_t *)val);
		return;
	}
	bars_init(&bars, &pr->c->opts, row->aggs[0]->normal);
	pack_print(sb, &pr->pack, val, &bars);
}

/* ---- rows --------------------------------------------------------------- */

/* Option aggpercpu: print the value of each CPU below the row. */
static void
row_percpu(struct consumer *c, const struct agg_row *row, size_t width)
{
	for (uint32_t cpu = 0; cpu < c->ncpus; cpu++) {
		char label[32];
		bool has = false;

		for (size_t i = 0; i < row->naggs; i++)
			has |= agg_row_cpu_val(row, i, cpu) != NULL;
		if (!has)
			continue;
		snprintf(label, sizeof(label), "    [CPU %u]", cpu);
		out_text(&c->buf, label, strlen(label), (int)width, true);
		for (size_t i = 0; i < row->naggs; i++) {
			const void *val = agg_row_cpu_val(row, i, cpu);

			agg_print_value(c, row->aggs[i],
			    val != NULL ? val : row->aggs[i]->zero);
		}
		strbuf_addc(&c->buf, '\n');
	}
}

/*
 * Text for a program is handed over piece by piece, each with the row that it
 * belongs to.  Text for a file is written in large portions.
 */
void
agg_row_piece(
    struct consumer *c, const struct agg_row *row, size_t i, unsigned flags)
{
	struct consume_row cr;

	if (c->out != NULL || has_events(c) ||
	    (c->buf.len == 0 && (flags & PIECE_LAST) == 0))
		return;
	if (i >= row->naggs)
		i = row->naggs - 1;
	while (i > 0 && row->nums[i] == 0)
		i--;
	cr = agg_walk_row(
	    row->aggs[i], row->nums[i] != 0 ? row->nums[i] - 1 : 0);
	hooks_text(c, row->nums[i] != 0 ? &cr : NULL, flags);
	strbuf_reset(&c->buf);
}

static void
row_classic(struct aggprint_printing *pr, const struct agg_row *row)
{
	struct consumer *c = pr->c;
	size_t start = c->buf.len, width;

	for (size_t k = 0; k < pr->nkeys; k++) {
		out_key(c, &pr->keys[k]);
		agg_row_piece(c, row, 0, PIECE_KEY);
	}
	width = c->buf.len < start ||
		memchr(c->buf.s + start, '\n', c->buf.len - start) != NULL ?
	    0 :
	    utf8_columns(c->buf.s + start, c->buf.len - start);
	for (size_t i = 0; i < row->naggs; i++) {
		bool is_last = i + 1 == row->naggs;

		agg_print_value(c, row->aggs[i], agg_row_val(row, i));
		if (is_last)
			strbuf_addc(&c->buf, '\n');
		agg_row_piece(
		    c, row, i, PIECE_VALUE | (is_last ? PIECE_LAST : 0));
	}
	if (c->opts.aggpercpu)
		row_percpu(c, row, width);
}

static void
row_print(struct aggprint_printing *pr, const struct agg_row *row)
{
	if (has_events(pr->c))
		event_row(pr->c, row, pr->keys, pr->nkeys, pr->pf);
	else if (pr->pf != NULL)
		printf_render(pr->c, pr->pf, pr->keys, pr->nkeys, row);
	else if (pr->look != LOOK_CLASSIC)
		row_picture(pr, row);
	else
		row_classic(pr, row);
}

/* Option aggnonzero: does no value of the row differ from a cleared one? */
static bool
row_is_empty(const struct agg_row *row)
{
	for (size_t i = 0; i < row->naggs; i++) {
		const struct agg *ag = row->aggs[i];
		const void *val = agg_row_val(row, i);

		if (row->nums[i] != 0 &&
		    memcmp(val, ag->none, ag->pa->val_size) != 0)
			return false;
	}
	return true;
}

static void
rows_print(struct aggprint_printing *pr)
{
	const struct agg_rows *rows = pr->rows;
	size_t max = max_keys(rows->aggs, rows->naggs);

	pr->keys = mem_alloc(max * sizeof(*pr->keys));
	for (size_t i = 0; i < rows->n; i++) {
		struct agg_row row = { rows->aggs, rows->nums + i * rows->naggs,
			rows->naggs };

		row_prefetch(rows, i + ROWS_AHEAD);
		if (pr->c->opts.aggnonzero && row_is_empty(&row))
			continue;
		pr->nkeys = row_keys(&row, pr->keys, max);
		row_print(pr, &row);
		if (pr->c->buf.len >= FLUSH_BYTES)
			consumer_flush(pr->c);
	}
	free(pr->keys);
}

/*
 * Print aggregations joined by key, from snapshots already taken.  Without a
 * format, each row is the default one.
 */
static int
snaps_print(struct consumer *c, struct agg **aggs, size_t naggs,
    const struct pf_format *pf)
{
	struct agg_rows rows;
	struct aggprint_printing pr = { .c = c, .rows = &rows, .pf = pf };
	int error = agg_rows_init(c, &rows, aggs, naggs);

	if (error != 0)
		return agg_failed(c, aggs[0], error);
	pr.look = look_of(c, &rows, pf);
	oformat_table(c, aggs, naggs);
	if (pr.look != LOOK_CLASSIC)
		measure_rows(&pr);
	rows_print(&pr);
	agg_rows_fini(&rows);
	return 0;
}

int
agg_print(struct consumer *c, struct agg **aggs, size_t naggs,
    const struct pf_format *pf)
{
	int error;

	for (size_t i = 0; i < naggs; i++) {
		error = agg_snapshot(c, aggs[i]);
		if (error != 0)
			return error;
		aggs[i]->is_printed = true;
	}
	if (pf == NULL && !has_events(c))
		strbuf_addc(&c->buf, '\n');
	if (c->out == NULL)
		consumer_emit(c);
	return snaps_print(c, aggs, naggs, pf);
}

/* Print one row from a snapshot already taken. */
void
agg_print_row(struct consumer *c, struct agg *ag, uint32_t num)
{
	uint32_t plus_one = num + 1;
	struct agg *aggs[] = { ag };
	struct agg_rows rows = {
		.aggs = aggs, .naggs = 1, .nums = &plus_one, .n = 1
	};
	struct aggprint_printing pr = { .c = c, .rows = &rows };

	rows_print(&pr);
}

/*
 * At the end: print aggregations that hold data and that no printa() has
 * printed.
 */
int
aggs_print_rest(struct consumer *c)
{
	size_t n = c->pl->aggs.n;
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++) {
		/* aggsortrev reverses every order, so this one, too */
		struct agg *ag = &c->aggs[c->opts.aggsortrev ? n - 1 - i : i];

		if (ag->is_printed)
			continue;
		error = agg_snapshot(c, ag);
		if (error == 0 && ag->snap.n != 0)
			error = snaps_print(c, &ag, 1, NULL);
		agg_snap_free(c, ag);
	}
	return error;
}
