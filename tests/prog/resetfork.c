/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switch SCHED_RESET_ON_FORK on, off and on again: a bit of the task that a
 * process may set and, if privileged, clear.
 */
#include <sched.h>

int
main(void)
{
	struct sched_param sp = { 0 };

	return sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &sp) ||
	    sched_setscheduler(0, SCHED_OTHER, &sp) ||
	    sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &sp);
}
