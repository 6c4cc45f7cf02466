/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work while tracing: read what is due, and print it; at the end, stop,
 * fire END and print the rest.
 */
#include <errno.h>
#include <string.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/listen.h"

#define GONE_NS 1000000000 /* between reports of files that were gone */

int
dt_stop(struct dt_hdl *h)
{
	int rc;

	if (h->end.is_stopped || h->exec == NULL)
		return 0;
	/* processes of the last moments: what is missed of them is reported */
	dt_growth_work(h);
	h->end.is_stopped = true;
	dt_log(h, "stopping");
	/* the substrate forgets the code that it put into the processes */
	dt_procs_look(h);
	rc = h->ops->stop(h->exec);
	if (rc < 0)
		return dt_fail(h, "cannot stop tracing: %s", strerror(-rc));
	dt_set_ctl_timer(h);
	return 0;
}

int
dt_end(struct dt_hdl *h)
{
	/* if a buffer is still full, there is no room for END's record */
	int rc = consumer_work(h->output.consumer, &h->end.status);

	if (rc == -ECANCELED)
		return rc;
	if (h->end.is_ended)
		return 0;
	h->end.is_ended = true;
	rc = h->ops->end(h->exec);
	if (rc < 0)
		dt_fail(h, "cannot stop tracing: %s", strerror(-rc));
	dt_record_stopped(h);
	return rc;
}

static int
report_drops(struct dt_hdl *h)
{
	int rc = consumer_report_drops(h->output.consumer);

	if (h->recorder != NULL)
		tape_recorder_report(h->recorder);
	return rc;
}

/*
 * If the deadline has passed, set it anew from now.  Returns whether it had
 * passed.
 */
static bool
is_due(uint64_t *deadline, uint64_t now, uint64_t period)
{
	if (now < *deadline)
		return false;
	*deadline = now + period;
	return true;
}

enum dt_work
dt_cannot_consume(struct dt_hdl *h, int rc)
{
	if (rc != -ECANCELED)
		dt_fail(h, "cannot %s: %s",
		    consumer_has_unread(h->output.consumer) ?
			"read aggregations" :
			"write the output",
		    rc == -EBADF ? "it is closed" : strerror(-rc));
	return DT_WORK_ERROR;
}

static enum dt_work
finish(struct dt_hdl *h)
{
	int rc, drops = 0;

	if (h->due.refresh_ns != 0)
		consumer_clear_screen(h->output.consumer);
	if (dt_stop(h) != 0 || dt_end(h) < 0)
		return DT_WORK_ERROR;
	rc = consumer_finish(h->output.consumer, &h->end.status);
	if (rc != -ECANCELED)
		drops = report_drops(h);
	dt_growth_tell(h);
	dt_procs_look(h);
	if (rc >= 0 && drops >= 0)
		drops = consumer_end(h->output.consumer, dt_exit_status(h));
	h->end.is_done = rc != -ECANCELED && drops != -ECANCELED;
	if (h->end.is_done)
		dt_record_end(h);
	dt_log(h, "all is printed; status %d", dt_exit_status(h));
	if (rc < 0)
		return dt_cannot_consume(h, rc);
	return drops < 0 ? dt_cannot_consume(h, drops) : DT_WORK_DONE;
}

/*
 * Are the buffers to be read?  At once if they may hold data, unless the user
 * set a rate; then at that rate.  Also when held-back records are due, and when
 * half of a buffer is used.
 */
static bool
must_switch(struct dt_hdl *h, uint64_t now)
{
	bool is_held = h->due.held != 0 && now >= h->due.held;

	if (!dt_has_switchrate(h) || is_held || now >= h->due.buffers ||
	    (h->due.clean_ns != 0 && now >= h->due.clean))
		return true;
	return h->ops->is_filling(h->exec);
}

static int
switch_buffers(struct dt_hdl *h, uint64_t now)
{
	uint64_t rate = (uint64_t)dt_opt(h, DT_OPT_SWITCHRATE), pending;
	int rc;

	if (!must_switch(h, now))
		return 0;
	rc = consumer_work(h->output.consumer, &h->end.status);
	h->due.held = 0;
	pending = h->ops->pending_ns(h->exec);
	if (is_due(&h->due.buffers, now, rate) && pending != 0)
		h->due.held = now_ns() + pending;
	is_due(&h->due.clean, now, h->due.clean_ns);
	return rc;
}

/* At aggrate; sooner if keys arrive so fast that their buffer would be full. */
static void
take_aggs(struct dt_hdl *h, uint64_t now)
{
	const struct dt_exec_ops *ops = h->ops;
	bool is_filling =
	    ops->aggs_are_filling != NULL && ops->aggs_are_filling(h->exec);

	if (is_due(&h->due.aggs, now, (uint64_t)dt_opt(h, DT_OPT_AGGRATE)) ||
	    is_filling)
		consumer_take_aggs(h->output.consumer);
}

enum dt_work
dt_work(struct dt_hdl *h, FILE *out)
{
	uint64_t now = now_ns();
	int rc;

	if (h->fleet != NULL)
		return dt_fleet_work(h, out);
	if (dt_is_query(h))
		return dt_query_work(h, out);
	if (dt_is_replay(h))
		return dt_replay_work(h, out);
	if (h->end.is_done)
		return DT_WORK_DONE;
	bounds_set_max((uint64_t)dt_opt(h, DT_OPT_ANALYSISMAX));
	dt_need_consumer(h, out);
	if (dt_must_end(h))
		return finish(h);
	dt_growth_work(h);
	if (is_due(&h->due.gone, now, GONE_NS))
		dt_growth_tell(h);
	dt_stuck_look(h);
	dt_tell_refusals(h);
	if (h->symbols.sideband != NULL)
		sideband_drain(h->symbols.sideband);
	rc = switch_buffers(h, now);
	if (rc < 0)
		return dt_cannot_consume(h, rc);
	if (rc > 0)
		return finish(h);
	if (h->wait.error != 0) {
		dt_fail(h, "cannot sleep, or run tick probes: %s",
		    strerror(-h->wait.error));
		return DT_WORK_ERROR;
	}
	if (h->due.refresh_ns != 0 &&
	    is_due(&h->due.refresh, now, h->due.refresh_ns))
		consumer_refresh(h->output.consumer);
	if (h->output.listen != NULL)
		dt_listen_work(h->output.listen);
	take_aggs(h, now);
	if (is_due(&h->due.status, now, (uint64_t)dt_opt(h, DT_OPT_STATUSRATE)))
		rc = report_drops(h);
	dt_set_ctl_timer(h);
	return rc < 0 ? dt_cannot_consume(h, rc) : DT_WORK_OKAY;
}

int
dt_exit_status(struct dt_hdl *h)
{
	return h->end.status == 0 && h->ending.is_bad ? 1 : h->end.status;
}
