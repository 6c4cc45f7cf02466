/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals that end tracing. */
#ifndef DTRACE_SIGNALS_H
#define DTRACE_SIGNALS_H

#include <stdint.h>

#include "libdtrace/dt.h"

/*
 * The first signal ends tracing of the handle in order, a later one ends dtrace
 * at once.
 */
void signals_catch(struct dt_hdl *dtp);
/* -t: end tracing in order after this time.  Returns 0 or -errno. */
int signals_end_after(uint64_t ns);
/*
 * Call f from the handler, before a later signal ends dtrace at once.  NULL: no
 * longer.
 */
void signals_before_death(void (*f)(void));
/* No signal interrupts the handle any more, which is to be closed. */
void signals_forget(void);
/* The number of the signal that came, or 0. */
int signals_seen(void);
/* End dtrace by that signal. */
void signals_end(void);
/*
 * Make writes to a pipe without reader fail, so that dtrace ends in order.  The
 * commands of -c and system() would inherit SIG_IGN.
 */
void signals_survive_sigpipe(void);

#endif
