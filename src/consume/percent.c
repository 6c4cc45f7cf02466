/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Percentiles of distributions: option aggpct, and percentile().
 *
 * Of a bucket without an end, only its one bound is known.
 */
#include "consume/consume_impl.h"

#include "base/str.h"

#define ONE 1000 /* a percent */
#define VALUE_MAX (UNITS_MAX + 4)

/* A percentile's place: the `part`-th of the values of bucket `at`. */
struct percent_place {
	uint32_t at;
	long double part;
};

static struct percent_place
find_place(const struct hist *h, const int64_t *counts, uint32_t percent)
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
	return (struct percent_place){ at, (rank < sum ? rank : sum) - before };
}

enum hist_known
hist_percentile(const struct hist *h, const int64_t *counts, uint32_t percent,
    int64_t *value)
{
	struct percent_place place = find_place(h, counts, percent);
	long double share = counts[place.at] > 0 && !hist_is_summary(h) ?
	    place.part / (long double)counts[place.at] :
	    0.5L;
	int64_t low = 0, high = 0;
	bool has_low = hist_min(h, place.at, &low);
	bool has_high = hist_max(h, place.at, &high);

	if (counts[place.at] <= 0) {
		*value = 0;
		return HIST_IS;
	}
	*value = has_low ? low : high;
	if (has_low && has_high)
		*value = (int64_t)((long double)low +
		    ((long double)high - (long double)low) * share);
	return !has_low ? HIST_AT_MOST : has_high ? HIST_IS : HIST_AT_LEAST;
}

/* The value with what is known of it; `normal` divides it. */
static void
value_text(const struct hist *h, const int64_t *counts, uint32_t percent,
    uint64_t normal, enum units units, char *text, size_t len)
{
	static const char *const signs[] = {
		[HIST_IS] = "", [HIST_AT_LEAST] = ">= ", [HIST_AT_MOST] = "<= "
	};
	char number[UNITS_MAX];
	int64_t value;
	enum hist_known known = hist_percentile(h, counts, percent, &value);

	out_units(value / (int64_t)normal, units, number, sizeof(number));
	snprintf(text, len, "%s%s", signs[known], number);
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
	char text[VALUE_MAX];

	if (b->percents.n == 0 || !has_data(h, counts))
		return false;
	strbuf_adds(sb, heading);
	for (uint32_t i = 0; i < b->percents.n; i++) {
		value_text(h, counts, b->percents.v[i], 1, b->units, text,
		    sizeof(text));
		strbuf_adds(sb, "  ");
		pf_percent_format(sb, b->percents.v[i]);
		strbuf_printf(sb, " %s", text);
	}
	return true;
}

static void
summary_line(struct strbuf *sb, const char *name, const char *value)
{
	strbuf_printf(sb, "%16s %16s\n", name, value);
}

void
hist_print_summary(struct strbuf *sb, const struct hist *h,
    const int64_t *counts, const struct bars *b)
{
	const struct percents *p =
	    b->percents.n != 0 ? &b->percents : &h->percents;
	struct strbuf name = { 0 };
	char text[VALUE_MAX];
	uint64_t n = 0; /* a process may have written any counts */

	for (uint32_t i = 0; i < h->n; i++)
		n += (uint64_t)counts[i];
	strbuf_addc(sb, '\n');
	summary_line(sb, "percentile", "value");
	for (uint32_t i = 0; i < p->n && has_data(h, counts); i++) {
		strbuf_reset(&name);
		pf_percent_format(&name, p->v[i]);
		value_text(h, counts, p->v[i], b->normal, b->units, text,
		    sizeof(text));
		summary_line(sb, name.s, text);
	}
	strbuf_fini(&name);
	snprintf(text, sizeof(text), "%lld", (long long)n);
	summary_line(sb, "count", text);
}
