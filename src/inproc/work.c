/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work on a process: how requests of dtrace are carried out in it.
 *
 * dtrace writes a request into the ledger, and code into files that it shares
 * with the process.  Then ent_work() stops the process and does the work.  It
 * runs in a child of the guardian, or in dtrace if dtrace holds the process.
 */
#include "inproc/enter.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/procstatus.h"
#include "inproc/enter_impl.h"

/* How long to retry while a thread is in a window or in our code. */
#define APPLY_MS 10000
#define PATIENCE_MS 50 /* then the window waits for the thread */
#define LEAVE_MS 100   /* then the guardian goes on */

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

bool
ent_has_ended(const struct inproc_entry *e)
{
	struct pollfd fd = { .fd = e->pidfd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

int
ent_is_there(const struct inproc_entry *e, struct err *err)
{
	struct proc_maps pm;
	int rc;

	if (ent_has_ended(e))
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
		rc = what == ENT_ENTER ? !ent_has_ended(e) :
					 ent_is_there(e, err);
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
