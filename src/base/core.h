/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CORE_H
#define BASE_CORE_H

/*
 * Read from a core file where the thread was whose fault ended the process, and
 * where it would have returned to.
 *
 * The process's user owns the file and can write anything into it: it is read
 * within bounds, and its contents are used in messages only.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CORE_RETURNS 2

struct core_place {
	pid_t tid; /* the thread that had the fault */
	uint64_t ip, sp;
	/* The words on top of the stack and behind the frame pointer: the
	 * return address, if the thread is at the beginning of a function, or
	 * in one that keeps a frame. */
	uint64_t returns[CORE_RETURNS];
	size_t nreturns;
	char code[64]; /* the bytes from ip on, in hex; "": not in the file */
};

/*
 * Open the core file of a process that had the folder `cwd` and was ended by a
 * signal.  Returns a descriptor, or -errno.  -ENOTSUP: core_pattern(5) names a
 * program, or has specifiers that are not known here.
 */
int core_open(pid_t pid, const char *cwd, int sig);
/* core_open() with a given pattern; `uses_pid` is core_uses_pid. */
int core_open_by(
    const char *pattern, int uses_pid, pid_t pid, const char *cwd, int sig);
/* Returns 0 or -errno; -ESRCH: the core is of another process. */
int core_read(int fd, pid_t pid, struct core_place *out);

#endif
