/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a page: a sample as rows, and how many there were over time.
 *
 * Every STEP-th record is kept.  When there are too many, every second one of
 * them is left out and the step doubles.  The timeline counts all records, by
 * CPU and by thread, in bins whose width doubles when the run outgrows them.
 * A recording may not say which thread fired: then it is the first value of the
 * type id_t, such as tid.
 */
#include "consume/html.h"

#include <stdlib.h>

#include "base/mem.h"

#define RECORDS_MAX 20000
#define TEXT_BYTES 512
#define BINS 400
#define FIRST_WIDTH 1000 /* nanoseconds */
#define LANES_MAX 256	 /* then one more lane counts all other threads */
#define NO_THREAD INT64_MIN

struct sample {
	uint64_t time_ns;
	uint32_t cpu, epid;
	int64_t thread;
	char *text;
};

struct lane {
	bool is_thread;
	int64_t id;
	uint32_t bins[BINS];
};

struct html_records {
	uint64_t nseen, step;
	VEC(struct sample) samples;
	bool has_bins;
	uint64_t from_ns, width;
	VEC(struct lane) lanes;
};

struct html_records *
html_records_create(void)
{
	struct html_records *hr = mem_alloc(sizeof(*hr));

	hr->step = 1;
	hr->width = FIRST_WIDTH;
	return hr;
}

void
html_records_destroy(struct html_records *hr)
{
	for (size_t i = 0; i < hr->samples.n; i++)
		free(hr->samples.v[i].text);
	VEC_FREE(&hr->samples);
	VEC_FREE(&hr->lanes);
	free(hr);
}

/* ---- timeline ----------------------------------------------------------- */

static void
double_width(struct html_records *hr)
{
	for (size_t i = 0; i < hr->lanes.n; i++) {
		uint32_t *b = hr->lanes.v[i].bins;

		for (size_t k = 0; k < BINS / 2; k++)
			b[k] = b[2 * k] + b[2 * k + 1];
		memset(b + BINS / 2, 0, BINS / 2 * sizeof(*b));
	}
	hr->width *= 2;
}

/* Make `n` bins free before the first, whose successors may fall off. */
static void
shift(struct html_records *hr, size_t n)
{
	for (size_t i = 0; i < hr->lanes.n; i++) {
		uint32_t *b = hr->lanes.v[i].bins;

		memmove(b + n, b, (BINS - n) * sizeof(*b));
		memset(b, 0, n * sizeof(*b));
	}
	hr->from_ns -= n * hr->width;
}

static size_t
last_bin(const struct html_records *hr)
{
	size_t last = 0;

	for (size_t i = 0; i < hr->lanes.n; i++) {
		for (size_t k = BINS; k-- > last;) {
			if (hr->lanes.v[i].bins[k] != 0)
				last = k;
		}
	}
	return last;
}

/* CPUs are read one by one, so a record may be older than those before it. */
static size_t
bin_of(struct html_records *hr, uint64_t time_ns)
{
	if (!hr->has_bins) {
		hr->has_bins = true;
		hr->from_ns = time_ns;
	}
	while (time_ns < hr->from_ns) {
		uint64_t n = (hr->from_ns - time_ns - 1) / hr->width + 1;

		if (n + last_bin(hr) < BINS && n * hr->width <= hr->from_ns)
			shift(hr, n);
		else if (n * hr->width > hr->from_ns)
			return 0;
		else
			double_width(hr);
	}
	while ((time_ns - hr->from_ns) / hr->width >= BINS)
		double_width(hr);
	return (time_ns - hr->from_ns) / hr->width;
}

static struct lane *
lane_of(struct html_records *hr, bool is_thread, int64_t id)
{
	struct lane l = { .is_thread = is_thread, .id = id };

	for (size_t i = 0; i < hr->lanes.n; i++) {
		struct lane *have = &hr->lanes.v[i];

		if (have->is_thread == is_thread && have->id == id)
			return have;
	}
	if (is_thread && hr->lanes.n >= LANES_MAX && id != NO_THREAD)
		return lane_of(hr, true, NO_THREAD);
	VEC_PUSH(&hr->lanes, l);
	return &hr->lanes.v[hr->lanes.n - 1];
}

/* ---- samples ------------------------------------------------------------ */

static bool
is_shown(const dtrace_action_t *act)
{
	return dif_act(act->dtac_kind)->effect == DIF_EFFECT_NONE;
}

/* A thread that a value of the record names. */
static int64_t
named_thread(const dtrace_event_t *ev)
{
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		const dtrace_action_t *act = &ev->dtev_actions[i];

		for (uint32_t k = 0; k < act->dtac_count; k++) {
			const dtrace_value_t *val = &act->dtac_values[k];

			if (val->dtva_type != NULL &&
			    strcmp(val->dtva_type, "id_t") == 0)
				return val->dtva_kind == DTRACE_VALUE_INT ?
				    val->dtva_int :
				    (int64_t)val->dtva_uint;
		}
	}
	return NO_THREAD;
}

static void
add_stack(struct strbuf *sb, const dtrace_value_t *val)
{
	struct strbuf text = { 0 };

	plain_stack(&text, val);
	if (text.len != 0)
		strbuf_add(sb, text.s + 1, text.len - 1);
	strbuf_fini(&text);
}

static void
add_action(struct strbuf *sb, const dtrace_action_t *act)
{
	if (sb->len != 0)
		strbuf_addc(sb, ' ');
	if (act->dtac_format != NULL) {
		strbuf_add(sb, act->dtac_text, act->dtac_size);
		return;
	}
	for (uint32_t k = 0; k < act->dtac_count; k++) {
		strbuf_adds(sb, k > 0 ? " " : "");
		if (plain_is_stack(&act->dtac_values[k]))
			add_stack(sb, &act->dtac_values[k]);
		else
			html_plain(sb, &act->dtac_values[k]);
	}
}

static int64_t
thread_of(const struct chew *ch, const dtrace_event_t *ev)
{
	struct datum tid = chew_firing(ch, DIF_FIRING_TID);

	if (tid.data == NULL)
		return named_thread(ev);
	if ((uint32_t)datum_uint(&tid) == 0)
		return NO_THREAD;
	return (int64_t)(uint32_t)datum_uint(&tid);
}

/* The text of a record as a JSON string (malloced). */
static char *
text_of(const dtrace_event_t *ev)
{
	struct strbuf text = { 0 }, json = { 0 };

	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		if (is_shown(&ev->dtev_actions[i]))
			add_action(&text, &ev->dtev_actions[i]);
	}
	while (text.len > 0 && text.s[text.len - 1] == '\n')
		text.len--;
	html_text(&json, text.len != 0 ? text.s : "", text.len, TEXT_BYTES);
	strbuf_fini(&text);
	return json.s;
}

static void
thin(struct html_records *hr)
{
	size_t kept = 0;

	for (size_t i = 0; i < hr->samples.n; i++) {
		if (i % 2 == 0)
			hr->samples.v[kept++] = hr->samples.v[i];
		else
			free(hr->samples.v[i].text);
	}
	hr->samples.n = kept;
	hr->step *= 2;
}

/* A record that only has effects, such as printa() or exit(), is no row. */
static bool
has_row(const dtrace_event_t *ev)
{
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		if (is_shown(&ev->dtev_actions[i]))
			return true;
	}
	return ev->dtev_nactions == 0;
}

void
html_records_add(
    struct html_records *hr, const struct chew *ch, const dtrace_event_t *ev)
{
	struct sample s = { ch->rec->time_ns, ch->rec->cpu, ch->rec->epid,
		thread_of(ch, ev), NULL };
	size_t bin;

	if (!has_row(ev))
		return;
	bin = bin_of(hr, s.time_ns);
	lane_of(hr, false, s.cpu)->bins[bin]++;
	if (s.thread != NO_THREAD)
		lane_of(hr, true, s.thread)->bins[bin]++;
	if (hr->nseen++ % hr->step != 0)
		return;
	s.text = text_of(ev);
	VEC_PUSH(&hr->samples, s);
	if (hr->samples.n > RECORDS_MAX)
		thin(hr);
}

/* ---- JSON --------------------------------------------------------------- */

static int
compare_times(const void *a, const void *b)
{
	uint64_t x = ((const struct sample *)a)->time_ns;
	uint64_t y = ((const struct sample *)b)->time_ns;

	return x < y ? -1 : x > y;
}

static void
put_probe(struct strbuf *sb, const struct plan *pl, uint32_t epid)
{
	const struct dt_probe *p = NULL;
	struct strbuf name = { 0 };

	if (plan_by_epid(pl, epid, &p) != NULL)
		strbuf_printf(
		    &name, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	json_text(sb, name.len != 0 ? name.s : "", name.len);
	strbuf_fini(&name);
}

/* [time, CPU, thread or null, probe, text]; times are from `from`. */
static void
put_samples(
    struct strbuf *sb, const struct html_records *hr, const struct plan *pl)
{
	json_list(sb, "rows");
	for (size_t i = 0; i < hr->samples.n; i++) {
		const struct sample *s = &hr->samples.v[i];

		strbuf_printf(sb, "%s[%llu,%u,", i > 0 ? "," : "",
		    (unsigned long long)s->time_ns, s->cpu);
		if (s->thread != NO_THREAD)
			out_i64(sb, s->thread, 0);
		else
			strbuf_adds(sb, "null");
		strbuf_addc(sb, ',');
		put_probe(sb, pl, s->epid);
		strbuf_addc(sb, ',');
		strbuf_adds(sb, s->text);
		strbuf_addc(sb, ']');
	}
	strbuf_addc(sb, ']');
}

static void
put_lane(struct strbuf *sb, const struct lane *l)
{
	json_open(sb);
	json_str(sb, "kind", l->is_thread ? "thread" : "cpu");
	if (l->id != NO_THREAD)
		json_int(sb, "id", l->id);
	json_list(sb, "bins");
	for (size_t k = 0; k < BINS; k++) {
		strbuf_adds(sb, k > 0 ? "," : "");
		out_u64(sb, l->bins[k], 0);
	}
	strbuf_adds(sb, "]}");
}

void
html_records_put(
    struct strbuf *sb, struct html_records *hr, const struct plan *pl)
{
	qsort(hr->samples.v, hr->samples.n, sizeof(*hr->samples.v),
	    compare_times);
	json_name(sb, "records");
	json_open_value(sb);
	json_uint(sb, "seen", hr->nseen);
	json_uint(sb, "step", hr->step);
	json_uint(sb, "from", hr->from_ns);
	json_uint(sb, "width", hr->width);
	put_samples(sb, hr, pl);
	json_list(sb, "lanes");
	for (size_t i = 0; i < hr->lanes.n; i++)
		put_lane(sb, &hr->lanes.v[i]);
	strbuf_adds(sb, "]}");
}
