/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PROCSTATUS_H
#define BASE_PROCSTATUS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Fields of /proc/PID/status (proc_pid_status(5)) of a process or a thread. */

/*
 * Copy the text behind `name` and its colon, cut to `len` bytes with the NUL.
 * False if the process or the field does not exist (errno ENOENT or ESRCH), or
 * with another errno if that cannot be found out.
 */
bool proc_status(pid_t pid, const char *name, char *buf, size_t len);

/* A field as a number; -1 (errno as above) if it does not exist. */
long proc_status_number(pid_t pid, const char *name);

/* Are this process's ids those of the first PID namespace, so the kernel's? */
bool proc_is_first_pidns(void);

/*
 * The path of a process's control group, from the root of the unified hierarchy
 * (malloced); NULL if the process has ended, or there is no such hierarchy.
 */
char *proc_cgroup(pid_t pid);

/*
 * Is the process in the control group of this path, from the root of the
 * unified hierarchy, or below it?
 */
bool proc_is_in_cgroup(pid_t pid, const char *group);

/* Does the errno of a file in /proc/PID say that the process has ended? */
static inline bool
proc_is_gone(int err)
{
	return err == ENOENT || err == ESRCH;
}

#endif
