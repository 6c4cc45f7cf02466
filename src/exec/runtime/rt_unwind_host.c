/* SPDX-License-Identifier: BSD-2-Clause */
/* The mappings on the host, as the machine state lists them. */
#include "exec/runtime/rt_unwind.h"

static struct rt_copy *
copy_of(const struct rt_mstate *ms)
{
	return ms->host != NULL ? ms->host->copy : NULL;
}

/* Only the return addresses listed in the copy have been replaced. */
RT_PUBLIC u64
rt_unw_return(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	const struct rt_walk *w = RT_LOOP_VARS(struct rt_walk, ms);
	struct rt_copy *c = copy_of(ms);

	for (u32 i = 0; c != NULL && i < c->nreturns; i++) {
		if (c->returns[2 * i] == w->sp - 8)
			return c->returns[2 * i + 1];
	}
	if (c != NULL && w->tramp != 0)
		c->lacks = 1;
	return 0;
}

long
rt_unw_peek(struct rt_mstate *ms, u64 *v, u64 addr)
{
	struct rt_copy *c = copy_of(ms);

	if (c == NULL)
		return rt_upeek(ms, v, sizeof(*v), addr);
	for (u32 i = 0; i < 2; i++) {
		u64 off = addr - c->parts[i].addr, size = c->parts[i].size;

		if (size < sizeof(*v) || off > size - sizeof(*v))
			continue;
		memcpy(v, c->parts[i].bytes + off, sizeof(*v));
		return 0;
	}
	c->lacks = 1;
	return -1;
}

RT_PUBLIC u64
rt_unw_map(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_walk *w = RT_LOOP_VARS(struct rt_walk, ms);

	w->map_len = w->count = 0;
	for (u32 i = 0; ms->host != NULL && i < ms->host->nmappings; i++) {
		const struct rt_mapping *m = &ms->host->mappings[i];

		if (w->at - m->start >= m->end - m->start)
			continue;
		w->map_start = m->start;
		w->map_len = m->end - m->start;
		w->map_off = m->off;
		w->seg = i;
		w->first = 0;
		w->count = m->nrows;
		return 1;
	}
	return 0;
}
