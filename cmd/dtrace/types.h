/* SPDX-License-Identifier: BSD-2-Clause */
/* -T: types. */
#ifndef DTRACE_TYPES_H
#define DTRACE_TYPES_H

#include "dtrace/cmd.h"

/* Each returns an exit status. */
/* -lT */
int types_list(struct dtrace_cmd *c);
int types_show(struct dtrace_cmd *c);

#endif
