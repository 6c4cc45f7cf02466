/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes in programs: from sites in files to jumps in processes.
 *
 * A process is entered once.  Each file that it has mapped and that has sites
 * is one plan (inproc/inproc.h); all plans of a process are applied together.
 * Sites that are not safe to change are refused by name; the rest is traced.
 */
#include "exec/process/proc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/procstatus.h"
#include "inproc/enter.h"
#include "provider/usites.h"
#include "sym/elf_syms.h"
#include "sym/proc_maps.h"
#include "x86/insn.h"

/* Tries to enter a process that is just executing another program. */
#define ENTER_TRIES 5

bool
pr_proc_read(pid_t pid, uint64_t at, void *buf, size_t len)
{
	struct iovec here = { buf, len };
	struct iovec there = { (void *)(uintptr_t)at, len };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

/* ---- being stopped ------------------------------------------------------ */

int
pr_may_go_on(char **msg)
{
	if (!bounds_is_stopped())
		return 0;
	*msg = mem_strdup(BOUNDS_STOPPED);
	return -EINTR;
}

/* ---- points ------------------------------------------------------------- */

struct pr_proc *
pr_proc_find(struct pr_exec *x, pid_t pid)
{
	VEC_FOREACH(&x->procs, pp) {
		if ((*pp)->pid == pid)
			return *pp;
	}
	return NULL;
}

struct pr_proc *
pr_proc_add(struct pr_exec *x, pid_t pid)
{
	struct pr_proc *p = mem_alloc(sizeof(*p));

	p->pid = pid;
	inproc_space_init(&p->space);
	VEC_PUSH(&x->procs, p);
	return p;
}

static struct pr_proc *
proc_of(struct pr_exec *x, pid_t pid)
{
	struct pr_proc *p = pr_proc_find(x, pid);

	return p != NULL ? p : pr_proc_add(x, pid);
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

/* -errno with *msg: nothing can be planted there. */
static int
file_open(struct pr_exec *x, struct pr_file *f, char **msg)
{
	struct pr_code *code;

	if (f->code != NULL)
		return 0;
	code = pr_code_of(x, f->file);
	if (code == NULL)
		return pr_may_go_on(msg);
	if (code->es == NULL) {
		*msg = mem_strdup(code->why);
		return -ENOTSUP;
	}
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
pr_file_code(struct pr_exec *x, struct pr_file *f, char **msg)
{
	return file_open(x, f, msg) == 0 ? f->code : NULL;
}

void
pr_file_add(struct pr_file *f, const struct inproc_point *pt)
{
	VEC_PUSH(&f->points, *pt);
	VEC_PUSH(&f->probes, NULL);
	VEC_PUSH(&f->sites, NULL);
}

/* The action at a site: the probe fires, or the program's question whether the
 * probe is enabled is answered with yes. */
static struct inproc_body
body_at(const struct pr_body *b, const struct pr_site *s)
{
	if (s->site->is_enabled)
		return (struct inproc_body){ .emit = inproc_emit_yes,
			.keeps_flags = true };
	return (struct inproc_body){ .emit = inproc_emit_call,
		.wants = b->wants,
		.changes = (uint16_t)b->changes,
		.id = s->desc,
		.addr = b->entry };
}

static int
add_point(struct pr_exec *x, struct pr_proc *proc, const struct pr_body *b,
    const struct dt_probe *p, const struct pr_site *s, char **msg)
{
	struct pr_file *f = pr_file_of(proc, s->site->file);
	struct inproc_point pt = { .body = body_at(b, s) };
	int rc = file_open(x, f, msg);

	if (rc != 0)
		return rc;
	if (!elf_syms_vaddr(f->code->es, s->site->off, true, &pt.vaddr)) {
		*msg = mem_printf("%s: offset 0x%llx is in no segment of code",
		    f->file->path, (unsigned long long)s->site->off);
		return -EINVAL;
	}
	pr_find_function(f->code, &pt);
	if (p->kind == DT_PROBE_FUNC_ENTRY)
		pt.vaddr = inproc_behind_check(f->code->module, pt.vaddr);
	VEC_PUSH(&f->points, pt);
	VEC_PUSH(&f->probes, p);
	VEC_PUSH(&f->sites, s->site);
	return 0;
}

void
pr_proc_look(struct pr_proc *p)
{
	proc_maps_fini(&p->maps);
	p->maps = (struct proc_maps){ 0 };
}

const struct proc_maps *
pr_proc_maps(struct pr_proc *p, char **msg)
{
	if (p->maps.maps.n == 0 && proc_maps_read(&p->maps, p->pid, msg) != 0)
		return NULL;
	return &p->maps;
}

/* False if the process has ended. */
static bool
has_mapped(struct pr_proc *p, const struct dt_ufile *file)
{
	char *msg = NULL;
	const struct proc_maps *pm = pr_proc_maps(p, &msg);

	free(msg);
	if (pm == NULL)
		return false;
	VEC_FOREACH(&pm->maps, map) {
		if (map->dev == file->dev && map->ino == file->ino &&
		    map->is_exec)
			return true;
	}
	return false;
}

static bool
has_site(const struct pr_proc *p, const struct dt_usite *site)
{
	VEC_FOREACH(&p->files, f) {
		VEC_FOREACH(&f->sites, s) {
			if (*s == site)
				return true;
		}
	}
	return false;
}

/* Add a probe of every process that maps the file to the processes of -c and
 * -p. */
static int
add_wide(struct pr_exec *x, const struct pr_body *b, const struct dt_probe *p,
    const struct pr_site *s, char **msg)
{
	int rc = 0;

	VEC_FOREACH(&x->targets, pid) {
		struct pr_proc *proc = proc_of(x, *pid);

		if (rc == 0 && !has_site(proc, s->site) &&
		    has_mapped(proc, s->site->file))
			rc = add_point(x, proc, b, p, s, msg);
	}
	return rc;
}

static int
add_site(struct pr_exec *x, const struct pr_body *b, const struct dt_probe *p,
    const struct pr_site *s, char **msg)
{
	if (p->up->pid == 0)
		return add_wide(x, b, p, s, msg);
	return add_point(x, proc_of(x, p->up->pid), b, p, s, msg);
}

/* Collect points at system calls in the files that targets have mapped by now.
 */
static int
collect_calls(struct pr_exec *x, char **msg)
{
	int rc = 0;

	VEC_FOREACH(&x->targets, pid) {
		if (rc == 0 && pr_has_calls(x))
			rc = pr_sys_collect(x, proc_of(x, *pid), msg);
	}
	return rc;
}

/* Collect points at calls that may install a filter.  An ended process has
 * none. */
static void
collect_watches(struct pr_exec *x)
{
	char *msg = NULL;

	VEC_FOREACH(&x->procs, p) {
		if (pr_sys_watches(x) && (*p)->files.n != 0)
			pr_sys_collect(x, *p, &msg);
		free(msg);
		msg = NULL;
	}
}

static int
take_firing(
    struct pr_exec *x, const struct pr_body *b, struct pr_firing *f, char **msg)
{
	int rc = 0;

	/* files of probes of any process may be mapped later */
	f->is_taken = f->probe->up == NULL || f->probe->up->pid != 0;
	VEC_FOREACH(&f->sites, s) {
		if (rc == 0)
			rc = add_site(x, b, f->probe, s, msg);
	}
	return rc;
}

static int
collect_points(struct pr_exec *x, char **msg)
{
	int rc = collect_calls(x, msg);

	VEC_FOREACH(&x->bodies, b) {
		VEC_FOREACH(&b->probes, f) {
			if (rc == 0 && !f->is_taken)
				rc = take_firing(x, b, f, msg);
		}
	}
	if (rc == 0)
		collect_watches(x);
	return rc != 0 ? rc : pr_may_go_on(msg);
}

/* Registers that a body changes if it calls a C function. */
#define CALL_CHANGES 0x0fc7 /* %rax, %rcx, %rdx, %rsi, %rdi, %r8 to %r11 */

int
pr_arm_hold(struct pr_exec *x, const struct dt_probe *p, char **msg)
{
	const struct pr_body hold = { .entry = x->hold_entry,
		.wants = 1U << INPROC_IP,
		.changes = CALL_CHANGES };
	const struct dt_usite *at = &p->up->sites.v[0];
	/* the body's number is the distance to struct r_debug */
	const struct pr_site site = { .site = at,
		.desc = (uint32_t)at->r_debug };
	int rc = x86_init(msg);

	return rc != 0 ?
	    rc :
	    add_point(x, proc_of(x, p->up->pid), &hold, p, &site, msg);
}

/* ---- processes ---------------------------------------------------------- */

/* 1: dtrace itself holds the process.  0, or -errno with *msg. */
static int
is_held(pid_t pid, char **msg)
{
	long tracer = proc_status_number(pid, "TracerPid");

	if (tracer >= 0 || proc_is_gone(errno))
		return tracer == getpid();
	*msg = mem_printf("process %d is not entered: /proc/%d/status cannot "
			  "be read: %s",
	    (int)pid, (int)pid, strerror(errno));
	return -errno;
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
		    (struct rt_range){ m->start, m->end - m->start };
	}
}

static void
find_proved(pid_t pid, struct pr_start *own)
{
	char link[32], exe[PATH_MAX], *msg = NULL;
	struct proc_maps pm;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n <= 0)
		return;
	exe[n] = '\0';
	if (proc_maps_read(&pm, pid, &msg) != 0) {
		free(msg); /* the kernel then reads the constants, too */
		return;
	}
	list_proved(&pm, exe, own);
	proc_maps_fini(&pm);
}

/* Fill in the process's own part, which is zeroes; `start` comes last.  Data of
 * a Go program may look like a thread's id, so tid_off is not used there. */
static int
begin_own(const struct pr_exec *x, struct pr_proc *p, char **msg)
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
	    p->entered, x->conf.seed - x->conf.own, &seed, sizeof(seed), msg);
	if (rc != 0)
		return rc;
	return inproc_write_own(
	    p->entered, 0, &seed.start, sizeof(seed.start), msg);
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
		.is_near_program = is_for_programs(x) };
}

/* Name options that make the region smaller: memory may suffice then. */
static void
tell_options(const struct pr_exec *x, char **msg)
{
	char *text = mem_printf("%s%s", *msg, pr_large_options(x));

	free(*msg);
	*msg = text;
}

static int
enter_process(struct pr_exec *x, struct pr_proc *p, char **msg)
{
	const struct inproc_share share = pr_share(x);
	int rc = is_held(p->pid, msg);

	if (rc >= 0)
		rc = inproc_enter(p->pid, rc == 1, &share, &p->entered, msg);
	if (rc == -ENOMEM)
		tell_options(x, msg);
	if (rc != 0)
		return rc;
	give_stacks(x, p);
	return begin_own(x, p, msg);
}

static int
arm_process(struct pr_exec *x, struct pr_proc *p, char **msg)
{
	int rc = 0;

	if (p->entered == NULL) {
		rc = enter_process(x, p, msg);
		pr_proc_look(p);
		if (rc == 0)
			pr_log_stop(x, p, "entered");
	}
	if (rc == 0 && x->tables != NULL)
		pr_tables_note(x, p);
	if (rc == 0)
		rc = pr_plan_and_apply(x, p, msg);
	return rc;
}

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

int
pr_arm(struct pr_exec *x, char **msg)
{
	int rc = x86_init(msg);

	VEC_FOREACH(&x->targets, pid) {
		if (samples(x))
			proc_of(x, *pid);
	}
	if (rc == 0)
		rc = collect_points(x, msg);
	VEC_FOREACH(&x->procs, p) {
		if (rc == 0 && is_needed(x, *p))
			rc = arm_process(x, *p, msg);
	}
	if (rc == 0)
		pr_sys_tell(x, msg);
	return rc;
}

/* ---- what comes while tracing ------------------------------------------- */

/* The process executed: forget all that was planted in it. */
static void
begin_anew(struct pr_proc *p)
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
	char *msg = NULL;

	inproc_leave(p->entered, &msg);
	free(msg);
	p->entered = NULL;
	begin_anew(p);
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
pr_has_executed(struct pr_exec *x)
{
	bool has = false;

	VEC_FOREACH(&x->procs, p)
		has = has || (*p)->is_held ||
		    (!(*p)->is_descendant && pr_proc_has_executed(*p));
	return has;
}

/* A process that has ended needs no work; one that has executed again will be
 * met again. */
static void
arm_process_again(struct pr_exec *x, struct pr_proc *p, char **msg)
{
	int rc = -ESRCH; /* also while the process executes */
	bool is_new;

	if (p->is_held) {
		pr_kin_enter(x, p, msg);
		return;
	}
	if (pr_proc_has_executed(p))
		forget_entered(p);
	is_new = p->entered == NULL;
	for (int i = 0; i < ENTER_TRIES && rc == -ESRCH; i++) {
		free(*msg);
		*msg = NULL;
		if (i > 0)
			pr_proc_look(p);
		rc = arm_process(x, p, msg);
	}
	p->is_lost = rc != 0 && !pr_proc_has_executed(p);
	if (rc == 0) {
		x->looks_again = x->looks_again || is_new;
		return;
	}
	if (rc == -ESRCH || !p->is_lost) {
		free(*msg);
		*msg = NULL;
	}
}

void
pr_arm_again(struct pr_exec *x, char **msg)
{
	pr_sample_settle(x);
	VEC_FOREACH(&x->procs, p)
		pr_proc_look(*p);
	if (collect_points(x, msg) != 0)
		return;
	VEC_FOREACH(&x->procs, pp) {
		if (*msg == NULL && !(*pp)->is_lost && !(*pp)->is_descendant &&
		    is_needed(x, *pp))
			arm_process_again(x, *pp, msg);
	}
	pr_sys_tell(x, msg);
}

void
pr_let_go(struct dt_exec *e, pid_t pid)
{
	struct pr_exec *x = pr_of(e);

	VEC_FOREACH(&x->procs, p) {
		if ((*p)->pid == pid && (*p)->entered != NULL)
			inproc_let_go((*p)->entered);
	}
}

static void
file_free(struct pr_file *f)
{
	pr_plans_forget(f);
	VEC_FREE(&f->points);
	VEC_FREE(&f->probes);
	VEC_FREE(&f->sites);
}

static void
files_free(struct pr_proc *p)
{
	VEC_FOREACH(&p->files, f)
		file_free(f);
	VEC_FREE(&p->files);
}

/* A process that has ended needs no work. */
static void
proc_leave(struct pr_proc *p)
{
	char *msg = NULL;

	if (p->entered != NULL)
		inproc_leave(p->entered, &msg);
	free(msg);
	files_free(p);
	inproc_space_fini(&p->space);
	proc_maps_fini(&p->maps);
	free(p);
}

void
pr_disarm(struct pr_exec *x)
{
	char *msg = NULL;
	bool any = false;

	VEC_FOREACH(&x->procs, p) {
		if ((*p)->entered == NULL)
			continue;
		any = true;
		/* else the process's guardian continues the undo */
		if (inproc_undo((*p)->entered, &msg) == -ESTALE)
			pr_notice(x, msg);
		free(msg);
		msg = NULL;
	}
	if (any)
		pr_kin_sweep(x);
	VEC_FOREACH(&x->procs, pp)
		proc_leave(*pp);
	VEC_FREE(&x->procs);
	pr_codes_free(x);
}

/* ---- descendants: see descendants.c --------------------------------------------- */

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
	inproc_plan_copy(&to->plan, &from->plan);
	if (!pr_is_planted(entered, to, to->bias))
		to->nplanned = 0;
}

/* A child of fork() has the files and points of its parent. */
struct pr_proc *
pr_proc_copy(struct pr_exec *x, const struct pr_proc *from, pid_t pid,
    struct inproc_proc *entered)
{
	struct pr_proc *p = pr_proc_add(x, pid);

	p->is_descendant = true;
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

	pr_kin_tell_end(x, p);
	VEC_FOREACH(&x->procs, pp) {
		if (*pp != p)
			x->procs.v[n++] = *pp;
	}
	x->procs.n = n;
	proc_leave(p);
}

/* Probes of a process of -c or -p stay active in the program it executes. */
void
pr_proc_executed(struct pr_proc *p)
{
	begin_anew(p);
	p->maps_turn = 0;
	if (p->is_descendant)
		files_free(p);
}

static int
enter_again(struct pr_exec *x, struct pr_proc *p, char **msg)
{
	int rc = inproc_enter_again(p->entered, msg);

	if (rc != 0)
		return rc;
	give_stacks(x, p);
	return begin_own(x, p, msg);
}

int
pr_proc_arm(struct pr_exec *x, struct pr_proc *p, char **msg)
{
	int rc = p->is_held ? enter_again(x, p, msg) : 0;

	size_t nfiles = p->files.n;

	pr_proc_look(p);
	if (rc == 0)
		rc = pr_sys_collect(x, p, msg);
	/* a target also has files of programs that it ran before */
	if (rc == 0 &&
	    (p->is_held || p->files.n != nfiles || !p->is_descendant ||
		x->walks))
		rc = arm_process(x, p, msg);
	return rc;
}
