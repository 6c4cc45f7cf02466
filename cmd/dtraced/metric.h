/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_METRIC_H
#define DTRACED_METRIC_H

/* One script whose aggregations are metrics. */
#include <sys/stat.h>

#include "base/str.h"
#include "dtraced/script.h"
#include "fleet/budget.h"
#include "fleet/journal.h"

#define METRIC_DOCUMENT_MAX (4U << 20) /* bytes of a script's metrics */
#define METRIC_SCRIPT_MAX (1U << 20)   /* bytes of a file */

/* Host, journal and budget: the same ones for all scripts. */
struct metric_world {
	struct fl_host host;
	struct fl_journal *journal;
	uint64_t permille; /* of a CPU, for each */
};

struct metric {
	char *file; /* "process-ends.d" */
	char *name; /* in its metrics: "process_ends" */
	struct stat st;
	char *text; /* NULL: it is refused */
	size_t len;
	bool is_leaving; /* it was removed or changed, and ends */
	struct script script;
	bool traces;
	struct strbuf data; /* less than a document */
	struct strbuf told; /* less than a line */
	struct strbuf why;  /* the state that it told */
	struct strbuf document;
	struct fl_budget *budget;
	char *end; /* why it was told to end; or NULL */
	uint64_t nstarts;
	uint64_t began_ns;
	uint64_t due_ns;   /* when it is started next */
	uint64_t delay_ns; /* before that; grows */
	uint64_t look_ns;  /* when its cost is looked at next */
	uint64_t kill_ns;  /* it was told to end, and is killed then; 0 */
};

/*
 * A script of a directory.  It always exists: a file that cannot be trusted is
 * told in the journal, and never runs.
 */
struct metric *metric_create(const struct metric_world *w, const char *dir,
    const char *file, const struct stat *st);
void metric_destroy(struct metric *ms);
/* Does a process run it? */
bool metric_runs(const struct metric *ms);
/* Start it if it is due, read what it sent, and notice its end. */
void metric_work(struct metric *ms, const struct metric_world *w);
/* Tell it to end; `why` is its from now on, or NULL. */
void metric_stop(struct metric *ms, char *why);
void metric_tell(
    const struct metric *ms, const struct metric_world *w, const char *text);

/* metric_run.c: a script_body_f, whose argument is this. */
struct metric_job {
	const struct fl_host *host;
	const struct metric *script;
};
int metric_run(void *job);

#endif
