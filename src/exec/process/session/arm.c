/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes in programs: which points a session has in which processes, and the
 * bodies that they lead to (plant.h does the rest).
 */
#include "exec/process/proc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/procstatus.h"
#include "base/proctree.h"
#include "base/vec.h"
#include "exec/plant/usdt_is_enabled.h"
#include "exec/shared.h"
#include "inproc/enter.h"
#include "provider/usites.h"
#include "sym/proc_maps.h"
#include "x86/insn.h"

/* ---- points ------------------------------------------------------------- */

/* The action at a site: the probe fires, or the program's question whether the
 * probe is enabled is answered with yes. */
static struct inproc_body
body_at(const struct pr_body *b, const struct pr_site *s)
{
	if (s->site->is_enabled)
		return pr_is_enabled_body;
	return (struct inproc_body){ .emit = inproc_emit_call,
		.wants = b->wants,
		.changes = (uint16_t)b->changes,
		.id = s->desc,
		.addr = b->entry };
}

/* Collect points at system calls in the files that targets have mapped by now.
 */
CHECKED static int
collect_calls(struct pr_exec *x, struct err *err)
{
	int rc = 0;

	VEC_FOREACH(&x->plant.targets, pid) {
		if (rc == 0 && pr_has_calls(x))
			rc =
			    pr_sys_collect(x, pr_proc_of(&x->plant, *pid), err);
	}
	return rc;
}

/* A descendant that ran already when tracing began: dtrace enters it, too. */
static bool
add_descendant(void *arg, pid_t pid, pid_t parent)
{
	struct pr_exec *x = arg;
	const struct inproc_share share = pr_share(x);
	const struct pr_proc *from = pr_proc_find(&x->plant, parent);
	struct pr_proc *p;
	struct err err = { 0 };

	if (from == NULL || from->root == 0 || from->is_lost ||
	    pr_proc_find(&x->plant, pid) != NULL ||
	    inproc_has_share(pid, &share)) /* its parent was entered before */
		return false;
	p = pr_proc_add(&x->plant, pid);
	p->is_descendant = true;
	p->root = from->root;
	/* one that has ended by now is left out when it is entered */
	err_forget(pr_sys_collect(x, p, &err), &err);
	return true;
}

/* Collect points at calls that may install a filter.  An ended process has
 * none. */
static void
collect_watches(struct pr_exec *x)
{
	struct err err = { 0 };

	VEC_FOREACH(&x->plant.procs, p) {
		if (pr_sys_watches(x) && (*p)->files.n != 0)
			err_forget(pr_sys_collect(x, *p, &err), &err);
	}
}

CHECKED static int
take_firing(struct pr_exec *x, const struct pr_body *b, struct pr_firing *f,
    struct err *err)
{
	int rc = 0;

	/* files of probes of any process may be mapped later */
	f->is_taken = f->probe->up == NULL || f->probe->up->pid != 0;
	VEC_FOREACH(&f->sites, s) {
		const struct inproc_body body = body_at(b, s);

		if (rc == 0)
			rc = pr_site_add(
			    &x->plant, f->probe, s->site, &body, err);
	}
	return rc;
}

CHECKED static int
collect_points(struct pr_exec *x, struct err *err)
{
	int rc = collect_calls(x, err);

	if (rc != 0)
		return rc;
	VEC_FOREACH(&x->bodies, b) {
		VEC_FOREACH(&b->probes, f) {
			rc = f->is_taken ? 0 : take_firing(x, b, f, err);
			if (rc != 0)
				return rc;
		}
	}
	collect_watches(x);
	return pr_may_go_on(err);
}

/* Registers that a body changes if it calls a C function. */
#define CALL_CHANGES 0x0fc7 /* %rax, %rcx, %rdx, %rsi, %rdi, %r8 to %r11 */

int
pr_arm_load_barrier(
    struct pr_exec *x, pid_t pid, const struct dt_probe *p, struct err *err)
{
	const struct pr_body barrier = { .entry = x->load_barrier_entry,
		.wants = 1U << INPROC_IP,
		.changes = CALL_CHANGES };
	const struct dt_usite *at = &p->up->sites.v[0];
	/* the body's number is the distance to struct r_debug */
	const struct pr_site site = { .site = at,
		.desc = (uint32_t)at->r_debug };
	const struct inproc_body body = body_at(&barrier, &site);
	int rc = x86_init(err);

	return rc != 0 ? rc :
			 pr_point_add(&x->plant, pr_proc_of(&x->plant, pid), p,
			     at, &body, err);
}

/* ---- processes ---------------------------------------------------------- */

static struct pr_exec *
exec_of(const struct pr_plant *pl)
{
	return (
	    struct pr_exec *)((uintptr_t)pl - offsetof(struct pr_exec, plant));
}

static bool
is_of_go(const struct pr_proc *p)
{
	VEC_FOREACH(&p->files, f) {
		if (f->code != NULL && inproc_is_go(f->code->module))
			return true;
	}
	return false;
}

/*
 * List constants of the program's file.  They stay mapped while the program
 * runs, and a file that is executed cannot be truncated.  A program may change
 * its code or data (say, move its code to large pages), but not its constants.
 */
static void
list_proved(const struct proc_maps *pm, const char *exe, struct pr_start *own)
{
	VEC_FOREACH(&pm->maps, m) {
		if (own->nproved == PR_PROVED || !m->is_read || m->is_write ||
		    m->is_exec || m->is_deleted || strcmp(m->path, exe) != 0)
			continue;
		own->proved[own->nproved++] =
		    (struct rt_range){ .addr = m->start,
			    .size = m->end - m->start };
	}
}

static void
find_proved(pid_t pid, struct pr_start *own)
{
	char link[32], exe[PATH_MAX];
	struct err err = { 0 };
	struct proc_maps pm;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n <= 0)
		return;
	exe[n] = '\0';
	if (proc_maps_read(&pm, pid, &err) != 0) {
		err_clear(&err); /* the kernel then reads the constants, too */
		return;
	}
	list_proved(&pm, exe, own);
	proc_maps_fini(&pm);
}

/* Fill in the process's own part, which is zeroes; `start` comes last.  Data of
 * a Go program may look like a thread's id, so tid_off is not used there. */
CHECKED static int
begin_own(const struct pr_exec *x, struct pr_proc *p, struct err *err)
{
	struct pr_seed seed = { .follows = pr_has_calls(x),
		.start = { .live = 1,
		    .is_named = !p->is_descendant,
		    .tid_off = is_of_go(p) ? -1 : p->entered->tid_off,
		    .pid = (uint64_t)p->pid } };
	int rc;

	find_proved(p->pid, &seed.start);
	pr_describe(p->pid, &seed.self);
	rc = inproc_write_own(
	    p->entered, x->conf.seed - x->conf.own, &seed, sizeof(seed), err);
	if (rc != 0)
		return rc;
	return inproc_write_own(
	    p->entered, 0, &seed.start, sizeof(seed.start), err);
}

static void
give_stacks(const struct pr_exec *x, struct pr_proc *p)
{
	uint64_t own = p->entered->own, head = p->entered->data;

	p->space.stacks =
	    (struct inproc_stacks){ .owners = own + x->conf.stack_owners,
		    .base = own + x->conf.stacks,
		    .clock = head + offsetof(struct pr_head, turn),
		    .full = own + offsetof(struct pr_own, full),
		    .nowhere = head + offsetof(struct pr_head, nowhere),
		    .busy = head + offsetof(struct pr_head, busy),
		    .unheard = own + offsetof(struct pr_own, unheard),
		    .quiet = own + (x->conf.seed - x->conf.own) +
			offsetof(struct pr_seed, is_quiet),
		    .n = (uint32_t)x->conf.nstacks };
}

/* Are more of the known probes in programs than in libraries? */
static bool
is_for_programs(const struct pr_exec *x)
{
	size_t programs = 0, libraries = 0;

	VEC_FOREACH(&x->bodies, b) {
		VEC_FOREACH(&b->probes, f) {
			const struct dt_usites *up = f->probe->up;

			programs += up != NULL && up->is_program;
			libraries += up != NULL && !up->is_program;
		}
	}
	return programs > libraries;
}

struct inproc_share
pr_share(const struct pr_exec *x)
{
	uint64_t seed = x->conf.seed - x->conf.own;

	return (struct inproc_share){ .code_fd = x->code.fd,
		.data_fd = x->data_fd,
		.code_len = x->code_size,
		.own_len = x->own_size,
		.kept_len = x->own_size - seed,
		.data_len = x->data_size,
		.vars_fd = pr_shared_len(x) != 0 ? x->opts.shared->fd : -1,
		.vars_len = pr_shared_len(x),
		.is_near_program = is_for_programs(x) };
}

/* Name options that make the region smaller: memory may suffice then. */
static void
tell_options(const struct pr_exec *x, struct err *err)
{
	err_set(err, err->code, "%s%s", err_text(err), pr_large_options(x));
}

CHECKED static int
enter_process(struct pr_plant *pl, struct pr_proc *p, struct err *err)
{
	struct pr_exec *x = exec_of(pl);
	int rc = pr_proc_enter(pl, p, err);

	if (rc == -ENOMEM)
		tell_options(x, err);
	if (rc != 0)
		return rc;
	give_stacks(x, p);
	return begin_own(x, p, err);
}

static void
note_mappings(struct pr_plant *pl, struct pr_proc *p)
{
	struct pr_exec *x = exec_of(pl);

	if (x->tables != NULL)
		pr_tables_note(x, p);
}

static struct inproc_share
share_of(const struct pr_plant *pl)
{
	return pr_share(exec_of(pl));
}

static void
note_unwatched(struct pr_plant *pl, const struct pr_file *f,
    const struct inproc_point *pt, const char *why)
{
	pr_sys_note_unwatched(exec_of(pl), f, pt, why);
}

static const struct pr_plant_ops plant_ops = {
	.share = share_of,
	.enter = enter_process,
	.before_plan = note_mappings,
	.unwatched = note_unwatched,
};

/* Has the script clocks that sample threads? */
static bool
samples(const struct pr_exec *x)
{
	VEC_FOREACH(&x->bodies, b) {
		if (b->kind == DT_PROBE_CLOCK)
			return true;
	}
	return false;
}

static bool
is_needed(const struct pr_exec *x, const struct pr_proc *p)
{
	return p->files.n != 0 || samples(x);
}

void
pr_plant_init(struct pr_exec *x)
{
	x->plant.ops = &plant_ops;
	x->plant.opts = &x->opts;
}

/* The process is not traced; the user is told. */
static void
leave_out(struct pr_exec *x, struct pr_proc *p, const char *why)
{
	char *text =
	    mem_printf("process %d is not traced: %s", (int)p->pid, why);

	pr_proc_give_up(p);
	if (x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, text);
	free(text);
}

/* Option cgroup: leave out the processes that are in other groups. */
static void
keep_to_cgroup(struct pr_exec *x)
{
	const struct exec_cgroup *g = &x->opts.cgroup;

	VEC_FOREACH(&x->plant.procs, p) {
		char *why;

		if (g->id == 0 || proc_is_in_cgroup((*p)->pid, g->path))
			continue;
		why = mem_printf("it is not in control group %s",
		    *g->path != '\0' ? g->path : "/");
		leave_out(x, *p, why);
		free(why);
	}
}

static bool
must_plant(const struct pr_exec *x, const struct pr_proc *p)
{
	return is_needed(x, p) && !p->is_lost;
}

/*
 * Enter the processes.  One that cannot be entered, or has ended, is left out
 * if there are others.
 */
CHECKED static int
plant_processes(struct pr_exec *x, struct err *err)
{
	size_t nleft = 0;

	keep_to_cgroup(x);
	VEC_FOREACH(&x->plant.procs, p) {
		nleft += must_plant(x, *p);
	}
	VEC_FOREACH(&x->plant.procs, p) {
		int rc =
		    must_plant(x, *p) ? pr_proc_plant(&x->plant, *p, err) : 0;

		if (rc == 0)
			continue;
		if (nleft == 1 || rc == -EINTR || is_own_failure(-rc))
			return rc;
		nleft--;
		leave_out(x, *p, err_text(err));
		err_clear(err);
	}
	return 0;
}

/* Enter the present descendants, until none has come meanwhile. */
CHECKED static int
arm_descendants(struct pr_exec *x, struct err *err)
{
	size_t before;
	int rc;

	do {
		before = x->plant.procs.n;
		rc = proc_descendants(add_descendant, x);
		if (rc != 0)
			return err_set(err, rc,
			    "cannot find the descendants of processes: %s",
			    strerror(-rc));
		rc = collect_points(x, err);
		if (rc == 0)
			rc = plant_processes(x, err);
	} while (rc == 0 && x->plant.procs.n != before);
	return rc;
}

int
pr_arm(struct pr_exec *x, struct err *err)
{
	int rc;

	x->plant.room = x->depth_at[PR_FOR_FRAME];
	VEC_FOREACH(&x->plant.targets, pid) {
		if (samples(x))
			pr_proc_of(&x->plant, *pid);
	}
	rc = x86_init(err);
	if (rc != 0)
		return rc;
	rc = collect_points(x, err);
	if (rc != 0)
		return rc;
	rc = plant_processes(x, err);
	if (rc == 0 && x->follows)
		rc = arm_descendants(x, err);
	if (rc != 0)
		return rc;
	pr_sys_tell(x, err);
	return 0;
}

/* ---- what comes while tracing ------------------------------------------- */

bool
pr_has_executed(struct pr_exec *x)
{
	bool has = false;

	VEC_FOREACH(&x->plant.procs, p)
		has = has || (*p)->is_held ||
		    (!(*p)->is_descendant && pr_proc_has_executed(*p));
	return has;
}

/* A descendant that ends, or executes without our knowing, is no error. */
static void
arm_descendant_again(struct pr_exec *x, struct pr_proc *p, struct err *err)
{
	if (p->entered == NULL || p->is_followed ||
	    inproc_has_ended(p->entered) || pr_proc_has_executed(p))
		return;
	if (pr_proc_plant(&x->plant, p, err) != 0 &&
	    inproc_has_ended(p->entered))
		err_clear(err);
}

static void
arm_process_again(struct pr_exec *x, struct pr_proc *p, struct err *err)
{
	if (p->is_held)
		pr_descendants_enter(x, p, err);
	else if (p->is_descendant)
		arm_descendant_again(x, p, err);
	else if (pr_proc_plant_again(&x->plant, p, err))
		x->looks_again = true;
}

void
pr_arm_again(struct pr_exec *x, struct err *err)
{
	pr_sample_settle(x);
	VEC_FOREACH(&x->plant.procs, p)
		pr_proc_look(*p);
	if (collect_points(x, err) != 0)
		return;
	VEC_FOREACH(&x->plant.procs, pp) {
		if (!err_is_set(err) && !(*pp)->is_lost &&
		    (!(*pp)->is_descendant || x->follows) && is_needed(x, *pp))
			arm_process_again(x, *pp, err);
	}
	pr_sys_tell(x, err);
}

void
pr_let_go(struct dt_exec *e, pid_t pid)
{
	pr_plant_let_go(&pr_of(e)->plant, pid);
}

/* ---- descendants: see descendants.c -------------------------------------- */

static void
file_copy(struct pr_file *to, const struct pr_file *from,
    const struct inproc_proc *entered)
{
	*to = (struct pr_file){ .file = from->file,
		.code = from->code,
		.bias = from->bias,
		.nplanned = from->nplanned,
		.is_whole = from->is_whole,
		.has_calls = from->has_calls };
	VEC_COPY(&to->points, &from->points);
	VEC_COPY(&to->probes, &from->probes);
	VEC_COPY(&to->sites, &from->sites);
	for (size_t i = 0; i < from->bodies.nslots; i++) {
		if (from->bodies.slots[i].key != 0)
			idmap_put(&to->bodies, from->bodies.slots[i].key, 1);
	}
	inproc_plan_copy(&to->plan, &from->plan);
	if (!pr_is_planted(entered, to, to->bias))
		to->nplanned = 0;
}

/* A child of fork() has the files and points of its parent. */
struct pr_proc *
pr_proc_copy(struct pr_exec *x, const struct pr_proc *from, pid_t pid,
    struct inproc_proc *entered)
{
	struct pr_proc *p = pr_proc_add(&x->plant, pid);

	p->is_descendant = true;
	p->root = from->root;
	p->entered = entered;
	p->maps_turn = from->maps_turn;
	inproc_space_fini(&p->space);
	inproc_space_copy(&p->space, &from->space);
	inproc_space_close(&p->space);
	VEC_FOREACH(&from->files, f) {
		struct pr_file copy;

		file_copy(&copy, f, entered);
		VEC_PUSH(&p->files, copy);
	}
	pr_settle_inherit(p);
	return p;
}

void
pr_proc_drop(struct pr_exec *x, struct pr_proc *p)
{
	size_t n = 0;

	pr_descendants_tell_end(x, p);
	VEC_FOREACH(&x->plant.procs, pp) {
		if (*pp != p)
			x->plant.procs.v[n++] = *pp;
	}
	x->plant.procs.n = n;
	pr_proc_leave(p);
}

/* Probes of a process of -c or -p stay active in the program it executes. */
void
pr_proc_executed(struct pr_proc *p)
{
	pr_proc_anew(p);
	p->maps_turn = 0;
	if (p->is_descendant)
		pr_files_free(p);
}

CHECKED static int
enter_again(struct pr_exec *x, struct pr_proc *p, struct err *err)
{
	int rc = inproc_enter_again(p->entered, err);

	if (rc != 0)
		return rc;
	give_stacks(x, p);
	return begin_own(x, p, err);
}

int
pr_proc_arm(struct pr_exec *x, struct pr_proc *p, struct err *err)
{
	int rc = p->is_held ? enter_again(x, p, err) : 0;
	size_t nfiles = p->files.n;

	pr_proc_look(p);
	if (rc != 0)
		return rc;
	rc = pr_sys_collect(x, p, err);
	/* jumps that are neighbours must be planned together */
	if (rc == 0 && x->follows)
		rc = collect_points(x, err);
	if (rc != 0)
		return rc;
	/* a target also has files of programs that it ran before */
	if (!p->is_held && p->files.n == nfiles && p->is_descendant &&
	    !x->walks)
		return 0;
	return pr_proc_plant(&x->plant, p, err);
}
