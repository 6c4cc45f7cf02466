/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PLANT_USDT_IS_ENABLED_H
#define EXEC_PLANT_USDT_IS_ENABLED_H

/*
 * Programs of other systems' dtrace -G ask whether a probe is enabled by an
 * instruction that says no.  On some kernels uprobes cannot change the answer.
 * There the kernel substrate writes a jump over the instruction in each
 * process, for as long as the probe is traced.
 *
 * One thread only may call these functions: the thread that grabbed the
 * processes (see inproc/enter.h).
 */
#include "base/err.h"
#include "inproc/inproc.h"
#include "provider/provider.h"

/* The body of a point that answers yes. */
extern const struct inproc_body pr_is_enabled_body;

struct pr_is_enabled;

struct dt_exec;
/* struct dt_exec_ops.root_of */
typedef pid_t pr_root_of_f(const struct dt_exec *x, pid_t pid);

struct pr_is_enabled *pr_is_enabled_create(
    struct refusals *refused, pr_root_of_f *root_of, const struct dt_exec *x);
/* Let all programs read no again. */
void pr_is_enabled_destroy(struct pr_is_enabled *i);
/* Add a traced probe that has sites which ask for it. */
void pr_is_enabled_add(struct pr_is_enabled *i, const struct dt_probe *p);
/*
 * Let the sites of all current processes read yes.  Returns 0, or -errno with
 * *err: a program cannot be told.
 */
CHECKED int pr_is_enabled_tell(struct pr_is_enabled *i, struct err *err);
/* Forget a process that dtrace lets go. */
void pr_is_enabled_let_go(struct pr_is_enabled *i, pid_t pid);

#endif
