/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_CPC_H
#define PROVIDER_CPC_H

/* The events that probes of cpc count. */
#include <linux/perf_event.h>

#include "base/err.h"
#include "provider/provider.h"

/*
 * Parse the event in a probe's name: EVENT-MODE-COUNT or
 * EVENT-MODE-MASK-COUNT.  0, or -EINVAL with *err.
 */
CHECKED int dt_cpc_parse(
    const char *name, struct perf_event_attr *attr, struct err *err);

/*
 * The name here of perf's event: cpu_cycles for cpu-cycles and cycles; NULL if
 * perf has no such event.  Names of caches' events are returned as they are.
 */
const char *dt_cpc_of_perf(const char *word);

/* A count for the event: `wanted`, or the least there is; 0: the usual one. */
uint64_t dt_cpc_count(const char *event, uint64_t wanted);

/* The event of a probe (DT_PROBE_COUNTER). */
static inline const struct perf_event_attr *
dt_cpc_event(const struct dt_probe *p)
{
	return p->data;
}

#endif
