/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the principal buffers; the layout is in shared.h.
 *
 * A drain has up to three stages, so that BEGIN's records come first and END's
 * last whatever CPU they are on: up to begin_pos, up to end_pos (or now), and
 * the rest.  Within a stage records are taken CPU by CPU, or merged by time.
 */
#include "exec/bpf/bpf_impl.h"

#include <stdlib.h>
#include <string.h>

struct cursor {
	struct bx_buf *buf;
	uint32_t cpu;
	uint64_t limit;		/* position behind the last record to take */
	bool has;		/* rec is the next record */
	struct dt_record rec;
};

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

/* Look at the record at the buffer's tail, if it is complete. */
static void
cursor_peek(const struct dt_exec *x, struct cursor *c)
{
	unsigned char *p;
	uint32_t epid;

	c->has = false;
	p = record_at(x, c, c->buf->tail, &epid);
	if (p == NULL)
		return;
	memset(&c->rec, 0, sizeof(c->rec));
	c->rec.cpu = c->cpu;
	c->rec.time_ns = record_time(p);
	c->rec.data = (const char *)p;
	if (epid == BX_EPID_ERROR) {
		fill_error(&c->rec, (const struct bx_errrec *)(void *)p);
	} else {
		const struct plan_clause *pc = plan_by_epid(x->pl, epid, NULL);

		if (pc == NULL)
			return;
		c->rec.epid = epid;
		c->rec.size = pc->size;
	}
	if (record_at(x, c, c->buf->tail + c->rec.size, &epid) != NULL &&
	    epid != BX_EPID_ERROR)
		c->rec.next_epid = epid;
	c->has = true;
}

/* Leave zeroes behind (an EPID of 0 is "not written yet"), then release. */
static void
cursor_consume(struct cursor *c)
{
	memset((char *)(uintptr_t)c->rec.data, 0, c->rec.size);
	__atomic_store_n(&c->buf->tail, c->buf->tail + c->rec.size,
	    __ATOMIC_RELEASE);
}

static struct cursor *
oldest(struct cursor *cs, size_t n)
{
	struct cursor *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (cs[i].has &&
		    (best == NULL || cs[i].rec.time_ns < best->rec.time_ns))
			best = &cs[i];
	}
	return best;
}

static int
drain_merged(struct dt_exec *x, struct cursor *cs, uint64_t before,
    dt_record_f *f, void *arg)
{
	struct cursor *c;
	int rc;

	for (uint32_t i = 0; i < x->ncpus; i++)
		cursor_peek(x, &cs[i]);
	while ((c = oldest(cs, x->ncpus)) != NULL && c->rec.time_ns < before) {
		rc = f(&c->rec, arg);
		cursor_consume(c);
		if (rc != 0)
			return rc;
		cursor_peek(x, c);
	}
	x->pending = c != NULL;
	return 0;
}

static int
drain_by_cpu(const struct dt_exec *x, struct cursor *cs, dt_record_f *f,
    void *arg)
{
	for (uint32_t i = 0; i < x->ncpus; i++) {
		for (cursor_peek(x, &cs[i]); cs[i].has;
		     cursor_peek(x, &cs[i])) {
			int rc = f(&cs[i].rec, arg);

			cursor_consume(&cs[i]);
			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

/* One stage: all CPUs up to `limit` (NULL: what is there now). */
static int
drain_stage(struct dt_exec *x, struct cursor *cs, const uint64_t *limit,
    bool merged, uint64_t before, dt_record_f *f, void *arg)
{
	for (uint32_t i = 0; i < x->ncpus; i++) {
		cs[i].buf = bx_buf(x, i);
		cs[i].cpu = i;
		cs[i].limit = limit != NULL ? limit[i] :
		    __atomic_load_n(&cs[i].buf->head, __ATOMIC_ACQUIRE);
	}
	return merged ? drain_merged(x, cs, before, f, arg) :
			drain_by_cpu(x, cs, f, arg);
}

int
bx_drain(struct dt_exec *x, bool merged, dt_record_f *f, void *arg)
{
	bool stopped = x->stop_ns != 0;
	uint64_t before = stopped ? UINT64_MAX : bx_now_ns() - BX_MERGE_GUARD_NS;
	struct cursor *cs;
	int rc = 0;

	if (x->bufs == NULL)
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
