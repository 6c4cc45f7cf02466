/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_CHECK_H
#define LIBDTRACE_CHECK_H

/*
 * dtrace --check: what this machine lets this user trace, and why not the rest.
 */
#include <stdio.h>

#include "libdtrace/dt.h"

/*
 * Set the user's options.  Returns 0, or another status, which ends the check.
 */
typedef int dt_check_setup_f(struct dt_hdl *h, void *arg);

enum dt_check {
	DT_CHECK_ALL = 0,     /* everything works that Linux can have */
	DT_CHECK_LACKING = 1, /* something does not */
	DT_CHECK_UNKNOWN = 2, /* *wrong is no name of a check */
};
/*
 * Try the checks of these names (n 0: all of them) and print their results, as
 * JSON with option oformat=json.  Each trial has a handle of its own; it traces
 * for a moment, and prints no data.  Names and options are those of h; `setup`
 * prepares it, too, and it must not be used for tracing.
 *
 * Returns an enum dt_check, or what setup() returned if that is not 0.
 */
int dt_check(struct dt_hdl *h, char *const *names, size_t n,
    dt_check_setup_f *setup, void *arg, FILE *out, const char **wrong);

#endif
