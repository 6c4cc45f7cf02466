/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIVE_API_SESSION_H
#define LIVE_API_SESSION_H

/* Declarations shared by the tests of the published API. */
#include <dtrace.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static inline dtrace_hdl_t *
open_handle(void)
{
	int error = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &error);

	if (h == NULL)
		fail_msg("dtrace_open: %s", dtrace_errmsg(NULL, error));
	assert_int_equal(dtrace_setopt(h, "quiet", NULL), 0);
	return h;
}

static inline void
must(dtrace_hdl_t *h, int rc)
{
	if (rc != 0)
		fail_msg("%s", dtrace_errmsg(h, dtrace_errno(h)));
}

static inline void
go(dtrace_hdl_t *h, const char *text)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	must(h, prog == NULL);
	must(h, dtrace_program_exec(h, prog, NULL));
	must(h, dtrace_go(h));
}

/* Work until exit(); returns the last result of dtrace_work(). */
static inline dtrace_workstatus_t
work(dtrace_hdl_t *h, FILE *fp, dtrace_consume_probe_f *pf,
    dtrace_consume_rec_f *rf, void *arg)
{
	dtrace_workstatus_t rc;

	do {
		dtrace_sleep(h);
		rc = dtrace_work(h, fp, pf, rf, arg);
	} while (rc == DTRACE_WORKSTATUS_OKAY);
	return rc;
}

/*
 * Callbacks of a program that leaves every record and datum to the library.
 */
static inline int
this_rec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	(void)data;
	(void)rec;
	(void)arg;
	return DTRACE_CONSUME_THIS;
}

/* The callbacks' arguments, as text. */
struct trace {
	char text[512];
	size_t strsize;
};

static inline void
note(struct trace *tr, const char *text)
{
	strncat(tr->text, text, sizeof(tr->text) - strlen(tr->text) - 1);
}

static inline int
note_fault(const dtrace_errdata_t *data, void *arg)
{
	int *faults = arg;

	*faults = data->dteda_fault;
	assert_string_equal(data->dteda_pdesc->dtpd_name, "BEGIN");
	assert_non_null(strstr(data->dteda_msg, "divide-by-zero"));
	return DTRACE_HANDLE_OK;
}

#endif
