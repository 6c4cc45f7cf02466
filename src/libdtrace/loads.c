/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that traced processes load: libraries, and programs that they execute.
 * The substrate holds the threads (exec.h, watch_loads()) until the
 * descriptions have been matched again.
 */
#include <stdlib.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

static int
watch_process(struct dt_hdl *h, pid_t pid)
{
	const struct dt_probe *loader;
	struct err err = { 0 };

	VEC_FOREACH(&h->watched, p) {
		if (*p == pid)
			return 0;
	}
	VEC_PUSH(&h->watched, pid);
	if (dt_pid_loader(h->probes.registry, pid, &loader, &err) != 0) {
		err_prefix(&err,
		    "cannot find where process %d reports new code", (int)pid);
		return dt_fail_err(h, &err);
	}
	if (loader == NULL)
		return 0;
	if (h->ops->code->watch_loads(h->exec, pid, loader, &err) < 0)
		return dt_fail_err(h, &err);
	return 0;
}

/* In the process substrate, all processes are those of -c and -p. */
static int
watch_all(struct dt_hdl *h)
{
	VEC_FOREACH(&h->procs.list, p) {
		if (watch_process(h, p->pid) != 0)
			return -1;
	}
	return 0;
}

static int
watch_clause(struct dt_hdl *h, const struct dif_clause *c)
{
	VEC_FOREACH(&c->pdescs, desc) {
		pid_t pid = dt_pid_named(desc);
		bool is_all = h->ops->code->sees_code &&
		    dt_registry_follows(h->probes.registry, desc);

		if (pid != 0 && watch_process(h, pid) != 0)
			return -1;
		if (pid == 0 && is_all && watch_all(h) != 0)
			return -1;
	}
	return 0;
}

int
dt_watch_loads(struct dt_hdl *h)
{
	if (dt_follows(h) && watch_all(h) != 0)
		return -1;
	VEC_FOREACH(&h->compiled.progs, p) {
		if (!(*p)->is_enabled)
			continue;
		VEC_FOREACH(&(*p)->dif->clauses, c) {
			if (watch_clause(h, c) != 0)
				return -1;
		}
	}
	return 0;
}

/* The processes that may have loaded code. */
struct loads {
	struct dt_hdl *h;
	VEC(pid_t) pids;
};

static void
take_descendant(pid_t pid, bool is_new, void *arg)
{
	struct loads *l = arg;

	VEC_PUSH(&l->pids, pid);
	if (is_new)
		dt_follow_watch(l->h, pid);
}

static void
match_loads(struct dt_hdl *h)
{
	struct loads l = { .h = h };

	VEC_COPY(&l.pids, &h->watched);
	if (h->ops->code->each_descendant != NULL)
		h->ops->code->each_descendant(h->exec, take_descendant, &l);
	dt_registry_set_focus(h->probes.registry, l.pids.v, l.pids.n, NULL, 0);
	if (dt_grow(h) < 0)
		dt_notice(h, "code that a process has loaded is not traced: %s",
		    dt_errmsg(h));
	dt_registry_end_focus(h->probes.registry);
	VEC_FREE(&l.pids);
}

void
dt_see_loads(struct dt_hdl *h)
{
	bounds_flag *before;

	if (!h->ops->code->has_loads(h->exec))
		return;
	match_loads(h);
	if (dt_follows(h)) /* the events name the descendants that wait */
		dt_growth_work(h);
	before = dt_watch(h);
	h->ops->code->resume(h->exec);
	bounds_watch(before);
}
