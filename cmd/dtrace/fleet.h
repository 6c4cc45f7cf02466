/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_FLEET_H
#define DTRACE_FLEET_H

#include "dtrace/cmd.h"

/* --fleet: have other hosts trace.  Returns an exit status. */
int fleet_run(struct dtrace_cmd *c);

#endif
