/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_LIST_H
#define DTRACED_LIST_H

#include "fleet/permit/permit.h"

/*
 * Write the probes of the programs, which end with NULL, that the policy
 * permits, as blocks (fleet/probes.h).  0, or -1 with a line on standard error.
 */
CHECKED int script_list(dtrace_hdl_t *h, struct fl_permit *permit,
    dtrace_prog_t *const *progs, int fd);

#endif
