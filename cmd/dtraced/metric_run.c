/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process of a script whose aggregations are metrics: what dtrace -x listen
 * does, with a pipe in place of the port.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "dtraced/ending.h"
#include "dtraced/metric.h"
#include "dtraced/pipes.h"
#include "libdtrace/dt.h"

#define EACH_NS UINT64_C(1000000000) /* a document */

static int
set_label(struct dt_hdl *h, const struct fl_pair *l)
{
	char *text = mem_printf("%s=%s", l->name, l->value);
	int rc = dt_setopt(h, "fleetlabel", text);

	free(text);
	return rc;
}

static int
set_options(struct dt_hdl *h, const struct fl_host *host)
{
	int rc = dt_setopt(h, "quiet", NULL);

	if (rc == 0)
		rc = dt_setopt(h, "oformat", "prometheus");
	if (rc == 0)
		rc = dt_setopt(h, "fleethost", host->name);
	for (size_t i = 0; i < host->labels.n && rc == 0; i++)
		rc = set_label(h, &host->labels.v[i]);
	return rc;
}

static int
enable(struct dt_hdl *h, const struct metric *ms)
{
	char *argv[] = { ms->file, NULL };
	struct dt_prog *prog =
	    dt_compile_mem(h, ms->text, ms->len, LANG_PSPEC_NAME, 0, 1, argv);
	struct dt_proginfo info;

	return prog != NULL ? dt_prog_exec(h, prog, &info) : -1;
}

static int
begin(struct dt_hdl *h, const struct metric_job *job)
{
	if (set_options(h, job->host) != 0 || enable(h, job->script) != 0 ||
	    dt_go(h) != 0) {
		script_say(dt_errmsg(h));
		return -1;
	}
	if (dt_naggs(h) == 0) {
		script_say("the script has no aggregations, so it makes no "
			   "metrics");
		return -1;
	}
	script_say_begun();
	return 0;
}

/* The metrics process notices a length that is too large. */
static int
give_document(struct dt_hdl *h)
{
	struct strbuf text = { 0 };
	uint32_t n;
	int rc = 0;

	if (dt_document(h, &text)) {
		n = text.len < UINT32_MAX ? (uint32_t)text.len : UINT32_MAX;
		rc = pipe_write_all(SCRIPT_DATA_FD, &n, sizeof(n));
		if (rc == 0)
			rc = pipe_write_all(SCRIPT_DATA_FD, text.s, n);
	}
	strbuf_fini(&text);
	return rc;
}

static void
tell_notices(struct dt_hdl *h)
{
	fputs(dt_notices(h), stderr);
}

static int
trace(struct dt_hdl *h, FILE *nowhere)
{
	enum dt_work rc = DT_WORK_OKAY;
	uint64_t due_ns = 0, now;
	bool has_stopped = false;

	while (rc == DT_WORK_OKAY) {
		if (!ending_is_asked())
			dt_sleep(h);
		if (ending_is_asked() && !has_stopped) {
			has_stopped = true;
			dt_stop(h);
		}
		rc = dt_work(h, nowhere);
		tell_notices(h);
		now = now_ns();
		if (rc != DT_WORK_OKAY || now < due_ns)
			continue;
		due_ns = now + EACH_NS;
		if (give_document(h) != 0)
			return 1; /* nobody reads */
	}
	if (rc == DT_WORK_ERROR)
		fprintf(stderr, "%s\n", dt_errmsg(h));
	return rc == DT_WORK_DONE ? dt_exit_status(h) : 1;
}

int
metric_run(void *arg)
{
	const struct metric_job *job = arg;
	FILE *nowhere = fopen("/dev/null", "we");
	struct dt_hdl *h = dt_open();
	int rc = 1;

	if (h == NULL || nowhere == NULL)
		script_say("there is no memory");
	else if (begin(h, job) == 0)
		rc = trace(h, nowhere);
	if (h != NULL)
		dt_close(h);
	return rc;
}
