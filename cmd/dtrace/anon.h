/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_ANON_H
#define DTRACE_ANON_H

/*
 * Anonymous tracing: a program is stored (-A), started at boot by a unit of
 * systemd (--anonymous), and its output claimed by whoever comes (-a).
 */
#include <stdbool.h>
#include <stdio.h>

struct dt_hdl;

/*
 * Store the handle's programs for the next boot, or, without programs, remove
 * what is stored. 0, or -1 after a message.
 */
int anon_store(struct dt_hdl *h, bool has_programs);

/* The stored program (malloced). */
char *anon_program(void);
/* Where the anonymous tracing prints, and the lock that says so; NULL after a
 * message. */
FILE *anon_open_output(void);

/*
 * Print to `out` what the anonymous tracing has printed and prints, until it
 * ends or `wants_end` (asked now and then) has said so; then forget it. 0, or
 * -1 after a message.
 */
typedef bool anon_end_f(void *arg);
int anon_claim(FILE *out, anon_end_f *wants_end, void *arg);

#endif
