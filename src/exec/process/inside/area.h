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
 *
 * What holds addresses, or decides what is written where, is in `own`, which no
 * other process sees, or in `code`, which nobody can write.  Whatever is read
 * from `data` is believed by nobody: another process may have written it.  A
 * child of fork() finds `own` full of zeroes (MADV_WIPEONFORK), so nothing
 * fires in it, but for its end, the *seed*, of which it makes an own part again
 * where descendants are traced (fork.c).
 *
 * Threads.  Each one that comes by gets a number, which says where its parts
 * are, until it has ended.  So one instruction that reads, changes and writes
 * back is safe without a lock prefix: nobody but the thread and its signal
 * handlers changes what it changes.  Firings of one thread nest (a signal
 * handler interrupts a probe); each has its own machine state, a *level*.
 *
 * Addresses are scarce: a process may be limited (ulimit -v), and a region is
 * mapped in each.  So the first numbers have rooms of the size that the options
 * say, others smaller ones (thread_rooms.c).
 */
#include "exec/runtime/buf.h"
#include "exec/runtime/rt_vm.h"

#define PR_LEVELS 4
#define PR_NDROPS 32 /* >= DT_DROP_MAX */
#define PR_STACK_PAGE 4096
#define PR_FRAME_LAST (17 * 8) /* of inproc_frame: it has been written to */
#define PR_PROVED 3	       /* entries of pr_own.proved */
#define PR_NEAR 4	       /* entries of pr_own.near */
#define PR_FIND (1 << 16)      /* entries of pr_own.find */
#define PR_FIND_NEXT 4	       /* that a thread may be in, from its own on */
#define PR_FIND_HASH                                                           \
	0x9e3779b97f4a7c15ULL /* base times this, its upper bits               \
			       */
#define PR_FIND_SHIFT 48
#define PR_HASH 0xff51afd7ed558ccdULL /* of keys: hash_key() */

/* ns = pr_scale.ns + (cycles - pr_scale.cycles) * mult >> PR_SCALE_SHIFT */
#define PR_SCALE_SHIFT 32
struct pr_scale {
	u64 cycles, ns, mult;
};

/*
 * Processes write requests to dtrace into a ring.  A thread that asks takes the
 * next number, `asked`, and writes its request, `turn` (the number + 1) last.
 * dtrace has dealt with all requests before number `heard`.
 */
#define PR_REQUESTS 1024 /* a power of two */
enum pr_asks {
	PR_BORN = 1, /* a child of fork(); arg: its parent */
	PR_EXECUTES, /* arg: the thread, which waits, and executes then */
	PR_GAINS,    /* ... a program that gains privileges: not traced */
	PR_MAPPED,   /* code; the thread waits */
	PR_FILTERS,  /* brings in a seccomp filter that forbids our calls */
};
struct pr_request {
	u32 turn, asks;
	u32 pid, arg;
	u64 addr;     /* PR_GAINS: its path */
	u64 given_up; /* the turn that dtrace has not waited for any longer */
};

struct pr_head {      /* the beginning of `data` */
	u64 gate;     /* pr_conf.gate: probes fire */
	u64 state;    /* EXEC_STATE_* */
	u64 wall_off; /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	u64 turn;     /* scale[turn & 1] holds */
	struct pr_scale scale[2];
	u64 serial;  /* of the last thread */
	u32 bell;    /* changes when dtrace has something to do */
	u32 naps;    /* dtrace waits for it */
	u32 loads;   /* times that a process has loaded code */
	u32 seen;    /* ... that dtrace has looked at */
	u32 fills;   /* times that a table became half full, or fuller */
	u32 pad;
	u64 nowhere; /* firings in threads that found no room */
	u64 busy;    /* ... whose stacks were being changed, in Go */
	u64 lost;    /* a stack led to where nobody knows what is mapped */
	u64 shallow; /* firings in threads with too little stack left */
	u64 late;    /* loads that dtrace has not looked at in time */
	u32 asked, heard;
	u64 unheard; /* those that have waited in vain */
	u64 mark;    /* dtrace's, to be found here: mapped_still.c */
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
	u64 rooms; /* of the first one's, in the region */
	u64 room_size;
	u64 buf_size; /* of the buffer, with which a room begins */
};

/* An aggregation's tables in the rooms of a range. */
struct pr_agg_size {
	u64 off;
	u64 turn_size; /* bytes of a generation, of which there are 2 */
	u32 nslots;    /* a power of two */
	u32 max;       /* entries */
};

struct pr_agg {
	u64 off, turn_size;	/* without a key: in a thread's shared part */
	u32 key_size, val_size; /* struct plan_agg; no key: 0 */
	u32 kind;		/* enum dt_act */
	u32 index;		/* which generation */
	u32 entry_size;
	u32 pad;
	struct pr_agg_size sizes[PR_NSIZES];
};

/*
 * A table: keys lead to slots, a slot to an entry (its number + 1; 0: none), of
 * which the first n have been used.  An entry is a word, the hash and PR_USED
 * once the rest is there, then key and value.  Without keys there is one entry
 * and no slot.
 */
#define PR_USED 1
struct pr_table {
	u64 n; /* may be more than there are entries */
	u32 slots[];
};

struct pr_conf { /* in `code` */
	struct rt_conf rt;
	/* offsets in the region */
	u64 own, data, globals, specs, dyn;
	u64 region_size;
	u64 dynvarsize;
	u64 gens, owners;	/* in `data` */
	u64 threads;		/* of the first one's shared part */
	u64 thread_size;	/* bytes of a shared part */
	struct pr_size sizes[PR_NSIZES];
	u64 own_size;		/* bytes of a thread's own part */
	u64 far, far_size;	/* ... from number PR_NDEEP on */
	u64 levels, level_size; /* where they are in it */
	u64 places;		/* ... and struct pr_place[naggs] */
	u64 aggs, naggs;	/* struct pr_agg[], in `code` */
	u64 vm_key, vm_value;	/* in a level, from its struct rt_vm on */
	u64 mem_rec, mem_key;	/* in a machine state's mem */
	u64 policy;		/* enum dt_bufpolicy */
	u64 nthreads;
	u64 nstacks, stacks, stack_owners; /* in `own`, of programs of Go */
	u64 seed; /* struct pr_seed, in `own`, which children keep */
	u64 has_tsc, has_fsgsbase;
	u64 has_cpu;	 /* RDTSCP says which one it is */
	u64 by_cpu;	 /* values of aggregations are told apart by CPU */
	u64 tells_fills; /* tables that become full ring the bell */
	s64 cpu;	 /* only there; -1: everywhere */
	u64 cpus, ncpus; /* struct dif_cpuinfo, in `code` */
	u64 gate;	 /* of an open gate: see wakeup.c */
	/* walks of stacks (walk.c); 0 where the script has none */
	u64 rows, nrows; /* unwind tables, in `code` */
	u64 maps;	 /* struct pr_maps, in `own` */
	u64 mem_regs;	 /* in a machine state's mem: struct pt_regs */
	u64 mem_stack;	 /* ... and PR_FRAMES frames */
};

/*
 * What a process has mapped as code, by address, and where the tables of the
 * files are.  dtrace writes the list that is not in use, then `turn`.
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
	u64 counting; /* ... and without */
	u64 drops[PR_NDROPS];
};

#define PR_TOP_LEVELS 7 /* frames are multiples of 8 */
#define PR_TOP(frame, nlevels) (((frame) & -8ULL) + (nlevels))
_Static_assert(PR_LEVELS <= PR_TOP_LEVELS, "fits");

/* A system call that the thread is in, by where it was made. */
struct pr_call {
	u64 sp;
	u32 site; /* 0: none */
	u32 nr;
};
#define PR_CALLS 8 /* by handlers of signals that interrupt calls */

struct pr_thread {
	u64 taken;   /* the thread (its id) that has this part, or had it */
	u64 fs_base; /* whose it is; 0: nobody's */
	u64 tid;
	u64 serial;
	/* levels that are in use, and which frame the last one's firing has:
	 * one word, so that they agree at any time */
	u64 top;
	u64 chill_start, chilled;
	u64 nlevels;
	struct exec_buf *buf;
	u64 buf_mask, buf_half; /* its size - 1; half of it */
	struct pr_shared *shared;
	const struct pr_conf *conf;
	struct pr_head *head;
	struct pr_own *own;
	struct pr_call calls[PR_CALLS]; /* a ring */
	u64 ncalls;			/* that there were */
	u64 child; /* a child of vfork() runs as this thread: its pid; or 0 */
	struct rt_mapping rows; /* unwind tables: all of them */
				/* then: self-> variables, places, levels */
};

/* Where a thread has the tables of an aggregation with keys. */
struct pr_place {
	struct pr_table *turns[2];
	u64 mask;    /* slots - 1 */
	u64 max;     /* entries */
	u64 entries; /* where they are in a table */
};

/* How a thread finds its part: by its %fs base. */
struct pr_found {
	u64 fs_base;
	struct pr_thread *thread;
};

/*
 * Stack that is asked for (depth.c): by trampolines, below the return address;
 * by bodies that call functions of C, which take less, of themselves.
 */
enum pr_depth { PR_FOR_FRAME, PR_FOR_C, PR_NDEPTHS };
#define PR_C_ROOM 1024
#define PR_PAGES_SHIFT 56
#define PR_NPAGES (1 << (64 - PR_PAGES_SHIFT))

/* What a process cannot tell by itself, as it was when dtrace entered it. */
#define PR_ROOT_MAX 4096 /* PATH_MAX */
struct pr_self {
	u64 arg_start, arg_end; /* where its arguments are */
	u64 root_dev, root_ino; /* its root directory, 0: not known */
	char root[PR_ROOT_MAX]; /* ... as dtrace sees it */
};

struct pr_start {
	u64 live;     /* 1; 0: this is a child of the process */
	u64 is_named; /* by -c or -p: probes of that process alone fire */
	s64 tid_off;  /* of a thread's id from %fs base; -1: ask the kernel */
	u64 pid;
	/* what the process can always read, whatever it does: see arm.c */
	u64 nproved;
	struct rt_range proved[PR_PROVED];
};

/*
 * Threads at a time, of all processes: so many where their parts are small,
 * else fewer, but no less than the second number.  The first ones have
 * PR_LEVELS levels, the others one.
 */
#define PR_NTHREADS 10240
#define PR_NTHREADS_MIN 1024
#define PR_NDEEP 512

struct pr_own { /* the beginning of `own` */
	struct pr_start start;
	u64 full; /* when there was no room for a thread: pr_head.turn + 1 */
	u64 linker_state; /* at its last report: fire.c, pr_hold() */
	struct pr_found near[PR_NEAR]; /* of the first ones: fast.c */
	struct pr_found find[PR_FIND];
	u64 pages[PR_NDEPTHS][PR_NPAGES]; /* of stacks, that are there */
	u64 had[PR_NTHREADS / 64]; /* parts that its threads have had: bits */
	u64 bases[PR_NTHREADS];	   /* ... and their pr_thread.fs_base */
	u64 looked;		   /* whether threads had ended: up to here */
				   /* then: struct pr_thread ..., stacks */
};

/*
 * System calls that we make no more, for seccomp filters that the process has
 * brought in (filter.c): a bit each.
 */
#define PR_NCALLS 512
#define PR_FILTER_MAX 4096 /* BPF_MAXINSNS */
struct pr_denied {
	u64 bits[PR_NCALLS / 64];
};
struct pr_filters {
	u64 sp;	     /* of the thread that brings one in now; 0: none does */
	u64 listens; /* ... and success is a descriptor */
	struct pr_denied before; /* it, if the kernel refuses */
	u64 was_quiet, was_live;
	u64 insns[PR_FILTER_MAX];
};

/* What children of fork() have from their parent. */
struct pr_seed {
	u64 follows; /* they are traced, too */
	struct pr_start start;
	struct pr_call call; /* the last that may have made a child */
	struct pr_self self;
	struct pr_denied denied;
	u64 is_quiet; /* one of them is denied */
	struct pr_filters filters;
	/* then: struct pr_maps */
};

/* What a probe is, or one of its sites; in `code`. */
#define PR_ALWAYS 16
#define PR_NNAMES 5
struct pr_probe {
	u32 id;
	u32 cond;   /* returns: only if this holds, as Jcc; or PR_ALWAYS */
	u64 off;    /* returns: where in the function */
	u64 place;  /* where in its file, for tools/dtrace-gdb.py; 0: nowhere */
	u32 is_own; /* BEGIN and END: fire whatever the state */
	/* the return address is where the stack pointer points to */
	u32 is_at_return;
	u32 names[PR_NNAMES]; /* offsets in the region, by name_index() */
	u32 strids[PR_NNAMES];
	u32 epids[]; /* by clause of the body */
};

/* What is known of a firing besides its struct rt_vm, right before which it is.
 */
struct pr_fire {
	const struct pr_probe *probe;
	const u64 *frame; /* the registers: inproc_frame */
	struct pr_thread *thread;
	/* CLOCK_MONOTONIC, the thread's time, cycles; 0: not asked yet */
	u64 time, vtime, cycles;
	u64 value, incr, bucket; /* to be aggregated */
	u64 below;		 /* pr_thread.top before it */
	u32 epid, action;	 /* of a fault */
	u32 offset, cpu;	 /* cpu: that it is said to be on, + 1; or 0 */
	u64 fault, fault_value;	 /* what ERROR is told */
	u64 saved_probe;	 /* while its clauses run */
	u64 has_regs;		 /* mem_regs is filled in */
	u64 signals; /* to be sent, a bit each, if any clause sends some */
	char comm[16];
	/* to be read without the kernel: the region, a page of the stack,
	 * pr_own.proved */
	struct rt_range ranges[2 + PR_PROVED];
};
#define PR_FIRE(vm) ((struct pr_fire *)(void *)(vm)-1)

#endif
