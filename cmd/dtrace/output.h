/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that the output goes to: -o, -B. */
#ifndef DTRACE_OUTPUT_H
#define DTRACE_OUTPUT_H

#include "dtrace/cmd.h"

/* Returns GO_ON or an exit status. */
int output_open(struct dtrace_cmd *c);
/* Has the pipe's reader ended (| head)? This is no error, and not reported. */
bool output_is_unread(const struct dtrace_cmd *c);
/* Returns the exit status: `status`, if all was written. */
int output_close(struct dtrace_cmd *c, int status);

#endif
