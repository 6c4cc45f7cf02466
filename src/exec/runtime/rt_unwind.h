/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_UNWIND_H
#define EXEC_RUNTIME_RT_UNWIND_H

/*
 * Walking the user stack of the current thread: what rt_unwind.c, which goes
 * from frame to frame, and the substrates, which know what is mapped where,
 * share.
 */
#include "exec/runtime/rt_impl.h"
#include "unwind/rule.h"

/* The RT_LOOP variables of a walk. */
struct rt_walk {
	u64 slot;
	u64 pc, sp, bp;	  /* of the frame */
	u64 at;		  /* whose rule it goes by: pc, or the call before */
	u64 out, out_end; /* offsets in mem: where the next pc goes */
	u64 fps;	  /* ... where its frame pointer does; 0: nowhere */
	u64 regs;	  /* address of the first frame's struct pt_regs */
	u64 ret_above;	  /* from its sp to its return address, or RT_NONE */
	/* what `at` is in: valid while at - map_start < map_len */
	u64 map_start, map_len, map_off;
	u64 seg, first, count; /* its table: rows of a segment; count 0: none */
	u64 node;	       /* of the tree of mappings, or of a list */
	u64 tramp; /* where uretprobes make functions return to; 0: nowhere */
	u64 cut;   /* RT_CUT: the walk cannot go on here */
};
#define RT_SEG_UNREAD 0xffffffffU /* seg: the file's table is not there yet */

/*
 * Find the mapping of code that `at` is in, and its table; sets map_* and what
 * follows.  0: there is none.
 */
RT_PUBLIC u64 rt_unw_map(u64 slot);
RT_PUBLIC u64 rt_unw_rule(u64 slot);
/* Where the frame returns to for which the stack says w->tramp. */
RT_PUBLIC u64 rt_unw_return(u64 slot);
/* One frame of a walk whose variables are set; 1: it was the last. */
RT_PUBLIC u64 rt_unw_step(u64 slot);

/* User memory, or the copy that there is of it. */
#ifdef __bpf__
#define rt_unw_peek(ms, v, addr) rt_upeek(ms, v, sizeof(*(v)), addr)
#else
long rt_unw_peek(struct rt_mstate *ms, u64 *v, u64 addr);
#endif

#endif
