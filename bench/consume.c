/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * consume SCRIPT COMMAND: take the records of a command through callbacks.  The
 * first datum of each record is a number, one more than that of the record
 * before.  Prints how many records came, how many numbers were out of sequence,
 * and how many records were dropped.
 */
#include <dtrace.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

struct taken {
	uint64_t records, last, gaps, drops;
	int datum;
};

static int
on_record(const dtrace_probedata_t *data, void *arg)
{
	struct taken *t = arg;

	(void)data;
	t->datum = 0;
	t->records++;
	return DTRACE_CONSUME_THIS;
}

static int
on_datum(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	struct taken *t = arg;
	uint64_t n;

	if (rec == NULL || t->datum++ != 0)
		return DTRACE_CONSUME_NEXT;
	memcpy(&n, data->dtpda_data + rec->dtrd_offset, sizeof(n));
	t->gaps += n != t->last + 1;
	t->last = n;
	return DTRACE_CONSUME_NEXT;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	struct taken *t = arg;

	t->drops += data->dtdda_drops;
	return DTRACE_HANDLE_OK;
}

static int
fail(dtrace_hdl_t *h, const char *what)
{
	fprintf(stderr, "consume: cannot %s: %s\n", what,
	    dtrace_errmsg(h, dtrace_errno(h)));
	return 1;
}

/* Start the command once the probes are armed. */
static int
start(dtrace_hdl_t *h, const char *script, char *command, struct taken *t)
{
	dtrace_prog_t *prog;
	struct ps_prochandle *proc;
	char *words[8];
	size_t n = 0;

	for (char *w = strtok(command, " "); w != NULL && n < 7;
	     w = strtok(NULL, " "))
		words[n++] = w;
	words[n] = NULL;
	if (dtrace_setopt(h, "substrate", "process") != 0)
		return fail(h, "choose the substrate");
	proc = dtrace_proc_create(h, words[0], words);
	if (proc == NULL)
		return fail(h, "start the command");
	prog = dtrace_program_strcompile(
	    h, script, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog == NULL)
		return fail(h, "compile");
	if (dtrace_program_exec(h, prog, NULL) != 0 ||
	    dtrace_handle_drop(h, on_drop, t) != 0 || dtrace_go(h) != 0)
		return fail(h, "begin to trace");
	dtrace_proc_continue(h, proc);
	return 0;
}

static int
take(dtrace_hdl_t *h, struct taken *t)
{
	for (;;) {
		dtrace_sleep(h);
		switch (dtrace_work(h, stdout, on_record, on_datum, t)) {
		case DTRACE_WORKSTATUS_DONE:
			return 0;
		case DTRACE_WORKSTATUS_OKAY:
			break;
		case DTRACE_WORKSTATUS_ERROR:
			return fail(h, "take records");
		}
	}
}

static void
show(const struct taken *t)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	printf("records %llu gaps %llu drops %llu cpu_s %.6f\n",
	    (unsigned long long)t->records, (unsigned long long)t->gaps,
	    (unsigned long long)t->drops,
	    (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		(double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6);
}

int
main(int argc, char *argv[])
{
	struct taken t = { 0, 0, 0, 0, 0 };
	int error, status;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &error);

	if (argc != 3 || h == NULL) {
		fprintf(stderr, "usage: consume SCRIPT COMMAND\n");
		return 2;
	}
	status = start(h, argv[1], argv[2], &t);
	if (status == 0)
		status = take(h, &t);
	if (status == 0)
		show(&t);
	dtrace_close(h);
	return status;
}
