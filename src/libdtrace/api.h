/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_API_H
#define LIBDTRACE_API_H

/*
 * The published API on a handle of dt.h, for a command that has opened one.
 *
 * The result is made before dt_go(), and has the handlers of the run.
 * dtrace_close() frees it and leaves `dt` open, which must not trace any more.
 */
#include "dtrace.h"
#include "libdtrace/dt.h"

dtrace_hdl_t *api_guest(struct dt_hdl *dt);

#endif
