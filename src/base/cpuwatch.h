/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CPUWATCH_H
#define BASE_CPUWATCH_H

/*
 * CPUs that come and go.
 *
 * A perf event belongs to a CPU: it ends when the CPU goes offline, and does
 * not begin again when the CPU comes back.  So the owner of an event on each
 * CPU must be told.
 */
#include <stdbool.h>

/* Returns a file descriptor to poll, non-blocking, or -errno. */
int cpuwatch_open(void);

/*
 * The next CPU that came (*is_online) or went, in the kernel's order.  False:
 * none since.  Messages may be lost if they are not read in time; their CPUs
 * are then not reported.
 */
bool cpuwatch_next(int fd, unsigned *cpu, bool *is_online);

#endif
