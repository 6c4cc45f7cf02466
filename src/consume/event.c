/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records and rows as events: the actions of a record with their values, the
 * keys and values of a row.
 *
 * They go to the program's handler (dtrace_handle_event()) or, with option
 * oformat, to the output.  A record's event comes when all its actions are
 * done, and rows that its actions print meanwhile (printa()) come before it.
 */
#include "consume/event.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "consume/oformat.h"

static void
tell(struct consumer *c, dtrace_event_t *ev)
{
	if (c->error == 0)
		consumer_answer(c, c->opts.hooks->event(c->opts.hooks_arg, ev));
}

/* ---- actions ------------------------------------------------------------ */

/* An action that is being put together. */
struct making {
	const struct chew *ch;
	struct arena *a;
	const struct clause_act *act;
	dtrace_action_t *out;
};

/* Room for n values. */
static dtrace_value_t *
room(const struct making *mk, size_t n)
{
	dtrace_value_t *vals = arena_alloc(mk->a, n * sizeof(*vals));

	mk->out->dtac_values = vals;
	mk->out->dtac_count = (uint32_t)n;
	return vals;
}

static struct datum
first_datum(const struct making *mk)
{
	return chew_datum(mk->ch, mk->act->first);
}

static void
take_one(const struct making *mk, dtrace_value_t val)
{
	*room(mk, 1) = val;
}

static void
take_value(const struct making *mk)
{
	struct datum d = first_datum(mk);

	take_one(mk, value_datum(mk->ch->c, mk->a, &d));
}

/* printf(), system(), freopen(): the arguments, and the text made of them. */
static void
take_printf(const struct making *mk)
{
	const struct plan_rec *recs = mk->ch->pc->recs.v;
	dtrace_value_t *vals = room(mk, mk->act->end - mk->act->first);
	struct strbuf text = chew_text(mk->ch, mk->act);

	mk->out->dtac_count = 0;
	for (size_t k = mk->act->first; k < mk->act->end; k++) {
		struct datum d = chew_datum(mk->ch, k);

		if (recs[k].size != 0)
			vals[mk->out->dtac_count++] =
			    value_datum(mk->ch->c, mk->a, &d);
	}
	mk->out->dtac_format = recs[mk->act->first].src->fmt;
	mk->out->dtac_text = value_copy(mk->a, text.s, text.len);
	mk->out->dtac_size = text.len;
	strbuf_fini(&text);
}

static dtrace_value_t
agg_name(const struct making *mk, const char *label, const struct agg *ag)
{
	const char *name = ag != NULL ? ag->pa->agg->name : "";

	return value_text(mk->a, label, name, strlen(name));
}

static void
take_printa(const struct making *mk)
{
	const struct plan_rec *recs = mk->ch->pc->recs.v;
	size_t n = mk->act->end - mk->act->first;
	dtrace_value_t *names = arena_alloc(mk->a, n * sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = agg_name(mk, NULL,
		    agg_by_id(mk->ch->c, recs[mk->act->first + i].arg));
	take_one(mk,
	    (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_ARRAY,
		.dtva_name = "aggregations",
		.dtva_count = (uint32_t)n,
		.dtva_elems = names });
}

/* clear(@a), normalize(@a, 5), trunc(@a, -3) */
static void
take_on_agg(const struct making *mk)
{
	struct datum d = first_datum(mk);
	const struct agg *ag = agg_by_id(mk->ch->c, datum_uint(&d));
	dtrace_value_t *vals = room(mk, 2);
	uint32_t n = 0;

	if (ag != NULL)
		vals[n++] = agg_name(mk, "aggregation", ag);
	if (mk->act->end - mk->act->first > 1) {
		d = chew_datum(mk->ch, mk->act->first + 1);
		vals[n++] = value_int("operand", datum_int(&d));
	}
	mk->out->dtac_count = n;
}

static void
take_setopt(const struct making *mk)
{
	static const char *const names[] = { "option", "value" };
	dtrace_value_t *vals = room(mk, 2);

	mk->out->dtac_count = 0;
	for (size_t i = 0; i < 2 && i < mk->act->end - mk->act->first; i++) {
		struct datum d = chew_datum(mk->ch, mk->act->first + i);
		size_t len;
		const char *s;

		if (d.rec->store == PLAN_BYTES)
			continue; /* no value was given */
		s = datum_text(mk->ch->c->pl, &d, &len);
		vals[mk->out->dtac_count++] =
		    value_text(mk->a, names[i], s, len);
	}
}

static void
take_libact(const struct making *mk)
{
	uint64_t which = mk->ch->pc->recs.v[mk->act->first].arg;

	mk->out->dtac_name = dif_libact_name(which);
	if (which == DT_LIBACT_SETOPT)
		take_setopt(mk);
	else if (which != DT_LIBACT_FTRUNCATE)
		take_on_agg(mk);
}

static void
take_tracemem(const struct making *mk)
{
	struct datum d = first_datum(mk);

	take_one(mk,
	    value_bytes(
		"value", d.data, datum_tracemem_size(mk->ch, mk->act->first)));
}

/* printm(), pcap(): the length, and the bytes that were recorded. */
static void
take_ref(const struct making *mk)
{
	struct datum d = first_datum(mk);
	dtrace_value_t *vals = room(mk, 2);
	size_t have;

	vals[0] = value_uint("length", datum_ref_length(&d, &have));
	vals[1] = value_bytes("value", datum_ref_bytes(&d), have);
}

/* An action that the consumer carries out as it shows the record. */
static void
take_effect(const struct making *mk)
{
	struct datum d;

	switch (mk->act->effect) {
	case DIF_EFFECT_EXIT:
		d = first_datum(mk);
		take_one(mk, value_int("status", datum_int(&d)));
		break;
	case DIF_EFFECT_PRINTA:
		take_printa(mk);
		break;
	case DIF_EFFECT_LIBACT:
		take_libact(mk);
		break;
	case DIF_EFFECT_SYSTEM:
	case DIF_EFFECT_FREOPEN:
		take_printf(mk);
		break;
	case DIF_EFFECT_NONE: /* dif_prog.c asserts it of every row */
		break;
	}
}

static void
take_data(const struct making *mk)
{
	switch (mk->act->shows) {
	case DIF_SHOWS_FORMAT:
		take_printf(mk);
		break;
	case DIF_SHOWS_EFFECT:
		take_effect(mk);
		break;
	case DIF_SHOWS_VALUE:
	case DIF_SHOWS_STACK:
	case DIF_SHOWS_SYMBOL:
		take_value(mk);
		break;
	case DIF_SHOWS_MEMORY:
		take_tracemem(mk);
		break;
	case DIF_SHOWS_REF:
	case DIF_SHOWS_PACKET:
		take_ref(mk);
		break;
	case DIF_SHOWS_NOTHING:
		break;
	}
}

static const char *
action_name(const struct plan_rec *rec, enum dif_shows shows)
{
	if (shows == DIF_SHOWS_FORMAT)
		return "printf";
	if (shows == DIF_SHOWS_VALUE && rec->src->fmt != NULL)
		return "print";
	return dif_act(rec->action)->name;
}

static void
take_action(const struct chew *ch, struct arena *a,
    const struct clause_act *act, dtrace_action_t *out)
{
	const struct plan_rec *rec = &ch->pc->recs.v[act->first];
	struct making mk = { ch, a, act, out };

	out->dtac_name = action_name(rec, act->shows);
	out->dtac_kind =
	    act->shows == DIF_SHOWS_FORMAT ? DTRACEACT_PRINTF : rec->action;
	take_data(&mk);
}

/* ---- records ------------------------------------------------------------ */

/* Data that describe other data are not actions of their own. */
static bool
is_shown(const struct chew *ch, const struct clause_act *act)
{
	return act->shows != DIF_SHOWS_NOTHING &&
	    !datum_is_tracemem_size(&ch->pc->recs.v[act->first]);
}

void
event_record(const struct chew *ch)
{
	struct arena a;
	dtrace_event_t ev = { .dtev_kind = DTRACE_EVENT_RECORD };
	dtrace_action_t *acts;

	arena_init(&a);
	acts = arena_alloc(&a, ch->acts->acts.n * sizeof(*acts));
	VEC_FOREACH(&ch->acts->acts, act) {
		if (ch->c->error != 0) /* a row's handler ended consuming */
			goto out;
		if (!is_shown(ch, act))
			continue;
		take_action(ch, &a, act, &acts[ev.dtev_nactions++]);
		if (act->shows == DIF_SHOWS_EFFECT)
			chew_effect(ch, act);
	}
	ev.dtev_actions = acts;
	if (ch->c->opts.typed)
		tell(ch->c, &ev);
	else
		oformat_record(ch, &ev);
out:
	arena_fini(&a);
}

/* ---- rows --------------------------------------------------------------- */

static void
take_buckets(struct arena *a, const struct agg *ag, const int64_t *counts,
    dtrace_aggvalue_t *out)
{
	dtrace_bucket_t *buckets =
	    arena_alloc(a, ag->hist.n * sizeof(*buckets));
	int64_t normal = (int64_t)ag->normal;

	/* of percentile(), normalize() divides the percentiles */
	if (hist_is_summary(&ag->hist))
		normal = 1;
	out->dtav_buckets = buckets;
	for (uint32_t i = 0; i < ag->hist.n; i++) {
		dtrace_bucket_t *b = &buckets[out->dtav_nbuckets];

		if (counts[i] == 0)
			continue;
		b->dtbu_has_min = hist_min(&ag->hist, i, &b->dtbu_min);
		b->dtbu_has_max = hist_max(&ag->hist, i, &b->dtbu_max);
		b->dtbu_count = counts[i] / normal;
		out->dtav_nbuckets++;
	}
}

static void
take_percentiles(struct arena *a, const struct agg *ag, const int64_t *counts,
    dtrace_aggvalue_t *out)
{
	static const int8_t signs[] = {
		[HIST_IS] = 0, [HIST_AT_LEAST] = 1, [HIST_AT_MOST] = -1
	};
	const struct percents *p = &ag->hist.percents;
	dtrace_percentile_t *all = arena_alloc(a, p->n * sizeof(*all));

	for (uint32_t i = 0; i < p->n && out->dtav_nbuckets != 0; i++) {
		int64_t value;
		enum hist_known known =
		    hist_percentile(&ag->hist, counts, p->v[i], &value);

		all[out->dtav_npercentiles++] =
		    (dtrace_percentile_t){ .dtpc_percent = p->v[i],
			    .dtpc_known = signs[known],
			    .dtpc_value = value / (int64_t)ag->normal };
	}
	out->dtav_percentiles = all;
}

static dtrace_aggvalue_t
take_amount(struct arena *a, const struct agg *ag, const void *val, int cpu)
{
	dtrace_aggvalue_t out = { .dtav_name = ag->pa->agg->name,
		.dtav_function = dif_act(ag->pa->agg->kind)->name,
		.dtav_kind = ag->pa->agg->kind,
		.dtav_cpu = cpu,
		.dtav_normal = ag->normal };
	uint64_t bits;

	if (hist_is_kind(ag->pa->agg->kind)) {
		take_buckets(a, ag, val, &out);
		if (hist_is_summary(&ag->hist))
			take_percentiles(a, ag, val, &out);
		return out;
	}
	bits = agg_value_bits(ag, val, ag->normal);
	out.dtav_value = agg_is_signed(ag) ? value_int(NULL, (int64_t)bits) :
					     value_uint(NULL, bits);
	return out;
}

static void
take_percpu(struct consumer *c, struct arena *a, const struct agg_row *row,
    size_t i, dtrace_aggvalue_t *out)
{
	dtrace_aggvalue_t *cpus = arena_alloc(a, c->ncpus * sizeof(*cpus));

	out->dtav_percpu = cpus;
	for (uint32_t cpu = 0; cpu < c->ncpus; cpu++) {
		const void *val = agg_row_cpu_val(row, i, cpu);

		if (val != NULL)
			cpus[out->dtav_npercpu++] =
			    take_amount(a, row->aggs[i], val, (int)cpu);
	}
}

/* The text that printa() with a format would print. */
static void
take_row_text(struct consumer *c, struct arena *a, const struct agg_row *row,
    const struct datum *keys, const struct pf_format *pf, dtrace_event_t *ev)
{
	struct out_aside aside =
	    out_aside_begin(c, (struct strbuf){ 0 }, false);
	struct strbuf text;

	printf_render(c, pf, keys, ev->dtev_nkeys, row);
	text = out_aside_end(c, &aside);
	ev->dtev_text = value_copy(a, text.s, text.len);
	ev->dtev_size = text.len;
	strbuf_fini(&text);
}

void
event_row(struct consumer *c, const struct agg_row *row,
    const struct datum *keys, size_t nkeys, const struct pf_format *pf)
{
	struct arena a;
	dtrace_event_t ev = { .dtev_kind = DTRACE_EVENT_ROW,
		.dtev_nkeys = (uint32_t)nkeys,
		.dtev_nvalues = (uint32_t)row->naggs };
	dtrace_value_t *vals;
	dtrace_aggvalue_t *amounts;

	arena_init(&a);
	ev.dtev_keys = vals = arena_alloc(&a, nkeys * sizeof(*vals));
	ev.dtev_values = amounts =
	    arena_alloc(&a, row->naggs * sizeof(*amounts));
	for (size_t k = 0; k < nkeys; k++)
		vals[k] = value_datum(c, &a, &keys[k]);
	for (size_t i = 0; i < row->naggs; i++) {
		amounts[i] = take_amount(
		    &a, row->aggs[i], agg_row_val(row, i), DTRACE_CPUALL);
		if (c->opts.aggpercpu)
			take_percpu(c, &a, row, i, &amounts[i]);
	}
	if (pf != NULL)
		take_row_text(c, &a, row, keys, pf, &ev);
	if (c->opts.typed)
		tell(c, &ev);
	else
		c->opts.oformat->row(c, &ev);
	arena_fini(&a);
}
