/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recordings of a fleet as one substrate.
 *
 * Each host is read in its own order; of all hosts, the one whose last event is
 * the oldest by wall time comes next.  A clock that is ahead of the moment at
 * which its data came is taken for that moment, so no host can hold up others.
 *
 * BEGIN, END and tick fire on every host, and are printed once: the records of
 * the first host that is there are handed over.  One that exits is handed over
 * from any host.  END's records wait until all hosts have ended, behind the
 * last values of all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tape/merge_impl.h"

/* drain() returns, so that the values are merged and their memory is free. */
#define PENDING_MAX 65536

static struct tape_merge *
merge_of(struct dt_exec *x)
{
	return (struct tape_merge *)x;
}

bool
merge_peek(struct merge_host *h, struct record_event *ev)
{
	struct err err = { 0 };
	int rc = record_peek(h->r, ev, &err);

	err_clear(&err);
	return rc == 1;
}

void
merge_take(struct tape_merge *m, struct merge_host *h, struct record_event *ev)
{
	struct err err = { 0 };

	if (record_next(h->r, ev, &err) != 1) {
		err_clear(&err);
		return;
	}
	merge_map_host(m, h);
	if (ev->time_ns != 0) {
		h->now_ns = ev->time_ns;
		h->wall_offset_ns = ev->wall_ns - ev->time_ns;
	}
	if (ev->kind == RECORD_STOPPED)
		h->has_stopped = true;
	if (ev->kind == RECORD_END) {
		h->has_status = true;
		h->status = ev->result;
	}
}

/* ---- records ------------------------------------------------------------- */

/* A lost host may have records that were not handed over yet. */
static bool
is_there(struct merge_host *h)
{
	struct record_event ev;

	return !h->is_lost || (!h->has_stopped && merge_peek(h, &ev));
}

static struct merge_host *
first_host(const struct tape_merge *m)
{
	VEC_FOREACH(&m->hosts, h) {
		if (is_there(*h))
			return *h;
	}
	return NULL;
}

/* Do all hosts have this record, and is another host's copy printed? */
static bool
is_shown_once(const struct tape_merge *m, const struct merge_host *h,
    const struct plan_clause *pc, const struct dt_probe *p)
{
	if (p->kind != DT_PROBE_RUN)
		return false;
	if (plan_clause_does(pc, DIF_STEP_EXIT))
		return m->has_exited;
	return h != first_host(m);
}

static char *
copy_record(struct tape_merge *m, const struct record_event *ev)
{
	if (m->copy == NULL || ev->size > m->copy_cap) {
		m->copy = mem_realloc(m->copy, (size_t)ev->size + 1);
		m->copy_cap = ev->size;
	}
	memcpy(m->copy, ev->data, ev->size);
	return m->copy;
}

static int
give_fault(const struct merge_host *h, const struct record_event *ev,
    dt_record_f *f, void *arg)
{
	struct dt_record rec = { .cpu = ev->cpu,
		.time_ns = ev->time_ns,
		.err = { merge_epid(h, ev->fault.epid), ev->fault.action,
		    ev->fault.fault, ev->fault.offset, ev->fault.value } };

	return f(&rec, arg);
}

static int
give_record(struct tape_merge *m, struct merge_host *h,
    const struct record_event *ev, dt_record_f *f, void *arg)
{
	struct dt_record rec = { .epid = merge_epid(h, ev->epid),
		.next_epid = merge_epid(h, ev->next_epid),
		.cpu = ev->cpu,
		.time_ns = ev->time_ns,
		.size = ev->size };
	const struct dt_probe *p = NULL;
	const struct plan_clause *pc = plan_by_epid(m->pl, rec.epid, &p);
	char *data;

	if (pc == NULL || ev->size < pc->size || ev->size < PLAN_RECHDR ||
	    is_shown_once(m, h, pc, p))
		return 0;
	m->has_exited |= plan_clause_does(pc, DIF_STEP_EXIT);
	data = copy_record(m, ev);
	memcpy(data, &rec.epid, sizeof(rec.epid));
	merge_strings(m, h, pc->recs.v, pc->recs.n, data, 0);
	rec.data = data;
	return f(&rec, arg);
}

/* ---- order --------------------------------------------------------------- */

/* The time of the host's next event. */
static uint64_t
wall_of(struct merge_host *h, const struct record_event *ev)
{
	uint64_t wall = ev->wall_ns;

	if (wall > h->arrived_ns)
		wall = h->arrived_ns;
	if (wall > h->wall_ns)
		h->wall_ns = wall;
	return h->wall_ns;
}

/* END's records wait until all hosts have stopped. */
static bool
must_wait(const struct tape_merge *m, const struct merge_host *h)
{
	return h->has_stopped && !m->is_finishing;
}

/*
 * Queue the host by what is known without decoding its next block: a thousand
 * decoded blocks would take much memory.
 */
static void
queue_host(struct tape_merge *m, struct merge_host *h)
{
	if (!h->is_queued && !must_wait(m, h))
		merge_queue_put(m, h, h->wall_ns);
}

/* Is the host's event the next one?  If not, queue the host again. */
static bool
is_next(struct tape_merge *m, struct merge_host *h)
{
	struct record_event ev;
	uint64_t wall;

	if (!merge_peek(h, &ev))
		return false;
	wall =
	    h->has_stopped && h == first_host(m) ? UINT64_MAX : wall_of(h, &ev);
	if (wall > h->next_ns)
		merge_queue_put(m, h, wall);
	return !h->is_queued;
}

static void
queue_all(struct tape_merge *m)
{
	merge_queue_clear(m);
	VEC_FOREACH(&m->hosts, h)
		queue_host(m, *h);
}

static int
step(struct tape_merge *m, struct merge_host *h, dt_record_f *f, void *arg)
{
	struct record_event ev;
	int rc = 0;

	if (!merge_peek(h, &ev))
		return 0;
	/* a turn has several blocks; all but the first begin with an entry */
	if (ev.kind == RECORD_AGG_BEGIN || ev.kind == RECORD_AGG_ENTRY) {
		merge_take_agg(m, h, PENDING_MAX);
		return 0;
	}
	merge_take(m, h, &ev);
	m->current = h;
	if (ev.kind == RECORD_DATA)
		rc = give_record(m, h, &ev, f, arg);
	else if (ev.kind == RECORD_FAULT)
		rc = give_fault(h, &ev, f, arg);
	m->current = NULL;
	return rc;
}

static int
drain(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	struct tape_merge *m = merge_of(x);
	struct merge_host *h;
	int rc = 0;

	(void)merged;
	while (rc == 0 && m->npending < PENDING_MAX &&
	    (h = merge_queue_take(m, m->until_ns)) != NULL) {
		if (!is_next(m, h))
			continue;
		rc = step(m, h, f, arg);
		queue_host(m, h);
	}
	return rc;
}

static uint64_t
drops(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	(void)x;
	(void)kind;
	(void)cpu;
	return 0; /* each host's dtrace tells of its own */
}

/* ---- the book ------------------------------------------------------------ */

static const struct record_name *
find_name(void *arg, enum record_name_kind kind, uint64_t pid, uint64_t addr)
{
	const struct tape_merge *m = arg;

	return m->current != NULL ?
	    record_find_name(m->current->r, kind, pid, addr) :
	    NULL;
}

static uint64_t
clock_now(void *arg)
{
	const struct tape_merge *m = arg;

	return m->current != NULL ? m->current->now_ns : now_ns();
}

static uint64_t
wall_offset(void *arg)
{
	const struct tape_merge *m = arg;

	return m->current != NULL ? m->current->wall_offset_ns :
				    wall_offset_ns();
}

/* ---- hosts --------------------------------------------------------------- */

int
tape_merge_differs(const char *what, size_t n, struct err *err)
{
	return err_set(err, -EINVAL,
	    "it makes other data of %s %zu than the first host: its kernel's "
	    "types or its version of dtrace differ: ask it alone (--hosts)",
	    what, n);
}

int
tape_merge_is_other(struct err *err)
{
	return err_set(err, -EINVAL, "it runs another program");
}

/* The sizes in a recording's tables: a hostile host's program has others. */
CHECKED static int
compare(const struct plan *pl, const struct record *r, struct err *err)
{
	if (record_nclauses(r) != pl->clauses.n ||
	    record_naggs(r) != pl->aggs.n)
		return tape_merge_is_other(err);
	for (uint32_t i = 0; i < pl->clauses.n; i++) {
		const struct record_clause *rc = record_clause(r, i);

		if (rc == NULL || rc->size != pl->clauses.v[i].size)
			return tape_merge_differs("clause", i + 1, err);
	}
	for (uint32_t i = 0; i < pl->aggs.n; i++) {
		const struct record_agg *ra = record_agg(r, i + 1);
		const struct plan_agg *pa = &pl->aggs.v[i];

		if (pa->agg == NULL || ra == NULL ||
		    ra->kind != pa->agg->kind || ra->arg != pa->agg->arg ||
		    ra->key_size != pa->key_size ||
		    ra->val_size != pa->val_size)
			return tape_merge_differs("aggregation", i + 1, err);
	}
	return 0;
}

int
tape_merge_add(
    struct tape_merge *m, struct record *r, const char *host, struct err *err)
{
	struct merge_host *h;
	int rc = compare(m->pl, r, err);

	if (rc != 0) {
		record_close(r);
		return rc;
	}
	h = mem_alloc(sizeof(*h));
	h->r = r;
	h->name = mem_strdup(host);
	h->arrived_ns = clock_read_ns(CLOCK_REALTIME);
	h->now_ns = record_machine(r)->time_ns;
	h->wall_offset_ns = record_machine(r)->wall_ns - h->now_ns;
	h->number = (uint32_t)m->hosts.n;
	merge_map_host(m, h);
	VEC_PUSH(&m->hosts, h);
	queue_host(m, h);
	return (int)h->number;
}

bool
tape_merge_feed(struct tape_merge *m, int host, const void *data, size_t len,
    uint64_t wall_ns)
{
	struct merge_host *h = m->hosts.v[host];

	if (record_unread(h->r) + len > TAPE_MERGE_UNREAD_MAX)
		return false;
	h->arrived_ns = wall_ns;
	record_feed(h->r, data, len);
	queue_host(m, h);
	return true;
}

const char *
tape_merge_damage(struct tape_merge *m, int host)
{
	struct merge_host *h = m->hosts.v[host];
	const char *text = record_damage(h->r, h->ndamaged);

	h->ndamaged += text != NULL;
	return text;
}

void
tape_merge_lose(struct tape_merge *m, int host)
{
	m->hosts.v[host]->is_lost = true;
	/* BEGIN's and END's records come from another host now */
	if (m->is_finishing)
		queue_all(m);
}

void
tape_merge_set_until(struct tape_merge *m, uint64_t wall_ns)
{
	m->until_ns = wall_ns;
}

void
tape_merge_finish(struct tape_merge *m)
{
	m->is_finishing = true;
	m->until_ns = UINT64_MAX;
	queue_all(m);
}

bool
tape_merge_has_ended(const struct tape_merge *m, int host, int *status)
{
	*status = m->hosts.v[host]->status;
	return m->hosts.v[host]->has_status;
}

/* ---- life ---------------------------------------------------------------- */

struct tape_merge *
tape_merge_create(struct plan *pl)
{
	struct tape_merge *m = mem_alloc(sizeof(*m));

	/* clauses without probes are those that may get some */
	VEC_FOREACH(&pl->clauses, pc)
		pc->may_grow = true;
	plan_finish(pl);
	m->pl = pl;
	m->unknown = strtab_intern(pl->strs, "?");
	m->ops = (struct dt_exec_ops){ .name = "fleet",
		.drain = drain,
		.agg_walk = merge_walk,
		.agg_turn = merge_turn,
		.drops = drops };
	m->book = (struct consume_book){ .find = find_name,
		.clock = clock_now,
		.wall_offset = wall_offset,
		.arg = m };
	m->x = (struct dt_exec){ .ops = &m->ops, .ncpus = 1 };
	merge_aggs_init(m);
	return m;
}

void
tape_merge_destroy(struct tape_merge *m)
{
	if (m == NULL)
		return;
	VEC_FOREACH(&m->hosts, hp) {
		record_close((*hp)->r);
		free((*hp)->name);
		VEC_FREE(&(*hp)->epids);
		VEC_FREE(&(*hp)->strings);
		free(*hp);
	}
	VEC_FREE(&m->hosts);
	VEC_FREE(&m->queue);
	merge_aggs_fini(m);
	merge_map_fini(m);
	free(m->copy);
	free(m);
}

const struct dt_exec_ops *
tape_merge_ops(struct tape_merge *m)
{
	return &m->ops;
}

struct dt_exec *
tape_merge_exec(struct tape_merge *m)
{
	return &m->x;
}

const struct consume_book *
tape_merge_book(struct tape_merge *m)
{
	return &m->book;
}
