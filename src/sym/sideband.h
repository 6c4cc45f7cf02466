/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_SIDEBAND_H
#define SYM_SIDEBAND_H

/*
 * What processes do to their address spaces, as the kernel tells it: a software
 * event of perf on each CPU that never counts, but has records of mappings,
 * execs, forks and ends (perf_event_open(2), PERF_RECORD_MMAP2 and others).
 *
 * It costs what the kernel writes: some 120 bytes for each executable mapping
 * and each fork.  So it is opened only for those who need it, and once for all
 * of them: they subscribe.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum sideband_kind {
	SIDEBAND_MMAP, /* an executable mapping came */
	SIDEBAND_EXEC, /* all of its mappings are gone */
	SIDEBAND_FORK, /* ppid has the child pid; not for threads */
	SIDEBAND_EXIT, /* its last thread has ended */
	SIDEBAND_LOST, /* of what happened, some is not known */
};

struct sideband_event {
	enum sideband_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	pid_t pid, ppid;
	/* SIDEBAND_MMAP */
	uint64_t start, len, off;
	uint64_t dev, ino, generation;
	const char *path; /* "//anon" has none; borrowed for the call */
};
typedef void sideband_f(void *arg, const struct sideband_event *ev);

struct sideband;

/* NULL with *msg (malloced). */
struct sideband *sideband_open(char **msg);
void sideband_close(struct sideband *sb);
/* Readable when it should be drained, for epoll. */
int sideband_fd(const struct sideband *sb);
void sideband_subscribe(struct sideband *sb, sideband_f *f, void *arg);
/* Tell the subscribers what has come, in the order of time. */
void sideband_drain(struct sideband *sb);
/* All that happened before that time has been told. */
uint64_t sideband_told(const struct sideband *sb);

#endif
