/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CPUWATCH_H
#define BASE_CPUWATCH_H

/*
 * CPUs that come and go.
 *
 * A perf event belongs to a CPU: it ends when the CPU goes offline, and does not
 * begin again when that comes back.  So who has one on each CPU must be told.
 */
#include <stdbool.h>

/* A file descriptor to poll, non-blocking; or -errno. */
int cpuwatch_open(void);

/*
 * The next CPU that has come (*is_online) or gone, in the order in which they
 * did.  False: none has since.  What was told while nobody read may be lost: then
 * no CPU is told either.
 */
bool cpuwatch_next(int fd, unsigned *cpu, bool *is_online);

#endif
