/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the principal buffers; the layout is in shared.h.
 *
 * A drain has up to three stages, so that BEGIN's records come first and END's
 * last whatever CPU they are on: up to begin_pos, up to end_pos (or now), and
 * the rest.  Within a stage records are taken CPU by CPU, or merged by time.
 *
 * What was taken is zeroed and given back to the writers a chunk at a time, not
 * record by record: they read `tail` for every record of theirs, and each store
 * to it takes that cache line away from them.
 *
 *	tail -> [ taken | taken ] pos -> [ next record | ...  ] limit
 */
#include "exec/bpf/bpf_impl.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK (16 * 1024)

/*
 * When records come in masses, young ones are always left behind: look again
 * for them after a while that a person does not notice, not at once.
 */
#define BUSY_RECORDS 256
#define BUSY_WAIT_NS 20000000ULL

struct cursor {
	struct bx_buf *buf;
	uint32_t cpu;
	uint64_t pos;		/* of the next record; tail <= pos <= limit */
	uint64_t limit;		/* position behind the last record to take */
	bool has;		/* rec is the next record */
	struct dt_record rec;
	uint32_t epid;		/* the last one looked up, and its clause */
	const struct plan_clause *pc;
};

/* Bytes between a record and the next. */
static uint64_t
gap_after(const struct dt_exec *x)
{
	return x->opts.bufpolicy == DT_BUF_RING ? BX_RING_WORD : 0;
}

static uint64_t
record_time(const unsigned char *p)
{
	uint32_t hi, lo;

	memcpy(&hi, p + 4, sizeof(hi));
	memcpy(&lo, p + 8, sizeof(lo));
	return (uint64_t)hi << 32 | lo;
}

static void
fill_error(struct dt_record *rec, const struct bx_errrec *e)
{
	rec->epid = 0;
	rec->size = sizeof(*e);
	rec->err = (struct dt_errinfo){ .epid = e->epid,
		.action = e->action,
		.fault = e->fault,
		.offset = (int32_t)e->offset,
		.value = e->value };
}

/* Where the record at a position is, if it is complete; NULL otherwise. */
static unsigned char *
record_at(const struct dt_exec *x, const struct cursor *c, uint64_t pos,
    uint32_t *epid)
{
	unsigned char *p = c->buf->data + (pos & (x->bufsize - 1));

	if (pos >= c->limit)
		return NULL;
	/* pairs with the writer's last store, see kern.bpf.c commit() */
	*epid = __atomic_load_n((uint32_t *)(void *)p, __ATOMIC_ACQUIRE);
	return *epid != 0 ? p : NULL;
}

/* What kind of record it is, hence its size; false: no such enabling. */
static bool
cursor_identify(const struct dt_exec *x, struct cursor *c, uint32_t epid)
{
	if (epid == BX_EPID_ERROR) {
		fill_error(&c->rec, (const void *)c->rec.data);
		return true;
	}
	if (epid != c->epid) {
		c->pc = plan_by_epid(x->pl, epid, NULL);
		c->epid = epid;
	}
	if (c->pc == NULL)
		return false;
	c->rec.epid = epid;
	c->rec.size = c->pc->size;
	return true;
}

/* Look at the next record, if it is complete. */
static void
cursor_peek(const struct dt_exec *x, struct cursor *c)
{
	unsigned char *p;
	uint32_t epid;

	c->has = false;
	p = record_at(x, c, c->pos, &epid);
	if (p == NULL)
		return;
	c->rec.cpu = c->cpu;
	c->rec.time_ns = record_time(p);
	c->rec.data = (const char *)p;
	if (!cursor_identify(x, c, epid))
		return;
	c->rec.next_epid = 0;
	if (record_at(x, c, c->pos + c->rec.size + gap_after(x), &epid) !=
	        NULL &&
	    epid != BX_EPID_ERROR)
		c->rec.next_epid = epid;
	c->has = true;
}

/* Leave zeroes behind (an EPID of 0 is "not written yet"), then release. */
static void
cursor_release(const struct dt_exec *x, struct cursor *c)
{
	uint64_t tail = c->buf->tail;

	if (tail == c->pos)
		return;
	memset(c->buf->data + (tail & (x->bufsize - 1)), 0, c->pos - tail);
	__atomic_store_n(&c->buf->tail, c->pos, __ATOMIC_RELEASE);
}

/*
 * Go on to the next record.  Those taken are in one piece until one of them
 * has crossed the end of the buffer.  A small buffer is released sooner.
 */
static void
cursor_next(const struct dt_exec *x, struct cursor *c)
{
	uint64_t mask = x->bufsize - 1, tail = c->buf->tail;

	c->pos += c->rec.size + gap_after(x);
	if (c->pos - tail >= CHUNK || c->pos - tail >= x->bufsize / 16 ||
	    (c->pos & mask) <= (tail & mask))
		cursor_release(x, c);
	cursor_peek(x, c);
}

static bool
is_before(const struct cursor *a, const struct cursor *b)
{
	if (a->rec.time_ns != b->rec.time_ns)
		return a->rec.time_ns < b->rec.time_ns;
	return a->cpu < b->cpu;
}

/* A heap of cursors, the oldest record at the top: put heap[i] in its place. */
static void
heap_sift(struct cursor **heap, size_t n, size_t i)
{
	struct cursor *c = heap[i];

	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && is_before(heap[kid + 1], heap[kid]))
			kid++;
		if (!is_before(heap[kid], c))
			break;
		heap[i] = heap[kid];
	}
	heap[i] = c;
}

static size_t
heap_init(const struct dt_exec *x, struct cursor *cs, struct cursor **heap)
{
	size_t n = 0;

	for (uint32_t i = 0; i < x->ncpus; i++) {
		cursor_peek(x, &cs[i]);
		if (cs[i].has)
			heap[n++] = &cs[i];
	}
	for (size_t i = n / 2; i-- > 0;)
		heap_sift(heap, n, i);
	return n;
}

static int
drain_merged(struct dt_exec *x, struct cursor *cs, uint64_t before,
    dt_record_f *f, void *arg)
{
	struct cursor **heap = mem_alloc(x->ncpus * sizeof(*heap));
	size_t n = heap_init(x, cs, heap), taken = 0;
	int rc = 0;

	while (n > 0 && rc == 0 && heap[0]->rec.time_ns < before) {
		rc = f(&heap[0]->rec, arg);
		taken++;
		cursor_next(x, heap[0]);
		if (!heap[0]->has)
			heap[0] = heap[--n];
		heap_sift(heap, n, 0);
	}
	if (rc == 0 && n > 0)
		x->pending_ns = taken < BUSY_RECORDS ? BX_MERGE_GUARD_NS :
						       BUSY_WAIT_NS;
	else
		x->pending_ns = 0;
	free(heap);
	return rc;
}

static int
drain_by_cpu(const struct dt_exec *x, struct cursor *cs, dt_record_f *f,
    void *arg)
{
	int rc = 0;

	for (uint32_t i = 0; i < x->ncpus && rc == 0; i++) {
		cursor_peek(x, &cs[i]);
		while (cs[i].has && rc == 0) {
			rc = f(&cs[i].rec, arg);
			cursor_next(x, &cs[i]);
		}
	}
	return rc;
}

/*
 * The oldest record of a ring that is still whole: from head backwards, by the
 * words that tell each record's size.
 */
static uint64_t
ring_oldest(const struct dt_exec *x, const struct bx_buf *buf)
{
	uint64_t pos = buf->head, end = buf->tail, size;

	if (pos - end > x->bufsize)
		end = pos - x->bufsize;
	while (pos >= end + BX_RING_WORD) {
		memcpy(&size, buf->data + ((pos - BX_RING_WORD) &
		    (x->bufsize - 1)), sizeof(size));
		if (size > pos - end || size < PLAN_RECHDR + BX_RING_WORD)
			break;
		pos -= size;
	}
	return pos;
}

/* The buffer that holds a CPU's records of this stage, from `tail` on. */
static struct bx_buf *
stage_buf(const struct dt_exec *x, uint32_t cpu)
{
	bool is_begin = x->begin_bufs != NULL && !x->begin_done;
	struct bx_buf *buf = is_begin ? x->begin_bufs[cpu] : bx_buf(x, cpu);

	if (x->opts.bufpolicy == DT_BUF_RING)
		buf->tail = ring_oldest(x, buf);
	return buf;
}

/*
 * A ring would write over BEGIN's records.  Only BEGIN has run yet: move what
 * it left, and start with empty buffers.
 */
void
bx_set_begin_aside(struct dt_exec *x)
{
	if (x->bufs == NULL)
		return;
	x->begin_bufs = mem_alloc(x->ncpus * sizeof(*x->begin_bufs));
	for (uint32_t cpu = 0; cpu < x->ncpus; cpu++) {
		struct bx_buf *buf = bx_buf(x, cpu);
		size_t len = buf->head != 0 ? x->buf_stride : sizeof(*buf);

		x->begin_bufs[cpu] = mem_alloc(len);
		memcpy(x->begin_bufs[cpu], buf, len);
		if (buf->head != 0)
			memset(buf, 0, len);
	}
}

/* One stage: all CPUs up to `limit` (NULL: what is there now). */
static int
drain_stage(struct dt_exec *x, struct cursor *cs, const uint64_t *limit,
    bool merged, uint64_t before, dt_record_f *f, void *arg)
{
	int rc;

	for (uint32_t i = 0; i < x->ncpus; i++) {
		cs[i].buf = stage_buf(x, i);
		cs[i].cpu = i;
		cs[i].pos = cs[i].buf->tail;
		cs[i].limit = limit != NULL ? limit[i] :
		    __atomic_load_n(&cs[i].buf->head, __ATOMIC_ACQUIRE);
	}
	rc = merged ? drain_merged(x, cs, before, f, arg) :
		      drain_by_cpu(x, cs, f, arg);
	for (uint32_t i = 0; i < x->ncpus; i++)
		cursor_release(x, &cs[i]);
	return rc;
}

int
bx_drain(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	bool stopped = x->stop_ns != 0;
	uint64_t before = stopped ? UINT64_MAX : bx_now_ns() - BX_MERGE_GUARD_NS;
	struct cursor *cs;
	int rc = 0;

	if (x->bufs == NULL ||
	    (x->opts.bufpolicy != DT_BUF_SWITCH && !stopped))
		return 0;
	cs = mem_alloc(x->ncpus * sizeof(*cs));
	if (!x->begin_done) {
		rc = drain_stage(x, cs, x->begin_pos, merged, UINT64_MAX, f,
		    arg);
		x->begin_done = rc == 0;
	}
	if (rc == 0 && x->has_end)
		rc = drain_stage(x, cs, x->end_pos, merged, before, f, arg);
	if (rc == 0)
		rc = drain_stage(x, cs, NULL, merged, before, f, arg);
	free(cs);
	return rc;
}
