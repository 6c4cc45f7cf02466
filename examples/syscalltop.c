/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A live top of system calls: which programs make how many, second by second.
 *
 *	cc -o syscalltop syscalltop.c $(pkg-config --cflags --libs libdtrace)
 *	./syscalltop [seconds [rows]]
 *
 * Shows how to walk an aggregation in order, and how to start it anew.
 */
#include <dtrace.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char program[] =
    "syscall:::entry { @calls[execname, probefunc] = count(); }";

struct table {
	int rows, max;
	uint64_t total;
};

static int
fail(dtrace_hdl_t *h, const char *what)
{
	fprintf(stderr, "syscalltop: cannot %s: %s\n", what,
	    dtrace_errmsg(h, dtrace_errno(h)));
	return 1;
}

/* Records of a row: the variable's id, the two keys, the count. */
static int
print_row(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_recdesc_t *rec = data->dtada_desc->dtagd_rec;
	struct table *table = arg;
	uint64_t count;

	memcpy(&count, data->dtada_data + rec[3].dtrd_offset, sizeof(count));
	table->total += count;
	if (table->rows++ < table->max)
		printf("%-16.*s %-20.*s %10" PRIu64 "\n", (int)rec[1].dtrd_size,
		    data->dtada_data + rec[1].dtrd_offset,
		    (int)rec[2].dtrd_size,
		    data->dtada_data + rec[2].dtrd_offset, count);
	return DTRACE_AGGWALK_REMOVE;
}

static int
print_table(dtrace_hdl_t *h, int max)
{
	struct table table = { 0, max, 0 };

	if (dtrace_aggregate_snap(h) != 0)
		return fail(h, "read the aggregation");
	printf("%-16s %-20s %10s\n", "PROGRAM", "CALL", "COUNT");
	if (dtrace_aggregate_walk_valrevsorted(h, print_row, &table) != 0)
		return fail(h, "walk the aggregation");
	printf("%" PRIu64 " calls of %d kinds\n\n", table.total, table.rows);
	fflush(stdout);
	return 0;
}

static int
watch(dtrace_hdl_t *h, int seconds, int max)
{
	time_t end = time(NULL) + seconds, next = time(NULL) + 1;

	while (time(NULL) < end) {
		dtrace_sleep(h);
		if (dtrace_work(h, stdout, NULL, NULL, NULL) !=
		    DTRACE_WORKSTATUS_OKAY)
			return fail(h, "go on");
		if (time(NULL) < next)
			continue;
		next = time(NULL) + 1;
		if (print_table(h, max) != 0)
			return 1;
	}
	return 0;
}

static int
start(dtrace_hdl_t *h)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(
	    h, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	if (prog == NULL)
		return fail(h, "compile");
	if (dtrace_program_exec(h, prog, NULL) != 0 || dtrace_go(h) != 0)
		return fail(h, "begin to trace");
	return 0;
}

int
main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 10;
	int max = argc > 2 ? atoi(argv[2]) : 20, error, status;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &error);

	if (h == NULL) {
		fprintf(stderr, "syscalltop: %s\n", dtrace_errmsg(NULL, error));
		return 1;
	}
	status = start(h);
	if (status == 0)
		status = watch(h, seconds, max);
	dtrace_close(h);
	return status;
}
