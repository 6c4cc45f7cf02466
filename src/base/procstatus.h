/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PROCSTATUS_H
#define BASE_PROCSTATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Fields of /proc/PID/status (proc_pid_status(5)) of a process or a thread. */

/*
 * Copy the text behind `name` and its colon, cut to `len` bytes with the NUL;
 * false if the process or the field does not exist.
 */
bool proc_status(pid_t pid, const char *name, char *buf, size_t len);

/* A field as a number; -1 if it does not exist. */
long proc_status_number(pid_t pid, const char *name);

#endif
