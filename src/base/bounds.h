/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_BOUNDS_H
#define BASE_BOUNDS_H

/*
 * What ends a long piece of work early.
 *
 * A thread that works for a handle watches the handle's flag, which a signal
 * handler sets (dt_interrupt()).  Long loops poll it and leave; whoever called
 * them sees that work has stopped, undoes it, and returns -EINTR.  What such a
 * loop leaves behind is well formed but not complete, and is not kept.
 *
 * A thread that watches nothing is never stopped: tracing that is being ended
 * needs symbols too.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef const volatile sig_atomic_t bounds_flag;

/* Watch a flag (NULL: none) from now on.  Returns the one watched before, for
 * the caller to put back. */
bounds_flag *bounds_watch(bounds_flag *flag);
/* Is the flag set that this thread watches? */
bool bounds_is_stopped(void);
#define BOUNDS_STOPPED "interrupted"

/* For loops of short steps: `n` counts them, and some are looked at. */
#define BOUNDS_STEPS 4096
#define BOUNDS_POLL(n) (++(n) % BOUNDS_STEPS == 0 && bounds_is_stopped())

#endif
