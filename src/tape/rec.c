/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder: it hands everything from the substrate to the consumer, and
 * notes it.  An event is noted before the consumer gets it, so that names the
 * consumer looks up for it come later.
 */
#include "tape/tape_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* Time between two notes of aggregations' values, which are also noted when
 * they are read. */
#define AGGS_NS 1000000000

static struct tape_recorder *
recorder_of(struct dt_exec *x)
{
	return (struct tape_recorder *)x;
}

/* Once the file is closed, nothing is noted. */
static void
put(struct tape_recorder *t, const struct record_event *ev)
{
	if (t->w != NULL)
		record_put_event(t->w, ev);
}

static void
tell_failure(struct tape_recorder *t)
{
	char *text = record_write_failure(t->w);

	if (text != NULL) {
		t->has_told = true;
		t->run.notice(t->run.notice_arg, text);
	}
	free(text);
}

/* ---- aggregations ------------------------------------------------------- */

struct entries {
	struct tape_recorder *t;
	uint32_t key_size, val_size;
	dt_aggent_f *f; /* or NULL */
	void *arg;
};

static int
take_entry(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	const struct entries *e = arg;
	struct record_event ev = { .kind = RECORD_AGG_ENTRY,
		.agg = agg_id,
		.data = key,
		.size = e->key_size,
		.val = val,
		.val_size = e->val_size };

	put(e->t, &ev);
	return e->f != NULL ? e->f(agg_id, key, val, e->arg) : 0;
}

static int
read_agg(struct tape_recorder *t, bool is_turn, uint32_t agg_id, dt_aggent_f *f,
    void *arg)
{
	const struct plan_agg *pa = &t->run.pl->aggs.v[agg_id - 1];
	struct entries e = { t, pa->key_size, pa->val_size, f, arg };
	struct record_event ev = {
		.kind = RECORD_AGG_BEGIN, .agg = agg_id, .is_turn = is_turn
	};

	if (t->w != NULL)
		tape_put_new(t);
	put(t, &ev);
	ev.result = is_turn ?
	    t->run.ops->agg_turn(t->run.x, agg_id, take_entry, &e) :
	    t->run.ops->agg_walk(t->run.x, agg_id, take_entry, &e);
	ev.kind = RECORD_AGG_END;
	put(t, &ev);
	t->is_read[agg_id - 1] = t->has_ended;
	return ev.result;
}

/* Option fleethost: the values since the last call go into the recording. */
static int
give_agg(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	(void)f;
	(void)arg;
	return read_agg(recorder_of(x), true, agg_id, NULL, NULL);
}

static int
agg_walk(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	return read_agg(recorder_of(x), false, agg_id, f, arg);
}

static int
agg_turn(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	return read_agg(recorder_of(x), true, agg_id, f, arg);
}

static void
agg_fill(struct dt_exec *x, uint32_t agg_id, uint64_t *used, uint64_t *room)
{
	const struct tape_recorder *t = recorder_of(x);

	t->run.ops->agg_fill(t->run.x, agg_id, used, room);
}

/* ---- records ------------------------------------------------------------ */

static void
put_fault(struct tape_recorder *t, const struct dt_record *rec)
{
	struct record_event ev = { .kind = RECORD_FAULT,
		.time_ns = rec->time_ns,
		.cpu = rec->cpu,
		.fault = { rec->err.epid, rec->err.action, rec->err.fault,
		    rec->err.offset, rec->err.value } };

	put(t, &ev);
}

/* There are millions of records: what record_put_data() does not read is not
 * cleared. */
static void
put_data(struct tape_recorder *t, const struct dt_record *rec)
{
	struct record_event ev;

	ev.time_ns = rec->time_ns;
	ev.cpu = rec->cpu;
	ev.epid = rec->epid;
	ev.next_epid = rec->next_epid;
	ev.data = rec->data;
	ev.size = rec->size;
	record_put_data(t->w, &ev);
}

static int
take_record(const struct dt_record *rec, void *arg)
{
	struct tape_recorder *t = arg;

	t->has_records = true;
	if (t->w != NULL)
		tape_put_new(t);
	if (rec->epid == 0)
		put_fault(t, rec);
	else if (t->w != NULL)
		put_data(t, rec);
	return t->on_record(rec, t->arg);
}

/*
 * Note all values of aggregations now and then, so that a recording that is cut
 * off has them.  This takes 1 % of the time at most.  The first call only sets
 * the time of the next one.
 */
static void
note_aggs(struct tape_recorder *t)
{
	uint64_t now = now_ns();

	if (t->w == NULL || t->run.pl->aggs.n == 0 || t->has_ended ||
	    t->run.is_asked || now < t->next_aggs)
		return;
	for (uint32_t i = 0; i < t->run.pl->aggs.n && t->next_aggs != 0; i++) {
		if (t->run.pl->aggs.v[i].agg != NULL)
			read_agg(t, t->run.is_fleet, i + 1, NULL, NULL);
	}
	t->next_aggs = now_ns() + 100 * (now_ns() - now);
	if (t->next_aggs < now + AGGS_NS)
		t->next_aggs = now + AGGS_NS;
}

static int
drain(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	struct tape_recorder *t = recorder_of(x);
	struct record_event ev = { .kind = RECORD_DRAINED };
	int rc;

	t->on_record = f;
	t->arg = arg;
	rc = t->run.ops->drain(t->run.x, merged, take_record, t);
	note_aggs(t);
	/* a host without records sends its first event, then deltas alone */
	if (!t->run.is_fleet || t->has_records)
		put(t, &ev);
	t->has_records = false;
	if (t->w != NULL) {
		record_flush_old(t->w);
		tell_failure(t);
	}
	return rc;
}

/* ---- drops -------------------------------------------------------------- */

static uint64_t
lost(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	const struct tape_recorder *t = recorder_of(x);

	return t->run.ops->lost != NULL ?
	    t->run.ops->lost(t->run.x, kind, cpu) :
	    0;
}

static uint64_t
most(const struct dt_exec *x, enum dt_drop kind)
{
	const struct tape_recorder *t = (const struct tape_recorder *)x;

	return t->run.ops->most != NULL ? t->run.ops->most(t->run.x, kind) : 0;
}

static unsigned
idle(const struct dt_exec *x, uint32_t cpu)
{
	const struct tape_recorder *t = (const struct tape_recorder *)x;

	return t->run.ops->idle != NULL ? t->run.ops->idle(t->run.x, cpu) : 0;
}

static uint64_t
drops(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	struct tape_recorder *t = recorder_of(x);
	uint64_t *known = &t->drops[(uint32_t)kind * x->ncpus + cpu];
	uint64_t now = t->run.ops->drops(t->run.x, kind, cpu);
	struct record_event ev = { .kind = RECORD_DROP, .cpu = cpu };

	if (now == *known)
		return now;
	*known = now;
	ev.drop.kind = (uint32_t)kind;
	ev.drop.total = now;
	ev.drop.lost = lost(x, kind, cpu);
	ev.drop.most = most(x, kind);
	ev.drop.idle = idle(x, cpu);
	put(t, &ev);
	return now;
}

/* ---- the book ----------------------------------------------------------- */

static uint64_t
clock_now(void *arg)
{
	struct tape_recorder *t = arg;
	struct record_event ev = { .kind = RECORD_CLOCK, .time_ns = now_ns() };

	put(t, &ev);
	return ev.time_ns;
}

/* ---- life --------------------------------------------------------------- */

static void
set_ops(struct tape_recorder *t)
{
	const struct dt_exec_ops *real = t->run.ops;

	t->ops = (struct dt_exec_ops){ .name = real->name,
		.is_in_process = real->is_in_process,
		.drain = drain,
		.agg_walk = t->run.is_fleet ? give_agg : agg_walk,
		.agg_turn = t->run.is_fleet ? give_agg : agg_turn,
		.agg_fill = real->agg_fill != NULL ? agg_fill : NULL,
		.drops = drops,
		.lost = lost,
		.most = most,
		.idle = idle };
	t->book = (struct consume_book){ .note = tape_note_name,
		.note_file = tape_note_file,
		.note_kernel_file = tape_note_kernel_file,
		.thread = tape_note_thread,
		.clock = clock_now,
		.arg = t };
}

int
tape_record(const char *path, const struct tape_run *run,
    struct tape_recorder **outp, struct err *err)
{
	struct tape_recorder *t = mem_alloc(sizeof(*t));
	int rc = record_create(path, &t->w, err);

	if (rc != 0) {
		free(t);
		return rc;
	}
	t->run = *run;
	strtab_init(&t->built);
	set_ops(t);
	t->x = (struct dt_exec){ .ops = &t->ops,
		.ncpus = run->x->ncpus,
		.bufsize = run->x->bufsize };
	t->drops =
	    mem_alloc((size_t)t->x.ncpus * DT_DROP_MAX * sizeof(*t->drops));
	t->is_read = mem_alloc((run->pl->aggs.n + 1) * sizeof(*t->is_read));
	tape_put_start(t);
	t->run.dof = NULL;
	t->has_records = true;
	*outp = t;
	return 0;
}

const struct dt_exec_ops *
tape_recorder_ops(struct tape_recorder *t)
{
	return &t->ops;
}

struct dt_exec *
tape_recorder_exec(struct tape_recorder *t)
{
	return &t->x;
}

const struct consume_book *
tape_recorder_book(struct tape_recorder *t)
{
	return &t->book;
}

void
tape_recorder_notice(struct tape_recorder *t, const char *text)
{
	struct record_event ev = { .kind = RECORD_NOTICE, .text = text };

	put(t, &ev);
}

void
tape_recorder_report(struct tape_recorder *t)
{
	struct record_event ev = { .kind = RECORD_REPORT };

	put(t, &ev);
}

void
tape_recorder_stopped(struct tape_recorder *t)
{
	struct record_event ev = { .kind = RECORD_STOPPED };

	if (!t->has_ended)
		put(t, &ev);
	t->has_ended = true;
}

void
tape_recorder_sync(struct tape_recorder *t)
{
	if (t->w == NULL)
		return;
	record_sync(t->w);
	if (!t->has_told)
		tell_failure(t);
}

void
tape_recorder_end(struct tape_recorder *t, int status)
{
	struct record_event ev = { .kind = RECORD_END, .result = status };

	for (uint32_t i = 0; i < t->run.pl->aggs.n; i++) {
		bool wants = !t->is_read[i] || t->run.is_fleet;

		if (wants && t->run.pl->aggs.v[i].agg != NULL)
			read_agg(t, t->run.is_fleet, i + 1, NULL, NULL);
	}
	put(t, &ev);
}

int
tape_recorder_finish(struct tape_recorder *t, struct err *err)
{
	struct record_writer *w = t->w;
	int rc;

	if (w == NULL)
		return 0;
	tell_failure(t);
	t->w = NULL;
	rc = record_finish(w, err);
	if (rc != 0 && t->has_told) {
		err_clear(err);
		rc = 0;
	}
	return rc;
}

void
tape_recorder_destroy(struct tape_recorder *t)
{
	struct err err = { 0 };

	if (t == NULL)
		return;
	err_forget(tape_recorder_finish(t, &err), &err);
	idmap_fini(&t->numbers);
	free(t->names);
	strtab_fini(&t->built);
	idmap_fini(&t->processes);
	idmap_fini(&t->threads);
	idmap_fini(&t->mapped);
	VEC_FREE(&t->mappings);
	free(t->drops);
	free(t->is_read);
	free(t);
}
