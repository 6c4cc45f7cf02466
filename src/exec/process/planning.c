/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans of a process's files: made, noted and applied.
 *
 * Each file that the process has mapped and that has points has a plan
 * (inproc/inproc.h).  All plans that are new are applied together, while the
 * process is stopped once.
 */
#include "exec/process/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/refusals.h"
#include "provider/uprobe.h"
#include "sym/elf_syms.h"

static char *
point_name(const struct pr_file *f, size_t i)
{
	const struct dt_probe *p = f->probes.v[i];

	if (p == NULL)
		return mem_printf("a system call at 0x%llx of %s",
		    (unsigned long long)f->points.v[i].vaddr, f->file->path);
	return mem_printf("%s:%s:%s:%s at 0x%llx", p->prov, p->mod, p->func,
	    p->name, (unsigned long long)f->points.v[i].vaddr);
}

static void
note_refusals(const struct dt_exec *x, const struct pr_file *f, size_t first)
{
	struct refusals *r = x->opts.refused;

	for (size_t i = 0; i < f->plan.fates.n; i++) {
		const struct inproc_fate *fate = &f->plan.fates.v[i];

		/* what we watch ourselves is nobody's place */
		r->tried += fate->tactic != INPROC_REFUSED &&
		    (f->probes.v[first + i] != NULL || pr_has_calls(x));
		if (fate->tactic == INPROC_REFUSED &&
		    refusals_add(
			r, point_name(f, first + i), mem_strdup(fate->why)))
			r->tried++;
	}
}

/* Where the process has the file's code: false, it has not. */
static bool
find_bias(const struct pr_file *f, const struct proc_maps *pm, uint64_t *bias)
{
	if (f->code == NULL) /* it could not be read: see file_open() */
		return false;
	VEC_FOREACH(&pm->maps, map) {
		if (map->dev == f->file->dev && map->ino == f->file->ino &&
		    map->is_exec && proc_map_bias(map, f->code->es, bias))
			return true;
	}
	return false;
}

/* The process's words that count who traces the sites that are served: of the
 * plan's points, which begin with `first`. */
static void
count_tracers(struct pr_file *f, size_t first, char **msg)
{
	for (size_t i = 0; i < f->plan.fates.n; i++) {
		const struct dt_usite *site = f->sites.v[first + i];
		uint64_t off = site != NULL ? site->semaphore : 0, vaddr;

		if (off == 0 || f->plan.fates.v[i].tactic == INPROC_REFUSED)
			continue;
		if (elf_syms_vaddr(f->code->es, off, false, &vaddr))
			VEC_PUSH(&f->plan.counters, vaddr + f->bias);
		else if (*msg == NULL)
			*msg = mem_printf("%s: the semaphore at offset 0x%llx "
					  "is in no segment of data",
			    f->file->path, (unsigned long long)off);
	}
}

/* What was planted in the file's mappings has gone with them. */
static void
forget_windows(
    struct pr_proc *p, const struct pr_file *f, const struct proc_maps *pm)
{
	VEC_FOREACH(&pm->maps, map) {
		if (map->dev == f->file->dev && map->ino == f->file->ino)
			inproc_space_forget(&p->space, map->start, map->end);
	}
}

/* Plan the points from `first` on. */
static void
plan_file(const struct dt_exec *x, struct pr_proc *p, struct pr_file *f,
    size_t first, uint64_t bias, char **msg)
{
	uint64_t code = p->entered->code;
	size_t n = f->points.n - first;
	struct inproc_point *points = mem_alloc((n + 1) * sizeof(*points));

	for (size_t i = 0; i < n; i++) {
		points[i] = f->points.v[first + i];
		points[i].body.addr += code;
		if (points[i].body.changes != 0)
			points[i].body.room = code + x->depth_at[PR_FOR_FRAME];
	}
	inproc_plan_fini(&f->plan);
	inproc_plan(f->code->module, bias, points, n, &p->space, &f->plan);
	free(points);
	note_refusals(x, f, first);
	f->bias = bias;
	f->is_whole = first == 0;
	f->is_fresh = true;
	count_tracers(f, first, msg);
}

/* Does the process have what was written last? */
bool
pr_is_planted(
    const struct inproc_proc *entered, const struct pr_file *f, uint64_t bias)
{
	uint8_t now[INPROC_WRITE_MAX];

	if (f->nplanned == 0 || f->bias != bias)
		return false;
	VEC_FOREACH(&f->plan.writes, w) {
		if (!inproc_waits(entered, &f->plan, w->window))
			return pr_proc_read(entered->pid, w->at, now, w->len) &&
			    memcmp(now, w->new, w->len) == 0;
	}
	return true;
}

/* A library that comes again, where it was, is served as it was. */
static void
renew_file(const struct dt_exec *x, struct pr_proc *p, struct pr_file *f,
    const struct proc_maps *pm, char **msg)
{
	uint64_t bias;

	if (f->points.n == 0) /* nothing can be planted in it */
		return;
	if (!find_bias(f, pm, &bias)) {
		f->nplanned = 0;
	} else if (pr_is_planted(p->entered, f, bias)) {
		if (f->nplanned < f->points.n)
			plan_file(x, p, f, f->nplanned, bias, msg);
	} else if (f->is_whole && f->bias == bias &&
	    f->plan.fates.n == f->points.n) {
		f->is_fresh = true;
	} else {
		forget_windows(p, f, pm);
		plan_file(x, p, f, 0, bias, msg);
	}
}

int
pr_plan(const struct dt_exec *x, struct pr_proc *p, char **msg)
{
	struct proc_maps pm;
	int rc = inproc_describe_space(p->entered, &p->space, msg);

	if (rc != 0)
		return rc;
	if (proc_maps_read(&pm, p->pid, msg) != 0)
		return -ESRCH;
	VEC_FOREACH(&p->files, f)
		renew_file(x, p, f, &pm, msg);
	proc_maps_fini(&pm);
	return *msg == NULL ? 0 : -EINVAL;
}

/* How long the process stood still for what was just done. */
void
pr_log_stop(const struct dt_exec *x, const struct pr_proc *p, const char *what)
{
	char *text;

	if (x->opts.log == NULL)
		return;
	text = mem_printf("%s process %d: it was stopped for %.3f ms", what,
	    (int)p->pid, (double)p->entered->stop_ns / 1e6);
	x->opts.log(x->opts.notice_arg, text);
	free(text);
}

int
pr_apply(const struct dt_exec *x, struct pr_proc *p, char **msg)
{
	struct inproc_plan **plans =
	    mem_alloc((p->files.n + 1) * sizeof(struct inproc_plan *));
	size_t n = 0;
	int rc = 0;

	VEC_FOREACH(&p->files, f) {
		if (f->is_fresh)
			plans[n++] = &f->plan;
	}
	if (n != 0)
		rc = inproc_apply(p->entered, &p->space, plans, n, msg);
	if (n != 0 && rc == 0)
		pr_log_stop(x, p, "changed the code of");
	VEC_FOREACH(&p->files, g) {
		if (g->is_fresh && rc == 0)
			g->nplanned = g->points.n;
		g->is_fresh = false;
	}
	if (n != 0 && rc == 0)
		pr_settle_begin(x, p);
	free(plans);
	return rc;
}
