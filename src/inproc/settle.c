/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows that wait until threads have left them.
 */
#include "inproc/enter.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/procstatus.h"
#include "inproc/enter_impl.h"

size_t
inproc_waiting(const struct inproc_proc *p)
{
	return p->e->ledger->nwaiting;
}

bool
inproc_waits(const struct inproc_proc *p, const struct inproc_plan *plan,
    uint32_t window)
{
	return p->e->ledger->waits[plan->first_window + window] != ENT_PLANTED;
}

/* The thread's context switches; 0: it has ended. */
static uint64_t
count_switches(pid_t tid)
{
	static const char *const names[] = { "voluntary_ctxt_switches",
		"nonvoluntary_ctxt_switches" };
	uint64_t sum = 0;

	for (size_t i = 0; i < 2; i++) {
		char text[32];

		if (proc_status(tid, names[i], text, sizeof(text)))
			sum += strtoull(text, NULL, 10);
	}
	return sum;
}

/* The sum over all threads that stay in windows; 0: not known. */
static uint64_t
count_all_switches(const struct ent_ledger *l)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; l->nstayers <= ENT_STAYERS_MAX && i < l->nstayers;
	     i++)
		sum += count_switches(l->stayers[i]);
	return sum;
}

bool
inproc_may_settle(struct inproc_proc *p)
{
	uint64_t before = p->e->switches;

	p->e->switches = count_all_switches(p->e->ledger);
	return p->e->switches == 0 || p->e->switches != before;
}

int
inproc_settle(struct inproc_proc *p, struct err *err)
{
	p->e->ledger->first_due = 0;
	return ent_ask(p->e, ENT_SETTLE, err);
}
