/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PFM_LIB_H
#define PROVIDER_PFM_LIB_H

/*
 * libpfm knows the events of processors by the names in their manuals.  It is
 * loaded when a probe's name is no event of the kernel.
 */
#include <stdint.h>

#include "base/err.h"

/* The members of struct perf_event_attr that describe an event.  libpfm defines
 * that struct too, so a file can include only one of the two headers. */
struct dt_pfm_event {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* 0, or -errno with *err. */
CHECKED int dt_pfm_find(
    const char *name, struct dt_pfm_event *event, struct err *err);

#endif
