/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * System calls at sites that can make any: the number of a call that has not
 * returned.
 */
#include "exec/process/inside/parts.h"

#define FRAME_AX 0 /* of inproc_frame, in words */
#define FRAME_SP 4

/*
 * The ring's newest entry is written.  A signal handler that interrupts this
 * has removed its calls when it returns.  A handler that does not return leaves
 * a note, which the next call at that stack pointer replaces.
 */
u64
pr_sys_note(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site)
{
	struct pr_thread *t = pr_thread_of_call(own, c);
	struct pr_call *call;

	if (t == NULL)
		return 0;
	for (u64 i = 0; i < PR_CALLS; i++) {
		call = &t->calls[i];
		if (call->sp == frame[FRAME_SP] && call->site == site)
			break;
		call = NULL;
	}
	if (call == NULL)
		call = &t->calls[t->ncalls++ % PR_CALLS];
	if (call->site != 0 && call->sp != frame[FRAME_SP])
		drop(t, DT_DROP_SCRATCH);
	call->site = 0;
	call->sp = frame[FRAME_SP];
	call->nr = (u32)frame[FRAME_AX];
	*(volatile u32 *)&call->site = (u32)site;
	return 0;
}

u64
pr_sys_number(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site)
{
	/* a return that may have a probe is lost if its number is not known */
	struct pr_thread *t =
	    c->has_returns ? pr_thread_self(own, c) : pr_thread_of_call(own, c);

	for (u64 i = 0; t != NULL && i < PR_CALLS; i++) {
		struct pr_call *call = &t->calls[i];

		if (call->site != site || call->sp != frame[FRAME_SP])
			continue;
		call->site = 0;
		return call->nr;
	}
	return PR_NO_CALL;
}
