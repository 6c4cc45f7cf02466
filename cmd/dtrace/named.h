/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_NAMED_H
#define DTRACE_NAMED_H

#include <sys/types.h>

#include "base/vec.h"

struct named_pids {
	VEC(pid_t) pids; /* VEC_FREE() */
};

/*
 * Find the processes of that name, but dtrace itself: by the kernel's name of
 * the process, by its file or by its first argument.  All three come from
 * /proc, and a process may choose the first and the last.
 */
void named_find(const char *name, struct named_pids *found);

#endif
