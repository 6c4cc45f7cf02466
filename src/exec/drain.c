/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the principal buffers.
 *
 * A drain has up to three stages, so that BEGIN's records come first and END's
 * last whatever buffer they are in: up to begin_pos, up to end_pos (or now),
 * and the rest.  Within a stage records are taken buffer by buffer, or merged
 * by time.
 *
 * Records that were taken are zeroed and given back to the writers a chunk at a
 * time, not record by record: writers read `tail` for every record, and each
 * store to it takes that cache line away from them.
 *
 *	tail -> [ taken | taken ] pos -> [ next record | ...  ] limit
 */
#include "exec/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#define CHUNK (16 * 1024)
#define BUF_MIN 65536 /* a script without recording clauses */
#define NS 1000000000ULL

/*
 * When records come in masses, young ones are always left behind: look again
 * for them after a while that a person does not notice, not at once.
 */
#define RECORD_ALIGN 4
#define BUSY_RECORDS 256
#define BUSY_WAIT_NS 20000000ULL

struct cursor {
	struct exec_buf *buf;
	uint64_t *tail; /* of it; it has a copy */
	uint64_t size;	/* of its data */
	uint32_t i;
	uint64_t pos;	     /* of the next record; tail <= pos <= limit */
	uint64_t next;	     /* of the one behind it */
	uint64_t limit;	     /* position behind the last record to take */
	uint64_t release_at; /* what was taken goes back when pos is here */
	bool has;	     /* rec is the next record */
	struct dt_record rec;
	uint32_t epid; /* the last one looked up, and its clause */
	const struct plan_clause *pc;
};

static bool
has_memory(const struct exec_bufs *bs)
{
	return bs->parts[0].base != NULL;
}

/* Bytes between a record and the next. */
static uint64_t
gap_after(const struct exec_bufs *bs)
{
	return bs->policy == DT_BUF_RING || !bs->by_cpu ? EXEC_BUF_WORD : 0;
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
fill_error(struct dt_record *rec, const struct exec_errrec *e)
{
	rec->epid = 0;
	rec->size = sizeof(*e);
	rec->err = (struct dt_errinfo){ .epid = e->epid,
		.action = e->action,
		.fault = e->fault,
		.offset = (int32_t)e->offset,
		.value = e->value };
}

/* The record at a position, if it is complete; NULL otherwise. */
static unsigned char *
record_at(const struct cursor *c, uint64_t pos, uint32_t *epid)
{
	unsigned char *p = c->buf->data + (pos & (c->size - 1));

	if (pos >= c->limit)
		return NULL;
	/* pairs with the writer's last store, see kern.bpf.c commit() */
	*epid = __atomic_load_n((uint32_t *)(void *)p, __ATOMIC_ACQUIRE);
	return *epid != 0 ? p : NULL;
}

/* Find the record's kind, and so its size; false: no such enabling. */
static bool
cursor_identify(struct exec_bufs *bs, struct cursor *c, uint32_t epid)
{
	if (epid == EXEC_EPID_ERROR) {
		fill_error(&c->rec, (const void *)c->rec.data);
		return true;
	}
	if (epid != c->epid) {
		c->pc = plan_by_epid(bs->pl, epid, NULL);
		c->epid = epid;
	}
	if (c->pc == NULL) {
		bs->is_damaged = true;
		return false;
	}
	c->rec.epid = epid;
	c->rec.size = c->pc->size;
	return true;
}

/* The CPU that wrote the record. */
static uint32_t
record_cpu(struct exec_bufs *bs, const struct cursor *c)
{
	uint32_t word[2];

	if (bs->by_cpu)
		return c->i;
	memcpy(word, c->buf->data + ((c->pos + c->rec.size) & (c->size - 1)),
	    sizeof(word));
	if (word[1] < bs->ncpus)
		return word[1];
	bs->is_damaged = true;
	return 0;
}

/* Look at the next record, if it is complete. */
static void
cursor_peek(struct exec_bufs *bs, struct cursor *c)
{
	unsigned char *p;
	uint32_t epid;

	c->has = false;
	p = record_at(c, c->pos, &epid);
	if (p == NULL)
		return;
	c->rec.time_ns = record_time(p);
	c->rec.data = (const char *)p;
	if (!cursor_identify(bs, c, epid))
		return;
	c->rec.cpu = record_cpu(bs, c);
	c->next = c->pos + c->rec.size + gap_after(bs);
	c->rec.next_epid = 0;
	if (record_at(c, c->next, &epid) != NULL && epid != EXEC_EPID_ERROR)
		c->rec.next_epid = epid;
	c->has = true;
}

/*
 * Records that were taken are in one piece until one of them has crossed the
 * end of the buffer.  A small buffer is released sooner.
 */
static uint64_t
release_place(const struct cursor *c, uint64_t tail)
{
	uint64_t end = (tail | (c->size - 1)) + 1;
	uint64_t chunk = c->size / 16 < CHUNK ? c->size / 16 : CHUNK;

	return tail + chunk < end ? tail + chunk : end;
}

/* Leave zeroes behind (an EPID of 0 is "not written yet"), then release. */
static void
cursor_release(struct cursor *c)
{
	uint64_t tail = *c->tail;

	if (tail == c->pos)
		return;
	memset(c->buf->data + (tail & (c->size - 1)), 0, c->pos - tail);
	*c->tail = c->pos;
	__atomic_store_n(&c->buf->tail, c->pos, __ATOMIC_RELEASE);
}

/* Go on to the next record. */
static void
cursor_next(struct exec_bufs *bs, struct cursor *c)
{
	c->pos = c->next;
	if (c->pos >= c->release_at) {
		cursor_release(c);
		c->release_at = release_place(c, c->pos);
	}
	cursor_peek(bs, c);
}

/*
 * Hand a record over.  A record in memory that processes can write to is copied
 * first, so that it cannot change during f.
 */
static int
hand_over(
    const struct exec_bufs *bs, struct cursor *c, dt_record_f *f, void *arg)
{
	if (bs->copy != NULL) {
		memcpy(bs->copy, c->rec.data, c->rec.size);
		memcpy(bs->copy, &c->rec.epid, sizeof(c->rec.epid));
		c->rec.data = bs->copy;
	}
	return f(&c->rec, arg);
}

static bool
is_before(const struct cursor *a, const struct cursor *b)
{
	if (a->rec.time_ns != b->rec.time_ns)
		return a->rec.time_ns < b->rec.time_ns;
	return a->i < b->i;
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
heap_init(struct exec_bufs *bs, struct cursor *cs, struct cursor **heap)
{
	size_t n = 0;

	for (uint32_t i = 0; i < bs->used; i++) {
		cursor_peek(bs, &cs[i]);
		if (cs[i].has)
			heap[n++] = &cs[i];
	}
	for (size_t i = n / 2; i-- > 0;)
		heap_sift(heap, n, i);
	return n;
}

static int
drain_merged(struct exec_bufs *bs, struct cursor *cs, uint64_t before,
    dt_record_f *f, void *arg)
{
	struct cursor **heap = mem_alloc((bs->used + 1) * sizeof(*heap));
	size_t n = heap_init(bs, cs, heap), taken = 0;
	int rc = 0;

	while (n > 0 && rc == 0 && heap[0]->rec.time_ns < before) {
		rc = hand_over(bs, heap[0], f, arg);
		taken++;
		cursor_next(bs, heap[0]);
		if (!heap[0]->has)
			heap[0] = heap[--n];
		if (n > 1)
			heap_sift(heap, n, 0);
	}
	if (rc == 0 && n > 0)
		bs->pending_ns =
		    taken < BUSY_RECORDS ? EXEC_MERGE_GUARD_NS : BUSY_WAIT_NS;
	else
		bs->pending_ns = 0;
	free(heap);
	return rc;
}

static int
drain_each(struct exec_bufs *bs, struct cursor *cs, dt_record_f *f, void *arg)
{
	int rc = 0;

	for (uint32_t i = 0; i < bs->used && rc == 0; i++) {
		cursor_peek(bs, &cs[i]);
		while (cs[i].has && rc == 0) {
			rc = hand_over(bs, &cs[i], f, arg);
			cursor_next(bs, &cs[i]);
		}
	}
	return rc;
}

/*
 * The oldest record of a ring that is still whole: from head backwards, by the
 * words that tell each record's size.
 */
static uint64_t
ring_oldest(const struct exec_buf *buf, uint64_t buf_size, uint64_t end)
{
	uint64_t pos = buf->head & ~(uint64_t)(RECORD_ALIGN - 1);
	uint32_t size;

	if (pos - end > buf_size)
		end = pos - buf_size;
	while (pos >= end + EXEC_BUF_WORD) {
		memcpy(&size,
		    buf->data + ((pos - EXEC_BUF_WORD) & (buf_size - 1)),
		    sizeof(size));
		if (size > pos - end || size < PLAN_RECHDR + EXEC_BUF_WORD ||
		    size % RECORD_ALIGN != 0)
			break;
		pos -= size;
	}
	return pos;
}

/* The buffer that holds a writer's records of this stage, from `tail` on. */
static struct exec_buf *
stage_buf(const struct exec_bufs *bs, uint32_t i)
{
	bool is_begin = bs->begin_bufs != NULL && !bs->begin_done;
	struct exec_buf *buf =
	    is_begin ? bs->begin_bufs[i] : exec_buf_at(bs, i);

	if (bs->policy == DT_BUF_RING)
		bs->tail[i] =
		    ring_oldest(buf, exec_bufs_part(bs, i)->size, bs->tail[i]);
	return buf;
}

/*
 * A ring would write over BEGIN's records.  Only BEGIN has run yet: move what
 * it left, and start with empty buffers.
 */
static void
set_begin_aside(struct exec_bufs *bs)
{
	bs->begin_bufs = mem_alloc(bs->n * sizeof(*bs->begin_bufs));
	for (uint32_t i = 0; i < bs->n; i++) {
		struct exec_buf *buf = exec_buf_at(bs, i);
		size_t len = buf->head != 0 ? exec_bufs_part(bs, i)->stride :
					      sizeof(*buf);

		bs->begin_bufs[i] = mem_alloc(len);
		memcpy(bs->begin_bufs[i], buf, len);
		if (buf->head != 0)
			memset(buf, 0, len);
	}
}

/*
 * The position to which to read: `end`, which was the writer's, but no further
 * than there is room, since a writer may give any number.
 */
static uint64_t
stage_limit(struct exec_bufs *bs, uint64_t size, uint64_t tail, uint64_t end)
{
	int64_t n = (int64_t)(end - tail);

	if (n <= (int64_t)size)
		return n < 0 ? tail : end;
	bs->is_damaged = true;
	return tail + size;
}

/* One stage: all buffers up to `limit` (NULL: what is there now). */
static int
drain_stage(struct exec_bufs *bs, struct cursor *cs, const uint64_t *limit,
    bool merged, uint64_t before, dt_record_f *f, void *arg)
{
	int rc;

	for (uint32_t i = 0; i < bs->used; i++) {
		cs[i].buf = stage_buf(bs, i);
		cs[i].size = exec_bufs_part(bs, i)->size;
		cs[i].tail = &bs->tail[i];
		cs[i].i = i;
		cs[i].pos = bs->tail[i];
		cs[i].release_at = release_place(&cs[i], bs->tail[i]);
		cs[i].limit = stage_limit(bs, cs[i].size, cs[i].pos,
		    limit != NULL ?
			limit[i] :
			__atomic_load_n(&cs[i].buf->head, __ATOMIC_ACQUIRE));
	}
	rc = merged ? drain_merged(bs, cs, before, f, arg) :
		      drain_each(bs, cs, f, arg);
	for (uint32_t i = 0; i < bs->used; i++)
		cursor_release(&cs[i]);
	return rc;
}

/* Drain BEGIN's records, which a ring has elsewhere. */
static int
drain_begin(struct exec_bufs *bs, struct cursor *cs, bool merged,
    dt_record_f *f, void *arg)
{
	int rc = drain_stage(bs, cs, bs->begin_pos, merged, UINT64_MAX, f, arg);

	bs->begin_done = rc == 0;
	if (bs->begin_done && bs->begin_bufs != NULL)
		memset(bs->tail, 0, bs->n * sizeof(*bs->tail));
	return rc;
}

int
exec_bufs_drain(struct exec_bufs *bs, bool merged, dt_record_f *f, void *arg)
{
	uint64_t before =
	    bs->is_stopped ? UINT64_MAX : now_ns() - EXEC_MERGE_GUARD_NS;
	struct cursor *cs;
	int rc = 0;

	if (!has_memory(bs) || (bs->policy != DT_BUF_SWITCH && !bs->is_stopped))
		return 0;
	cs = mem_alloc((bs->used + 1) * sizeof(*cs));
	if (!bs->begin_done)
		rc = drain_begin(bs, cs, merged, f, arg);
	if (rc != 0)
		goto out;
	if (bs->has_end)
		rc = drain_stage(bs, cs, bs->end_pos, merged, before, f, arg);
	if (rc != 0)
		goto out;
	rc = drain_stage(bs, cs, NULL, merged, before, f, arg);
out:
	free(cs);
	return rc;
}

bool
exec_bufs_are_filling(const struct exec_bufs *bs)
{
	if (!has_memory(bs) || bs->policy != DT_BUF_SWITCH)
		return false;
	for (uint32_t i = 0; i < bs->used; i++) {
		uint64_t head = __atomic_load_n(
		    &exec_buf_at(bs, i)->head, __ATOMIC_RELAXED);

		if (head - bs->tail[i] >= exec_bufs_part(bs, i)->size / 2)
			return true;
	}
	return false;
}

/* ---- life --------------------------------------------------------------- */

int
exec_check_cpu(const struct dt_exec_opts *opts, uint32_t n, struct err *err)
{
	if (opts->cpu < (int)n)
		return 0;
	return err_set(err, -EINVAL,
	    "option cpu: there is no CPU %d; the last one is %u", opts->cpu,
	    n - 1);
}

uint32_t
exec_record_max(const struct plan *pl)
{
	uint32_t max = sizeof(struct exec_errrec);

	VEC_FOREACH(&pl->clauses, pc)
		max = pc->size > max ? pc->size : max;
	return max;
}

static bool
is_dtrace_probe(const struct dt_probe *p)
{
	return strcmp(p->prov, "dtrace") == 0;
}

/* Does the clause run more often than dtrace's own probes? */
static bool
records_often(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, pp) {
		if (!is_dtrace_probe(*pp))
			return true;
	}
	return pc->may_grow;
}

uint64_t
exec_bufs_size(const struct plan *pl, const struct dt_exec_opts *opts)
{
	uint64_t size = BUF_MIN, want = BUF_MIN, least = 0;
	bool is_much = opts->bufsize_set;

	VEC_FOREACH(&pl->clauses, pc) {
		want += 2 * pc->size;
		is_much |= pc->size != 0 && records_often(pc);
		least = pc->size > least ? pc->size : least;
	}
	if (is_much || want > opts->bufsize)
		want = opts->bufsize;
	if (want < 2 * least)
		want = 2 * least;
	while (size > want && size > EXEC_BUF_MIN)
		size /= 2;
	while (size < want)
		size *= 2;
	return size;
}

uint64_t
exec_bufs_stride(uint64_t size, uint32_t record_max)
{
	uint64_t room = record_max + sizeof(struct exec_errrec);

	return (sizeof(struct exec_buf) + size + room + 7) & ~7ULL;
}

const struct exec_bufs_part *
exec_bufs_part(const struct exec_bufs *bs, uint32_t i)
{
	const struct exec_bufs_part *p = bs->parts;

	while (i >= p->end)
		p++;
	return p;
}

struct exec_buf *
exec_buf_at(const struct exec_bufs *bs, uint32_t i)
{
	const struct exec_bufs_part *p = exec_bufs_part(bs, i);
	uint32_t first = p == bs->parts ? 0 : p[-1].end;

	return (struct exec_buf *)(void *)(p->base + (i - first) * p->stride);
}

void
exec_bufs_init(struct exec_bufs *bs)
{
	if (bs->parts[0].end == 0)
		bs->parts[0].end = bs->n;
	bs->used = bs->n;
	bs->tail = mem_alloc(bs->n * sizeof(*bs->tail));
	bs->begin_pos = mem_alloc(bs->n * sizeof(*bs->begin_pos));
	bs->end_pos = mem_alloc(bs->n * sizeof(*bs->end_pos));
	if (!bs->by_cpu)
		bs->copy = mem_alloc(exec_record_max(bs->pl));
}

void
exec_bufs_fini(struct exec_bufs *bs)
{
	for (uint32_t i = 0; bs->begin_bufs != NULL && i < bs->n; i++)
		free(bs->begin_bufs[i]);
	free(bs->begin_bufs);
	free(bs->tail);
	free(bs->begin_pos);
	free(bs->end_pos);
	free(bs->copy);
}

static void
note_positions(const struct exec_bufs *bs, uint64_t *pos)
{
	for (uint32_t i = 0; has_memory(bs) && i < bs->used; i++)
		pos[i] = exec_buf_at(bs, i)->head;
}

void
exec_bufs_begun(struct exec_bufs *bs)
{
	note_positions(bs, bs->begin_pos);
	if (bs->policy == DT_BUF_RING && has_memory(bs))
		set_begin_aside(bs);
}

void
exec_bufs_stopped(struct exec_bufs *bs)
{
	note_positions(bs, bs->end_pos);
	bs->has_end = bs->is_stopped = true;
}
