/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of the agent.
 *
 *	dtrace.ask.ID --> fl_request_open() --> script_start() --> run
 *	dtrace.run.ID --> its beats, its end
 *	run --> dtrace.from.HOST.ID
 *
 * A request that is not for this host is not answered.
 */
#include "dtraced/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "dtraced/detached.h"
#include "libdtrace/dt_product.h"

#define RUNS_MAX 64
#define HERE_NS UINT64_C(30000000000)
#define CONF_POLICY "/etc/dtrace/fleet.policy"

/* ---- announcing ---------------------------------------------------------- */

static char *
facts(const struct agent *a)
{
	struct utsname u = { 0 };
	struct strbuf sb = { 0 };

	uname(&u);
	strbuf_printf(&sb, "name=%s kernel=%s arch=%s cpus=%ld version=%s",
	    a->name, u.release, u.machine, sysconf(_SC_NPROCESSORS_ONLN),
	    DT_PRODUCT);
	VEC_FOREACH(&a->conf.labels, l)
		strbuf_printf(&sb, " label:%s=%s", l->name, l->value);
	return strbuf_steal(&sb);
}

static void
announce(struct agent *a)
{
	char *text = facts(a), *subject = fl_subject_from(a->name, "here");
	struct fl_msg msg = {
		.kind = FL_HERE, .text = text, .text_len = strlen(text)
	};
	struct strbuf sb = { 0 };

	fl_msg_encode(&msg, &sb);
	/* a lost announcement is followed by the next one */
	(void)fl_bus_send(a->uplink.bus, subject, sb.s, sb.len);
	strbuf_fini(&sb);
	free(subject);
	free(text);
}

/* ---- requests ------------------------------------------------------------ */

static void
measure(struct agent *a, struct run *r)
{
	struct err err = { 0 };

	if (a->stats_fd < 0)
		a->stats_fd = fl_budget_enable(&err);
	err_clear(&err);
	r->budget =
	    fl_budget_create(r->script.pid, r->request->author->cpu_permille);
}

void
agent_start(struct agent *a, struct fl_request *rq)
{
	char id[FL_RUN_TEXT];
	struct err err = { 0 };
	struct run *r;
	int rc;

	fl_run_format(rq->id, id);
	r = run_create(id, a->name);
	run_take_request(r, rq, a->name);
	r->until_ns = r->began_ns + rq->author->duration_ns;
	run_tell(r, a->uplink.bus, FL_TRYING, NULL);
	if (a->is_ending)
		rc = err_set(&err, -ESHUTDOWN,
		    "the agent is ending: ask again when it is back");
	else if (a->runs.n == RUNS_MAX)
		rc = err_set(&err, -EBUSY, "%u scripts run here", RUNS_MAX);
	else
		rc = rq->detached != NULL ? detached_check(a, rq, &err) : 0;
	if (rc == 0)
		rc = script_start(rq, &a->host, &r->script, &err);
	if (rc == 0) {
		measure(a, r);
		VEC_PUSH(&a->runs, r);
	} else {
		run_tell(r, a->uplink.bus, FL_REFUSED, err_text(&err));
		fl_journal_refusal(
		    a->journal, rq->author->name, err_text(&err), now_ns());
		detached_end(a, r);
		run_destroy(r);
	}
	err_clear(&err);
}

void
agent_refuse(struct agent *a, const char *id, const char *why)
{
	struct run *r = run_create(id, a->name);

	fl_journal_refusal(a->journal, id, why, now_ns());
	run_tell(r, a->uplink.bus, FL_REFUSED, why);
	run_destroy(r);
}

/* Does the console stay while its script runs?  It does not if it detaches the
 * script, or stops another one. */
static bool
is_attended(const struct fl_request *rq)
{
	return rq->detached == NULL && (rq->flags & FL_WANTS_STOP) == 0;
}

/*
 * `id` comes from the subject: the id in a refused request cannot be trusted.
 */
static void
take_request(struct agent *a, const char *id, const void *bytes, size_t len)
{
	struct err err = { 0 };
	struct fl_request *rq = fl_request_open(bytes, len, a->policy, &a->host,
	    clock_read_ns(CLOCK_REALTIME), &err);

	if (rq != NULL && is_attended(rq)) {
		agent_start(a, rq);
		return;
	}
	if (rq != NULL)
		err_set(&err, -EINVAL, "detached requests come by a stream");
	if (err.code != -EHOSTUNREACH)
		agent_refuse(a, id, err_text(&err));
	fl_request_destroy(rq);
	err_clear(&err);
}

/* ---- letters ------------------------------------------------------------- */

struct run *
agent_find(const struct agent *a, const char *id)
{
	VEC_FOREACH(&a->runs, r) {
		if (strcmp((*r)->id, id) == 0)
			return *r;
	}
	return NULL;
}

static void
take_letter(struct agent *a, const struct fl_letter *letter)
{
	const char *id = fl_subject_is_run(letter->subject);
	const char *asked = fl_subject_is_ask(letter->subject);
	struct run *r = id != NULL ? agent_find(a, id) : NULL;
	struct fl_msg msg;

	if (asked != NULL)
		take_request(a, asked, letter->data, letter->len);
	detached_letter(a, letter);
	/* messages to runs are not signed, so none can end a detached run */
	if (r == NULL || r->request->detached != NULL ||
	    !fl_msg_decode(letter->data, letter->len, &msg))
		return;
	r->beat_ns = now_ns();
	if (msg.kind == FL_STOP)
		run_end(r, NULL);
	if (msg.kind == FL_DIRECT)
		route_direct(r, a->uplink.bus, &msg);
}

/* ---- the connection ------------------------------------------------------ */

static int
opened(void *arg, struct err *err)
{
	return detached_open(arg, err);
}

static void
forbidden(void *arg)
{
	const struct agent *a = arg;
	char *subject = fl_subject_from(a->name, ">");

	fl_journal_forbidden(a->journal, "agent", subject, NULL);
	free(subject);
}

static const struct uplink_ops ops = { opened, forbidden };

CHECKED static int
connect_to_server(struct agent *a, struct err *err)
{
	a->uplink.opts = fl_conf_bus(&a->conf, a->name);
	a->uplink.ops = &ops;
	a->uplink.arg = a;
	a->uplink.journal = a->journal;
	return uplink_open(&a->uplink, err);
}

/* ---- work ---------------------------------------------------------------- */

static void
wait_for_work(struct agent *a, int timeout_ms)
{
	size_t n = 0;
	struct pollfd *fds = mem_alloc((1 + 4 * a->runs.n) * sizeof(*fds));

	fds[n++] = (struct pollfd){ fl_bus_fd(a->uplink.bus), POLLIN, 0 };
	VEC_FOREACH(&a->runs, rp) {
		const struct script *s = &(*rp)->script;

		fds[n++] = (struct pollfd){ s->data_fd, POLLIN, 0 };
		fds[n++] = (struct pollfd){ s->told_fd, POLLIN, 0 };
		fds[n++] = (struct pollfd){ s->state_fd, POLLIN, 0 };
		fds[n++] = (struct pollfd){ s->data_fd < 0 ? s->pidfd : -1,
			POLLIN, 0 };
	}
	poll(fds, n, timeout_ms);
	free(fds);
}

static void
work_runs(struct agent *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->runs.n; i++) {
		struct run *r = a->runs.v[i];

		run_read(r, a->uplink.bus);
		if (run_look(r, a->uplink.bus)) {
			a->runs.v[n++] = r;
			continue;
		}
		run_journal(r, a->journal);
		detached_end(a, r);
		run_destroy(r);
	}
	a->runs.n = n;
	if (n == 0 && a->stats_fd >= 0) {
		close(a->stats_fd);
		a->stats_fd = -1;
	}
}

static void
work(struct agent *a, int timeout_ms)
{
	struct fl_letter letter;
	uint64_t now = now_ns();

	if (now >= a->here_ns) {
		a->here_ns = now + HERE_NS;
		announce(a);
	}
	wait_for_work(a, timeout_ms);
	for (int n = 0; n < FL_LETTERS && fl_bus_take(a->uplink.bus, &letter);
	     n++)
		take_letter(a, &letter);
	detached_look(a);
	work_runs(a);
}

int
agent_work(struct agent *a, int timeout_ms, struct err *err)
{
	int rc = uplink_look(&a->uplink, err);

	if (rc == 0)
		work(a, timeout_ms);
	return rc;
}

/* ---- life ---------------------------------------------------------------- */

CHECKED static int
set_host(struct agent *a, struct err *err)
{
	struct utsname u = { 0 };

	uname(&u);
	a->name = mem_strdup(a->conf.name != NULL ? a->conf.name : u.nodename);
	if (*a->name == '\0' || strlen(a->name) > FL_HOST_MAX)
		return err_set(err, -EINVAL,
		    "the name of a host has 1 to %u bytes", FL_HOST_MAX);
	a->host = (struct fl_host){ .name = a->name,
		.labels = { a->conf.labels.v, a->conf.labels.n } };
	return 0;
}

CHECKED static int
set_trust(struct agent *a, struct err *err)
{
	a->policy = fl_policy_read(
	    a->conf.policy != NULL ? a->conf.policy : CONF_POLICY, err);
	if (a->policy == NULL)
		return err->code;
	a->seen = fl_seen_open(
	    a->conf.state != NULL ? a->conf.state : getenv("STATE_DIRECTORY"),
	    clock_read_ns(CLOCK_REALTIME), err);
	if (a->seen == NULL)
		return err->code;
	a->host.seen = a->seen;
	return 0;
}

void
agent_say(int priority, const char *line, void *arg)
{
	(void)priority;
	(void)arg;
	fprintf(stderr, "dtraced: %s\n", line);
}

int
agent_open(struct agent *a, const char *conf, struct err *err)
{
	int rc = fl_conf_read(conf, &a->conf, err);

	a->stats_fd = -1;
	a->journal = fl_journal_create(a->is_verbose ? agent_say : NULL, NULL);
	if (rc == 0)
		rc = set_host(a, err);
	if (rc == 0)
		rc = set_trust(a, err);
	return rc == 0 ? connect_to_server(a, err) : rc;
}

void
agent_close(struct agent *a)
{
	a->is_ending = true;
	VEC_FOREACH(&a->runs, r)
		run_end(*r, mem_strdup("the agent ends"));
	while (a->runs.n != 0)
		work(a, 100);
	VEC_FREE(&a->runs);
	if (a->uplink.bus != NULL)
		fl_bus_flush(a->uplink.bus, 1000);
	detached_close(a);
	fl_bus_close(a->uplink.bus);
	if (a->journal != NULL)
		fl_journal_destroy(a->journal);
	if (a->seen != NULL)
		fl_seen_close(a->seen);
	if (a->policy != NULL)
		fl_policy_destroy(a->policy);
	free(a->name);
	fl_conf_fini(&a->conf);
}
