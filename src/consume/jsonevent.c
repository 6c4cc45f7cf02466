/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=json: each firing, row of an aggregation, drop and error is
 * one JSON object on a line of its own (doc/json.md).  The first line says what
 * runs, and the last how it ended: so a reader knows that it has all.
 *
 * A firing's line is written when all its actions are done, so rows that they
 * print (printa()) come before it.
 */
#include "consume/event.h"

#include <string.h>

#include "base/str.h"
#include "consume/oformat.h"

static void
event_open(struct strbuf *sb, const char *event)
{
	json_open(sb);
	json_str(sb, "event", event);
}

static void
event_close(struct strbuf *sb)
{
	strbuf_adds(sb, "}\n");
}

static void
put_probe(struct strbuf *sb, const struct dt_probe *probe)
{
	json_uint(sb, "id", probe->id);
	json_str(sb, "provider", probe->prov);
	json_str(sb, "module", probe->mod);
	json_str(sb, "function", probe->func);
	json_str(sb, "name", probe->name);
}

/* ---- the run ------------------------------------------------------------ */

static void
put_source(struct strbuf *sb, const struct consume_source *src)
{
	json_open(sb);
	if (src->name != NULL)
		json_str(sb, "script", src->name);
	if (src->text != NULL)
		json_str(sb, "text", src->text);
	json_uint(sb, "probes", src->nprobes);
	strbuf_addc(sb, '}');
}

static void
json_start(struct consumer *c)
{
	const struct consume_run *run = oformat_run(c);
	struct strbuf *sb = &c->buf;

	event_open(sb, "start");
	json_uint(sb, "time", run->start_ns);
	json_uint(sb, "wall", run->wall_ns);
	json_str(sb, "version", run->product);
	json_str(sb, "host", run->host);
	json_str(sb, "kernel", run->kernel);
	json_list(sb, "programs");
	for (size_t i = 0; i < run->nsources; i++)
		put_source(sb, &run->sources[i]);
	strbuf_addc(sb, ']');
	event_close(sb);
}

static void
json_end(struct consumer *c, int status)
{
	struct strbuf *sb = &c->buf;
	uint64_t total;

	event_open(sb, "end");
	json_uint(sb, "time", consumer_now(c));
	json_int(sb, "status", status);
	json_uint(sb, "errors", c->nfaults);
	json_name(sb, "drops");
	json_open_value(sb);
	for (int kind = 0; kind < DT_DROP_MAX; kind++) {
		const char *tag = drops_total(c, (enum dt_drop)kind, &total);

		if (tag != NULL && total != 0)
			json_uint(sb, tag, total);
	}
	strbuf_addc(sb, '}');
	event_close(sb);
}

/* ---- firings ------------------------------------------------------------ */

/* The text of a printf() is the text, of others the command or the file. */
static const char *
text_name(const dtrace_action_t *act)
{
	switch (dif_act(act->dtac_kind)->effect) {
	case DIF_EFFECT_SYSTEM:
		return "command";
	case DIF_EFFECT_FREOPEN:
		return "file";
	case DIF_EFFECT_NONE:
	case DIF_EFFECT_EXIT:
	case DIF_EFFECT_PRINTA:
	case DIF_EFFECT_LIBACT:
		return "text";
	}
	return "text";
}

static void
put_data(
    struct strbuf *sb, const char *name, const dtrace_value_t *vals, uint32_t n)
{
	json_list(sb, name);
	for (uint32_t i = 0; i < n; i++) {
		json_open(sb);
		json_datum(sb, &vals[i]);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

/* freopen(""), which a compiled program writes as "." */
static bool
is_first_output(const dtrace_action_t *act)
{
	return act->dtac_kind == DTRACEACT_FREOPEN &&
	    strcmp(act->dtac_format, ".") == 0;
}

/* printf(), system(), freopen(): the arguments, and the text made of them. */
static void
put_printf(struct strbuf *sb, const dtrace_action_t *act)
{
	bool is_first = is_first_output(act);

	json_str(sb, "format", is_first ? "" : act->dtac_format);
	put_data(sb, "args", act->dtac_values, act->dtac_count);
	json_name(sb, text_name(act));
	json_text(sb, act->dtac_text, is_first ? 0 : act->dtac_size);
}

static void
put_action(struct strbuf *sb, const dtrace_action_t *act)
{
	json_str(sb, "action", act->dtac_name);
	if (act->dtac_format != NULL) {
		put_printf(sb, act);
		return;
	}
	for (uint32_t i = 0; i < act->dtac_count; i++) {
		const dtrace_value_t *val = &act->dtac_values[i];

		if (val->dtva_name == NULL) {
			json_datum(sb, val);
			continue;
		}
		json_name(sb, val->dtva_name);
		json_value(sb, val);
	}
}

static void
json_record(const struct chew *ch, const dtrace_event_t *ev)
{
	struct strbuf *sb = &ch->c->buf;

	event_open(sb, "probe");
	json_uint(sb, "time", ch->rec->time_ns);
	json_uint(sb, "cpu", ch->rec->cpu);
	json_uint(sb, "epid", ch->rec->epid);
	put_probe(sb, ch->probe);
	json_list(sb, "actions");
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		json_open(sb);
		put_action(sb, &ev->dtev_actions[i]);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
	event_close(sb);
}

/* ---- errors and drops --------------------------------------------------- */

static void
json_fault(struct consumer *c, const struct dt_record *rec, const char *text)
{
	const struct dt_errinfo *ei = &rec->err;
	const struct dt_probe *probe = NULL;
	struct strbuf *sb = &c->buf;

	event_open(sb, "error");
	json_uint(sb, "time", rec->time_ns);
	json_uint(sb, "cpu", rec->cpu);
	json_uint(sb, "epid", ei->epid);
	if (plan_by_epid(c->pl, ei->epid, &probe) != NULL)
		put_probe(sb, probe);
	json_uint(sb, "action", ei->action);
	if (ei->offset != -1)
		json_int(sb, "offset", ei->offset);
	json_str(sb, "fault", consume_fault_str(ei->fault));
	if (fault_has_address(ei->fault))
		json_uint(sb, "address", ei->value);
	json_str(sb, "text", text);
	event_close(sb);
}

static void
json_drop(
    struct consumer *c, const char *kind, uint64_t n, int cpu, const char *text)
{
	struct strbuf *sb = &c->buf;

	event_open(sb, "drop");
	json_uint(sb, "time", consumer_now(c));
	json_str(sb, "kind", kind);
	json_uint(sb, "count", n);
	if (cpu >= 0)
		json_int(sb, "cpu", cpu);
	json_str(sb, "text", text);
	event_close(sb);
}

/* ---- aggregations ------------------------------------------------------- */

static void
put_buckets(struct strbuf *sb, const dtrace_aggvalue_t *val)
{
	json_list(sb, "buckets");
	for (uint32_t i = 0; i < val->dtav_nbuckets; i++) {
		const dtrace_bucket_t *b = &val->dtav_buckets[i];

		json_open(sb);
		if (b->dtbu_has_min)
			json_int(sb, "min", b->dtbu_min);
		if (b->dtbu_has_max)
			json_int(sb, "max", b->dtbu_max);
		json_int(sb, "count", b->dtbu_count);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

/* The percent is a number as people write it: 99.9. */
static void
put_percentiles(struct strbuf *sb, const dtrace_aggvalue_t *val)
{
	json_list(sb, "percentiles");
	for (uint32_t i = 0; i < val->dtav_npercentiles; i++) {
		const dtrace_percentile_t *p = &val->dtav_percentiles[i];

		json_open(sb);
		json_name(sb, "percent");
		strbuf_printf(sb, "%g", p->dtpc_percent / 1000.0);
		json_int(sb,
		    p->dtpc_known > 0	  ? "min" :
			p->dtpc_known < 0 ? "max" :
					    "value",
		    p->dtpc_value);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

static void
put_amount(struct strbuf *sb, const dtrace_aggvalue_t *val)
{
	if (val->dtav_value.dtva_kind == DTRACE_VALUE_NONE) {
		put_buckets(sb, val);
		if (val->dtav_kind == DT_ACT_PERCENTILE)
			put_percentiles(sb, val);
		return;
	}
	json_name(sb, "value");
	json_value(sb, &val->dtav_value);
}

static void
put_percpu(struct strbuf *sb, const dtrace_aggvalue_t *val)
{
	json_list(sb, "percpu");
	for (uint32_t i = 0; i < val->dtav_npercpu; i++) {
		json_open(sb);
		json_int(sb, "cpu", val->dtav_percpu[i].dtav_cpu);
		put_amount(sb, &val->dtav_percpu[i]);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

static void
put_agg(
    const struct consumer *c, struct strbuf *sb, const dtrace_aggvalue_t *val)
{
	json_open(sb);
	json_str(sb, "name", val->dtav_name);
	json_str(sb, "function", val->dtav_function);
	if (val->dtav_normal != 1)
		json_uint(sb, "normal", val->dtav_normal);
	put_amount(sb, val);
	if (c->opts.aggpercpu)
		put_percpu(sb, val);
	strbuf_addc(sb, '}');
}

static void
json_row(struct consumer *c, const dtrace_event_t *ev)
{
	struct strbuf *sb = &c->buf;

	event_open(sb, "aggregation");
	json_uint(sb, "time", c->rows_ns);
	put_data(sb, "keys", ev->dtev_keys, ev->dtev_nkeys);
	json_list(sb, "values");
	for (uint32_t i = 0; i < ev->dtev_nvalues; i++)
		put_agg(c, sb, &ev->dtev_values[i]);
	strbuf_addc(sb, ']');
	if (ev->dtev_text != NULL) {
		json_name(sb, "text");
		json_text(sb, ev->dtev_text, ev->dtev_size);
	}
	event_close(sb);
}

const struct oformat_ops oformat_json = {
	.start = json_start,
	.end = json_end,
	.record = json_record,
	.row = json_row,
	.fault = json_fault,
	.drop = json_drop,
};
