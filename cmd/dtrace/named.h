/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_NAMED_H
#define DTRACE_NAMED_H

/*
 * The ids of the processes that run a program of that name, as "123, 124"
 * (malloced), or NULL if there is none.  Of many, the first few, and the number
 * of the others.  The names come from /proc: a process may choose its own.
 */
char *named_pids(const char *name);

#endif
