/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of --top: values, rates and keys of the last snapshot, as text.
 *
 * A rate is what the last snapshot added, divided by the time since the one
 * before.  A clear() of the script takes away what was added before it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dtrace/screen.h"
#include "dtrace/top_impl.h"

bool
top_has_buckets(dtrace_actkind_t kind)
{
	return kind == DTRACEAGG_QUANTIZE || kind == DTRACEAGG_LQUANTIZE ||
	    kind == DTRACEAGG_LLQUANTIZE || kind == DTRACEAGG_PERCENTILE;
}

bool
top_has_rate(dtrace_actkind_t kind)
{
	return kind == DTRACEAGG_COUNT || kind == DTRACEAGG_SUM ||
	    kind == DTRACEAGG_AVG || top_has_buckets(kind);
}

void
top_forget_rows(struct top *t)
{
	VEC_FOREACH(&t->rows, r) {
		free(r->keys);
		free(r->value);
		free(r->spread);
	}
	t->rows.n = 0;
}

/* ---- keys --------------------------------------------------------------- */

static void add_value(struct strbuf *sb, const dtrace_value_t *val);

static void
add_str(struct strbuf *sb, const char *s)
{
	screen_text(sb, s, strlen(s));
}

static void
add_frame(struct strbuf *sb, const dtrace_frame_t *f)
{
	if (f->dtfr_helper != NULL && f->dtfr_module == NULL) {
		add_str(sb, f->dtfr_helper);
		return;
	}
	if (f->dtfr_module != NULL) {
		add_str(sb, f->dtfr_module);
		strbuf_addc(sb, '`');
	}
	if (f->dtfr_symbol != NULL) {
		add_str(sb, f->dtfr_symbol);
	} else if (f->dtfr_module != NULL) {
		strbuf_printf(
		    sb, "+0x%llx", (unsigned long long)f->dtfr_offset);
	} else {
		strbuf_printf(
		    sb, "0x%llx", (unsigned long long)f->dtfr_address);
	}
}

/* From the leaf on, since a line has room for a few frames. */
static void
add_frames(struct strbuf *sb, const dtrace_value_t *val)
{
	for (uint32_t i = 0; i < val->dtva_count; i++) {
		if (i > 0)
			strbuf_adds(sb, " < ");
		add_frame(sb, &val->dtva_frames[i]);
	}
}

static void
add_elems(struct strbuf *sb, const dtrace_value_t *val)
{
	strbuf_addc(sb, '{');
	for (uint32_t i = 0; i < val->dtva_count; i++) {
		strbuf_adds(sb, i > 0 ? ", " : " ");
		add_value(sb, &val->dtva_elems[i]);
	}
	strbuf_adds(sb, " }");
}

static void
add_bytes(struct strbuf *sb, const dtrace_value_t *val)
{
	for (size_t i = 0; i < val->dtva_size; i++)
		strbuf_printf(sb, "%02x", (unsigned char)val->dtva_data[i]);
}

static void
add_value(struct strbuf *sb, const dtrace_value_t *val)
{
	switch (val->dtva_kind) {
	case DTRACE_VALUE_NONE:
		strbuf_addc(sb, '-');
		break;
	case DTRACE_VALUE_INT:
		strbuf_printf(sb, "%lld", (long long)val->dtva_int);
		break;
	case DTRACE_VALUE_UINT:
		strbuf_printf(sb, "%llu", (unsigned long long)val->dtva_uint);
		break;
	case DTRACE_VALUE_BOOL:
		strbuf_adds(sb, val->dtva_uint != 0 ? "true" : "false");
		break;
	case DTRACE_VALUE_ENUM:
		if (val->dtva_data != NULL)
			add_str(sb, val->dtva_data);
		else
			strbuf_printf(sb, "%lld", (long long)val->dtva_int);
		break;
	case DTRACE_VALUE_FLOAT:
		strbuf_printf(sb, "%g", val->dtva_float);
		break;
	case DTRACE_VALUE_STRING:
		screen_text(sb, val->dtva_data, val->dtva_size);
		break;
	case DTRACE_VALUE_BYTES:
		add_bytes(sb, val);
		break;
	case DTRACE_VALUE_ARRAY:
	case DTRACE_VALUE_STRUCT:
		add_elems(sb, val);
		break;
	case DTRACE_VALUE_STACK:
	case DTRACE_VALUE_USTACK:
	case DTRACE_VALUE_ADDRESS:
	case DTRACE_VALUE_UADDRESS:
		add_frames(sb, val);
		break;
	}
}

static char *
keys_text(const dtrace_event_t *ev)
{
	struct strbuf sb = { 0 };

	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		if (i > 0)
			strbuf_addc(&sb, TOP_CELL);
		add_value(&sb, &ev->dtev_keys[i]);
	}
	return strbuf_steal(&sb);
}

/* ---- values ------------------------------------------------------------- */

static uint64_t
count_values(const dtrace_aggvalue_t *val)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < val->dtav_nbuckets; i++)
		n += (uint64_t)val->dtav_buckets[i].dtbu_count;
	return n;
}

static double
amount_of(const dtrace_aggvalue_t *val)
{
	if (val->dtav_value.dtva_kind == DTRACE_VALUE_UINT)
		return (double)val->dtav_value.dtva_uint;
	if (val->dtav_value.dtva_kind == DTRACE_VALUE_INT)
		return (double)val->dtav_value.dtva_int;
	return (double)count_values(val);
}

static char *
value_text(const dtrace_aggvalue_t *val)
{
	struct strbuf sb = { 0 };

	if (val->dtav_value.dtva_kind != DTRACE_VALUE_NONE)
		add_value(&sb, &val->dtav_value);
	else
		strbuf_printf(
		    &sb, "%llu", (unsigned long long)count_values(val));
	return strbuf_steal(&sb);
}

/* Append the bucket up to which this share of the values was counted. */
static void
add_share(struct strbuf *sb, const dtrace_aggvalue_t *val, unsigned percent)
{
	double want = (double)count_values(val) * percent / 100, sum = 0;
	uint32_t i = 0;

	for (; i + 1 < val->dtav_nbuckets; i++) {
		sum += (double)val->dtav_buckets[i].dtbu_count;
		if (sum >= want)
			break;
	}
	if (val->dtav_buckets[i].dtbu_has_max)
		strbuf_printf(sb, "%u%% <= %lld", percent,
		    (long long)val->dtav_buckets[i].dtbu_max);
	else
		strbuf_printf(sb, "%u%% >= %lld", percent,
		    (long long)val->dtav_buckets[i].dtbu_min);
}

static void
add_percentile(struct strbuf *sb, const dtrace_percentile_t *p)
{
	static const char *const signs[] = { "<=", "=", ">=" };

	strbuf_printf(sb, "%g%% %s %lld", p->dtpc_percent / 1000.0,
	    signs[p->dtpc_known + 1], (long long)p->dtpc_value);
}

/* A distribution in a few words: its percentiles, or the buckets of two. */
static char *
spread_text(const dtrace_aggvalue_t *val)
{
	struct strbuf sb = { 0 };

	if (val->dtav_npercentiles != 0) {
		for (uint32_t i = 0; i < val->dtav_npercentiles; i++) {
			if (i > 0)
				strbuf_adds(&sb, ", ");
			add_percentile(&sb, &val->dtav_percentiles[i]);
		}
	} else if (val->dtav_nbuckets != 0) {
		add_share(&sb, val, 50);
		strbuf_adds(&sb, ", ");
		add_share(&sb, val, 99);
	}
	return strbuf_steal(&sb);
}

/* ---- rates -------------------------------------------------------------- */

/* The words of a value that are counts: after the parameters, if it has any. */
static int64_t
sum_words(const dtrace_aggdesc_t *ad, const char *data)
{
	const dtrace_recdesc_t *rec = &ad->dtagd_rec[ad->dtagd_nrecs - 1];
	bool has_parameters = rec->dtrd_action == DTRACEAGG_LQUANTIZE ||
	    rec->dtrd_action == DTRACEAGG_LLQUANTIZE;
	uint64_t sum = 0, word;

	for (size_t at = has_parameters ? sizeof(word) : 0;
	     at + sizeof(word) <= rec->dtrd_size; at += sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		sum += word;
	}
	return (int64_t)sum;
}

/* Of avg(), the first word counts. */
static int64_t
first_word(const char *data)
{
	int64_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

static void
note_delta(struct top *t, const dtrace_aggdata_t *data, dtrace_actkind_t kind)
{
	t->has_delta = data->dtada_delta != NULL && top_has_rate(kind);
	if (!t->has_delta)
		return;
	t->delta = top_has_buckets(kind) ?
	    sum_words(data->dtada_desc, data->dtada_delta) :
	    first_word(data->dtada_delta);
}

/* normalize() divides count() and sum(); the other rates count firings. */
static double
rate_of(const struct top *t, const dtrace_aggvalue_t *val)
{
	bool is_divided = val->dtav_normal != 0 &&
	    (val->dtav_kind == DTRACEAGG_COUNT ||
		val->dtav_kind == DTRACEAGG_SUM);

	if (!t->has_delta || t->span_s <= 0)
		return 0;
	return (double)t->delta / t->span_s /
	    (is_divided ? (double)val->dtav_normal : 1);
}

/* ---- walking ------------------------------------------------------------ */

static struct top_agg *
agg_of(struct top *t, const dtrace_aggdesc_t *ad)
{
	size_t i = 0;

	while (i < t->aggs.n && t->aggs.v[i].id < ad->dtagd_varid)
		i++;
	if (i < t->aggs.n && t->aggs.v[i].id == ad->dtagd_varid)
		return &t->aggs.v[i];
	VEC_PUSH(&t->aggs, (struct top_agg){ 0 });
	memmove(&t->aggs.v[i + 1], &t->aggs.v[i],
	    (t->aggs.n - 1 - i) * sizeof(t->aggs.v[0]));
	t->aggs.v[i] = (struct top_agg){ .id = ad->dtagd_varid,
		.name = mem_strdup(ad->dtagd_name),
		.kind = ad->dtagd_rec[ad->dtagd_nrecs - 1].dtrd_action };
	return &t->aggs.v[i];
}

static int
on_row(const dtrace_aggdata_t *data, void *arg)
{
	struct top *t = arg;
	struct top_agg *agg = agg_of(t, data->dtada_desc);

	agg->nrows++;
	if (t->wanted != 0 && agg->id != t->wanted)
		return DTRACE_AGGWALK_NEXT;
	t->walked = agg;
	note_delta(t, data, agg->kind);
	return dtrace_aggregate_event(data) == 0 ? DTRACE_AGGWALK_NEXT :
						   DTRACE_AGGWALK_ERROR;
}

int
top_take_event(struct top *t, const dtrace_event_t *ev)
{
	const dtrace_aggvalue_t *val = ev->dtev_values;

	if (!t->is_walking || ev->dtev_nvalues != 1) {
		t->nrecords += ev->dtev_kind == DTRACE_EVENT_RECORD;
		return DTRACE_HANDLE_OK;
	}
	VEC_PUSH(&t->rows,
	    (struct top_row){ .agg = t->walked->id,
		.place = t->rows.n,
		.keys = keys_text(ev),
		.value = value_text(val),
		.spread = spread_text(val),
		.amount = amount_of(val),
		.rate = rate_of(t, val) });
	return DTRACE_HANDLE_OK;
}

int
top_take_rows(struct top *t, int64_t agg)
{
	int rc;

	top_forget_rows(t);
	VEC_FOREACH(&t->aggs, a)
		a->nrows = 0;
	t->wanted = agg;
	t->is_walking = true;
	rc = dtrace_aggregate_walk_keysorted(t->h, on_row, t);
	t->is_walking = false;
	return rc;
}

/* ---- order -------------------------------------------------------------- */

/* The largest values first; in the order of keys, the least first. */
static int
compare_rows(const void *a, const void *b, void *arg)
{
	const struct top *t = arg;
	const struct top_row *x = *(struct top_row *const *)a;
	const struct top_row *y = *(struct top_row *const *)b;
	double vx = t->order == TOP_BY_RATE ? x->rate : x->amount;
	double vy = t->order == TOP_BY_RATE ? y->rate : y->amount;
	int by_key = (x->place > y->place) - (x->place < y->place);
	int by_value = (vx < vy) - (vx > vy);
	int order = t->order == TOP_BY_KEY || by_value == 0 ? by_key : by_value;

	return t->is_reverse ? -order : order;
}

struct top_row **
top_sorted(const struct top *t, size_t *n)
{
	struct top_row **rows =
	    mem_alloc((t->rows.n + 1) * sizeof(struct top_row *));

	*n = 0;
	for (size_t i = 0; i < t->rows.n; i++) {
		if (t->rows.v[i].agg == t->shown)
			rows[(*n)++] = &t->rows.v[i];
	}
	qsort_r(rows, *n, sizeof(struct top_row *), compare_rows,
	    (void *)(uintptr_t)t);
	return rows;
}

const struct top_agg *
top_shown(const struct top *t)
{
	VEC_FOREACH(&t->aggs, a) {
		if (a->id == t->shown)
			return a;
	}
	return NULL;
}
