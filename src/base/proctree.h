/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PROCTREE_H
#define BASE_PROCTREE_H

#include <sys/types.h>

/*
 * Adds a process if it is new, and its parent has been added.  Returns true if
 * it was.
 */
typedef _Bool proc_descendant_f(void *arg, pid_t pid, pid_t parent);

/*
 * Find the descendants of processes: call f for all processes, again and again
 * until it adds none.  A process that is forked meanwhile may be found late,
 * but it is found unless its parent has ended before.  Returns 0, or -errno:
 * /proc cannot be read.
 */
int proc_descendants(proc_descendant_f *f, void *arg);

#endif
