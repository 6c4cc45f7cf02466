/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_SUBJECT_H
#define FLEET_SUBJECT_H

/*
 * Subjects (doc/fleet.md).  The host stands in the subject and nowhere else, so
 * that a server which lets each agent publish as its own host alone keeps hosts
 * from speaking for each other.
 *
 *	dtrace.ask.RUN		console -> agents: a signed request
 *	dtrace.run.RUN		console -> agents of a run
 *	dtrace.from.HOST.RUN	agent -> console
 *	dtrace.from.HOST.here	agent -> everybody
 *	dtrace.from.HOST.RUN.to.MERGER	agent -> merger
 *	dtrace.from.MERGER.RUN.merged	merger -> console
 *
 * RUN is a request's id, 32 hex digits.  In HOST, bytes other than letters,
 * digits and '-' are written =XX.  MERGER is written so, too.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define FL_SUBJECT_ASKS "dtrace.ask.*"
#define FL_SUBJECT_RUNS "dtrace.run.*"
#define FL_RUN_TEXT 33
#define FL_HOST_MAX 255

void fl_run_format(const uint8_t id[16], char text[FL_RUN_TEXT]);
/* Malloced. */
char *fl_subject_ask(const char *run);
char *fl_subject_run(const char *run);
char *fl_subject_from(const char *host, const char *last);
char *fl_subject_from_all(const char *run);
/* Subjects of messages from hosts to a merger, and from mergers to a console;
 * those with _all match the messages of all hosts, or mergers. */
char *fl_subject_to(const char *host, const char *run, const char *merger);
char *fl_subject_to_all(const char *merger);
char *fl_subject_merged(const char *merger, const char *run);
char *fl_subject_merged_all(const char *run);
/* Is it a subject of fl_subject_to()?  Then the run is copied. */
bool fl_subject_is_to(const char *subject, char run[FL_RUN_TEXT]);
bool fl_subject_is_merged(const char *subject);
/* The run, in the subject; NULL: it is another subject. */
const char *fl_subject_is_ask(const char *subject);
const char *fl_subject_is_run(const char *subject);
/* The host of dtrace.from.HOST.LAST, malloced; NULL: it has none. */
char *fl_subject_host(const char *subject);

#endif
