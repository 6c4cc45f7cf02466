/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_ZONE_HOST_H
#define EXEC_RUNTIME_RT_ZONE_HOST_H

#include <stdbool.h>

/* The rules of rt_zone.h for dtrace itself, on paths of control groups. */

/*
 * The name of the innermost container on the path (malloced), "global" if there
 * is none.  An id is cut to its first digits.
 */
char *rt_zone_of_path(const char *path);

/*
 * Is the last group on the path a container, by the name `arg`, or by an id
 * that begins with `arg`?
 */
bool rt_zone_is(const char *path, const char *arg);

#endif
