/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

/* Sets of CPUs as the kernel writes them: "0-3,8". */
#include <stdbool.h>

/* What follows the list, such as a '\n', is not looked at. */
bool cpulist_has(const char *list, unsigned cpu);

/* True, too, when the kernel does not say. */
bool cpu_is_online(unsigned cpu);

#endif
