/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the handle, on standard error. */
#ifndef DTRACE_MESSAGE_H
#define DTRACE_MESSAGE_H

#include "dtrace/cmd.h"

/* Report a failure of libdtrace: its message, or its diagnostics unchanged. */
int message_fail(struct dtrace_cmd *c);
/* Print the handle's message behind the action that failed. */
int message_fail_to(struct dtrace_cmd *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Is standard error a terminal that shows colours, and are they wanted
 * (https://no-color.org)?
 */
bool message_wants_color(void);
void message_notices(struct dtrace_cmd *c);

#endif
