/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loaded session runs: from BEGIN to END.  The table of the substrate's
 * functions is at the end.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

#define NS 1000000000ULL

static void
renew_clocks(struct bx_exec *x)
{
	x->ctl->wall_off = wall_offset_ns();
	bx_tsc_renew(x);
}

/* Run a group's program on this CPU now: BEGIN, END, tick. */
static int
run_group(const struct bx_group *g)
{
	uint64_t args[12] = { 0 };
	LIBBPF_OPTS(
	    bpf_test_run_opts, o, .ctx_in = args, .ctx_size_in = sizeof(args));

	return bpf_prog_test_run_opts(g->progs.v[0], &o);
}

static struct bx_group *
dtrace_group(struct bx_exec *x, const char *name)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		struct bx_group *g = &x->groups[i];

		if (g->tr.facts->always_fires && strcmp(g->tr.name, name) == 0)
			return g;
	}
	return NULL;
}

CHECKED static int
warm_all(const struct bx_exec *x, struct err *err)
{
	int rc = 0;

	if (bx_maps_have_keys(x))
		bx_visit_cpus(x, bx_maps_warm, &rc);
	if (rc != 0)
		err_set(err, rc,
		    "cannot make aggregations and arrays ready: %s",
		    strerror(-rc));
	return rc;
}

CHECKED static int
arm_all(struct bx_exec *x, struct err *err)
{
	int rc = bx_vtime_arm(x, err);

	if (rc != 0)
		return rc;
	rc = bx_family_arm(x, err);
	if (rc == 0)
		rc = bx_self_arm(x, err);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < x->ngroups; i++) {
		rc = bx_may_go_on(err, bx_group_arm(x, &x->groups[i], err));
		if (rc != 0)
			return rc;
	}
	return bx_is_enabled_armed(x, err);
}

CHECKED static int
bx_go(struct dt_exec *e, struct err *err)
{
	struct bx_exec *x = bx_of(e);
	struct bx_group *begin = dtrace_group(x, "BEGIN");
	uint32_t off = EXEC_STATE_OFF;
	int rc;

	renew_clocks(x);
	rc = warm_all(x, err);
	if (rc != 0)
		return rc;
	bx_hotplug_start(x);
	rc = arm_all(x, err);
	if (rc != 0)
		return rc;
	rc = begin != NULL ? run_group(begin) : 0;
	if (rc != 0)
		return err_set(err, rc, "cannot run BEGIN: %s", strerror(-rc));
	exec_bufs_begun(&x->bufs);
	x->start_ns = now_ns();
	bx_idle_begin(x);
	bx_hotplug_armed(x);
	__atomic_compare_exchange_n(&x->ctl->state, &off, EXEC_STATE_ACTIVE,
	    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return 0;
}

static bool
bx_exiting(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++) {
		if (bx_pcpu(x, cpu)->drops[DT_DROP_FILLED] != 0)
			return true;
	}
	return __atomic_load_n(&x->ctl->state, __ATOMIC_ACQUIRE) ==
	    EXEC_STATE_DRAINING;
}

static bool
anything_armed(const struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		const struct bx_fds *armed = &x->groups[i].armed;

		if (armed->fds.n != 0 || armed->large.n != 0)
			return true;
	}
	return false;
}

static int
bx_stop(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	__atomic_store_n(&x->ctl->state, EXEC_STATE_DRAINING, __ATOMIC_RELEASE);
	x->stop_ns = now_ns();
	bx_idle_end(x);
	bx_family_disarm(x);
	bx_is_enabled_close(x);
	if (anything_armed(x))
		bx_quiesce(x);
	exec_bufs_stopped(&x->bufs);
	return 0;
}

static int
bx_end(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);
	struct bx_group *end = dtrace_group(x, "END");

	return end != NULL ? run_group(end) : 0;
}

/* Run the tick probes whose timer has expired.  Returns 0 or -errno: if one
 * cannot run, what ends the trace may never come. */
static int
run_ticks(struct bx_exec *x)
{
	int rc = 0;

	for (size_t i = 0; i < x->ngroups; i++) {
		struct bx_group *g = &x->groups[i];
		uint64_t times;
		int one;

		if (g->timer_fd < 0 ||
		    read(g->timer_fd, &times, sizeof(times)) != sizeof(times))
			continue;
		one = run_group(g);
		rc = rc != 0 ? rc : one;
		/* count firings missed while dtrace was busy; do not make them
		 * up */
		bx_pcpu(x, 0)->drops[DT_DROP_MISSED] += times - 1;
	}
	return rc;
}

/* Tables of files that no stack has asked for yet are made in idle time. */
static uint64_t
bx_rest_ns(const struct dt_exec *e)
{
	return bx_unwind_has_work(bx_of(e)) ? 0 : UINT64_MAX;
}

static int
bx_wait(struct dt_exec *e, uint64_t timeout_ns, int extra_fd)
{
	struct bx_exec *x = bx_of(e);
	struct pollfd *fds = mem_alloc((x->ngroups + 3) * sizeof(*fds));
	struct timespec ts;
	nfds_t n = 0;
	int rc, tick_rc;

	if (timeout_ns > bx_rest_ns(e))
		timeout_ns = bx_rest_ns(e);
	ts.tv_sec = (time_t)(timeout_ns / NS);
	ts.tv_nsec = (long)(timeout_ns % NS);
	fds[n++] = (struct pollfd){ .fd = x->wakeup_fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = extra_fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = x->hotplug_fd, .events = POLLIN };
	for (size_t i = 0; i < x->ngroups; i++) {
		if (x->groups[i].timer_fd >= 0)
			fds[n++] = (struct pollfd){ .fd = x->groups[i].timer_fd,
				.events = POLLIN };
	}
	rc = ppoll(fds, n, &ts, NULL);
	rc = rc < 0 ? -errno : 0;
	free(fds);
	if (x->wakeup_consumer != NULL)
		*x->wakeup_consumer = *x->wakeup_producer;
	bx_unwind_work(x);
	bx_helpers_work(x);
	bx_hotplug_work(x);
	bx_family_work(x);
	tick_rc = run_ticks(x);
	renew_clocks(x);
	return tick_rc != 0 ? tick_rc : rc;
}

struct drain_arg {
	struct bx_exec *x;
	dt_record_f *f;
	void *arg;
};

static int
drain_finished(const struct dt_record *rec, void *arg)
{
	const struct drain_arg *da = arg;
	struct dt_record copy;

	if (bx_unwind_finish_any(da->x))
		rec = bx_unwind_finish_record(da->x, rec, &copy);
	return da->f(rec, da->arg);
}

static int
bx_drain(struct dt_exec *e, bool merged, dt_record_f *f, void *arg)
{
	struct bx_exec *x = bx_of(e);
	struct drain_arg da = { x, f, arg };

	if (x->unwind_finish == NULL)
		return exec_bufs_drain(&x->bufs, merged, f, arg);
	return exec_bufs_drain(&x->bufs, merged, drain_finished, &da);
}

static uint64_t
bx_pending_ns(const struct dt_exec *e)
{
	const struct bx_exec *x = bx_of(e);

	return x->bufs.pending_ns;
}

static bool
bx_is_filling(const struct dt_exec *e)
{
	const struct bx_exec *x = bx_of(e);

	return exec_bufs_are_filling(&x->bufs);
}

static int
bx_watch(struct dt_exec *e, int epoll_fd)
{
	struct bx_exec *x = bx_of(e);
	struct epoll_event ev = { .events = EPOLLIN };
	int rc = 0;

	if (x->wakeup_fd >= 0)
		rc = epoll_ctl(epoll_fd, EPOLL_CTL_ADD, x->wakeup_fd, &ev);
	if (rc == 0 && x->hotplug_fd >= 0)
		rc = epoll_ctl(epoll_fd, EPOLL_CTL_ADD, x->hotplug_fd, &ev);
	for (size_t i = 0; rc == 0 && i < x->ngroups; i++) {
		if (x->groups[i].timer_fd >= 0)
			rc = epoll_ctl(epoll_fd, EPOLL_CTL_ADD,
			    x->groups[i].timer_fd, &ev);
	}
	return rc;
}

static const struct dt_exec_code_ops code_ops = {
	.watch_loads = bx_watch_loads,
	.has_loads = bx_has_loads,
	.resume = bx_resume,
	.root_of = bx_root_of,
	.let_go = bx_let_go,
	.met = bx_met,
};

const struct dt_exec_ops dt_exec_bpf = {
	.name = "kernel",
	.code = &code_ops,
	.can_arm = bx_can_arm,
	.load = bx_load,
	.go = bx_go,
	.grow = bx_grow,
	.look_back = bx_look_back,
	.stop = bx_stop,
	.end = bx_end,
	.wait = bx_wait,
	.rest_ns = bx_rest_ns,
	.watch = bx_watch,
	.pending_ns = bx_pending_ns,
	.is_filling = bx_is_filling,
	.drain = bx_drain,
	.agg_walk = bx_agg_walk,
	.agg_turn = bx_agg_turn,
	.agg_fill = bx_agg_fill,
	.drops = bx_drops,
	.lost = bx_lost,
	.most = bx_most,
	.idle = bx_idle,
	.exiting = bx_exiting,
	.each_feature = bx_each_feature,
	.dump_bpf = bx_dump,
	.destroy = bx_destroy,
};
