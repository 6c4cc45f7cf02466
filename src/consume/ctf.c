/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=ctf: a trace in Common Trace Format 1.8 (diamon.org/ctf).
 *
 * A trace is a folder.  Its file `metadata` declares in TSDL what the other
 * files, its streams, hold; declarations are appended as classes of events
 * come, before their first event is written.
 *
 *	stream_N  [ packet | packet | ... ]
 *	packet    [ header | context | event | event | ... ]
 *	event     [ class, time | cpu, pid, tid, execname | fields ]
 *
 * A packet is written at once: what was written before a crash can be read.
 *
 * Times in a stream must not go back, but records of speculations, and those
 * of CPUs that are not merged, come late.  So an event goes to the stream whose
 * last event is the nearest before it, and if there is none, to a new one;
 * readers merge the streams.  Aggregations, whose time is that of their
 * reading, have streams of their own, whose events are no thread's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "consume/oformat.h"
#include "consume/tsdl.h"

#define MAGIC 0xC1FC1FC1
#define PACKET_BYTES (256 * 1024) /* a packet that is written early */
#define STREAMS_MAX 64		  /* of each class */
#define CLASSES_MAX 0xfffe
#define SHAPES_MAX (4 << 20) /* bytes of all of them */
/* Readers add times and the clock's offset in 64 bits with a sign. */
#define TIME_MAX (UINT64_C(1) << 61)

/* Classes of streams. */
enum { OF_RECORDS = 0, OF_RUN = 1, NCLASSES };

#define CLASS_END 0 /* of OF_RUN; others: ids of shapes */

/* The head of a packet; sizes are in bits. */
struct packet_head {
	uint32_t magic, stream;
	uint64_t begin_ns, end_ns, content, size;
};
_Static_assert(sizeof(struct packet_head) == 40, "as declared");

struct ctf_stream {
	uint32_t class;
	uint64_t begin_ns, last_ns;
	struct strbuf packet; /* empty: nothing came since the last one */
};

struct ctf_trace {
	int folder;		/* -1: there is none, and nothing is written */
	int error;		/* why; or 0 */
	struct strbuf metadata; /* that is not written yet */
	struct strtab classes;	/* by clause or aggregation, and shape */
	size_t nshapes;		/* bytes of `classes` */
	size_t nstreams;
	struct ctf_stream streams[NCLASSES * STREAMS_MAX];
	struct strbuf data, shape; /* of the event that is being made */
	uint64_t nmoved;	   /* events with a later time than theirs */
};

/* ---- files -------------------------------------------------------------- */

static int
write_all(int fd, const struct strbuf *sb)
{
	for (size_t done = 0; done < sb->len;) {
		ssize_t n = write(fd, sb->s + done, sb->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* On a full disk, a part is taken back: readers refuse a file that has one. */
static int
append(const struct ctf_trace *t, const char *name, const struct strbuf *sb)
{
	int fd = openat(t->folder, name,
	    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	int error;
	off_t end;

	if (fd < 0)
		return -errno;
	end = lseek(fd, 0, SEEK_END);
	error = end < 0 ? -errno : write_all(fd, sb);
	if (error != 0 && end >= 0 && ftruncate(fd, end) != 0)
		error = -errno;
	if (close(fd) != 0 && error == 0)
		error = -errno;
	return error;
}

/* Declare the classes of a packet's events, before the packet is written. */
static void
write_metadata(struct consumer *c)
{
	struct ctf_trace *t = c->formatted;

	if (t->metadata.len != 0 && t->folder >= 0)
		consumer_error(c, append(t, "metadata", &t->metadata));
	strbuf_reset(&t->metadata);
}

static void
write_packet(struct consumer *c, struct ctf_stream *s)
{
	struct ctf_trace *t = c->formatted;
	struct packet_head head = { .magic = MAGIC,
		.stream = s->class,
		.begin_ns = s->begin_ns,
		.end_ns = s->last_ns,
		.content = 8 * s->packet.len,
		.size = 8 * s->packet.len };
	char name[32];

	if (s->packet.len == 0)
		return;
	write_metadata(c);
	memcpy(s->packet.s, &head, sizeof(head));
	snprintf(name, sizeof(name), "stream_%zu", s - t->streams);
	if (t->folder >= 0 && c->error == 0)
		consumer_error(c, append(t, name, &s->packet));
	strbuf_reset(&s->packet);
}

static void
ctf_flush(struct consumer *c)
{
	struct ctf_trace *t = c->formatted;

	write_metadata(c);
	for (size_t i = 0; i < t->nstreams; i++)
		write_packet(c, &t->streams[i]);
}

/* ---- streams ------------------------------------------------------------ */

/* The stream of a class that the event continues, or a new one; NULL: none. */
static struct ctf_stream *
find_stream(struct ctf_trace *t, uint32_t class, uint64_t time_ns)
{
	struct ctf_stream *best = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->nstreams; i++) {
		struct ctf_stream *s = &t->streams[i];

		n += s->class == class;
		if (s->class == class && s->last_ns <= time_ns &&
		    (best == NULL || s->last_ns > best->last_ns))
			best = s;
	}
	if (best == NULL && n < STREAMS_MAX) {
		best = &t->streams[t->nstreams++];
		best->class = class;
	}
	return best;
}

/* The stream of a class whose last event is the earliest. */
static struct ctf_stream *
earliest_stream(struct ctf_trace *t, uint32_t class)
{
	struct ctf_stream *best = NULL;

	for (size_t i = 0; i < t->nstreams; i++) {
		struct ctf_stream *s = &t->streams[i];

		if (s->class == class &&
		    (best == NULL || s->last_ns < best->last_ns))
			best = s;
	}
	return best;
}

/*
 * Begin an event: its class and its time.  A process may have written the
 * time of its records.
 */
static struct strbuf *
begin_event(
    struct consumer *c, uint32_t class, uint64_t time_ns, uint32_t event_class)
{
	static const struct packet_head none;
	struct ctf_trace *t = c->formatted;
	uint64_t at = time_ns < TIME_MAX ? time_ns : TIME_MAX;
	struct ctf_stream *s = find_stream(t, class, at);

	if (s == NULL) {
		s = earliest_stream(t, class);
		at = s->last_ns;
	}
	t->nmoved += at != time_ns;
	if (s->packet.len >= PACKET_BYTES)
		write_packet(c, s);
	if (s->packet.len == 0) {
		strbuf_add(&s->packet, &none, sizeof(none));
		s->begin_ns = at;
	}
	s->last_ns = at;
	tsdl_put_number(&s->packet, event_class, sizeof(uint16_t));
	tsdl_put_number(&s->packet, at, sizeof(at));
	return &s->packet;
}

/* ---- classes of events -------------------------------------------------- */

/*
 * The class of the event that is being made, by its shape.  Sets *is_new if it
 * has to be declared; 0: there are too many.
 */
static uint32_t
find_class(struct ctf_trace *t, bool *is_new)
{
	uint32_t id = strtab_find(&t->classes, t->shape.s);

	*is_new = id == 0;
	if (id != 0 || t->classes.strs.n >= CLASSES_MAX ||
	    t->nshapes >= SHAPES_MAX)
		return id;
	t->nshapes += t->shape.len;
	return strtab_intern(&t->classes, t->shape.s);
}

static void
begin_class(struct strbuf *sb, uint32_t id, const char *name, uint32_t stream,
    struct tsdl_fields *f)
{
	strbuf_printf(sb, "\nevent {\n\tid = %u;\n\tname = ", id);
	tsdl_quote(sb, name);
	strbuf_printf(sb, ";\n\tstream_id = %u;\n\tfields := ", stream);
	tsdl_begin(f, sb, 1);
}

static void
end_class(struct tsdl_fields *f)
{
	tsdl_end(f);
	strbuf_adds(f->sb, ";\n};\n");
}

/* ---- records ------------------------------------------------------------ */

static bool
is_shown(const dtrace_action_t *act)
{
	return dif_act(act->dtac_kind)->effect == DIF_EFFECT_NONE;
}

/* The text of a printf(), which is a field before its arguments. */
static dtrace_value_t
text_of(const dtrace_action_t *act)
{
	size_t len = act->dtac_size;

	if (len > 0 && act->dtac_text[len - 1] == '\n')
		len--; /* a line's end is none of the text */
	return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_STRING,
		.dtva_data = act->dtac_text,
		.dtva_size = len };
}

static void
put_record(struct ctf_trace *t, const dtrace_event_t *ev)
{
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		const dtrace_action_t *act = &ev->dtev_actions[i];
		dtrace_value_t text = text_of(act);

		if (!is_shown(act))
			continue;
		if (act->dtac_format != NULL)
			tsdl_put(&t->data, &t->shape, &text);
		for (uint32_t k = 0; k < act->dtac_count; k++)
			tsdl_put(&t->data, &t->shape, &act->dtac_values[k]);
	}
}

static void
declare_action(
    struct tsdl_fields *f, const dtrace_action_t *act, const char **shape)
{
	struct strbuf name = { 0 };

	if (act->dtac_format != NULL) {
		dtrace_value_t text = text_of(act);

		tsdl_declare(f, act->dtac_name, &text, shape);
	}
	for (uint32_t k = 0; k < act->dtac_count; k++) {
		strbuf_reset(&name);
		strbuf_adds(&name, act->dtac_name);
		if (act->dtac_format != NULL)
			strbuf_printf(&name, "_arg%u", k);
		else if (act->dtac_values[k].dtva_name != NULL)
			strbuf_printf(
			    &name, "_%s", act->dtac_values[k].dtva_name);
		tsdl_declare(f, name.s, &act->dtac_values[k], shape);
	}
	strbuf_fini(&name);
}

static void
declare_record(struct ctf_trace *t, uint32_t id, const struct dt_probe *p,
    const dtrace_event_t *ev, const char *shape)
{
	struct strbuf name = { 0 };
	struct tsdl_fields f;

	strbuf_printf(&name, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	begin_class(&t->metadata, id, name.s, OF_RECORDS, &f);
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		if (is_shown(&ev->dtev_actions[i]))
			declare_action(&f, &ev->dtev_actions[i], &shape);
	}
	end_class(&f);
	strbuf_fini(&name);
}

static uint64_t
number_of(const struct chew *ch, enum dif_firing firing)
{
	struct datum d = chew_firing(ch, firing);

	return d.data != NULL ? datum_uint(&d) : UINT64_MAX;
}

/* The last data of the record say whose it is (whose.c), if it has them. */
static void
put_whose(struct strbuf *sb, const struct chew *ch)
{
	struct datum name = chew_firing(ch, DIF_FIRING_EXECNAME);
	size_t len = 0;
	const char *s = "";

	if (name.data != NULL)
		s = datum_text(ch->c->pl, &name, &len);
	tsdl_put_number(sb, ch->rec->cpu, sizeof(uint32_t));
	tsdl_put_number(sb, number_of(ch, DIF_FIRING_PID), sizeof(int32_t));
	tsdl_put_number(sb, number_of(ch, DIF_FIRING_TID), sizeof(int32_t));
	tsdl_put_text(sb, s, len);
}

static void
ctf_record(const struct chew *ch, const dtrace_event_t *ev)
{
	struct ctf_trace *t = ch->c->formatted;
	size_t prefix;
	struct strbuf *sb;
	uint32_t id;
	bool is_new;

	if (ev->dtev_nactions != 0 && !oformat_has_data(ev))
		return;
	strbuf_reset(&t->data);
	strbuf_reset(&t->shape);
	out_u64(&t->shape, ch->rec->epid, 0);
	strbuf_addc(&t->shape, ':');
	prefix = t->shape.len;
	put_record(t, ev);
	id = find_class(t, &is_new);
	if (id == 0) {
		ch->c->nunwritten++;
		return;
	}
	if (is_new)
		declare_record(t, id, ch->probe, ev, t->shape.s + prefix);
	sb = begin_event(ch->c, OF_RECORDS, ch->rec->time_ns, id);
	put_whose(sb, ch);
	strbuf_add(sb, t->data.s, t->data.len);
}

/* ---- aggregations ------------------------------------------------------- */

/* A bucket that is open on a side has the lowest or highest number there. */
static void
put_buckets(struct strbuf *data, const dtrace_aggvalue_t *val)
{
	tsdl_put_number(data, val->dtav_nbuckets, sizeof(uint32_t));
	for (uint32_t i = 0; i < val->dtav_nbuckets; i++) {
		const dtrace_bucket_t *b = &val->dtav_buckets[i];
		int64_t min = b->dtbu_has_min ? b->dtbu_min : INT64_MIN;
		int64_t max = b->dtbu_has_max ? b->dtbu_max : INT64_MAX;

		tsdl_put_number(data, (uint64_t)min, sizeof(min));
		tsdl_put_number(data, (uint64_t)max, sizeof(max));
		tsdl_put_number(data, (uint64_t)b->dtbu_count, sizeof(int64_t));
	}
}

static void
put_percentiles(struct strbuf *data, const dtrace_aggvalue_t *val)
{
	tsdl_put_number(data, val->dtav_npercentiles, sizeof(uint32_t));
	for (uint32_t i = 0; i < val->dtav_npercentiles; i++) {
		const dtrace_percentile_t *p = &val->dtav_percentiles[i];
		double percent = p->dtpc_percent / 1000.0;

		strbuf_add(data, &percent, sizeof(percent));
		tsdl_put_number(data, (uint64_t)p->dtpc_value, sizeof(int64_t));
	}
}

static bool
has_buckets(const dtrace_aggvalue_t *val)
{
	return val->dtav_value.dtva_kind == DTRACE_VALUE_NONE;
}

static void
put_row(
    struct ctf_trace *t, const dtrace_event_t *ev, const dtrace_aggvalue_t *val)
{
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++)
		tsdl_put(&t->data, &t->shape, &ev->dtev_keys[i]);
	if (val->dtav_kind == DT_ACT_PERCENTILE)
		put_percentiles(&t->data, val);
	else if (has_buckets(val))
		put_buckets(&t->data, val);
	else
		tsdl_put(&t->data, &t->shape, &val->dtav_value);
}

static void
declare_row(struct ctf_trace *t, uint32_t id, const dtrace_event_t *ev,
    const dtrace_aggvalue_t *val, const char *shape)
{
	struct strbuf name = { 0 };
	struct tsdl_fields f;

	strbuf_printf(&name, "@%s", val->dtav_name);
	begin_class(&t->metadata, id, name.s, OF_RUN, &f);
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		strbuf_reset(&name);
		strbuf_printf(&name, "key%u", i);
		tsdl_declare(&f, name.s, &ev->dtev_keys[i], &shape);
	}
	if (val->dtav_kind == DT_ACT_PERCENTILE)
		tsdl_declare_as(&f, val->dtav_function,
		    "struct { f64 _percent; i64 _value; }", true);
	else if (has_buckets(val))
		tsdl_declare_as(&f, val->dtav_function,
		    "struct { i64 _min; i64 _max; i64 _count; }", true);
	else
		tsdl_declare(&f, val->dtav_function, &val->dtav_value, &shape);
	end_class(&f);
	strbuf_fini(&name);
}

static void
row_event(
    struct consumer *c, const dtrace_event_t *ev, const dtrace_aggvalue_t *val)
{
	struct ctf_trace *t = c->formatted;
	size_t prefix;
	struct strbuf *sb;
	uint32_t id;
	bool is_new;

	strbuf_reset(&t->data);
	strbuf_reset(&t->shape);
	strbuf_printf(&t->shape, "@%s:%s:", val->dtav_name, val->dtav_function);
	prefix = t->shape.len;
	put_row(t, ev, val);
	id = find_class(t, &is_new);
	if (id == 0) {
		c->nunwritten++;
		return;
	}
	if (is_new)
		declare_row(t, id, ev, val, t->shape.s + prefix);
	sb = begin_event(c, OF_RUN, c->rows_ns, id);
	strbuf_add(sb, t->data.s, t->data.len);
}

static void
ctf_row(struct consumer *c, const dtrace_event_t *ev)
{
	for (uint32_t i = 0; i < ev->dtev_nvalues; i++)
		row_event(c, ev, &ev->dtev_values[i]);
}

/* ---- the run ------------------------------------------------------------ */

static void
declare_stream(struct strbuf *sb, unsigned class, const char *context)
{
	strbuf_printf(sb,
	    "\nstream {\n"
	    "\tid = %u;\n"
	    "\tpacket.context := struct {\n"
	    "\t\tns timestamp_begin;\n"
	    "\t\tns timestamp_end;\n"
	    "\t\tu64 content_size;\n"
	    "\t\tu64 packet_size;\n"
	    "\t};\n"
	    "\tevent.header := struct {\n"
	    "\t\tu16 id;\n"
	    "\t\tns timestamp;\n"
	    "\t};\n%s"
	    "};\n",
	    class, context);
}

static void
declare_streams(struct strbuf *sb)
{
	struct tsdl_fields f;

	declare_stream(sb, OF_RECORDS,
	    "\tevent.context := struct {\n"
	    "\t\tu32 _cpu;\n"
	    "\t\ti32 _pid;\n"
	    "\t\ti32 _tid;\n"
	    "\t\tstring _execname;\n"
	    "\t};\n");
	declare_stream(sb, OF_RUN, "");
	begin_class(sb, CLASS_END, "dtrace:end", OF_RUN, &f);
	tsdl_declare_as(&f, "status", "i32", false);
	end_class(&f);
}

static void
declare_trace(struct strbuf *sb)
{
	strbuf_adds(sb, "/* CTF 1.8 */\n\n");
	strbuf_adds(sb, tsdl_types);
	strbuf_adds(sb,
	    "\ntrace {\n"
	    "\tmajor = 1;\n"
	    "\tminor = 8;\n"
	    "\tbyte_order = le;\n"
	    "\tpacket.header := struct {\n"
	    "\t\tu32 magic;\n"
	    "\t\tu32 stream_id;\n"
	    "\t};\n"
	    "};\n");
}

/* The time of day at time 0; a recording may tell any. */
static uint64_t
offset_of(const struct consume_run *run)
{
	uint64_t offset =
	    run->wall_ns > run->start_ns ? run->wall_ns - run->start_ns : 0;

	return offset < TIME_MAX ? offset : TIME_MAX;
}

/* Times are CLOCK_MONOTONIC; its offset is that at the start of the run. */
static void
declare_clock(struct strbuf *sb, const struct consume_run *run)
{
	uint64_t offset = offset_of(run);

	strbuf_printf(sb,
	    "\nclock {\n"
	    "\tname = monotonic;\n"
	    "\tdescription = \"CLOCK_MONOTONIC\";\n"
	    "\tfreq = 1000000000;\n"
	    "\toffset_s = %llu;\n"
	    "\toffset = %llu;\n"
	    "\tabsolute = true;\n"
	    "};\n"
	    "typealias integer { size = 64; align = 8; signed = false; "
	    "map = clock.monotonic.value; } := ns;\n",
	    (unsigned long long)(offset / 1000000000),
	    (unsigned long long)(offset % 1000000000));
}

static void
declare_name(struct strbuf *sb, const char *name, const char *value)
{
	strbuf_printf(sb, "\t%s = ", name);
	tsdl_quote(sb, value);
	strbuf_adds(sb, ";\n");
}

static void
declare_run(struct strbuf *sb, const struct consume_run *run)
{
	strbuf_adds(sb, "\nenv {\n");
	declare_name(sb, "hostname", run->host);
	declare_name(sb, "kernel_release", run->kernel);
	declare_name(sb, "tracer_name", "dtrace");
	declare_name(sb, "tracer_version", run->product);
	strbuf_adds(sb, "};\n");
}

static void
ctf_start(struct consumer *c)
{
	const struct consume_run *run = oformat_run(c);
	struct ctf_trace *t = c->formatted;

	if (t->error != 0)
		consumer_error(c, t->error);
	declare_trace(&t->metadata);
	declare_run(&t->metadata, run);
	declare_clock(&t->metadata, run);
	declare_streams(&t->metadata);
	if (c->error == 0)
		write_metadata(c);
}

static void
ctf_end(struct consumer *c, int status)
{
	const struct ctf_trace *t = c->formatted;
	struct strbuf *sb = begin_event(c, OF_RUN, consumer_now(c), CLASS_END);

	tsdl_put_number(sb, (uint64_t)status, sizeof(int32_t));
	if (t->nmoved != 0)
		consumer_warn(c,
		    "%llu event%s in the trace a time that is not its own: "
		    "events came in no order",
		    (unsigned long long)t->nmoved,
		    t->nmoved == 1 ? " has" : "s have");
}

static void *
ctf_create(const struct consumer *c)
{
	struct ctf_trace *t = mem_alloc(sizeof(*t));

	t->folder = -1;
	if (c->opts.out_name != NULL) {
		t->folder =
		    open(c->opts.out_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		t->error = t->folder < 0 ? -errno : 0;
	}
	strtab_init(&t->classes);
	return t;
}

static void
ctf_destroy(void *state)
{
	struct ctf_trace *t = state;

	if (t->folder >= 0)
		close(t->folder);
	strtab_fini(&t->classes);
	for (size_t i = 0; i < t->nstreams; i++)
		strbuf_fini(&t->streams[i].packet);
	strbuf_fini(&t->metadata);
	strbuf_fini(&t->data);
	strbuf_fini(&t->shape);
	free(t);
}

const struct oformat_ops oformat_ctf = {
	.create = ctf_create,
	.destroy = ctf_destroy,
	.start = ctf_start,
	.end = ctf_end,
	.record = ctf_record,
	.row = ctf_row,
	.flush = ctf_flush,
	.needs_whose = true,
	.is_folder = true,
	.holds = "65,534 kinds of events at most",
};
