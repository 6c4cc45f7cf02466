/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_BPF_KERN_SHARED_H
#define EXEC_BPF_KERN_SHARED_H

/*
 * Layouts that the kernel side (kern.bpf.c, translated code) and the library
 * share.  All maps are arrays that the library may map into its memory.
 */
#include "exec/runtime/buf.h"

/*
 * Machine states per CPU: one firing can be interrupted by another (task,
 * softirq, timer interrupt, NMI), and in uprobes preempted.
 */
#define BX_NSLOTS 8
#define BX_NO_SLOT (~0ULL)

/* Clocks that threads have their share of (clock.c). */
enum bx_clock { BX_CLK_TIME, BX_CLK_CYCLES, BX_CLK_INSTRS, BX_NCLOCKS };

#define BX_NPERF 14U
#define BX_NDROPS 32		/* >= DT_DROP_MAX */

/*
 * What a CPU counts.  Written by programs on that CPU (atomically: interrupts
 * nest), read by the library at any time.
 */
struct bx_pcpu {
	exec_u64 slots;		/* bit n: machine state n is taken */
	exec_u64 last[BX_NCLOCKS];	/* the clock when current began to run,
				 * moved forward by what probes took */
	exec_u64 drops[BX_NDROPS];
	exec_u64 fired[BX_NPERF];	/* profile groups: firings */
	exec_u64 chill_start, chilled;	/* chill(): this interval and its sum */
	/* firings in parts: the thread that has machine state n, or 0, and when
	 * it came */
	exec_u64 chain_owner[BX_NSLOTS], chain_turn[BX_NSLOTS], chain_turns;
};

/*
 * Unwind tables of programs: where one is, and a mapping whose file has none
 * yet.  Files are found by their struct unw_file (unwind/rule.h).
 */
struct bx_unwtab {
	exec_u32 seg, first, count, pad; /* seg RT_SEG_UNREAD: cannot be had */
};
struct bx_unwmiss {
	exec_u64 pid, start;
};
#define BX_UNWIND_MEM 320	/* bytes of a machine state for the walk */

/*
 * A stack that led into a file without a table: what it takes to go on from
 * there in dtrace (unwind_finish.c).  In the stack's place in a record or key are the
 * frames that were found, and the number of this in the high half of the word
 * with the process id.
 *
 *	FREE --program--> BUSY --program--> FULL --dtrace--> FREE
 */
enum bx_rest_state { BX_REST_FREE, BX_REST_BUSY, BX_REST_FULL };
#define BX_NRESTS 256		/* that wait, a power of 2 */
#define BX_REST_STACK 16384	/* bytes of it, halves of which are two parts */
#define BX_RETURNS 64		/* MAX_URETPROBE_DEPTH */
#define BX_PAGE 4096
#define BX_REST_NONE 0xffffffffU /* there was no room */
#define BX_REST_IDS 0x7fffffffU
struct bx_rest {
	exec_u64 state;		/* enum bx_rest_state */
	exec_u64 id, time_ns, pid;
	exec_u64 pc, sp, bp, at, tramp; /* as in struct rt_walk */
	exec_u64 file[4];	/* struct unw_file of what pc is in */
	exec_u64 has_regs;	/* of the first frame only: */
	exec_u64 regs[21];	/* struct pt_regs */
	exec_u64 nreturns, returns[2 * BX_RETURNS];
	struct {		/* two pieces when a signal has its own stack: */
		exec_u64 at, len; /* of the first half, and the second */
	} parts[2];
	unsigned char stack[BX_REST_STACK];
};

/*
 * Helpers: what programs bring to name the frames of their stacks (helper.c,
 * helper.bpf.c).  Their code is DIF decoded, each file's a piece of one array;
 * an entry per process says which pieces it has, and where their files are.
 */
enum bx_hop { /* besides enum dif_op: arithmetic, comparisons, branches */
	BX_H_PRED = 128, /* the predicate's value is rd: go on at aux if it is
			  * 0, at imm if not */
	BX_H_VALUE,	 /* an action's value is rd: go on at aux */
	BX_H_END,	 /* of the file's helpers */
	BX_H_IMM,
	BX_H_BASED,   /* rd <- imm, from where the file is */
	BX_H_STR,     /* rd <- address of the string at imm */
	BX_H_ARG,     /* rd <- arg<aux> */
	BX_H_ARGN,    /* rd <- args[r2] */
	BX_H_VAR,     /* rd <- built-in variable aux */
	BX_H_LDLOCAL, /* variables: imm is where they are */
	BX_H_STLOCAL,
	BX_H_LDREF,
	BX_H_LDGLOBAL,
	BX_H_STGLOBAL,
	BX_H_LOAD,  /* aux: bytes, BX_H_SIGNED; own memory only */
	BX_H_ULOAD, /* the same of the process's */
	BX_H_STORE, /* aux: bytes */
	BX_H_PUSH,
	BX_H_POP,
	BX_H_FLUSH,
	BX_H_SETCOPY, /* COPYS is two: what to copy ... */
	BX_H_COPY,    /* ... and copying: aux is where on the stack that is */
	BX_H_COPYIN,  /* the same from the process */
	/* those that call functions of the runtime */
	BX_H_CALL, /* aux: subroutine */
	BX_H_ALLOCS,
	BX_H_SCMP,
	BX_H_STREF, /* aux: bytes */
	BX_H_STSTR,
};
#define BX_H_SIGNED 0x100
struct bx_hinsn {
	unsigned char op, r1, r2, rd;
	exec_u32 aux;
	exec_u64 imm;
};
#define BX_HSETS 4     /* files with helpers that a process may have */
#define BX_HGLOBALS 16 /* global variables of all of them, words */
struct bx_hproc {
	exec_u64 mm, exec_vm; /* what the process was; 0: not known */
	exec_u32 nsets, pad;
	exec_u32 first[BX_HSETS];
	exec_u64 base[BX_HSETS];
	exec_u64 globals[BX_HGLOBALS];
};
#define BX_HMEM 640	 /* bytes of a machine state that a run needs ... */
#define BX_HLOCALS 2048	 /* ... and that clause-local variables may have */
#define BX_HINSNS 65536	 /* of all files */
#define BX_HSTRS 65536	 /* bytes of all their strings */
#define BX_HSTEPS 131072 /* that one stack may take */

/* The time-stamp counter: cycles + (time - ns) * mult >> BX_TSC_SHIFT */
#define BX_TSC_SHIFT 28
struct bx_tsc {
	exec_u64 cycles, ns, mult;
};

/* The control page; its tail (generations, zeroes) is laid out at load. */
#define BX_LINKERS 64 /* a power of two */
struct bx_ctl {
	exec_u32 state;		/* EXEC_STATE_* */
	exec_u32 pad;
	exec_u64 wall_off;	/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	exec_u64 min_init;	/* INT64_MAX: a new min() */
	exec_u64 max_init;	/* INT64_MIN: a new max() */
	exec_u64 stub64;		/* where 64-bit calls come from (abi.c) */
	exec_u64 tsc_turn;	/* tsc[tsc_turn & 1] holds (tsc.c) */
	struct bx_tsc tsc[2];
	exec_u64 loads;		/* steps of dynamic linkers (load_barrier.c) ... */
	exec_u64 loads_seen;	/* ... and how many of them dtrace has seen */
	exec_u64 rests;		/* stacks that were to be copied */
	/* by process: its number, and what its linker reported last (load_barrier.c) */
	exec_u64 linkers[BX_LINKERS];
	/* then: u64 generation per aggregation, then zeroes */
};

#endif
