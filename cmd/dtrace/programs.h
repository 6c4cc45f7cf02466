/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of the command line: -P -m -f -n -i -s. */
#ifndef DTRACE_PROGRAMS_H
#define DTRACE_PROGRAMS_H

#include "dtrace/cmd.h"

void programs_add(
    struct dtrace_cmd *c, bool is_file, enum lang_pspec spec, const char *arg);
/* Each returns GO_ON or an exit status. */
int programs_compile(struct dtrace_cmd *c);
int programs_report(struct dtrace_cmd *c);
int programs_enable(struct dtrace_cmd *c);

#endif
