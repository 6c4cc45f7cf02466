/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting places: a thread sleeps there, or will come back there, so dtrace
 * cannot write to them (inproc/plant_block.c).  All other places of the process
 * are traced meanwhile.
 *
 * Each look that may plant stops the process for a moment.  So looks become
 * rarer.  If the threads that stay there are known, dtrace does not look before
 * one of them has run.
 */
#include "exec/plant/plant.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "provider/usites.h"

#define FIRST_NS 10000000ULL
#define LAST_NS 1000000000ULL

static char *
place_text(const struct pr_file *f, size_t i)
{
	const struct dt_probe *p = f->probes.v[i];

	if (p == NULL)
		return mem_printf("a system call at 0x%llx of %s",
		    (unsigned long long)f->points.v[i].vaddr, f->file->path);
	return mem_printf("%s:%s:%s", p->mod, p->func, p->name);
}

/* Count the user's waiting points of a file's last plan; *first names the first
 * one, unless it is set already. */
static size_t
count_waiting(const struct pr_proc *p, const struct pr_file *f, char **first)
{
	size_t from = f->points.n - f->plan.fates.n, n = 0;

	for (size_t i = 0; i < f->plan.fates.n; i++) {
		const struct inproc_fate *fate = &f->plan.fates.v[i];

		if (fate->tactic == INPROC_REFUSED ||
		    !pr_is_users(f, from + i) ||
		    !inproc_waits(p->entered, &f->plan, fate->window))
			continue;
		n++;
		if (*first == NULL)
			*first = place_text(f, from + i);
	}
	return n;
}

static void
begin(struct pr_proc *p)
{
	p->settle_ns = FIRST_NS;
	p->settle_at = now_ns() + p->settle_ns;
}

void
pr_settle_inherit(struct pr_proc *p)
{
	if (inproc_waiting(p->entered) != 0)
		begin(p);
}

void
pr_settle_begin(const struct pr_plant *pl, struct pr_proc *p)
{
	char *first = NULL, *text;
	size_t n = 0;

	if (inproc_waiting(p->entered) == 0)
		return;
	begin(p);
	VEC_FOREACH(&p->files, f) {
		if (f->nplanned != 0)
			n += count_waiting(p, f, &first);
	}
	if (n != 0 && pl->opts->notice != NULL) {
		text = mem_printf("%zu place%s in process %d cannot be traced "
				  "before a thread that is there has left; the "
				  "first is %s",
		    n, n == 1 ? "" : "s", (int)p->pid, first);
		pl->opts->notice(pl->opts->notice_arg, text);
		free(text);
	}
	free(first);
}

static bool
is_waiting(const struct pr_proc *p)
{
	return p->settle_ns != 0 && p->entered != NULL && !p->is_lost &&
	    !p->is_followed && !p->is_held && inproc_waiting(p->entered) != 0;
}

/* A failed look is repeated: the process may be executing, or have ended. */
static void
settle(const struct pr_plant *pl, struct pr_proc *p)
{
	size_t before = inproc_waiting(p->entered), after;
	char *text;
	struct err err = { 0 };
	int rc = inproc_settle(p->entered, &err);

	err_clear(&err);
	after = inproc_waiting(p->entered);
	if (rc != 0 || after == before || pl->opts->log == NULL)
		return;
	text = mem_printf("changed code of process %d that threads have left: "
			  "%zu windows of %zu",
	    (int)p->pid, before - after, before);
	pl->opts->log(pl->opts->notice_arg, text);
	free(text);
}

static void
look(const struct pr_plant *pl, struct pr_proc *p, uint64_t now)
{
	bool may = inproc_may_settle(p->entered);

	/* a thread that has run since the count may have left the place */
	if (may || p->settle_ns < LAST_NS)
		settle(pl, p);
	p->settle_ns = p->settle_ns * 2 < LAST_NS ? p->settle_ns * 2 : LAST_NS;
	p->settle_at = now + p->settle_ns;
}

uint64_t
pr_settle_work(struct pr_plant *pl)
{
	uint64_t now = now_ns(), next = UINT64_MAX;

	VEC_FOREACH(&pl->procs, pp) {
		struct pr_proc *p = *pp;

		if (is_waiting(p) && now >= p->settle_at)
			look(pl, p, now);
		if (is_waiting(p) && p->settle_at - now < next)
			next = p->settle_at > now ? p->settle_at - now : 0;
	}
	return next;
}
