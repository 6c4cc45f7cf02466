/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_TRAMP_H
#define INPROC_TRAMP_H

/*
 * The code that a jump leads to: a window's bodies and instructions, and the
 * way back.  For patch.c.
 */
#include "base/str.h"
#include "inproc/inproc.h"
#include "inproc/module.h"

/*
 * A window of a text: its instructions up to `end`; both are offsets in the
 * text.
 */
struct ip_window {
	const struct ip_text *text;
	uint64_t bias;
	size_t start, end;
	/* the points in it, by address; pointers to the caller's */
	const struct inproc_point *const *points;
	size_t npoints;
	/* Go: addresses of ip_go_taker()'s code, for bodies and for silent
	 * ones; else 0 */
	uint64_t taker, silent_taker;
};

/*
 * Append the window's code for address `at`.  Returns NULL, or why an
 * instruction cannot be moved there.  Adds moves to the plan, unless it is
 * NULL.
 */
const char *ip_emit_window(const struct ip_window *w, uint64_t at,
    struct strbuf *code, struct inproc_plan *plan);

/*
 * gostack.c: points of Go.  ip_go_taker() emits the code that gives a thread
 * its first stack; ip_go_enter() to ip_go_close() surround a body;
 * ip_go_refusal() says why an instruction must stay in place, or NULL.
 */
void ip_go_taker(const struct inproc_stacks *st, struct strbuf *code);
size_t ip_go_enter(uint64_t taker, struct strbuf *code);
void ip_go_open(struct strbuf *code);
void ip_go_close(struct strbuf *code);
void ip_go_save_stack(struct strbuf *code);
void ip_go_leave(size_t skip, struct strbuf *code);
const char *ip_go_refusal(const struct ip_text *t, size_t off);

#endif
