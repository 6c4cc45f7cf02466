/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_IMPL_H
#define EXEC_PROCESS_IMPL_H

/*
 * What the process substrate's files share: a session's region, made in this
 * order:
 *
 *	pr_layout()	where variables, machine states and buffers are
 *	pr_compile()	bodies of probes
 *	pr_map()	the region, in dtrace
 */
#include "base/codefile.h"
#include "exec/drain.h"
#include "exec/jit/jit.h"
#include "exec/process/inside/area.h"

/* A place in a program where a probe fires. */
struct pr_site {
	const struct dt_usite *site;
	uint32_t desc; /* offset of its struct pr_probe in the region */
};

/* A probe, and what it runs. */
struct pr_firing {
	const struct dt_probe *probe;
	/* USDT: where its sites have the arguments that the clauses read */
	const struct dt_uargs *uargs;
	VEC(const struct plan_clause *) clauses;
	VEC(uint32_t) epids; /* by clause */
	uint32_t desc;	     /* offset of its struct pr_probe in the region */
	VEC(struct pr_site) sites; /* or these, in programs */
	uint32_t call; /* a C function that fires it in dtrace; or 0 */
	int timer_fd;  /* tick, profile; or -1 */
	struct pr_sampler *sampler; /* profile */
	bool is_taken;		    /* arm.c knows its sites */
};

/* A list of clauses that some probes run, compiled once. */
struct pr_body {
	VEC(const struct plan_clause *) clauses;
	VEC(struct pr_firing) probes;
	/* Its probes'.  Of a function's entries and offsets FUNC_ENTRY: their
	 * bodies find arguments and registers in the same places. */
	enum dt_probe_kind kind;
	const struct dt_uargs *uargs; /* its probes' */
	bool always;	/* also when tracing is not active: BEGIN, END */
	bool wants_all; /* registers: for uregs[] and stacks */
	uint32_t entry; /* offset in the region */
	uint32_t size;	/* of its code */
	uint32_t wants, changes; /* registers */
};

/* Where an object's string table is in the region. */
struct pr_strs {
	const struct dif_obj *dp;
	uint32_t off;
};

/* Which part of the code is whose: for people. */
struct pr_note {
	uint32_t off; /* of the code in the region */
	struct diag_span span;
	char *text;
	const struct dif_obj *difo; /* an object's code; or NULL */
};

/* A mapping of a file: are there bytes of a SYSCALL instruction? */
struct pr_segment {
	uint64_t dev, ino, off;
	bool may_call;
};

#define PR_NKINS 6 /* syscall.c: calls that lead to more */

struct pr_exec {
	struct dt_exec e; /* first */
	struct plan *pl;
	struct dt_exec_opts opts;
	struct diags *diags;
	bool walks; /* stacks, or looks at registers */

	struct exec_vars vars;
	struct pr_conf conf;
	bool has_rdpid;
	uint32_t code_size, own_size; /* of the region, in order */
	uint64_t data_size;
	uint32_t conf_off, uvars; /* in `code` */
	VEC(struct pr_agg) aggs;
	uint32_t aggs_off;
	struct strbuf consts; /* what precedes the bodies: see compile.c */
	uint32_t consts_at;   /* where they are in the region */
	uint32_t text_off;    /* where bodies begin */
	bool may_grow;
	uint32_t room;	     /* in `code`, for what comes while tracing */
	size_t nlate;	     /* of plan.late that has been compiled */
	uint32_t depth_at[PR_NDEPTHS]; /* code that looks at the stack */
	uint32_t hold_entry; /* where threads wait that have loaded code */
	uint32_t loads;	     /* times that some did, when we looked */
	bool looks_again;    /* a program was entered that somebody executed */
	bool is_later_look;  /* ... before this look, or new code was planted */
	VEC(struct pr_strs) difos;
	VEC(struct pr_body) bodies;
	const struct dt_probe *error_probe;
	VEC(const struct plan_clause *) error_clauses;
	VEC(uint32_t) error_epids;
	uint32_t error_desc;
	uint32_t error_at;   /* ERROR's clauses; 0: none */
	uint32_t error_used; /* registers that they change */
	uint32_t global_off; /* "global" */
	struct x_asm a;
	struct strbuf names; /* of its functions: see names.c */
	VEC(struct pr_note) notes;
	struct pr_sys {		/* syscall.c */
		bool has[2];	/* probes of entries, of returns */
		uint32_t table; /* in the region; 0: none */
		uint32_t dispatch[2]; /* code, likewise */
		uint32_t kin[PR_NKINS];
		uint32_t nsites; /* numbers of sites that were given */
		struct dt_ufiles *files;
		VEC(struct pr_segment) segments; /* of files, looked at */
		uint64_t look_until; /* for files of an executed program */
		size_t nmissed;	     /* files that are not traced */
		char *missed;	     /* the first */
	} sys;

	VEC(struct pr_proc *) procs; /* arm.c */
	VEC(struct pr_code *) codes; /* code.c */
	struct pr_kin {		     /* descendants.c */
		uint32_t heard; /* requests */
		uint64_t stalled_ns, begin_ns;
		VEC(char *) told; /* that has been said, once */
	} kin;
	VEC(pid_t) targets;	     /* of -c and -p */
	struct pr_tables *tables;    /* NULL: nothing walks stacks */
	uint64_t own_turn;	     /* of dtrace's list of mappings */
	struct pr_bell *bell;	     /* NULL: all fires in dtrace */

	uint8_t *base;	  /* of the region in dtrace */
	struct code_file code;
	int data_fd;
	struct exec_bufs bufs;
	struct rt_dynref dyn;
	struct pr_scale first, scale; /* clocks: at load, and as they are now */
	uint64_t turn;
	uint32_t fills;	 /* pr_head.fills, at the last turn of an aggregation */
	uint64_t missed; /* firings of tick */
	uint64_t mark, next_whole; /* mapped_still.c */
	bool is_damaged; /* ... and that has been told */
	bool has_told_small[2]; /* buffers, tables of later threads are full */
};

static inline struct pr_exec *
pr_of(const struct dt_exec *e)
{
	return (struct pr_exec *)(uintptr_t)e;
}

/* thread_rooms.c: how many threads there may be, and what each has.  What has a fixed
 * size is laid out; sizes of rooms and tables follow, and their places. */
#define PR_SPACE (512ULL << 20) /* of a region, with its trampolines */
void pr_lay_out_rooms(struct pr_exec *x, bool is_for_many);
/* From `at` on; where they end. */
uint64_t pr_place_rooms(struct pr_exec *x, uint64_t at);
/* An aggregation's table of a thread and a generation; no key: one entry. */
struct pr_tab {
	struct pr_table *t;
	char *entries;
	uint32_t nslots, max;
};
struct pr_tab pr_tab(const struct pr_exec *x, const struct pr_agg *ag,
    uint32_t thread, uint64_t gen);
/* "; lower ...": options that made the region larger than PR_SPACE; or "". */
const char *pr_large_options(const struct pr_exec *x);
char *pr_room(const struct pr_exec *x, uint32_t thread);

/*
 * layout.c: `n` up to a multiple of `align`, a power of two; and the next part
 * of `size` bytes, behind which *end moves, in lines of its own.
 */
uint64_t pr_round_to(uint64_t n, uint64_t align);
uint64_t pr_take(uint64_t *end, uint64_t size);
uint64_t pr_own_bytes(const struct pr_exec *x, uint64_t nthreads);
int pr_layout(struct pr_exec *x, char **msg);
/* Append to what is constant; its offset in the region. */
uint32_t pr_const(struct pr_exec *x, const void *p, size_t size);
void pr_place(struct pr_exec *x); /* the size of the code is known */
/* compile.c: 0, or -errno with *msg. */
int pr_compile(struct pr_exec *x, char **msg);
/* ... of what the plan got since the last time. */
int pr_compile_late(struct pr_exec *x, char **msg);

/* process.c: keep so many bodies, and of their probes those whose descriptions
 * come before that offset. */
void pr_bodies_cut(struct pr_exec *x, size_t nbodies, uint32_t desc);

/* Does the body walk stacks, or look at registers? */
bool pr_walks(const struct pr_exec *x, const struct pr_body *b);

/* describe.c: a process's own part says so of it. */
void pr_describe(pid_t pid, struct pr_self *self);

/* tables.c: where tables of unwinding go, and how many rows there may be. */
#define PR_ROWS_MAX (8U << 20)
struct pr_tables;
struct proc_maps;
/* Before BEGIN: dtrace's own. */
void pr_tables_start(struct pr_exec *x);
/* A process's part is as it should be: its list of what is mapped now. */
void pr_tables_note(struct pr_exec *x, struct pr_proc *p);
/* A walk has met what no list has. */
void pr_tables_look(struct pr_exec *x);
/* Files and mappings that had no room: DT_DROP_UNWIND. */
uint64_t pr_tables_drops(const struct pr_exec *x);
void pr_tables_free(struct pr_exec *x);

/*
 * sample.c: profile-N fires in the threads of entered processes that run.
 * Called once in each period, or later.
 */
#define PR_RED_ZONE 128 /* psABI, 3.2.2 */
struct pr_sampler;
void pr_sample(struct pr_exec *x, struct pr_firing *f);
/* Somebody is stopped, or will be, whom we have to look after soon. */
bool pr_sample_again(struct pr_exec *x);
/* Nobody is stopped by us any more. */
void pr_sample_settle(struct pr_exec *x);
/* ... and what is owed to threads is missed. */
void pr_sample_stop(struct pr_exec *x);
void pr_sample_free(struct pr_firing *f);

/* Tell, once, that shared memory says what cannot be. */
void pr_damaged(struct pr_exec *x);

/* map.c */
int pr_map(struct pr_exec *x, char **msg);
void pr_unmap(struct pr_exec *x);
struct pr_head *pr_head(const struct pr_exec *x);
struct pr_shared *pr_shared(const struct pr_exec *x, uint32_t thread);
uint64_t pr_owner(const struct pr_exec *x, uint32_t thread);
/* Put a reading of the clocks into the head. */
void pr_renew_clocks(struct pr_exec *x);

void pr_dump(struct dt_exec *e, struct strbuf *out); /* dump.c */

/*
 * arm.c: enter the processes that probes are in, and plant them.  0, with *msg
 * if some cannot be, or -errno with *msg.
 */
int pr_arm(struct pr_exec *x, char **msg);
/* Plant what is not planted: new probes, code that was loaded again.  *msg if
 * some cannot be. */
void pr_arm_again(struct pr_exec *x, char **msg);
/* Threads that come by the probe's site will wait.  Before pr_arm(). */
int pr_arm_hold(struct pr_exec *x, const struct dt_probe *p, char **msg);
/* Has one executed another program?  Its probes are to be matched again. */
bool pr_has_executed(struct pr_exec *x);
/* dtrace lets a process go. */
void pr_let_go(struct dt_exec *e, pid_t pid);
/* mapped_still.c: has a process dropped our memory?  Before anything fires, now and
 * then, and before it is left; how long wait() may sleep. */
void pr_whole_begin(struct pr_exec *x);
void pr_whole_look(struct pr_exec *x);
void pr_whole_end(struct pr_exec *x);
uint64_t pr_whole_wait_ns(const struct pr_exec *x);
/* death.c: struct dt_exec_ops.look_back */
void pr_look_back(const struct dt_exec *e, pid_t pid,
    const struct kmsg_fault *f, struct dt_last_place *out);
/* Processes become what they were. */
void pr_disarm(struct pr_exec *x);

/*
 * syscall.c: system calls of targets.  Probes of these have no sites, but a
 * process gets points for them wherever its files make calls.
 */
struct pr_proc;
bool pr_is_syscall(const struct dt_probe *p);
bool pr_has_calls(const struct pr_exec *x);
void pr_sys_describe(struct pr_exec *x); /* bodies are known */
void pr_sys_fill(struct pr_exec *x);	 /* ... and compiled */
int pr_sys_collect(struct pr_exec *x, struct pr_proc *p, char **msg);
/* Add to *msg what is not traced. */
void pr_sys_tell(struct pr_exec *x, char **msg);
/* Are there points at system calls only because they may bring in a filter?
 * Not where nothing fires (usdt_is_enabled.h): there is no code that they could lead to. */
bool pr_sys_watches(const struct pr_exec *x);
void pr_sys_fini(struct pr_exec *x);

/*
 * descendants.c: descendants of targets.  To be called whenever dtrace wakes; each of
 * the descriptors is readable when there is something to do; it is the end.
 */
struct pr_fds {
	VEC(int) v;
};
/* Tell the user, if somebody listens. */
void pr_notice(const struct pr_exec *x, const char *text);
void pr_kin_begin(struct pr_exec *x);
void pr_kin_work(struct pr_exec *x);
void pr_kin_fds(const struct pr_exec *x, struct pr_fds *fds);
void pr_kin_stop(struct pr_exec *x);
void pr_kin_fini(struct pr_exec *x);
/* Nothing is planted any more where it was known: nor where it was not. */
void pr_kin_sweep(struct pr_exec *x);
/* A target has executed, and is held: arm what it is now, and let it go. */
void pr_kin_enter(struct pr_exec *x, struct pr_proc *p, char **msg);
/* Has it ended?  Whoever listens is told, before it is forgotten. */
void pr_kin_tell_end(struct pr_exec *x, const struct pr_proc *p);

/* wakeup.c: a thread that waits for the head's bell, once it hangs there, and
 * holds its gate. */
struct pr_bell;
struct pr_bell *pr_bell_create(char **msg);
void pr_bell_hang(struct pr_bell *b, struct pr_head *head);
void pr_bell_destroy(struct pr_bell *b);
uint32_t pr_bell_tid(const struct pr_bell *b);
int pr_bell_fd(const struct pr_bell *b);
void pr_bell_clear(struct pr_bell *b);

/* agg.c: members of dt_exec_ops. */
int pr_agg_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
int pr_agg_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
void pr_agg_fill(struct dt_exec *e, uint32_t agg_id, uint64_t *used,
    uint64_t *room);
bool pr_aggs_are_filling(const struct dt_exec *e);

#endif
