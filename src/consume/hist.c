/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distributions: the rows of quantize(), lquantize() and llquantize().
 *
 * The three differ only in their buckets' lower bounds, worked out once per
 * aggregation (doc/reference/records.md section 6); the picture is one function
 * (doc/reference/language.md section 15).
 */
#include "consume/consume_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define NBUCKETS 127 /* of quantize() */
#define ZERO_BUCKET 63
#define BAR_WIDTH 40
#define LABEL_MAX (UNITS_MAX + 4)

bool
hist_is_kind(uint16_t kind)
{
	return kind == DT_ACT_QUANTIZE || kind == DT_ACT_LQUANTIZE ||
	    kind == DT_ACT_LLQUANTIZE || kind == DT_ACT_PERCENTILE;
}

static void
hist_add(struct hist *h, int64_t bound)
{
	h->bounds[h->n++] = bound;
}

static void
hist_init_quantize(struct hist *h)
{
	for (int i = 0; i < ZERO_BUCKET; i++)
		hist_add(h, -(INT64_C(1) << (ZERO_BUCKET - 1 - i)));
	hist_add(h, 0);
	for (int i = ZERO_BUCKET + 1; i < NBUCKETS; i++)
		hist_add(h, INT64_C(1) << (i - ZERO_BUCKET - 1));
}

/* arg: step 63..48, levels 47..32, base 31..0. */
static void
hist_init_lquantize(struct hist *h, uint64_t arg)
{
	int64_t step = (int64_t)(arg >> 48);
	int64_t levels = (int64_t)(arg >> 32 & 0xffff);
	int64_t base = (int32_t)(uint32_t)arg;

	h->has_ends = true;
	hist_add(h, base - 1);
	for (int64_t i = 0; i <= levels; i++)
		hist_add(h, base + i * step);
}

/*
 * arg: factor 63..48, low 47..32, high 31..16, nsteps 15..0.  Magnitude m has
 * min(nsteps, factor^(m+1)) buckets over [0, factor^(m+1)); those below
 * factor^m belong to lower magnitudes.
 */
static void
hist_init_llquantize(struct hist *h, uint64_t arg, uint32_t nbuckets)
{
	uint64_t factor = arg >> 48, low = arg >> 32 & 0xffff;
	uint64_t high = arg >> 16 & 0xffff, nsteps = arg & 0xffff;
	uint64_t from = 1;

	for (uint64_t i = 0; i < low; i++)
		from *= factor;
	h->has_ends = h->is_log = true;
	hist_add(h, 0);
	for (uint64_t m = low; m <= high; m++, from *= factor) {
		uint64_t top = from * factor;
		uint64_t nb = nsteps < top ? nsteps : top;

		for (uint64_t i = nb / factor; i < nb && h->n < nbuckets; i++)
			hist_add(h, (int64_t)(top / nb * i));
	}
	if (h->n < nbuckets)
		hist_add(h, (int64_t)from);
}

/* rt_percentile_index() has the rule; arg: the percents. */
static void
hist_init_percentile(struct hist *h, uint64_t arg)
{
	(void)pf_percents_unpack(arg, &h->percents);
	h->has_ends = h->is_log = true;
	hist_add(h, -1);
	for (int64_t i = 0; i < PLAN_PERCENTILE_LINEAR; i++)
		hist_add(h, i);
	for (int shift = 0; h->n < PLAN_PERCENTILE_BUCKETS; shift++) {
		for (int64_t i = 0; i < PLAN_PERCENTILE_LINEAR; i++)
			hist_add(h, (PLAN_PERCENTILE_LINEAR + i) << shift);
	}
}

void
hist_init(struct hist *h, uint16_t kind, uint64_t arg)
{
	uint32_t n = plan_agg_val_size(kind, arg) / sizeof(int64_t);

	h->bounds = mem_alloc(n * sizeof(*h->bounds));
	if (kind == DT_ACT_QUANTIZE)
		hist_init_quantize(h);
	else if (kind == DT_ACT_LQUANTIZE)
		hist_init_lquantize(h, arg);
	else if (kind == DT_ACT_PERCENTILE)
		hist_init_percentile(h, arg);
	else
		hist_init_llquantize(h, arg, n);
}

void
hist_fini(struct hist *h)
{
	free(h->bounds);
	h->bounds = NULL;
}

/*
 * quantize() counts a negative value in the bucket whose bound is the nearest
 * that is not less than the value, so buckets below zero are labelled with
 * their upper bound.
 */
bool
hist_min(const struct hist *h, uint32_t i, int64_t *bound)
{
	if (i == 0)
		return false;
	*bound = !h->has_ends && i < ZERO_BUCKET ? h->bounds[i - 1] + 1 :
						   h->bounds[i];
	return true;
}

bool
hist_max(const struct hist *h, uint32_t i, int64_t *bound)
{
	if (i == h->n - 1)
		return false;
	/* bounds of llquantize() may wrap around to INT64_MIN */
	*bound = !h->has_ends && i < ZERO_BUCKET ?
	    h->bounds[i] :
	    (int64_t)((uint64_t)h->bounds[i + 1] - 1);
	return true;
}

/*
 * The number by which distributions are sorted: the sum of all counts, each
 * times its bucket's value.
 */
long double
hist_weight(const struct hist *h, const int64_t *counts)
{
	long double total = 0;

	for (uint32_t i = 0; i < h->n; i++)
		total += (long double)h->bounds[i] * (long double)counts[i];
	return total;
}

/* The count of the bucket that begins at 0; 0: no bucket does. */
int64_t
hist_zero(const struct hist *h, const int64_t *counts)
{
	for (uint32_t i = h->has_ends; i < h->n; i++)
		if (h->bounds[i] == 0)
			return counts[i];
	return 0;
}

/* ------------------------------------------------------------------------ */

/*
 * The bars of a picture: each is the count's share of all counts or, with
 * option aggzoom, of the largest count, which then fills 95 % of the width.
 */
#define ZOOM_PERCENT 95

static uint64_t
abs64(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

void
bars_init(struct bars *b, const struct consume_opts *opts, uint64_t normal)
{
	*b = (struct bars){ .normal = normal,
		.zoom = opts->aggzoom,
		.utf8 = opts->utf8,
		.units = opts->units,
		.percents = opts->aggpct };
}

void
bars_measure(struct bars *b, int64_t count)
{
	uint64_t v = abs64(count);

	if (b->zoom)
		b->total = v > b->total ? v : b->total;
	else
		b->total += v;
	b->has_positives |= count > 0;
	b->has_negatives |= count < 0;
}

/* The part of `width` for a count, rounded to nearest or down. */
static uint32_t
bars_share(const struct bars *b, int64_t count, uint32_t width, bool round)
{
	unsigned __int128 scaled = (unsigned __int128)abs64(count) * width *
	    (b->zoom ? ZOOM_PERCENT : 100);
	unsigned __int128 total = b->total * 100;

	if (total == 0)
		return 0;
	return (uint32_t)((2 * scaled + (round ? total : 0)) / (2 * total));
}

static void
out_repeat(struct strbuf *sb, char c, uint32_t n)
{
	while (n-- > 0)
		strbuf_addc(sb, c);
}

/* A bar that extends from the line to the left, or to the right. */
static void
bar_leftward(struct strbuf *sb, uint32_t len, uint32_t width)
{
	out_repeat(sb, ' ', width - len);
	out_repeat(sb, '@', len);
}

static void
bar_rightward(struct strbuf *sb, uint32_t len, uint32_t width)
{
	out_repeat(sb, '@', len);
	out_repeat(sb, ' ', width - len);
}

/* U+2588 is a full block; U+258f to U+2589 are one to seven eighths of it. */
static void
bar_utf8(struct strbuf *sb, const struct bars *b, int64_t count)
{
	uint32_t eighths = bars_share(b, count, BAR_WIDTH * 8, false);
	uint32_t cells = eighths / 8;

	strbuf_addc(sb, '|');
	for (uint32_t i = 0; i < cells; i++)
		out_utf8(sb, 0x2588);
	if (eighths % 8 != 0) {
		out_utf8(sb, 0x2590 - eighths % 8);
		cells++;
	}
	out_pad(sb, BAR_WIDTH - cells);
}

static void
bar_ascii(struct strbuf *sb, const struct bars *b, int64_t count)
{
	uint32_t right = BAR_WIDTH, left = 0, len;

	if (b->has_negatives)
		left = b->has_positives ? BAR_WIDTH / 2 : BAR_WIDTH;
	right -= left;
	len = bars_share(
	    b, count, b->has_positives && left != 0 ? left : BAR_WIDTH, true);
	bar_leftward(sb, count < 0 ? len : 0, left);
	strbuf_addc(sb, '|');
	bar_rightward(sb, count > 0 ? len : 0, right);
}

void
bar_print(struct strbuf *sb, const struct bars *b, int64_t count)
{
	if (b->utf8 && b->has_positives && !b->has_negatives)
		bar_utf8(sb, b, count);
	else
		bar_ascii(sb, b, count);
	strbuf_printf(sb, " %-9lld\n", (long long)(count / (int64_t)b->normal));
}

/* "value", or "key" if each key has a row, in the given number of columns. */
void
bars_heading(struct strbuf *sb, const char *what, int width)
{
	strbuf_printf(sb, "\n%*s %41s %-9s\n", width, what,
	    "------------- Distribution -------------", "count");
}

/* ------------------------------------------------------------------------ */

static void
bucket_label(
    const struct hist *h, uint32_t i, enum units units, char *buf, size_t len)
{
	bool is_first = h->has_ends && i == 0;
	bool is_last = h->has_ends && i == h->n - 1;
	char bound[UNITS_MAX];

	out_units(h->bounds[is_first ? 1 : i], units, bound, sizeof(bound));
	snprintf(buf, len, "%s%s",
	    is_first	? "< " :
		is_last ? ">= " :
			  "",
	    bound);
}

/* The rows from one before the first count to one after the last. */
static void
hist_extent(const struct hist *h, const int64_t *counts, uint32_t *firstp,
    uint32_t *lastp)
{
	uint32_t first = 0, last = h->n - 1;

	while (first < h->n && counts[first] == 0)
		first++;
	if (first == h->n) {
		/* no data: the rows around zero, or the first two or three */
		uint32_t nmore = h->is_log ? 1 : 2;

		first = h->has_ends ? 0 : ZERO_BUCKET - 1;
		last = first + nmore < h->n ? first + nmore : h->n - 1;
	} else {
		while (counts[last] == 0)
			last--;
		first -= first > 0;
		last += last < h->n - 1;
	}
	*firstp = first;
	*lastp = last;
}

void
hist_print(struct strbuf *sb, const struct hist *h, const int64_t *counts,
    struct bars *b)
{
	uint32_t first, last;
	char label[LABEL_MAX];

	if (hist_is_summary(h)) {
		hist_print_summary(sb, h, counts, b);
		return;
	}
	for (uint32_t i = 0; i < h->n; i++)
		bars_measure(b, counts[i]);
	bars_heading(sb, "value", 16);
	hist_extent(h, counts, &first, &last);
	for (uint32_t i = first; i <= last; i++) {
		bucket_label(h, i, b->units, label, sizeof(label));
		strbuf_printf(sb, "%16s ", label);
		bar_print(sb, b, counts[i]);
	}
	if (hist_print_percents(sb, "     percentiles", h, counts, b))
		strbuf_addc(sb, '\n');
}

/* ---- packed: a distribution in one line --------------------------------- */

/*
 * All rows of an aggregation show the same buckets: those in which any row
 * counted, and one more on either side.  The bucket of zero needs none below
 * it; lquantize() shows all its buckets.
 */
void
pack_init(struct pack *p, const struct hist *h, enum units units)
{
	p->h = h;
	p->units = units;
	p->first = h->n;
	p->last = 0;
}

void
pack_measure(struct pack *p, const int64_t *counts)
{
	for (uint32_t i = 0; i < p->h->n; i++) {
		if (counts[i] == 0)
			continue;
		p->first = i < p->first ? i : p->first;
		p->last = i > p->last ? i : p->last;
	}
}

static int
label_width(const struct hist *h, uint32_t i, enum units units)
{
	char label[LABEL_MAX];
	int least = h->has_ends ? 8 : 4, len;

	bucket_label(h, i, units, label, sizeof(label));
	len = (int)strlen(label);
	return len > least ? len : least;
}

void
pack_settle(struct pack *p, bool all)
{
	uint32_t zero = p->h->has_ends ? 0 : ZERO_BUCKET;

	if (p->first == p->h->n)
		p->first = p->last = zero;
	if (p->first != 0 && p->first != zero)
		p->first--;
	if (p->last != p->h->n - 1)
		p->last++;
	if (all) {
		p->first = 0;
		p->last = p->h->n - 1;
	}
	p->low = label_width(p->h, p->first, p->units) + !p->h->has_ends;
	p->high = label_width(p->h, p->last, p->units);
}

/*
 *	             key  min .-------. max      | count
 */
void
pack_heading(struct strbuf *sb, const struct pack *p, int width)
{
	strbuf_printf(sb, "\n%*s %*s .", width, width > 0 ? "key" : "",
	    p->low - 1, "min");
	out_repeat(sb, '-', p->last - p->first + 1);
	strbuf_printf(sb, ". %*s | count\n", -p->high, "max");
}

/* A share as one of eight block heights, U+2581 to U+2588, or as a letter. */
static void
pack_cell(struct strbuf *sb, const struct bars *b, int64_t count)
{
	static const char heights[] = "__xxxxXX", below[] = "vvvvVV";

	if (count == 0)
		strbuf_addc(sb, ' ');
	else if (count < 0)
		strbuf_addc(
		    sb, below[bars_share(b, count, sizeof(below) - 2, true)]);
	else if (b->utf8)
		out_utf8(sb, 0x2581 + bars_share(b, count, 7, true));
	else
		strbuf_addc(sb,
		    heights[bars_share(b, count, sizeof(heights) - 2, true)]);
}

void
pack_print(struct strbuf *sb, const struct pack *p, const int64_t *counts,
    struct bars *b)
{
	char low[LABEL_MAX], high[LABEL_MAX];
	int64_t sum = 0;

	for (uint32_t i = p->first; i <= p->last; i++) {
		bars_measure(b, counts[i]);
		sum += counts[i];
	}
	bucket_label(p->h, p->first, p->units, low, sizeof(low));
	bucket_label(p->h, p->last, p->units, high, sizeof(high));
	strbuf_printf(sb, "%*s :", p->low, low);
	for (uint32_t i = p->first; i <= p->last; i++)
		pack_cell(sb, b, counts[i]);
	strbuf_printf(sb, ": %*s | %lld", -p->high, high,
	    (long long)(sum / (int64_t)b->normal));
	(void)hist_print_percents(sb, "", p->h, counts, b);
	strbuf_addc(sb, '\n');
}
