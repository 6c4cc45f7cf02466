/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that load code, are let go, or end.
 */
#include "exec/both/impl.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "provider/usites.h"

int
both_grow(struct dt_exec *e, struct err *err)
{
	struct both_exec *x = both_of(e);
	int first_rc = 0;

	BOTH_FOREACH(x, part)
	{
		struct err one = { 0 };
		int rc = 0;

		if (plan_part_grow(part->plan) != 0)
			rc = part->ops->grow(part->x, &one);
		if (rc != 0 && first_rc == 0) {
			first_rc = rc;
			err_move(err, &one);
		}
		err_clear(&one);
	}
	return first_rc;
}

/* May the part get probes of the process while tracing? */
static bool
grows_in(const struct both_part *part, pid_t pid)
{
	VEC_FOREACH(&part->plan->pl.clauses, pc) {
		VEC_FOREACH(&pc->clause->pdescs, desc) {
			if (dt_registry_may_grow(desc) &&
			    dt_pid_named(desc) == pid)
				return true;
		}
	}
	return false;
}

/*
 * Threads wait at one place in the dynamic linker, and both parts look when one
 * is there.  A jump and a breakpoint would exclude each other.
 */
int
both_watch_loads(
    struct dt_exec *e, pid_t pid, const struct dt_probe *p, struct err *err)
{
	struct both_exec *x = both_of(e);
	struct both_part *watcher = &x->parts[x->nparts - 1];

	BOTH_FOREACH(x, part)
	{
		if (part->ops->is_in_process && grows_in(part, pid))
			watcher = part;
	}
	VEC_PUSH(&watcher->loaders, ((struct both_loader){ pid, p }));
	return watcher->ops->code->watch_loads(watcher->x, pid, p, err);
}

/* Option follow gives all clauses to the kernel. */
pid_t
both_root_of(const struct dt_exec *e, pid_t pid)
{
	const struct both_exec *x = both_of(e);
	const struct both_part *kernel = &x->parts[x->nparts - 1];

	return kernel->ops->code->root_of(kernel->x, pid);
}

/* Each part takes note of what it has seen, so all are asked. */
bool
both_has_loads(struct dt_exec *e)
{
	struct both_exec *x = both_of(e);
	bool has = false;

	BOTH_FOREACH(x, part)
	has |= part->ops->code->has_loads(part->x);
	return has;
}

void
both_resume(struct dt_exec *e)
{
	struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	part->ops->code->resume(part->x);
}

void
both_let_go(struct dt_exec *e, pid_t pid)
{
	struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (part->ops->code->let_go != NULL)
			part->ops->code->let_go(part->x, pid);
	}
}

int
both_met(struct dt_exec *e, struct err *err)
{
	struct both_exec *x = both_of(e);
	int rc = 0;

	BOTH_FOREACH(x, part)
	{
		if (rc == 0 && part->ops->code->met != NULL)
			rc = part->ops->code->met(part->x, err);
	}
	return rc;
}

/*
 * Ask the part in processes first.  A place that it has not changed may be
 * changed by the kernel.
 */
void
both_look_back(const struct dt_exec *e, pid_t pid, const struct kmsg_fault *f,
    struct dt_last_place *out)
{
	const struct both_exec *x = both_of(e);

	BOTH_FOREACH(x, part)
	{
		if (out->ours == NULL)
			part->ops->look_back(part->x, pid, f, out);
	}
}
