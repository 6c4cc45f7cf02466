/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_DETACHED_H
#define FLEET_DETACHED_H

/*
 * Detached runs: names and rules that console and agent share.
 *
 *	stream DTRACE_RUNS	dtrace.kept.RUN		the signed request
 *				dtrace.kept.RUN.STOP	a signed request to
 *							stop; STOP is its id
 *	stream DTRACE_RUN	dtrace.from.*.RUN	what the hosts send
 *	stream DTRACE_RUN_START	dtrace.from.*.RUN.start	its beginning, again
 *
 * The second stream drops its oldest letters when it is full.  A recording is
 * not read without its beginning, so that is in the third, too:
 *
 *	FL_TRYING, FL_PART ... (one block), FL_ALIVE (number: parts in it)
 *
 * So agents send as they do for a console, and the server keeps it.
 */
#include "fleet/keep.h"
#include "fleet/request.h"
#include "fleet/subject.h"

#define FL_RUNS_STREAM "DTRACE_RUNS"
#define FL_SUBJECT_KEPT "dtrace.kept.*"
#define FL_SUBJECT_STOPS "dtrace.kept.*.*"
/* The server keeps the messages of a run so long after its end. */
#define FL_KEPT_NS (7 * 86400 * FL_SECOND_NS)
#define FL_KEPT_BYTES (UINT64_C(256) << 20) /* by default */

/* Malloced. */
char *fl_detached_stream(const char *run);
char *fl_detached_start_stream(const char *run);
char *fl_detached_subject(const char *run);
/* Behind a host's subject: what is sent there is its beginning. */
#define FL_SUBJECT_START ".start"
char *fl_detached_stop_subject(const char *run, const char *stop);

/* The run of a subject of FL_SUBJECT_KEPT or FL_SUBJECT_STOPS. */
struct fl_detached_id {
	char run[FL_RUN_TEXT];
	bool stops;
};
bool fl_detached_parse(const char *subject, struct fl_detached_id *out);

/* The streams' forms; strings are the caller's and borrowed. */
struct fl_keep_form fl_detached_runs_form(void);
struct fl_keep_form fl_detached_run_form(const char *stream,
    const char *subject, uint64_t max_bytes, uint64_t life_ns);

struct fl_keep_form fl_detached_start_form(
    const char *stream, const char *subject, uint64_t life_ns);

/* 1 to 64 letters, digits and "-_.". */
bool fl_detached_is_name(const char *name);

/*
 * May the request be run without a console?  -EACCES: the policy does not
 * permit it, or not so long; -EINVAL: it is not of a detached run.
 */
CHECKED int fl_detached_permit(const struct fl_request *rq, struct err *err);
/* May the author of `stop` end the run?  -EACCES. */
CHECKED int fl_detached_permit_stop(const struct fl_request *stop,
    const struct fl_request *run, struct err *err);

#endif
