/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_BPF_SHARED_H
#define EXEC_BPF_SHARED_H

/*
 * Layouts that the kernel side (kern.bpf.c, translated code) and the library
 * share.  All maps are arrays that the library may map into its memory.
 */
typedef unsigned long long bx_u64;
typedef unsigned int bx_u32;

/*
 * Machine states per CPU: one firing can be interrupted by another (task,
 * softirq, timer interrupt, NMI), and in uprobes preempted.
 */
#define BX_NSLOTS 8
#define BX_NO_SLOT (~0ULL)

#define BX_STATE_OFF 0		/* nothing fires but BEGIN */
#define BX_STATE_ACTIVE 1
#define BX_STATE_DRAINING 2	/* exit() ran: nothing fires but END */

/* Clocks that threads have their share of (clock.c). */
enum bx_clock { BX_CLK_TIME, BX_CLK_CYCLES, BX_CLK_INSTRS, BX_NCLOCKS };

#define BX_NPERF 14U
#define BX_NDROPS 16		/* >= DT_DROP_MAX */

/*
 * What a CPU counts.  Written by programs on that CPU (atomically: interrupts
 * nest), read by the library at any time.
 */
struct bx_pcpu {
	bx_u64 slots;		/* bit n: machine state n is taken */
	bx_u64 last[BX_NCLOCKS];	/* the clock when current began to run,
				 * moved forward by what probes took */
	bx_u64 drops[BX_NDROPS];
	bx_u64 fired[BX_NPERF];	/* profile groups: firings */
	bx_u64 chill_start, chilled;	/* chill(): this interval and its sum */
};

/*
 * Unwind tables of programs: where one is, and a mapping whose file has none
 * yet.  Files are found by their struct unw_file (unwind/rule.h).
 */
struct bx_unwtab {
	bx_u32 seg, first, count, pad;
};
struct bx_unwmiss {
	bx_u64 pid, start;
};
#define BX_UNWIND_MEM 320	/* bytes of a machine state for the walk */

/* The time-stamp counter: cycles + (time - ns) * mult >> BX_TSC_SHIFT */
#define BX_TSC_SHIFT 28
struct bx_tsc {
	bx_u64 cycles, ns, mult;
};

/* The control page; its tail (generations, zeroes) is laid out at load. */
struct bx_ctl {
	bx_u32 state;		/* BX_STATE_* */
	bx_u32 pad;
	bx_u64 wall_off;	/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	bx_u64 min_init;	/* INT64_MAX: a new min() */
	bx_u64 max_init;	/* INT64_MIN: a new max() */
	bx_u64 stub64;		/* where 64-bit calls come from (abi.c) */
	bx_u64 tsc_turn;	/* tsc[tsc_turn & 1] holds (tsc.c) */
	struct bx_tsc tsc[2];
	bx_u64 loads;		/* steps of dynamic linkers (hold.c) ... */
	bx_u64 loads_seen;	/* ... and how many of them dtrace has seen */
	/* then: u64 generation per aggregation, then zeroes */
};

/*
 * A CPU's principal buffer.
 *
 *	head ->  reserved by writers (positions only grow)
 *	tail ->  released by the reader
 *	data[pos & (size - 1)] ...  a record is contiguous: the array has room
 *				    for one record more behind `size`
 *
 * A writer reserves with compare-and-swap, fills, and writes the EPID last; the
 * reader sees 0 there until then and waits, since it leaves zeroes behind.
 *
 * With bufpolicy=ring nobody releases.  Each record is followed by a word, the
 * size of both together, so that the reader finds the records backwards from
 * head.  The word stands at its own position in the ring, also where the record
 * before it went on behind the end.
 */
#define BX_RING_WORD 8
struct bx_buf {
	bx_u64 head;
	bx_u64 pad0[7];
	bx_u64 tail;
	bx_u64 pad1[7];
	unsigned char data[];
};

/* Records that are not a clause's: the EPID field says which. */
#define BX_EPID_ERROR 0xffffffffU
struct bx_errrec {
	bx_u32 mark;		/* BX_EPID_ERROR */
	bx_u32 time_hi, time_lo;
	bx_u32 epid;
	bx_u32 action;
	bx_u32 fault;
	bx_u32 offset;		/* bytes in the DIF text, or -1 */
	bx_u32 pad;
	bx_u64 value;
};

#endif
