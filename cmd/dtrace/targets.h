/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of -c and -p. */
#ifndef DTRACE_TARGETS_H
#define DTRACE_TARGETS_H

#include "dtrace/cmd.h"

/* Returns GO_ON or an exit status. */
int targets_open(struct dtrace_cmd *c);
/* Say which processes the names of -p are, unless -q is set. */
void targets_tell(struct dtrace_cmd *c);

#endif
