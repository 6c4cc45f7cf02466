/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_DROPS_H
#define EXEC_RUNTIME_DROPS_H

/*
 * Numbers that the runtime shares with whoever reads what it counts: dtrace,
 * the kernel's programs and the code in traced processes include this file.
 */

/*
 * What was lost; the numbers are those of doc/reference/records.md section 8.
 */
enum dt_drop {
	DT_DROP_PRINCIPAL = 0,
	DT_DROP_AGG = 1,
	DT_DROP_DYNAMIC = 2,
	DT_DROP_SPEC = 5, /* counted by the consumer */
	DT_DROP_SPECUNAVAIL = 7,
	DT_DROP_STKSTR = 8, /* no room for a name of a frame */
	DT_DROP_DBLERROR = 9,
	/* ours: */
	DT_DROP_SCRATCH = 10, /* no free machine state on the CPU */
	DT_DROP_SKIPPED = 11, /* the kernel skipped a nested firing */
	DT_DROP_MISSED = 12,  /* profile firings that came too late */
	DT_DROP_FILLED = 13,  /* 1 once a buffer is full (fill) */
	DT_DROP_HELPER = 14,  /* a helper of a process failed */
	DT_DROP_STACK = 15,   /* too little stack left in the thread */
	DT_DROP_UNWIND = 16,  /* no room for how to walk some stacks */
	DT_DROP_THREADS = 17, /* the thread found no room */
	DT_DROP_LOADS = 18,   /* code that was looked at too late */
	DT_DROP_CUT = 19,     /* the rest of a firing in several programs */
	DT_DROP_AGGMEM = 20,  /* a new key, no memory at hand for it */
	DT_DROP_MAX
};

/* What happens to a full buffer; doc/reference/records.md section 2. */
enum dt_bufpolicy { DT_BUF_RING = 0, DT_BUF_FILL = 1, DT_BUF_SWITCH = 2 };

#endif
