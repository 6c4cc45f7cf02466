/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_SESSION_SESSION_H
#define EXEC_PROCESS_SESSION_SESSION_H

/* Parts of process.c. */
#include "base/err.h"
#include "exec/process/proc.h"

/* Fire one of dtrace's own probes, here and now. */
void pr_fire_own(const struct pr_exec *x, const struct pr_firing *f);

/* Call f for every probe that dtrace fires, until it does not return 0. */
typedef int pr_own_probe_f(struct pr_exec *x, struct pr_firing *p, void *arg);
int pr_each_own(struct pr_exec *x, pr_own_probe_f *f, void *arg);

/* A process that closed the gate, or wrote nonsense there, has damaged it. */
void pr_check_gate(struct pr_exec *x);

/* Plant, and tell the user which probes could not be planted. */
void pr_arm_more(struct pr_exec *x);

/* ---- waiting.c: dt_exec_ops.wait and watch ------------------------------- */

int pr_wait(struct dt_exec *e, uint64_t timeout_ns, int extra_fd);
int pr_watch(struct dt_exec *e, int epoll_fd);

/* ---- drops.c: dt_exec_ops.drops and lost --------------------------------- */

uint64_t pr_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu);
uint64_t pr_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu);

#endif
