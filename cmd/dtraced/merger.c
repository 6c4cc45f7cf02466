/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a merger.
 *
 *	dtrace.ask.ID --> fl_request_open_merger() --> run
 *	dtrace.run.ID --> its beats, its end
 *	dtrace.from.HOST.ID.to.NAME --> run --> dtrace.from.NAME.ID.merged
 *
 * A known author's request that does not name this merger is not answered.
 */
#include "dtraced/merger.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"

#define RUNS_MAX 64
/* A thousand hosts send their last deltas at once, when they are stopped. */
#define LETTERS_MAX ((size_t)96 << 20)
#define CONF_POLICY "/etc/dtrace/fleet.policy"

/* ---- requests ------------------------------------------------------------ */

static void
answer(struct merger *m, const char *id, enum fl_kind kind, const char *text)
{
	struct fl_msg msg = { .kind = kind,
		.text = text,
		.text_len = text != NULL ? strlen(text) : 0 };
	char *subject = fl_subject_merged(m->name, id);
	struct strbuf sb = { 0 };

	fl_msg_encode(&msg, &sb);
	/* a console that hears nothing reads the hosts itself */
	(void)fl_bus_send(m->uplink.bus, subject, sb.s, sb.len);
	strbuf_fini(&sb);
	free(subject);
}

static struct merged_run *
find_run(const struct merger *m, const char *id)
{
	VEC_FOREACH(&m->runs, r) {
		if (strcmp((*r)->id, id) == 0)
			return *r;
	}
	return NULL;
}

static void
refuse(struct merger *m, const char *id, const char *from, const char *why)
{
	fl_journal_refusal(m->journal, from, why, now_ns());
	answer(m, id, FL_REFUSED, why);
}

/* A request that comes again is that of a run which is there. */
static void
begin(struct merger *m, struct fl_request *rq)
{
	char id[FL_RUN_TEXT];
	struct merged_run *r = NULL;

	fl_run_format(rq->id, id);
	if (find_run(m, id) != NULL) {
		fl_request_destroy(rq);
		return;
	}
	if (m->runs.n < RUNS_MAX)
		r = merged_run_create(m, rq);
	if (r == NULL) {
		refuse(m, id, rq->author->name,
		    "it merges as many runs as it can, or has no memory");
		fl_request_destroy(rq);
		return;
	}
	VEC_PUSH(&m->runs, r);
	answer(m, id, FL_TRYING, NULL);
}

static void
take_request(struct merger *m, const char *id, const void *bytes, size_t len)
{
	struct err err = { 0 };
	struct fl_request *rq = fl_request_open_merger(bytes, len, m->policy,
	    m->name, clock_read_ns(CLOCK_REALTIME), &err);

	if (rq != NULL)
		begin(m, rq);
	else if (err.code != -EHOSTUNREACH)
		refuse(m, id, id, err_text(&err));
	err_clear(&err);
}

/* ---- letters ------------------------------------------------------------- */

static void
take_beat(struct merger *m, const char *id, const struct fl_msg *msg)
{
	struct merged_run *r = find_run(m, id);

	if (r == NULL || (msg->kind != FL_BEAT && msg->kind != FL_STOP))
		return;
	r->beat_ns = now_ns();
	if (msg->kind == FL_STOP && !r->is_stopping)
		r->give_ns = 0;
	r->is_stopping |= msg->kind == FL_STOP;
}

static void
take_data(struct merger *m, const char *subject, const char *id,
    const struct fl_msg *msg)
{
	struct merged_run *r = find_run(m, id);
	char *host = r != NULL ? fl_subject_host(subject) : NULL;

	if (host != NULL)
		merged_run_take(r, host, msg);
	free(host);
}

static void
take_letter(struct merger *m, const struct fl_letter *letter)
{
	const char *asked = fl_subject_is_ask(letter->subject);
	const char *beaten = fl_subject_is_run(letter->subject);
	char id[FL_RUN_TEXT];
	struct fl_msg msg;

	if (asked != NULL) {
		take_request(m, asked, letter->data, letter->len);
		return;
	}
	if (!fl_msg_decode(letter->data, letter->len, &msg))
		return;
	if (beaten != NULL)
		take_beat(m, beaten, &msg);
	else if (fl_subject_is_to(letter->subject, id))
		take_data(m, letter->subject, id, &msg);
}

/* ---- the connection ------------------------------------------------------ */

static int
opened(void *arg, struct err *err)
{
	const struct merger *m = arg;
	char *to = fl_subject_to_all(m->name);
	int rc = fl_bus_subscribe(m->uplink.bus, to, err);

	free(to);
	return rc;
}

static void
forbidden(void *arg)
{
	const struct merger *m = arg;
	char *to = fl_subject_to_all(m->name);
	char *merged = fl_subject_merged(m->name, "*");

	fl_journal_forbidden(m->journal, "merger", merged, to);
	free(merged);
	free(to);
}

static const struct uplink_ops ops = { opened, forbidden };

CHECKED static int
connect_to_server(struct merger *m, struct err *err)
{
	m->uplink.opts = fl_conf_bus(&m->conf, m->name);
	m->uplink.opts.queue_max = LETTERS_MAX;
	m->uplink.ops = &ops;
	m->uplink.arg = m;
	m->uplink.journal = m->journal;
	return uplink_open(&m->uplink, err);
}

/* ---- work ---------------------------------------------------------------- */

static void
end_run(struct merger *m, struct merged_run *r)
{
	merged_run_journal(r, m->journal);
	merged_run_destroy(r);
}

static void
work_runs(struct merger *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->runs.n; i++) {
		struct merged_run *r = m->runs.v[i];

		if (merged_run_look(r, m->uplink.bus))
			m->runs.v[n++] = r;
		else
			end_run(m, r);
	}
	m->runs.n = n;
}

int
merger_work(struct merger *m, int timeout_ms, struct err *err)
{
	struct pollfd fd = { .events = POLLIN };
	struct fl_letter letter;
	int rc = uplink_look(&m->uplink, err);

	if (rc != 0)
		return rc;
	fd.fd = fl_bus_fd(m->uplink.bus);
	poll(&fd, 1, timeout_ms);
	for (int n = 0; n < FL_LETTERS && fl_bus_take(m->uplink.bus, &letter);
	     n++)
		take_letter(m, &letter);
	work_runs(m);
	return 0;
}

/* ---- life ---------------------------------------------------------------- */

int
merger_open(struct merger *m, const char *conf, struct err *err)
{
	struct utsname u = { 0 };
	int rc = fl_conf_read(conf, &m->conf, err);

	uname(&u);
	m->journal = fl_journal_create(m->is_verbose ? agent_say : NULL, NULL);
	m->name = mem_strdup(m->conf.name != NULL ? m->conf.name : u.nodename);
	if (rc == 0 && (*m->name == '\0' || strlen(m->name) > FL_HOST_MAX))
		rc = err_set(err, -EINVAL,
		    "the name of a merger has 1 to %u bytes", FL_HOST_MAX);
	if (rc != 0)
		return rc;
	m->policy = fl_policy_read(
	    m->conf.policy != NULL ? m->conf.policy : CONF_POLICY, err);
	return m->policy != NULL ? connect_to_server(m, err) : err->code;
}

/* Tell consoles, so that they need not notice that the merger is silent. */
void
merger_close(struct merger *m)
{
	VEC_FOREACH(&m->runs, r) {
		answer(m, (*r)->id, FL_REFUSED, "the merger ends");
		(*r)->end = "the merger ends";
		end_run(m, *r);
	}
	VEC_FREE(&m->runs);
	if (m->uplink.bus != NULL)
		fl_bus_flush(m->uplink.bus, 1000);
	fl_bus_close(m->uplink.bus);
	if (m->journal != NULL)
		fl_journal_destroy(m->journal);
	if (m->policy != NULL)
		fl_policy_destroy(m->policy);
	free(m->name);
	fl_conf_fini(&m->conf);
}
