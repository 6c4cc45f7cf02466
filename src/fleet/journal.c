/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/journal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/mem.h"
#include "fleet/policy.h"
#include "fleet/subject.h"

#define TEXT_MAX 256 /* characters of a quoted text */
#define MINUTE_NS (60 * FL_SECOND_NS)

struct fl_journal {
	fl_journal_f *f;
	void *arg;
	uint64_t minute_ns; /* beginning of the present minute */
	uint64_t nrefusals; /* in it, and lines of metrics */
	uint64_t nleft_out; /* since the last line */
};

static void
to_syslog(int priority, const char *line, void *arg)
{
	(void)arg;
	syslog(priority, "%s", line);
}

struct fl_journal *
fl_journal_create(fl_journal_f *f, void *arg)
{
	struct fl_journal *j = mem_alloc(sizeof(*j));

	if (f == NULL)
		openlog("dtraced", LOG_PID, LOG_DAEMON);
	j->f = f != NULL ? f : to_syslog;
	j->arg = arg;
	return j;
}

void
fl_journal_destroy(struct fl_journal *j)
{
	free(j);
}

static void
add_text(struct strbuf *line, const char *name, const char *text)
{
	strbuf_printf(line, " %s=", name);
	strbuf_add_quoted(line, text, strlen(text), TEXT_MAX);
}

/* The hosts and labels that the request is for, as on the command line. */
static void
add_hosts(struct strbuf *line, const struct fl_request *rq)
{
	struct strbuf all = { 0 };

	for (size_t i = 0; i < rq->hosts.n; i++)
		strbuf_printf(&all, "%s%s", i != 0 ? "," : "", rq->hosts.v[i]);
	for (size_t i = 0; i < rq->labels.n; i++) {
		const struct fl_pair *l = &rq->labels.v[i];

		strbuf_printf(&all, "%s%s%s%s", all.len != 0 ? "," : "",
		    l->name, l->value != NULL ? "=" : "",
		    l->value != NULL ? l->value : "");
	}
	add_text(line, "hosts", all.s != NULL ? all.s : "");
	strbuf_fini(&all);
}

static void
add_script(struct strbuf *line, const struct fl_request *rq)
{
	struct err err = { 0 };
	char hash[FL_HASH_TEXT];

	if (fl_request_hash(rq, hash, &err) == 0)
		strbuf_printf(line, " script=%s", hash);
	err_clear(&err);
	if (rq->detached != NULL)
		add_text(line, "name", rq->detached);
}

static void
add_numbers(struct strbuf *line, const struct fl_run *run)
{
	uint64_t seconds = run->duration_ns / FL_SECOND_NS;
	uint64_t permille = run->duration_ns == 0 ?
	    0 :
	    (uint64_t)((__uint128_t)run->cpu_ns * 1000 / run->duration_ns);

	strbuf_printf(line,
	    " duration=%" PRIu64 ".%03us drops=%" PRIu64 " cpu=%" PRIu64
	    ".%" PRIu64 "%%",
	    seconds, (unsigned)(run->duration_ns % FL_SECOND_NS / 1000000),
	    run->drops, permille / 10, permille % 10);
}

void
fl_journal_server(struct fl_journal *j, bool is_connected)
{
	j->f(LOG_NOTICE,
	    is_connected ? "server: the connection is there" :
			   "server: there is no connection; it is tried again",
	    j->arg);
}

void
fl_journal_forbidden(struct fl_journal *j, const char *who, const char *subject,
    const char *more)
{
	char *line = mem_printf(
	    "server: it does not permit all that this %s needs: to publish "
	    "to %s, and to subscribe to " FL_SUBJECT_ASKS
	    " and " FL_SUBJECT_RUNS "%s%s",
	    who, subject, more != NULL ? " and " : "",
	    more != NULL ? more : "");

	j->f(LOG_WARNING, line, j->arg);
	free(line);
}

void
fl_journal_run(struct fl_journal *j, const struct fl_run *run)
{
	const struct fl_request *rq = run->request;
	struct strbuf line = { 0 };

	strbuf_adds(&line, "run:");
	add_text(&line, "author", rq->author != NULL ? rq->author->name : "");
	add_script(&line, rq);
	add_hosts(&line, rq);
	add_numbers(&line, run);
	add_text(&line, "end", run->end);
	j->f(LOG_NOTICE, line.s, j->arg);
	strbuf_fini(&line);
}

/* A line of two texts, unless as many were written in this minute as may be. */
static void
put_bounded(struct fl_journal *j, int priority, uint64_t now_ns,
    const char *const words[3], const char *const texts[2])
{
	struct strbuf line = { 0 };

	if (now_ns - j->minute_ns >= MINUTE_NS) {
		j->minute_ns = now_ns;
		j->nrefusals = 0;
	}
	if (j->nrefusals++ >= FL_REFUSALS) {
		j->nleft_out++;
		return;
	}
	strbuf_adds(&line, words[0]);
	add_text(&line, words[1], texts[0]);
	add_text(&line, words[2], texts[1]);
	if (j->nleft_out != 0)
		strbuf_printf(&line, " left_out_before=%" PRIu64, j->nleft_out);
	j->nleft_out = 0;
	j->f(priority, line.s, j->arg);
	strbuf_fini(&line);
}

void
fl_journal_refusal(
    struct fl_journal *j, const char *from, const char *reason, uint64_t now_ns)
{
	static const char *const words[3] = { "refused:", "from", "reason" };

	put_bounded(j, LOG_WARNING, now_ns, words,
	    (const char *const[2]){ from, reason });
}

void
fl_journal_metrics(
    struct fl_journal *j, const char *script, const char *text, uint64_t now_ns)
{
	static const char *const words[3] = { "metrics:", "script", "told" };

	put_bounded(j, LOG_NOTICE, now_ns, words,
	    (const char *const[2]){ script, text });
}
