/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

/*
 * A substrate: what runs a plan's enablings and keeps their data.
 */
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "exec/runtime/drops.h"
#include "plan/plan.h"

struct exec_shared;
struct kmsg_fault;
struct refusals;
struct usyms;

/* A control group of the unified hierarchy. */
struct exec_cgroup {
	uint64_t id;	/* the inode of its directory; 0: none */
	uint32_t level; /* below the root, which is 0 */
	char *path;	/* from the root: "/a/b", "" */
};

struct dt_exec_opts {
	uint64_t bufsize; /* bytes per CPU */
	bool bufsize_set; /* by the user; else load() shrinks it */
	bool aggsize_set; /* by the user */
	enum dt_bufpolicy bufpolicy;
	bool bufresize_manual; /* load() fails if memory is short */
	uint64_t aggsize, dynvarsize;
	uint32_t nspec;	      /* speculations at a time */
	uint32_t strsize;     /* of a stored string, with its NUL */
	uint64_t scratchsize; /* 0: room for a few strings */
	int cpu;	      /* only this CPU, or -1 */
	int64_t target;	      /* $target, or -1 */
	/* Only threads in this group, or below it; borrowed. */
	struct exec_cgroup cgroup;
	const pid_t *procs; /* of -c and -p; for load() only */
	size_t nprocs;
	bool follow;		  /* the descendants of `procs`, too */
	struct refusals *refused; /* collects places that cannot be probed */
	struct usyms *usyms;	  /* mappings of processes, or NULL */
	bool destructive;
	/* Gives the user a message while tracing.  Optional. */
	void (*notice)(void *arg, const char *text);
	/* With -v: tells where a clause runs, and why; else NULL. */
	void (*tell)(void *arg, const char *text);
	/* With option debug: logs a step that was done; else NULL. */
	void (*log)(void *arg, const char *text);
	/* A descendant of `procs` has ended; its pidfd is borrowed, or -1.
	 * look_back() knows the process `like` until this returns: the
	 * descendant, or its parent if dtrace had not met the descendant. */
	void (*ended)(void *arg, pid_t pid, pid_t like, int pidfd);
	void *notice_arg; /* of all these callbacks */
	/* Variables in memory that another substrate also reaches; borrowed,
	 * outlives the session.  NULL: none. */
	const struct exec_shared *shared;
	bool bpflog; /* print the verifier's log of every program */
	uint32_t bpflogsize;
	bool debug; /* print that log of refused programs */
};

/* A record for the consumer, in place: valid during the callback. */
struct dt_record {
	uint32_t epid;	    /* 0: an error record, see `err` */
	uint32_t next_epid; /* of the CPU's next record; 0: not there yet */
	uint32_t cpu;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	const char *data; /* the record, header included */
	uint32_t size;
	struct dt_errinfo {
		uint32_t epid, action, fault;
		int32_t offset; /* bytes in the DIF text, or -1 */
		uint64_t value;
	} err;
};
typedef int dt_record_f(const struct dt_record *rec, void *arg);
typedef void dt_descendant_f(pid_t pid, bool is_new, void *arg);
typedef int dt_aggent_f(
    uint32_t agg_id, const void *key, const void *val, void *arg);

/* The place where a fault ended a process; strings are malloced. */
struct dt_last_place {
	char *place;	/* file, offset, function; NULL: not known */
	char *ours;	/* dtrace's code at this place; NULL: none */
	bool is_begin;	/* `ours` begins here: a return may lead here */
	size_t nfiring; /* threads of the process that were in a probe */
};

/*
 * A feature of the kernel that a substrate can do without.  `why` is NULL if
 * the kernel has it, else says what the substrate does instead.
 */
struct dt_feature {
	const char *name, *what, *why;
	const char *gives; /* what would give it */
};
typedef void dt_feature_f(const struct dt_feature *feature, void *arg);
/* Should the substrate ask the kernel for the feature of this name? */
typedef bool dt_wants_feature_f(const char *name, void *arg);

/*
 * A substrate at work.  Each substrate's own struct begins with this one.
 */
struct dt_exec_ops;
struct dt_exec {
	const struct dt_exec_ops *ops;
	uint32_t ncpus;	  /* records name CPUs 0 to ncpus - 1 */
	uint64_t bufsize; /* bytes of a principal buffer, per CPU */
};

/*
 * How a substrate notices code that comes while it traces: libraries that
 * processes load, programs that they execute, and their descendants.
 */
struct dt_exec_code_ops {
	/*
	 * A thread of the process that reaches a site of `p` (which may be a
	 * probe of all processes) has loaded new code: has_loads()
	 * turns true, and the thread waits a short time for resume().  `p`
	 * outlives the session.  0; 1 if that was so before; or -errno with
	 * *err.
	 */
	int (*watch_loads)(struct dt_exec *x, pid_t pid,
	    const struct dt_probe *p, struct err *err);
	bool (*has_loads)(struct dt_exec *x);
	void (*resume)(struct dt_exec *x);
	/* Option follow, while tracing: the process of `procs` from which the
	 * process descends, or it is this one itself; 0: none. */
	pid_t (*root_of)(const struct dt_exec *x, pid_t pid);
	/* Option follow, of a substrate that sees code: call f for each
	 * descendant that may have new code; is_new: it has executed another
	 * program, and waits for resume().  Optional. */
	void (*each_descendant)(
	    struct dt_exec *x, dt_descendant_f *f, void *arg);
	/* watch_loads() notices all new code: the caller need not poll. */
	bool sees_code;
	/*
	 * Called before dtrace releases a process that it has held since
	 * before go().  Optional.
	 */
	void (*let_go)(struct dt_exec *x, pid_t pid);
	/* Called after processes mapped code: arm existing probes there.
	 * Optional. */
	int (*met)(struct dt_exec *x, struct err *err);
};

struct dt_exec_ops {
	const char *name;
	/* Required of a substrate that traces; NULL of a recording. */
	const struct dt_exec_code_ops *code;
	/* Probes run in processes; not all, if some are also run by the kernel
	 * (plan_clause.in_process). */
	bool is_in_process;
	/*
	 * Load everything that the plan needs.  0 or -errno with *err
	 * (malloced): which clause and D line was refused, why, what to do.
	 */
	int (*load)(struct plan *pl, const struct dt_exec_opts *opts,
	    struct diags *diags, struct dt_exec **outp, struct err *err);
	/* Matching asks this before load() (dt_registry_set_can_arm()).
	 * NULL: this substrate can arm everything. */
	dt_can_arm_f *can_arm;
	/*
	 * Would the substrate run the clause, or fire the probe, as the kernel
	 * does?  One of them may be NULL.  NULL, or why not (malloced).  These
	 * two are of a substrate that stands in for the kernel (exec/both).
	 */
	char *(*refuses)(
	    const struct plan_clause *pc, const struct dt_probe *p);
	/* May probes run in the process?  0, or -errno with *err: why not. */
	int (*may_enter)(pid_t pid, struct err *err);
	/*
	 * Change the processes, so that go() has only to let probes fire.
	 * Optional, before go().  0, with *err as for go(); or -errno with
	 * *err: the session can only be destroyed.
	 */
	int (*enter)(struct dt_exec *x, struct err *err);
	/* Fire BEGIN, then let all other probes fire.  0 with *err: all
	 * fire but those that *err names. */
	int (*go)(struct dt_exec *x, struct err *err);
	/*
	 * Enable the probes that plan_add_late() added since the last call,
	 * for clauses that may grow.  0, or -errno with *err: some of them
	 * do not fire; everything else goes on.
	 */
	int (*grow)(struct dt_exec *x, struct err *err);
	/*
	 * The process has ended by a fault at `f` (NULL: an unknown place).
	 * Describe that place in *out.  Call before stop().  Optional.
	 */
	void (*look_back)(const struct dt_exec *x, pid_t pid,
	    const struct kmsg_fault *f, struct dt_last_place *out);
	/* No probe but END fires any more once this returns. */
	int (*stop)(struct dt_exec *x);
	/* Fire END.  The consumer drains first: END's record needs room. */
	int (*end)(struct dt_exec *x);
	/* Sleep until there is work, at most timeout_ns.  A signal interrupts
	 * the sleep (-EINTR).  Also runs the tick probes that are due; -errno
	 * if one of them cannot run. */
	int (*wait)(struct dt_exec *x, uint64_t timeout_ns, int extra_fd);
	/* wait() must not sleep longer: the substrate has work to do then.
	 * Optional. */
	uint64_t (*rest_ns)(const struct dt_exec *x);
	/* When drain() may hand over records it holds back; 0: it has none. */
	uint64_t (*pending_ns)(const struct dt_exec *x);
	/* Is half of a buffer used?  Records are lost unless it is drained. */
	bool (*is_filling)(const struct dt_exec *x);
	/* Add wait()'s descriptors to an epoll set.  0, or -1 with errno. */
	int (*watch)(struct dt_exec *x, int epoll_fd);
	/*
	 * Hand over all committed records, oldest first within each CPU;
	 * with `merged`, in time order over CPUs.  BEGIN's records come
	 * first, END's last.  Returns f's first nonzero result, or 0.  With
	 * bufpolicy ring or fill, drain() hands over nothing before stop().
	 */
	int (*drain)(struct dt_exec *x, bool merged, dt_record_f *f, void *arg);
	/* Call f for each entry of an aggregation's current generation:
	 * (cpu, generation, keys) -> value. */
	int (*agg_walk)(
	    struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg);
	/*
	 * Begin a new generation: hand over the final values of the current
	 * one and forget them.
	 */
	int (*agg_turn)(
	    struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg);
	/*
	 * For an aggregation with keys: the entries of the current generation,
	 * and how many fit.  Of several tables, the fullest counts.  Optional.
	 */
	void (*agg_fill)(
	    struct dt_exec *x, uint32_t agg_id, uint64_t *used, uint64_t *room);
	/* Has an aggregation become half full since the last agg_turn()?
	 * Optional. */
	bool (*aggs_are_filling)(const struct dt_exec *x);
	/* Drops of a kind on a CPU since the start. */
	uint64_t (*drops)(struct dt_exec *x, enum dt_drop kind, uint32_t cpu);
	/*
	 * The bytes of the option's memory that these drops would have taken,
	 * at most; 0: there are none, or it is not known.  Optional.
	 */
	uint64_t (*lost)(struct dt_exec *x, enum dt_drop kind, uint32_t cpu);
	/*
	 * The largest value of the option that these drops name which load()
	 * takes; 0: not known, it depends on free memory.  Optional.
	 */
	uint64_t (*most)(const struct dt_exec *x, enum dt_drop kind);
	/*
	 * For how much of the traced time a CPU was idle, in percent, once
	 * tracing has stopped.  NULL: not known.
	 */
	unsigned (*idle)(const struct dt_exec *x, uint32_t cpu);
	/* Has an exit() action run, or a buffer filled? */
	bool (*exiting)(struct dt_exec *x);
	/*
	 * Call f for each wanted feature of those that the substrate asks the
	 * kernel for, and which tracing does not fail without.  Optional.
	 */
	void (*each_feature)(
	    dt_wants_feature_f *wants, dt_feature_f *f, void *arg);
	/* --dump=bpf, --dump=x86: print the loaded code; NULL: there is none.
	 */
	void (*dump_bpf)(struct dt_exec *x, struct strbuf *out);
	void (*dump_x86)(struct dt_exec *x, struct strbuf *out);
	void (*destroy)(struct dt_exec *x);
};

extern const struct dt_exec_ops dt_exec_bpf, dt_exec_process, dt_exec_both;

#endif
