/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PROCSTATUS_H
#define BASE_PROCSTATUS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Fields of /proc/PID/status (proc_pid_status(5)), of a process or a thread. */

/* The text behind `name` and its colon, cut to `len` bytes with the 0; false if
 * the process or the field is not there, or with another errno than ENOENT and
 * ESRCH if that cannot be found out. */
bool proc_status(pid_t pid, const char *name, char *buf, size_t len);

/* A field as a number; -1 (errno as above) if it is not there. */
long proc_status_number(pid_t pid, const char *name);

/* Of the errno of a file in /proc/PID: is the process gone? */
static inline bool
proc_is_gone(int err)
{
	return err == ENOENT || err == ESRCH;
}

#endif
