/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_SELF_H
#define EXEC_RUNTIME_RT_SELF_H

/*
 * The table of threads with self-> variables that processes and the kernel both
 * reach (exec/shared.h).  A thread's id leads to a bucket, in which one of the
 * keys is that id; 0 is a free key.
 *
 * Only the thread takes a key for itself.  While it does, code in the kernel
 * may interrupt it and take one, too; afterwards the first of both is valid.
 */
#include "exec/runtime/rt_prim.h"

#define RT_SELF_WAYS 8
#define RT_SELF_BUCKETS 2048 /* a power of two */
#define RT_SELF_SLOTS ((u64)RT_SELF_WAYS * RT_SELF_BUCKETS)

RT_INLINE u64
rt_self_bucket(u64 tid)
{
	return tid & (RT_SELF_BUCKETS - 1);
}

/* The thread's key in its bucket; RT_SELF_WAYS: it has none. */
RT_INLINE u64
rt_self_way(const volatile u64 *keys, u64 tid)
{
	u64 way = 0;

	while (way < RT_SELF_WAYS && keys[way] != tid)
		way++;
	return way;
}

/* Take a key if the thread has none; RT_SELF_WAYS: all belong to others. */
RT_INLINE u64
rt_self_way_take(volatile u64 *keys, u64 tid)
{
	u64 way = rt_self_way(keys, tid), first;

	if (way != RT_SELF_WAYS)
		return way;
	for (way = 0; way < RT_SELF_WAYS; way++) {
		if (keys[way] != 0 ||
		    __sync_val_compare_and_swap(&keys[way], 0, tid) != 0)
			continue;
		first = rt_self_way(keys, tid);
		if (first != way)
			keys[way] = 0;
		return first;
	}
	return rt_self_way(keys, tid);
}

#endif
