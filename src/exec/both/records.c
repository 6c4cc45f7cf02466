/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of both parts, in time order.
 *
 * A drain empties the parts into queues, up to the youngest records that they
 * hand over, and hands over what is older than EXEC_MERGE_GUARD_NS: an older
 * record can come from neither part then.
 *
 *	kernel	 [ 10 | 12 | 19 ] --\        guard
 *	process	 [ 11 | 17 | 21 ] ---> 10 11 12 | 17 19 21 wait
 *
 * Each part hands its records over in time order, BEGIN's first and END's last.
 * Nothing but BEGIN has run when its records are written, and nothing runs any
 * more when END's are, so the queues keep that order.
 */
#include "exec/both/impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "exec/drain.h"

/* A record in a queue; its data follow. */
struct queued {
	struct dt_record rec; /* data: not valid */
	size_t size;	      /* with the data, up to the next */
};

#define ALIGN sizeof(uint64_t)

/* ---- queues ---------------------------------------------------------- */

static bool
is_empty(const struct both_queue *q)
{
	return q->first == q->bytes.n;
}

static int
keep(const struct dt_record *rec, void *arg)
{
	struct both_queue *q = arg;
	struct queued entry = { .rec = *rec,
		.size =
		    (sizeof(entry) + rec->size + ALIGN - 1) & ~(ALIGN - 1) };
	size_t at = q->bytes.n;

	VEC_RESERVE(&q->bytes, at + entry.size);
	memcpy(q->bytes.v + at, &entry, sizeof(entry));
	memcpy(q->bytes.v + at + sizeof(entry), rec->data, rec->size);
	q->bytes.n = at + entry.size;
	return 0;
}

static const struct queued *
first_of(const struct both_queue *q)
{
	return (const struct queued *)(const void *)(q->bytes.v + q->first);
}

/* Forget what was handed over. */
static void
compact(struct both_queue *q)
{
	size_t left = q->bytes.n - q->first;

	if (q->first != 0 && left != 0)
		memmove(q->bytes.v, q->bytes.v + q->first, left);
	q->bytes.n = left;
	q->first = 0;
}

void
both_queue_fini(struct both_queue *q)
{
	VEC_FREE(&q->bytes);
}

/* ---- draining -------------------------------------------------------- */

/* The queue with the oldest record; NULL: all are empty. */
static struct both_queue *
oldest(struct both_exec *x)
{
	struct both_queue *best = NULL;

	BOTH_FOREACH(x, part)
	{
		struct both_queue *q = &part->queue;

		if (!is_empty(q) &&
		    (best == NULL ||
			first_of(q)->rec.time_ns < first_of(best)->rec.time_ns))
			best = q;
	}
	return best;
}

static int
hand_over(struct both_queue *q, dt_record_f *f, void *arg)
{
	const struct queued *entry = first_of(q);
	struct dt_record rec = entry->rec;

	rec.data = (const char *)(entry + 1);
	q->first += entry->size;
	return f(&rec, arg);
}

static int
merge(struct both_exec *x, uint64_t before, dt_record_f *f, void *arg)
{
	struct both_queue *q;
	int rc = 0;

	while (rc == 0 && (q = oldest(x)) != NULL &&
	    first_of(q)->rec.time_ns < before)
		rc = hand_over(q, f, arg);
	return rc;
}

/* Merged also without `merged`: the records of a CPU may be in both parts. */
int
both_drain(struct dt_exec *e, bool merged, dt_record_f *f, void *arg)
{
	struct both_exec *x = both_of(e);
	uint64_t before =
	    x->is_stopped ? UINT64_MAX : now_ns() - EXEC_MERGE_GUARD_NS;
	int rc = 0;

	if (x->nparts == 1)
		return x->parts[0].ops->drain(x->parts[0].x, merged, f, arg);
	BOTH_FOREACH(x, part)
	{
		if (rc == 0)
			rc =
			    part->ops->drain(part->x, true, keep, &part->queue);
	}
	if (rc == 0)
		rc = merge(x, before, f, arg);
	BOTH_FOREACH(x, done)
	compact(&done->queue);
	return rc;
}

uint64_t
both_pending_ns(const struct dt_exec *e)
{
	const struct both_exec *x = both_of(e);
	uint64_t least = 0;

	BOTH_FOREACH(x, part)
	{
		uint64_t ns = part->ops->pending_ns(part->x);

		if (!is_empty(&part->queue) &&
		    (ns == 0 || ns > EXEC_MERGE_GUARD_NS))
			ns = EXEC_MERGE_GUARD_NS;
		if (ns != 0 && (least == 0 || ns < least))
			least = ns;
	}
	return least;
}

bool
both_is_filling(const struct dt_exec *e)
{
	const struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (part->ops->is_filling(part->x))
			return true;
	}
	return false;
}
