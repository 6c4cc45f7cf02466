/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_PROC_H
#define EXEC_PROCESS_PROC_H

/* The processes that probes are in. */
#include "exec/process/impl.h"
#include "inproc/enter.h"
#include "sym/proc_maps.h"

/* What is known of a file's code: the same in all processes. */
struct pr_code {
	uint64_t dev, ino;
	struct elf_syms *es; /* NULL: nothing can be planted there */
	struct inproc_module *module;
	char *why;
	bool is_missed; /* ... which has been told */
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
	struct pr_code *code; /* NULL: not looked at yet, or in vain */
	uint64_t bias;		 /* at which the plan is */
	size_t nplanned;	 /* points that are in the process; 0: none */
	size_t first;		 /* of points, that the plan has */
	bool is_whole;		 /* it has them all */
	bool is_fresh;		 /* it is to be applied */
	bool is_new;		 /* ... and was made for that */
	bool has_calls;		 /* its system calls are points */
	struct inproc_plan plan; /* the last one */
	VEC(struct inproc_plan) kept; /* for other places: planning.c */
};

struct pr_proc {
	pid_t pid;
	struct proc_maps maps; /* pr_proc_maps(); empty: not read yet */
	VEC(struct pr_file) files;
	struct inproc_proc *entered;
	uint64_t maps_turn; /* of its list of mappings */
	struct inproc_space space;
	uint64_t settle_ns, settle_at; /* settle.c: between looks; the next */
	bool is_lost;		     /* it executed what cannot be entered */
	bool is_descendant;	     /* of those that -c and -p name */
	bool is_followed;	     /* a thread is about to execute a program */
	bool is_held;		     /* ... has, and waits for us */
	bool is_looked_at, is_unfit; /* to be sampled: sample.c */
	bool is_told;		     /* that it has dropped our memory */
};

/* arm.c: memory of a process, all of it or nothing. */
bool pr_proc_read(pid_t pid, uint64_t at, void *buf, size_t len);
/* arm.c: what a process has mapped, as it was at this look; NULL with *msg: it
 * has ended.  A look begins. */
const struct proc_maps *pr_proc_maps(struct pr_proc *p, char **msg);
void pr_proc_look(struct pr_proc *p);
/* arm.c: a file of a process; what is known of its code (NULL with *msg:
 * nothing can be planted there); a point that is no probe's site. */
struct pr_file *pr_file_of(struct pr_proc *p, const struct dt_ufile *file);
struct pr_code *pr_file_code(struct pr_exec *x, struct pr_file *f, char **msg);
void pr_file_add(struct pr_file *f, const struct inproc_point *pt);
/* The function that a point is in. */
void pr_find_function(const struct pr_code *code, struct inproc_point *pt);

/* arm.c: 0, or -EINTR with *msg: dtrace is to end. */
int pr_may_go_on(char **msg);

/* planning.c: plan what is not in the process yet; apply what was planned; does
 * the process have what was written last?  For how long it was stopped. */
int pr_plan_and_apply(const struct pr_exec *x, struct pr_proc *p, char **msg);
bool pr_is_planted(
    const struct inproc_proc *entered, const struct pr_file *f, uint64_t bias);
/* Nothing of it is in the process. */
void pr_plans_forget(struct pr_file *f);
void pr_log_stop(
    const struct pr_exec *x, const struct pr_proc *p, const char *what);

/* settle.c: windows that threads stay in.  Plans were applied; look after all
 * processes, until when nothing is to be done (ns; UINT64_MAX: for ever). */
void pr_settle_begin(const struct pr_exec *x, struct pr_proc *p);
/* ... in the parent of a child of fork(). */
void pr_settle_inherit(struct pr_proc *p);
uint64_t pr_settle_work(struct pr_exec *x);

/* code.c: files' code, looked at once.  NULL: work was stopped. */
struct pr_code *pr_code_of(struct pr_exec *x, const struct dt_ufile *file);
void pr_codes_free(struct pr_exec *x);

/* arm.c: processes that come while tracing (descendants.c).  The process is there, or
 * becomes known; it executed something, which is stopped; its points. */
struct pr_proc *pr_proc_find(struct pr_exec *x, pid_t pid);
struct pr_proc *pr_proc_add(struct pr_exec *x, pid_t pid);
struct pr_proc *pr_proc_copy(struct pr_exec *x, const struct pr_proc *from,
    pid_t pid, struct inproc_proc *entered);
void pr_proc_drop(struct pr_exec *x, struct pr_proc *p);
void pr_proc_executed(struct pr_proc *p);
bool pr_proc_has_executed(const struct pr_proc *p); /* without us */
/* 0 with *msg: all but what it names.  -errno with *msg: nothing. */
int pr_proc_arm(struct pr_exec *x, struct pr_proc *p, char **msg);
struct inproc_share pr_share(const struct pr_exec *x);

#endif
