/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that traces itself: which of the files that it opens are there?
 *
 *	cc -o embed embed.c $(pkg-config --cflags --libs libdtrace)
 *	./embed FILE ...
 *
 * Shows how to read the data of records, and how to receive errors and drops.
 */
#include <dtrace.h>

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* $1 is our own process. */
static const char program[] =
    "syscall::openat:entry /pid == $1/ { self->path = copyinstr(arg1); }\n"
    "syscall::openat:return /pid == $1/"
    " { trace(self->path); trace((int)errno); }";

struct seen {
	int opens, failed, data;
};

static int
fail(dtrace_hdl_t *h, const char *what)
{
	fprintf(stderr, "embed: cannot %s: %s\n", what,
	    dtrace_errmsg(h, dtrace_errno(h)));
	return 1;
}

static int
on_record(const dtrace_probedata_t *data, void *arg)
{
	struct seen *seen = (struct seen *)arg;

	seen->data = 0;
	if (data->dtpda_edesc->dtepd_nrecs != 2)
		return DTRACE_CONSUME_NEXT;
	seen->opens++;
	return DTRACE_CONSUME_THIS;
}

static int
on_datum(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	struct seen *seen = (struct seen *)arg;
	int32_t error;

	if (rec == NULL)
		return DTRACE_CONSUME_NEXT;
	if (seen->data++ == 0) {
		printf("%.*s: ", (int)rec->dtrd_size,
		    data->dtpda_data + rec->dtrd_offset);
		return DTRACE_CONSUME_NEXT;
	}
	memcpy(&error, data->dtpda_data + rec->dtrd_offset, sizeof(error));
	seen->failed += error != 0;
	printf("%s\n", error != 0 ? strerror(error) : "opened");
	return DTRACE_CONSUME_NEXT;
}

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "embed: %s\n", data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "embed: %s\n", data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int
start(dtrace_hdl_t *h)
{
	char name[] = "embed", pid[16], *args[] = { name, pid };
	dtrace_prog_t *prog;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	prog = dtrace_program_strcompile(
	    h, program, DTRACE_PROBESPEC_NAME, 0, 2, args);
	if (prog == NULL)
		return fail(h, "compile");
	if (dtrace_program_exec(h, prog, NULL) != 0 ||
	    dtrace_handle_err(h, on_error, NULL) != 0 ||
	    dtrace_handle_drop(h, on_drop, NULL) != 0 || dtrace_go(h) != 0)
		return fail(h, "begin to trace");
	return 0;
}

/* The traced function: open each file. */
static void
touch(char **paths)
{
	for (; *paths != NULL; paths++) {
		int fd = open(*paths, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			close(fd);
	}
}

static int
take(dtrace_hdl_t *h)
{
	struct seen seen = { 0, 0, 0 };

	if (dtrace_stop(h) != 0)
		return fail(h, "stop");
	if (dtrace_work(h, stdout, on_record, on_datum, &seen) !=
	    DTRACE_WORKSTATUS_DONE)
		return fail(h, "take the data");
	printf("%d opened, %d failed\n", seen.opens - seen.failed, seen.failed);
	return 0;
}

int
main(int argc, char **argv)
{
	int error, status;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &error);

	(void)argc;
	if (h == NULL) {
		fprintf(stderr, "embed: %s\n", dtrace_errmsg(NULL, error));
		return 1;
	}
	status = start(h);
	if (status == 0) {
		touch(argv + 1);
		status = take(h);
	}
	dtrace_close(h);
	return status;
}
