/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of dtrace, and how they are carried out in a process (enter.h).
 *
 * dtrace writes the request into the ledger, and code into files that it shares
 * with the process.  Then ent_work() stops the process and does the work.  It
 * runs in a child of the guardian, or here if the process is held.
 */
#include "inproc/enter.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

/* How long to retry while a thread is in a window or in our code. */
#define APPLY_MS 10000
#define PATIENCE_MS 50 /* then the window waits for the thread */
#define LEAVE_MS 100   /* then the guardian goes on */

/* ---- work --------------------------------------------------------------- */

CHECKED static int
work_enter(struct inproc_entry *e, struct ent_stop *s, struct err *err)
{
	return ent_map_share(e, s, err);
}

CHECKED static int
work_apply(struct inproc_entry *e, struct ent_stop *s, struct err *err)
{
	int rc = ent_map_areas(e, s, err);

	return rc != 0 ? rc : ent_plant(e->ledger, s, err);
}

CHECKED static int
work_restore(struct inproc_entry *e, struct ent_stop *s, struct err *err)
{
	return ent_unplant(e->ledger, s, err);
}

/*
 * Code that others changed may still lead to our memory, so the memory stays
 * mapped, however often this is asked.
 */
CHECKED static int
work_leave(struct inproc_entry *e, struct ent_stop *s, struct err *err)
{
	int rc = ent_unplant(e->ledger, s, err);

	if (rc == 0 && e->ledger->is_stale)
		rc = err_set(err, -ESTALE,
		    "process %d keeps dtrace's memory: code that was left as it is may lead there",
		    (int)e->pid);
	return rc != 0 ? rc : ent_unmap(e, s, err);
}

typedef int ent_work_f(
    struct inproc_entry *e, struct ent_stop *s, struct err *err);
static ent_work_f *const works[] = {
	[ENT_ENTER] = work_enter,
	[ENT_APPLY] = work_apply,
	[ENT_SETTLE] = work_apply,
	[ENT_RESTORE] = work_restore,
	[ENT_LEAVE] = work_leave,
};

static bool
has_ended(const struct inproc_entry *e)
{
	struct pollfd fd = { .fd = e->pidfd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/*
 * 1: the process has our memory.  0: it has ended, or has executed a program,
 * perhaps as another user; nothing of ours is left then.  Negative: that cannot
 * be found out, *err says why.
 */
CHECKED static int
is_there(const struct inproc_entry *e, struct err *err)
{
	struct proc_maps pm;
	int rc;

	if (has_ended(e))
		return 0;
	rc = proc_maps_read(&pm, e->pid, err);
	if (rc == 0) {
		rc = ent_is_mapped(e, &pm);
		proc_maps_fini(&pm);
	} else if (proc_is_gone(-rc) || rc == -EACCES || rc == -EPERM) {
		err_clear(err);
		rc = 0;
	}
	return rc;
}

CHECKED static int
gone(struct inproc_entry *e, enum ent_work what, struct err *err)
{
	e->ledger->len = 0;
	if (what == ENT_RESTORE || what == ENT_LEAVE)
		return 0;
	return err_set(err, -ESRCH,
	    "process %d has ended or executed another program", (int)e->pid);
}

CHECKED static int
stop_and_work(struct inproc_entry *e, enum ent_work what, struct err *err)
{
	struct ent_stop s;
	int rc = ent_stop_all(&s, e->pid,
	    e->ledger->is_held	       ? ENT_BY_DTRACE :
		e->ledger->is_followed ? ENT_BY_WORKER :
					 ENT_BY_NOBODY,
	    err);

	if (rc != 0)
		return rc;
	rc = works[what](e, &s, err);
	e->ledger->stop_ns = ent_release_all(&s);
	return rc;
}

/*
 * Sleep and return true while there is time to retry.  The naps become longer:
 * on a busy machine a thread needs time to get anywhere, and each retry stops
 * it.
 */
static bool
is_worth_waiting(enum ent_work what, int rc, unsigned *slept_ms)
{
	unsigned limit = what == ENT_LEAVE ? LEAVE_MS : APPLY_MS;
	unsigned nap = *slept_ms / 2 + 1;

	if ((rc != -EAGAIN && rc != -EBUSY) || *slept_ms >= limit)
		return false;
	usleep(1000 * nap);
	*slept_ms += nap;
	return true;
}

int
ent_work(struct inproc_entry *e, enum ent_work what, struct err *err)
{
	unsigned slept_ms = 0;
	int rc = ent_ledger_see(e);

	if (rc != 0)
		return err_set(
		    err, rc, "memory for so many probes: %s", strerror(-rc));
	for (;;) {
		rc = what == ENT_ENTER ? !has_ended(e) : is_there(e, err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return gone(e, what, err);
		e->ledger->may_wait =
		    what == ENT_SETTLE || slept_ms >= PATIENCE_MS;
		rc = stop_and_work(e, what, err);
		if (rc == 0 || !is_worth_waiting(what, rc, &slept_ms))
			return rc;
		err_clear(err);
	}
}

/* ---- wards -------------------------------------------------------------- */

static void
rely_on(struct inproc_entry *e, struct inproc_entry *on)
{
	e->ward_of = on->ward_of != NULL ? on->ward_of : on;
	VEC_PUSH(&e->ward_of->wards, e);
}

static void
rely_on_nobody(struct inproc_entry *e)
{
	struct inproc_entry *on = e->ward_of;
	size_t n = 0;

	if (on == NULL)
		return;
	VEC_FOREACH(&on->wards, w) {
		if (*w != e)
			on->wards.v[n++] = *w;
	}
	on->wards.n = n;
	e->ward_of = NULL;
}

CHECKED static int
need_guardian(struct inproc_entry *e, struct err *err)
{
	if (e->guardian_fd >= 0)
		return 0;
	rely_on_nobody(e);
	return ent_guardian_start(e, err);
}

/*
 * Give the wards guardians of their own: the state that this entry's guardian
 * knows will soon differ from theirs.
 */
static void
release_wards(struct inproc_entry *e)
{
	while (e->wards.n > 0) {
		struct inproc_entry *w = e->wards.v[e->wards.n - 1];
		struct err err = { 0 };

		if (has_ended(w))
			rely_on_nobody(w);
		else
			err_forget(need_guardian(w, &err), &err);
	}
}

int
ent_ask(struct inproc_entry *e, enum ent_work what, struct err *err)
{
	int rc;

	if (e->ledger->is_held)
		rc = ent_work(e, what, err);
	else
		rc = need_guardian(e, err);
	if (rc == 0 && !e->ledger->is_held)
		rc = ent_guardian_ask(e, what, err);
	e->p.stop_ns = e->ledger->stop_ns;
	return rc;
}

/* ---- entering ----------------------------------------------------------- */

CHECKED static int
fail(int code, struct err *err, const char *what)
{
	return err_set(err, -code, "%s: %s", what, strerror(code));
}

CHECKED static int
open_entry(struct inproc_entry *e, bool is_held, struct err *err)
{
	int rc = ent_ledger_create(e);

	if (rc != 0)
		return fail(-rc, err, "memory for probes in a process");
	e->ledger->is_held = is_held;
	e->ledger->epoch = 1;
	e->pidfd = (int)syscall(SYS_pidfd_open, e->pid, 0);
	if (e->pidfd < 0)
		return fail(errno, err, "the process to be entered");
	if (e->code->file.fd < 0)
		rc = code_file_create(
		    &e->code->file, "dtrace", CODE_FIRST, true);
	return rc != 0 ? fail(-rc, err, "a file for code in memory") : 0;
}

static struct ent_code *
code_create(void)
{
	struct ent_code *code = mem_alloc(sizeof(*code));

	*code = (struct ent_code){ .file.fd = -1, .refs = 1 };
	return code;
}

static void
code_rele(struct ent_code *code)
{
	if (--code->refs != 0)
		return;
	code_file_fini(&code->file);
	free(code);
}

/* Takes ownership of `code`. */
static struct inproc_entry *
entry_create(pid_t pid, const struct inproc_share *share, struct ent_code *code)
{
	struct inproc_entry *e = mem_alloc(sizeof(*e));

	*e = (struct inproc_entry){ .pid = pid,
		.share = *share,
		.code = code,
		.pidfd = -1,
		.guardian_fd = -1 };
	e->p = (struct inproc_proc){ .pid = pid, .tid_off = -1, .e = e };
	return e;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void
close_entry(struct inproc_entry *e)
{
	rely_on_nobody(e);
	release_wards(e);
	VEC_FREE(&e->wards);
	ent_guardian_end(e);
	close_fd(e->pidfd);
	code_rele(e->code);
	free(e->undone);
	ent_ledger_destroy(e);
	free(e);
}

static void
tell_caller(struct inproc_entry *e)
{
	const struct ent_ledger *l = e->ledger;

	e->p.code = l->base;
	e->p.own = l->base + e->share.code_len;
	e->p.data = e->p.own + e->share.own_len;
	e->p.tid_off = l->tid_off;
}

int
inproc_enter(pid_t pid, bool is_held, const struct inproc_share *share,
    struct inproc_proc **pp, struct err *err)
{
	struct inproc_entry *e;
	int rc = inproc_may_enter(pid, err);

	if (rc != 0)
		return rc;
	e = entry_create(pid, share, code_create());
	rc = open_entry(e, is_held, err);
	if (rc == 0)
		rc = ent_guardian_start(e, err);
	if (rc == 0)
		rc = ent_ask(e, ENT_ENTER, err);
	if (rc != 0)
		goto undo;
	tell_caller(e);
	*pp = &e->p;
	return 0;
undo:
	close_entry(e);
	return rc;
}

/* ---- descendants -------------------------------------------------------- */

/* Copy the used part of the ledger; the rest would be pages of zeroes. */
static int
copy_ledger(struct inproc_entry *e, const struct inproc_entry *parent)
{
	const struct ent_ledger *from = parent->ledger;
	const struct ent_ledger *head =
	    parent->undone != NULL ? parent->undone : from;
	int rc = ent_ledger_grow(e, head->nwrites, head->nmoves);
	struct ent_ledger *to = e->ledger;
	uint64_t step = to->step;

	if (rc != 0)
		return rc;
	memcpy(to, head, ENT_HEAD_SIZE);
	to->step = step;
	memcpy(to->areas, from->areas, to->nareas * sizeof(*to->areas));
	memcpy(to->groups, from->groups, to->ngroups * sizeof(*to->groups));
	memcpy(to->is_gone, from->is_gone, to->ngroups * sizeof(*to->is_gone));
	memcpy(to->counters, from->counters,
	    to->ncounters * sizeof(*to->counters));
	memcpy(ent_writes(to), ent_writes(from),
	    to->nwrites * sizeof(struct inproc_write));
	memcpy(ent_moves(to), ent_moves(from),
	    to->nmoves * sizeof(struct inproc_move));
	memcpy(to->waits, from->waits, to->nwindows * sizeof(*to->waits));
	to->is_held = to->is_followed = false;
	return 0;
}

/* The parent may have been given more after the fork: forget that. */
CHECKED static int
keep_what_is(struct inproc_entry *e, struct err *err)
{
	uint64_t ngroups = e->ledger->ngroups;
	struct proc_maps pm;
	int is, rc = proc_maps_read(&pm, e->pid, err);

	if (rc != 0)
		return rc;
	is = ent_is_mapped(e, &pm);
	e->ledger->nmapped = ent_count_areas(e, &pm);
	proc_maps_fini(&pm);
	if (is)
		ent_forget_missing(e->ledger, e->pid);
	/* all seems missing if the process ended meanwhile */
	if (is && e->ledger->ngroups != ngroups)
		is = is_there(e, err);
	if (is == 0)
		return err_set(err, -ESRCH,
		    "process %d has no memory of dtrace's", (int)e->pid);
	return is < 0 ? is : 0;
}

int
ent_adopt(struct inproc_entry *parent, pid_t pid, struct inproc_entry **ep,
    struct err *err)
{
	struct ent_code *code = parent->code;
	struct inproc_entry *e;
	int rc;

	code->refs++;
	e = entry_create(pid, &parent->share, code);
	rc = open_entry(e, false, err);
	if (rc != 0)
		goto undo;
	rc = copy_ledger(e, parent);
	rc = rc != 0 ? fail(-rc, err, "memory for probes in a process") :
		       keep_what_is(e, err);
	if (rc != 0)
		goto undo;
	tell_caller(e);
	*ep = e;
	return 0;
undo:
	if (e->ledger != NULL)
		e->ledger->len = 0;
	close_entry(e);
	return rc;
}

int
inproc_adopt(const struct inproc_proc *parent, pid_t pid,
    struct inproc_proc **pp, struct err *err)
{
	struct inproc_entry *e;
	int rc = ent_adopt(parent->e, pid, &e, err);

	if (rc != 0)
		return rc;
	rely_on(e, parent->e);
	*pp = &e->p;
	return 0;
}

/*
 * An entry for a process that is about to execute a program; nothing else is
 * known of it yet.
 */
CHECKED static int
begin_follow(pid_t pid, const struct inproc_share *share,
    struct inproc_entry **ep, struct err *err)
{
	struct inproc_entry *e = entry_create(pid, share, code_create());
	int rc = open_entry(e, false, err);

	if (rc == 0)
		rc = ent_guardian_start(e, err);
	if (rc != 0)
		goto undo;
	*ep = e;
	return 0;
undo:
	close_entry(e);
	return rc;
}

int
inproc_follow(pid_t pid, pid_t tid, const struct inproc_share *share,
    struct inproc_proc **pp, struct err *err)
{
	struct inproc_entry *e = *pp != NULL ? (*pp)->e : NULL;
	int rc = e == NULL ? begin_follow(pid, share, &e, err) : 0;

	if (rc != 0)
		return rc;
	rc = need_guardian(e, err);
	if (rc != 0)
		return rc;
	release_wards(e);
	e->ledger->follow_tid = tid;
	e->outcome = INPROC_WAITING;
	rc = ent_guardian_ask(e, ENT_FOLLOW, err);
	if (rc == 0)
		*pp = &e->p;
	else if (*pp == NULL)
		close_entry(e);
	return rc;
}

int
inproc_outcome_fd(const struct inproc_proc *p)
{
	return p->e->guardian_fd;
}

enum inproc_outcome
inproc_outcome(struct inproc_proc *p)
{
	ent_guardian_hear(p->e);
	return p->e->outcome;
}

int
inproc_enter_again(struct inproc_proc *p, struct err *err)
{
	int rc = ent_may_enter_traced(p->pid, err);

	if (rc != 0)
		return rc;
	rc = ent_ask(p->e, ENT_ENTER, err);
	if (rc != 0)
		return rc;
	tell_caller(p->e);
	return 0;
}

void
inproc_go_on(struct inproc_proc *p)
{
	struct err err = { 0 };

	err_forget(ent_guardian_ask(p->e, ENT_GO_ON, &err), &err);
}

static bool
is_in(uint64_t addr, uint64_t at, uint64_t len)
{
	return addr - at < len;
}

enum inproc_part
inproc_part_at(
    const struct inproc_proc *p, uint64_t addr, const struct inproc_write **w)
{
	const struct inproc_share *share = &p->e->share;
	const struct ent_ledger *l = p->e->ledger;

	for (uint64_t i = 0; i < l->nwrites; i++) {
		*w = &ent_writes(l)[i];
		if (is_in(addr, (*w)->at, (*w)->len))
			return INPROC_JUMP;
	}
	*w = NULL;
	for (uint64_t i = 0; i < l->nareas; i++) {
		if (is_in(addr, l->areas[i].at, l->areas[i].len))
			return INPROC_TRAMPOLINE;
	}
	return is_in(addr, p->code,
		   share->code_len + share->own_len + share->data_len) ?
	    INPROC_CODE :
	    INPROC_NOTHING;
}

bool
inproc_has_ended(const struct inproc_proc *p)
{
	return has_ended(p->e);
}

int
inproc_pidfd(const struct inproc_proc *p)
{
	return p->e->pidfd;
}

bool
inproc_has_data(const struct inproc_proc *p)
{
	uint64_t end = p->data + p->e->share.data_len, len = 0;
	struct proc_maps pm;
	struct stat st;
	struct err err = { 0 };

	if (fstat(p->e->share.data_fd, &st) != 0 ||
	    proc_maps_read(&pm, p->pid, &err) != 0) {
		err_clear(&err);
		return true; /* not known */
	}
	VEC_FOREACH(&pm.maps, map) {
		if (map->ino == st.st_ino && map->start >= p->data &&
		    map->end <= end)
			len += map->end - map->start;
	}
	proc_maps_fini(&pm);
	return len == p->e->share.data_len;
}

bool
inproc_has_share(pid_t pid, const struct inproc_share *share)
{
	struct proc_maps pm;
	struct err err = { 0 };
	bool has = false;
	int rc = proc_maps_read(&pm, pid, &err);

	if (rc != 0) {
		err_clear(&err);
		return !proc_is_gone(-rc) && rc != -EACCES && rc != -EPERM;
	}
	VEC_FOREACH(&pm.maps, map)
		has = has || ent_is_share(map, share);
	proc_maps_fini(&pm);
	return has;
}

/* ------------------------------------------------------------------------- */

int
inproc_write_own(struct inproc_proc *p, uint64_t off, const void *buf,
    size_t len, struct err *err)
{
	struct iovec here = { (void *)(uintptr_t)buf, len };
	struct iovec there = { (void *)(uintptr_t)(p->own + off), len };
	ssize_t n = process_vm_writev(p->pid, &here, 1, &there, 1, 0);

	if (n == (ssize_t)len)
		return 0;
	return fail(
	    n < 0 ? errno : EFAULT, err, "memory of a process for probes");
}

void
inproc_let_go(struct inproc_proc *p)
{
	p->e->ledger->is_held = false;
}

/* Numbers this small are on every stack and would look like addresses. */
#define SMALL_NUMBERS (16ULL << 20)
#define HEAP_ROOM (1ULL << 30)
#define STACK_ROOM (256ULL << 20)

uint64_t
ent_stat_field(pid_t pid, int n)
{
	char path[32], text[2048] = "", *s;
	uint64_t value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	s = fgets(text, sizeof(text), f) != NULL ? strrchr(text, ')') : NULL;
	fclose(f);
	for (int field = 2; s != NULL && field < n; field++)
		s = strchr(s + 1, ' ');
	if (s != NULL)
		value = strtoull(s, NULL, 10);
	return value;
}

/* The spans that are mapped, and those that heap and stacks grow into. */
struct busy {
	VEC(struct inproc_span) v;
};

static void
add_map(struct busy *b, const struct proc_map *map)
{
	struct inproc_span span = { map->start, map->end };

	if (strcmp(map->path, "[stack]") == 0)
		span.lo -= STACK_ROOM;
	else if (strcmp(map->path, "[heap]") == 0)
		span.hi += HEAP_ROOM;
	VEC_PUSH(&b->v, span);
}

static int
compare_spans(const void *pa, const void *pb)
{
	const struct inproc_span *a = pa, *b = pb;

	return (a->lo > b->lo) - (a->lo < b->lo);
}

/* Spans of a space do not overlap. */
static void
merge(struct busy *b, struct inproc_space *space)
{
	struct inproc_span now = { 0, SMALL_NUMBERS };

	if (b->v.n != 0)
		qsort(b->v.v, b->v.n, sizeof(*b->v.v), compare_spans);
	space->busy.n = 0;
	VEC_FOREACH(&b->v, span) {
		if (span->lo > now.hi) {
			inproc_space_busy(space, now.lo, now.hi);
			now = *span;
		} else if (span->hi > now.hi) {
			now.hi = span->hi;
		}
	}
	inproc_space_busy(space, now.lo, now.hi);
}

void
inproc_describe_space(const struct inproc_proc *p, const struct proc_maps *pm,
    struct inproc_space *space)
{
	uint64_t heap = ent_stat_field(p->pid, ENT_STAT_HEAP);
	struct busy b = { 0 };

	if (heap != 0)
		VEC_PUSH(&b.v, (struct inproc_span){ heap, heap + HEAP_ROOM });
	VEC_FOREACH(&pm->maps, map)
		add_map(&b, map);
	merge(&b, space);
	VEC_FREE(&b.v);
}

/* ---- waiting windows ---------------------------------------------------- */

size_t
inproc_waiting(const struct inproc_proc *p)
{
	return p->e->ledger->nwaiting;
}

bool
inproc_waits(const struct inproc_proc *p, const struct inproc_plan *plan,
    uint32_t window)
{
	return p->e->ledger->waits[plan->first_window + window] != ENT_PLANTED;
}

/* The thread's context switches; 0: it has ended. */
static uint64_t
count_switches(pid_t tid)
{
	static const char *const names[] = { "voluntary_ctxt_switches",
		"nonvoluntary_ctxt_switches" };
	uint64_t sum = 0;

	for (size_t i = 0; i < 2; i++) {
		char text[32];

		if (proc_status(tid, names[i], text, sizeof(text)))
			sum += strtoull(text, NULL, 10);
	}
	return sum;
}

/* The sum over all threads that stay in windows; 0: not known. */
static uint64_t
count_all_switches(const struct ent_ledger *l)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; l->nstayers <= ENT_STAYERS_MAX && i < l->nstayers;
	     i++)
		sum += count_switches(l->stayers[i]);
	return sum;
}

bool
inproc_may_settle(struct inproc_proc *p)
{
	uint64_t before = p->e->switches;

	p->e->switches = count_all_switches(p->e->ledger);
	return p->e->switches == 0 || p->e->switches != before;
}

int
inproc_settle(struct inproc_proc *p, struct err *err)
{
	p->e->ledger->first_due = 0;
	return ent_ask(p->e, ENT_SETTLE, err);
}

/* ------------------------------------------------------------------------- */

int
inproc_restore(struct inproc_proc *p, struct err *err)
{
	return ent_ask(p->e, ENT_RESTORE, err);
}

int
inproc_undo(struct inproc_proc *p, struct err *err)
{
	if (has_ended(p->e))
		p->e->ledger->len = 0;
	if (p->e->ledger->len == 0)
		return 0;
	free(p->e->undone);
	p->e->undone = mem_alloc(ENT_HEAD_SIZE);
	memcpy(p->e->undone, p->e->ledger, ENT_HEAD_SIZE);
	release_wards(p->e);
	return ent_ask(p->e, ENT_LEAVE, err);
}

int
inproc_leave(struct inproc_proc *p, struct err *err)
{
	int rc = inproc_undo(p, err);

	/* the guardian unmaps it when it can */
	if (rc == -EBUSY && !p->e->ledger->is_held) {
		err_clear(err);
		rc = 0;
	}
	close_entry(p->e);
	return rc;
}
