/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Percentiles of distributions: option aggpct.
 *
 * The values of a bucket are taken to be spread evenly over it, so a percentile
 * is interpolated.  Of a bucket without an end, only its one bound is known.
 */
#include "consume/consume_impl.h"

#include "base/str.h"

#define DECIMALS 3
#define ONE 1000 /* a percent */

/* Digits, and perhaps a point and up to three more; in thousandths. */
static bool
parse_percent(const char **s, uint32_t *out)
{
	const char *p = *s;
	uint32_t v = 0;
	int places = -1;

	for (; (*p >= '0' && *p <= '9') || (*p == '.' && places < 0); p++) {
		if (*p == '.') {
			places = 0;
			continue;
		}
		v = v * 10 + (uint32_t)(*p - '0');
		places += places >= 0;
		if (v > 100 * ONE || places > DECIMALS)
			return false;
	}
	if (p == *s || p[-1] == '.')
		return false;
	for (int i = places < 0 ? 0 : places; i < DECIMALS; i++)
		v *= 10;
	*s = p;
	*out = v;
	return v > 0 && v <= 100 * ONE;
}

bool
consume_percents_parse(const char *s, struct percents *out)
{
	out->n = 0;
	for (;;) {
		if (out->n == PERCENTS_MAX ||
		    !parse_percent(&s, &out->v[out->n]))
			return false;
		out->n++;
		if (*s == '\0')
			return true;
		if (*s++ != ',')
			return false;
	}
}

/* "p99.9": without zeros at the end. */
static void
out_percent(struct strbuf *sb, uint32_t percent)
{
	uint32_t rest = percent % ONE;
	int places = DECIMALS;

	strbuf_printf(sb, "p%u", percent / ONE);
	if (rest == 0)
		return;
	while (rest % 10 == 0) {
		rest /= 10;
		places--;
	}
	strbuf_printf(sb, ".%0*u", places, rest);
}

/* The place of the `part`-th of `count` values, in [low, high]. */
static int64_t
interpolate(int64_t low, int64_t high, long double part, int64_t count)
{
	long double width = (long double)high - (long double)low;

	return (int64_t)((long double)low + width * part / (long double)count);
}

static void
out_value(struct strbuf *sb, const struct hist *h, uint32_t i, long double part,
    int64_t count, enum units units)
{
	char text[UNITS_MAX];
	int64_t low = 0, high = 0;
	bool has_low = hist_min(h, i, &low), has_high = hist_max(h, i, &high);

	if (has_low && has_high)
		low = interpolate(low, high, part, count);
	else
		strbuf_adds(sb, has_low ? ">= " : "<= ");
	out_units(has_low ? low : high, units, text, sizeof(text));
	strbuf_adds(sb, text);
}

static void
out_one(struct strbuf *sb, const struct hist *h, const int64_t *counts,
    uint32_t percent, enum units units)
{
	long double total = 0, rank, before = 0, sum = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < h->n; i++)
		total += counts[i] > 0 ? (long double)counts[i] : 0;
	rank = total * percent / (100 * ONE);
	/* the last bucket that counted, if sums of large counts are rounded */
	for (uint32_t i = 0; i < h->n && (sum == 0 || sum < rank); i++) {
		if (counts[i] <= 0)
			continue;
		at = i;
		before = sum;
		sum += (long double)counts[i];
	}
	if (rank > sum)
		rank = sum;
	out_percent(sb, percent);
	strbuf_addc(sb, ' ');
	out_value(sb, h, at, rank - before, counts[at], units);
}

static bool
has_data(const struct hist *h, const int64_t *counts)
{
	for (uint32_t i = 0; i < h->n; i++) {
		if (counts[i] > 0)
			return true;
	}
	return false;
}

bool
hist_print_percents(struct strbuf *sb, const char *heading,
    const struct hist *h, const int64_t *counts, const struct bars *b)
{
	if (b->percents.n == 0 || !has_data(h, counts))
		return false;
	strbuf_adds(sb, heading);
	for (uint32_t i = 0; i < b->percents.n; i++) {
		strbuf_adds(sb, "  ");
		out_one(sb, h, counts, b->percents.v[i], b->units);
	}
	return true;
}
