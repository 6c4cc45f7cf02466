/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_BPF_KERN_SHARED_H
#define EXEC_BPF_KERN_SHARED_H

/*
 * Layouts shared by the kernel side (kern.bpf.c, translated code) and the
 * library.  All maps are arrays that the library may map into its memory.
 */
#include "exec/runtime/buf.h"

/* Machine states per CPU: one firing can interrupt another (task, softirq,
 * timer interrupt, NMI), and in uprobes preempt it. */
#define BX_NSLOTS 8
#define BX_NO_SLOT (~0ULL)

/* Clocks that exist per thread (clock.c). */
enum bx_clock { BX_CLK_TIME, BX_CLK_CYCLES, BX_CLK_INSTRS, BX_NCLOCKS };

#define BX_NPERF 14U
#define BX_NDROPS 32 /* >= DT_DROP_MAX */

/* Counters of a CPU.  Programs on that CPU write them (atomically: interrupts
 * nest); the library reads them at any time. */
struct bx_pcpu {
	exec_u64 slots;		   /* bit n: machine state n is taken */
	exec_u64 last[BX_NCLOCKS]; /* clock when `current` began to run,
					 * moved forward by the cost of
					 * probes */
	exec_u64 drops[BX_NDROPS];
	exec_u64 fired[BX_NPERF];      /* profile groups: firings */
	exec_u64 chill_start, chilled; /* chill(): this interval and its sum */
	/* firings in parts: the thread that owns machine state n, or 0, and the
	 * turn when it claimed that */
	exec_u64 chain_owner[BX_NSLOTS], chain_turn[BX_NSLOTS], chain_turns;
};

/* Unwind tables of programs: the place of one, and a mapping whose file has
 * none yet.  Files are found by their struct unw_file (unwind/rule.h). */
struct bx_unwtab {
	exec_u32 seg, first, count, pad; /* seg RT_SEG_UNREAD: not available */
};
struct bx_unwmiss {
	exec_u64 pid, start;
};
#define BX_UNWIND_MEM 320 /* bytes of a machine state for the walk */

/*
 * A stack that led into a file without a table, with the data that dtrace needs
 * to walk on (unwind_finish.c).  The record or key holds the frames that were
 * found, and the number of this copy in the high half of the word with the
 * process id.
 *
 *	FREE --program--> BUSY --program--> FULL --dtrace--> FREE
 */
enum bx_unfinished_state {
	BX_UNFINISHED_FREE,
	BX_UNFINISHED_BUSY,
	BX_UNFINISHED_FULL
};
#define BX_NUNFINISHED 256 /* copies that can wait, a power of 2 */
#define BX_STACK_COPY                                                          \
	16384	      /* bytes of the stack; each of two parts gets a
				 * half */
#define BX_RETURNS 64 /* MAX_URETPROBE_DEPTH */
#define BX_PAGE 4096
#define BX_UNFINISHED_NONE 0xffffffffU /* no copy was free */
#define BX_UNFINISHED_IDS 0x7fffffffU
struct bx_unfinished {
	exec_u64 state; /* enum bx_unfinished_state */
	exec_u64 id, time_ns, pid;
	exec_u64 pc, sp, bp, at, tramp; /* as in struct rt_walk */
	exec_u64 file[4];		/* struct unw_file of the file at pc */
	exec_u64 has_regs; /* is `regs` valid?  only for the first frame */
	exec_u64 regs[21]; /* struct pt_regs */
	exec_u64 nreturns, returns[2 * BX_RETURNS];
	struct { /* second part: the stack that a signal handler
				 * with its own stack interrupted */
		exec_u64 at, len; /* the first fills the first half, the second
				   * the second */
	} parts[2];
	unsigned char stack[BX_STACK_COPY];
};

/*
 * Helpers: programs of a process that name the frames of its stacks (helper.c,
 * helper.bpf.c).  Their code is decoded DIF.  Each file's code is a piece of
 * one array; an entry per process tells its pieces and the addresses of their
 * files.
 */
enum bx_hop {		 /* in addition to enum dif_op: arithmetic, comparisons,
	       * branches */
	BX_H_PRED = 128, /* rd is the predicate's value: go on at aux if it is
			  * 0, at imm if not */
	BX_H_VALUE,	 /* rd is an action's value: go on at aux */
	BX_H_END,	 /* end of the file's helpers */
	BX_H_IMM,
	BX_H_BASED,   /* rd <- imm + address of the file */
	BX_H_STR,     /* rd <- address of the string at imm */
	BX_H_ARG,     /* rd <- arg<aux> */
	BX_H_ARGN,    /* rd <- args[r2] */
	BX_H_VAR,     /* rd <- built-in variable aux */
	BX_H_LDLOCAL, /* variables, at offset imm */
	BX_H_STLOCAL,
	BX_H_LDREF,
	BX_H_LDGLOBAL,
	BX_H_STGLOBAL,
	BX_H_LOAD,  /* aux: bytes, BX_H_SIGNED; own memory only */
	BX_H_ULOAD, /* likewise, the process's memory */
	BX_H_STORE, /* aux: bytes */
	BX_H_PUSH,
	BX_H_POP,
	BX_H_FLUSH,
	BX_H_SETCOPY, /* first half of COPYS: sets the operands */
	BX_H_COPY,    /* second half: copies; aux: their place in `stack` */
	BX_H_COPYIN,  /* likewise, from the process */
	/* the following call functions of the runtime */
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
#define BX_HSETS 4     /* files with helpers per process */
#define BX_HGLOBALS 16 /* words for global variables of a process's files */
struct bx_hproc {
	exec_u64 mm, exec_vm; /* identity of the process; 0: not known */
	exec_u32 nsets, pad;
	exec_u32 first[BX_HSETS];
	exec_u64 base[BX_HSETS];
	exec_u64 globals[BX_HGLOBALS];
};
#define BX_HMEM 640	 /* bytes of a machine state for a run */
#define BX_HLOCALS 2048	 /* bytes for clause-local variables */
#define BX_HINSNS 65536	 /* in all files */
#define BX_HSTRS 65536	 /* bytes of all strings */
#define BX_HSTEPS 131072 /* per stack */

/* The time-stamp counter: cycles + (time - ns) * mult >> BX_TSC_SHIFT */
#define BX_TSC_SHIFT 28
struct bx_tsc {
	exec_u64 cycles, ns, mult;
};

/* The control page.  Its tail (generations, zeroes) is laid out at load. */
#define BX_LINKERS 64 /* a power of two */
struct bx_ctl {
	exec_u32 state; /* EXEC_STATE_* */
	exec_u32 pad;
	exec_u64 wall_off; /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	exec_u64 min_init; /* INT64_MAX: a new min() */
	exec_u64 max_init; /* INT64_MIN: a new max() */
	exec_u64 stub64;   /* return address of 64-bit calls
					 * (abi.c) */
	exec_u64 tsc_turn; /* tsc[tsc_turn & 1] is valid (counters.c) */
	struct bx_tsc tsc[2];
	exec_u64 loads;	     /* linkers' steps (load_barrier.c) */
	exec_u64 loads_seen; /* value of `loads` that dtrace has handled */
	exec_u64 unfinished; /* copies of stacks that were requested */
	/* option follow: descendants so far, and those that found no room */
	exec_u64 followed, not_followed;
	/* per process: its number, and its linker's last report
	 * (load_barrier.c) */
	exec_u64 linkers[BX_LINKERS];
	/* behind it: u64 generation per aggregation, then zeroes */
};

#endif
