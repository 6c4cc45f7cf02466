/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watch how long a command's reads take: a histogram that is printed anew as it
 * grows.
 *
 *	cc -o latencies latencies.c $(pkg-config --cflags --libs libdtrace)
 *	./latencies COMMAND [ARGUMENT ...]
 *
 * Shows how to start a process, and how a handler receives the library's
 * printed histograms as text.
 */
#include <dtrace.h>

#include <string.h>

static const char program[] =
    "syscall::read:entry /pid == $target/ { self->start = timestamp; }\n"
    "syscall::read:return /self->start/\n"
    "{\n"
    "	@us[\"reads, in us\"] ="
    " quantize((timestamp - self->start) / 1000);\n"
    "	self->start = 0;\n"
    "}";

static int
fail(dtrace_hdl_t *h, const char *what)
{
	fprintf(stderr, "latencies: cannot %s: %s\n", what,
	    dtrace_errmsg(h, dtrace_errno(h)));
	return 1;
}

/* Put a mark of this program in front of each line. */
static int
on_text(const dtrace_bufdata_t *data, void *arg)
{
	int *at_start = (int *)arg;

	for (const char *p = data->dtbda_buffered; *p != '\0'; p++) {
		if (*at_start)
			fputs("latencies: ", stdout);
		putchar(*p);
		*at_start = *p == '\n';
	}
	return DTRACE_HANDLE_OK;
}

static int
print(dtrace_hdl_t *h)
{
	if (dtrace_aggregate_snap(h) != 0)
		return fail(h, "read the aggregation");
	if (dtrace_aggregate_print(h, NULL, NULL) != 0)
		return fail(h, "print the aggregation");
	fflush(stdout);
	return 0;
}

static int
watch(dtrace_hdl_t *h)
{
	for (;;) {
		dtrace_sleep(h);
		switch (dtrace_work(h, NULL, NULL, NULL, NULL)) {
		case DTRACE_WORKSTATUS_OKAY:
			break;
		case DTRACE_WORKSTATUS_DONE:
			return print(h);
		case DTRACE_WORKSTATUS_ERROR:
			return fail(h, "go on");
		}
		if (print(h) != 0)
			return 1;
	}
}

static int
start(dtrace_hdl_t *h, char **command, int *at_start)
{
	struct ps_prochandle *p = dtrace_proc_create(h, command[0], command);
	dtrace_prog_t *prog;

	if (p == NULL)
		return fail(h, "start the command");
	prog = dtrace_program_strcompile(
	    h, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog == NULL)
		return fail(h, "compile");
	if (dtrace_handle_buffered(h, on_text, at_start) != 0 ||
	    dtrace_program_exec(h, prog, NULL) != 0 || dtrace_go(h) != 0)
		return fail(h, "begin to trace");
	dtrace_proc_continue(h, p);
	return 0;
}

int
main(int argc, char **argv)
{
	int error, status, at_start = 1;
	dtrace_hdl_t *h;

	if (argc < 2) {
		fprintf(stderr, "usage: latencies COMMAND [ARGUMENT ...]\n");
		return 2;
	}
	h = dtrace_open(DTRACE_VERSION, 0, &error);
	if (h == NULL) {
		fprintf(stderr, "latencies: %s\n", dtrace_errmsg(NULL, error));
		return 1;
	}
	status = start(h, argv + 1, &at_start);
	if (status == 0)
		status = watch(h);
	dtrace_close(h);
	return status;
}
