/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dtrace/message.h"
#include "dtrace/output.h"
#include "dtrace/progress.h"
#include "dtrace/signals.h"
#include "dtrace/targets.h"
#include "dtrace/tool.h"
#include "dtrace/top.h"

static int
abort_trace(struct dtrace_cmd *c)
{
	c->has_told_output = ferror(c->out) != 0;
	if (c->has_told_output && output_is_unread(c))
		return EXIT_FAILURE;
	return message_fail_to(c, "processing aborted");
}

/* After a signal, end the terminal's line, which shows "^C". */
static void
end_line(struct dtrace_cmd *c)
{
	int64_t format;

	if (!signals_seen() || c->has_ended_line)
		return;
	c->has_ended_line = true;
	if (dt_getopt(c->dtp, "oformat", &format) == 0 && format == 0) {
		fputc('\n', c->out);
		fflush(c->out);
	}
}

static void
tell_destructive(struct dtrace_cmd *c)
{
	int64_t flag;

	if (!c->is_quiet && c->replays.n == 0 &&
	    dt_getopt(c->dtp, "destructive", &flag) == 0 && flag == 1)
		fputs("dtrace: allowing destructive actions\n", stderr);
}

/*
 * A signal before tracing has begun ends dtrace as it would end a compilation.
 */
static int
fail_to_go(struct dtrace_cmd *c)
{
	c->has_no_trace = signals_seen() != 0;
	return signals_seen() != 0 ?
	    EXIT_FAILURE :
	    message_fail_to(
		c, c->replays.n != 0 ? "cannot replay" : "cannot trace");
}

static int
refuse_terminal(void)
{
	progress_end();
	fputs("dtrace: this form of output is not text, and a terminal would "
	      "obey it\n"
	      "    hint: write it to a file: -o FILE\n",
	    stderr);
	return EXIT_FAILURE;
}

static void
limit_time(const struct dtrace_cmd *c)
{
	int error = signals_end_after(c->end_ns);

	if (error != 0)
		fprintf(stderr, "dtrace: -t cannot end tracing: %s\n",
		    strerror(-error));
}

/*
 * A tool whose probes never came has answered nothing.  Other programs may ask
 * with -Z for probes that need not come: -v tells which did not.
 */
static int
end_status(struct dtrace_cmd *c)
{
	int status = dt_exit_status(c->dtp);

	if ((c->tool == NULL && !c->is_verbose) || !dt_tell_unmet(c->dtp, true))
		return status;
	message_notices(c);
	if (c->tool == NULL)
		return status;
	tool_hint_needs(c->tool);
	return status != 0 ? status : EXIT_FAILURE;
}

/* A process of -p may run for long before the user learns that it is the wrong
 * one; that of -c has not begun. */
static void
tell_unmet(struct dtrace_cmd *c)
{
	if (c->tool != NULL && c->targets.n != 0 && c->targets.v[0].pid != NULL)
		dt_tell_unmet(c->dtp, false);
}

/* Begin tracing.  Returns GO_ON or an exit status. */
static int
begin(struct dtrace_cmd *c)
{
	int status = c->has_top ? top_open(c) : GO_ON;

	if (status != GO_ON)
		return status;
	signals_catch(c->dtp);
	if (c->replays.n == 0)
		progress_stage("loading the program into the kernel");
	if (dt_go(c->dtp) != 0)
		return fail_to_go(c);
	progress_end();
	tell_destructive(c);
	targets_tell(c);
	tell_unmet(c);
	message_notices(c);
	if (c->end_ns != 0)
		limit_time(c);
	return GO_ON;
}

static int
consume(struct dtrace_cmd *c)
{
	enum dt_work work;

	dt_proc_continue(c->dtp);
	do {
		dt_sleep(c->dtp);
		end_line(c);
		work = dt_work(c->dtp, c->out);
		message_notices(c);
	} while (work == DT_WORK_OKAY);
	if (work == DT_WORK_ERROR)
		return abort_trace(c);
	return end_status(c);
}

int
trace_run(struct dtrace_cmd *c)
{
	int status;

	if (dt_is_binary(c->dtp) && isatty(fileno(c->file)))
		return refuse_terminal();
	status = output_make_folder(c);
	if (status == GO_ON)
		status = begin(c);
	if (status != GO_ON)
		return status;
	return c->has_top ? top_run(c) : consume(c);
}
