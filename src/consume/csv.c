/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=csv: tables of comma-separated values (RFC 4180).
 *
 * Each clause and each aggregation is a table of its own.  The first field of
 * every line names its table.  A table's first line has the names of its
 * columns, the second of which is "time"; in the lines below, that is a number.
 *
 *	@,time,key0,count
 *	@,123456789,bash,17
 *	syscall::read:entry#2,time,cpu,trace
 *	syscall::read:entry#2,123456790,0,4096
 */
#include <stdlib.h>

#include "base/mem.h"
#include "consume/oformat.h"

/* The tables that have headers: clauses by epid, aggregations by place. */
struct csv {
	VEC(bool) clauses;
	bool *aggs;
	VEC(size_t) places; /* of the rows' aggregations in `aggs` */
};

static void *
csv_create(const struct consumer *c)
{
	struct csv *csv = mem_alloc(sizeof(*csv));

	csv->aggs = mem_alloc(c->pl->aggs.n * sizeof(*csv->aggs));
	return csv;
}

static void
csv_destroy(void *state)
{
	struct csv *csv = state;

	VEC_FREE(&csv->clauses);
	VEC_FREE(&csv->places);
	free(csv->aggs);
	free(csv);
}

/* ---- fields ------------------------------------------------------------- */

static bool
needs_quotes(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r')
			return true;
	}
	return len != 0 && (s[0] == ' ' || s[len - 1] == ' ');
}

static void
add_field(struct strbuf *sb, const char *s, size_t len)
{
	if (!needs_quotes(s, len)) {
		strbuf_add(sb, s, len);
		return;
	}
	strbuf_addc(sb, '"');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			strbuf_addc(sb, '"');
		strbuf_addc(sb, s[i]);
	}
	strbuf_addc(sb, '"');
}

/* RFC 4180: lines end with CR and LF. */
static void
end_line(struct strbuf *sb)
{
	strbuf_adds(sb, "\r\n");
}

/* A stack is its frames from the root to the leaf, joined by `;`. */
static void
add_value(struct strbuf *sb, const dtrace_value_t *val)
{
	struct strbuf text = { 0 };

	if (plain_is_stack(val))
		plain_stack(&text, val);
	else
		plain_value(&text, val);
	if (plain_is_stack(val) && text.len != 0)
		add_field(sb, text.s + 1, text.len - 1);
	else if (text.len != 0)
		add_field(sb, text.s, text.len);
	strbuf_fini(&text);
}

static void
add_time(struct strbuf *sb, uint64_t time_ns)
{
	strbuf_addc(sb, ',');
	out_u64(sb, time_ns, 0);
}

/* ---- records ------------------------------------------------------------ */

static bool
is_shown(const dtrace_action_t *act)
{
	return dif_act(act->dtac_kind)->effect == DIF_EFFECT_NONE;
}

static void
add_clause_name(struct strbuf *sb, const struct chew *ch)
{
	const struct dt_probe *p = ch->probe;
	struct strbuf name = { 0 };

	strbuf_printf(&name, "%s:%s:%s:%s#%u", p->prov, p->mod, p->func,
	    p->name, ch->rec->epid);
	add_field(sb, name.s, name.len);
	strbuf_fini(&name);
}

/* A printf() is one column, its text; other actions have one for each value. */
static void
clause_header(const struct chew *ch, const dtrace_event_t *ev)
{
	struct strbuf *sb = &ch->c->buf;

	add_clause_name(sb, ch);
	strbuf_adds(sb, ",time,cpu");
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		const dtrace_action_t *act = &ev->dtev_actions[i];
		uint32_t n = act->dtac_format != NULL ? 1 : act->dtac_count;

		for (uint32_t k = 0; k < n && is_shown(act); k++)
			strbuf_printf(sb, ",%s", act->dtac_name);
	}
	end_line(sb);
}

static void
need_clause_header(const struct chew *ch, const dtrace_event_t *ev)
{
	struct csv *csv = ch->c->formatted;

	while (csv->clauses.n <= ch->rec->epid)
		VEC_PUSH(&csv->clauses, false);
	if (csv->clauses.v[ch->rec->epid])
		return;
	csv->clauses.v[ch->rec->epid] = true;
	clause_header(ch, ev);
}

/* A record that only has effects, such as printa(), is no line. */
static bool
has_line(const dtrace_event_t *ev)
{
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		if (is_shown(&ev->dtev_actions[i]))
			return true;
	}
	return ev->dtev_nactions == 0;
}

static void
add_action(struct strbuf *sb, const dtrace_action_t *act)
{
	if (act->dtac_format != NULL) {
		strbuf_addc(sb, ',');
		add_value(sb,
		    &(dtrace_value_t){ .dtva_kind = DTRACE_VALUE_STRING,
			.dtva_data = act->dtac_text,
			.dtva_size = act->dtac_size });
		return;
	}
	for (uint32_t k = 0; k < act->dtac_count; k++) {
		strbuf_addc(sb, ',');
		add_value(sb, &act->dtac_values[k]);
	}
}

static void
csv_record(const struct chew *ch, const dtrace_event_t *ev)
{
	struct strbuf *sb = &ch->c->buf;

	if (!has_line(ev))
		return;
	need_clause_header(ch, ev);
	add_clause_name(sb, ch);
	add_time(sb, ch->rec->time_ns);
	strbuf_addc(sb, ',');
	out_u64(sb, ch->rec->cpu, 0);
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		if (is_shown(&ev->dtev_actions[i]))
			add_action(sb, &ev->dtev_actions[i]);
	}
	end_line(sb);
}

/* ---- aggregations ------------------------------------------------------- */

static bool
has_buckets(const dtrace_aggvalue_t *val)
{
	return val->dtav_value.dtva_kind == DTRACE_VALUE_NONE;
}

static void
need_agg_header(struct consumer *c, const dtrace_event_t *ev,
    const dtrace_aggvalue_t *val, bool *has_header)
{
	if (*has_header)
		return;
	*has_header = true;
	strbuf_printf(&c->buf, "@%s,time", val->dtav_name);
	for (uint32_t k = 0; k < ev->dtev_nkeys; k++)
		strbuf_printf(&c->buf, ",key%u", k);
	if (val->dtav_kind == DT_ACT_PERCENTILE) {
		strbuf_adds(&c->buf, ",percent,percentile");
	} else {
		if (has_buckets(val))
			strbuf_adds(&c->buf, ",min,max");
		strbuf_printf(&c->buf, ",%s", val->dtav_function);
	}
	end_line(&c->buf);
}

static void
begin_row(struct consumer *c, const dtrace_event_t *ev, const char *name)
{
	strbuf_printf(&c->buf, "@%s", name);
	add_time(&c->buf, c->rows_ns);
	for (uint32_t k = 0; k < ev->dtev_nkeys; k++) {
		strbuf_addc(&c->buf, ',');
		add_value(&c->buf, &ev->dtev_keys[k]);
	}
}

static void
add_bound(struct strbuf *sb, bool has_bound, int64_t bound)
{
	strbuf_addc(sb, ',');
	if (has_bound)
		out_i64(sb, bound, 0);
}

/* A distribution has a line for each bucket; an open bound is empty. */
static void
bucket_lines(
    struct consumer *c, const dtrace_event_t *ev, const dtrace_aggvalue_t *val)
{
	for (uint32_t i = 0; i < val->dtav_nbuckets; i++) {
		const dtrace_bucket_t *b = &val->dtav_buckets[i];

		begin_row(c, ev, val->dtav_name);
		add_bound(&c->buf, b->dtbu_has_min, b->dtbu_min);
		add_bound(&c->buf, b->dtbu_has_max, b->dtbu_max);
		strbuf_addc(&c->buf, ',');
		out_i64(&c->buf, b->dtbu_count, 0);
		end_line(&c->buf);
	}
}

/* percentile() has a line for each percentile. */
static void
percentile_lines(
    struct consumer *c, const dtrace_event_t *ev, const dtrace_aggvalue_t *val)
{
	for (uint32_t i = 0; i < val->dtav_npercentiles; i++) {
		const dtrace_percentile_t *p = &val->dtav_percentiles[i];

		begin_row(c, ev, val->dtav_name);
		strbuf_printf(&c->buf, ",%g,%lld", p->dtpc_percent / 1000.0,
		    (long long)p->dtpc_value);
		end_line(&c->buf);
	}
}

static void
csv_row(struct consumer *c, const dtrace_event_t *ev)
{
	struct csv *csv = c->formatted;

	for (uint32_t i = 0; i < ev->dtev_nvalues; i++) {
		const dtrace_aggvalue_t *val = &ev->dtev_values[i];

		need_agg_header(c, ev, val, &csv->aggs[csv->places.v[i]]);
		if (val->dtav_kind == DT_ACT_PERCENTILE) {
			percentile_lines(c, ev, val);
			continue;
		}
		if (has_buckets(val)) {
			bucket_lines(c, ev, val);
			continue;
		}
		begin_row(c, ev, val->dtav_name);
		strbuf_addc(&c->buf, ',');
		add_value(&c->buf, &val->dtav_value);
		end_line(&c->buf);
	}
}

/* The places of the aggregations whose rows follow. */
static void
csv_table(struct consumer *c, struct agg *const *aggs, size_t n)
{
	struct csv *csv = c->formatted;

	csv->places.n = 0;
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(&csv->places, (size_t)(aggs[i] - c->aggs));
}

const struct oformat_ops oformat_csv = {
	.create = csv_create,
	.destroy = csv_destroy,
	.record = csv_record,
	.row = csv_row,
	.table = csv_table,
};
