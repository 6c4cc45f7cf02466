/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary heap: of a thousand hosts, the next one is found in ten steps. */
#include "tape/merge_impl.h"

/* Of events at one time, those of the host that was there first come first. */
static bool
is_before(const struct merge_host *a, const struct merge_host *b)
{
	return a->next_ns != b->next_ns ? a->next_ns < b->next_ns :
					  a->number < b->number;
}

void
merge_queue_put(struct tape_merge *m, struct merge_host *h, uint64_t next_ns)
{
	size_t i = m->queue.n;

	h->is_queued = true;
	h->next_ns = next_ns;
	VEC_PUSH(&m->queue, h);
	while (i != 0 && is_before(h, m->queue.v[(i - 1) / 2])) {
		m->queue.v[i] = m->queue.v[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->queue.v[i] = h;
}

/* Let the last one sink from the free place at the top. */
static void
sink(struct tape_merge *m)
{
	struct merge_host **v = m->queue.v, *last = v[m->queue.n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < m->queue.n) {
		if (child + 1 < m->queue.n && is_before(v[child + 1], v[child]))
			child++;
		if (!is_before(v[child], last))
			break;
		v[i] = v[child];
		i = child;
	}
	v[i] = last;
}

struct merge_host *
merge_queue_take(struct tape_merge *m, uint64_t until)
{
	struct merge_host *h;

	if (m->queue.n == 0 || m->queue.v[0]->next_ns > until)
		return NULL;
	h = m->queue.v[0];
	m->queue.n--;
	sink(m);
	h->is_queued = false;
	return h;
}

void
merge_queue_clear(struct tape_merge *m)
{
	VEC_FOREACH(&m->queue, h)
		(*h)->is_queued = false;
	m->queue.n = 0;
}
