/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CORE_H
#define BASE_CORE_H

/*
 * A core file tells of the fault that ended a process: where the thread
 * was, and where it was to return to.
 *
 * The file belongs to the process's user, who can write anything into it: it is
 * read within bounds, and what is read is for messages only.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CORE_RETURNS 2

struct core_place {
	pid_t tid; /* of the thread */
	uint64_t ip, sp;
	/* The words on top of the stack, and behind the frame pointer: where the
	 * thread returns to, if it is at the begin of a function, or in one
	 * that keeps a frame. */
	uint64_t returns[CORE_RETURNS];
	size_t nreturns;
	char code[64]; /* the bytes from ip on, in hex; "": not in the file */
};

/*
 * The core file of a process that had the folder `cwd` and was ended by a
 * signal: a descriptor, or -errno.  -ENOTSUP: core_pattern(5) gives it to a
 * program, or has parts that are not known here.
 */
int core_open(pid_t pid, const char *cwd, int sig);
/* The same by the contents of the pattern; `uses_pid`: core_uses_pid. */
int core_open_by(
    const char *pattern, int uses_pid, pid_t pid, const char *cwd, int sig);
/* 0 or -errno; -ESRCH: it is another process's. */
int core_read(int fd, pid_t pid, struct core_place *out);

#endif
