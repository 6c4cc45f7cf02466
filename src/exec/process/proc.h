/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_PROC_H
#define EXEC_PROCESS_PROC_H

/* The processes that probes are in. */
#include "base/err.h"
#include "exec/process/impl.h"
#include "exec/plant/plant.h"

/* arm.c: processes that come while tracing (descendants.c): a child of fork();
 * a process that has ended; one that executed a program, and is stopped. */
struct pr_proc *pr_proc_copy(struct pr_exec *x, const struct pr_proc *from,
    pid_t pid, struct inproc_proc *entered);
void pr_proc_drop(struct pr_exec *x, struct pr_proc *p);
void pr_proc_executed(struct pr_proc *p);
/* Plant its points.  0 with *err: all but those that *err names.  -errno with
 * *err: none. */
CHECKED int pr_proc_arm(struct pr_exec *x, struct pr_proc *p, struct err *err);
struct inproc_share pr_share(const struct pr_exec *x);

#endif
