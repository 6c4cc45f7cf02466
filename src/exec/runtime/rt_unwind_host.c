/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is mapped where, on the host: what the machine state says.
 */
#include "exec/runtime/rt_unwind.h"

/* Nothing has been put into the stack's place here. */
RT_PUBLIC u64
rt_unw_return(u64 slot)
{
	(void)slot;
	return 0;
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
