/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_EMIT_FAST_IMPL_H
#define EXEC_PROCESS_EMIT_FAST_IMPL_H

/* Parts of fast.c: the steps of a firing that are inline. */
#include "exec/process/emit/compile.h"

/* Registers that hold no argument of a function. */
#define T1 X_R10
#define T2 X_R11

#define TEMPS (1U << X_RAX | 1U << X_RCX | 1U << X_RDX | 1U << T1 | 1U << T2)

#define THREAD_AT(reg, member) X_AT(reg, offsetof(struct pr_thread, member))

/* May steps of this body be inline? */
bool pr_is_fast(const struct pr_tr *t);

/*
 * %rbx <- the struct pr_thread of the calling thread.  The code changes %r10
 * and %r11.
 */
void pr_find_thread(struct pr_tr *t, x_label slow);

/* ---- fast_slow.c: the functions that do all of a step -------------------- */

enum slow {
	SLOW_COUNT,  /* all of the firing */
	SLOW_ENTER,  /* %eax: the probe; no level: quit */
	SLOW_TIME,   /* %rax <- time */
	SLOW_BUCKET, /* %rax: value; <- bucket */
	SLOW_KEY,    /* %rax <- where its value is; none: quit */
	SLOW_RECORD, /* all of it */
	SLOW_WAKE,
	SLOW_COPY,  /* %rsi: what; %rax <- where it is */
	SLOW_FAULT, /* %eax: its offset */
};

/* Note a slow path, with labels of its code and of the places it goes on at. */
struct pr_slow *pr_slow_path(struct pr_tr *t, enum slow kind);

#endif
