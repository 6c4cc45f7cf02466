/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The load barrier: a thread that loaded code waits until dtrace has looked.
 */
#include "exec/process/inside/parts.h"

enum { FUTEX_WAIT = 0 };

#define FRAME_IP 17 /* of inproc_frame, in words */

#define BARRIER_NAP (NS / 1000)

RT_INLINE u64
is_seen(const struct pr_head *h, u32 load)
{
	return (s32)(*(const volatile u32 *)&h->seen - load) >= 0;
}

/* Nap briefly: dtrace may have looked just before the nap. */
static void
nap_until_seen(struct pr_head *h, const struct pr_conf *c, u32 load)
{
	u64 until = pr_read_clock(CLOCK_MONOTONIC) + EXEC_LOAD_BARRIER_NS;
	u64 nap[2] = { 0, BARRIER_NAP };
	u32 seen;

	while (*(volatile u64 *)&h->gate == c->gate &&
	    pr_read_clock(CLOCK_MONOTONIC) < until) {
		seen = *(volatile u32 *)&h->seen;
		if (is_seen(h, load))
			break;
		rt_syscall6(RT_SYS_FUTEX, (long)&h->seen, FUTEX_WAIT, seen,
		    (long)nap, 0, 0);
	}
}

#define R_STATE 24 /* offset of r_state in struct r_debug (<link.h>) */
enum { RT_CONSISTENT, RT_ADD, RT_DELETE };

/*
 * The dynamic linker reports the beginning and the end of each change.  New
 * code is there at the end, unless libraries were removed.  A linker whose
 * state is not known may have mapped code at each report.
 */
static int
may_have_new_code(struct pr_own *own, const struct pr_conf *c, u64 r_debug)
{
	u32 before = own->linker_state, state = RT_CONSISTENT;

	if (r_debug != 0)
		rt_os_read(0, &state, sizeof(state), r_debug + R_STATE);
	own->linker_state = state;
	/* walks of stacks also need to know which code is gone */
	return state == RT_CONSISTENT && (before != RT_DELETE || c->nrows != 0);
}

/*
 * Wait while dtrace traces and has not looked, but not long, whatever happens
 * to dtrace.
 */
u64
pr_load_barrier(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 distance)
{
	struct pr_head *h = head_of(own, c);
	u64 r_debug = distance != 0 ? frame[FRAME_IP] + (s32)distance : 0;
	u32 load;

	if (!own->start.live || *(volatile u64 *)&h->gate != c->gate ||
	    rt_is_denied(RT_SYS_FUTEX) || rt_is_denied(RT_SYS_CLOCK_GETTIME) ||
	    !may_have_new_code(own, c, r_debug))
		return 0;
	load = __sync_add_and_fetch(&h->loads, 1);
	pr_wake(h);
	nap_until_seen(h, c, load);
	if (*(volatile u64 *)&h->gate == c->gate && !is_seen(h, load))
		__sync_add_and_fetch(&h->late, 1);
	return 0;
}
