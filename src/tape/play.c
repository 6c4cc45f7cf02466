/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The player: what the consumer asks comes from a recording.
 *
 * A record is copied before the consumer gets it, for the consumer may ask for
 * aggregations while it holds the record, and the reader's block is another
 * then.
 */
#include "tape/tape_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A recorder notes a time for each line of the step's output. */
#define CLOCKS_MAX 65536

static struct tape_player *
player_of(struct dt_exec *x)
{
	return (struct tape_player *)x;
}

static size_t
drop_index(const struct tape_player *t, uint32_t kind, uint32_t cpu)
{
	return (size_t)kind * t->x.ncpus + cpu;
}

static void
take_drop(struct tape_player *t, const struct record_event *ev)
{
	size_t i;

	if (ev->drop.kind >= DT_DROP_MAX)
		return;
	i = drop_index(t, ev->drop.kind, ev->cpu);
	t->drops[i][0] = ev->drop.total;
	t->drops[i][1] = ev->drop.lost;
	t->drops[i][2] = ev->drop.most;
	t->idle[i] = ev->drop.idle <= 100 ? ev->drop.idle : 100;
}

int
tape_peek(struct tape_player *t, struct record_event *ev)
{
	int rc;

	if (t->error != 0)
		return t->error;
	rc = record_peek(t->r, ev, &t->err);
	if (rc < 0)
		t->error = rc;
	return rc;
}

void
tape_no_memory(struct tape_player *t)
{
	t->error = err_set(&t->err, -ENOMEM, "cannot read the recording: %s",
	    strerror(ENOMEM));
}

void
tape_take(struct tape_player *t, struct record_event *ev)
{
	if (record_next(t->r, ev, &t->err) != 1)
		return;
	if (ev->time_ns != 0) {
		t->now_ns = ev->time_ns;
		t->wall_offset_ns = ev->wall_ns - ev->time_ns;
	}
	if (ev->kind == RECORD_CLOCK && t->clocks.n < CLOCKS_MAX)
		VEC_PUSH(&t->clocks, ev->time_ns);
	if (ev->kind == RECORD_DROP)
		take_drop(t, ev);
	if (ev->kind == RECORD_END) {
		t->has_status = true;
		t->status = ev->result;
	}
}

/* ---- records ------------------------------------------------------------ */

static bool
copy_data(struct tape_player *t, const struct record_event *ev)
{
	if (t->copy == NULL || ev->size > t->copy_cap) {
		char *copy = realloc(t->copy, (size_t)ev->size + 1);

		if (copy == NULL)
			return false;
		t->copy = copy;
		t->copy_cap = ev->size;
	}
	memcpy(t->copy, ev->data, ev->size);
	return true;
}

static int
hand_over(struct tape_player *t, dt_record_f *f, void *arg)
{
	struct dt_record rec = { 0 };
	struct record_event ev;

	tape_take(t, &ev);
	tape_grow_plan(t);
	rec.cpu = ev.cpu;
	rec.time_ns = ev.time_ns;
	if (ev.kind == RECORD_FAULT) {
		rec.err = (struct dt_errinfo){ ev.fault.epid, ev.fault.action,
			ev.fault.fault, ev.fault.offset, ev.fault.value };
		return f(&rec, arg);
	}
	if (ev.epid == 0)
		return 0;
	if (!copy_data(t, &ev)) {
		tape_no_memory(t);
		return 0;
	}
	rec.epid = ev.epid;
	rec.next_epid = ev.next_epid;
	rec.data = t->copy;
	rec.size = ev.size;
	return f(&rec, arg);
}

/*
 * Hand over records, up to the event after which the recorded consumer had all.
 */
static int
drain(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	struct tape_player *t = player_of(x);
	struct record_event ev;
	int rc = 0;

	(void)merged;
	while (rc == 0 && tape_peek(t, &ev) == 1) {
		switch (ev.kind) {
		case RECORD_DATA:
		case RECORD_FAULT:
			if (ev.time_ns > t->until_ns)
				return 0;
			rc = hand_over(t, f, arg);
			break;
		case RECORD_DRAINED:
			tape_take(t, &ev);
			return 0;
		case RECORD_AGG_BEGIN:
			tape_read_agg(t);
			break;
		case RECORD_AGG_ENTRY:
		case RECORD_AGG_END:
		case RECORD_DROP:
		case RECORD_CLOCK:
			tape_take(t, &ev);
			t->nclocks = t->clocks.n; /* nobody asked */
			break;
		case RECORD_REPORT:
		case RECORD_NOTICE:
		case RECORD_STOPPED:
		case RECORD_END:
			return 0;
		}
	}
	return rc;
}

/* ---- drops -------------------------------------------------------------- */

static uint64_t
drops(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	const struct tape_player *t = player_of(x);

	return t->drops[drop_index(t, kind, cpu)][0];
}

static uint64_t
lost(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	const struct tape_player *t = player_of(x);

	return t->drops[drop_index(t, kind, cpu)][1];
}

/* The recording has the number once, among the drops of one CPU. */
static uint64_t
most(const struct dt_exec *x, enum dt_drop kind)
{
	const struct tape_player *t = (const struct tape_player *)x;
	uint64_t max = 0;

	for (uint32_t cpu = 0; cpu < x->ncpus; cpu++) {
		uint64_t n = t->drops[drop_index(t, kind, cpu)][2];

		max = n > max ? n : max;
	}
	return max;
}

static unsigned
idle(const struct dt_exec *x, uint32_t cpu)
{
	const struct tape_player *t = (const struct tape_player *)x;

	return t->idle[drop_index(t, DT_DROP_MISSED, cpu)];
}

/* ---- the book ----------------------------------------------------------- */

static const struct record_name *
find_name(void *arg, enum record_name_kind kind, uint64_t pid, uint64_t addr)
{
	const struct tape_player *t = arg;

	return record_find_name(t->r, kind, pid, addr);
}

static const struct record_mapping *
find_file(void *arg, uint64_t pid, uint64_t addr)
{
	const struct tape_player *t = arg;

	return record_find_mapping(t->r, pid, addr);
}

static const char *
find_kernel_file(void *arg, const char *module)
{
	const struct tape_player *t = arg;

	return record_find_build_id(t->r, module);
}

static uint64_t
clock_now(void *arg)
{
	struct tape_player *t = arg;
	struct record_event ev;

	if (t->nclocks == t->clocks.n && tape_peek(t, &ev) == 1 &&
	    ev.kind == RECORD_CLOCK)
		tape_take(t, &ev);
	return t->nclocks < t->clocks.n ? t->clocks.v[t->nclocks++] : t->now_ns;
}

static uint64_t
wall_offset(void *arg)
{
	const struct tape_player *t = arg;

	return t->wall_offset_ns;
}

/* ---- steps -------------------------------------------------------------- */

static void
set_text(struct tape_player *t, const char *text)
{
	free(t->text);
	t->text = mem_strdup(text);
}

bool
tape_player_time(struct tape_player *t, uint64_t *ns)
{
	struct record_event ev;

	if (tape_peek(t, &ev) != 1 ||
	    (ev.kind != RECORD_DATA && ev.kind != RECORD_FAULT))
		return false;
	*ns = ev.time_ns;
	return true;
}

void
tape_player_set_until(struct tape_player *t, uint64_t ns)
{
	t->until_ns = ns;
}

const char *
tape_player_text(const struct tape_player *t)
{
	return t->text != NULL ? t->text : "";
}

bool
tape_player_status(const struct tape_player *t, int *status)
{
	*status = t->status;
	return t->has_status;
}

/* The step for an event.  False: none is needed, and the event was taken. */
static bool
step_of(struct tape_player *t, struct record_event *ev, uint32_t *agg,
    enum tape_step *step)
{
	switch (ev->kind) {
	case RECORD_DATA:
	case RECORD_FAULT:
	case RECORD_DRAINED:
		*step = TAPE_WORK;
		return true;
	case RECORD_AGG_BEGIN:
		*agg = ev->agg;
		*step = TAPE_TURN;
		if (ev->is_turn && ev->agg >= 1 && ev->agg <= t->pl->aggs.n)
			return true;
		tape_read_agg(t);
		return false;
	case RECORD_REPORT:
		*step = TAPE_DROPS;
		tape_take(t, ev);
		return true;
	case RECORD_NOTICE:
		*step = TAPE_NOTICE;
		tape_take(t, ev);
		set_text(t, ev->text);
		return true;
	case RECORD_STOPPED:
		*step = TAPE_STOPPED;
		tape_take(t, ev);
		return true;
	case RECORD_AGG_ENTRY:
	case RECORD_AGG_END:
	case RECORD_DROP:
	case RECORD_CLOCK:
	case RECORD_END:
		tape_take(t, ev);
		break;
	}
	return false;
}

enum tape_step
tape_player_next(struct tape_player *t, uint32_t *agg)
{
	struct record_event ev;
	enum tape_step step;
	int rc;

	t->clocks.n = t->nclocks = 0;
	while ((rc = tape_peek(t, &ev)) == 1) {
		if (step_of(t, &ev, agg, &step))
			return step;
	}
	if (rc == 0)
		return TAPE_END;
	set_text(t, err_text(&t->err));
	return TAPE_ERROR;
}

/* ---- life --------------------------------------------------------------- */

static void
set_ops(struct tape_player *t)
{
	t->ops = (struct dt_exec_ops){ .name = "recording",
		.is_in_process = record_machine(t->r)->is_in_process,
		.drain = drain,
		.agg_walk = tape_play_walk,
		.agg_turn = tape_play_turn,
		.drops = drops,
		.lost = lost,
		.most = most,
		.idle = idle };
	t->book = (struct consume_book){ .find = find_name,
		.find_file = find_file,
		.find_kernel_file = find_kernel_file,
		.clock = clock_now,
		.wall_offset = wall_offset,
		.arg = t };
}

int
tape_play(struct record *r, struct plan *pl, struct tape_player **outp,
    struct err *err)
{
	struct tape_player *t = mem_alloc(sizeof(*t));
	size_t n;
	int rc;

	t->r = r;
	t->pl = pl;
	set_ops(t);
	t->x = (struct dt_exec){ .ops = &t->ops,
		.ncpus = record_machine(r)->ncpus };
	t->until_ns = UINT64_MAX;
	t->now_ns = record_machine(r)->time_ns;
	t->wall_offset_ns = record_machine(r)->wall_ns - t->now_ns;
	n = (size_t)t->x.ncpus * DT_DROP_MAX;
	t->drops = mem_alloc(n * sizeof(*t->drops));
	t->idle = mem_alloc(n * sizeof(*t->idle));
	rc = tape_make_plan(t, err);
	if (rc != 0) {
		tape_player_destroy(t);
		return rc;
	}
	VEC_FOREACH(&pl->clauses, pc)
		pc->in_process = t->ops.is_in_process;
	tape_aggs_init(t);
	*outp = t;
	return 0;
}

void
tape_player_destroy(struct tape_player *t)
{
	if (t == NULL)
		return;
	VEC_FOREACH(&t->probes, p)
		free(*p);
	VEC_FREE(&t->probes);
	tape_aggs_fini(t);
	VEC_FREE(&t->clocks);
	free(t->drops);
	free(t->idle);
	free(t->copy);
	free(t->text);
	err_clear(&t->err);
	free(t);
}

const struct dt_exec_ops *
tape_player_ops(struct tape_player *t)
{
	return &t->ops;
}

struct dt_exec *
tape_player_exec(struct tape_player *t)
{
	return &t->x;
}

const struct consume_book *
tape_player_book(struct tape_player *t)
{
	return &t->book;
}
