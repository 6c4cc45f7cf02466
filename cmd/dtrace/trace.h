/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracing: from the first probe to the end. */
#ifndef DTRACE_TRACE_H
#define DTRACE_TRACE_H

#include "dtrace/cmd.h"

/* Returns an exit status. */
int trace_run(struct dtrace_cmd *c);

#endif
