/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments: what they say, and whether they go together. */
#ifndef DTRACE_ARGS_H
#define DTRACE_ARGS_H

#include "dtrace/cmd.h"

/* Returns GO_ON or an exit status. */
int args_parse(struct dtrace_cmd *c, int argc, char **argv);
/*
 * A script may stand first among the operands, without -s.  -h and -G have
 * objects there, and -l has nothing.
 */
void args_take_script(struct dtrace_cmd *c);
/* Does an argument set the option, as -x NAME=... or a long option? */
bool args_sets(const struct dtrace_cmd *c, const char *name);
/* Are the options compatible? Returns GO_ON or an exit status. */
int args_check(struct dtrace_cmd *c);
/* -r with programs or -l: they ask the recording. */
bool args_is_query(const struct dtrace_cmd *c);
/* Treat option grabanon, however it was set, as -a. */
int args_take_grabanon(struct dtrace_cmd *c);
/* Options that do not go together. */
int args_refuse(const char *why);

#endif
