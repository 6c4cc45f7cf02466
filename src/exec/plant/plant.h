/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PLANT_PLANT_H
#define EXEC_PLANT_PLANT_H

/*
 * Plants: the processes that a substrate has entered, and the jumps that it has
 * planted in them, from sites in files to bytes in memory.
 *
 * A process is entered once.  Each file that it has mapped and that has sites
 * is one plan (inproc/inproc.h); all plans of a process are applied together.
 * Sites that are not safe to change are refused by name; the rest is traced.
 *
 * The owner of a plant gives the code to which the jumps lead: bodies of probes
 * (exec/process), or one instruction (usdt_is_enabled.h).
 */
#include "base/err.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "exec/exec.h"
#include "inproc/enter.h"
#include "sym/proc_maps.h"

/* Facts about a file's code, the same in all processes. */
struct pr_code {
	uint64_t dev, ino;
	struct elf_syms *es; /* NULL: nothing can be planted there */
	struct inproc_module *module;
	char *why;	/* es == NULL: the reason */
	bool is_missed; /* its untraced calls were told to the user */
	bool has_calls; /* `calls` are its system calls, as points */
	VEC(struct inproc_point) calls;
};

/* Sites of a file in a process.  Addresses of bodies are offsets of the region.
 */
struct pr_file {
	const struct dt_ufile *file;
	VEC(struct inproc_point) points;
	VEC(const struct dt_probe *) probes; /* of the points */
	VEC(const struct dt_usite *) sites;
	struct idmap bodies;	 /* numbers of sites' bodies: pr_site_add() */
	struct pr_code *code;	 /* NULL: not looked at yet, or in vain */
	uint64_t bias;		 /* load bias that `plan` was made for */
	size_t nplanned;	 /* points that are in the process; 0: none */
	size_t first;		 /* index of the plan's first point */
	bool is_whole;		 /* the plan has all points */
	bool is_fresh;		 /* the plan is not applied yet */
	bool is_new;		 /* the plan was just made, not taken again */
	bool has_calls;		 /* its system calls are points */
	struct inproc_plan plan; /* the last one */
	VEC(struct inproc_plan) kept; /* for other biases: planning.c */
};

struct pr_proc {
	pid_t pid;
	pid_t root; /* the process of -c or -p from which it descends */
	struct proc_maps maps; /* pr_proc_maps(); empty: not read yet */
	VEC(struct pr_file) files;
	struct inproc_proc *entered;
	uint64_t maps_turn; /* turn of its list of mappings */
	struct inproc_space space;
	uint64_t settle_ns, settle_at; /* settle.c: between looks; the next */
	bool is_lost;		       /* dtrace cannot enter its new program */
	bool is_descendant;	       /* of a process of -c or -p */
	bool is_followed; /* a thread is about to execute a program */
	bool is_held;	  /* it has executed one, and is stopped */
	bool is_looked_at, is_unfit; /* sample.c: checked; cannot be sampled */
	bool is_told;		     /* the user knows: it dropped our memory */
};

struct pr_plant;

/* The owner of a plant. */
struct pr_plant_ops {
	/* The memory that all processes have mapped. */
	struct inproc_share (*share)(const struct pr_plant *pl);
	/* pr_proc_enter(), and what the owner does to the process then.  0, or
	 * -errno with *err. */
	int (*enter)(struct pr_plant *pl, struct pr_proc *p, struct err *err);
	/* Called for an entered process before its points are planned.
	 * Optional. */
	void (*before_plan)(struct pr_plant *pl, struct pr_proc *p);
	/* Called for a refused point at which the owner itself watches the
	 * process: it tells the user if the answer lacks something.  Optional.
	 */
	void (*unwatched)(struct pr_plant *pl, const struct pr_file *f,
	    const struct inproc_point *pt, const char *why);
};

struct pr_plant {
	const struct pr_plant_ops *ops;
	const struct dt_exec_opts *opts;
	VEC(struct pr_proc *) procs;
	VEC(struct pr_code *) codes; /* code.c */
	VEC(pid_t) targets;	     /* they get probes of all processes */
	/* Offset in the shared code: checks that the stack has room for a
	 * body.  0: no body needs that. */
	uint32_t room;
	uint64_t begin_ns; /* CLOCK_BOOTTIME: no process was entered before */
};

/* Is a point of the file a place of the user's probes?  If not, the plant's
 * owner watches the process there. */
static inline bool
pr_is_users(const struct pr_file *f, size_t i)
{
	return f->probes.v[i] != NULL || !f->points.v[i].body.is_silent;
}

/*
 * proc.c: read `len` bytes of a process's memory; false: not all can be read.
 */
bool pr_proc_read(pid_t pid, uint64_t at, void *buf, size_t len);
/* proc.c: what a process has mapped, read once per look; NULL with *err: the
 * process has ended.  pr_proc_look() begins a look. */
CHECKED const struct proc_maps *pr_proc_maps(
    struct pr_proc *p, struct err *err);
void pr_proc_look(struct pr_proc *p);
/* proc.c: a file of a process; its code (NULL with *err: nothing can be planted
 * there); add a point that is no probe's site. */
struct pr_file *pr_file_of(struct pr_proc *p, const struct dt_ufile *file);
CHECKED struct pr_code *pr_file_code(
    struct pr_plant *pl, struct pr_file *f, struct err *err);
void pr_file_add(struct pr_file *f, const struct inproc_point *pt);
/* Set the function that a point is in. */
void pr_find_function(const struct pr_code *code, struct inproc_point *pt);
/*
 * Add a site of a probe as a point with this body: in one process; or in the
 * process of the probe, or in the targets that have mapped the file if the
 * probe is one of all processes.
 */
CHECKED int pr_point_add(struct pr_plant *pl, struct pr_proc *proc,
    const struct dt_probe *p, const struct dt_usite *site,
    const struct inproc_body *body, struct err *err);
CHECKED int pr_site_add(struct pr_plant *pl, const struct dt_probe *p,
    const struct dt_usite *site, const struct inproc_body *body,
    struct err *err);

/* proc.c: 0, or -EINTR with *err: dtrace is to end. */
CHECKED int pr_may_go_on(struct err *err);

/* proc.c: find a process that is known; add one; do either. */
struct pr_proc *pr_proc_find(struct pr_plant *pl, pid_t pid);
struct pr_proc *pr_proc_add(struct pr_plant *pl, pid_t pid);
struct pr_proc *pr_proc_of(struct pr_plant *pl, pid_t pid);
CHECKED int pr_proc_enter(
    struct pr_plant *pl, struct pr_proc *p, struct err *err);
/* Enter the process, unless it is entered, and plant its points. */
CHECKED int pr_proc_plant(
    struct pr_plant *pl, struct pr_proc *p, struct err *err);
/* Leave a process that cannot be planted; it is not entered again. */
void pr_proc_give_up(struct pr_proc *p);
/*
 * pr_proc_plant() for a process that may have executed another program.
 * Returns true if it was entered now.  *err if points cannot be planted; none
 * if it has ended, or executes again: then it will be met again.
 */
CHECKED bool pr_proc_plant_again(
    struct pr_plant *pl, struct pr_proc *p, struct err *err);
/* Has it executed a program without our knowing? */
bool pr_proc_has_executed(const struct pr_proc *p);
/* The process executed: forget all that was planted in it. */
void pr_proc_anew(struct pr_proc *p);
void pr_files_free(struct pr_proc *p);
/* Leave the process, and free it. */
void pr_proc_leave(struct pr_proc *p);
/* dtrace lets the process go, which it has held. */
void pr_plant_let_go(struct pr_plant *pl, pid_t pid);
/* Remove all that dtrace has put into processes. */
void pr_disarm(struct pr_plant *pl);
/* sweep.c: once the known processes are disarmed: disarm the unknown
 * descendants.  Returns 0, or -errno if the processes cannot be listed. */
int pr_sweep(struct pr_plant *pl);

/* planning.c: plan the points that are not in the process yet, and apply the
 * plans.  pr_is_planted(): does the process hold the bytes written last?
 * pr_log_stop() logs how long the process was stopped. */
CHECKED int pr_plan_and_apply(
    struct pr_plant *plant, struct pr_proc *p, struct err *err);
bool pr_is_planted(
    const struct inproc_proc *entered, const struct pr_file *f, uint64_t bias);
/* Forget the file's plans: the process holds none of their bytes. */
void pr_plans_forget(struct pr_file *f);
void pr_log_stop(
    const struct pr_plant *plant, const struct pr_proc *p, const char *what);

/* settle.c: windows that threads stay in.  Begin after plans were applied.
 * pr_settle_work() looks after all processes and returns when it must run next
 * (ns; UINT64_MAX: never). */
void pr_settle_begin(const struct pr_plant *pl, struct pr_proc *p);
/* The process is a child of fork(): plans were applied in its parent. */
void pr_settle_inherit(struct pr_proc *p);
uint64_t pr_settle_work(struct pr_plant *pl);

/* code.c: a file's code, read once.  NULL: the user has stopped the work. */
struct pr_code *pr_code_of(struct pr_plant *pl, const struct dt_ufile *file);
void pr_codes_free(struct pr_plant *pl);

#endif
