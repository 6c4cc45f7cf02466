/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=json: each firing, row of an aggregation, drop and error is
 * one JSON object on a line of its own (doc/json.md).
 *
 * A firing's line is written when it is complete: it is built in another
 * buffer, and rows that its actions print meanwhile (printa()) come before it.
 */
#include "consume/consume_impl.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"

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

/* ---- actions ------------------------------------------------------------ */

static void
put_args(const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	const struct plan_rec *recs = ch->pc->recs.v;

	json_str(sb, "format", recs[act->first].src->fmt);
	json_list(sb, "args");
	for (size_t k = act->first; k < act->end; k++) {
		struct datum d = chew_datum(ch, k);

		if (recs[k].size == 0)
			continue;
		json_open(sb);
		json_datum(ch->c, sb, &d);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

/* printf(), system(), freopen(): the arguments, and the text made of them. */
static void
put_printf(const struct chew *ch, struct strbuf *sb,
    const struct clause_act *act, const char *name)
{
	struct strbuf text = chew_text(ch, act);

	put_args(ch, sb, act);
	json_name(sb, name);
	json_text(sb, text.s != NULL ? text.s : "", text.len);
	strbuf_fini(&text);
}

static void
put_printa(
    const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	const struct plan_rec *recs = ch->pc->recs.v;

	json_list(sb, "aggregations");
	for (size_t k = act->first; k < act->end; k++) {
		const struct agg *ag = agg_by_id(ch->c, recs[k].arg);
		const char *name = ag != NULL ? ag->pa->agg->name : "";

		if (k != act->first)
			strbuf_addc(sb, ',');
		json_text(sb, name, strlen(name));
	}
	strbuf_addc(sb, ']');
}

/* clear(@a), normalize(@a, 5), trunc(@a, -3) */
static void
put_on_agg(
    const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	struct datum d = chew_datum(ch, act->first);
	const struct agg *ag = agg_by_id(ch->c, datum_uint(&d));

	if (ag != NULL)
		json_str(sb, "aggregation", ag->pa->agg->name);
	if (act->end - act->first > 1) {
		d = chew_datum(ch, act->first + 1);
		json_int(sb, "operand", datum_int(&d));
	}
}

static void
put_setopt(
    const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	static const char *const names[] = { "option", "value" };

	for (size_t i = 0; i < 2 && i < act->end - act->first; i++) {
		struct datum d = chew_datum(ch, act->first + i);
		size_t len;
		const char *s;

		if (d.rec->store == PLAN_BYTES)
			continue; /* no value was given */
		s = datum_text(ch->c->pl, &d, &len);
		json_name(sb, names[i]);
		json_text(sb, s, len);
	}
}

static void
put_libact(
    const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	uint64_t which = ch->pc->recs.v[act->first].arg;

	json_str(sb, "action", dif_libact_name(which));
	if (which == DT_LIBACT_SETOPT)
		put_setopt(ch, sb, act);
	else if (which != DT_LIBACT_FTRUNCATE)
		put_on_agg(ch, sb, act);
}

static void
put_tracemem(
    const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	struct datum d = chew_datum(ch, act->first);

	json_str(sb, "action", "tracemem");
	json_name(sb, "value");
	json_bytes(sb, d.data, tracemem_size(ch, act->first));
}

/* Its length, and the bytes that were recorded. */
static void
put_ref(const struct chew *ch, struct strbuf *sb, const struct clause_act *act,
    const char *action)
{
	struct datum d = chew_datum(ch, act->first);
	size_t have;

	json_str(sb, "action", action);
	json_uint(sb, "length", ref_length(&d, &have));
	json_name(sb, "value");
	json_bytes(sb, ref_bytes(&d), have);
}

static void
put_value(const struct chew *ch, struct strbuf *sb,
    const struct clause_act *act, const char *action)
{
	struct datum d = chew_datum(ch, act->first);

	json_str(sb, "action", action);
	json_datum(ch->c, sb, &d);
}

static void
put_exit(const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	struct datum d = chew_datum(ch, act->first);

	json_str(sb, "action", "exit");
	json_int(sb, "status", datum_int(&d));
}

/* Data that describe other data are not actions of their own. */
static bool
is_shown(const struct chew *ch, const struct clause_act *act)
{
	return act->shows != DIF_SHOWS_NOTHING &&
	    !is_tracemem_size(&ch->pc->recs.v[act->first]);
}

/* Put an action that the consumer carries out as it prints the record. */
static void
put_effect(
    const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	uint16_t kind = ch->pc->recs.v[act->first].action;
	const char *name = dif_act(kind)->name;

	if (kind == DT_ACT_LIBACT) {
		put_libact(ch, sb, act);
		return;
	}
	if (kind == DT_ACT_EXIT) {
		put_exit(ch, sb, act);
		return;
	}
	json_str(sb, "action", name);
	if (kind == DT_ACT_PRINTA)
		put_printa(ch, sb, act);
	else
		put_printf(
		    ch, sb, act, kind == DT_ACT_SYSTEM ? "command" : "file");
}

static void
put_action(
    const struct chew *ch, struct strbuf *sb, const struct clause_act *act)
{
	const struct plan_rec *rec = &ch->pc->recs.v[act->first];
	const char *name = dif_act(rec->action)->name;

	switch (act->shows) {
	case DIF_SHOWS_FORMAT:
		json_str(sb, "action", "printf");
		put_printf(ch, sb, act, "text");
		break;
	case DIF_SHOWS_EFFECT:
		put_effect(ch, sb, act);
		break;
	case DIF_SHOWS_VALUE:
		put_value(ch, sb, act, rec->src->fmt != NULL ? "print" : name);
		break;
	case DIF_SHOWS_STACK:
	case DIF_SHOWS_SYMBOL:
		put_value(ch, sb, act, name);
		break;
	case DIF_SHOWS_MEMORY:
		put_tracemem(ch, sb, act);
		break;
	case DIF_SHOWS_REF:
	case DIF_SHOWS_PACKET:
		put_ref(ch, sb, act, name);
		break;
	case DIF_SHOWS_NOTHING:
		break;
	}
}

/* ---- firings ------------------------------------------------------------ */

static void
put_actions(const struct chew *ch, struct strbuf *sb)
{
	json_list(sb, "actions");
	VEC_FOREACH(&ch->acts->acts, act) {
		if (!is_shown(ch, act))
			continue;
		json_open(sb);
		put_action(ch, sb, act);
		strbuf_addc(sb, '}');
		if (act->shows == DIF_SHOWS_EFFECT)
			chew_effect(ch, act);
	}
	strbuf_addc(sb, ']');
}

void
json_firing(const struct chew *ch)
{
	struct strbuf sb = { 0 };

	event_open(&sb, "probe");
	json_uint(&sb, "time", ch->rec->time_ns);
	json_uint(&sb, "cpu", ch->rec->cpu);
	json_uint(&sb, "epid", ch->rec->epid);
	put_probe(&sb, ch->probe);
	put_actions(ch, &sb);
	event_close(&sb);
	strbuf_add(&ch->c->buf, sb.s, sb.len);
	strbuf_fini(&sb);
}

/* ---- errors and drops --------------------------------------------------- */

void
json_fault(struct consumer *c, const struct dt_record *rec, const char *text)
{
	const struct dt_errinfo *ei = &rec->err;
	const struct dt_probe *probe = NULL;
	struct strbuf *sb = &c->buf;

	event_open(sb, "error");
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

void
json_drop(
    struct consumer *c, const char *kind, uint64_t n, int cpu, const char *text)
{
	struct strbuf *sb = &c->buf;

	event_open(sb, "drop");
	json_str(sb, "kind", kind);
	json_uint(sb, "count", n);
	if (cpu >= 0)
		json_int(sb, "cpu", cpu);
	json_str(sb, "text", text);
	event_close(sb);
}

/* ---- aggregations ------------------------------------------------------- */

/*
 * Both bounds belong to the bucket; an open bucket has no bound on its open
 * side.
 */
static void
put_bounds(struct strbuf *sb, const struct hist *h, uint32_t i)
{
	int64_t min, max;

	if (hist_min(h, i, &min))
		json_int(sb, "min", min);
	if (hist_max(h, i, &max))
		json_int(sb, "max", max);
}

static void
put_buckets(struct strbuf *sb, const struct agg *ag, const int64_t *counts)
{
	json_list(sb, "buckets");
	for (uint32_t i = 0; i < ag->hist.n; i++) {
		if (counts[i] == 0)
			continue;
		json_open(sb);
		put_bounds(sb, &ag->hist, i);
		json_int(sb, "count", counts[i] / (int64_t)ag->normal);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

static void
put_agg_value(struct strbuf *sb, const struct agg *ag, const void *val)
{
	uint64_t bits;

	if (hist_is_kind(ag->pa->agg->kind)) {
		put_buckets(sb, ag, val);
		return;
	}
	bits = agg_value_bits(ag, val, ag->normal);
	if (agg_is_signed(ag))
		json_int(sb, "value", (int64_t)bits);
	else
		json_uint(sb, "value", bits);
}

static void
put_percpu(
    struct consumer *c, struct strbuf *sb, const struct agg_row *row, size_t i)
{
	json_list(sb, "percpu");
	for (uint32_t cpu = 0; cpu < c->ncpus; cpu++) {
		const void *val = agg_row_cpu_val(row, i, cpu);

		if (val == NULL)
			continue;
		json_open(sb);
		json_uint(sb, "cpu", cpu);
		put_agg_value(sb, row->aggs[i], val);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

static void
put_agg(
    struct consumer *c, struct strbuf *sb, const struct agg_row *row, size_t i)
{
	const struct agg *ag = row->aggs[i];

	json_open(sb);
	json_str(sb, "name", ag->pa->agg->name);
	json_str(sb, "function", dif_act(ag->pa->agg->kind)->name);
	if (ag->normal != 1)
		json_uint(sb, "normal", ag->normal);
	put_agg_value(sb, ag, agg_row_val(row, i));
	if (c->opts.aggpercpu)
		put_percpu(c, sb, row, i);
	strbuf_addc(sb, '}');
}

/* The text that printa() with a format would print. */
static void
put_row_text(struct consumer *c, struct strbuf *sb, const struct agg_row *row,
    const struct datum *keys, size_t nkeys, const struct pf_format *pf)
{
	struct strbuf output = c->buf, text;

	c->buf = (struct strbuf){ 0 };
	printf_render(c, pf, keys, nkeys, row);
	text = c->buf;
	c->buf = output;
	json_name(sb, "text");
	json_text(sb, text.s != NULL ? text.s : "", text.len);
	strbuf_fini(&text);
}

void
json_row(struct consumer *c, const struct agg_row *row,
    const struct datum *keys, size_t nkeys, const struct pf_format *pf)
{
	struct strbuf sb = { 0 };

	event_open(&sb, "aggregation");
	json_list(&sb, "keys");
	for (size_t k = 0; k < nkeys; k++) {
		json_open(&sb);
		json_datum(c, &sb, &keys[k]);
		strbuf_addc(&sb, '}');
	}
	strbuf_addc(&sb, ']');
	json_list(&sb, "values");
	for (size_t i = 0; i < row->naggs; i++)
		put_agg(c, &sb, row, i);
	strbuf_addc(&sb, ']');
	if (pf != NULL)
		put_row_text(c, &sb, row, keys, nkeys, pf);
	event_close(&sb);
	strbuf_add(&c->buf, sb.s, sb.len);
	strbuf_fini(&sb);
}
