/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The child of a script.  It is forked from a process with threads (libnats'),
 * and uses nothing of theirs: it closes all descriptors but its own, and ends
 * by _exit().
 */
#include "dtraced/script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "dtrace.h"
#include "dtraced/ending.h"
#include "dtraced/list.h"
#include "fleet/permit/permit.h"

#define FIRST_FREE (SCRIPT_STATE_FD + 1)

/* ---- the child ----------------------------------------------------------- */

void
script_say(const char *text)
{
	/* the agent notices if the pipe ends without a word */
	if (write(SCRIPT_STATE_FD, text, strlen(text)) < 0)
		return;
}

static void
say_why(dtrace_hdl_t *h)
{
	script_say(dtrace_errmsg(h, dtrace_errno(h)));
}

static int
on_fault(const dtrace_errdata_t *data, void *arg)
{
	(void)data;
	(void)arg;
	/* the console reports the fault, from the recording */
	return DTRACE_HANDLE_OK;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	const char *text = data->dtdda_msg;

	(void)arg;
	fputs(text, stderr);
	return DTRACE_HANDLE_OK;
}

int
script_set_labels(dtrace_hdl_t *h, const struct fl_host *host)
{
	int rc = 0;

	for (size_t i = 0; i < host->labels.n && rc == 0; i++) {
		const struct fl_pair *l = &host->labels.v[i];
		char *text = mem_printf("%s=%s", l->name, l->value);

		rc = dtrace_setopt(h, "fleetlabel", text);
		free(text);
	}
	return rc;
}

/*
 * A console prints what it gets, so the switch rate is high.  The server stores
 * all that a detached run sends, empty blocks too, so its rate is low.
 */
static int
set_options(
    dtrace_hdl_t *h, const struct fl_request *rq, const struct fl_host *host)
{
	int rc = dtrace_setopt(
	    h, "switchrate", rq->detached != NULL ? "1s" : "100ms");

	if (rc == 0)
		rc = dtrace_setopt(h, "fleethost", host->name);
	if (rc == 0)
		rc = script_set_labels(h, host);
	return rc == 0 ? dtrace_setopt(h, "record", "/dev/fd/3") : rc;
}

static dtrace_prog_t *
compile_dof(dtrace_hdl_t *h, const struct fl_program *p)
{
	FILE *f = fmemopen((void *)(uintptr_t)p->bytes, p->size, "r");
	dtrace_prog_t *prog;

	if (f == NULL)
		return NULL;
	prog = dtrace_program_fcompile(h, f, 0, 0, NULL);
	fclose(f);
	return prog;
}

static dtrace_prog_t *
compile_text(
    dtrace_hdl_t *h, const struct fl_request *rq, const struct fl_program *p)
{
	static const dtrace_probespec_t specs[] = {
		[FL_PROGRAM_PROVIDER] = DTRACE_PROBESPEC_PROVIDER,
		[FL_PROGRAM_MODULE] = DTRACE_PROBESPEC_MOD,
		[FL_PROGRAM_FUNCTION] = DTRACE_PROBESPEC_FUNC,
		[FL_PROGRAM_NAME] = DTRACE_PROBESPEC_NAME,
	};
	char **argv = mem_alloc((rq->args.n + 2) * sizeof(*argv));
	char *text = mem_strndup(p->bytes, p->size), name[] = "dtraced";
	dtrace_prog_t *prog;

	argv[0] = name;
	for (size_t i = 0; i < rq->args.n; i++)
		argv[i + 1] = (char *)(uintptr_t)rq->args.v[i];
	prog = dtrace_program_strcompile(
	    h, text, specs[p->kind], 0, (int)rq->args.n + 1, argv);
	free(text);
	free(argv);
	return prog;
}

static void
say_error(struct err *err)
{
	script_say(err_text(err));
	err_clear(err);
}

static dtrace_prog_t *
compile(dtrace_hdl_t *h, const struct fl_request *rq, size_t i)
{
	const struct fl_program *p = &rq->programs.v[i];

	return p->kind == FL_PROGRAM_DOF ? compile_dof(h, p) :
					   compile_text(h, rq, p);
}

/* With -l, forbidden probes are left out.  Else one refuses the program. */
static int
check(const struct fl_request *rq, struct fl_permit *permit,
    dtrace_prog_t *prog, struct err *err)
{
	return (rq->flags & FL_WANTS_LIST) != 0 ?
	    fl_permit_options(permit, err) :
	    fl_permit_program(permit, prog, err);
}

/* Compile all programs.  Each is checked before the next is compiled. */
static int
compile_all(dtrace_hdl_t *h, const struct fl_request *rq,
    struct fl_permit *permit, dtrace_prog_t **progs)
{
	struct err err = { 0 };

	for (size_t i = 0; i < rq->programs.n; i++) {
		progs[i] = compile(h, rq, i);
		if (progs[i] == NULL) {
			say_why(h);
			return -1;
		}
		if (check(rq, permit, progs[i], &err) != 0) {
			say_error(&err);
			return -1;
		}
	}
	return 0;
}

static int
enable(dtrace_hdl_t *h, const struct fl_request *rq)
{
	dtrace_prog_t **progs =
	    mem_alloc((rq->programs.n + 1) * sizeof(*progs));
	struct err err = { 0 };
	struct fl_permit *permit = fl_permit_begin(h, rq, &err);
	int rc = -1;

	if (permit != NULL)
		rc = compile_all(h, rq, permit, progs);
	else
		say_error(&err);
	for (size_t i = 0; i < rq->programs.n && rc == 0; i++) {
		rc = dtrace_program_exec(h, progs[i], NULL);
		if (rc != 0)
			say_why(h);
	}
	if (permit != NULL)
		fl_permit_end(permit);
	free(progs);
	return rc;
}

void
script_say_begun(void)
{
	const char traces[] = { SCRIPT_TRACES, '\0' };

	script_say(traces);
	close(SCRIPT_STATE_FD);
}

static int
begin(dtrace_hdl_t *h, const struct fl_request *rq, const struct fl_host *host)
{
	if (set_options(h, rq, host) != 0) {
		say_why(h);
		return -1;
	}
	if (enable(h, rq) != 0)
		return -1;
	if (dtrace_handle_err(h, on_fault, NULL) != 0 ||
	    dtrace_handle_drop(h, on_drop, NULL) != 0 || dtrace_go(h) != 0) {
		say_why(h);
		return -1;
	}
	script_say_begun();
	return 0;
}

/* -l */
static int
list(dtrace_hdl_t *h, const struct fl_request *rq)
{
	dtrace_prog_t **progs =
	    mem_alloc((rq->programs.n + 1) * sizeof(*progs));
	struct err err = { 0 };
	struct fl_permit *permit = NULL;
	int rc = dtrace_setopt(h, "zdefs", NULL);

	if (rc != 0)
		say_why(h);
	else if ((permit = fl_permit_begin(h, rq, &err)) == NULL)
		say_error(&err);
	else
		rc = compile_all(h, rq, permit, progs);
	if (permit != NULL && rc == 0) {
		script_say_begun();
		rc = script_list(h, permit, progs, SCRIPT_DATA_FD);
	}
	if (permit != NULL)
		fl_permit_end(permit);
	free(progs);
	return permit != NULL && rc == 0 ? 0 : 1;
}

static int
trace(dtrace_hdl_t *h, FILE *nowhere)
{
	dtrace_workstatus_t rc;
	bool has_stopped = false;

	do {
		if (!ending_is_asked())
			dtrace_sleep(h);
		if (ending_is_asked() && !has_stopped) {
			has_stopped = true;
			dtrace_stop(h);
		}
		rc = dtrace_work(h, nowhere, NULL, NULL, NULL);
	} while (rc == DTRACE_WORKSTATUS_OKAY);
	if (rc == DTRACE_WORKSTATUS_ERROR)
		fprintf(stderr, "%s\n", dtrace_errmsg(h, dtrace_errno(h)));
	return rc == DTRACE_WORKSTATUS_DONE ? 0 : 1;
}

static int
run(const struct fl_request *rq, const struct fl_host *host)
{
	FILE *nowhere = fopen("/dev/null", "we");
	dtrace_hdl_t *h;
	int error, rc = 1;

	h = dtrace_open(DTRACE_VERSION, 0, &error);
	if (h == NULL) {
		script_say(dtrace_errmsg(NULL, error));
		return 1;
	}
	if ((rq->flags & FL_WANTS_LIST) != 0)
		rc = list(h, rq);
	else if (nowhere != NULL && begin(h, rq, host) == 0)
		rc = trace(h, nowhere);
	/* this also writes the recording's end */
	dtrace_close(h);
	return rc;
}

static void
set_signals(void)
{
	sigset_t none;

	ending_catch(SIGTERM);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Give the pipes their numbers, and close all descriptors above these. */
static void
set_files(int data, int state, int told)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int d = fcntl(data, F_DUPFD_CLOEXEC, FIRST_FREE);
	int s = fcntl(state, F_DUPFD_CLOEXEC, FIRST_FREE);
	int t = fcntl(told, F_DUPFD_CLOEXEC, FIRST_FREE);

	if (null < 0 || d < 0 || s < 0 || t < 0 ||
	    dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(t, STDERR_FILENO) < 0 ||
	    dup3(d, SCRIPT_DATA_FD, O_CLOEXEC) < 0 ||
	    dup3(s, SCRIPT_STATE_FD, O_CLOEXEC) < 0 ||
	    syscall(SYS_close_range, FIRST_FREE, ~0U, 0) != 0)
		_exit(1);
}

struct request_job {
	const struct fl_request *rq;
	const struct fl_host *host;
};

/* A script_body_f. */
static int
run_request(void *arg)
{
	const struct request_job *job = arg;

	return run(job->rq, job->host);
}

__attribute__((noreturn)) static void
child(script_body_f *f, void *arg, pid_t agent, const int ends[3])
{
	set_signals();
	/* the agent may have ended before */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != agent)
		_exit(1);
	set_files(ends[0], ends[1], ends[2]);
	setvbuf(stderr, NULL, _IOLBF, 0);
	_exit(f(arg));
}

/* ---- the agent ----------------------------------------------------------- */

static void
close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

/* Three pipes; the agent does not wait for its ends. */
static int
make_pipes(int ours[3], int theirs[3])
{
	int fds[2];

	for (size_t i = 0; i < 3; i++)
		ours[i] = theirs[i] = -1;
	for (size_t i = 0; i < 3; i++) {
		if (pipe2(fds, O_CLOEXEC) != 0)
			return -errno;
		ours[i] = fds[0];
		theirs[i] = fds[1];
		if (fcntl(ours[i], F_SETFL, O_NONBLOCK) != 0)
			return -errno;
	}
	return 0;
}

int
script_spawn(script_body_f *f, void *arg, struct script *out, struct err *err)
{
	int ours[3], theirs[3], rc = make_pipes(ours, theirs);
	pid_t agent = getpid(), pid = -1;

	if (rc == 0)
		pid = fork();
	if (pid == 0)
		child(f, arg, agent, theirs);
	if (rc == 0 && pid < 0)
		rc = -errno;
	close_all(theirs, 3);
	if (rc != 0) {
		close_all(ours, 3);
		return err_set(
		    err, rc, "cannot start the script: %s", strerror(-rc));
	}
	*out = (struct script){ .pid = pid,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
		.data_fd = ours[0],
		.state_fd = ours[1],
		.told_fd = ours[2] };
	return 0;
}

int
script_start(const struct fl_request *rq, const struct fl_host *host,
    struct script *out, struct err *err)
{
	struct request_job job = { rq, host };

	return script_spawn(run_request, &job, out, err);
}
