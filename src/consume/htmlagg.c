/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of a page: rows as JSON, or a flame graph if a key is a stack.
 *
 * Each printing is kept, since a page shows values over time.  When they take
 * too much memory, every second one is left out; of one printing with too many
 * rows, the rows with the smallest amounts are.
 */
#include "consume/html.h"

#include <stdlib.h>

#include "base/mem.h"

#define ROWS_MAX 10000		    /* of one printing in the page */
#define PRINTING_BYTES (16UL << 20) /* of one printing */
#define AGG_BYTES (16UL << 20)	    /* of all printings but the last */
#define PRINTINGS_MAX 1000
#define KEY_BYTES 512
#define NS_PER_SEC INT64_C(1000000000)

void
html_agg_init(struct html_agg *ha)
{
	*ha = (struct html_agg){ 0 };
	flame_tree_init(&ha->tree);
}

static void
printing_fini(struct html_printing *p)
{
	VEC_FREE(&p->rows);
	strbuf_fini(&p->text);
}

void
html_agg_fini(struct html_agg *ha)
{
	for (size_t i = 0; i < ha->printings.n; i++)
		printing_fini(&ha->printings.v[i]);
	VEC_FREE(&ha->printings);
	flame_tree_fini(&ha->tree);
}

/* ---- bounds ------------------------------------------------------------- */

static int
compare_amounts(const void *a, const void *b)
{
	int64_t x = ((const struct html_row *)a)->amount;
	int64_t y = ((const struct html_row *)b)->amount;

	return x < y ? 1 : x > y ? -1 : 0;
}

static int
compare_places(const void *a, const void *b)
{
	size_t x = ((const struct html_row *)a)->at;
	size_t y = ((const struct html_row *)b)->at;

	return x < y ? -1 : x > y;
}

/* Keep the rows with the largest amounts, in their order. */
static void
keep_rows(struct html_printing *p, size_t n)
{
	struct strbuf text = { 0 };

	if (p->rows.n <= n)
		return;
	qsort(p->rows.v, p->rows.n, sizeof(*p->rows.v), compare_amounts);
	p->nomitted += p->rows.n - n;
	p->rows.n = n;
	qsort(p->rows.v, n, sizeof(*p->rows.v), compare_places);
	for (size_t i = 0; i < n; i++) {
		struct html_row *row = &p->rows.v[i];
		size_t at = text.len;

		strbuf_add(&text, p->text.s + row->at, row->len);
		row->at = at;
	}
	strbuf_fini(&p->text);
	p->text = text;
}

static bool
has_too_many(const struct html_agg *ha)
{
	size_t size = 0;

	for (size_t i = 0; i < ha->printings.n; i++)
		size += ha->printings.v[i].text.len;
	return ha->printings.n > PRINTINGS_MAX ||
	    (ha->printings.n > 1 && size > AGG_BYTES);
}

/* Leave out every second printing, but not the last. */
static void
thin(struct html_agg *ha)
{
	size_t n = ha->printings.n, kept = 0;

	for (size_t i = 0; i < n; i++) {
		if ((n - 1 - i) % 2 == 0) {
			ha->printings.v[kept++] = ha->printings.v[i];
			continue;
		}
		printing_fini(&ha->printings.v[i]);
		ha->nthinned++;
	}
	ha->printings.n = kept;
}

void
html_agg_begin(struct html_agg *ha, uint64_t time_ns)
{
	struct html_printing p = { .time_ns = time_ns };

	flame_tree_fini(&ha->tree);
	flame_tree_init(&ha->tree);
	if (ha->printings.n != 0)
		keep_rows(&ha->printings.v[ha->printings.n - 1], ROWS_MAX);
	while (has_too_many(ha))
		thin(ha);
	VEC_PUSH(&ha->printings, p);
}

/* ---- rows --------------------------------------------------------------- */

static bool
is_int64(const dtrace_value_t *key, int64_t *v)
{
	static const char *const types[] = { "int64_t", "uint64_t", "long",
		"unsigned long", "long long", "unsigned long long", "hrtime_t",
		"time_t" };

	*v = key->dtva_kind == DTRACE_VALUE_INT ? key->dtva_int :
						  (int64_t)key->dtva_uint;
	if ((key->dtva_kind != DTRACE_VALUE_INT &&
		key->dtva_kind != DTRACE_VALUE_UINT) ||
	    key->dtva_type == NULL)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(key->dtva_type, types[i]) == 0)
			return true;
	}
	return false;
}

static void
note_key(struct html_key *k, const dtrace_value_t *key, bool is_first)
{
	int64_t v;

	if (!is_int64(key, &v))
		k->is_other = true;
	if (is_first || v < k->min)
		k->min = v;
	if (is_first || v > k->max)
		k->max = v;
}

static void
put_keys(struct strbuf *sb, const dtrace_event_t *ev)
{
	strbuf_adds(sb, "{\"keys\":[");
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		strbuf_adds(sb, i > 0 ? "," : "");
		html_value(sb, &ev->dtev_keys[i], KEY_BYTES);
	}
	strbuf_addc(sb, ']');
}

static void
put_bound(struct strbuf *sb, bool has_bound, int64_t bound)
{
	if (has_bound)
		out_i64(sb, bound, 0);
	else
		strbuf_adds(sb, "null");
	strbuf_addc(sb, ',');
}

static void
put_buckets(struct strbuf *sb, const dtrace_aggvalue_t *val)
{
	strbuf_adds(sb, ",\"buckets\":[");
	for (uint32_t i = 0; i < val->dtav_nbuckets; i++) {
		const dtrace_bucket_t *b = &val->dtav_buckets[i];

		strbuf_adds(sb, i > 0 ? ",[" : "[");
		put_bound(sb, b->dtbu_has_min, b->dtbu_min);
		put_bound(sb, b->dtbu_has_max, b->dtbu_max);
		out_i64(sb, b->dtbu_count, 0);
		strbuf_addc(sb, ']');
	}
	strbuf_addc(sb, ']');
}

static void
put_percentiles(struct strbuf *sb, const dtrace_aggvalue_t *val)
{
	strbuf_adds(sb, ",\"percentiles\":[");
	for (uint32_t i = 0; i < val->dtav_npercentiles; i++) {
		const dtrace_percentile_t *p = &val->dtav_percentiles[i];

		strbuf_printf(sb, "%s[%g,%lld,%d]", i > 0 ? "," : "",
		    p->dtpc_percent / 1000.0, (long long)p->dtpc_value,
		    p->dtpc_known);
	}
	strbuf_addc(sb, ']');
}

static void
put_row(
    struct strbuf *sb, const dtrace_event_t *ev, const dtrace_aggvalue_t *val)
{
	put_keys(sb, ev);
	if (val->dtav_value.dtva_kind == DTRACE_VALUE_NONE) {
		put_buckets(sb, val);
	} else {
		strbuf_adds(sb, ",\"value\":");
		json_value(sb, &val->dtav_value);
	}
	if (val->dtav_npercentiles != 0)
		put_percentiles(sb, val);
	strbuf_addc(sb, '}');
}

static bool
has_stack(const dtrace_event_t *ev)
{
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		if (plain_is_stack(&ev->dtev_keys[i]))
			return true;
	}
	return false;
}

static void
note_keys(struct html_agg *ha, const dtrace_event_t *ev)
{
	bool is_first = ha->nkeys == 0;

	for (uint32_t i = 0; i < ev->dtev_nkeys && i < HTML_KEYS; i++)
		note_key(&ha->keys[i], &ev->dtev_keys[i], is_first);
	ha->nkeys = ev->dtev_nkeys;
}

void
html_agg_row(
    struct html_agg *ha, const dtrace_event_t *ev, const dtrace_aggvalue_t *val)
{
	struct html_printing *p = &ha->printings.v[ha->printings.n - 1];
	struct html_row row = { plain_amount(val), p->text.len, 0 };

	if (has_stack(ev)) {
		ha->has_stacks = true;
		flame_add_row(&ha->tree, ev, row.amount);
		return;
	}
	note_keys(ha, ev);
	put_row(&p->text, ev, val);
	row.len = p->text.len - row.at;
	VEC_PUSH(&p->rows, row);
	if (p->rows.n > 2 * ROWS_MAX || p->text.len > PRINTING_BYTES)
		keep_rows(
		    p, p->rows.n / 2 < ROWS_MAX ? p->rows.n / 2 : ROWS_MAX);
}

/* ---- times -------------------------------------------------------------- */

/* Are these two times of a clock's span, in a unit? */
static bool
is_within(
    const struct html_key *k, int64_t from_ns, int64_t to_ns, int64_t unit)
{
	/* a division rounds down, perhaps to a multiple of seconds */
	int64_t slack = unit > NS_PER_SEC ? unit : NS_PER_SEC;

	return k->min >= (from_ns - slack) / unit && k->max <= to_ns / unit;
}

/* A key is a time if all its values are within the run, in some unit. */
static bool
put_time_key(
    struct strbuf *sb, const struct html_key *k, const struct html_span *span)
{
	int64_t from = (int64_t)span->began_ns, to = (int64_t)span->ended_ns;

	for (int64_t unit = 1; unit <= NS_PER_SEC; unit *= 10) {
		bool is_mono = is_within(k, from, to, unit);

		if (!is_mono &&
		    !is_within(
			k, from + span->wall_ns, to + span->wall_ns, unit))
			continue;
		json_name(sb, "unit");
		out_i64(sb, unit, 0);
		json_str(sb, "clock", is_mono ? "monotonic" : "wall");
		return true;
	}
	return false;
}

static void
put_time(
    struct strbuf *sb, const struct html_agg *ha, const struct html_span *span)
{
	for (uint32_t i = 0; i < ha->nkeys && i < HTML_KEYS; i++) {
		struct strbuf text = { 0 };
		bool is_time = !ha->keys[i].is_other &&
		    put_time_key(&text, &ha->keys[i], span);

		if (is_time) {
			json_name(sb, "timekey");
			strbuf_printf(sb, "{\"key\":%u,%s}", i,
			    text.s + (*text.s == ','));
		}
		strbuf_fini(&text);
		if (is_time)
			return;
	}
}

/* ---- JSON --------------------------------------------------------------- */

static void
put_printing(struct strbuf *sb, struct html_printing *p)
{
	keep_rows(p, ROWS_MAX);
	json_open(sb);
	json_uint(sb, "time", p->time_ns);
	json_uint(sb, "omitted", p->nomitted);
	json_list(sb, "rows");
	for (size_t i = 0; i < p->rows.n; i++) {
		strbuf_adds(sb, i > 0 ? "," : "");
		strbuf_add(sb, p->text.s + p->rows.v[i].at, p->rows.v[i].len);
	}
	strbuf_adds(sb, "]}");
}

void
html_agg_put(struct strbuf *sb, const struct html_agg *ha, const struct agg *ag,
    const struct html_span *span)
{
	json_open(sb);
	json_str(sb, "name", ag->pa->agg->name);
	json_str(sb, "function", dif_act(ag->pa->agg->kind)->name);
	json_str(sb, "kind", ha->has_stacks ? "stacks" : "rows");
	json_uint(sb, "thinned", ha->nthinned);
	put_time(sb, ha, span);
	json_list(sb, "printings");
	for (size_t i = 0; i < ha->printings.n && !ha->has_stacks; i++)
		put_printing(sb, &ha->printings.v[i]);
	strbuf_adds(sb, "]}");
}
