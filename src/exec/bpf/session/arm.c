/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm the probes of groups, and disarm all at once.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>

#include "base/err.h"
#include "base/vec.h"

#define NS 1000000000ULL

CHECKED static int
arm_timer(struct bx_group *g, uint64_t period_ns, struct err *err)
{
	struct itimerspec its = {
		.it_interval = { (time_t)(period_ns / NS),
		    (long)(period_ns % NS) },
	};

	its.it_value = its.it_interval;
	g->timer_fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (g->timer_fd < 0 ||
	    timerfd_settime(g->timer_fd, 0, &its, NULL) != 0) {
		return err_set(err, -errno, "cannot create a timer for %s: %s",
		    g->tr.name, strerror(errno));
	}
	return 0;
}

/* Arm all probes of a program with one call; cookies are places in the
 * table. */
int
bx_group_arm(const struct bx_exec *x, struct bx_group *g, struct err *err)
{
	const struct bx_tr *t = &g->tr;
	const struct dt_probe *p = t->facts->probes.v[0];
	const struct bx_attach *attach = bx_attach(p->kind);
	struct bx_arming a = { .ctx = t->facts->ctx,
		.has_cookies = t->facts->has_table && !t->facts->is_patched,
		.refused = x->opts.refused,
		.places = x->places };
	size_t from = g->narmed;
	int rc = 0;

	g->narmed = t->facts->probes.n;
	if (from == g->narmed)
		return 0;
	if (attach->arm == NULL)
		return p->period_ns != 0 ? arm_timer(g, p->period_ns, err) : 0;
	for (size_t i = from; rc == 0 && i < t->facts->probes.n; i += a.n) {
		a.n = t->facts->is_patched ? 1 : t->facts->probes.n - i;
		a.probes = &t->facts->probes.v[i];
		a.first_cookie = i;
		a.prog_fd = g->progs.v[t->facts->is_patched ? i : 0];
		rc = bx_may_go_on(err, attach->arm(&a, &g->armed, err));
	}
	return rc;
}

int
bx_vtime_arm(struct bx_exec *x, struct err *err)
{
	int fd;

	if (x->vtime.progs.n == 0)
		return 0;
	bx_clocks_start(x);
	fd = bpf_raw_tracepoint_open("sched_switch", x->vtime.progs.v[0]);
	if (fd < 0) {
		err_set(err, fd,
		    "the clocks of threads (vtimestamp, ...) are not available: cannot attach to sched_switch: %s",
		    strerror(-fd));
		return fd;
	}
	VEC_PUSH(&x->vtime.armed.fds, fd);
	return 0;
}

static void
take_links(struct bx_fds *all, struct bx_group *g)
{
	VEC_FOREACH(&g->armed.fds, fd)
		VEC_PUSH(&all->fds, *fd);
	VEC_FOREACH(&g->armed.large, fd)
		VEC_PUSH(&all->large, *fd);
	VEC_FREE(&g->armed.fds);
	VEC_FREE(&g->armed.large);
	VEC_FREE(&g->armed.cpus);
}

void
bx_disarm(struct bx_exec *x)
{
	struct bx_fds all = { 0 };

	for (size_t i = 0; i < x->ngroups; i++)
		take_links(&all, &x->groups[i]);
	take_links(&all, &x->vtime);
	take_links(&all, &x->load_barrier);
	take_links(&all, &x->family);
	for (unsigned i = 0; i < BX_SELF_PROGS; i++)
		take_links(&all, &x->self[i]);
	bx_family_disarm(x);
	bx_fds_close(&all);
}
