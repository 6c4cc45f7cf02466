/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: from sites in files to points, and from points to jumps.
 */
#include "exec/plant/plant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "provider/usites.h"
#include "sym/elf_syms.h"

/* Tries to enter a process that is just executing another program. */
#define ENTER_TRIES 5

bool
pr_proc_read(pid_t pid, uint64_t at, void *buf, size_t len)
{
	struct iovec here = { buf, len };
	struct iovec there = { (void *)(uintptr_t)at, len };

	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);

	if (n >= 0 && n < (ssize_t)len)
		errno = EFAULT; /* the kernel sets none for a part */
	return n == (ssize_t)len;
}

int
pr_may_go_on(struct err *err)
{
	if (!bounds_is_stopped())
		return 0;
	return err_set(err, -EINTR, "%s", BOUNDS_STOPPED);
}

struct pr_proc *
pr_proc_find(struct pr_plant *pl, pid_t pid)
{
	VEC_FOREACH(&pl->procs, pp) {
		if ((*pp)->pid == pid)
			return *pp;
	}
	return NULL;
}

struct pr_proc *
pr_proc_add(struct pr_plant *pl, pid_t pid)
{
	struct pr_proc *p = mem_alloc(sizeof(*p));

	p->pid = pid;
	VEC_FOREACH(&pl->targets, target) {
		if (*target == pid)
			p->root = pid;
	}
	inproc_space_init(&p->space);
	VEC_PUSH(&pl->procs, p);
	return p;
}

struct pr_proc *
pr_proc_of(struct pr_plant *pl, pid_t pid)
{
	struct pr_proc *p = pr_proc_find(pl, pid);

	return p != NULL ? p : pr_proc_add(pl, pid);
}

/* Finds the file by device and inode: providers may open it separately. */
struct pr_file *
pr_file_of(struct pr_proc *p, const struct dt_ufile *file)
{
	VEC_FOREACH(&p->files, f) {
		if (f->file->dev == file->dev && f->file->ino == file->ino)
			return f;
	}
	VEC_PUSH(&p->files, ((struct pr_file){ .file = file }));
	return &p->files.v[p->files.n - 1];
}

/* -errno with *err: nothing can be planted there. */
CHECKED static int
file_open(struct pr_plant *pl, struct pr_file *f, struct err *err)
{
	struct pr_code *code;

	if (f->code != NULL)
		return 0;
	code = pr_code_of(pl, f->file);
	if (code == NULL)
		return pr_may_go_on(err);
	if (code->es == NULL)
		return err_set(err, -ENOTSUP, "%s", code->why);
	f->code = code;
	return 0;
}

/* Labels and stripped files have no sizes: the module then finds the function.
 */
void
pr_find_function(const struct pr_code *code, struct inproc_point *pt)
{
	const struct elf_sym *sym = elf_syms_by_addr(code->es, pt->vaddr);

	pt->func = pt->vaddr;
	if (sym != NULL && sym->size != 0) {
		pt->func = sym->value;
		pt->size = sym->size;
	} else {
		inproc_function_at(
		    code->module, pt->vaddr, &pt->func, &pt->size);
	}
}

struct pr_code *
pr_file_code(struct pr_plant *pl, struct pr_file *f, struct err *err)
{
	return file_open(pl, f, err) == 0 ? f->code : NULL;
}

void
pr_file_add(struct pr_file *f, const struct inproc_point *pt)
{
	VEC_PUSH(&f->points, *pt);
	VEC_PUSH(&f->probes, NULL);
	VEC_PUSH(&f->sites, NULL);
}

int
pr_point_add(struct pr_plant *pl, struct pr_proc *proc,
    const struct dt_probe *p, const struct dt_usite *site,
    const struct inproc_body *body, struct err *err)
{
	struct pr_file *f = pr_file_of(proc, site->file);
	struct inproc_point pt = { .body = *body };
	int rc = file_open(pl, f, err);

	if (rc != 0)
		return rc;
	if (!elf_syms_vaddr(f->code->es, site->off, true, &pt.vaddr))
		return err_set(err, -EINVAL,
		    "%s: offset 0x%llx is in no segment of code", f->file->path,
		    (unsigned long long)site->off);
	pr_find_function(f->code, &pt);
	if (p->kind == DT_PROBE_FUNC_ENTRY)
		pt.vaddr = inproc_behind_check(f->code->module, pt.vaddr);
	VEC_PUSH(&f->points, pt);
	VEC_PUSH(&f->probes, p);
	VEC_PUSH(&f->sites, site);
	return 0;
}

void
pr_proc_look(struct pr_proc *p)
{
	proc_maps_fini(&p->maps);
	p->maps = (struct proc_maps){ 0 };
}

const struct proc_maps *
pr_proc_maps(struct pr_proc *p, struct err *err)
{
	if (p->maps.maps.n == 0 && proc_maps_read(&p->maps, p->pid, err) != 0)
		return NULL;
	return &p->maps;
}

/* False if the process has ended. */
static bool
has_mapped(struct pr_proc *p, const struct dt_ufile *file)
{
	struct err err = { 0 };
	const struct proc_maps *pm = pr_proc_maps(p, &err);

	err_clear(&err);
	if (pm == NULL)
		return false;
	VEC_FOREACH(&pm->maps, map) {
		if (map->dev == file->dev && map->ino == file->ino &&
		    map->is_exec)
			return true;
	}
	return false;
}

/* Bodies of probes have numbers, one for each site. */
static bool
has_site(struct pr_proc *p, const struct dt_usite *site,
    const struct inproc_body *body)
{
	struct pr_file *f = pr_file_of(p, site->file);

	if (body->id != 0)
		return idmap_get(&f->bodies, body->id) != NULL;
	VEC_FOREACH(&f->sites, s) {
		if (*s == site)
			return true;
	}
	return false;
}

/* Add a site of a probe of several processes to one that maps its file. */
CHECKED static int
add_if_mapped(struct pr_plant *pl, struct pr_proc *proc,
    const struct dt_probe *p, const struct dt_usite *site,
    const struct inproc_body *body, struct err *err)
{
	int rc;

	if (!has_mapped(proc, site->file) || has_site(proc, site, body))
		return 0;
	rc = pr_point_add(pl, proc, p, site, body, err);
	if (rc == 0 && body->id != 0)
		idmap_put(&pr_file_of(proc, site->file)->bodies, body->id, 1);
	return rc;
}

/* Add a site of a probe of every process to the targets that map its file. */
CHECKED static int
add_wide(struct pr_plant *pl, const struct dt_probe *p,
    const struct dt_usite *site, const struct inproc_body *body,
    struct err *err)
{
	int rc = 0;

	VEC_FOREACH(&pl->targets, pid) {
		if (rc == 0)
			rc = add_if_mapped(
			    pl, pr_proc_of(pl, *pid), p, site, body, err);
	}
	return rc;
}

/* The same for a family: its processes that are known by now. */
CHECKED static int
add_family(struct pr_plant *pl, const struct dt_probe *p,
    const struct dt_usite *site, const struct inproc_body *body,
    struct err *err)
{
	int rc = 0;

	pr_proc_of(pl, p->up->family);
	VEC_FOREACH(&pl->procs, proc) {
		if (rc == 0 && (*proc)->root == p->up->family &&
		    !(*proc)->is_lost)
			rc = add_if_mapped(pl, *proc, p, site, body, err);
	}
	return rc;
}

int
pr_site_add(struct pr_plant *pl, const struct dt_probe *p,
    const struct dt_usite *site, const struct inproc_body *body,
    struct err *err)
{
	if (p->up->family != 0)
		return add_family(pl, p, site, body, err);
	if (p->up->pid == 0)
		return add_wide(pl, p, site, body, err);
	return pr_point_add(pl, pr_proc_of(pl, p->up->pid), p, site, body, err);
}

/* ---- processes ---------------------------------------------------------- */

/* 1: dtrace itself holds the process.  0, or -errno with *err. */
CHECKED static int
is_held(pid_t pid, struct err *err)
{
	long tracer = proc_status_number(pid, "TracerPid");

	if (tracer >= 0 || proc_is_gone(errno))
		return tracer == getpid();
	return err_set(err, -errno,
	    "process %d is not entered: /proc/%d/status cannot be read: %s",
	    (int)pid, (int)pid, strerror(errno));
}

int
pr_proc_enter(struct pr_plant *pl, struct pr_proc *p, struct err *err)
{
	const struct inproc_share share = pl->ops->share(pl);

	int rc = is_held(p->pid, err);

	return rc < 0 ? rc :
			inproc_enter(p->pid, rc == 1, &share, &p->entered, err);
}

int
pr_proc_plant(struct pr_plant *pl, struct pr_proc *p, struct err *err)
{
	if (p->entered == NULL) {
		int rc = pl->ops->enter(pl, p, err);

		pr_proc_look(p);
		if (rc != 0)
			return rc;
		pr_log_stop(pl, p, "entered");
	}
	if (pl->ops->before_plan != NULL)
		pl->ops->before_plan(pl, p);
	return pr_plan_and_apply(pl, p, err);
}

/* The process executed: forget all that was planted in it. */
void
pr_proc_anew(struct pr_proc *p)
{
	p->is_looked_at = false;
	inproc_space_fini(&p->space);
	inproc_space_init(&p->space);
	VEC_FOREACH(&p->files, f)
		pr_plans_forget(f);
}

static void
forget_entered(struct pr_proc *p)
{
	struct err err = { 0 };

	err_forget(inproc_leave(p->entered, &err), &err);
	p->entered = NULL;
	pr_proc_anew(p);
}

void
pr_proc_give_up(struct pr_proc *p)
{
	if (p->entered != NULL)
		forget_entered(p);
	p->is_lost = true;
}

/* False if the process has ended. */
bool
pr_proc_has_executed(const struct pr_proc *p)
{
	uint64_t live;

	return p->entered != NULL && !p->is_lost && !p->is_followed &&
	    !p->is_held &&
	    !pr_proc_read(p->pid, p->entered->own, &live, sizeof(live)) &&
	    errno == EFAULT;
}

bool
pr_proc_plant_again(struct pr_plant *pl, struct pr_proc *p, struct err *err)
{
	int rc = -ESRCH; /* also while the process executes */
	bool is_new;

	if (pr_proc_has_executed(p))
		forget_entered(p);
	is_new = p->entered == NULL;
	for (int i = 0; i < ENTER_TRIES && rc == -ESRCH; i++) {
		err_clear(err);
		if (i > 0)
			pr_proc_look(p);
		rc = pr_proc_plant(pl, p, err);
	}
	p->is_lost = rc != 0 && !pr_proc_has_executed(p);
	if (rc == -ESRCH || (rc != 0 && !p->is_lost)) {
		err_clear(err);
	}
	return rc == 0 && is_new;
}

void
pr_plant_let_go(struct pr_plant *pl, pid_t pid)
{
	VEC_FOREACH(&pl->procs, p) {
		if ((*p)->pid == pid && (*p)->entered != NULL)
			inproc_let_go((*p)->entered);
	}
}

static void
file_free(struct pr_file *f)
{
	pr_plans_forget(f);
	idmap_fini(&f->bodies);
	VEC_FREE(&f->points);
	VEC_FREE(&f->probes);
	VEC_FREE(&f->sites);
}

void
pr_files_free(struct pr_proc *p)
{
	VEC_FOREACH(&p->files, f)
		file_free(f);
	VEC_FREE(&p->files);
}

/* A process that has ended needs no work. */
void
pr_proc_leave(struct pr_proc *p)
{
	struct err err = { 0 };

	if (p->entered != NULL)
		err_forget(inproc_leave(p->entered, &err), &err);
	pr_files_free(p);
	inproc_space_fini(&p->space);
	proc_maps_fini(&p->maps);
	free(p);
}

static void
tell(const struct pr_plant *pl, const char *text)
{
	if (pl->opts->notice != NULL)
		pl->opts->notice(pl->opts->notice_arg, text);
}

static void
sweep(struct pr_plant *pl)
{
	int rc = pr_sweep(pl);
	char *text;

	if (rc == 0)
		return;
	text = mem_printf(
	    "the processes cannot be listed: %s; children of traced processes that dtrace has not seen may keep its probes",
	    strerror(-rc));
	tell(pl, text);
	free(text);
}

void
pr_disarm(struct pr_plant *pl)
{
	struct err err = { 0 };
	bool any = false;

	VEC_FOREACH(&pl->procs, p) {
		if ((*p)->entered == NULL)
			continue;
		any = true;
		/* else the process's guardian continues the undo */
		if (inproc_undo((*p)->entered, &err) == -ESTALE)
			tell(pl, err_text(&err));
		err_clear(&err);
	}
	if (any)
		sweep(pl);
	VEC_FOREACH(&pl->procs, pp)
		pr_proc_leave(*pp);
	VEC_FREE(&pl->procs);
	pr_codes_free(pl);
}
