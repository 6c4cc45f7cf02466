/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_IMPL_H
#define EXEC_PROCESS_IMPL_H

/*
 * The process substrate's files share a session's region.  These make it, in
 * this order:
 *
 *	pr_layout()	where variables, machine states and buffers are
 *	pr_compile()	bodies of probes
 *	pr_map()	the region, in dtrace
 */
#include "base/codefile.h"
#include "base/err.h"
#include "base/refusals.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/drain.h"
#include "exec/jit/jit.h"
#include "exec/process/inside/area.h"
#include "exec/plant/plant.h"

/* A place in a program where a probe fires. */
struct pr_site {
	const struct dt_usite *site;
	uint32_t desc; /* offset of its struct pr_probe in the region */
};

/* A probe, and the clauses that it runs. */
struct pr_firing {
	const struct dt_probe *probe;
	/* USDT: locations of the arguments that the clauses read */
	const struct dt_uargs *uargs;
	VEC(const struct plan_clause *) clauses;
	VEC(uint32_t) epids; /* by clause */
	uint32_t desc;	     /* offset of its struct pr_probe in the region */
	VEC(struct pr_site) sites; /* in programs: each has its own desc */
	uint32_t call; /* a C function that fires it in dtrace; or 0 */
	int timer_fd;  /* tick, profile; or -1 */
	struct pr_sampler *sampler; /* profile */
	bool is_taken;		    /* arm.c knows its sites */
};

/* A list of clauses that some probes run, compiled once. */
struct pr_body {
	VEC(const struct plan_clause *) clauses;
	VEC(struct pr_firing) probes;
	/* The kind of its probes.  FUNC_ENTRY also stands for FUNC_OFFSET:
	 * arguments and registers are in the same places. */
	enum dt_probe_kind kind;
	const struct dt_uargs *uargs; /* of its probes */
	bool always;	/* runs also when tracing is not active: BEGIN, END */
	bool wants_all; /* needs all registers: for uregs[] and stacks */
	bool is_of_family;	 /* its probes are those of families */
	uint32_t entry;		 /* offset in the region */
	uint32_t size;		 /* bytes of its code */
	uint32_t wants, changes; /* registers that it reads, changes */
};

/* The offset of an object's string table in the region. */
struct pr_strs {
	const struct dif_obj *dp;
	uint32_t off;
};

/* The D text that a part of the code is for: shown in dumps. */
struct pr_note {
	uint32_t off; /* of the code in the region */
	struct diag_span span;
	char *text;
	const struct dif_obj *difo; /* whose code this is; or NULL */
};

/* A mapping of a file: may it hold a SYSCALL instruction (its bytes)? */
struct pr_segment {
	uint64_t dev, ino, off;
	bool may_call;
};

/* syscall.c: stubs at calls that descendants.c needs */
#define PR_NDESCENDANT_CALLS 6

struct pr_exec {
	struct dt_exec e; /* first */
	struct plan *pl;
	struct dt_exec_opts opts;
	struct diags *diags;
	bool walks; /* some body walks stacks or looks at registers */

	struct exec_vars vars;
	struct pr_conf conf;
	bool has_rdpid;
	uint32_t code_size, own_size; /* parts of the region, in order */
	uint64_t data_size;
	uint32_t conf_off, uvars; /* in `code` */
	VEC(struct pr_agg) aggs;
	uint32_t aggs_off;
	struct strbuf consts; /* data before the bodies: see compile.c */
	uint32_t consts_at;   /* their offset in the region */
	uint32_t text_off;    /* offset of the first body */
	bool may_grow;
	bool follows;	  /* option follow: probes are those of families */
	bool has_entered; /* px_enter() was called */
	uint32_t room;	  /* bytes of `code` kept free for late probes */
	size_t nlate;	  /* entries of plan.late that are compiled */
	uint32_t depth_at[PR_NDEPTHS]; /* code that checks the stack's depth */
	uint32_t load_barrier_entry;   /* where threads that loaded code wait */
	uint32_t loads;		       /* pr_head.loads at the last look */
	bool looks_again;   /* an executed program was entered: look again */
	bool is_later_look; /* the value of looks_again before this look */
	VEC(struct pr_strs) difos;
	VEC(struct pr_body) bodies;
	const struct dt_probe *error_probe;
	VEC(const struct plan_clause *) error_clauses;
	VEC(uint32_t) error_epids;
	uint32_t error_desc;
	uint32_t error_at;   /* code of ERROR's clauses; 0: none */
	uint32_t error_used; /* registers that ERROR's clauses change */
	struct x_asm a;
	struct strbuf names; /* of functions in `a`: see names.c */
	VEC(struct pr_note) notes;
	struct pr_sys {		/* syscall.c */
		bool has[2];	/* there are probes of entries, of returns */
		uint32_t table; /* offset in the region; 0: none */
		uint32_t dispatch[2]; /* offsets of code in the region */
		uint32_t descendant_calls[PR_NDESCENDANT_CALLS];
		uint32_t nsites; /* sites that have got a number */
		struct dt_ufiles *files;
		VEC(struct pr_segment) segments; /* mappings already read */
		uint64_t look_until; /* for files of an executed program */
		size_t nmissed;	     /* files that are not traced */
		char *missed;	     /* the first of them */
		/* calls by which processes and programs come unseen */
		struct refusals unwatched;
		size_t ntold; /* of these */
	} sys;

	struct pr_plant plant;	/* of its processes */
	struct pr_descendants { /* descendants.c */
		uint32_t heard; /* requests that were dealt with */
		uint64_t stalled_ns;
		VEC(char *) told; /* notices that were given, each once */
	} descendants;
	struct pr_tables *tables; /* NULL: no body walks stacks */
	uint64_t own_turn;	  /* turn of dtrace's list of mappings */
	struct pr_wakeup *wakeup; /* NULL: all probes fire in dtrace */

	uint8_t *base; /* of the region in dtrace */
	struct code_file code;
	int data_fd;
	struct exec_bufs bufs;
	struct rt_dynref dyn;
	struct pr_scale first, scale; /* clocks: at load, and now */
	uint64_t turn;
	uint32_t fills;	 /* pr_head.fills, at the last turn of an aggregation */
	uint64_t missed; /* firings of tick that were missed */
	uint64_t mark, next_whole; /* mapped_still.c */
	bool is_damaged;	   /* pr_damaged() has told the user */
	/* The user was told: small buffers, small tables are full. */
	bool has_told_small[2];
};

static inline struct pr_exec *
pr_of(const struct dt_exec *e)
{
	return (struct pr_exec *)(uintptr_t)e;
}

/* thread_rooms.c: how many threads there may be, and the parts of each.  First
 * lay out the parts of fixed size; then choose sizes of rooms and tables. */
#define PR_SPACE (512ULL << 20) /* of a region, with its trampolines */
void pr_lay_out_rooms(struct pr_exec *x, bool is_for_many);
/* Place the rooms from offset `at` on.  Returns their end. */
uint64_t pr_place_rooms(struct pr_exec *x, uint64_t at);
/* A thread's table of an aggregation in a generation; no key: one entry. */
struct pr_tab {
	struct pr_table *t;
	char *entries;
	uint32_t nslots, max;
};
struct pr_tab pr_tab(const struct pr_exec *x, const struct pr_agg *ag,
    uint32_t thread, uint64_t gen);
/* "; lower ...": the options that made the region exceed PR_SPACE; or "". */
const char *pr_large_options(const struct pr_exec *x);
char *pr_room(const struct pr_exec *x, uint32_t thread);

/*
 * layout.c.  pr_round_to() rounds `n` up to a multiple of `align`, a power of
 * two.  pr_take() takes a part of `size` bytes at *end, in cache lines of its
 * own, and moves *end behind it.
 */
uint64_t pr_round_to(uint64_t n, uint64_t align);
uint64_t pr_take(uint64_t *end, uint64_t size);
/* dt_exec_ops.most */
uint64_t pr_most(const struct dt_exec *e, enum dt_drop kind);
uint64_t pr_own_bytes(const struct pr_exec *x, uint64_t nthreads);
CHECKED int pr_layout(struct pr_exec *x, struct err *err);
/* Append to `consts`.  Returns the offset in the region. */
uint32_t pr_const(struct pr_exec *x, const void *p, size_t size);
void pr_place(struct pr_exec *x); /* after the code: its size is known */
/* available.c: dt_exec_ops.refuses */
char *pr_refuses(const struct plan_clause *pc, const struct dt_probe *p);
/* compile.c: 0, or -errno with *err. */
CHECKED int pr_compile(struct pr_exec *x, struct err *err);
/* Compile the probes that the plan got since the last call. */
CHECKED int pr_compile_late(struct pr_exec *x, struct err *err);

/* process.c: keep `nbodies` bodies, and of their probes those whose
 * descriptions are below offset `desc`. */
void pr_bodies_cut(struct pr_exec *x, size_t nbodies, uint32_t desc);

/* Does the body walk stacks, or look at registers? */
bool pr_walks(const struct pr_exec *x, const struct pr_body *b);

/* describe.c: fill in *self for the process `pid`. */
void pr_describe(pid_t pid, struct pr_self *self);

/* tables.c: the unwind tables in the region, of at most PR_ROWS_MAX rows. */
#define PR_ROWS_MAX (8U << 20)
struct pr_tables;
struct proc_maps;
/* Before BEGIN: write the list of dtrace's own mappings. */
void pr_tables_start(struct pr_exec *x);
/* Write the list of what a process has mapped now; its own part is ready. */
void pr_tables_note(struct pr_exec *x, struct pr_proc *p);
/* A walk has met an address that no list has: renew the lists. */
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
/* Are threads stopped, or about to be, so that pr_sample() is due soon? */
bool pr_sample_again(struct pr_exec *x);
/* Let all threads go that sampling has stopped. */
void pr_sample_settle(struct pr_exec *x);
/* Settle, and count the samples that threads still owe as missed. */
void pr_sample_stop(struct pr_exec *x);
void pr_sample_free(struct pr_firing *f);

/* Tell the user, once, that shared memory holds impossible values. */
void pr_damaged(struct pr_exec *x);

/* map.c */
CHECKED int pr_map(struct pr_exec *x, struct err *err);
void pr_unmap(struct pr_exec *x);
/* Bytes of the variables that the kernel reaches, too; 0: there are none. */
uint64_t pr_shared_len(const struct pr_exec *x);
struct pr_head *pr_head(const struct pr_exec *x);
struct pr_shared *pr_shared(const struct pr_exec *x, uint32_t thread);
uint64_t pr_owner(const struct pr_exec *x, uint32_t thread);
/* Put a reading of the clocks into the head. */
void pr_renew_clocks(struct pr_exec *x);

void pr_dump(struct dt_exec *e, struct strbuf *out); /* dump.c */

/* arm.c: before anything else of the plant is used. */
void pr_plant_init(struct pr_exec *x);
/*
 * arm.c: enter the processes that have probes, and plant the probes.  0, with
 * *err if some cannot be planted, or -errno with *err.
 */
CHECKED int pr_arm(struct pr_exec *x, struct err *err);
/* Plant new probes, and probes in code that was loaded again.  *err if some
 * cannot be planted. */
void pr_arm_again(struct pr_exec *x, struct err *err);
/* Make threads wait at the probe's site.  Before pr_arm(). */
CHECKED int pr_arm_load_barrier(
    struct pr_exec *x, pid_t pid, const struct dt_probe *p, struct err *err);
/* Has a process executed another program?  Its probes must be matched again. */
bool pr_has_executed(struct pr_exec *x);
/* dt_exec_code_ops.let_go */
void pr_let_go(struct dt_exec *e, pid_t pid);
/* mapped_still.c: has a process dropped our memory?  Asked before anything
 * fires, now and then, and before dtrace leaves the process.  wait() may sleep
 * for pr_whole_wait_ns(). */
void pr_whole_begin(struct pr_exec *x);
void pr_whole_look(struct pr_exec *x);
void pr_whole_end(struct pr_exec *x);
uint64_t pr_whole_wait_ns(const struct pr_exec *x);
/* death.c: dt_exec_ops.look_back */
void pr_look_back(const struct dt_exec *e, pid_t pid,
    const struct kmsg_fault *f, struct dt_last_place *out);

/*
 * syscall.c: system calls of targets.  Their probes have no sites; a process
 * gets points wherever its files make calls.
 */
struct pr_proc;
bool pr_is_syscall(const struct dt_probe *p);
/* Are there probes of system calls?  pr_has_calls(): are descendants followed,
 * for these probes or for option follow? */
bool pr_traces_calls(const struct pr_exec *x);
bool pr_has_calls(const struct pr_exec *x);
void pr_sys_describe(struct pr_exec *x); /* after bodies are known */
void pr_sys_fill(struct pr_exec *x);	 /* after bodies are compiled */
/* The points of a file: the same in all processes. */
void pr_sys_find_points(struct pr_exec *x, struct pr_code *code);
/* Has the script probes anywhere but in dtrace? */
bool pr_sys_is_entering(const struct pr_exec *x);
/* Note a refused point at which dtrace itself watches. */
void pr_sys_note_unwatched(struct pr_exec *x, const struct pr_file *f,
    const struct inproc_point *pt, const char *why);
/* Are there points at system calls only because they may install a filter?
 * False where no code fires: a point would lead nowhere. */
bool pr_sys_watches(const struct pr_exec *x);
/* syscall_files.c: the files of a process that make system calls. */
CHECKED int pr_sys_collect(
    struct pr_exec *x, struct pr_proc *p, struct err *err);
/* Add to *err the files that are not traced, and those refused points by which
 * descendants come. */
void pr_sys_tell(struct pr_exec *x, struct err *err);
void pr_sys_fini(struct pr_exec *x);

/*
 * descendants.c: descendants of targets.  pr_descendants_work() is called
 * whenever dtrace wakes.  A descriptor of pr_descendants_fds() is readable when
 * there is work.
 */
struct pr_fds {
	VEC(int) v;
};
void pr_descendants_begin(struct pr_exec *x);
void pr_descendants_work(struct pr_exec *x);
void pr_descendants_fds(const struct pr_exec *x, struct pr_fds *fds);
void pr_descendants_stop(struct pr_exec *x);
void pr_descendants_fini(struct pr_exec *x);
/* A target has executed, and is held: arm its new program, and let it go. */
void pr_descendants_enter(
    struct pr_exec *x, struct pr_proc *p, struct err *err);
/* If the process has ended, call dt_exec_opts.ended.  Before pr_proc_drop(). */
void pr_descendants_tell_end(struct pr_exec *x, const struct pr_proc *p);

/* wakeup.c: a thread that waits for pr_head.wakeups after pr_wakeup_watch(),
 * and holds pr_head.gate. */
struct pr_wakeup;
CHECKED struct pr_wakeup *pr_wakeup_create(struct err *err);
void pr_wakeup_watch(struct pr_wakeup *w, struct pr_head *head);
void pr_wakeup_destroy(struct pr_wakeup *w);
uint32_t pr_wakeup_tid(const struct pr_wakeup *w);
int pr_wakeup_fd(const struct pr_wakeup *w);
void pr_wakeup_clear(struct pr_wakeup *w);

/* agg.c: members of dt_exec_ops. */
int pr_agg_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
int pr_agg_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
void pr_agg_fill(
    struct dt_exec *e, uint32_t agg_id, uint64_t *used, uint64_t *room);
bool pr_aggs_are_filling(const struct dt_exec *e);

#endif
