/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=perfetto: a trace of Perfetto, in Protocol Buffers.
 *
 * The file is a sequence of packets (message TracePacket), each of which stands
 * alone: what was written before a crash can be read.  Tracks are described by
 * packets of their own; events refer to them, and to names that a packet has
 * given a number (interned data).  The numbers of the fields are those of
 * Perfetto's protos/perfetto/trace (tests/perfetto.proto has what is used).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/protobuf.h"
#include "consume/oformat.h"
#include "consume/timeline.h"

#define SEQUENCE 1 /* any number but 0: there is one writer */

enum {
	TRACE_PACKET = 1,

	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,

	SEQUENCE_STATE_CLEARED = 1,
	SEQUENCE_NEEDS_STATE = 2,

	DEFAULTS_CLOCK_ID = 58,
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_IS_REALTIME = 1,
	CLOCK_IS_MONOTONIC = 3,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	EVENT_CATEGORY_IIDS = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER_VALUE = 30,
	TYPE_SLICE_BEGIN = 1,
	TYPE_SLICE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,

	INTERNED_CATEGORIES = 1,
	INTERNED_NAMES = 2,
	INTERNED_ANNOTATIONS = 3,
	INTERNED_IID = 1,
	INTERNED_NAME = 2,

	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
};

/* Numbers of tracks: their kind in the high half. */
#define UUID_THREAD (UINT64_C(1) << 32)	 /* and its place in timeline.tracks */
#define UUID_PROCESS (UINT64_C(2) << 32) /* and its pid; 0: the CPUs */
#define UUID_COUNTER (UINT64_C(3) << 32) /* and its number; 0: their parent */

struct perfetto {
	struct timeline tl;
	/* Names that have a number; ids of strtab. */
	struct strtab categories, names, annotations, counters;
	struct strbuf interned; /* of the packet that is being made */
};

/* ---- packets ------------------------------------------------------------ */

static size_t
begin_packet(struct consumer *c, uint64_t time_ns)
{
	size_t at = pb_open(&c->buf, TRACE_PACKET);

	if (time_ns != 0)
		pb_uint(&c->buf, PACKET_TIMESTAMP, time_ns);
	pb_uint(&c->buf, PACKET_SEQUENCE_ID, SEQUENCE);
	return at;
}

/* The number of a name, which the packet defines if it is new. */
static uint32_t
intern(struct consumer *c, struct strtab *st, uint32_t field, const char *s)
{
	struct perfetto *pf = c->formatted;
	struct strbuf text = { 0 };
	size_t before = st->strs.n, at;
	uint32_t id;

	timeline_text(&text, s, strlen(s));
	id = strtab_intern(st, text.s);
	if (st->strs.n != before) {
		at = pb_open(&pf->interned, field);
		pb_uint(&pf->interned, INTERNED_IID, id);
		pb_str(&pf->interned, INTERNED_NAME, text.s);
		pb_close(&pf->interned, at);
	}
	strbuf_fini(&text);
	return id;
}

/* The packet's event refers to names. */
static void
end_packet(struct consumer *c, size_t at)
{
	struct perfetto *pf = c->formatted;

	pb_uint(&c->buf, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	if (pf->interned.len != 0)
		pb_bytes(&c->buf, PACKET_INTERNED_DATA, pf->interned.s,
		    pf->interned.len);
	strbuf_reset(&pf->interned);
	pb_close(&c->buf, at);
}

/* ---- tracks ------------------------------------------------------------- */

static void
process_packet(struct consumer *c, const struct tl_track *t)
{
	struct strbuf *sb = &c->buf;
	size_t at = begin_packet(c, 0);
	size_t track = pb_open(sb, PACKET_TRACK_DESCRIPTOR), process;

	pb_uint(sb, TRACK_UUID, UUID_PROCESS | t->pid);
	if (t->pid == 0) {
		pb_str(sb, TRACK_NAME, "CPUs");
	} else {
		process = pb_open(sb, TRACK_PROCESS);
		pb_uint(sb, PROCESS_PID, t->pid);
		pb_str(sb, PROCESS_NAME, t->name);
		pb_close(sb, process);
	}
	pb_close(sb, track);
	pb_close(sb, at);
}

static void
thread_packet(struct consumer *c, const struct tl_track *t, uint32_t i)
{
	struct strbuf *sb = &c->buf;
	size_t at = begin_packet(c, 0);
	size_t track = pb_open(sb, PACKET_TRACK_DESCRIPTOR), thread;

	pb_uint(sb, TRACK_UUID, UUID_THREAD | i);
	pb_uint(sb, TRACK_PARENT, UUID_PROCESS | t->pid);
	if (t->pid == 0) {
		pb_str(sb, TRACK_NAME, t->name);
	} else {
		thread = pb_open(sb, TRACK_THREAD);
		pb_uint(sb, THREAD_PID, t->pid);
		pb_uint(sb, THREAD_TID, t->tid);
		pb_str(sb, THREAD_NAME, t->name);
		pb_close(sb, thread);
	}
	pb_close(sb, track);
	pb_close(sb, at);
}

static void
perfetto_track(
    struct consumer *c, const struct tl_track *t, bool is_new_process)
{
	const struct perfetto *pf = c->formatted;

	if (is_new_process || (t->pid == t->tid && t->pid != 0))
		process_packet(c, t);
	thread_packet(c, t, (uint32_t)(t - pf->tl.tracks.v));
}

/* ---- events ------------------------------------------------------------- */

static void
put_text(struct strbuf *sb, const dtrace_value_t *val)
{
	struct strbuf text = { 0 };

	timeline_value(&text, val);
	pb_bytes(sb, ANNOTATION_STRING, text.s != NULL ? text.s : "", text.len);
	strbuf_fini(&text);
}

static void
put_value(struct strbuf *sb, const dtrace_value_t *val)
{
	switch (val->dtva_kind) {
	case DTRACE_VALUE_INT:
		pb_int(sb, ANNOTATION_INT, val->dtva_int);
		break;
	case DTRACE_VALUE_UINT:
		pb_uint(sb, ANNOTATION_UINT, val->dtva_uint);
		break;
	case DTRACE_VALUE_BOOL:
		pb_uint(sb, ANNOTATION_BOOL, val->dtva_uint != 0);
		break;
	case DTRACE_VALUE_FLOAT:
		pb_double(sb, ANNOTATION_DOUBLE, val->dtva_float);
		break;
	case DTRACE_VALUE_NONE:
	case DTRACE_VALUE_ENUM:
	case DTRACE_VALUE_STRING:
	case DTRACE_VALUE_BYTES:
	case DTRACE_VALUE_ARRAY:
	case DTRACE_VALUE_STRUCT:
	case DTRACE_VALUE_STACK:
	case DTRACE_VALUE_USTACK:
	case DTRACE_VALUE_ADDRESS:
	case DTRACE_VALUE_UADDRESS:
		put_text(sb, val);
		break;
	}
}

static void
annotate(struct consumer *c, const char *name, const dtrace_value_t *val)
{
	struct perfetto *pf = c->formatted;
	size_t at = pb_open(&c->buf, EVENT_ANNOTATIONS);

	pb_uint(&c->buf, ANNOTATION_NAME_IID,
	    intern(c, &pf->annotations, INTERNED_ANNOTATIONS, name));
	put_value(&c->buf, val);
	pb_close(&c->buf, at);
}

static void
annotate_str(struct consumer *c, const char *name, const char *s)
{
	annotate(c, name,
	    &(dtrace_value_t){ .dtva_kind = DTRACE_VALUE_STRING,
		.dtva_data = s,
		.dtva_size = strlen(s) });
}

static void
annotate_uint(struct consumer *c, const char *name, uint64_t v)
{
	annotate(c, name,
	    &(dtrace_value_t){
		.dtva_kind = DTRACE_VALUE_UINT, .dtva_uint = v });
}

static void
annotate_probe(struct consumer *c, const struct dt_probe *p)
{
	struct strbuf name = { 0 };

	strbuf_printf(&name, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	annotate_str(c, "probe", name.s);
	strbuf_fini(&name);
}

static void
put_annotations(struct consumer *c, const struct tl_event *ev)
{
	struct tl_arg arg = { 0 };

	if (ev->kind != TL_END)
		annotate_probe(c, ev->probe);
	if (ev->actions != NULL)
		annotate_uint(c, "cpu", ev->cpu);
	else
		annotate_str(c, "end", "not traced");
	while (timeline_next_arg(ev->actions, &arg))
		annotate(c, arg.name.s, &arg.value);
}

static void
perfetto_event(struct consumer *c, const struct tl_event *ev)
{
	static const uint8_t types[] = { [TL_BEGIN] = TYPE_SLICE_BEGIN,
		[TL_END] = TYPE_SLICE_END,
		[TL_INSTANT] = TYPE_INSTANT };
	struct perfetto *pf = c->formatted;
	size_t at = begin_packet(c, ev->time_ns);
	size_t event = pb_open(&c->buf, PACKET_TRACK_EVENT);

	pb_uint(&c->buf, EVENT_TYPE, types[ev->kind]);
	pb_uint(&c->buf, EVENT_TRACK, UUID_THREAD | ev->track);
	if (ev->kind != TL_END) {
		pb_uint(&c->buf, EVENT_CATEGORY_IIDS,
		    intern(c, &pf->categories, INTERNED_CATEGORIES,
			ev->probe->prov));
		pb_uint(&c->buf, EVENT_NAME_IID,
		    intern(c, &pf->names, INTERNED_NAMES, timeline_name(ev)));
	}
	put_annotations(c, ev);
	pb_close(&c->buf, event);
	end_packet(c, at);
}

/* ---- aggregations ------------------------------------------------------- */

static void
counter_packet(struct consumer *c, uint64_t uuid, const char *name)
{
	struct strbuf *sb = &c->buf;
	size_t at = begin_packet(c, 0);
	size_t track = pb_open(sb, PACKET_TRACK_DESCRIPTOR);

	pb_uint(sb, TRACK_UUID, uuid);
	pb_str(sb, TRACK_NAME, name);
	if (uuid == UUID_COUNTER) {
		pb_close(sb, track);
	} else {
		pb_uint(sb, TRACK_PARENT, UUID_COUNTER);
		pb_close(sb, pb_open(sb, TRACK_COUNTER));
		pb_close(sb, track);
	}
	pb_close(sb, at);
}

/* The track of a counter, "@name[keys]". */
static uint64_t
counter_track(struct consumer *c, const struct tl_counter *ct)
{
	struct perfetto *pf = c->formatted;
	size_t before = pf->counters.strs.n;
	struct strbuf name = { 0 };
	uint32_t id;

	strbuf_adds(&name, ct->name);
	if (*ct->key != '\0')
		strbuf_printf(&name, "[%s]", ct->key);
	id = strtab_intern(&pf->counters, name.s);
	if (before == 0)
		counter_packet(c, UUID_COUNTER, "aggregations");
	if (pf->counters.strs.n != before)
		counter_packet(c, UUID_COUNTER | id, name.s);
	strbuf_fini(&name);
	return UUID_COUNTER | id;
}

static void
perfetto_counter(struct consumer *c, const struct tl_counter *ct)
{
	uint64_t track = counter_track(c, ct);
	size_t at = begin_packet(c, ct->time_ns);
	size_t event = pb_open(&c->buf, PACKET_TRACK_EVENT);

	pb_uint(&c->buf, EVENT_TYPE, TYPE_COUNTER);
	pb_uint(&c->buf, EVENT_TRACK, track);
	pb_int(&c->buf, EVENT_COUNTER_VALUE, plain_amount(ct->val));
	pb_close(&c->buf, event);
	end_packet(c, at);
}

/* ---- the run ------------------------------------------------------------ */

static void
put_clock(struct strbuf *sb, uint32_t id, uint64_t time_ns)
{
	size_t at = pb_open(sb, SNAPSHOT_CLOCKS);

	pb_uint(sb, CLOCK_ID, id);
	pb_uint(sb, CLOCK_TIMESTAMP, time_ns);
	pb_close(sb, at);
}

/*
 * Times of packets are CLOCK_MONOTONIC; the snapshot relates it to the time of
 * day, when the run began.
 */
static void
clock_packet(struct consumer *c, const struct consume_run *run)
{
	struct strbuf *sb = &c->buf;
	size_t at = begin_packet(c, 0), in;

	pb_uint(sb, PACKET_SEQUENCE_FLAGS, SEQUENCE_STATE_CLEARED);
	in = pb_open(sb, PACKET_DEFAULTS);
	pb_uint(sb, DEFAULTS_CLOCK_ID, CLOCK_IS_MONOTONIC);
	pb_close(sb, in);
	in = pb_open(sb, PACKET_CLOCK_SNAPSHOT);
	put_clock(sb, CLOCK_IS_MONOTONIC, run->start_ns);
	put_clock(sb, CLOCK_IS_REALTIME, run->wall_ns);
	pb_uint(sb, SNAPSHOT_PRIMARY, CLOCK_IS_MONOTONIC);
	pb_close(sb, in);
	pb_close(sb, at);
}

/* An instant of the whole trace. */
static size_t
begin_global(struct consumer *c, uint64_t time_ns, const char *name, size_t *at)
{
	struct perfetto *pf = c->formatted;
	size_t event;

	*at = begin_packet(c, time_ns);
	event = pb_open(&c->buf, PACKET_TRACK_EVENT);
	pb_uint(&c->buf, EVENT_TYPE, TYPE_INSTANT);
	pb_uint(&c->buf, EVENT_TRACK, 0);
	pb_uint(&c->buf, EVENT_NAME_IID,
	    intern(c, &pf->names, INTERNED_NAMES, name));
	return event;
}

static void
perfetto_start(struct consumer *c)
{
	const struct consume_run *run = oformat_run(c);
	size_t at, event;

	clock_packet(c, run);
	event = begin_global(c, run->start_ns, "dtrace begins", &at);
	annotate_str(c, "version", run->product);
	annotate_str(c, "host", run->host);
	pb_close(&c->buf, event);
	end_packet(c, at);
}

static void
perfetto_end(struct consumer *c, int status)
{
	uint64_t now = consumer_now(c);
	size_t at, event;

	timeline_end(c, now);
	event = begin_global(c, now, "dtrace ends", &at);
	annotate(c, "status",
	    &(dtrace_value_t){
		.dtva_kind = DTRACE_VALUE_INT, .dtva_int = status });
	pb_close(&c->buf, event);
	end_packet(c, at);
}

static const struct timeline_ops perfetto_timeline = {
	.track = perfetto_track,
	.event = perfetto_event,
	.counter = perfetto_counter,
};

static void *
perfetto_create(const struct consumer *c)
{
	struct perfetto *pf = mem_alloc(sizeof(*pf));

	timeline_init(&pf->tl, c, &perfetto_timeline);
	strtab_init(&pf->categories);
	strtab_init(&pf->names);
	strtab_init(&pf->annotations);
	strtab_init(&pf->counters);
	return pf;
}

static void
perfetto_destroy(void *state)
{
	struct perfetto *pf = state;

	timeline_fini(&pf->tl);
	strtab_fini(&pf->categories);
	strtab_fini(&pf->names);
	strtab_fini(&pf->annotations);
	strtab_fini(&pf->counters);
	strbuf_fini(&pf->interned);
	free(pf);
}

const struct oformat_ops oformat_perfetto = {
	.create = perfetto_create,
	.destroy = perfetto_destroy,
	.start = perfetto_start,
	.end = perfetto_end,
	.record = timeline_record,
	.row = timeline_row,
	.needs_whose = true,
	.is_whole = true,
	.is_binary = true,
};
