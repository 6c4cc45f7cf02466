/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_METRICS_H
#define DTRACED_METRICS_H

/*
 * Scripts of /etc/dtrace/metrics.d that run all the time, and a port where
 * Prometheus reads their aggregations (setting `metrics`).
 *
 *	agent --> metrics process --> a child for each script
 *	                 ^ HTTP
 *
 * It is a process of its own, beside the one that NATS reaches: what a client
 * or a script does to it, the agent survives.  A configuration without a server
 * has this process alone.
 */
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "dtraced/metric.h"
#include "fleet/conf.h"
#include "libdtrace/listen.h"

struct metrics {
	struct fl_conf conf; /* borrowed */
	const char *dir;
	struct metric_world world;
	struct dt_listen *listen;
	int notify_fd;
	int watch;	   /* inotify's number of the directory; -1: none */
	uint64_t watch_ns; /* time of the next try to watch it */
	uint64_t look_ns;  /* time of the next look into it; 0: none is due */
	/* it was reported that the directory cannot be used */
	bool has_told_dir;
	int stats_fd; /* while scripts run: fl_budget_enable()'s; or -1 */
	VEC(struct metric *) scripts;
	VEC(char *) told; /* refused files that were reported */
};

/*
 * Serve until a signal asks this process to end (dtraced/ending.h).  0, or
 * -errno with *err: the settings are wrong, or nothing can listen there.
 */
CHECKED int metrics_serve(
    const struct fl_conf *conf, fl_journal_f *say, struct err *err);

/* The agent's side: it keeps the process running. */
struct metrics_keeper {
	const struct fl_conf *conf;
	fl_journal_f *say;
	pid_t pid; /* 0: the process does not run */
	uint64_t due_ns;
};
/* Start the process if it does not run, and settings ask for it. */
void metrics_keep(struct metrics_keeper *k);
/* End it, and wait for it. */
void metrics_end(struct metrics_keeper *k);

#endif
