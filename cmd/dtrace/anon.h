/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_ANON_H
#define DTRACE_ANON_H

/*
 * Anonymous tracing: -A stores a program, a systemd unit starts it at boot
 * (--anonymous), and -a claims its output.
 */
#include <stdbool.h>
#include <stdio.h>

struct dt_hdl;

/*
 * Store the handle's programs for the next boot; without programs, remove the
 * stored one.  Returns 0, or -1 after a message.
 */
int anon_store(struct dt_hdl *h, bool has_programs);

/* The stored program (malloced). */
char *anon_program(void);
/* Open and lock the output of the anonymous tracing; NULL after a message. */
FILE *anon_open_output(void);

/*
 * Copy the anonymous tracing's output to `out` until it ends, or until
 * `wants_end`, which is called from time to time, has ended it; then remove the
 * output.  Returns 0, or -1 after a message.
 */
typedef bool anon_end_f(void *arg);
int anon_claim(FILE *out, anon_end_f *wants_end, void *arg);

#endif
