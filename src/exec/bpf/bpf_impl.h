/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_BPF_IMPL_H
#define EXEC_BPF_BPF_IMPL_H

/*
 * The kernel substrate at run time: what bpf.c (load, go, stop), maps.c,
 * drain.c and aggmap.c share.
 */
#include "exec/bpf/attach.h"
#include "exec/bpf/tr.h"
#include "exec/drain.h"
#include "exec/runtime/tsc.h"

struct bx_uarg;

struct bx_map {
	char *sym;
	int fd;
};

/* A group: its translation, program, and how it fires. */
struct bx_group {
	struct bx_tr tr;
	struct bx_asm elem; /* rt_elem(), as it is linked to tr's code */
	struct bl_image image;
	uint32_t group;
	bool sleeps;		/* its program may give way to other threads */
	bool grows;		/* probes may come while tracing */
	size_t narmed;		/* of tr.probes, the first */
	size_t nasked;		/* the same, of those that programs ask about */
	VEC(int) progs;		/* one, or (tr.is_patched) one per probe */
	struct bl_image *parts; /* of each of tr.parts, loaded; or NULL */
	int timer_fd;		/* tick: -1 otherwise */
	struct bx_fds armed;	/* closing these disarms */
	char *ents;		/* the table, mapped, if tr.has_table */
	size_t ents_len;
	uint32_t nents;		/* probes that it has room for */
};

struct bx_exec {
	struct dt_exec e; /* first */
	struct plan *pl;
	struct dt_exec_opts opts;
	struct diags *diags;
	struct bx_layout lo;
	struct bx_group *groups;
	size_t ngroups;
	struct bx_group vtime;		/* no programs when not used */
	struct bx_group hold;		/* the same */
	struct bx_places *places;	/* of uprobes, see site.h */
	struct pr_yes *yes;		/* NULL: no program asks */
	uint64_t loads;			/* of ctl, when we last looked */
	VEC(struct bx_map) maps;
	bool may_grow;
	size_t nlate;			/* of pl->late, the first: done */
	uint32_t strs_size;		/* of rtm_strs */
	struct {			/* rtm_usdt, see usdt.c */
		struct bx_uarg *v;
		size_t len;
		uint32_t n, want;	/* descriptions: room for, needed */
	} usdt;
	char *link_error;		/* why a map or constant is not to be had */
	uint64_t *stuck;		/* per CPU: machine states that are not
					 * waited for any more */
	struct exec_bufs bufs;		/* a CPU's each; their size is final
					 * once they are there */

	/* mapped */
	struct bx_ctl *ctl;
	size_t ctl_len;
	char *pcpu;			/* struct bx_pcpu[ncpus] */
	size_t pcpu_len;
	size_t bufs_len;
	VEC(struct bx_cells {		/* per aggregation; p NULL: has keys */
		char *p;
		size_t len;
	}) cells;
	volatile uint64_t *bell_consumer, *bell_producer;
	int bell_fd;

	VEC(struct bx_counter {		/* of CPUs, see tsc.c */
		enum bx_clock clk;
		uint32_t cpu;
		int fd;
	}) counters;
	struct exec_tsc tsc_first;
	struct bx_unwind *unwind;	/* unwtab.c; NULL: not used */
	struct bx_rests *rests;		/* unwind_finish.c; the same */
	struct bx_helpers *helpers;	/* helper.c; the same */

	uint64_t start_ns;		/* when probes began to fire */
	uint64_t stop_ns;
	/* idle.c: [ncpus]; NULL: no profile probe */
	struct cpu_ticks *start_ticks, *stop_ticks;

	int hotplug_fd;			/* base/cpuwatch.h; < 0: none */
	struct bx_presence {		/* of each CPU, see hotplug.c */
		bool is_gone;
		uint64_t since_ns, away_ns;
	} *presence;
};

static inline struct bx_exec *
bx_of(const struct dt_exec *e)
{
	return (struct bx_exec *)(uintptr_t)e;
}

#define BX_BUF_MAX (256ULL << 20)	/* half of what the verifier follows an
					 * offset to (BPF_MAX_VAR_OFF) */

/* maps.c: the map behind a symbol, created on first use; -1 with errno. */
int bx_map_fd(struct bx_exec *x, const char *sym);
int bx_map_find(const struct bx_exec *x, const char *sym); /* -1: not created */
/* Why a map could not be created, in the user's terms. */
char *bx_map_error(const struct bx_exec *x, const char *sym, int err);
char *bx_no_permission(void);
/* rtm_strs <- the strings that there are now; -errno. */
int bx_strs_renew(struct bx_exec *x);
/* An array of `n` values of `size` bytes; -errno. */
int bx_map_array(uint32_t size, uint32_t n, uint32_t flags, const char *name);
/* The map of a symbol was created elsewhere: it is ours from here on. */
void bx_map_take(struct bx_exec *x, const char *sym, int fd);
/* Map control page, counters, buffers and bell into our memory. */
int bx_maps_attach(struct bx_exec *x, char **msg);
void bx_maps_close(struct bx_exec *x);
struct bx_pcpu *bx_pcpu(const struct bx_exec *x, uint32_t cpu);

/* A new group, of which the probe will be; groups move. */
struct bx_group *bx_group_create(struct bx_exec *x, const struct dt_probe *p);
/* Among the groups from `first` on: the one of the probe, which is in it, and so
 * is the clause.  Clauses come in the order of the program. */
struct bx_group *bx_group_add(struct bx_exec *x, size_t first,
    const struct plan_clause *pc, const struct dt_probe *p);
void bx_group_take(struct bx_group *g, const struct dt_probe *p);
/* split.c: groups whose steps are too much for one program become several. */
void bx_groups_split(struct bx_exec *x);
/* Translate and load the groups from `first` on, and what is patched for new
 * probes of those before. */
int bx_groups_load(struct bx_exec *x, size_t first, char **msg);
/* A program that the kernel is to load. */
struct bx_program {
	const struct bl_image *image;
	const struct bx_asm *a; /* its main function */
	const char *name;	/* of the probe */
};
/* Link a function of the group's with those of the runtime.  Load what was
 * linked: returns a descriptor. */
int bx_function_link(struct bx_exec *x, struct bx_group *g,
    const struct bx_asm *a, struct bl_image *image, char **msg);
int bx_program_load(struct bx_exec *x, const struct bx_group *g,
    const struct bx_program *pr, const struct dt_probe *target, char **msg);
/* partload.c: the parts of the group are loaded, unless they are already. */
int bx_parts_load(struct bx_exec *x, struct bx_group *g, char **msg);
void bx_parts_unload(struct bx_group *g);

/* Those of its probes that are not armed yet. */
int bx_group_arm(const struct bx_exec *x, struct bx_group *g, char **msg);

/*
 * table.c: a group's table, with the names of its probes: when all groups are
 * translated and before any of them is linked, since names are strings.
 */
int bx_table_create(struct bx_exec *x, struct bx_group *g, char **msg);
/* What the plan had at its start is enabled in the tables. */
void bx_tables_enable(struct bx_exec *x);
/* A clause of the group is enabled on a probe that has come. */
void bx_table_add(struct bx_group *g, const struct plan_clause *pc,
    const struct dt_probe *p, uint32_t epid);
void bx_table_close(struct bx_group *g);

/* usdt.c: the arguments of sites of all groups are in their map, before it is
 * linked and when probes have come. */
int bx_usdt_renew(struct bx_exec *x, char **msg);
void bx_usdt_close(struct bx_exec *x);

/* usdt_is_enabled.c: programs that ask about probes which are armed by now are told yes,
 * until _close(); and dt_exec_ops. */
int bx_asked_armed(struct bx_exec *x, char **msg);
void bx_asked_close(struct bx_exec *x);
int bx_met(struct dt_exec *e, char **msg);
void bx_let_go(struct dt_exec *e, pid_t pid);
/* death.c: struct dt_exec_ops.look_back */
void bx_look_back(const struct dt_exec *e, pid_t pid,
    const struct kmsg_fault *f, struct dt_last_place *out);

/* grow.c: what may be needed later, before maps are attached; and dt_exec_ops. */
int bx_grow_prepare(struct bx_exec *x, char **msg);
int bx_grow(struct dt_exec *e, char **msg);

/* Wait until programs that run now have ended; for those that wait for a page,
 * 100 ms at most, and once each.  A program that may wait is known by its machine
 * state: one that has none yet, or needs none, is not waited for. */
void bx_quiesce(struct bx_exec *x);

/* unwtab.c: tables to unwind user stacks by, for scripts that do. */
int bx_unwind_map(const char *sym);	/* a fd, or -errno */
void bx_unwind_start(struct bx_exec *x);
/* Files that wait to be read, and reading some of them. */
bool bx_unwind_has_work(const struct bx_exec *x);
void bx_unwind_work(struct bx_exec *x);
void bx_unwind_stop(struct bx_exec *x);
/* Where a stack was: the process, the time, and, if not NULL, the file. */
struct bx_unwhere {
	pid_t pid;
	uint64_t time_ns;
	const struct unw_file *file;
};
/* The table of code, which is read if it was not yet; m->rows stays NULL where
 * there is none.  False: it cannot be had as it was then. */
struct ucode;
bool bx_unwind_rows(struct bx_exec *x, const struct bx_unwhere *where,
    const struct ucode *code, struct rt_mapping *m);

/* unwind_finish.c: stacks that led into files without a table are finished. */
int bx_rests_start(struct bx_exec *x, char **msg);
/* Finish those that wait. */
void bx_rests_take(struct bx_exec *x);
void bx_rests_stop(struct bx_exec *x);
/* Were there any? */
bool bx_rests_any(const struct bx_exec *x);
/* Put what is behind the frames of a stored user stack into its place. */
void bx_rest_put(struct bx_exec *x, const struct plan_rec *rec, char *data);
/* The stack, as the program has stored it, will not be read again. */
void bx_rest_forget(
    struct bx_exec *x, const struct plan_rec *rec, const char *data);
/* The record, or *copy, which is it with its stacks finished; valid until the
 * next call. */
const struct dt_record *bx_rest_record(
    struct bx_exec *x, const struct dt_record *rec, struct dt_record *copy);

/* helper.c: what processes bring to name frames, for scripts that ask. */
int bx_helper_map(const char *sym); /* a fd, or -errno */
void bx_helpers_start(struct bx_exec *x);
void bx_helpers_work(struct bx_exec *x);
void bx_helpers_stop(struct bx_exec *x);

/*
 * hcode.c: the helpers of a file as code.  Branches in it go to `at` and on,
 * strings are found from `strs_at`.  0, or -EINVAL with *msg: a helper uses
 * what is not available.
 */
struct bx_hcode {
	VEC(struct bx_hinsn) insns;
	VEC(char) strs;
	uint32_t at, strs_at, strsize;
};
struct dof_helpers;
int bx_hcode_make(
    const struct dof_helpers *h, struct bx_hcode *code, char **msg);

#define BX_LICENSE "Dual BSD/GPL" /* the tracing helpers ask for GPL */

/* cpus.c: the map that curcpu points into. */
int bx_cpus_map(struct bx_exec *x);

/* load_barrier.c: members of dt_exec_bpf; its program. */
int bx_watch_loads(struct dt_exec *e, const struct dt_probe *p,
    char **msg);
bool bx_has_loads(struct dt_exec *e);
void bx_resume(struct dt_exec *e);
int bx_translate_hold(struct bx_tr *t);

/* tsc.c: the map with a counter of each CPU, by its symbol; -errno with
 * x->link_error set. */
int bx_counter_map(struct bx_exec *x, const char *sym);
/* The verifier refuses it to sleepable programs. */
bool bx_is_counter_map(const char *sym);
void bx_counters_close(struct bx_exec *x);
/* The clocks of threads begin now. */
void bx_clocks_start(struct bx_exec *x);
/* A CPU's counters, when it comes and when it goes. */
void bx_counters_come(struct bx_exec *x, uint32_t cpu);
void bx_counters_leave(struct bx_exec *x, uint32_t cpu);

/* hotplug.c: before probes are armed, when all are, whenever dtrace wakes up. */
void bx_hotplug_start(struct bx_exec *x);
void bx_hotplug_armed(struct bx_exec *x);
void bx_hotplug_work(struct bx_exec *x);
void bx_hotplug_close(struct bx_exec *x);
/* Of the time that was traced, when it has ended: how long the CPU was online. */
uint64_t bx_present_ns(const struct bx_exec *x, uint32_t cpu);

/* idle.c: probes begin to fire, and have stopped. */
void bx_idle_begin(struct bx_exec *x);
void bx_idle_end(struct bx_exec *x);
void bx_idle_close(struct bx_exec *x);
/* dt_exec_ops.idle */
unsigned bx_idle(const struct dt_exec *e, uint32_t cpu);
/* The scale of machtimestamp: at load, then whenever dtrace wakes up. */
int bx_tsc_init(struct bx_exec *x, char **msg);
void bx_tsc_renew(struct bx_exec *x);

/* btf.c: what the kernel's BTF knows, read on first use only and kept until
 * bx_kernel_close().  The ids of types by kind (BTF_KIND_*) and name: 0, or -errno if one is
 * not there. */
struct bx_ktype {
	uint32_t kind;
	const char *name;
	uint32_t id;
};
int bx_kernel_types(struct bx_layout *lo, struct bx_ktype *want, size_t n);
int bx_kernel_offset(struct bx_layout *lo, const char *type,
    const char *member, uint64_t *off);
void bx_kernel_close(struct bx_layout *lo);
/* koff.c: the value of the constant `sym`, a row of runtime/rt_koffs.def; 0, or
 * a negative code (with x->link_error set when it is such a row). */
int bx_koff(struct bx_exec *x, const char *sym, uint64_t *value);
/* BTF for a task storage map with values of `size` bytes: fd and type ids. */
int bx_storage_btf(uint32_t size, uint32_t *key_id, uint32_t *value_id);

/* aggmap.c: members of dt_exec_bpf */
int bx_agg_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
int bx_agg_turn(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
void bx_agg_fill(struct dt_exec *e, uint32_t agg_id, uint64_t *used,
    uint64_t *room);
/* How many entries an aggregation with keys has room for. */
uint32_t bx_agg_max(const struct bx_exec *x, const struct plan_agg *pa);
int bx_agg_init(struct bx_exec *x);
/*
 * On each CPU, before probes fire: make room for several new keys at once.
 * -errno: a map keeps the key that was only put there for that.
 */
int bx_maps_warm(const struct bx_exec *x);
int bx_aggs_warm(const struct bx_exec *x);
/* Is there a map that it is for? */
bool bx_maps_have_keys(const struct bx_exec *x);
/* Of one map; a negative fd is none. */
int bx_map_warm(int fd, uint32_t key_size, uint32_t value_size);

#endif
