/* SPDX-License-Identifier: BSD-2-Clause */
/* -l: the probes. */
#ifndef DTRACE_LIST_H
#define DTRACE_LIST_H

#include "dtrace/cmd.h"

/* Returns an exit status. */
int list_probes(struct dtrace_cmd *c);

#endif
