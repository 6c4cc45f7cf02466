/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distributions: the rows of quantize(), lquantize() and llquantize().
 *
 * The three differ only in their buckets' lower bounds, worked out once per
 * aggregation (reference/records.md section 6); the picture is one function
 * (reference/language.md section 15).
 */
#include "consume/consume_impl.h"

#include <stdlib.h>

#define NBUCKETS 127		/* of quantize() */
#define ZERO_BUCKET 63
#define BAR_WIDTH 40

bool
hist_is_kind(uint16_t kind)
{
	return kind == DT_ACT_QUANTIZE || kind == DT_ACT_LQUANTIZE ||
	    kind == DT_ACT_LLQUANTIZE;
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
 * factor^m belong to the magnitudes before it.
 */
static void
hist_init_llquantize(struct hist *h, uint64_t arg, uint32_t nbuckets)
{
	uint64_t factor = arg >> 48, low = arg >> 32 & 0xffff;
	uint64_t high = arg >> 16 & 0xffff, nsteps = arg & 0xffff;
	uint64_t from = 1;

	for (uint64_t i = 0; i < low; i++)
		from *= factor;
	h->has_ends = true;
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

void
hist_init(struct hist *h, uint16_t kind, uint64_t arg)
{
	uint32_t n = plan_agg_val_size(kind, arg) / sizeof(int64_t);

	h->bounds = mem_alloc(n * sizeof(*h->bounds));
	if (kind == DT_ACT_QUANTIZE)
		hist_init_quantize(h);
	else if (kind == DT_ACT_LQUANTIZE)
		hist_init_lquantize(h, arg);
	else
		hist_init_llquantize(h, arg, n);
}

void
hist_fini(struct hist *h)
{
	free(h->bounds);
	h->bounds = NULL;
}

/* What distributions are sorted by: the sum of all, each as its bucket. */
long double
hist_weight(const struct hist *h, const int64_t *counts)
{
	long double total = 0;

	for (uint32_t i = 0; i < h->n; i++)
		total += (long double)h->bounds[i] * (long double)counts[i];
	return total;
}

/* The count of the bucket that begins at 0; 0 when none does. */
int64_t
hist_zero(const struct hist *h, const int64_t *counts)
{
	for (uint32_t i = h->has_ends; i < h->n; i++)
		if (h->bounds[i] == 0)
			return counts[i];
	return 0;
}

/* ------------------------------------------------------------------------ */

/* What the bars of one picture have in common. */
struct bars {
	unsigned __int128 total;	/* of absolute counts */
	bool has_positives, has_negatives;
	uint64_t normal;
};

static uint64_t
abs64(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static struct bars
bars_measure(const struct hist *h, const int64_t *counts, uint64_t normal)
{
	struct bars b = { .normal = normal };

	for (uint32_t i = 0; i < h->n; i++) {
		b.total += abs64(counts[i]);
		b.has_positives |= counts[i] > 0;
		b.has_negatives |= counts[i] < 0;
	}
	return b;
}

/* The share of `width` columns that a count takes, rounded to nearest. */
static uint32_t
bar_length(const struct bars *b, int64_t count, uint32_t width)
{
	unsigned __int128 scaled = (unsigned __int128)abs64(count) * width;

	if (b->total == 0)
		return 0;
	return (uint32_t)((2 * scaled + b->total) / (2 * b->total));
}

static void
out_repeat(struct strbuf *sb, char c, uint32_t n)
{
	while (n-- > 0)
		strbuf_addc(sb, c);
}

/* A bar that grows to the left of its line, or to the right. */
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

static void
bar_print(struct strbuf *sb, const struct bars *b, int64_t count)
{
	uint32_t right = BAR_WIDTH, left = 0, len;

	if (b->has_negatives)
		left = b->has_positives ? BAR_WIDTH / 2 : BAR_WIDTH;
	right -= left;
	len = bar_length(b, count, b->has_positives && left != 0 ? left :
	    BAR_WIDTH);
	bar_leftward(sb, count < 0 ? len : 0, left);
	strbuf_addc(sb, '|');
	bar_rightward(sb, count > 0 ? len : 0, right);
	strbuf_printf(sb, " %-9lld\n",
	    (long long)(count / (int64_t)b->normal));
}

static void
row_print(struct strbuf *sb, const struct hist *h, uint32_t i)
{
	char label[32];

	if (h->has_ends && i == 0)
		snprintf(label, sizeof(label), "< %lld",
		    (long long)h->bounds[1]);
	else if (h->has_ends && i == h->n - 1)
		snprintf(label, sizeof(label), ">= %lld",
		    (long long)h->bounds[i]);
	else
		snprintf(label, sizeof(label), "%lld", (long long)h->bounds[i]);
	strbuf_printf(sb, "%16s ", label);
}

/* From one row before the first count to one after the last. */
static void
hist_extent(const struct hist *h, const int64_t *counts, uint32_t *firstp,
    uint32_t *lastp)
{
	uint32_t first = 0, last = h->n - 1;

	while (first < h->n && counts[first] == 0)
		first++;
	if (first == h->n) {	/* no data: the rows around zero, or the first */
		first = h->has_ends ? 0 : ZERO_BUCKET - 1;
		last = first + 2 < h->n ? first + 2 : h->n - 1;
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
    uint64_t normal)
{
	struct bars b = bars_measure(h, counts, normal);
	uint32_t first, last;

	strbuf_printf(sb, "\n%16s %41s %-9s\n", "value",
	    "------------- Distribution -------------", "count");
	hist_extent(h, counts, &first, &last);
	for (uint32_t i = first; i <= last; i++) {
		row_print(sb, h, i);
		bar_print(sb, &b, counts[i]);
	}
}
