/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans of a process's files: made, noted and applied.
 *
 * Each file that the process has mapped and that has points has a plan
 * (inproc/inproc.h).  All plans that are new are applied together, while the
 * process is stopped once.
 */
#include "exec/plant/plant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/refusals.h"
#include "base/vec.h"
#include "provider/usites.h"
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
note_refusal(
    struct pr_plant *plant, const struct pr_file *f, size_t i, const char *why)
{
	struct refusals *r = plant->opts->refused;

	if (!pr_is_users(f, i)) {
		if (plant->ops->unwatched != NULL)
			plant->ops->unwatched(plant, f, &f->points.v[i], why);
	} else if (refusals_add(r, point_name(f, i), mem_strdup(why))) {
		r->tried++;
	}
}

static void
note_refusals(struct pr_plant *plant, const struct pr_file *f, size_t first)
{
	for (size_t i = 0; i < f->plan.fates.n; i++) {
		const struct inproc_fate *fate = &f->plan.fates.v[i];

		if (fate->tactic == INPROC_REFUSED)
			note_refusal(plant, f, first + i, fate->why);
		else
			plant->opts->refused->tried +=
			    pr_is_users(f, first + i);
	}
}

/* Find the file's code in the process; false: it is not mapped.  Of several
 * mappings, as dlmopen() makes them, take the one with our jumps. */
static bool
find_bias(const struct pr_file *f, const struct proc_maps *pm, uint64_t *bias)
{
	bool is_found = false;
	uint64_t at;

	if (f->code == NULL) /* it could not be read: see file_open() */
		return false;
	VEC_FOREACH(&pm->maps, map) {
		if (map->dev != f->file->dev || map->ino != f->file->ino ||
		    !map->is_exec || !proc_map_bias(map, f->code->es, &at))
			continue;
		if (!is_found || (f->nplanned != 0 && at == f->bias))
			*bias = at;
		is_found = true;
	}
	return is_found;
}

/* Count the tracers of the served sites in the process's semaphores, for the
 * plan's points, which begin with `first`. */
static void
count_tracers(struct pr_file *f, size_t first, struct err *err)
{
	for (size_t i = 0; i < f->plan.fates.n; i++) {
		const struct dt_usite *site = f->sites.v[first + i];
		uint64_t off = site != NULL ? site->semaphore : 0, vaddr;

		if (off == 0 || f->plan.fates.v[i].tactic == INPROC_REFUSED)
			continue;
		if (elf_syms_vaddr(f->code->es, off, false, &vaddr))
			VEC_PUSH(&f->plan.counters, vaddr + f->bias);
		else if (!err_is_set(err))
			err_set(err, -EINVAL,
			    "%s: the semaphore at offset 0x%llx is in no segment of data",
			    f->file->path, (unsigned long long)off);
	}
}

/* The plan at hand. */
struct planning {
	const struct pr_plant *plant;
	struct pr_proc *p;
	const struct proc_maps *pm;
	bool is_described; /* the process's space is known, as it is now */
	uint64_t pad;	   /* bytes around mappings that plans do not use */
	struct err *err;
};

/* Forget the planted code of the file's mappings: it has gone with them. */
static void
forget_code(const struct planning *pl, const struct pr_file *f)
{
	VEC_FOREACH(&pl->pm->maps, map) {
		if (map->dev != f->file->dev || map->ino != f->file->ino)
			continue;
		inproc_space_forget(&pl->p->space, map->start, map->end);
		inproc_forget(pl->p->entered, map->start, map->end);
	}
}

/* Forget the file's code at its old place, whatever is mapped there now. */
static void
forget_old_code(const struct planning *pl, struct pr_file *f)
{
	const struct elf_syms *es = f->code->es;

	for (size_t i = 0; i < elf_syms_nsegs(es); i++) {
		const struct elf_seg *s = elf_syms_seg(es, i);
		uint64_t at = s->vaddr + f->bias;

		if (s->is_exec) {
			inproc_space_forget(&pl->p->space, at, at + s->filesz);
			inproc_forget(pl->p->entered, at, at + s->filesz);
		}
	}
	f->nplanned = 0;
}

static void
log_plan(const struct planning *pl, const struct pr_file *f)
{
	char *text;

	if (pl->plant->opts->log == NULL)
		return;
	text = mem_printf("planned %zu places of %s for process %d",
	    f->plan.fates.n, f->file->path, (int)pl->p->pid);
	pl->plant->opts->log(pl->plant->opts->notice_arg, text);
	free(text);
}

/* Plan the points from `first` on. */
static void
plan_points(struct planning *pl, struct pr_file *f, size_t first, uint64_t bias)
{
	const struct pr_plant *plant = pl->plant;
	uint64_t code = pl->p->entered->code;
	size_t n = f->points.n - first;
	struct inproc_point *points = mem_alloc((n + 1) * sizeof(*points));

	for (size_t i = 0; i < n; i++) {
		points[i] = f->points.v[first + i];
		points[i].body.addr += code;
		if (points[i].body.changes != 0)
			points[i].body.room = code + plant->room;
	}
	inproc_plan(f->code->module, bias, points, n, &pl->p->space, &f->plan);
	free(points);
}

static void
plan_file(struct planning *pl, struct pr_file *f, size_t first, uint64_t bias)
{
	if (!pl->is_described) {
		inproc_describe_space(pl->p->entered, pl->pm, &pl->p->space);
		inproc_space_pad(&pl->p->space, pl->pad);
	}
	pl->is_described = true;
	plan_points(pl, f, first, bias);
	if (bounds_is_stopped())
		return;
	log_plan(pl, f);
	f->bias = bias;
	f->first = first;
	f->is_whole = first == 0;
	f->is_fresh = f->is_new = true;
	count_tracers(f, first, pl->err);
}

/* ---- files that are mapped again ----------------------------------------- */

/* Kept plans of a file that is mapped at several places in turn. */
#define KEPT_MAX 8

static bool
has_all_points(const struct pr_file *f, const struct inproc_plan *plan)
{
	return plan->fates.n == f->points.n;
}

/* Put the file's plan away for another; keep it if it may be used again. */
static void
put_away(struct pr_file *f)
{
	if (!f->is_whole || !has_all_points(f, &f->plan)) {
		inproc_plan_fini(&f->plan);
	} else {
		if (f->kept.n == KEPT_MAX) {
			inproc_plan_fini(&f->kept.v[0]);
			f->kept.n--;
			memmove(&f->kept.v[0], &f->kept.v[1],
			    f->kept.n * sizeof(*f->kept.v));
		}
		VEC_PUSH(&f->kept, f->plan);
	}
	f->plan = (struct inproc_plan){ 0 };
}

/* Take the kept plan for a place, if one has all points. */
static bool
take_kept(struct pr_file *f, uint64_t bias)
{
	VEC_FOREACH(&f->kept, plan) {
		if (plan->bias != bias || !has_all_points(f, plan))
			continue;
		f->plan = *plan;
		f->kept.n--;
		memmove(plan, plan + 1,
		    (size_t)(&f->kept.v[f->kept.n] - plan) * sizeof(*plan));
		return true;
	}
	return false;
}

void
pr_plans_forget(struct pr_file *f)
{
	VEC_FOREACH(&f->kept, plan)
		inproc_plan_fini(plan);
	VEC_FREE(&f->kept);
	inproc_plan_fini(&f->plan);
	f->plan = (struct inproc_plan){ 0 };
	f->nplanned = 0;
	f->is_whole = false;
}

/* A file that is mapped again at an old place gets its old plan. */
static void
map_anew(struct planning *pl, struct pr_file *f, uint64_t bias)
{
	bool is_same =
	    f->is_whole && has_all_points(f, &f->plan) && f->plan.bias == bias;

	forget_code(pl, f);
	f->nplanned = 0;
	if (!is_same) {
		put_away(f);
		is_same = take_kept(f, bias);
	}
	if (!is_same) {
		plan_file(pl, f, 0, bias);
		return;
	}
	inproc_plan_again(&f->plan, &pl->p->space);
	f->bias = bias;
	f->is_whole = true;
	f->is_fresh = true;
}

/* ------------------------------------------------------------------------- */

static bool
is_written(pid_t pid, const struct inproc_write *w)
{
	uint8_t now[INPROC_WRITE_MAX];

	if (pr_proc_read(pid, w->at, now, w->len))
		return memcmp(now, w->new, w->len) == 0;
	return errno != EFAULT; /* it is mapped: nothing says that it changed */
}

/* Has the process any of the code that was written last?  A child lacks the
 * points that were waiting when it was made. */
bool
pr_is_planted(
    const struct inproc_proc *entered, const struct pr_file *f, uint64_t bias)
{
	bool are_waiting = true;

	if (f->nplanned == 0 || f->bias != bias)
		return false;
	VEC_FOREACH(&f->plan.writes, w) {
		if (inproc_waits(entered, &f->plan, w->window))
			continue;
		if (is_written(entered->pid, w))
			return true;
		are_waiting = false;
	}
	return are_waiting;
}

static void
renew_file(struct planning *pl, struct pr_file *f)
{
	uint64_t bias;

	if (f->points.n == 0) /* the file can have no point */
		return;
	if (!find_bias(f, pl->pm, &bias))
		return;
	if (!pr_is_planted(pl->p->entered, f, bias)) {
		map_anew(pl, f, bias);
	} else if (f->nplanned < f->points.n) {
		inproc_plan_fini(&f->plan);
		plan_file(pl, f, f->nplanned, bias);
	}
}

/* Renew moved files first: their old places may hold something else. */
static void
renew_files(struct planning *pl)
{
	uint64_t bias;

	VEC_FOREACH(&pl->p->files, old) {
		if (old->nplanned != 0 &&
		    (!find_bias(old, pl->pm, &bias) || bias != old->bias))
			forget_old_code(pl, old);
	}
	VEC_FOREACH(&pl->p->files, f)
		renew_file(pl, f);
}

CHECKED static int
plan(const struct pr_plant *plant, struct pr_proc *p, uint64_t pad,
    struct err *err)
{
	struct planning pl = { .plant = plant, .p = p, .pad = pad, .err = err };

	pl.pm = pr_proc_maps(p, err);
	if (pl.pm == NULL)
		return proc_is_gone(-err->code) ? -ESRCH : err->code;
	renew_files(&pl);
	return !err_is_set(err) ? 0 : -EINVAL;
}

/* Log how long the last change stopped the process. */
void
pr_log_stop(
    const struct pr_plant *plant, const struct pr_proc *p, const char *what)
{
	char *text;

	if (plant->opts->log == NULL)
		return;
	text = mem_printf("%s process %d: it was stopped for %.3f ms", what,
	    (int)p->pid, (double)p->entered->stop_ns / 1e6);
	plant->opts->log(plant->opts->notice_arg, text);
	free(text);
}

CHECKED static int
apply(const struct pr_plant *plant, struct pr_proc *p, struct err *err)
{
	struct inproc_plan **plans =
	    mem_alloc((p->files.n + 1) * sizeof(struct inproc_plan *));
	size_t n = 0;
	int rc = 0;

	VEC_FOREACH(&p->files, f) {
		if (f->is_fresh)
			plans[n++] = &f->plan;
	}
	if (n == 0)
		goto out;
	rc = inproc_apply(p->entered, &p->space, plans, n, err);
	if (rc != 0)
		goto out;
	pr_log_stop(plant, p, "changed the code of");
	VEC_FOREACH(&p->files, g) {
		if (g->is_fresh)
			g->nplanned = g->points.n;
	}
	pr_settle_begin(plant, p);
out:
	free(plans);
	return rc;
}

/* ---- until it is done ---------------------------------------------------- */

/* Tries, for a process that maps memory where trampolines were planned. */
#define PLAN_TRIES 8
#define PAD_FROM 3	/* the first try that keeps off from mappings */
#define PAD (64 * 1024) /* its distance; each later try: four times as far */

/* Mappings grow into free space beside them.  A process whose mappings keep
 * growing is left some room; places that need that room are refused. */
static uint64_t
pad_of(int try)
{
	return try < PAD_FROM ? 0 : (uint64_t)PAD << 2 * (try - PAD_FROM);
}

static void
drop_new(struct pr_file *f)
{
	if (f->is_new) {
		inproc_plan_fini(&f->plan);
		f->plan = (struct inproc_plan){ 0 };
		f->is_whole = false;
	}
	f->is_fresh = f->is_new = false;
}

CHECKED static int
plan_again(const struct pr_plant *plant, struct pr_proc *p,
    const struct inproc_space *before, uint64_t pad, struct err *err)
{
	err_clear(err);

	inproc_take_back(p->entered, &p->space, before);
	VEC_FOREACH(&p->files, f)
		drop_new(f);
	pr_proc_look(p);
	return plan(plant, p, pad, err);
}

static void
note_plans(struct pr_plant *plant, struct pr_proc *p)
{
	VEC_FOREACH(&p->files, f) {
		if (f->is_new)
			note_refusals(plant, f, f->first);
		f->is_fresh = f->is_new = false;
	}
}

/* The process runs during planning, and may map memory. */
int
pr_plan_and_apply(struct pr_plant *plant, struct pr_proc *p, struct err *err)
{
	struct inproc_space before;
	int rc;

	inproc_space_copy(&before, &p->space);
	rc = plan(plant, p, 0, err);
	if (rc == 0)
		rc = pr_may_go_on(err);
	if (rc == 0)
		rc = apply(plant, p, err);
	for (int i = 1; i < PLAN_TRIES && rc == -EEXIST; i++) {
		rc = plan_again(plant, p, &before, pad_of(i), err);
		if (rc == 0)
			rc = apply(plant, p, err);
	}
	note_plans(plant, p);
	inproc_space_fini(&before);
	return rc;
}
