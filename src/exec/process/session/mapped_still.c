/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is our memory still in the processes that we have entered?
 *
 * A program may unmap our memory, drop its pages, or map something else there;
 * programs do that which clean up all unknown mappings.  Then no probe fires in
 * the process any more, or dtrace does not see the firings.  The kernel does
 * not report this, so dtrace now and then looks at
 *
 *	pr_head.mark	in the shared pages, which the process and we see
 *	the first word	of the pages that the kernel sees, too
 *	pr_start.pid	in the process's own pages: 0 once they are dropped
 *
 * and, at the end, at the mapping where the shared part was.
 */
#include "exec/process/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"

/* The first word of the variables that the kernel reaches, too. */
static uint64_t *
vars_mark(const struct pr_exec *x)
{
	return (uint64_t *)(void *)(x->base + x->conf.shared);
}

void
pr_whole_begin(struct pr_exec *x)
{
	if (getrandom(&x->mark, sizeof(x->mark), 0) != sizeof(x->mark))
		x->mark = now_ns();
	x->mark |= 1; /* differs from the 0 of fresh pages */
	pr_head(x)->mark = x->mark;
	if (pr_shared_len(x) != 0)
		*vars_mark(x) = x->mark;
}

/* ---- one process -------------------------------------------------------- */

enum part { WHOLE, DROPPED, GONE };

/* GONE: the process has ended, or executes another program. */
static enum part
look_at_word(pid_t pid, uint64_t at, uint64_t want, uint64_t mask)
{
	uint64_t is;

	if (pr_proc_read(pid, at, &is, sizeof(is)))
		return (is & mask) == (want & mask) ? WHOLE : DROPPED;
	return errno == EFAULT ? DROPPED : GONE;
}

static void
tell(struct pr_exec *x, struct pr_proc *p, const char *what)
{
	char *text;

	p->is_told = true;
	text = mem_printf("process %d has unmapped, dropped or replaced %s: "
			  "what its probes found since then is lost, and "
			  "nothing more may be seen of it; -x substrate=kernel "
			  "(as root) traces such programs",
	    (int)p->pid, what);
	if (x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, text);
	free(text);
}

static bool
is_ours(const struct pr_proc *p)
{
	return p->entered != NULL && !p->is_told && !p->is_lost &&
	    !p->is_followed && !p->is_held;
}

static enum part
look_at_shared(const struct pr_exec *x, const struct pr_proc *p)
{
	uint64_t data = p->entered->data + offsetof(struct pr_head, mark);
	enum part part = look_at_word(p->pid, data, x->mark, UINT64_MAX);

	if (part == WHOLE && pr_shared_len(x) != 0)
		part =
		    look_at_word(p->pid, p->entered->vars, x->mark, UINT64_MAX);
	return part;
}

static void
look_at_process(struct pr_exec *x, struct pr_proc *p)
{
	const struct inproc_share share = pr_share(x);
	uint64_t own = p->entered->own + offsetof(struct pr_start, pid);
	enum part shared = look_at_shared(x, p);
	enum part mine =
	    look_at_word(p->pid, own, (uint64_t)p->pid, UINT32_MAX);

	if (shared == GONE || mine == GONE ||
	    (shared == WHOLE && mine == WHOLE) ||
	    inproc_has_ended(p->entered) || !inproc_has_share(p->pid, &share))
		return;
	tell(x, p,
	    shared == DROPPED ? "dtrace's shared memory" : "dtrace's memory");
}

/* ---- all ---------------------------------------------------------------- */

#define LOOK_NS 100000000ULL

void
pr_whole_look(struct pr_exec *x)
{
	uint64_t now = now_ns();

	if (now < x->next_whole)
		return;
	x->next_whole = now + LOOK_NS;
	/* a hole in the file shows in every process */
	if (pr_head(x)->mark != x->mark ||
	    (pr_shared_len(x) != 0 && *vars_mark(x) != x->mark)) {
		pr_damaged(x);
		return;
	}
	VEC_FOREACH(&x->plant.procs, pp) {
		if (is_ours(*pp))
			look_at_process(x, *pp);
	}
}

uint64_t
pr_whole_wait_ns(const struct pr_exec *x)
{
	return x->plant.procs.n != 0 ? LOOK_NS : UINT64_MAX;
}

/* A process that ends or executes has none of our memory: check the code last.
 */
static bool
has_lost_data(const struct pr_exec *x, const struct pr_proc *p)
{
	const struct inproc_share share = pr_share(x);

	return !inproc_has_data(p->entered) && inproc_has_share(p->pid, &share);
}

void
pr_whole_end(struct pr_exec *x)
{
	x->next_whole = 0;
	pr_whole_look(x);
	VEC_FOREACH(&x->plant.procs, pp) {
		if (is_ours(*pp) && has_lost_data(x, *pp))
			tell(x, *pp, "a part of dtrace's shared memory");
	}
}
