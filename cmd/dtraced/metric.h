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

/* Host, journal and budget, which all scripts share. */
struct metric_world {
	struct fl_host host;
	struct fl_journal *journal;
	uint64_t permille; /* budget of each script, in thousandths of a CPU */
};

struct metric {
	char *file; /* "process-ends.d" */
	char *name; /* in its metrics: "process_ends" */
	struct stat st;
	char *text; /* NULL: the script is refused */
	size_t len;
	bool is_leaving; /* its file was removed or changed; the script ends */
	struct script script;
	bool traces;
	struct strbuf data; /* the beginning of a document */
	struct strbuf told; /* its standard error: the beginning of a line */
	struct strbuf why;  /* what the script wrote to its state pipe */
	struct strbuf document;
	struct fl_budget *budget;
	char *end; /* why the script was told to end; or NULL */
	uint64_t nstarts;
	uint64_t began_ns;
	uint64_t due_ns;   /* time of the next start */
	uint64_t delay_ns; /* the wait before that start; grows */
	uint64_t look_ns;  /* time of the next look at its cost */
	/* time to kill a script that was told to end; or 0 */
	uint64_t kill_ns;
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
/* Tell the script to end; `why` is NULL or malloced, and is taken over. */
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
