/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=prometheus: aggregations as metrics, in Prometheus's text
 * format 0.0.4.
 *
 * The metric of an aggregation is "dtrace_" and its name, with "_total" if it
 * counts.  Its keys are the labels key0, key1 and so on.  count() is a counter,
 * a distribution is a histogram, percentile() a summary, anything else a gauge:
 * a sum may shrink.  The sum of values is not traced: it is computed as if each
 * value were in the middle of its bucket, or at the bound of a bucket that has
 * only one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "consume/oformat.h"

static void *
prom_create(const struct consumer *c)
{
	struct oformat_texts *samples = mem_alloc(sizeof(*samples));

	oformat_texts_init(samples, c);
	return samples;
}

static void
prom_destroy(void *state)
{
	oformat_texts_fini(state);
	free(state);
}

static void
prom_table(struct consumer *c, struct agg *const *aggs, size_t n)
{
	oformat_texts_begin(c->formatted, c, aggs, n);
}

/* ---- labels ------------------------------------------------------------- */

static void
add_label_text(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\n')
			strbuf_adds(sb, "\\n");
		else if (s[i] == '"' || s[i] == '\\')
			strbuf_printf(sb, "\\%c", s[i]);
		else
			strbuf_addc(sb, s[i]);
	}
}

/* A stack is its frames from the root to the leaf, joined by `;`. */
static void
add_label(struct strbuf *sb, uint32_t i, const dtrace_value_t *key)
{
	struct strbuf text = { 0 };
	size_t skip = plain_is_stack(key);

	if (plain_is_stack(key))
		plain_stack(&text, key);
	else
		plain_value(&text, key);
	strbuf_printf(sb, "%skey%u=\"", i > 0 ? "," : "", i);
	if (text.len > skip)
		add_label_text(sb, text.s + skip, text.len - skip);
	strbuf_addc(sb, '"');
	strbuf_fini(&text);
}

static struct strbuf
labels_of(const dtrace_event_t *ev)
{
	struct strbuf labels = { 0 };

	for (uint32_t i = 0; i < ev->dtev_nkeys; i++)
		add_label(&labels, i, &ev->dtev_keys[i]);
	strbuf_add(&labels, "", 0); /* a string, without keys, too */
	return labels;
}

/* Counters end so by convention, which promtool checks. */
static const char *
name_end(uint16_t kind)
{
	return kind == DT_ACT_COUNT ? "_total" : "";
}

/* ---- samples ------------------------------------------------------------ */

/* Name, suffix and labels of a sample, whose value follows. */
static void
begin_sample(struct strbuf *sb, const dtrace_aggvalue_t *val,
    const char *suffix, const char *labels)
{
	strbuf_printf(sb, "dtrace_%s%s", val->dtav_name, suffix);
	if (*labels != '\0')
		strbuf_printf(sb, "{%s}", labels);
	strbuf_addc(sb, ' ');
}

static void
bucket_sample(struct strbuf *sb, const dtrace_aggvalue_t *val,
    const char *labels, const char *le, int64_t count)
{
	strbuf_printf(sb, "dtrace_%s_bucket{%s%sle=\"%s\"} %lld\n",
	    val->dtav_name, labels, *labels != '\0' ? "," : "", le,
	    (long long)count);
}

static double
middle(const dtrace_bucket_t *b)
{
	double low = (double)b->dtbu_min, high = (double)b->dtbu_max;

	if (!b->dtbu_has_min)
		return high;
	return b->dtbu_has_max ? low + (high - low) / 2 : low;
}

static void
sum_and_count(
    struct strbuf *sb, const dtrace_aggvalue_t *val, const char *labels)
{
	uint64_t count = 0; /* a process may have written any counts */
	double sum = 0;

	for (uint32_t i = 0; i < val->dtav_nbuckets; i++) {
		const dtrace_bucket_t *b = &val->dtav_buckets[i];

		count += (uint64_t)b->dtbu_count;
		sum += middle(b) * (double)b->dtbu_count;
	}
	begin_sample(sb, val, "_sum", labels);
	strbuf_printf(sb, "%.17g\n", sum);
	begin_sample(sb, val, "_count", labels);
	strbuf_printf(sb, "%lld\n", (long long)count);
}

/* Buckets of Prometheus count all that is not above their bound. */
static void
histogram(struct strbuf *sb, const dtrace_aggvalue_t *val, const char *labels)
{
	uint64_t count = 0;
	char le[32];

	for (uint32_t i = 0; i < val->dtav_nbuckets; i++) {
		const dtrace_bucket_t *b = &val->dtav_buckets[i];

		count += (uint64_t)b->dtbu_count;
		snprintf(le, sizeof(le), "%lld", (long long)b->dtbu_max);
		if (b->dtbu_has_max)
			bucket_sample(sb, val, labels, le, (int64_t)count);
	}
	bucket_sample(sb, val, labels, "+Inf", (int64_t)count);
	sum_and_count(sb, val, labels);
}

/* percentile(): a summary, whose quantiles are divided by normalize(). */
static void
summary(struct strbuf *sb, const dtrace_aggvalue_t *val, const char *labels)
{
	for (uint32_t i = 0; i < val->dtav_npercentiles; i++) {
		const dtrace_percentile_t *p = &val->dtav_percentiles[i];

		strbuf_printf(sb, "dtrace_%s{%s%squantile=\"%g\"} %lld\n",
		    val->dtav_name, labels, *labels != '\0' ? "," : "",
		    p->dtpc_percent / 100000.0, (long long)p->dtpc_value);
	}
	sum_and_count(sb, val, labels);
}

static void
prom_row(struct consumer *c, const dtrace_event_t *ev)
{
	struct oformat_texts *samples = c->formatted;
	struct strbuf labels = labels_of(ev);

	for (uint32_t i = 0; i < ev->dtev_nvalues; i++) {
		const dtrace_aggvalue_t *val = &ev->dtev_values[i];
		struct strbuf *sb = &samples->texts[samples->places.v[i]];

		if (val->dtav_kind == DT_ACT_PERCENTILE) {
			summary(sb, val, labels.s);
			continue;
		}
		if (val->dtav_value.dtva_kind == DTRACE_VALUE_NONE) {
			histogram(sb, val, labels.s);
			continue;
		}
		begin_sample(
		    sb, val, name_end((uint16_t)val->dtav_kind), labels.s);
		json_value(sb, &val->dtav_value);
		strbuf_addc(sb, '\n');
	}
	strbuf_fini(&labels);
}

/* ---- document ----------------------------------------------------------- */

static const char *
metric_type(const struct agg *ag)
{
	if (hist_is_summary(&ag->hist))
		return "summary";
	if (hist_is_kind(ag->pa->agg->kind))
		return "histogram";
	return ag->pa->agg->kind == DT_ACT_COUNT ? "counter" : "gauge";
}

/* The comment of the script's author; NULL: there is none. */
static const char *
remark_of(const struct consumer *c, size_t i)
{
	const struct consume_run *run = c->opts.run;

	return run != NULL && i < run->nremarks ? run->remarks[i] : NULL;
}

/* A line of UTF-8, in which only a backslash has a meaning. */
static void
add_help_text(struct strbuf *sb, const char *s)
{
	size_t len = strlen(s);

	for (size_t n; len > 0; s += n, len -= n) {
		n = utf8_visible(s, len);
		if (n == 0) {
			n = 1;
			strbuf_printf(sb, "\\\\%03o", (unsigned char)*s);
		} else if (*s == '\\') {
			strbuf_adds(sb, "\\\\");
		} else {
			strbuf_add(sb, s, n);
		}
	}
}

static void
add_help(struct consumer *c, size_t i)
{
	const struct agg *ag = &c->aggs[i];
	const char *remark = remark_of(c, i);

	if (remark != NULL)
		add_help_text(&c->buf, remark);
	else
		strbuf_printf(&c->buf, "Aggregation @%s of a D script: %s.",
		    ag->pa->agg->name, dif_act(ag->pa->agg->kind)->name);
	if (hist_is_kind(ag->pa->agg->kind))
		strbuf_adds(&c->buf, " The sum is estimated from the buckets.");
}

static void
prom_write(struct consumer *c)
{
	const struct oformat_texts *samples = c->formatted;

	for (size_t i = 0; i < samples->n; i++) {
		const struct agg *ag = &c->aggs[i];
		const char *name = ag->pa->agg->name;
		const char *end = name_end(ag->pa->agg->kind);
		const struct strbuf *text = &samples->texts[i];

		if (text->len == 0)
			continue;
		strbuf_printf(&c->buf, "# HELP dtrace_%s%s ", name, end);
		add_help(c, i);
		strbuf_printf(&c->buf, "\n# TYPE dtrace_%s%s %s\n", name, end,
		    metric_type(ag));
		strbuf_add(&c->buf, text->s, text->len);
	}
}

const struct oformat_ops oformat_prometheus = {
	.create = prom_create,
	.destroy = prom_destroy,
	.row = prom_row,
	.table = prom_table,
	.write = prom_write,
	.is_refreshed = true,
	.holds = "aggregations",
};
