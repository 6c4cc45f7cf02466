/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_NAMED_H
#define DTRACE_NAMED_H

/*
 * The ids of the processes that run a program of that name, as "123, 124"
 * (malloced), or NULL if there is none: what /proc says, which a process may
 * write itself.  Of many, the first few and how many more there are.
 */
char *pids_named(const char *name);

#endif
