/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PFM_LIB_H
#define PROVIDER_PFM_LIB_H

/*
 * libpfm, which knows the events of processors by the names that their manuals
 * have: loaded when a name is wanted that is not the kernel's.
 */
#include <stdint.h>

/* What a struct perf_event_attr says of an event; libpfm has one of its own,
 * which cannot be had together with the kernel's. */
struct dt_pfm_event {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* 0, or -1 with *msg (malloced). */
int dt_pfm_find(const char *name, struct dt_pfm_event *event, char **msg);

#endif
