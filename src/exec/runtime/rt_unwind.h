/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_UNWIND_H
#define EXEC_RUNTIME_RT_UNWIND_H

/*
 * Walking the user stack of the current thread: declarations shared by
 * rt_unwind.c, which goes from frame to frame, and the substrates, which know
 * the mappings.
 */
#include "exec/runtime/rt_code.h"
#include "unwind/rule.h"

/* The RT_LOOP variables of a walk. */
struct rt_walk {
	u64 slot;
	u64 pc, sp, bp;	  /* of the frame */
	u64 at;		  /* address whose rule is used: pc, or the call
			   * before it */
	u64 out, out_end; /* offsets in mem: place of the next pc */
	u64 fps;	  /* offset in mem of the next frame pointer; or 0 */
	u64 regs;	  /* address of the first frame's struct pt_regs */
	u64 ret_above;	  /* from its sp to its return address, or RT_NONE */
	/* The mapping of `at`: valid while at - map_start < map_len. */
	u64 map_start, map_len, map_off;
	u64 seg, first, count; /* its table: rows of a segment; count 0: no
			        * table */
	u64 node;	       /* of the tree of mappings, or of a list */
	u64 tramp;	       /* return address of uretprobes; 0: none */
	u64 cut;	       /* RT_CUT: the walk cannot continue here */
};
#define RT_SEG_UNREAD 0xffffffffU /* seg: the file's table has not been read */

/*
 * Find the mapping of code that contains `at`, and its table; sets map_* and
 * the members after them. 0: there is none.
 */
RT_PUBLIC u64 rt_unw_map(u64 slot);
RT_PUBLIC u64 rt_unw_rule(u64 slot);
/* The return address of a frame on whose stack w->tramp stands. */
RT_PUBLIC u64 rt_unw_return(u64 slot);
/* Walk one frame, with the variables set; 1: it was the last. */
RT_PUBLIC u64 rt_unw_step(u64 slot);

/* User memory, or its copy if there is one. */
#ifdef __bpf__
#define rt_unw_peek(ms, v, addr) rt_upeek(ms, v, sizeof(*(v)), addr)
#else
long rt_unw_peek(struct rt_mstate *ms, u64 *v, u64 addr);
#endif

#endif
