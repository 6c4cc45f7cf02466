/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a command and count its system calls.
 *
 *	cc -o calls calls.c $(pkg-config --cflags --libs libdtrace)
 *	./calls date
 *
 * libdtrace(3) shows this program: a whole session, with a process, a record,
 * an aggregation, and handlers of errors and drops.
 */
#include <dtrace.h>

#include <inttypes.h>
#include <string.h>

static const char program[] =
    "syscall:::entry /pid == $target/ { @[probefunc] = count(); }\n"
    "syscall::write:entry /pid == $target/ { trace(arg2); }";

static int
fail(dtrace_hdl_t *h, const char *what)
{
	fprintf(stderr, "calls: cannot %s: %s\n", what,
	    dtrace_errmsg(h, dtrace_errno(h)));
	return 1;
}

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "calls: %s\n", data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "calls: %s\n", data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

/* One datum of a record; NULL after the last one. */
static int
on_datum(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	uint64_t bytes;

	(void)arg;
	if (rec != NULL && rec->dtrd_size == sizeof(bytes)) {
		memcpy(
		    &bytes, data->dtpda_data + rec->dtrd_offset, sizeof(bytes));
		printf("%s:%s on CPU %d: %" PRIu64 " bytes\n",
		    data->dtpda_pdesc->dtpd_func, data->dtpda_pdesc->dtpd_name,
		    data->dtpda_cpu, bytes);
	}
	return DTRACE_CONSUME_NEXT;
}

/* One row: its records are the variable's id, the key and the value. */
static int
on_row(const dtrace_aggdata_t *row, void *arg)
{
	const dtrace_recdesc_t *rec = row->dtada_desc->dtagd_rec;
	uint64_t count;

	(void)arg;
	memcpy(&count, row->dtada_data + rec[2].dtrd_offset, sizeof(count));
	printf("%8" PRIu64 " %.*s\n", count, (int)rec[1].dtrd_size,
	    row->dtada_data + rec[1].dtrd_offset);
	return DTRACE_AGGWALK_NEXT;
}

static int
trace(dtrace_hdl_t *h, char **argv)
{
	struct ps_prochandle *p = dtrace_proc_create(h, argv[0], argv);
	dtrace_workstatus_t status;
	dtrace_prog_t *prog;

	if (p == NULL)
		return fail(h, "run the command");
	prog = dtrace_program_strcompile(
	    h, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog == NULL)
		return fail(h, "compile");
	if (dtrace_program_exec(h, prog, NULL) != 0 ||
	    dtrace_handle_err(h, on_error, NULL) != 0 ||
	    dtrace_handle_drop(h, on_drop, NULL) != 0 || dtrace_go(h) != 0)
		return fail(h, "begin to trace");
	dtrace_proc_continue(h, p);
	do {
		dtrace_sleep(h);
		status = dtrace_work(h, stdout, NULL, on_datum, NULL);
	} while (status == DTRACE_WORKSTATUS_OKAY);
	if (status == DTRACE_WORKSTATUS_ERROR)
		return fail(h, "take the data");
	if (dtrace_aggregate_snap(h) != 0 ||
	    dtrace_aggregate_walk_valrevsorted(h, on_row, NULL) != 0)
		return fail(h, "read the aggregation");
	return 0;
}

int
main(int argc, char **argv)
{
	dtrace_hdl_t *h;
	int error, status;

	if (argc < 2) {
		fputs("usage: calls COMMAND [ARG ...]\n", stderr);
		return 2;
	}
	h = dtrace_open(DTRACE_VERSION, 0, &error);
	if (h == NULL) {
		fprintf(stderr, "calls: %s\n", dtrace_errmsg(NULL, error));
		return 1;
	}
	status = trace(h, argv + 1);
	dtrace_close(h);
	return status;
}
