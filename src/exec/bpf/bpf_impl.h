/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_BPF_IMPL_H
#define EXEC_BPF_BPF_IMPL_H

/*
 * The kernel substrate at run time: the interface between the files of the
 * session.
 */
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/attach.h"
#include "exec/bpf/tr.h"
#include "exec/drain.h"
#include "exec/runtime/tsc.h"

struct bx_uarg;

struct bx_map {
	char *sym;
	int fd;
};

/* A group of probes: its translation, programs and attachments. */
struct bx_group {
	struct bx_facts *facts; /* owned; their probes may become more */
	struct bx_tr tr;
	struct bx_asm elem; /* rt_elem() to link with tr's code */
	struct bl_image image;
	uint32_t group;
	bool sleeps;   /* its program may sleep */
	bool grows;    /* may get probes while tracing */
	size_t narmed; /* of facts->probes, from the first on */
	size_t nasked; /* likewise, told to programs that ask */
	VEC(int)
	progs;			/* one program, or one per probe if
				 * facts->is_patched */
	struct bl_image *parts; /* a loaded image for each of tr.parts; or
				 * NULL */
	int timer_fd;		/* tick: -1 otherwise */
	struct bx_fds armed;	/* closing these disarms */
	char *ents;		/* the table, mapped, if facts->has_table */
	size_t ents_len;
	uint32_t nents; /* probes that fit the table */
};

enum { BX_SELF_FREE, BX_SELF_EXEC, BX_SELF_PROGS };

struct bx_exec {
	struct dt_exec e; /* first */
	struct plan *pl;
	struct dt_exec_opts opts;
	struct diags *diags;
	struct bx_layout lo;
	struct bx_group *groups;
	size_t ngroups;
	struct bx_group vtime;		     /* without programs if not used */
	struct bx_group load_barrier;	     /* likewise */
	struct bx_group family;		     /* likewise */
	struct bx_group self[BX_SELF_PROGS]; /* likewise */
	struct bx_places *places;	     /* places of uprobes, see site.h */
	/* NULL: no program asks if a probe is enabled */
	struct pr_is_enabled *usdt_is_enabled;
	uint64_t loads; /* ctl->loads at dtrace's last look */
	VEC(struct bx_map) maps;
	bool may_grow;
	/* option follow: the processes of -c and -p; ctl->followed at the last
	 * deletion of ended ones; loaders of all processes that are armed */
	VEC(pid_t) roots;
	uint64_t nfollowed;
	bool has_told_family, is_raised;
	int nice; /* dtrace's own, before it was raised */
	VEC(const struct dt_probe *) loaders;
	size_t nlate;	    /* of pl->late, those done */
	uint32_t strs_size; /* of rtm_strs */
	struct {	    /* the map rtm_usdt, see usdt.c */
		struct bx_uarg *v;
		size_t len;
		uint32_t n, want; /* descriptions that fit, and needed
					 * ones */
	} usdt;
	char *link_error;      /* why a map or constant is not
					 * available */
	uint64_t *stuck;       /* per CPU: machine states that
					 * bx_quiesce() waits for no more */
	struct exec_bufs bufs; /* one per CPU; `size` is final once
					 * they are created */

	/* mapped */
	struct bx_ctl *ctl;
	size_t ctl_len;
	char *pcpu; /* struct bx_pcpu[ncpus] */
	size_t pcpu_len;
	size_t bufs_len;
	VEC(struct bx_cells { /* per aggregation; p NULL: has keys */
		char *p;
		size_t len;
	})
	cells;
	volatile uint64_t *wakeup_consumer, *wakeup_producer;
	int wakeup_fd;

	VEC(struct bx_counter { /* one per CPU and clock, see
					 * counters.c */
		enum bx_clock clk;
		uint32_t cpu;
		int fd;
	})
	counters;
	struct exec_tsc tsc_first;
	struct bx_unwind *unwind;		/* unwtab.c; NULL: not used */
	struct bx_unwind_finish *unwind_finish; /* NULL: not used */
	struct bx_helpers *helpers;		/* helper.c; NULL: not used */

	uint64_t start_ns; /* when probes began to fire */
	uint64_t stop_ns;
	/* idle.c: [ncpus]; NULL: no profile probe */
	struct cpu_ticks *start_ticks, *stop_ticks;

	int hotplug_fd;	     /* base/cpuwatch.h; < 0: none */
	struct bx_presence { /* per CPU, see hotplug.c */
		bool is_gone;
		uint64_t since_ns, away_ns;
	} * presence;
};

static inline struct bx_exec *
bx_of(const struct dt_exec *e)
{
	return (struct bx_exec *)(uintptr_t)e;
}

#define BX_BUF_MAX                                                             \
	(256ULL << 20) /* half of the largest offset that the
					 * verifier tracks (BPF_MAX_VAR_OFF) */

/* maps.c: the map of a symbol, created on first use; -1 with errno. */
int bx_map_fd(struct bx_exec *x, const char *sym);
int bx_map_find(const struct bx_exec *x, const char *sym); /* -1: not created */
/* Describe to the user why a map could not be created. */
char *bx_map_error(const struct bx_exec *x, const char *sym, int err);
char *bx_no_permission(void);
/* Write all current strings to rtm_strs; -errno. */
int bx_strs_renew(struct bx_exec *x);
/* Create an array of `n` values of `size` bytes; -errno. */
int bx_map_array(uint32_t size, uint32_t n, uint32_t flags, const char *name);
/* Record a map that another function created for the symbol.  Takes `fd`. */
void bx_map_take(struct bx_exec *x, const char *sym, int fd);
/* Map control page, counters, buffers and wakeups into our memory. */
CHECKED int bx_maps_attach(struct bx_exec *x, struct err *err);
void bx_maps_close(struct bx_exec *x);
struct bx_pcpu *bx_pcpu(const struct bx_exec *x, uint32_t cpu);

/* session.c: members of dt_exec_ops. */
CHECKED int bx_load(struct plan *pl, const struct dt_exec_opts *opts,
    struct diags *diags, struct dt_exec **outp, struct err *err);
void bx_destroy(struct dt_exec *e);

/* groups.c.  bx_groups_make(): make groups of all probes of the plan.
 * bx_groups_finish(): decide what depends on all probes of the groups from
 * `first` on. */
void bx_group_init(struct bx_group *g);
void bx_group_fini(struct bx_group *g);
CHECKED int bx_groups_make(struct bx_exec *x, struct err *err);
void bx_groups_finish(struct bx_exec *x, size_t first);
/* Create a group for the probe.  This moves the other groups. */
struct bx_group *bx_group_create(struct bx_exec *x, const struct dt_probe *p);
/* Add the probe and the clause to the group of the probe, searched from `first`
 * on or created.  Call it with clauses in the order of the program. */
struct bx_group *bx_group_add(struct bx_exec *x, size_t first,
    const struct plan_clause *pc, const struct dt_probe *p);
void bx_group_take(struct bx_group *g, const struct dt_probe *p);
/* split.c: split groups whose steps are too large for one program. */
void bx_groups_split(struct bx_exec *x);
/* load.c.  Translate and load the groups from `first` on; for the groups
 * before, load the patched programs of new probes. */
CHECKED int bx_groups_load(struct bx_exec *x, size_t first, struct err *err);
/* Load the programs that no probe of the plan has: of the threads' clocks, and
 * of the load barrier.  Nothing is loaded if the plan does not use them. */
CHECKED int bx_vtime_load(struct bx_exec *x, struct err *err);
CHECKED int bx_load_barrier_load(struct bx_exec *x, struct err *err);
/* May work go on after a step that returned `rc`?  0, `rc`, or -EINTR with
 * *err: dtrace is to end. */
CHECKED int bx_may_go_on(struct err *err, int rc);
/* A program to load. */
struct bx_program {
	const struct bl_image *image;
	const struct bx_asm *a; /* its main function */
	const char *name;	/* the probe's */
};
/* bx_function_link(): link a function of the group with the runtime's
 * functions.  bx_program_load(): load a linked image; returns a descriptor. */
CHECKED int bx_function_link(struct bx_exec *x, struct bx_group *g,
    const struct bx_asm *a, struct bl_image *image, struct err *err);
CHECKED int bx_program_load(struct bx_exec *x, const struct bx_group *g,
    const struct bx_program *pr, const struct dt_probe *target,
    struct err *err);
/* partload.c: load the parts of the group, unless they are loaded. */
CHECKED int bx_parts_load(
    struct bx_exec *x, struct bx_group *g, struct err *err);
void bx_parts_unload(struct bx_group *g);

/* arm.c.  Arm the probes of the group that are not armed yet. */
CHECKED int bx_group_arm(
    const struct bx_exec *x, struct bx_group *g, struct err *err);
CHECKED int bx_vtime_arm(struct bx_exec *x, struct err *err);
/* Disarm all groups. */
void bx_disarm(struct bx_exec *x);
/* drops.c, dump.c: members of dt_exec_ops. */
uint64_t bx_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu);
void bx_dump(struct dt_exec *e, struct strbuf *out);

/*
 * table.c: create a group's table, with the names of its probes.  Call it after
 * all groups are translated and before any of them is linked, since names are
 * strings.
 */
CHECKED int bx_table_create(
    struct bx_exec *x, struct bx_group *g, struct err *err);
/* Enable in the tables all clauses that the plan had at its start. */
void bx_tables_enable(struct bx_exec *x);
/* Enable a clause of the group on a probe that was added while tracing. */
void bx_table_add(struct bx_group *g, const struct plan_clause *pc,
    const struct dt_probe *p, uint32_t epid);
void bx_table_close(struct bx_group *g);

/* usdt.c: write the arguments of all groups' sites to their map.  Call it
 * before the map is linked and after probes were added. */
CHECKED int bx_usdt_renew(struct bx_exec *x, struct err *err);
void bx_usdt_close(struct bx_exec *x);

/*
 * usdt_is_enabled.c: bx_is_enabled_armed() makes programs that ask about armed
 * probes read yes, until bx_is_enabled_close().  bx_met() and bx_let_go() are
 * members of dt_exec_code_ops.
 */
CHECKED int bx_is_enabled_armed(struct bx_exec *x, struct err *err);
void bx_is_enabled_close(struct bx_exec *x);
CHECKED int bx_met(struct dt_exec *e, struct err *err);
void bx_let_go(struct dt_exec *e, pid_t pid);
/* death.c: struct dt_exec_ops.look_back */
void bx_look_back(const struct dt_exec *e, pid_t pid,
    const struct kmsg_fault *f, struct dt_last_place *out);

/* grow.c.  bx_grow_prepare(): reserve what later probes may need; call it
 * before maps are attached.  bx_grow() is a member of dt_exec_ops. */
CHECKED int bx_grow_prepare(struct bx_exec *x, struct err *err);
CHECKED int bx_grow(struct dt_exec *e, struct err *err);

/*
 * quiesce.c.  Wait until programs that run now have ended; for programs that
 * wait for a page, 100 ms at most, and once each.  The machine state marks a
 * program that may wait: bx_quiesce() does not wait for one that has none yet
 * or needs none.
 */
void bx_quiesce(struct bx_exec *x);
/* Function that bx_visit_cpus() calls on each CPU, until *rc is not 0.  NULL:
 * dtrace only runs there. */
typedef int bx_visit_f(const struct bx_exec *x);
bool bx_visit_cpus(const struct bx_exec *x, bx_visit_f *f, int *rc);

/* unwtab.c: tables to unwind user stacks with, for scripts that do. */
int bx_unwind_map(const char *sym); /* a fd, or -errno */
void bx_unwind_start(struct bx_exec *x);
/* Are there files to read?  bx_unwind_work() reads some of them. */
bool bx_unwind_has_work(const struct bx_exec *x);
void bx_unwind_work(struct bx_exec *x);
void bx_unwind_stop(struct bx_exec *x);
/* A stack's process, its time, and its file if that is known. */
struct bx_unwhere {
	pid_t pid;
	uint64_t time_ns;
	const struct unw_file *file;
};
/* Find the table of code, read on first use; m->rows stays NULL if there is
 * none.  False: the code as it was then is not available. */
struct ucode;
bool bx_unwind_rows(struct bx_exec *x, const struct bx_unwhere *where,
    const struct ucode *code, struct rt_mapping *m);

/* unwind_finish.c: finish stacks that lead into files without a table. */
CHECKED int bx_unwind_finish_start(struct bx_exec *x, struct err *err);
/* Finish the stacks that programs have copied. */
void bx_unwind_finish_take(struct bx_exec *x);
void bx_unwind_finish_stop(struct bx_exec *x);
/* Has any stack been copied? */
bool bx_unwind_finish_any(const struct bx_exec *x);
/* Append the missing frames to a stored user stack. */
void bx_unwind_finish_put(
    struct bx_exec *x, const struct plan_rec *rec, char *data);
/* Free the frames kept for a stored stack, which will not be read again. */
void bx_unwind_finish_forget(
    struct bx_exec *x, const struct plan_rec *rec, const char *data);
/* Returns `rec`, or *copy with the stacks of `rec` finished; valid until the
 * next call. */
const struct dt_record *bx_unwind_finish_record(
    struct bx_exec *x, const struct dt_record *rec, struct dt_record *copy);

/* helper.c: helpers of processes name frames, for scripts that ask. */
int bx_helper_map(const char *sym); /* a fd, or -errno */
void bx_helpers_start(struct bx_exec *x);
void bx_helpers_work(struct bx_exec *x);
void bx_helpers_stop(struct bx_exec *x);

/*
 * hcode.c: translate the helpers of a file to code.  The code will stand at
 * `at`, its strings at `strs_at`.  0, or -EINVAL with *err: a helper uses
 * something that is not available.
 */
struct bx_hcode {
	VEC(struct bx_hinsn) insns;
	VEC(char) strs;
	uint32_t at, strs_at, strsize;
};
struct dof_helpers;
CHECKED int bx_hcode_make(
    const struct dof_helpers *h, struct bx_hcode *code, struct err *err);

#define BX_LICENSE "Dual BSD/GPL" /* the tracing helpers ask for GPL */

/* cpus.c: create the map that curcpu points into. */
int bx_cpus_map(struct bx_exec *x);

/* load_barrier.c: members of dt_exec_bpf, and the program that waits. */
CHECKED int bx_watch_loads(
    struct dt_exec *e, pid_t pid, const struct dt_probe *p, struct err *err);
bool bx_has_loads(struct dt_exec *e);
/* features.c: struct dt_exec_ops.each_feature */
void bx_each_feature(dt_wants_feature_f *wants, dt_feature_f *f, void *arg);
void bx_resume(struct dt_exec *e);
int bx_translate_load_barrier(struct bx_tr *t);

/* family.c, emit/family.c: option follow.  bx_root_of() is a member of
 * dt_exec_code_ops. */
int bx_family_map(void); /* a fd, or -errno */
CHECKED int bx_family_load(struct bx_exec *x, struct err *err);
CHECKED int bx_family_arm(struct bx_exec *x, struct err *err);
void bx_family_work(struct bx_exec *x);
void bx_family_disarm(struct bx_exec *x);
pid_t bx_root_of(const struct dt_exec *e, pid_t pid);
int bx_translate_family(struct bx_tr *t);

/* self.c, emit/self.c: thread-local variables that processes reach, too. */
extern const char *const bx_self_tracepoints[BX_SELF_PROGS];
CHECKED int bx_self_programs_load(struct bx_exec *x, struct err *err);
CHECKED int bx_self_arm(struct bx_exec *x, struct err *err);
int bx_translate_self(struct bx_tr *t, bool is_exec);

/* counters.c: the map with a counter of each CPU, by its symbol; -errno with
 * x->link_error set. */
int bx_counter_map(struct bx_exec *x, const char *sym);
/* Does the symbol name such a map?  The verifier refuses it to sleepable
 * programs. */
bool bx_is_counter_map(const char *sym);
void bx_counters_close(struct bx_exec *x);
/* Start the clocks of threads. */
void bx_clocks_start(struct bx_exec *x);
/* Open and close the counters of a CPU that comes or goes. */
void bx_counters_come(struct bx_exec *x, uint32_t cpu);
void bx_counters_leave(struct bx_exec *x, uint32_t cpu);

/* hotplug.c: call these before probes are armed, after all are armed, at each
 * wake-up of dtrace, and at the end. */
void bx_hotplug_start(struct bx_exec *x);
void bx_hotplug_armed(struct bx_exec *x);
void bx_hotplug_work(struct bx_exec *x);
void bx_hotplug_close(struct bx_exec *x);
/* The time that the CPU was online while tracing.  Call it after tracing. */
uint64_t bx_present_ns(const struct bx_exec *x, uint32_t cpu);

/*
 * idle.c: called when probes begin to fire, when they have stopped, at the end.
 */
void bx_idle_begin(struct bx_exec *x);
void bx_idle_end(struct bx_exec *x);
void bx_idle_close(struct bx_exec *x);
/* dt_exec_ops.idle */
unsigned bx_idle(const struct dt_exec *e, uint32_t cpu);
/* Set the scale of machtimestamp: at load, then at each wake-up of dtrace. */
CHECKED int bx_tsc_init(struct bx_exec *x, struct err *err);
void bx_tsc_renew(struct bx_exec *x);

/*
 * btf.c: queries of the kernel's BTF, which is read on first use and kept until
 * bx_kernel_close().  bx_kernel_types(): find the ids of types by kind
 * (BTF_KIND_*) and name; 0, or -errno if one does not exist.
 */
struct bx_ktype {
	uint32_t kind;
	const char *name;
	uint32_t id;
};
int bx_kernel_types(struct bx_layout *lo, struct bx_ktype *want, size_t n);
int bx_kernel_offset(
    struct bx_layout *lo, const char *type, const char *member, uint64_t *off);
void bx_kernel_close(struct bx_layout *lo);
/* pidns.c: find the PID namespace that dtrace is in. */
CHECKED int bx_pidns_find(struct bx_exec *x, struct err *err);
/* koff.c: the value of the constant `sym`, a row of runtime/rt_koffs.def.  0,
 * or a negative code; for such a row x->link_error is then set. */
int bx_koff(struct bx_exec *x, const char *sym, uint64_t *value);
/* Load BTF for a task storage map with values of `size` bytes; sets the type
 * ids, returns the descriptor. */
int bx_storage_btf(uint32_t size, uint32_t *key_id, uint32_t *value_id);

/* aggmap.c: members of dt_exec_bpf */
int bx_agg_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
int bx_agg_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
void bx_agg_fill(
    struct dt_exec *e, uint32_t agg_id, uint64_t *used, uint64_t *room);
/* The number of entries that an aggregation with keys has room for. */
uint32_t bx_agg_max(const struct bx_exec *x, const struct plan_agg *pa);
uint64_t bx_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu);
uint64_t bx_most(const struct dt_exec *e, enum dt_drop kind);
int bx_agg_init(struct bx_exec *x);
/*
 * Make room for several new keys at once, on this CPU.  Call it on each CPU
 * before probes fire. -errno: a map keeps the key that was only inserted for
 * this.
 */
int bx_maps_warm(const struct bx_exec *x);
int bx_aggs_warm(const struct bx_exec *x);
/* Is there a map to warm? */
bool bx_maps_have_keys(const struct bx_exec *x);
/* Warm one map; a negative fd is ignored. */
int bx_map_warm(int fd, uint32_t key_size, uint32_t value_size);

#endif
