/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_MERGER_H
#define DTRACED_MERGER_H

/* A merger (dtraced --merge): it folds what hosts send into one recording. */
#include "base/idmap.h"
#include "dtraced/agent.h"
#include "libdtrace/merging.h"

struct merged_host {
	char *name;
	struct merged_host *older; /* another name with this hash; NULL */
	struct fl_stream stream;
	struct strbuf start; /* until its recording is open */
	int number;	     /* in the merge; -1: not yet */
	uint64_t next; /* parts before it are in whole blocks that were taken */
	uint64_t ndamaged;
	bool is_left;	 /* the console reads it, or loses it */
	bool is_changed; /* since it was accounted for */
};

/* A run whose data come here. */
struct merged_run {
	char id[FL_RUN_TEXT];
	char *subject; /* to the console */
	struct fl_request *request;
	struct dt_merging *data; /* NULL: it has failed */
	VEC(struct merged_host *) hosts;
	struct idmap named; /* hash of a name: index of the newest host */
	uint64_t began_ns, until_ns;
	uint64_t beat_ns; /* when the console was heard last */
	uint64_t cut_ns;  /* when the server was away last; 0 */
	uint64_t give_ns; /* when the console gets the next turn */
	uint64_t nparts, naccounts;
	bool has_begun;	  /* a host has */
	bool is_stopping; /* the console waits for the last data */
	const char *end;  /* why it is over; NULL: it is not */
};

struct merger {
	struct fl_conf conf;
	char *name;
	struct fl_policy *policy;
	struct uplink uplink;
	struct fl_journal *journal;
	bool is_verbose; /* set before opening */
	VEC(struct merged_run *) runs;
};

/* 0, or -errno with *err. */
CHECKED int merger_open(struct merger *m, const char *conf, struct err *err);
/* Wait for work at most so long, and do it: 0, or -errno with *err. */
CHECKED int merger_work(struct merger *m, int timeout_ms, struct err *err);
void merger_close(struct merger *m);

/* merger_run.c: the request is the run's from now on. */
struct merged_run *merged_run_create(
    const struct merger *m, struct fl_request *rq);
void merged_run_destroy(struct merged_run *r);
/* A letter of a host. */
void merged_run_take(
    struct merged_run *r, const char *host, const struct fl_msg *msg);
/* Look at the times, and send what is due; false: the run is over. */
bool merged_run_look(struct merged_run *r, struct fl_bus *bus);
void merged_run_journal(const struct merged_run *r, struct fl_journal *j);

#endif
