/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that the output goes to: -o, -B. */
#ifndef DTRACE_OUTPUT_H
#define DTRACE_OUTPUT_H

#include "dtrace/cmd.h"

/* Returns GO_ON or an exit status. */
int output_open(struct dtrace_cmd *c);
/*
 * When all options are known: if the form of the output is a folder, make it,
 * or take one that is empty.  Returns GO_ON or an exit status.
 */
int output_make_folder(const struct dtrace_cmd *c);
/* Has the pipe's reader ended (| head)? This is no error, and not reported. */
bool output_is_unread(const struct dtrace_cmd *c);
/* Returns the exit status: `status`, if all was written. */
int output_close(struct dtrace_cmd *c, int status);

#endif
