/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descendants of the processes that -c and -p name: dtrace's side.  The
 * descendants' own side is fork.c; inproc/follow.c stops a program behind its
 * exec.
 *
 *	PR_BORN		the child of fork() has all that its parent has, and
 *			its probes fire; dtrace notes the child, to disarm it
 *			at the end
 *	PR_EXECUTES	dtrace seizes the thread and lets it go on; when the
 *			new program is stopped, it gets its points
 *	PR_MAPPED	a library gets its points
 *	PR_FILTERS	dtrace tells the user, for any process (filter.c)
 *
 * Any traced process may write to the memory of requests.  So dtrace accepts a
 * request only for processes that have our memory mapped, and their threads.
 */
#include "exec/process/proc.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"

#define STALL_NS 20000000ULL /* wait for a numbered, unwritten request */

/* Give the user a message (dt_exec_opts.notice, if set). */
static void
give_notice(const struct pr_exec *x, const char *text)
{
	if (x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, text);
}

/* Give the user a message, once.  Takes `text` (malloced). */
static void
tell_once(struct pr_exec *x, char *text)
{
	VEC_FOREACH(&x->descendants.told, t) {
		if (strcmp(*t, text) == 0) {
			free(text);
			return;
		}
	}
	give_notice(x, text);
	VEC_PUSH(&x->descendants.told, text);
}

/* ---- programs ----------------------------------------------------------- */

static void
tell_not_traced(struct pr_exec *x, const struct pr_proc *p, const char *why)
{
	char link[32], exe[PATH_MAX] = "?";
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)p->pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 1] = '\0';
	tell_once(x,
	    mem_printf("%s, which was executed, is not traced: %s", exe, why));
}

void
pr_descendants_enter(struct pr_exec *x, struct pr_proc *p, struct err *err)
{
	int rc = pr_proc_arm(x, p, err);

	inproc_go_on(p->entered);
	p->is_held = false;
	p->is_lost = rc != 0;
}

static void
enter(struct pr_exec *x, struct pr_proc *p)
{
	struct err err = { 0 };

	pr_descendants_enter(x, p, &err);
	if (p->is_lost && inproc_has_ended(p->entered))
		err_clear(&err);
	else if (p->is_lost)
		tell_not_traced(x, p, err_text(&err));
	else if (err_is_set(&err))
		tell_once(x, err_steal(&err));
	err_clear(&err);

	pr_sys_tell(x, &err);
	if (err_is_set(&err))
		give_notice(x, err_text(&err));
	err_clear(&err);
	if (p->is_lost && p->is_descendant)
		pr_proc_drop(x, p);
}

/* If probes may grow, a target's new program is matched first (arm.c); with
 * option follow, a descendant's, too. */
static void
look_at_outcome(struct pr_exec *x, struct pr_proc *p)
{
	enum inproc_outcome is = inproc_outcome(p->entered);

	if (is == INPROC_WAITING)
		return;
	p->is_followed = false;
	if (is == INPROC_EXECUTED) {
		p->is_held = true;
		pr_proc_executed(p);
		if ((p->is_descendant && !x->follows) || !x->may_grow)
			enter(x, p);
	} else if (p->entered->code == 0) {
		pr_proc_drop(x, p); /* a child of vfork() */
	}
}

/* Reports every end; dtrace gives a message only if we may be the cause. */
void
pr_descendants_tell_end(struct pr_exec *x, const struct pr_proc *p)
{
	if (x->opts.ended != NULL && p->is_descendant && p->entered != NULL &&
	    inproc_has_ended(p->entered))
		x->opts.ended(x->opts.notice_arg, p->pid, p->pid,
		    inproc_pidfd(p->entered));
}

/* A child of fork() has ended already: report its end; look_back() may use the
 * parent, which has the same code. */
static void
tell_missed(struct pr_exec *x, const struct pr_proc *parent, pid_t pid)
{
	if (x->opts.ended != NULL)
		x->opts.ended(x->opts.notice_arg, pid, parent->pid, -1);
}

/* ---- requests ----------------------------------------------------------- */

static void
be_born(struct pr_exec *x, const struct pr_request *r)
{
	const struct pr_proc *parent = pr_proc_find(&x->plant, (pid_t)r->arg);
	struct pr_proc *old = pr_proc_find(&x->plant, (pid_t)r->pid);
	struct inproc_proc *entered;
	struct err err = { 0 };

	if (parent == NULL || parent->entered == NULL || parent->is_held ||
	    parent == old)
		return;
	if (old != NULL) {
		if (old->entered == NULL || !inproc_has_ended(old->entered))
			return;
		pr_proc_drop(x, old);
	}
	/* many children have ended by now: they are not added */
	if (inproc_adopt(parent->entered, (pid_t)r->pid, &entered, &err) == 0)
		pr_proc_copy(x, parent, (pid_t)r->pid, entered);
	else
		tell_missed(x, parent, (pid_t)r->pid);
	err_clear(&err);
}

static bool
has_thread(const struct pr_request *r)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", r->pid, r->arg);
	return access(path, F_OK) == 0;
}

/* The root of a child of vfork() that dtrace meets when it executes: of its
 * parent, which waits. */
static pid_t
root_of(struct pr_exec *x, pid_t pid)
{
	const struct pr_proc *parent =
	    pr_proc_find(&x->plant, (pid_t)proc_status_number(pid, "PPid"));

	return parent != NULL ? parent->root : 0;
}

static void
execute(struct pr_exec *x, const struct pr_request *r)
{
	const struct inproc_share share = pr_share(x);
	struct pr_proc *p = pr_proc_find(&x->plant, (pid_t)r->pid);
	struct inproc_proc *entered = p != NULL ? p->entered : NULL;
	struct err err = { 0 };

	if (!has_thread(r) || !inproc_has_share((pid_t)r->pid, &share) ||
	    (p != NULL && (entered == NULL || p->is_followed || p->is_held)))
		return;
	if (inproc_follow(
		(pid_t)r->pid, (pid_t)r->arg, &share, &entered, &err) != 0) {
		tell_once(x,
		    mem_printf("the program that it executes is not traced: %s",
			err_text(&err)));
		err_clear(&err);
		return;
	}
	if (p == NULL) {
		p = pr_proc_add(&x->plant, (pid_t)r->pid);
		p->is_descendant = true;
		p->root = root_of(x, (pid_t)r->pid);
		p->entered = entered;
	}
	p->is_followed = true;
}

/* Names the program if its path can be read. */
static void
tell_gains(struct pr_exec *x, const struct pr_request *r)
{
	char path[256];
	size_t n = 0;

	while (n + 1 < sizeof(path) &&
	    pr_proc_read((pid_t)r->pid, r->addr + n, &path[n], 1) &&
	    path[n] != '\0')
		n++;
	path[n] = '\0';
	tell_once(x,
	    mem_printf("%s is not traced: it gains privileges (set-user-ID, "
		       "set-group-ID, capabilities) or cannot be read",
		path));
}

static void
look_at_code(struct pr_exec *x, const struct pr_request *r)
{
	struct pr_proc *p = pr_proc_find(&x->plant, (pid_t)r->pid);
	struct err err = { 0 };

	if (p == NULL || p->entered == NULL || p->is_followed || p->is_held ||
	    p->is_lost)
		return;
	pr_sample_settle(x);
	if (pr_proc_arm(x, p, &err) == 0)
		pr_sys_tell(x, &err);
	if (err_is_set(&err) && !inproc_has_ended(p->entered))
		give_notice(x, err_text(&err));
	err_clear(&err);
}

static void
tell_filter(struct pr_exec *x, const struct pr_request *r)
{
	const struct inproc_share share = pr_share(x);

	if (pr_proc_find(&x->plant, (pid_t)r->pid) == NULL &&
	    !inproc_has_share((pid_t)r->pid, &share))
		return;
	tell_once(x,
	    mem_printf(
		"process %u asks for a seccomp filter that forbids system "
		"calls of probes: while it has it, they make none of these, "
		"so copyinstr(), ustack(), execname and others fail there, "
		"and firings may be dropped; use sudo and -x "
		"substrate=kernel",
		r->pid));
}

static void
take_request(struct pr_exec *x, const struct pr_request *r)
{
	switch ((enum pr_asks)r->asks) {
	case PR_BORN:
		be_born(x, r);
		break;
	case PR_EXECUTES:
		execute(x, r);
		break;
	case PR_GAINS:
		tell_gains(x, r);
		break;
	case PR_MAPPED:
		look_at_code(x, r);
		break;
	case PR_FILTERS:
		tell_filter(x, r);
		break;
	}
}

/* The thread that took the number may have been killed before it wrote. */
static bool
has_stalled(struct pr_exec *x)
{
	uint64_t now = now_ns();

	if (__atomic_load_n(&pr_head(x)->asked, __ATOMIC_ACQUIRE) ==
	    x->descendants.heard) {
		x->descendants.stalled_ns = 0;
		return false;
	}
	if (x->descendants.stalled_ns == 0)
		x->descendants.stalled_ns = now;
	return now - x->descendants.stalled_ns > STALL_NS;
}

static void
have_heard(struct pr_exec *x)
{
	struct pr_head *h = pr_head(x);

	x->descendants.stalled_ns = 0;
	__atomic_store_n(&h->heard, ++x->descendants.heard, __ATOMIC_RELEASE);
	syscall(SYS_futex, &h->heard, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Give up the request, unless a thread is just writing it: see ask(). */
static void
give_up(struct pr_exec *x, uint32_t at)
{
	struct pr_request *slot = &pr_head(x)->requests[at], r;
	uint32_t turn;

	slot->given_up = x->descendants.heard + 1;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	turn = __atomic_load_n(&slot->turn, __ATOMIC_ACQUIRE);
	r = *slot;
	if (turn == x->descendants.heard + 1)
		take_request(x, &r);
}

static void
take_requests(struct pr_exec *x)
{
	/* at most the whole ring at once: an endless asker has to wait */
	for (int i = 0; i < PR_REQUESTS; i++) {
		uint32_t at = x->descendants.heard & (PR_REQUESTS - 1);
		const struct pr_request *slot = &pr_head(x)->requests[at];
		uint32_t turn = __atomic_load_n(&slot->turn, __ATOMIC_ACQUIRE);
		struct pr_request r = *slot;

		if (turn == x->descendants.heard + 1)
			take_request(x, &r);
		else if (!has_stalled(x))
			break;
		else
			give_up(x, at);
		have_heard(x);
	}
}

/* ------------------------------------------------------------------------- */

/* Has the process ended, or executed a program without our knowing? */
static bool
is_over(const struct pr_proc *p)
{
	return p->is_descendant && !p->is_followed && !p->is_held &&
	    (inproc_has_ended(p->entered) || pr_proc_has_executed(p));
}

/* Goes backwards, because the loop drops processes. */
static void
look_at_all(struct pr_exec *x)
{
	for (size_t i = x->plant.procs.n; i-- > 0;) {
		struct pr_proc *p = x->plant.procs.v[i];

		if (p->is_followed)
			look_at_outcome(x, p);
		else if (is_over(p))
			pr_proc_drop(x, p);
	}
}

/* Tell once that requests were not heard; any process can cause this. */
static void
tell_unheard(struct pr_exec *x)
{
	if (pr_head(x)->unheard != 0)
		tell_once(x,
		    mem_strdup(
			"dtrace had no CPU for seconds, and a process has "
			"waited for it in vain: the code that it executed "
			"or mapped then is not traced"));
}

void
pr_descendants_work(struct pr_exec *x)
{
	tell_unheard(x);
	take_requests(x);
	if (pr_has_calls(x))
		look_at_all(x);
}

void
pr_descendants_fds(const struct pr_exec *x, struct pr_fds *fds)
{
	VEC_FOREACH(&x->plant.procs, p) {
		if ((*p)->is_followed)
			VEC_PUSH(&fds->v, inproc_outcome_fd((*p)->entered));
	}
}

/* Held processes go on unchanged; followed ones are released when dtrace leaves
 * them. */
void
pr_descendants_stop(struct pr_exec *x)
{
	take_requests(x);
	VEC_FOREACH(&x->plant.procs, p) {
		if ((*p)->is_held)
			inproc_go_on((*p)->entered);
		(*p)->is_held = false;
		pr_descendants_tell_end(x, *p);
	}
}

void
pr_descendants_fini(struct pr_exec *x)
{
	VEC_FOREACH(&x->descendants.told, t)
		free(*t);
	VEC_FREE(&x->descendants.told);
}

void
pr_descendants_begin(struct pr_exec *x)
{
	x->plant.begin_ns = clock_read_ns(CLOCK_BOOTTIME);
}
