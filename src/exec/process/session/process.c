/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process substrate: a plan becomes machine code, which runs where probes
 * fire: in traced processes, and in dtrace itself (BEGIN, END, tick).
 *
 *	load	lay out, compile, map
 *	go	run BEGIN, then let the others fire
 *	wait	sleep, run the tick probes that are due
 *	stop	close the gate
 *	end	run END
 *
 * It needs no privilege of its own.
 */
#include "exec/process/session/session.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "inproc/enter.h"

#define NS 1000000000ULL

void
pr_fire_own(const struct pr_exec *x, const struct pr_firing *f)
{
	const void *code = x->base + f->call;
	void (*function)(void);

	memcpy(&function, &code, sizeof(function));
	function();
}

int
pr_each_own(struct pr_exec *x, pr_own_probe_f *f, void *arg)
{
	int rc = 0;

	VEC_FOREACH(&x->bodies, b) {
		VEC_FOREACH(&b->probes, p) {
			if (rc == 0 && p->call != 0)
				rc = f(x, p, arg);
		}
	}
	return rc;
}

static int
fire_named(struct pr_exec *x, struct pr_firing *p, void *arg)
{
	if (strcmp(p->probe->prov, "dtrace") == 0 &&
	    strcmp(p->probe->name, arg) == 0)
		pr_fire_own(x, p);
	return 0;
}

/* ---- life --------------------------------------------------------------- */

static void
firing_fini(struct pr_firing *f)
{
	if (f->timer_fd >= 0)
		close(f->timer_fd);
	VEC_FREE(&f->clauses);
	VEC_FREE(&f->epids);
	VEC_FREE(&f->sites);
	pr_sample_free(f);
}

static bool
is_described_before(const struct pr_firing *f, uint32_t desc)
{
	return (f->sites.n != 0 ? f->sites.v[0].desc : f->desc) < desc;
}

void
pr_bodies_cut(struct pr_exec *x, size_t nbodies, uint32_t desc)
{
	VEC_FOREACH(&x->bodies, b) {
		size_t n = 0;

		VEC_FOREACH(&b->probes, f) {
			if (b < x->bodies.v + nbodies &&
			    is_described_before(f, desc))
				b->probes.v[n++] = *f;
			else
				firing_fini(f);
		}
		b->probes.n = n;
		if (b < x->bodies.v + nbodies)
			continue;
		VEC_FREE(&b->probes);
		VEC_FREE(&b->clauses);
	}
	x->bodies.n = nbodies;
}

static void
bodies_free(struct pr_exec *x)
{
	pr_bodies_cut(x, 0, 0);
	VEC_FREE(&x->bodies);
}

static void
px_destroy(struct dt_exec *e)
{
	struct pr_exec *x = pr_of(e);

	pr_disarm(&x->plant);
	pr_tables_free(x);
	if (x->wakeup != NULL)
		pr_wakeup_destroy(x->wakeup);
	bodies_free(x);
	pr_unmap(x);
	pr_descendants_fini(x);
	exec_bufs_fini(&x->bufs);
	x_fini(&x->a);
	strbuf_fini(&x->consts);
	strbuf_fini(&x->names);
	VEC_FOREACH(&x->notes, n)
		free(n->text);
	VEC_FREE(&x->notes);
	VEC_FREE(&x->vars.v);
	VEC_FREE(&x->aggs);
	VEC_FREE(&x->plant.targets);
	pr_sys_fini(x);
	VEC_FREE(&x->difos);
	VEC_FREE(&x->error_clauses);
	VEC_FREE(&x->error_epids);
	free(x);
}

CHECKED static int
make_wakeup(struct pr_exec *x, struct err *err)
{
	x->conf.gate = 1;
	if (x->conf.nthreads == 1)
		return 0;
	x->wakeup = pr_wakeup_create(err);
	if (x->wakeup == NULL)
		return -EAGAIN;
	x->conf.gate = pr_wakeup_tid(x->wakeup);
	return 0;
}

CHECKED static int
px_load(struct plan *pl, const struct dt_exec_opts *opts, struct diags *diags,
    struct dt_exec **outp, struct err *err)
{
	struct pr_exec *x = mem_alloc(sizeof(*x));
	int rc;

	x->e.ops = &dt_exec_process;
	x->pl = pl;
	x->opts = *opts;
	pr_plant_init(x);
	x->diags = diags;
	x->code.fd = x->data_fd = -1;
	x->e.ncpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	for (size_t i = 0; i < opts->nprocs; i++)
		VEC_PUSH(&x->plant.targets, opts->procs[i]);
	rc = exec_check_cpu(&x->opts, x->e.ncpus, err);
	if (rc != 0)
		goto out;
	rc = pr_layout(x, err);
	if (rc != 0)
		goto out;
	x->bufs.pl = pl;
	x->bufs.n = (uint32_t)x->conf.nthreads;
	x->bufs.ncpus = x->e.ncpus;
	x->bufs.policy = opts->bufpolicy;
	exec_bufs_init(&x->bufs);
	x->bufs.used = 0;
	rc = make_wakeup(x, err);
	if (rc != 0)
		goto out;
	rc = pr_compile(x, err);
	if (rc != 0)
		goto out;
	rc = pr_map(x, err);
	if (rc != 0)
		goto out;
	if (x->wakeup != NULL)
		pr_wakeup_watch(x->wakeup, pr_head(x));
	VEC_FOREACH(&pl->clauses, pc)
		pc->in_process = true;
	x->e.bufsize = x->conf.sizes[0].buf_size;
	*outp = &x->e;
	return 0;

out:
	px_destroy(&x->e);
	return rc;
}

/* ---- damage ------------------------------------------------------------- */

void
pr_damaged(struct pr_exec *x)
{
	if (x->is_damaged)
		return;
	x->is_damaged = true;
	if (x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg,
		    "a traced process has written to the memory that it shares "
		    "with dtrace, or dropped it: from now on data may be missing or wrong. If "
		    "it did so by mistake, that is an error in the program; "
		    "with -x substrate=kernel (as root) it cannot");
}

/* Only exit() and dtrace close the gate, and they set the state before. */
void
pr_check_gate(struct pr_exec *x)
{
	const struct pr_head *h = pr_head(x);
	uint64_t gate = __atomic_load_n(&h->gate, __ATOMIC_ACQUIRE);
	uint64_t state = __atomic_load_n(&h->state, __ATOMIC_ACQUIRE);

	if (state > EXEC_STATE_DRAINING ||
	    (state == EXEC_STATE_ACTIVE && gate != x->conf.gate))
		pr_damaged(x);
}

/* ---- running ------------------------------------------------------------ */

/*
 * Count the threads that have taken a number; numbers are never given back.
 * Each thread takes the first free number, but a process that is killed while
 * two of its threads take one (thread.c) leaves a gap.
 */
static void
note_writers(struct pr_exec *x)
{
	for (uint32_t i = x->bufs.used; i < x->bufs.n; i++) {
		if (pr_owner(x, i) != 0)
			x->bufs.used = i + 1;
	}
}

static int
start_timer(struct pr_exec *x, struct pr_firing *p, void *arg)
{
	uint64_t period = p->probe->period_ns;
	struct itimerspec its = { .it_interval = { (time_t)(period / NS),
				      (long)(period % NS) } };
	struct err *err = arg;

	(void)x;
	if (period == 0)
		return 0;
	its.it_value = its.it_interval;
	p->timer_fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (p->timer_fd >= 0 &&
	    timerfd_settime(p->timer_fd, 0, &its, NULL) == 0)
		return 0;
	return err_set(err, -errno, "cannot create a timer for %s: %s",
	    p->probe->name, strerror(errno));
}

/* Opens the gate, unless BEGIN has called exit(). */
static void
open_gate(struct pr_exec *x)
{
	uint64_t off = EXEC_STATE_OFF;

	if (__atomic_compare_exchange_n(&pr_head(x)->state, &off,
		EXEC_STATE_ACTIVE, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		__atomic_store_n(
		    &pr_head(x)->gate, x->conf.gate, __ATOMIC_RELEASE);
}

static void
prepare(struct pr_exec *x)
{
	pr_whole_begin(x);
	pr_renew_clocks(x);
	pr_descendants_begin(x);
	pr_tables_start(x);
}

/* While the gate is closed nothing fires, and threads that load code do not
 * wait: dtrace looks for that code once it is open. */
CHECKED static int
px_enter(struct dt_exec *e, struct err *err)
{
	struct pr_exec *x = pr_of(e);

	prepare(x);
	x->has_entered = true;
	x->looks_again = x->may_grow;
	return pr_arm(x, err);
}

/* Open the gate before setting semaphores: a program that sees its semaphore
 * set fires, and no such firing is lost. */
CHECKED static int
px_go(struct dt_exec *e, struct err *err)
{
	struct pr_exec *x = pr_of(e);
	char begin[] = "BEGIN";
	int rc = 0;

	if (!x->has_entered)
		prepare(x);
	pr_each_own(x, fire_named, begin);
	note_writers(x);
	exec_bufs_begun(&x->bufs);
	open_gate(x);
	if (!x->has_entered)
		rc = pr_arm(x, err);
	/* timers start once probes can fire */
	return rc == 0 ? pr_each_own(x, start_timer, err) : rc;
}

/* ---- while tracing ------------------------------------------------------- */

void
pr_arm_more(struct pr_exec *x)
{
	struct err err = { 0 };

	pr_arm_again(x, &err);
	if (err_is_set(&err) && x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, err_text(&err));
	err_clear(&err);
}

CHECKED static int
px_grow(struct dt_exec *e, struct err *err)
{
	struct pr_exec *x = pr_of(e);
	int rc = pr_compile_late(x, err);

	if (rc == 0)
		pr_arm_more(x);
	x->looks_again = x->looks_again || x->is_later_look;
	return rc;
}

CHECKED static int
px_watch_loads(
    struct dt_exec *e, pid_t pid, const struct dt_probe *p, struct err *err)
{
	struct pr_exec *x = pr_of(e);

	return x->may_grow ? pr_arm_load_barrier(x, pid, p, err) : 0;
}

/*
 * A process that executes has no mappings for a moment, and maps libraries
 * while it is entered.  Its mappings are read before that; so look again after
 * it is entered, until there is nothing new.
 */
static bool
px_has_loads(struct dt_exec *e)
{
	struct pr_exec *x = pr_of(e);
	const struct pr_head *h = pr_head(x);

	x->loads = __atomic_load_n(&h->loads, __ATOMIC_ACQUIRE);
	x->is_later_look = x->looks_again;
	x->looks_again = false;
	return x->may_grow &&
	    (x->is_later_look || x->loads != h->seen || pr_has_executed(x));
}

static pid_t
px_root_of(const struct dt_exec *e, pid_t pid)
{
	struct pr_exec *x = pr_of(e);
	const struct pr_proc *p =
	    x->follows ? pr_proc_find(&x->plant, pid) : NULL;

	return p != NULL ? p->root : 0;
}

static void
px_each_descendant(struct dt_exec *e, dt_descendant_f *f, void *arg)
{
	struct pr_exec *x = pr_of(e);

	VEC_FOREACH(&x->plant.procs, p) {
		if (x->follows && (*p)->is_descendant && !(*p)->is_lost)
			f((*p)->pid, (*p)->is_held, arg);
	}
}

/* Code that was loaded again has no new probes, but lacks our jumps. */
static void
px_resume(struct dt_exec *e)
{
	struct pr_exec *x = pr_of(e);
	struct pr_head *h = pr_head(x);

	pr_arm_more(x);
	__atomic_store_n(&h->seen, x->loads, __ATOMIC_RELEASE);
	syscall(SYS_futex, &h->seen, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static bool
px_exiting(struct dt_exec *e)
{
	struct pr_exec *x = pr_of(e);

	for (uint32_t i = 0; i < x->conf.nthreads; i++) {
		if (pr_owner(x, i) != 0 &&
		    pr_shared(x, i)->drops[DT_DROP_FILLED] != 0)
			return true;
	}
	return __atomic_load_n(&pr_head(x)->state, __ATOMIC_ACQUIRE) ==
	    EXEC_STATE_DRAINING;
}

static int
px_stop(struct dt_exec *e)
{
	struct pr_exec *x = pr_of(e);

	pr_whole_end(x);
	__atomic_store_n(&pr_head(x)->gate, 0, __ATOMIC_RELEASE);
	__atomic_store_n(
	    &pr_head(x)->state, EXEC_STATE_DRAINING, __ATOMIC_RELEASE);
	pr_sample_stop(x);
	pr_descendants_stop(x);
	pr_disarm(&x->plant);
	note_writers(x);
	exec_bufs_stopped(&x->bufs);
	return 0;
}

static int
px_end(struct dt_exec *e)
{
	struct pr_exec *x = pr_of(e);
	char end[] = "END";

	return pr_each_own(x, fire_named, end);
}

static uint64_t
px_pending_ns(const struct dt_exec *e)
{
	const struct pr_exec *x = pr_of(e);

	return x->bufs.pending_ns;
}

static bool
px_is_filling(const struct dt_exec *e)
{
	const struct pr_exec *x = pr_of(e);

	return exec_bufs_are_filling(&x->bufs);
}

static int
px_drain(struct dt_exec *e, bool merged, dt_record_f *f, void *arg)
{
	struct pr_exec *x = pr_of(e);
	int rc;

	note_writers(x);
	rc = exec_bufs_drain(&x->bufs, merged, f, arg);
	if (x->bufs.is_damaged)
		pr_damaged(x);
	return rc;
}

static const struct dt_exec_code_ops code_ops = {
	.watch_loads = px_watch_loads,
	.sees_code = true,
	.has_loads = px_has_loads,
	.resume = px_resume,
	.root_of = px_root_of,
	.each_descendant = px_each_descendant,
	.let_go = pr_let_go,
};

const struct dt_exec_ops dt_exec_process = {
	.name = "process",
	.code = &code_ops,
	.is_in_process = true,
	.load = px_load,
	.refuses = pr_refuses,
	.may_enter = inproc_may_enter,
	.enter = px_enter,
	.go = px_go,
	.grow = px_grow,
	.look_back = pr_look_back,
	.stop = px_stop,
	.end = px_end,
	.wait = pr_wait,
	.watch = pr_watch,
	.pending_ns = px_pending_ns,
	.is_filling = px_is_filling,
	.drain = px_drain,
	.agg_walk = pr_agg_walk,
	.agg_turn = pr_agg_turn,
	.agg_fill = pr_agg_fill,
	.aggs_are_filling = pr_aggs_are_filling,
	.drops = pr_drops,
	.lost = pr_lost,
	.most = pr_most,
	.exiting = px_exiting,
	.dump_x86 = pr_dump,
	.destroy = px_destroy,
};
