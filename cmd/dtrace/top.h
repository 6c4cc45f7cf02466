/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_TOP_H
#define DTRACE_TOP_H

/* --top: the aggregations of the programs as a live view of the terminal. */
#include "dtrace/cmd.h"

/*
 * Before processes are created: check the terminal, and take the output of
 * commands away from it.  Returns GO_ON or an exit status.
 */
int top_prepare(struct dtrace_cmd *c);
/* Before dt_go(). */
int top_open(struct dtrace_cmd *c);
/* After dt_go(): show the view until tracing ends. */
int top_run(struct dtrace_cmd *c);
void top_close(struct dtrace_cmd *c);

#endif
