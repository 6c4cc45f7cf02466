/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

/* Sets of CPUs as the kernel writes them: "0-3,8". */
#include <stdbool.h>

/* Text behind the list, such as '\n', is ignored. */
bool cpulist_has(const char *list, unsigned cpu);

/* True also if the kernel does not say. */
bool cpu_is_online(unsigned cpu);

#endif
