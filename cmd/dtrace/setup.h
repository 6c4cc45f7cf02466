/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the handle, from the command line. */
#ifndef DTRACE_SETUP_H
#define DTRACE_SETUP_H

#include "dtrace/cmd.h"

/* Each returns GO_ON or an exit status. */
int setup_handle(struct dtrace_cmd *c);
int setup_options(struct dtrace_cmd *c);

#endif
