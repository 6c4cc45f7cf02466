/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PLANT_USDT_IS_ENABLED_H
#define EXEC_PLANT_USDT_IS_ENABLED_H

/*
 * Programs of other systems' dtrace -G ask whether a probe is enabled by an
 * instruction that says no.  Where the kernel cannot change that, the
 * instruction is changed in each process, for as long as the probe is traced:
 * for the kernel substrate, whose probes need nothing in processes otherwise.
 *
 * Not for several threads, and for that which grabbed the processes (see
 * inproc/enter.h).
 */
#include "base/err.h"
#include "inproc/inproc.h"
#include "provider/provider.h"

/* The body of a point that answers yes. */
extern const struct inproc_body pr_is_enabled_body;

struct pr_is_enabled;

struct pr_is_enabled *pr_is_enabled_create(struct refusals *refused);
/* Everybody is told no again. */
void pr_is_enabled_destroy(struct pr_is_enabled *i);
/* A probe is traced, about which programs ask. */
void pr_is_enabled_add(struct pr_is_enabled *i, const struct dt_probe *p);
/*
 * Tell the processes that there are now, besides those that know already.  0,
 * or -errno with *err: a program is not told, and why.
 */
CHECKED int pr_is_enabled_tell(struct pr_is_enabled *i, struct err *err);
/* dtrace lets a process go. */
void pr_is_enabled_let_go(struct pr_is_enabled *i, pid_t pid);

#endif
