/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of the list of probes (-l). */
#ifndef DTRACE_ROW_H
#define DTRACE_ROW_H

#include <stdio.h>

#include "base/str.h"
#include "libdtrace/dt.h"

/*
 * Print "%5u %10s %17s %33s %s\n" without printf(), which would take half of
 * the time of listing a hundred thousand probes.  `row` is room to be used
 * again.
 */
void row_print(struct strbuf *row, const struct dt_probe *p, FILE *out);

#endif
