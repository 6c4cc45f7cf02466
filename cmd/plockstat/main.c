/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plockstat(1): show which locks of a process are waited for and held, how
 * long, and by which callers.
 *
 * The work is done by a D program over the plockstat provider: options choose
 * its clauses (-V shows it), and its aggregations are printed as tables.  These
 * files use only the public interface, <dtrace.h>.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dtrace.h"
#include "plockstat.h"

enum { EXIT_USAGE = 2 };

static volatile sig_atomic_t is_interrupted;

/* ---- messages ------------------------------------------------------------ */

/* Diagnostics of the D program are printed as they are. */
static int
fail(dtrace_hdl_t *dtp, const char *what)
{
	const char *msg = dtrace_errmsg(dtp, dtrace_errno(dtp));

	if (strchr(msg, '\n') != NULL)
		fprintf(stderr, "%s\n", msg);
	else
		fprintf(stderr, "plockstat: %s%s%s\n", what, *what ? ": " : "",
		    msg);
	return EXIT_FAILURE;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "plockstat: %s", data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "plockstat: %s", data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static void
interrupt(int sig)
{
	(void)sig;
	is_interrupted = 1;
}

static void
catch_signals(void)
{
	struct sigaction sa = { .sa_handler = interrupt };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

/* ---- tracing ------------------------------------------------------------- */

static int
set_options(dtrace_hdl_t *dtp, const struct plockstat_opts *o)
{
	VEC_FOREACH(&o->settings, s) {
		if (dtrace_setopt(dtp, s->name, s->value) != 0)
			return fail(dtp, s->name);
	}
	return 0;
}

static struct ps_prochandle *
take_process(dtrace_hdl_t *dtp, const struct plockstat_opts *o)
{
	struct ps_prochandle *p;

	if (o->pid != 0)
		p = dtrace_proc_grab(dtp, o->pid, 0);
	else
		p = dtrace_proc_create(dtp, o->command[0], o->command);
	if (p == NULL)
		fail(dtp, "");
	return p;
}

/*
 * A process need not have functions that it does not use, such as those of
 * readers/writer locks, but it must have some.
 */
static int
enable(dtrace_hdl_t *dtp, const char *text)
{
	static const char any[] = "plockstat$target:::mutex-acquire";
	dtrace_prog_t *prog = dtrace_program_strcompile(
	    dtp, text, DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL);

	if (prog == NULL || dtrace_program_exec(dtp, prog, NULL) != 0)
		return fail(dtp, "");
	if (dtrace_program_strcompile(
		dtp, any, DTRACE_PROBESPEC_NAME, 0, 0, NULL) == NULL)
		return fail(dtp, "");
	return 0;
}

static int
trace(
    dtrace_hdl_t *dtp, struct ps_prochandle *p, const struct plockstat_opts *o)
{
	dtrace_workstatus_t st = DTRACE_WORKSTATUS_OKAY;
	bool is_stopped = false;

	if (dtrace_go(dtp) != 0)
		return fail(dtp, "cannot trace");
	if (o->is_verbose)
		fprintf(stderr, "plockstat: tracing enabled for pid %d\n",
		    (int)dtrace_proc_pid(dtp, p));
	dtrace_proc_continue(dtp, p);
	while (st == DTRACE_WORKSTATUS_OKAY) {
		if (!is_interrupted && !is_stopped)
			dtrace_sleep(dtp);
		if (is_interrupted && !is_stopped) {
			is_stopped = true;
			dtrace_stop(dtp);
		}
		st = dtrace_work(dtp, stdout, NULL, NULL, NULL);
	}
	return st == DTRACE_WORKSTATUS_DONE ? 0 : fail(dtp, "tracing ended");
}

static int
report(dtrace_hdl_t *dtp, const struct plockstat_opts *o)
{
	struct plockstat_result res = { .dtp = dtp, .opts = o };
	int rc = 0;

	if (dtrace_aggregate_snap(dtp) != 0 ||
	    dtrace_aggregate_walk(dtp, plockstat_take_row, &res) != 0)
		rc = fail(dtp, "the traced data cannot be read");
	for (size_t i = 0; rc == 0 && i < PLOCKSTAT_NTABLES; i++)
		plockstat_print_table(&res, i);
	plockstat_result_fini(&res);
	if (fflush(stdout) == 0)
		return rc;
	fprintf(stderr, "plockstat: cannot write: %s\n", strerror(errno));
	return EXIT_FAILURE;
}

static int
watch(dtrace_hdl_t *dtp, const struct plockstat_opts *o, const char *text)
{
	struct ps_prochandle *p;
	int rc;

	dtrace_handle_drop(dtp, on_drop, NULL);
	dtrace_handle_err(dtp, on_error, NULL);
	rc = set_options(dtp, o);
	if (rc != 0)
		return rc;
	p = take_process(dtp, o);
	if (p == NULL)
		return EXIT_FAILURE;
	rc = enable(dtp, text);
	if (rc == 0)
		rc = trace(dtp, p, o);
	return rc != 0 ? rc : report(dtp, o);
}

/* ---- arguments ----------------------------------------------------------- */

static const char usage_text[] =
    "Usage: plockstat [-vACHV] [-n count] [-s depth] [-e secs] "
    "[-x opt[=val]]\n"
    "                 command [arg]...\n"
    "       plockstat [-vACHV] [-n count] [-s depth] [-e secs] "
    "[-x opt[=val]]\n"
    "                 -p pid\n";

static int
usage(void)
{
	fputs(usage_text, stderr);
	return EXIT_USAGE;
}

/* 0: not a number, or out of range. */
static unsigned
number(char letter, const char *text, unsigned max)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && *end == '\0' && errno == 0 &&
	    n != 0 && n <= max)
		return (unsigned)n;
	fprintf(stderr,
	    "plockstat: -%c takes a number from 1 to %u, not "
	    "'%s'\n",
	    letter, max, text);
	return 0;
}

static void
add_setting(struct plockstat_opts *o, char *text)
{
	char *value = strchr(text, '=');

	if (value != NULL)
		*value++ = '\0';
	VEC_PUSH(&o->settings, (struct plockstat_setting){ text, value });
}

static bool
take_number(struct plockstat_opts *o, int letter, const char *arg)
{
	switch (letter) {
	case 'n':
		return (o->nrows = number('n', arg, UINT_MAX)) != 0;
	case 's':
		return (o->depth = number('s', arg, PLOCKSTAT_DEPTH_MAX)) != 0;
	case 'e':
		return (o->seconds = number('e', arg, INT_MAX)) != 0;
	case 'p':
		return (o->pid = (pid_t)number('p', arg, INT_MAX)) != 0;
	default:
		return false;
	}
}

static bool
take_option(struct plockstat_opts *o, int letter)
{
	switch (letter) {
	case 'A':
		o->events |= CONTENTION | HOLD;
		return true;
	case 'C':
		o->events |= CONTENTION;
		return true;
	case 'H':
		o->events |= HOLD;
		return true;
	case 'v':
		o->is_verbose = true;
		return true;
	case 'V':
		o->shows_program = true;
		return true;
	case 'x':
		add_setting(o, optarg);
		return true;
	default:
		return take_number(o, letter, optarg);
	}
}

/* false: after a message. */
static bool
parse(int argc, char *argv[], struct plockstat_opts *o)
{
	int letter;

	while ((letter = getopt(argc, argv, "+:ACHvVn:s:e:p:x:")) != -1) {
		if (letter == '?' || letter == ':') {
			fprintf(stderr, "plockstat: %s -%c\n",
			    letter == ':' ? "an argument is missing after" :
					    "there is no option",
			    optopt);
			usage();
			return false;
		}
		if (!take_option(o, letter))
			return false;
	}
	if (o->events == 0)
		o->events = CONTENTION;
	o->command = &argv[optind];
	if ((optind < argc) != (o->pid != 0))
		return true;
	fprintf(stderr, "plockstat: %s\n",
	    o->pid != 0 ? "-p and a command: name one process" :
			  "which process?  Name a command, or a pid with -p");
	usage();
	return false;
}

int
main(int argc, char *argv[])
{
	struct plockstat_opts o = { 0 };
	struct strbuf text = { 0 };
	dtrace_hdl_t *dtp;
	int rc = EXIT_USAGE, err;

	if (parse(argc, argv, &o)) {
		plockstat_program(&o, &text);
		if (o.shows_program)
			fputs(text.s, stderr);
		catch_signals();
		dtp = dtrace_open(DTRACE_VERSION, 0, &err);
		if (dtp != NULL)
			rc = watch(dtp, &o, text.s);
		else
			rc = fail(NULL, "");
		if (dtp != NULL)
			dtrace_close(dtp);
	}
	strbuf_fini(&text);
	VEC_FREE(&o.settings);
	return rc;
}
