/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for data, for timers and for new code. */
#include "exec/process/session/session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"

#define NS 1000000000ULL
#define SAMPLE_NS 100000	 /* between looks at threads that must stop */
#define EXEC_LOOKS 10		 /* looks at mappings of an executed program */
#define EXEC_LOOK_NS 20000000ULL /* between looks for new programs */

/* Fire a probe whose timer has expired; periods that passed while dtrace was
 * busy are counted as missed. */
static int
run_tick(struct pr_exec *x, struct pr_firing *p, void *arg)
{
	uint64_t times;

	(void)arg;
	if (p->timer_fd < 0 ||
	    read(p->timer_fd, &times, sizeof(times)) != sizeof(times))
		return 0;
	if (p->probe->kind == DT_PROBE_CLOCK) {
		if (!x->may_grow && pr_has_executed(x))
			pr_arm_more(x);
		pr_sample(x, p);
		return 0;
	}
	pr_fire_own(x, p);
	x->missed += times - 1;
	return 0;
}

struct poll_set {
	VEC(struct pollfd) fds;
};

static int
add_timer(struct pr_exec *x, struct pr_firing *p, void *arg)
{
	struct poll_set *set = arg;

	(void)x;
	if (p->timer_fd >= 0)
		VEC_PUSH(&set->fds,
		    ((struct pollfd){ .fd = p->timer_fd, .events = POLLIN }));
	return 0;
}

/* A program that a target has executed makes system calls from files that it
 * maps in its first moments: plant points there. */
static void
look_for_calls(struct pr_exec *x)
{
	uint64_t now = now_ns();

	if (x->may_grow || !pr_has_calls(x))
		return;
	if (pr_has_executed(x))
		x->sys.look_until = now + EXEC_LOOKS * EXEC_LOOK_NS;
	if (now < x->sys.look_until)
		pr_arm_more(x);
}

int
pr_wait(struct dt_exec *e, uint64_t timeout_ns, int extra_fd)
{
	struct pr_exec *x = pr_of(e);
	struct poll_set set = { 0 };
	struct pr_fds descendants = { 0 };
	uint64_t settle_ns = pr_settle_work(&x->plant);
	struct timespec ts;
	int rc;

	if (timeout_ns > pr_whole_wait_ns(x))
		timeout_ns = pr_whole_wait_ns(x);
	if (pr_sample_again(x) && timeout_ns > SAMPLE_NS)
		timeout_ns = SAMPLE_NS;
	if ((x->may_grow || pr_has_calls(x)) && timeout_ns > EXEC_LOOK_NS)
		timeout_ns = EXEC_LOOK_NS;
	if (timeout_ns > settle_ns)
		timeout_ns = settle_ns;
	ts.tv_sec = (time_t)(timeout_ns / NS);
	ts.tv_nsec = (long)(timeout_ns % NS);
	VEC_PUSH(
	    &set.fds, ((struct pollfd){ .fd = extra_fd, .events = POLLIN }));
	if (x->wakeup != NULL)
		VEC_PUSH(&set.fds,
		    ((struct pollfd){
			.fd = pr_wakeup_fd(x->wakeup), .events = POLLIN }));
	pr_each_own(x, add_timer, &set);
	pr_descendants_fds(x, &descendants);
	VEC_FOREACH(&descendants.v, fd)
		VEC_PUSH(
		    &set.fds, ((struct pollfd){ .fd = *fd, .events = POLLIN }));
	VEC_FREE(&descendants.v);
	rc = ppoll(set.fds.v, set.fds.n, &ts, NULL);
	rc = rc < 0 ? -errno : 0;
	VEC_FREE(&set.fds);
	if (x->wakeup != NULL)
		pr_wakeup_clear(x->wakeup);
	pr_check_gate(x);
	pr_whole_look(x);
	pr_renew_clocks(x);
	pr_tables_look(x);
	pr_descendants_work(x);
	look_for_calls(x);
	pr_each_own(x, run_tick, NULL);
	return rc;
}

static int
watch_timer(struct pr_exec *x, struct pr_firing *p, void *arg)
{
	struct epoll_event ev = { .events = EPOLLIN };

	(void)x;
	if (p->timer_fd < 0)
		return 0;
	return epoll_ctl(*(int *)arg, EPOLL_CTL_ADD, p->timer_fd, &ev);
}

int
pr_watch(struct dt_exec *e, int epoll_fd)
{
	struct pr_exec *x = pr_of(e);
	struct epoll_event ev = { .events = EPOLLIN };
	int rc = 0;

	if (x->wakeup != NULL)
		rc = epoll_ctl(
		    epoll_fd, EPOLL_CTL_ADD, pr_wakeup_fd(x->wakeup), &ev);
	return rc == 0 ? pr_each_own(x, watch_timer, &epoll_fd) : rc;
}
