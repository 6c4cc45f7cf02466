/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for the next work.
 *
 * All waiting is in dt_sleep(), on the substrate and on one epoll set, which
 * has the pidfd of each process and an eventfd for dt_interrupt(), so that no
 * reason to end is seen late or lost to a race.  dt_ctl_fd() lets others wait
 * instead.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "libdtrace/dt_impl.h"

bool
dt_has_switchrate(const struct dt_hdl *h)
{
	return h->opts.vals[DT_OPT_SWITCHRATE].is_set;
}

/*
 * The time at which held-back records (others may overtake them) are due; 0:
 * there are none, or they are not due before the next switch.
 */
static uint64_t
held_deadline(const struct dt_hdl *h)
{
	uint64_t pending;

	if (dt_has_switchrate(h) || h->exec == NULL)
		return h->due.held;
	pending = h->ops->pending_ns(h->exec);
	return pending != 0 ? now_ns() + pending : 0;
}

/* The latest time of the next work. */
static uint64_t
next_deadline(const struct dt_hdl *h)
{
	uint64_t until = h->due.buffers, held = held_deadline(h);

	if (h->due.aggs < until)
		until = h->due.aggs;
	if (h->due.status < until)
		until = h->due.status;
	if (h->procs.nalive != 0 && h->due.stuck < until)
		until = h->due.stuck;
	if (h->due.clean_ns != 0 && h->due.clean < until)
		until = h->due.clean;
	if (held != 0 && held < until)
		until = held;
	if (h->due.refresh_ns != 0 && h->due.refresh < until)
		until = h->due.refresh;
	if (h->growth.is_followed && now_ns() + DT_GROWTH_NS < until)
		until = now_ns() + DT_GROWTH_NS;
	return until;
}

static uint64_t
ctl_deadline(const struct dt_hdl *h)
{
	return h->exec != NULL && dt_must_end(h) ? 0 : next_deadline(h);
}

static int
watch(int epoll_fd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

/* A deadline of 0 has passed: due at once. */
void
dt_set_ctl_timer(struct dt_hdl *h)
{
	uint64_t until = ctl_deadline(h);
	struct itimerspec its = {
		.it_value = { .tv_sec = (time_t)(until / 1000000000),
		    .tv_nsec = until != 0 ? (long)(until % 1000000000) : 1 }
	};

	if (h->wait.ctl_timer >= 0)
		timerfd_settime(
		    h->wait.ctl_timer, TFD_TIMER_ABSTIME, &its, NULL);
}

int
dt_ctl_fd(struct dt_hdl *h)
{
	if (h->wait.ctl_fd >= 0)
		return h->wait.ctl_fd;
	h->wait.ctl_fd = epoll_create1(EPOLL_CLOEXEC);
	h->wait.ctl_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (h->wait.ctl_fd < 0 || h->wait.ctl_timer < 0 ||
	    watch(h->wait.ctl_fd, h->wait.ctl_timer) != 0 ||
	    watch(h->wait.ctl_fd, h->wait.epoll_fd) != 0 ||
	    (h->exec != NULL && h->ops->watch(h->exec, h->wait.ctl_fd) != 0)) {
		dt_fail(h, "cannot make a descriptor to wait on: %s",
		    strerror(errno));
		dt_fd_close(&h->wait.ctl_fd);
		dt_fd_close(&h->wait.ctl_timer);
		return -1;
	}
	dt_set_ctl_timer(h);
	return h->wait.ctl_fd;
}

static void
take_events(struct dt_hdl *h)
{
	struct epoll_event ev;
	bool is_asked = false;

	while (epoll_wait(h->wait.epoll_fd, &ev, 1, 0) == 1) {
		if (ev.data.u64 == DT_EV_INTERRUPT)
			return; /* not reset: tracing is about to end */
		if (ev.data.u64 == DT_EV_SIDEBAND) {
			sideband_drain(h->symbols.sideband);
			continue;
		}
		if (ev.data.u64 == DT_EV_LISTEN) {
			if (is_asked)
				return;	 /* the rest is for the next time */
			is_asked = true; /* dt_work() will answer */
			continue;
		}
		dt_procs_poll(h, (pid_t)ev.data.u64);
	}
}

bool
dt_must_end(const struct dt_hdl *h)
{
	return h->end.is_stopped || h->wait.is_interrupted ||
	    h->ops->exiting(h->exec) ||
	    (h->procs.list.n > h->procs.nforgotten && h->procs.nalive == 0);
}

void
dt_sleep(struct dt_hdl *h)
{
	uint64_t now = now_ns(), until;
	bounds_flag *before;

	if (h->fleet != NULL)
		dt_fleet_sleep(h);
	if (dt_is_replay(h))
		return;
	until = next_deadline(h);
	before = dt_watch(h);
	if (!dt_must_end(h) && until > now) {
		int rc = h->ops->wait(h->exec, until - now, h->wait.epoll_fd);

		h->wait.error = rc != -EINTR ? rc : 0;
	}
	bounds_watch(before);
	dt_symbols_note(h);
	dt_see_loads(h);
	take_events(h);
}

void
dt_interrupt(struct dt_hdl *h)
{
	int saved = errno;
	uint64_t one = 1;

	h->wait.is_interrupted = 1;
	/* it fails only if the descriptor is already readable */
	if (write(h->wait.interrupt_fd, &one, sizeof(one)) < 0)
		h->wait.is_interrupted = 1;
	errno = saved;
}
