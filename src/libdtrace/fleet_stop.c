/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * End a detached run (fleet/detached.h): ask the hosts, and hear their answers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/detached.h"
#include "libdtrace/fleet.h"

/* A signed request to stop the run; its subject is malloced. */
static void *
seal_stop(struct dt_hdl *h, const struct fleet_kept *k, char stop[FL_RUN_TEXT],
    size_t *n)
{
	static const char *all[] = { "*" };
	uint64_t now = clock_read_ns(CLOCK_REALTIME);
	uint64_t until = k->request->expires_ns;
	struct fl_request rq = { .flags = FL_WANTS_STOP,
		.hosts = { all, 1 },
		.detached = k->request->detached,
		.stops = k->id };
	void *bytes = dt_fleet_seal(h, &rq, until > now ? until - now : 1, n);

	fl_run_format(rq.id, stop);
	return bytes;
}

/* Of the hosts that run it: how many there are, and what they answered. */
struct stop_answers {
	size_t nhosts, nheard; /* all; those that were heard lately */
	size_t n, nrefused;
	size_t nawaited; /* answers of those that were heard lately */
};

static struct stop_answers
count_hosts(const struct fleet_kept *k)
{
	struct stop_answers answers = { 0 };

	VEC_FOREACH(&k->hosts, kh) {
		answers.nhosts += kh->runs;
		answers.nheard += kh->runs && kh->is_heard;
	}
	return answers;
}

/*
 * A letter is hostile: a host answers for itself, and once.  A host that does
 * not run the script has nothing to answer.
 */
static struct fleet_kept_host *
find_answerer(const struct fleet_kept *k, const struct fl_letter *letter)
{
	char *name = fl_subject_host(letter->subject);
	struct fleet_kept_host *kh =
	    name != NULL ? dt_fleet_kept_host(k, name) : NULL;

	free(name);
	return kh != NULL && kh->runs && !kh->has_answered ? kh : NULL;
}

static void
take_answer(struct dt_hdl *h, const struct fleet_kept *k,
    const struct fl_letter *letter, struct stop_answers *answers)
{
	struct fleet_kept_host *kh = find_answerer(k, letter);
	struct fl_msg msg;
	char *text;

	if (kh == NULL || !fl_msg_decode(letter->data, letter->len, &msg) ||
	    (msg.kind != FL_ENDED && msg.kind != FL_REFUSED))
		return;
	text = fl_msg_text(&msg);
	dt_notice(h, "%s: %s%s", kh->name,
	    msg.kind == FL_REFUSED ? "refused: " : "",
	    *text != '\0' ? text : "the script has ended");
	kh->has_answered = true;
	answers->n++;
	answers->nrefused += msg.kind == FL_REFUSED;
	answers->nawaited += kh->is_heard;
	free(text);
}

/* Hear hosts until those that run it have ended it, or said why not. */
static int
hear_stop(
    struct dt_hdl *h, const struct fleet_kept *k, struct stop_answers *answers)
{
	struct dt_fleet *f = h->fleet;
	uint64_t until = now_ns() + FLEET_STOP_NS;
	struct fl_letter letter;

	while (answers->nawaited < answers->nheard && now_ns() < until &&
	    !h->wait.is_interrupted) {
		dt_fleet_sleep(h);
		for (int n = 0; n < FL_LETTERS && fl_bus_take(f->bus, &letter);
		     n++)
			take_answer(h, k, &letter, answers);
	}
	if (answers->nheard == 0)
		dt_notice(h, "hosts that are away end it when they come back");
	if (answers->nrefused != 0)
		return dt_fail(h, "the run goes on where that was refused");
	return answers->nawaited == answers->nheard ?
	    0 :
	    dt_fail(h, "%zu of %zu hosts did not answer",
		answers->nheard - answers->nawaited, answers->nheard);
}

static int
subscribe_to(struct dt_hdl *h, const char *run)
{
	char *subject = fl_subject_from_all(run);
	struct err err = { 0 };
	int rc = fl_bus_subscribe(h->fleet->bus, subject, &err);

	free(subject);
	return rc == 0 ? 0 : dt_fail_err(h, &err);
}

/* A request that all hosts refuse is not kept. */
static int
ask_to_stop(struct dt_hdl *h, const struct fleet_kept *k, const char *subject,
    const void *bytes, size_t n)
{
	struct fl_keep *keep = h->fleet->keep;
	struct stop_answers answers = count_hosts(k);
	struct err err = { 0 };

	if (fl_keep_put(keep, subject, bytes, n, &err) != 0)
		return dt_fail_err(h, &err);
	if (hear_stop(h, k, &answers) == 0)
		return 0;
	if (answers.nrefused == answers.nhosts &&
	    fl_keep_forget(keep, FL_RUNS_STREAM, subject, &err) != 0)
		err_clear(&err);
	return -1;
}

static int
stop_run(struct dt_hdl *h, const struct fleet_kept *k)
{
	char stop[FL_RUN_TEXT], *subject;
	size_t n = 0;
	void *bytes;
	int rc;

	if (k->names.len == 0)
		return dt_fail(h,
		    "no host runs '%s': it has ended, and --attach shows what "
		    "it made",
		    k->request->detached);
	bytes = seal_stop(h, k, stop, &n);
	subject = fl_detached_stop_subject(k->id, stop);
	/* hosts say that the run has ended, or refuse the request to stop */
	rc = bytes == NULL ? -1 : subscribe_to(h, k->id);
	if (rc == 0)
		rc = subscribe_to(h, stop);
	if (rc == 0)
		rc = ask_to_stop(h, k, subject, bytes, n);
	free(subject);
	free(bytes);
	return rc;
}

int
dt_fleet_end(struct dt_hdl *h, const char *name)
{
	struct fleet_runs runs = { 0 };
	struct fleet_kept *k;
	int rc = dt_fleet_read_runs(h, &runs);

	if (rc == 0) {
		k = dt_fleet_find_run(h, &runs, name);
		rc = k != NULL ? stop_run(h, k) : -1;
	}
	dt_fleet_free_runs(&runs);
	return rc;
}
