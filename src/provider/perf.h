/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PERF_H
#define PROVIDER_PERF_H

/* Perf events that run a program: clocks and counters. */
#include <stdint.h>

#include <linux/perf_event.h>

#include "provider/provider.h"

/*
 * Count the event on each CPU that is online, or only on the one that is asked
 * for, and run the program each attr->sample_period.  All are started once all
 * are open, so that they run in step.  As dt_provider_ops.arm().
 */
int dt_perf_arm(const struct dt_arming *a, struct perf_event_attr attr,
    struct dt_fds *fds, char **msg);

/* Can the event be counted, in this thread?  0 or -errno. */
int dt_perf_try(struct perf_event_attr attr);

/*
 * The event that the name of a probe says: EVENT-MODE-COUNT or
 * EVENT-MODE-MASK-COUNT.  0, or -EINVAL with *msg (malloced).
 */
int dt_cpc_parse(const char *name, struct perf_event_attr *attr, char **msg);

#endif
