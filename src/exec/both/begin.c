/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts begin.
 *
 *	enter	processes get their jumps, which do nothing yet
 *	go	the part that has BEGIN fires it and begins, then the other
 *
 * If a process cannot be changed (it forbids that, or another dtrace is in it),
 * the kernel reaches the probes of that part.  They get a session of their own
 * there: what their clauses share with the others is in memory that both
 * sessions reach (exec/shared.h).
 */
#include "exec/both/impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

static bool
has_begin(const struct both_part *part)
{
	VEC_FOREACH(&part->plan->pl.clauses, pc) {
		VEC_FOREACH(&pc->probes, p) {
			if (strcmp((*p)->prov, "dtrace") == 0 &&
			    strcmp((*p)->name, "BEGIN") == 0)
				return true;
		}
	}
	return false;
}

/* ---- a part that cannot begin ---------------------------------------- */

CHECKED static int
load_in_kernel(struct both_exec *x, struct both_part *part, struct err *err)
{
	int rc;

	part->ops->destroy(part->x);
	part->x = NULL;
	part->ops = &dt_exec_bpf;
	rc =
	    part->ops->load(&part->plan->pl, &x->opts, x->diags, &part->x, err);
	VEC_FOREACH(&part->loaders, l) {
		if (rc == 0)
			rc = part->ops->code->watch_loads(
			    part->x, l->pid, l->p, err);
	}
	return rc;
}

static void
tell_kernel(struct both_exec *x, const char *why)
{
	char *text =
	    mem_printf("the kernel reaches the probes of processes: %s", why);

	if (x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, text);
	free(text);
	VEC_FOREACH(&x->pl->clauses, pc)
		pc->in_process = false;
}

/* If the process refuses, use the kernel; but not after an interrupt. */
CHECKED static int
enter(struct both_exec *x, struct both_part *part, struct err *err)
{
	struct err why = { 0 }, kernel = { 0 };
	int rc = part->ops->enter(part->x, &why);

	if (rc == 0 || bounds_is_stopped()) {
		err_move(err, &why);
		return rc;
	}
	rc = load_in_kernel(x, part, &kernel);
	if (rc == 0) {
		tell_kernel(x, err_text(&why));
		err_move(err, &kernel);
	} else {
		err_set(err, rc, "%s; nor can the kernel reach its probes: %s",
		    err_text(&why), err_text(&kernel));
	}
	err_clear(&why);
	err_clear(&kernel);
	return rc;
}

/* ---- all ------------------------------------------------------------- */

/* Add what does not fire in one part to what does not fire in the other. */
static void
join_text(struct err *all, struct err *one)
{
	if (!err_is_set(all))
		err_move(all, one);
	else if (err_is_set(one))
		err_set(all, all->code, "%s; %s", err_text(all), err_text(one));
}

CHECKED static int
begin(struct both_part *part, struct err *err)
{
	struct err one = { 0 };
	int rc = part->ops->go(part->x, &one);

	part->has_begun = true;
	if (rc != 0)
		err_clear(err);
	join_text(err, &one);
	err_clear(&one);
	return rc;
}

/* Let the first part also sleep on the descriptors of the others. */
CHECKED static int
watch_others(struct both_exec *x, struct err *err)
{
	int rc = 0;

	if (x->nparts == 1)
		return 0;
	x->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (x->epoll_fd < 0)
		rc = -1;
	for (size_t i = 1; rc == 0 && i < x->nparts; i++)
		rc = x->parts[i].ops->watch(x->parts[i].x, x->epoll_fd);
	return rc == 0 ? 0 :
			 err_set(err, -errno, "cannot wait for records: %s",
			     strerror(errno));
}

/* BEGIN fires before anything else does; nothing else does if it exits. */
int
both_go(struct dt_exec *e, struct err *err)
{
	struct both_exec *x = both_of(e);
	int rc = 0;

	BOTH_FOREACH(x, entered)
	{
		if (rc == 0 && entered->ops->enter != NULL)
			rc = enter(x, entered, err);
	}
	BOTH_FOREACH(x, first)
	{
		if (rc == 0 && has_begin(first))
			rc = begin(first, err);
	}
	BOTH_FOREACH(x, part)
	{
		if (rc == 0 && !part->has_begun && !e->ops->exiting(e))
			rc = begin(part, err);
	}
	return rc == 0 ? watch_others(x, err) : rc;
}
