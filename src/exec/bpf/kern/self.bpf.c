// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Thread-local variables that processes reach, too (exec/shared.h): a thread's
 * place in the shared memory, and its end.
 */
#include "exec/runtime/drops.h"
#include "exec/runtime/rt_self.h"

extern char rtm_shared[];

RT_INLINE u8 *
memory(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(rtm_shared, &zero);
}

RT_INLINE u64 *
keys_of(u8 *memory, u64 tid)
{
	return (u64 *)(memory + RTC(0, self_keys)) +
	    rt_self_bucket(tid) * RT_SELF_WAYS;
}

RT_INLINE u64
words_of(u64 tid, u64 way)
{
	u64 slot = rt_self_bucket(tid) * RT_SELF_WAYS + way;

	return way < RT_SELF_WAYS ?
	    RTC(0, self_words) + slot * RTC(0, self_stride) :
	    0;
}

RT_INLINE u64
last_words(void)
{
	return RTC(0, self_words) + (RT_SELF_SLOTS - 1) * RTC(0, self_stride);
}

/* The offset of the thread's words in the memory; 0: it has none. */
RT_PUBLIC u64
rt_self_find(u64 tid)
{
	u8 *m = memory();

	return m ? words_of(tid, rt_self_way(keys_of(m, tid), tid)) : 0;
}

/* Likewise, and take a place for it; 0: there is none (counted as a drop). */
RT_PUBLIC u64
rt_self_take(u64 tid)
{
	u8 *m = memory();
	u64 at = m ? words_of(tid, rt_self_way_take(keys_of(m, tid), tid)) : 0;

	if (at == 0)
		rt_drop(DT_DROP_DYNAMIC);
	return at;
}

/* The thread has ended: its variables go with it. */
RT_PUBLIC u64
rt_self_end(u64 tid)
{
	u8 *m = memory();
	u64 *keys, way, at;

	if (!m)
		return 0;
	keys = keys_of(m, tid);
	way = rt_self_way(keys, tid);
	at = words_of(tid, way);
	if (at == 0)
		return 0;
	/* Linux 6.1 has forgotten what it knew of the number */
	RT_OPAQUE(at);
	if (at > last_words())
		return 0;
	for (u64 i = 0; i < RTC(0, self_stride); i += 8)
		*(volatile u64 *)(m + at + i) = 0;
	keys[way & (RT_SELF_WAYS - 1)] = 0;
	return 0;
}
