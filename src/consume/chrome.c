/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=chrome: the JSON of Chrome's "Trace Event Format", which
 * chrome://tracing, Perfetto and others read.
 *
 * An event has a phase: B and E begin and end a slice of a thread, i is an
 * instant, C are counters, M names processes and threads.  Times are
 * microseconds of CLOCK_MONOTONIC, with three decimals.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "consume/oformat.h"
#include "consume/timeline.h"

struct chrome {
	struct timeline tl;
	bool has_events;
};

/* Open an event, on a line of its own. */
static struct strbuf *
begin_event(struct consumer *c, const char *phase)
{
	struct chrome *ch = c->formatted;

	strbuf_adds(&c->buf, ch->has_events ? ",\n" : "\n");
	ch->has_events = true;
	json_open_value(&c->buf);
	json_str(&c->buf, "ph", phase);
	return &c->buf;
}

static void
put_time(struct strbuf *sb, uint64_t ns)
{
	json_name(sb, "ts");
	strbuf_printf(sb, "%llu.%03llu", (unsigned long long)(ns / 1000),
	    (unsigned long long)(ns % 1000));
}

static void
put_track(struct strbuf *sb, const struct tl_track *t)
{
	json_uint(sb, "pid", t->pid);
	json_uint(sb, "tid", t->tid);
}

/* ---- names of tracks ---------------------------------------------------- */

static void
name_event(struct consumer *c, const struct tl_track *t, const char *what,
    const char *name)
{
	struct strbuf *sb = begin_event(c, "M");

	json_str(sb, "name", what);
	put_track(sb, t);
	json_name(sb, "args");
	json_open_value(sb);
	json_str(sb, "name", name);
	strbuf_adds(sb, "}}");
}

static void
chrome_track(struct consumer *c, const struct tl_track *t, bool is_new_process)
{
	if (is_new_process || (t->pid == t->tid && t->pid != 0))
		name_event(
		    c, t, "process_name", t->pid == 0 ? "CPUs" : t->name);
	name_event(c, t, "thread_name", t->name);
}

/* ---- events ------------------------------------------------------------- */

/* A value as a JSON value; stacks and what is no UTF-8 as text. */
static void
put_value(struct strbuf *sb, const dtrace_value_t *val)
{
	struct strbuf text = { 0 };

	if (val->dtva_kind != DTRACE_VALUE_STRING && !plain_is_stack(val)) {
		json_value(sb, val);
		return;
	}
	timeline_value(&text, val);
	json_text(sb, text.s != NULL ? text.s : "", text.len);
	strbuf_fini(&text);
}

static void
put_name(struct strbuf *sb, const char *name, const char *s)
{
	struct strbuf text = { 0 };

	timeline_text(&text, s, strlen(s));
	json_str(sb, name, text.s);
	strbuf_fini(&text);
}

static void
put_probe(struct strbuf *sb, const struct dt_probe *p)
{
	struct strbuf name = { 0 };

	strbuf_printf(&name, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	put_name(sb, "probe", name.s);
	strbuf_fini(&name);
}

static void
put_args(struct strbuf *sb, const struct tl_event *ev)
{
	struct tl_arg arg = { 0 };

	json_name(sb, "args");
	json_open_value(sb);
	if (ev->kind != TL_END)
		put_probe(sb, ev->probe);
	if (ev->actions != NULL)
		json_uint(sb, "cpu", ev->cpu);
	else
		json_str(sb, "end", "not traced");
	while (timeline_next_arg(ev->actions, &arg)) {
		json_name(sb, arg.name.s);
		put_value(sb, &arg.value);
	}
	strbuf_addc(sb, '}');
}

static void
chrome_event(struct consumer *c, const struct tl_event *ev)
{
	static const char *const phases[] = {
		[TL_BEGIN] = "B", [TL_END] = "E", [TL_INSTANT] = "i"
	};
	const struct chrome *ch = c->formatted;
	struct strbuf *sb = begin_event(c, phases[ev->kind]);

	put_name(sb, "name", timeline_name(ev));
	put_name(sb, "cat", ev->probe->prov);
	put_time(sb, ev->time_ns);
	put_track(sb, &ch->tl.tracks.v[ev->track]);
	if (ev->kind == TL_INSTANT)
		json_str(sb, "s", "t"); /* of the thread */
	put_args(sb, ev);
	strbuf_addc(sb, '}');
}

/* ---- aggregations ------------------------------------------------------- */

/* The keys are the series of one counter. */
static void
chrome_counter(struct consumer *c, const struct tl_counter *ct)
{
	struct strbuf *sb = begin_event(c, "C");

	json_str(sb, "name", ct->name);
	put_time(sb, ct->time_ns);
	json_uint(sb, "pid", 0);
	json_name(sb, "args");
	json_open_value(sb);
	json_int(
	    sb, *ct->key != '\0' ? ct->key : "value", plain_amount(ct->val));
	strbuf_adds(sb, "}}");
}

/* ---- the document ------------------------------------------------------- */

static const struct timeline_ops chrome_timeline = {
	.track = chrome_track,
	.event = chrome_event,
	.counter = chrome_counter,
};

static void *
chrome_create(const struct consumer *c)
{
	struct chrome *ch = mem_alloc(sizeof(*ch));

	timeline_init(&ch->tl, c, &chrome_timeline);
	return ch;
}

static void
chrome_destroy(void *state)
{
	struct chrome *ch = state;

	timeline_fini(&ch->tl);
	free(ch);
}

static void
chrome_start(struct consumer *c)
{
	const struct consume_run *run = oformat_run(c);

	json_open_value(&c->buf);
	json_str(&c->buf, "displayTimeUnit", "ns");
	json_name(&c->buf, "otherData");
	json_open_value(&c->buf);
	json_str(&c->buf, "version", run->product);
	json_str(&c->buf, "host", run->host);
	json_str(&c->buf, "clock", "CLOCK_MONOTONIC");
	json_uint(&c->buf, "start", run->start_ns);
	json_uint(&c->buf, "wall", run->wall_ns);
	strbuf_addc(&c->buf, '}');
	json_list(&c->buf, "traceEvents");
}

static void
chrome_end(struct consumer *c, int status)
{
	timeline_end(c, consumer_now(c));
	strbuf_adds(&c->buf, "\n],");
	strbuf_printf(&c->buf, "\"metadata\":{\"status\":%d}}\n", status);
}

const struct oformat_ops oformat_chrome = {
	.create = chrome_create,
	.destroy = chrome_destroy,
	.start = chrome_start,
	.end = chrome_end,
	.record = timeline_record,
	.row = timeline_row,
	.needs_whose = true,
	.is_whole = true,
};
