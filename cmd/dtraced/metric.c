/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One script, in the metrics process.
 *
 *	metric_run() --> data: its document, each second, with a length before it
 *	             --> state: SCRIPT_TRACES, or why it does not
 *	             --> told: its standard error
 *
 * A script that ends is started again, after a second, two, four, ... and at
 * most five minutes.  The wait is a second again when it had traced a minute,
 * unless it was ended for what it cost.
 */
#include "dtraced/metric.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/regular.h"
#include "dtraced/pipes.h"
#include "fleet/metrics.h"
#include "fleet/owner.h"

#define SECOND_NS UINT64_C(1000000000)
#define DELAY_MAX_NS (300 * SECOND_NS)
#define LASTING_NS (60 * SECOND_NS)
#define GRACE_NS (10 * SECOND_NS) /* to end */

void
metric_tell(
    const struct metric *ms, const struct metric_world *w, const char *text)
{
	fl_journal_metrics(w->journal, ms->file, text, now_ns());
}

/* ---- files --------------------------------------------------------------- */

static const struct script no_script = {
	.pid = -1, .pidfd = -1, .data_fd = -1, .told_fd = -1, .state_fd = -1
};

CHECKED static int
read_text(struct metric *ms, int fd, const char *path, struct err *err)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) != 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	rc = fl_owner_check(path, "the script", &st, err);
	if (rc != 0)
		return rc;
	if (st.st_size > METRIC_SCRIPT_MAX)
		return err_set(err, -EFBIG, "%s: a script has at most %u bytes",
		    path, METRIC_SCRIPT_MAX);
	ms->len = (size_t)st.st_size;
	ms->text = mem_read_file(fd, ms->len);
	return ms->text != NULL ?
	    0 :
	    err_set(err, -EIO, "%s: the script cannot be read", path);
}

CHECKED static int
read_file(struct metric *ms, const char *dir, struct err *err)
{
	char *path = mem_printf("%s/%s", dir, ms->file);
	int fd = regular_open_itself(path), rc;

	if (fd < 0)
		rc = err_set(err, fd, "%s: %s", path,
		    fd == -ELOOP      ? "it is a symbolic link: copy the file" :
			fd == -EINVAL ? "it is not a regular file" :
					strerror(-fd));
	else
		rc = read_text(ms, fd, path, err);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

struct metric *
metric_create(const struct metric_world *w, const char *dir, const char *file,
    const struct stat *st)
{
	struct metric *ms = mem_alloc(sizeof(*ms));
	struct err err = { 0 };

	ms->file = mem_strdup(file);
	ms->name = fl_metrics_name(file);
	ms->st = *st;
	ms->script = no_script;
	ms->delay_ns = SECOND_NS;
	if (read_file(ms, dir, &err) != 0)
		fl_journal_refusal(w->journal, file, err_text(&err), now_ns());
	err_clear(&err);
	return ms;
}

static void
forget_run(struct metric *ms)
{
	pipe_close(&ms->script.data_fd);
	pipe_close(&ms->script.told_fd);
	pipe_close(&ms->script.state_fd);
	pipe_close(&ms->script.pidfd);
	ms->script = no_script;
	strbuf_reset(&ms->data);
	strbuf_reset(&ms->told);
	strbuf_reset(&ms->why);
	strbuf_reset(&ms->document);
	if (ms->budget != NULL)
		fl_budget_destroy(ms->budget);
	ms->budget = NULL;
	free(ms->end);
	ms->end = NULL;
	ms->traces = false;
	ms->kill_ns = 0;
}

void
metric_destroy(struct metric *ms)
{
	forget_run(ms);
	strbuf_fini(&ms->data);
	strbuf_fini(&ms->told);
	strbuf_fini(&ms->why);
	strbuf_fini(&ms->document);
	free(ms->file);
	free(ms->name);
	free(ms->text);
	free(ms);
}

/* ---- running ------------------------------------------------------------- */

bool
metric_runs(const struct metric *ms)
{
	return ms->script.pid > 0;
}

static void
wait_longer(struct metric *ms, uint64_t now)
{
	ms->due_ns = now + ms->delay_ns;
	ms->delay_ns *= 2;
	if (ms->delay_ns > DELAY_MAX_NS)
		ms->delay_ns = DELAY_MAX_NS;
}

static void
start(struct metric *ms, const struct metric_world *w, uint64_t now)
{
	struct metric_job job = { &w->host, ms };
	struct err err = { 0 };

	ms->nstarts++;
	ms->began_ns = now;
	if (script_spawn(metric_run, &job, &ms->script, &err) == 0) {
		ms->budget = fl_budget_create(ms->script.pid, w->permille);
	} else {
		wait_longer(ms, now);
		metric_tell(ms, w, err_text(&err));
	}
	err_clear(&err);
}

void
metric_stop(struct metric *ms, char *why)
{
	if (ms->kill_ns != 0 || !metric_runs(ms)) {
		free(why);
		return;
	}
	ms->kill_ns = now_ns() + GRACE_NS;
	ms->end = why;
	kill(ms->script.pid, SIGTERM);
}

/* ---- reading ------------------------------------------------------------- */

/* A document is whole: it replaces the one before. */
static bool
take_document(struct metric *ms)
{
	uint32_t n;

	if (ms->data.len < sizeof(n))
		return false;
	memcpy(&n, ms->data.s, sizeof(n));
	if (n > METRIC_DOCUMENT_MAX) {
		metric_stop(ms,
		    mem_printf("its metrics take more than %u MiB",
			METRIC_DOCUMENT_MAX >> 20));
		pipe_close(&ms->script.data_fd);
		return false;
	}
	if (ms->data.len - sizeof(n) < n)
		return false;
	strbuf_reset(&ms->document);
	strbuf_add(&ms->document, ms->data.s + sizeof(n), n);
	ms->data.len -= sizeof(n) + n;
	memmove(ms->data.s, ms->data.s + sizeof(n) + n, ms->data.len);
	return true;
}

static void
read_state(struct metric *ms, const struct metric_world *w)
{
	while (pipe_read_some(&ms->script.state_fd, &ms->why))
		;
	if (ms->traces || ms->why.len == 0 || ms->why.s[0] != SCRIPT_TRACES)
		return;
	ms->traces = true;
	metric_tell(ms, w, "it traces");
}

static void
read_told(struct metric *ms, const struct metric_world *w)
{
	char *line;

	while (pipe_read_some(&ms->script.told_fd, &ms->told)) {
		while ((line = pipe_take_line(&ms->told)) != NULL) {
			metric_tell(ms, w, line);
			free(line);
		}
	}
}

static void
read_all(struct metric *ms, const struct metric_world *w)
{
	read_state(ms, w);
	while (pipe_read_some(&ms->script.data_fd, &ms->data)) {
		while (take_document(ms))
			;
	}
	read_told(ms, w);
}

/* ---- the end ------------------------------------------------------------- */

static void
look_at_cost(struct metric *ms, uint64_t now)
{
	struct fl_cost cost;
	struct strbuf why = { 0 };

	ms->look_ns = now + SECOND_NS;
	if (fl_budget_poll(ms->budget, now, &cost) != FL_BUDGET_OVER)
		return;
	fl_budget_reason(ms->budget, &why);
	strbuf_adds(&why, " (setting metrics_cpu)");
	metric_stop(ms, strbuf_steal(&why));
}

static char *
reason_of(const struct metric *ms, int status)
{
	if (!ms->traces)
		return mem_strdup(
		    ms->why.len != 0 ? ms->why.s : "it could not begin");
	if (ms->end != NULL)
		return mem_strdup(ms->end);
	if (WIFSIGNALED(status))
		return mem_printf("signal %d ended it", WTERMSIG(status));
	return mem_printf("it ended with status %d", WEXITSTATUS(status));
}

static void
tell_end(
    struct metric *ms, const struct metric_world *w, int status, uint64_t now)
{
	char *why = reason_of(ms, status), *text;

	if (ms->traces && ms->end == NULL && now - ms->began_ns > LASTING_NS)
		ms->delay_ns = SECOND_NS;
	text = ms->is_leaving ?
	    mem_strdup("it was removed or changed, and has ended") :
	    mem_printf("it is started again in %u s: %s",
		(unsigned)(ms->delay_ns / SECOND_NS), why);
	metric_tell(ms, w, text);
	free(text);
	free(why);
}

/* Has the process ended?  What it left in the pipes comes first. */
static void
look_for_end(struct metric *ms, const struct metric_world *w, uint64_t now)
{
	int status = 0;

	if (ms->script.told_fd >= 0 || ms->script.state_fd >= 0)
		return;
	if (waitpid(ms->script.pid, &status, WNOHANG) == 0)
		return;
	tell_end(ms, w, status, now);
	forget_run(ms);
	wait_longer(ms, now);
}

void
metric_work(struct metric *ms, const struct metric_world *w)
{
	uint64_t now = now_ns();

	if (!metric_runs(ms)) {
		if (ms->text != NULL && !ms->is_leaving && now >= ms->due_ns)
			start(ms, w, now);
		return;
	}
	read_all(ms, w);
	if (now >= ms->look_ns)
		look_at_cost(ms, now);
	if (ms->kill_ns != 0 && now > ms->kill_ns)
		kill(ms->script.pid, SIGKILL);
	look_for_end(ms, w, now);
}
