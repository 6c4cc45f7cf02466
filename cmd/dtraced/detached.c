/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of detached runs are read from the server's stream, which also has
 * those that came while the agent was away.  A letter on one of their subjects
 * says that there is something to read.
 *
 *	dtrace.kept.RUN       -> fl_request_open(), or fl_request_resume()
 *	                         -> held -> agent_start()
 *	dtrace.kept.RUN.STOP  -> held and running ones end
 *
 * A run begins behind all that the stream had, so one that was stopped
 * meanwhile does not begin.
 */
#include "dtraced/detached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/detached.h"

#define LOOK_NS UINT64_C(10000000000)
/* A subscriber may get a letter before the stream has it: look again soon. */
#define SOON_NS UINT64_C(2000000000)
#define SOON_LOOK_NS UINT64_C(100000000)
#define FETCH_MS 500

int
detached_open(struct agent *a, struct err *err)
{
	int rc;

	/* the agent may have had another connection */
	fl_keep_close(a->keep);
	a->keep = NULL;
	rc = fl_bus_subscribe(a->uplink.bus, FL_SUBJECT_KEPT, err);

	if (rc == 0)
		rc = fl_bus_subscribe(a->uplink.bus, FL_SUBJECT_STOPS, err);
	return rc == 0 ? fl_keep_open(a->uplink.bus, &a->keep, err) : rc;
}

void
detached_close(struct agent *a)
{
	VEC_FOREACH(&a->held, rq)
		fl_request_destroy(*rq);
	VEC_FREE(&a->held);
	fl_keep_close(a->keep);
}

static const char *
state_folder(const struct agent *a)
{
	return a->conf.state != NULL ? a->conf.state :
				       getenv("STATE_DIRECTORY");
}

int
detached_check(
    const struct agent *a, const struct fl_request *rq, struct err *err)
{
	if (state_folder(a) == NULL)
		return err_set(err, -ENOTSUP,
		    "the agent does not remember requests on disk, and would "
		    "run what has ended again: set `state` in its "
		    "configuration");
	return fl_detached_permit(rq, err);
}

/* ---- requests ------------------------------------------------------------ */

static bool
is_named(const struct fl_request *rq, const char *run)
{
	char id[FL_RUN_TEXT];

	fl_run_format(rq->id, id);
	return strcmp(id, run) == 0;
}

/* The held request of a run, or NULL. */
static struct fl_request **
find_held(struct agent *a, const char *run)
{
	VEC_FOREACH(&a->held, rq) {
		if (*rq != NULL && is_named(*rq, run))
			return rq;
	}
	return NULL;
}

static bool
is_here(struct agent *a, const char *run)
{
	return find_held(a, run) != NULL || agent_find(a, run) != NULL;
}

/* The request, if it is new here, or was running when the agent ended. */
static struct fl_request *
open_request(struct agent *a, const struct fl_letter *letter, struct err *err)
{
	uint64_t now = clock_read_ns(CLOCK_REALTIME);
	struct fl_request *rq = fl_request_open(
	    letter->data, letter->len, a->policy, &a->host, now, err);

	if (rq != NULL || err->code != -EALREADY)
		return rq;
	err_clear(err);
	return fl_request_resume(
	    letter->data, letter->len, a->policy, &a->host, now, err);
}

/* The subject is not signed: the id in the request is. */
static void
take_request(struct agent *a, const char *run, const struct fl_letter *letter)
{
	struct err err = { 0 };
	struct fl_request *rq;

	if (is_here(a, run))
		return;
	rq = open_request(a, letter, &err);
	if (rq != NULL && (rq->detached == NULL || !is_named(rq, run))) {
		err_set(&err, -EINVAL, "the request is not of a detached run");
		fl_request_destroy(rq);
		rq = NULL;
	}
	if (rq != NULL)
		VEC_PUSH(&a->held, rq);
	else if (err.code != -EHOSTUNREACH && err.code != -EALREADY &&
	    err.code != -ETIME)
		agent_refuse(a, run, err_text(&err));
	err_clear(&err);
}

/* ---- stopping ------------------------------------------------------------ */

static void
forget(struct agent *a, const struct fl_request *rq)
{
	struct err err = { 0 };

	if (fl_seen_end(a->seen, rq->id, &err) != 0)
		fl_journal_refusal(
		    a->journal, rq->author->name, err_text(&err), now_ns());
	err_clear(&err);
}

static int
stop(struct agent *a, const char *run, const struct fl_request *rq,
    struct err *err)
{
	struct fl_request **held = find_held(a, run);
	struct run *r = agent_find(a, run);
	int rc = 0;

	if (held != NULL)
		rc = fl_detached_permit_stop(rq, *held, err);
	else if (r != NULL)
		rc = fl_detached_permit_stop(rq, r->request, err);
	if (rc != 0)
		return rc;
	if (held != NULL) {
		forget(a, *held);
		fl_request_destroy(*held);
		*held = NULL;
	} else if (r != NULL) {
		run_end(r, mem_printf("%s stopped it", rq->author->name));
	}
	return 0;
}

/*
 * A request to stop is valid as long as its run, for agents that are away; it
 * names one run, so a repeated one does nothing.
 */
static void
take_stop(struct agent *a, const char *run, const struct fl_letter *letter)
{
	struct fl_host me = a->host;
	struct err err = { 0 };
	struct fl_request *rq;
	char id[FL_RUN_TEXT];
	int rc;

	if (!is_here(a, run))
		return;
	me.seen = NULL;
	rq = fl_request_open(letter->data, letter->len, a->policy, &me,
	    clock_read_ns(CLOCK_REALTIME), &err);
	rc = rq != NULL ? stop(a, run, rq, &err) : err.code;
	if (rq != NULL)
		fl_run_format(rq->id, id);
	if (rc != 0)
		agent_refuse(a, rq != NULL ? id : run, err_text(&err));
	fl_request_destroy(rq);
	err_clear(&err);
}

/* ---- letters ------------------------------------------------------------- */

static void
take(struct agent *a, const struct fl_letter *letter)
{
	struct fl_detached_id id;

	if (!fl_detached_parse(letter->subject, &id))
		return;
	if (id.stops)
		take_stop(a, id.run, letter);
	else
		take_request(a, id.run, letter);
}

static void
start_held(struct agent *a)
{
	VEC_FOREACH(&a->held, rq) {
		if (*rq != NULL)
			agent_start(a, *rq);
	}
	a->held.n = 0;
}

void
detached_letter(struct agent *a, const struct fl_letter *letter)
{
	struct fl_detached_id id;

	if (!fl_detached_parse(letter->subject, &id))
		return;
	a->soon_ns = now_ns() + SOON_NS;
	if (a->look_ns > now_ns() + SOON_LOOK_NS)
		a->look_ns = 0;
}

/* ---- the stream ---------------------------------------------------------- */

static void
read_stream(struct agent *a)
{
	const struct fl_reader_opts opts = { .stream = FL_RUNS_STREAM,
		.filter = "dtrace.kept.>",
		.first = a->next_kept };
	struct fl_reader *r = fl_reader_open(a->keep, &opts);
	struct fl_kept kept;

	while (fl_reader_next(r, FETCH_MS, &kept)) {
		take(a, &kept.letter);
		a->next_kept = kept.number + 1;
		if (fl_reader_is_at_end(r))
			break;
	}
	fl_reader_close(r);
	start_held(a);
}

void
detached_look(struct agent *a)
{
	bool is_connected = fl_bus_is_connected(a->uplink.bus);
	bool is_back = is_connected && !a->was_connected;
	struct fl_keep_state state;
	struct err err = { 0 };

	a->was_connected = is_connected;
	/* requests that come now wait in the stream for the next agent */
	if (a->is_ending)
		return;
	if (!is_connected || (!is_back && now_ns() < a->look_ns))
		return;
	a->look_ns =
	    now_ns() + (now_ns() < a->soon_ns ? SOON_LOOK_NS : LOOK_NS);
	/* a server that keeps nothing has no detached runs */
	if (fl_keep_look(a->keep, FL_RUNS_STREAM, &state, &err) == 0) {
		if (state.last + 1 < a->next_kept)
			a->next_kept = 1; /* the stream was made anew */
		if (state.last >= a->next_kept)
			read_stream(a);
	}
	err_clear(&err);
}

/* ---- the end ------------------------------------------------------------- */

void
detached_end(struct agent *a, const struct run *r)
{
	if (r->request->detached != NULL && !a->is_ending)
		forget(a, r->request);
}
