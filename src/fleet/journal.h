/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_JOURNAL_H
#define FLEET_JOURNAL_H

/*
 * The journal: the agent writes a line for each run, with its author, and for
 * each refusal, by syslog(3), which systemd's journal reads.
 *
 *	run: author="alice" script=... hosts="web*" duration=12.345s drops=0
 *	    cpu=0.3% end="exit() was called"		(in one line)
 *	refused: from="_INBOX..." reason="the signature is not of alice: ..."
 *	server: the connection is there
 *
 * Texts that come from the network are quoted and cut: they cannot begin a line
 * or end a field.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "fleet/request.h"

struct fl_run {
	const struct fl_request *request;
	uint64_t duration_ns;
	uint64_t drops;
	uint64_t cpu_ns; /* of all parts: budget.h */
	const char *end; /* why it ended */
};

/* Takes a line without '\n'; syslog's by default. */
typedef void fl_journal_f(int priority, const char *line, void *arg);

/* `f` NULL: syslog, with the name `dtraced`. */
struct fl_journal *fl_journal_create(fl_journal_f *f, void *arg);
void fl_journal_destroy(struct fl_journal *j);

/* The connection to the server is there, or not. */
void fl_journal_server(struct fl_journal *j, bool is_connected);
/*
 * The server does not permit this agent, or merger, what it needs: to publish
 * to the subject.  `more`: what it subscribes to besides, or NULL.
 */
void fl_journal_forbidden(struct fl_journal *j, const char *who,
    const char *subject, const char *more);
void fl_journal_run(struct fl_journal *j, const struct fl_run *run);
/*
 * Of refusals, FL_REFUSALS are written in a minute.  The next line after that
 * says how many were left out: nobody can fill the disk.
 */
#define FL_REFUSALS 60
void fl_journal_refusal(struct fl_journal *j, const char *from,
    const char *reason, uint64_t now_ns);
/*
 * Note the lines that a script of the metrics, or dtraced about it, has said:
 *
 *	metrics: script="process-ends.d" told="it traces"
 */
void fl_journal_metrics(struct fl_journal *j, const char *script,
    const char *text, uint64_t now_ns);

#endif
