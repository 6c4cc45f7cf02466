/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_SIDEBAND_H
#define SYM_SIDEBAND_H

/*
 * Changes of processes' address spaces, from the kernel: a perf software event
 * on each CPU that never counts, but yields records of mappings, execs, forks
 * and exits (perf_event_open(2), PERF_RECORD_MMAP2 and others).
 *
 * The kernel writes some 120 bytes for each executable mapping and each fork.
 * So the events are opened only if a subscriber needs them, and once for all
 * subscribers.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum sideband_kind {
	SIDEBAND_MMAP, /* a new executable mapping */
	SIDEBAND_EXEC, /* exec: all its mappings are gone */
	SIDEBAND_FORK, /* ppid forked the child pid; not for threads */
	SIDEBAND_EXIT, /* its last thread has ended */
	SIDEBAND_LOST, /* some events are lost */
};

struct sideband_event {
	enum sideband_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	pid_t pid, ppid;
	/* SIDEBAND_MMAP */
	uint64_t start, len, off;
	uint64_t dev, ino, generation;
	const char *path; /* "//anon": no file; borrowed for the call */
};
typedef void sideband_f(void *arg, const struct sideband_event *ev);

struct sideband;

/* Returns NULL with *err on errors. */
CHECKED struct sideband *sideband_open(struct err *err);
void sideband_close(struct sideband *sb);
/* For epoll: readable when the sideband should be drained. */
int sideband_fd(const struct sideband *sb);
void sideband_subscribe(struct sideband *sb, sideband_f *f, void *arg);
/* Pass new events to the subscribers, in the order of time. */
void sideband_drain(struct sideband *sb);
/* All events before the returned time have been passed on. */
uint64_t sideband_told(const struct sideband *sb);

#endif
