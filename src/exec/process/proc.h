/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_PROC_H
#define EXEC_PROCESS_PROC_H

/* The processes that probes are in. */
#include "exec/process/impl.h"
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

/* arm.c: read `len` bytes of a process's memory; false: not all can be read. */
bool pr_proc_read(pid_t pid, uint64_t at, void *buf, size_t len);
/* arm.c: what a process has mapped, read once per look; NULL with *msg: the
 * process has ended.  pr_proc_look() begins a look. */
const struct proc_maps *pr_proc_maps(struct pr_proc *p, char **msg);
void pr_proc_look(struct pr_proc *p);
/* arm.c: a file of a process; its code (NULL with *msg: nothing can be planted
 * there); add a point that is no probe's site. */
struct pr_file *pr_file_of(struct pr_proc *p, const struct dt_ufile *file);
struct pr_code *pr_file_code(struct pr_exec *x, struct pr_file *f, char **msg);
void pr_file_add(struct pr_file *f, const struct inproc_point *pt);
/* Set the function that a point is in. */
void pr_find_function(const struct pr_code *code, struct inproc_point *pt);

/* arm.c: 0, or -EINTR with *msg: dtrace is to end. */
int pr_may_go_on(char **msg);

/* planning.c: plan the points that are not in the process yet, and apply the
 * plans.  pr_is_planted(): does the process hold the bytes written last?
 * pr_log_stop() logs how long the process was stopped. */
int pr_plan_and_apply(const struct pr_exec *x, struct pr_proc *p, char **msg);
bool pr_is_planted(
    const struct inproc_proc *entered, const struct pr_file *f, uint64_t bias);
/* Forget the file's plans: the process holds none of their bytes. */
void pr_plans_forget(struct pr_file *f);
void pr_log_stop(
    const struct pr_exec *x, const struct pr_proc *p, const char *what);

/* settle.c: windows that threads stay in.  Begin after plans were applied.
 * pr_settle_work() looks after all processes and returns when it must run next
 * (ns; UINT64_MAX: never). */
void pr_settle_begin(const struct pr_exec *x, struct pr_proc *p);
/* The process is a child of fork(): plans were applied in its parent. */
void pr_settle_inherit(struct pr_proc *p);
uint64_t pr_settle_work(struct pr_exec *x);

/* code.c: a file's code, read once.  NULL: the user has stopped the work. */
struct pr_code *pr_code_of(struct pr_exec *x, const struct dt_ufile *file);
void pr_codes_free(struct pr_exec *x);

/* arm.c: processes that come while tracing (descendants.c).  Find a known one;
 * add one; the process executed a program, and is stopped. */
struct pr_proc *pr_proc_find(struct pr_exec *x, pid_t pid);
struct pr_proc *pr_proc_add(struct pr_exec *x, pid_t pid);
struct pr_proc *pr_proc_copy(struct pr_exec *x, const struct pr_proc *from,
    pid_t pid, struct inproc_proc *entered);
void pr_proc_drop(struct pr_exec *x, struct pr_proc *p);
void pr_proc_executed(struct pr_proc *p);
/* Has it executed a program without our knowing? */
bool pr_proc_has_executed(const struct pr_proc *p);
/* Plant its points.  0 with *msg: all but those that *msg names.  -errno with
 * *msg: none. */
int pr_proc_arm(struct pr_exec *x, struct pr_proc *p, char **msg);
struct inproc_share pr_share(const struct pr_exec *x);

#endif
