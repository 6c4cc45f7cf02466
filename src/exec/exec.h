/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

/*
 * A substrate: what runs a plan's enablings and keeps their data.
 */
#include <sys/types.h>

#include "exec/runtime/drops.h"
#include "plan/plan.h"

struct kmsg_fault;
struct refusals;
struct usyms;

struct dt_exec_opts {
	uint64_t bufsize;	/* bytes per CPU */
	bool bufsize_set;	/* by the user; otherwise shrink to the need */
	bool aggsize_set;	/* by the user */
	enum dt_bufpolicy bufpolicy;
	bool bufresize_manual;	/* what cannot be had is an error */
	uint64_t aggsize, dynvarsize;
	uint32_t nspec;		/* speculations at a time */
	uint32_t strsize;	/* of a stored string, with its NUL */
	uint64_t scratchsize;	/* 0: what a few strings need */
	int cpu;		/* only this CPU, or -1 */
	int64_t target;		/* $target, or -1 */
	const pid_t *procs;	/* of -c and -p; for load() only */
	size_t nprocs;
	struct refusals *refused; /* places that cannot be probed go there */
	struct usyms *usyms;	/* what processes have mapped; NULL: nothing */
	bool destructive;
	/* For what is worth telling while tracing; NULL: nobody listens. */
	void (*notice)(void *arg, const char *text);
	/* For what was done, with option debug; else NULL. */
	void (*log)(void *arg, const char *text);
	/* A descendant of `procs` has ended; its pidfd is borrowed, or -1.
	 * Until this returns look_back() knows what `like` has: that is the
	 * descendant, or its parent if it has ended too soon to be met. */
	void (*ended)(void *arg, pid_t pid, pid_t like, int pidfd);
	void *notice_arg; /* of all three */
	bool bpflog; /* ... and when it takes one */
	uint32_t bpflogsize;
	bool debug;		/* the kernel's log when it refuses a program */
};

/* A record for the consumer, in place: valid during the callback. */
struct dt_record {
	uint32_t epid;		/* 0: an error record, see `err` */
	uint32_t next_epid;	/* of the CPU's next record; 0: not there yet */
	uint32_t cpu;
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	const char *data;	/* the record, header included */
	uint32_t size;
	struct dt_errinfo {
		uint32_t epid, action, fault;
		int32_t offset;		/* bytes in the DIF text, or -1 */
		uint64_t value;
	} err;
};
typedef int dt_record_f(const struct dt_record *rec, void *arg);
typedef int dt_aggent_f(uint32_t agg_id, const void *key, const void *val,
    void *arg);

/* The place where a fault ended a process, as far as it is known (malloced). */
struct dt_last_place {
	char *place; /* file, offset, function; NULL: not known */
	char *ours;  /* what dtrace has put there; NULL: nothing */
	bool is_begin; /* ... and begins there: one may return to it */
	size_t nfiring; /* threads of it that were in a probe */
};

/*
 * A substrate at work.  What each substrate has of its own begins with this.
 */
struct dt_exec_ops;
struct dt_exec {
	const struct dt_exec_ops *ops;
	uint32_t ncpus;   /* the numbers of CPUs that records name are below */
	uint64_t bufsize; /* bytes per CPU that a principal buffer got */
};

struct dt_exec_ops {
	const char *name;
	/*
	 * Load everything that the plan needs.  0 or -errno with *msg
	 * (malloced): which clause and D line was refused, why, what to do.
	 */
	int (*load)(struct plan *pl, const struct dt_exec_opts *opts,
	    struct diags *diags, struct dt_exec **outp, char **msg);
	/* For matching, before anything is loaded (dt_registry_set_can_arm()).
	 * NULL: everything can be armed. */
	dt_can_arm_f *can_arm;
	/* Fire BEGIN, then let all other probes fire.  0 with *msg: all but
	 * what it names. */
	int (*go)(struct dt_exec *x, char **msg);
	/*
	 * Enable what the plan got by plan_add_late() since the last time, of
	 * clauses that may grow.  0, or -errno with *msg: some of it does not
	 * fire then; everything else goes on.
	 */
	int (*grow)(struct dt_exec *x, char **msg);
	/*
	 * Threads that come by the probe's sites have loaded new code: has_loads()
	 * says so, and they wait for resume(), but not long.  `p` is borrowed
	 * for the call.  0, or -errno with *msg.
	 */
	int (*watch_loads)(struct dt_exec *x, const struct dt_probe *p,
	    char **msg);
	bool (*has_loads)(struct dt_exec *x);
	void (*resume)(struct dt_exec *x);
	/* ... and nobody else has to look for new code. */
	bool sees_code;
	/*
	 * dtrace is about to let a process go that it has held since before
	 * go().  NULL: that concerns nobody.
	 */
	void (*let_go)(struct dt_exec *x, pid_t pid);
	/* Processes have mapped code that may be that of probes which are
	 * there already.  NULL: nothing is to be done. */
	int (*met)(struct dt_exec *x, char **msg);
	/*
	 * The process has ended, by a fault at `f`; NULL: where is not known.
	 * Tell what dtrace knows of that place, before stop().
	 */
	void (*look_back)(const struct dt_exec *x, pid_t pid,
	    const struct kmsg_fault *f, struct dt_last_place *out);
	/* No probe but END fires any more once this returns. */
	int (*stop)(struct dt_exec *x);
	/* Fire END, after the consumer has drained: its record needs room. */
	int (*end)(struct dt_exec *x);
	/* Sleep until there is work, at most timeout_ns. Interrupted by
	 * signals (-EINTR). Also runs the tick probes that are due. */
	int (*wait)(struct dt_exec *x, uint64_t timeout_ns, int extra_fd);
	/* When records that are held back may be handed over; 0: none are. */
	uint64_t (*pending_ns)(const struct dt_exec *x);
	/* Is half of a buffer used?  Records are lost unless it is drained. */
	bool (*is_filling)(const struct dt_exec *x);
	/* Add what wait() waits for to an epoll set.  0, or -1 with errno. */
	int (*watch)(struct dt_exec *x, int epoll_fd);
	/*
	 * Hand over all committed records, oldest first within each CPU;
	 * with `merged`, in time order over CPUs.  BEGIN's come first; those
	 * of END last.  Returns f's first nonzero result, or 0.  Buffers
	 * that ring or fill hand over nothing before stop().
	 */
	int (*drain)(struct dt_exec *x, bool merged, dt_record_f *f, void *arg);
	/* Each live entry of an aggregation: (cpu, generation, keys) -> value.
	 * Entries of dead generations are not shown. */
	int (*agg_walk)(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f,
	    void *arg);
	/*
	 * Begin a new generation: hand over the final values of the current
	 * one and forget them.
	 */
	int (*agg_turn)(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f,
	    void *arg);
	/*
	 * How many entries the current generation of an aggregation with keys
	 * has, and how many fit; of the fullest thread where each has its own.
	 */
	void (*agg_fill)(struct dt_exec *x, uint32_t agg_id, uint64_t *used,
	    uint64_t *room);
	/* Has one become half full since the last agg_turn()?  NULL: not told.
	 */
	bool (*aggs_are_filling)(const struct dt_exec *x);
	/* Drops of a kind on a CPU since the start. */
	uint64_t (*drops)(struct dt_exec *x, enum dt_drop kind, uint32_t cpu);
	/*
	 * For how much of the traced time a CPU was idle, in percent, once
	 * tracing has stopped.  NULL: not known.
	 */
	unsigned (*idle)(const struct dt_exec *x, uint32_t cpu);
	/* Has an exit() action run, or a buffer filled? */
	bool (*exiting)(struct dt_exec *x);
	/* --dump=bpf: what was loaded. */
	void (*dump)(struct dt_exec *x, struct strbuf *out);
	void (*destroy)(struct dt_exec *x);
};

extern const struct dt_exec_ops dt_exec_bpf, dt_exec_process;

#endif
