/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that come while tracing: processes begin, execute other programs and
 * load libraries.
 *
 * The kernel tells of every executable mapping (sym/sideband.h).  Some
 * milliseconds later those processes, and only those, are asked again for what
 * the programs' descriptions select.  So what a library's probes did in its
 * first moments is not seen; probes of all processes (myserver*) are planted in
 * the file and miss nothing once the file is known.
 */
#include <stdlib.h>

#include "libdtrace/dt_impl.h"

#define PIDS_MAX 1024 /* more in one go: look at all processes */

static void
take_event(void *arg, const struct sideband_event *ev)
{
	struct dt_hdl *h = arg;

	if (ev->kind == SIDEBAND_LOST)
		h->growth.has_lost = true;
	if (ev->kind != SIDEBAND_MMAP)
		return;
	VEC_FOREACH(&h->growth.pids, pid) {
		if (*pid == ev->pid)
			return;
	}
	if (h->growth.pids.n < PIDS_MAX)
		VEC_PUSH(&h->growth.pids, ev->pid);
	else
		h->growth.has_lost = true;
}

static bool
follows(const struct dt_hdl *h)
{
	VEC_FOREACH(&h->plan->clauses, pc) {
		VEC_FOREACH(&pc->clause->pdescs, desc) {
			if (dt_registry_follows(desc))
				return true;
		}
	}
	return false;
}

void
dt_growth_follow(struct dt_hdl *h)
{
	struct sideband *sb;
	char *msg = NULL;

	if (h->ops->sees_code || !follows(h))
		return;
	sb = dt_sideband(h, &msg);
	if (sb != NULL) {
		sideband_subscribe(sb, take_event, h);
		h->growth.is_followed = true;
	} else {
		dt_notice(h,
		    "%s; probes of processes and libraries that come "
		    "later are not found",
		    msg);
	}
	free(msg);
}

/* Those that have come need not have a new probe. */
static void
meet(struct dt_hdl *h)
{
	char *msg = NULL;

	if (h->ops->met != NULL && h->ops->met(h->exec, &msg) != 0)
		dt_notice(h, "%s", msg);
	free(msg);
}

void
dt_growth_work(struct dt_hdl *h)
{
	bool all;

	if (!h->growth.is_followed)
		return;
	sideband_drain(h->sideband);
	all = h->growth.has_lost;
	if (!all && h->growth.pids.n == 0)
		return;
	dt_registry_set_focus(h->registry, all ? NULL : h->growth.pids.v,
	    all ? 0 : h->growth.pids.n);
	if (dt_grow(h) < 0)
		dt_notice(h,
		    "not all probes that came while tracing are "
		    "traced: %s",
		    dt_errmsg(h));
	dt_registry_end_focus(h->registry);
	meet(h);
	h->growth.pids.n = 0;
	h->growth.has_lost = false;
}
