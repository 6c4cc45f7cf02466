/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_PROCESS_INSIDE_AREA_H
#define EXEC_PROCESS_INSIDE_AREA_H

/*
 * The memory in which probes of processes run: one *region*, mapped in dtrace
 * and in every traced process, at any address.
 *
 *	code	read, execute	the runtime, bodies of probes; struct pr_conf,
 *				descriptions of probes, strings
 *	own	private		struct pr_own, and of each thread: struct
 *				pr_thread, its variables and machine states
 *	data	shared		struct pr_head, globals, arrays, and of each
 *				thread: struct pr_shared, aggregations without
 *				keys; its *room*: records, other aggregations
 *	shared	shared		with substrate both: variables that the kernel
 *				reaches, too (exec/shared.h)
 *
 * Addresses, and all that decides which memory is written, are in `own`, which
 * no other process sees, or in `code`, which is read-only.  No reader trusts
 * `data`: another process may have written it.  A child of fork() finds `own`
 * full of zeroes (MADV_WIPEONFORK), so no probe fires in it.  Only the *seed*
 * at the end of `own` survives; where descendants are traced, the child makes
 * its own part from that (fork.c).
 *
 * Threads.  Each thread that reaches a probe gets a number until it ends; the
 * number says where its parts are.  So one instruction that reads, changes and
 * writes back is safe without a lock prefix: only the thread and its signal
 * handlers change that word.  Firings of one thread nest (a signal handler
 * interrupts a probe); each has its own machine state, a *level*.
 *
 * Addresses are scarce: a process may be limited (ulimit -v), and a region is
 * mapped in each.  So the first numbers have rooms of the size that the options
 * give, later numbers have smaller ones (thread_rooms.c).
 */
#include "exec/runtime/buf.h"
#include "exec/runtime/rt_vm.h"

#define PR_LEVELS 4
#define PR_NDROPS 32 /* >= DT_DROP_MAX */
#define PR_STACK_PAGE 4096
#define PR_FRAME_LAST (17 * 8) /* inproc_frame.ip: has been written to */
#define PR_PROVED 3	       /* entries of pr_own.proved */
#define PR_NEAR 4	       /* entries of pr_own.near */
#define PR_FIND (1 << 16)      /* entries of pr_own.find */
#define PR_FIND_NEXT 4	       /* entries a thread may use, from its hash on */
#define PR_FIND_HASH                                                           \
	0x9e3779b97f4a7c15ULL /* hash: upper bits of base * this               \
			       */
#define PR_FIND_SHIFT 48
#define PR_HASH 0xff51afd7ed558ccdULL /* hashes keys: hash_key() */

/* ns = pr_scale.ns + (cycles - pr_scale.cycles) * mult >> PR_SCALE_SHIFT */
#define PR_SCALE_SHIFT 32
struct pr_scale {
	u64 cycles, ns, mult;
};

/*
 * Processes write requests to dtrace into a ring.  A thread takes the next
 * number, `asked`, and writes its request; it writes `turn` (the number + 1)
 * last.  dtrace has dealt with all requests before number `heard`.
 */
#define PR_REQUESTS 1024 /* a power of two */
enum pr_asks {
	PR_BORN = 1, /* a child of fork(); arg: its parent */
	PR_EXECUTES, /* arg: a thread, which waits before execve() */
	PR_GAINS,    /* the new program gains privileges: not traced */
	PR_MAPPED,   /* a thread has mapped code, and waits */
	PR_FILTERS,  /* the process's seccomp filter forbids our calls */
};
struct pr_request {
	u32 turn, asks;
	u32 pid, arg;
	u64 addr;     /* PR_GAINS: its path */
	u64 given_up; /* the turn for which dtrace has stopped waiting */
};

struct pr_head {      /* the beginning of `data` */
	u64 gate;     /* probes fire while it equals pr_conf.gate */
	u64 state;    /* EXEC_STATE_* */
	u64 wall_off; /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	u64 turn;     /* scale[turn & 1] is valid */
	struct pr_scale scale[2];
	u64 serial;  /* of the last thread */
	u32 wakeups; /* changes when dtrace has something to do */
	u32 naps;    /* dtrace waits for a wakeup */
	u32 loads;   /* times that a process has loaded code */
	u32 seen;    /* value of `loads` when dtrace last looked */
	u32 fills;   /* times that a table became half full, or fuller */
	u32 pad;
	u64 nowhere; /* firings in threads that found no room */
	u64 busy;    /* firings in Go threads whose stacks were changing */
	u64 lost;    /* walks that led to an address in no list of mappings */
	u64 shallow; /* firings in threads with too little stack left */
	u64 late;    /* loads that dtrace has not looked at in time */
	u32 asked, heard;
	u64 unheard; /* requests whose threads have waited in vain */
	u64 mark;    /* dtrace writes it, and looks for it: mapped_still.c */
	struct pr_request requests[PR_REQUESTS];
	/* then: a generation per aggregation, an owner (process and thread id)
	 * per thread, both u64 */
};

/*
 * Numbers of threads are in ranges, one behind the other; rooms of a range have
 * one size.
 */
#define PR_NSIZES EXEC_BUFS_PARTS
struct pr_size {
	u64 end;   /* the number behind the last */
	u64 rooms; /* offset of the first room in the region */
	u64 room_size;
	u64 buf_size; /* bytes of the buffer at a room's start */
};

/* An aggregation's tables in the rooms of a range. */
struct pr_agg_size {
	u64 off;
	u64 turn_size; /* bytes of a generation; there are 2 */
	u32 nslots;    /* a power of two */
	u32 max;       /* entries */
};

struct pr_agg {
	u64 off, turn_size;	/* without a key: in a thread's shared part */
	u32 key_size, val_size; /* struct plan_agg; no key: 0 */
	u32 kind;		/* enum dt_act */
	u32 index;		/* of its generation */
	u32 entry_size;
	u32 pad;
	struct pr_agg_size sizes[PR_NSIZES];
};

/*
 * A table: a key leads to a slot, a slot to an entry (its number + 1; 0: none).
 * The first n entries have been used.  An entry is a word, then key and value;
 * the word becomes the hash and PR_USED once key and value are there.  Without
 * keys there is one entry and no slot.
 */
#define PR_USED 1
struct pr_table {
	u64 n; /* may exceed the number of entries */
	u32 slots[];
};

struct pr_conf { /* in `code` */
	struct rt_conf rt;
	/* offsets in the region */
	u64 own, data, shared, globals, specs, dyn;
	u64 region_size;
	u64 dynvarsize;
	u64 gens, owners; /* in `data` */
	u64 threads;	  /* the first thread's shared part */
	u64 thread_size;  /* bytes of a shared part */
	struct pr_size sizes[PR_NSIZES];
	u64 own_size;		/* bytes of a thread's own part */
	u64 far, far_size;	/* own parts from number PR_NDEEP on */
	u64 levels, level_size; /* in an own part: levels */
	u64 places;		/* in an own part: struct pr_place[naggs] */
	u64 aggs, naggs;	/* struct pr_agg[], in `code` */
	u64 vm_key, vm_value;	/* offsets from a level's struct rt_vm */
	u64 mem_rec, mem_key;	/* in a machine state's mem */
	u64 policy;		/* enum dt_bufpolicy */
	u64 nthreads;
	u64 nstacks, stacks, stack_owners; /* in `own`, for Go programs */
	u64 seed; /* struct pr_seed, in `own`, which children keep */
	u64 has_tsc, has_fsgsbase;
	u64 has_cpu;	 /* RDTSCP gives the CPU's number */
	u64 by_cpu;	 /* aggregations keep values of each CPU apart */
	u64 has_returns; /* returns of system calls have probes */
	u64 tells_fills; /* a table that becomes full wakes dtrace */
	s64 cpu;	 /* probes fire on this CPU only; -1: on all */
	u64 cpus, ncpus; /* struct dif_cpuinfo, in `code` */
	u64 gate;	 /* value of an open gate: see wakeup.c */
	u64 self_own;	 /* in an own part: words of a thread without a place */
	/* walks of stacks (walk.c); 0 where the script has none */
	u64 rows, nrows; /* unwind tables, in `code` */
	u64 maps;	 /* struct pr_maps, in `own` */
	u64 mem_regs;	 /* in a machine state's mem: struct pt_regs */
	u64 mem_stack;	 /* in a machine state's mem: PR_FRAMES frames */
};

/*
 * A process's mappings of code, sorted by address, each with its file's rows of
 * unwind tables.  dtrace writes the list that is not in use, then `turn`.
 */
#define PR_NMAPS 2048
#define PR_FRAMES 127 /* ustackdepth counts this far */
struct pr_map {
	u64 start, end, off;
	u64 first, count; /* rows */
};
struct pr_maps {
	u64 turn;
	struct pr_list {
		u64 n;
		struct pr_map v[PR_NMAPS];
	} lists[2]; /* by turn & 1 */
};

/* A thread's shared part begins with this. */
struct pr_shared {
	u64 active;   /* firings that run in levels */
	u64 counting; /* firings that run without a level */
	u64 drops[PR_NDROPS];
};

#define PR_TOP_LEVELS 7 /* frames are multiples of 8 */
#define PR_TOP(frame, nlevels) (((frame) & -8ULL) + (nlevels))
_Static_assert(PR_LEVELS <= PR_TOP_LEVELS, "fits");

/* A system call that the thread is in, known by its site and stack pointer. */
struct pr_call {
	u64 sp;
	u32 site; /* 0: none */
	u32 nr;
};
#define PR_CALLS 8 /* nested: signal handlers interrupt calls and make calls */

struct pr_thread {
	u64 taken;   /* id of the thread that has this part, or had it */
	u64 fs_base; /* of that thread; 0: the part is free */
	u64 tid;
	u64 serial;
	/* the number of levels in use, and the frame of the last level's
	 * firing: one word, so that they agree at any time */
	u64 top;
	u64 chill_start, chilled;
	u64 nlevels;
	struct exec_buf *buf;
	u64 buf_mask, buf_half; /* buf's size - 1; half of its size */
	struct pr_shared *shared;
	const struct pr_conf *conf;
	struct pr_head *head;
	struct pr_own *own;
	struct pr_call calls[PR_CALLS]; /* a ring */
	u64 ncalls;			/* calls so far */
	u64 child; /* pid of the child of vfork() that runs as this thread; 0 */
	u8 *self;  /* self-> variables that the kernel reaches, too */
	struct rt_mapping rows; /* all unwind tables */
				/* then: self-> variables, places, levels */
};

/* A thread's tables of an aggregation with keys. */
struct pr_place {
	struct pr_table *turns[2];
	u64 mask;    /* slots - 1 */
	u64 max;     /* entries */
	u64 entries; /* offset of the entries in a table */
};

/* A thread finds its part by its %fs base. */
struct pr_found {
	u64 fs_base;
	struct pr_thread *thread;
};

/*
 * Stack that code checks for (depth.c).  Trampolines need PR_FOR_FRAME below
 * the return address; bodies that call C functions need less, PR_FOR_C.
 */
enum pr_depth { PR_FOR_FRAME, PR_FOR_C, PR_NDEPTHS };
#define PR_C_ROOM 1024
#define PR_PAGES_SHIFT 56
#define PR_NPAGES (1 << (64 - PR_PAGES_SHIFT))

/* Facts that a process cannot find itself, as of when dtrace entered it. */
#define PR_ROOT_MAX 4096 /* PATH_MAX */
#define PR_ZONE_MAX 256	 /* NAME_MAX + 1 */
struct pr_self {
	u64 arg_start, arg_end; /* addresses of its arguments */
	u64 root_dev, root_ino; /* its root directory, 0: not known */
	char root[PR_ROOT_MAX]; /* the root's path, as dtrace sees it */
	char zone[PR_ZONE_MAX]; /* its container */
};

struct pr_start {
	u64 live;     /* 1; 0: this is a child of the process */
	u64 is_named; /* -c or -p names it: probes of that process alone fire */
	s64 tid_off;  /* of a thread's id from %fs base; -1: ask the kernel */
	u64 pid;
	/* memory that the process can always read: see arm.c */
	u64 nproved;
	struct rt_range proved[PR_PROVED];
};

/*
 * Threads at a time, of all processes: PR_NTHREADS if their parts are small,
 * else fewer, but at least PR_NTHREADS_MIN.  The first PR_NDEEP threads have
 * PR_LEVELS levels, the others one.
 */
#define PR_NTHREADS 10240
#define PR_NTHREADS_MIN 1024
#define PR_NDEEP 512

struct pr_own { /* the beginning of `own` */
	struct pr_start start;
	u64 full;	  /* pr_head.turn + 1 when a thread found no room */
	u64 linker_state; /* its last report: load_barrier.c */
	u64 unheard;	  /* inproc_stacks.unheard: nobody reads it */
	struct pr_found near[PR_NEAR]; /* the first threads: fast.c */
	struct pr_found find[PR_FIND];
	u64 pages[PR_NDEPTHS][PR_NPAGES]; /* stack pages known to be mapped */
	u64 had[PR_NTHREADS / 64]; /* parts that its threads have had: bits */
	u64 bases[PR_NTHREADS];	   /* pr_thread.fs_base of these parts */
	u64 looked;		   /* the search for ended threads got here */
				   /* then: struct pr_thread ..., stacks */
};

/*
 * System calls that our code makes no more, because a seccomp filter of the
 * process denies them (filter.c): a bit each.
 */
#define PR_NCALLS 512
#define PR_FILTER_MAX 4096 /* BPF_MAXINSNS */
struct pr_denied {
	u64 bits[PR_NCALLS / 64];
};
struct pr_filters {
	u64 sp;	     /* of the thread that installs one now; 0: none does */
	u64 listens; /* that call returns a descriptor on success */
	struct pr_denied before; /* to restore if the kernel refuses */
	u64 was_quiet, was_live;
	u64 insns[PR_FILTER_MAX];
};

/* State that children of fork() inherit from their parent. */
struct pr_seed {
	u64 follows; /* children are traced, too */
	struct pr_start start;
	struct pr_call call; /* the last that may have made a child */
	struct pr_self self;
	struct pr_denied denied;
	u64 is_quiet; /* `denied` has a bit set */
	struct pr_filters filters;
	/* then: struct pr_maps */
};

/* The description of a probe, or of one of its sites; in `code`. */
#define PR_ALWAYS 16
#define PR_NNAMES 5
struct pr_probe {
	u32 id;
	u32 cond;   /* returns: the condition (as of Jcc), or PR_ALWAYS */
	u64 off;    /* returns: offset in the function */
	u64 place;  /* offset in its file, for tools/dtrace-gdb.py; 0: none */
	u32 is_own; /* BEGIN and END: fire whatever the state */
	/* the stack pointer points to the return address */
	u32 is_at_return;
	u32 names[PR_NNAMES]; /* offsets in the region, by name_index() */
	u32 strids[PR_NNAMES];
	u32 epids[]; /* by clause of the body */
};

/* Facts about a firing; lies right before the firing's struct rt_vm. */
struct pr_fire {
	const struct pr_probe *probe;
	const u64 *frame; /* the registers: inproc_frame */
	struct pr_thread *thread;
	/* CLOCK_MONOTONIC, the thread's time, cycles; 0: not asked yet */
	u64 time, vtime, cycles;
	u64 value, incr, bucket; /* to be aggregated */
	u64 below;		 /* pr_thread.top before this firing */
	u32 epid, action;	 /* of a fault */
	u32 offset, cpu;	 /* of a fault; the firing's CPU + 1, or 0 */
	u64 fault, fault_value;	 /* arguments of ERROR */
	u64 saved_probe;	 /* while ERROR's clauses run */
	u64 has_regs;		 /* mem_regs is filled in */
	u64 signals; /* to be sent, a bit each, if any clause sends some */
	char comm[16];
	char prov[16]; /* "pid123" */
	/* readable without the kernel: the region, a page of the stack,
	 * pr_own.proved */
	struct rt_range ranges[2 + PR_PROVED];
};
#define PR_FIRE(vm) ((struct pr_fire *)(void *)(vm)-1)

#endif
