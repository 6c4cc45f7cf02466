/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_DT_IMPL_H
#define LIBDTRACE_DT_IMPL_H

/* Declarations shared by the files of libdtrace/. */
#include <signal.h>
#include <sys/types.h>
#include <sys/utsname.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "codegen/codegen.h"
#include "consume/consume.h"
#include "consume/ksyms.h"
#include "exec/exec.h"
#include "exec/replay/replay.h"
#include "libdtrace/dt.h"
#include "libdtrace/libscan.h"
#include "libdtrace/options.h"
#include "record/record.h"
#include "sym/usyms.h"
#include "tape/tape.h"

struct kmsg_faults;

/* A recording (-r). */
struct dt_tape {
	char *path;
	struct record *file;
	struct dif_prog *dif;
	struct tape_player *player; /* from dt_go() on; of a query: always */
	size_t ntold;		    /* damaged parts */
	/* query.c: the recorded plan.  Adding shift_ns to a time of this
	 * recording gives the time that all recordings share. */
	struct plan *plan;
	uint64_t shift_ns;
	bool is_over;
	uint64_t next_ns; /* shared time of the next event */
};

/* A process of -c or -p. */
struct dt_proc {
	pid_t pid;
	int pidfd;	 /* readable once the process has ended */
	char *cwd;	 /* when dtrace got it; "": unknown */
	bool is_created; /* child of dtrace: killed by dt_close() */
	int status;	 /* has_ended: as from wait(2); -1: unknown */
	bool is_held;	 /* ptrace-stopped until dt_proc_continue() */
	bool is_turned;	 /* its standard output is standard error */
	bool has_ended;
	bool is_forgotten; /* its end is ignored */
	bool has_debugger; /* stuck.c: the debugger has been reported */
	unsigned nstuck;   /* stuck.c: number of looks that found it
				 * stopped */
};

/* A clause's probes: each of them once, in the order of the descriptions. */
struct dt_match {
	VEC(const struct dt_probe *) probes;
	bool *is_met;	/* for each description: it has matched a probe */
	size_t nlooked; /* dt_registry_match_new(): probes already considered */
	/* option follow: a description without a process means probes that the
	 * processes of -c and -p bring */
	bool is_brought;
};

/* A compiled text. */
struct dt_prog {
	struct dif_prog *dif;
	struct dt_match *matches; /* one per clause */
	const char *name, *text;  /* struct consume_source; in the arena */
	size_t first_clause;	  /* in the plan, if enabled */
	bool is_enabled;	  /* the plan points into it */
	bool is_library;
};

/* A probe that a library declares and this kernel cannot support. */
struct dt_missing {
	char *prov, *name, *why;
};

enum dt_dump {
#define DT_DUMP(NAME, name) DT_DUMP_##NAME,
#include "libdtrace/dumps.def"
#undef DT_DUMP
	DT_DUMP_MAX
};

/* A message of the compiler; the texts are malloced. */
struct dt_diag {
	const char *tag;
	uint32_t line, column, len; /* line 0: no place */
	char *file, *msg, *hint;    /* file, hint: or NULL */
};

struct dt_hdl {
	struct dt_options opts;
	uint64_t opened_ns; /* monotonic; for dt_log() */
	bool is_verbose;    /* dt_set_verbose() */
	bool wants_color;   /* dt_color(); option color can say otherwise */

	/* compile.c: spans, types and trees outlive a single compile. */
	struct {
		struct arena arena;
		struct diags diags;
		struct cg_session *cg;
		VEC(struct dt_prog *) progs;
		/* Source of the kernel's types: "" is the running kernel; NULL:
		 * not imported yet. */
		const char *types_path;
		/* The program came as DOF: no other may be added. */
		bool has_dof;
	} compiled;

	struct dt_libs *libs; /* lib.c; NULL: not opened yet */

	/* match.c, derive.c: the probes that descriptions can select. */
	struct {
		struct dt_registry *registry;
		VEC(struct dt_missing) missing;
		bool lists_names; /* dt_list_names() */
		size_t nrefused;  /* number of refusals of the registry
				   * reported */
	} probes;

	/* The program that runs, and the substrate that runs it. */
	struct plan *plan;
	const struct dt_exec_ops *ops;
	struct dt_exec *exec;

	/* recording.c: option record; NULL: none */
	struct tape_recorder *recorder;
	bool has_recorded; /* to its end */

	/* replay.c: the recordings of -r; none: dtrace traces */
	struct {
		VEC(struct dt_tape) tapes;
		uint32_t frames, uframes; /* that stacks of all have at most */
		bool is_query;		  /* new programs run over them */
		/* query_read.c: several tapes have one book */
		struct consume_book book;
		uint64_t now_ns; /* shared time of the last firing */
		char *hosts, *kernels;
		/* replays.c: one more handle for each further -r */
		VEC(struct dt_hdl *) others;
		bool is_one_of_several;
		int status; /* the first status of `others` that is not 0 */
	} replay;

	struct dt_fleet *fleet; /* fleet.c; NULL: this machine is traced */

	/* proc.c: the processes of -c and -p. */
	struct {
		VEC(struct dt_proc) list;
		size_t nalive, nforgotten;
		bool has_output;
		int output_fd; /* of commands, if has_output */
		/* Called when list.v[i] has ended. */
		void (*on_end)(void *arg, size_t i);
		void *on_end_arg;
	} procs;
	struct exec_cgroup cgroup; /* option cgroup, once loaded */

	/* symbols.c: names of addresses in processes, made when needed. */
	struct {
		struct sym_cache *cache;
		struct usyms *usyms;
		struct sideband *sideband;
		VEC(pid_t) noted; /* processes that symbols.c reads */
	} symbols;

	/* grow.c: code that appears while tracing. */
	struct {
		bool is_followed;
		bool has_lost;	 /* events were lost: read all
					 * processes */
		VEC(pid_t) pids; /* processes that have mapped files */
		VEC(struct dt_new_file) files; /* the mapped files */
		VEC(pid_t) executed; /* they have mapped no file since */
		bool has_told_made;
		uint64_t ntold; /* of dt_usdt_ngone() */
	} growth;

	VEC(pid_t) watched; /* loads.c: processes that may load code */

	/* ending.c: how processes end. */
	struct {
		int kmsg_fd; /* the kernel's log; -1: it cannot be read */
		struct kmsg_faults *faults; /* in the log */
		bool is_bad;		    /* a signal ended a process */
	} ending;

	/* messages.c: texts for the user. */
	struct {
		struct strbuf error;	   /* dt_errmsg() */
		struct strbuf classic;	   /* dt_errclassic() */
		VEC(struct dt_diag) diags; /* of `error` */
		struct strbuf notices, shown_notices;
		bool has_told_legacy; /* dt_notice_legacy() */
	} messages;

	struct {
		FILE *out;
		bool stages[DT_DUMP_MAX];
	} dump;

	/* The output of data. */
	struct {
		struct consumer *consumer;
		struct consumer *formatter; /* used without a consumer; or
					     * NULL */
		struct plan *format_plan;   /* plan of the formatter */
		uint32_t agg_keep;	    /* AGG_KEEP_* */
		const struct consume_hooks *hooks; /* of the published API */
		void *hooks_arg;
		const char *name; /* of the output's file, or NULL */
		FILE *before;	  /* option flamediff, or NULL */
		struct consume_run run;
		struct utsname uts;		    /* of `run` */
		VEC(struct consume_source) sources; /* run.sources */
		VEC(const char *) remarks;	    /* run.remarks */
		bool is_typed; /* hooks->event() gets records and rows */
		ksyms_lookup_f *lookup; /* of kernel addresses, or NULL */
		void *lookup_arg;
		struct dt_listen *listen; /* option listen, or NULL */
	} output;

	/* Times of the next work: ns, monotonic. */
	struct {
		uint64_t buffers, aggs, status, stuck, gone;
		uint64_t held; /* for records held back at the last switch; 0:
				* none */
		uint64_t clean, clean_ns; /* cleanrate; 0: no speculations */
		uint64_t refresh, refresh_ns; /* aggrefresh; 0: output is no
					       * terminal */
	} due;

	/* Descriptors to wait on.  dt_interrupt() writes the first two from a
	 * signal handler. */
	struct {
		volatile sig_atomic_t is_interrupted;
		int interrupt_fd;
		int epoll_fd;  /* interrupt_fd and the pidfds */
		int error;     /* -errno of the last dt_sleep(), or 0 */
		int ctl_fd;    /* dt_ctl_fd(); -1: not requested yet */
		int ctl_timer; /* in ctl_fd: the end of dt_sleep() */
	} wait;

	/* The end of tracing. */
	struct {
		bool is_stopped, is_ended, is_done;
		int status; /* of exit() */
	} end;
};

/* Set the message of a failure.  Returns -1. */
int dt_fail(struct dt_hdl *h, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* As dt_fail(), with a malloced message that the handle takes over. */
int dt_fail_err(struct dt_hdl *h, struct err *err);
void dt_forget_diags(struct dt_hdl *h); /* of the last failure */
/* Close *fd, unless it is negative, and set it to -1. */
void dt_fd_close(int *fd);
/* Option debug: a line on stderr, with the time since dt_open(). */
void dt_log(struct dt_hdl *h, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Some system calls have a successor, which today's programs make instead.
 * Give a notice of the first clause on such a call, if no clause is on its
 * successor.
 */
void dt_notice_legacy(struct dt_hdl *h, const struct dt_prog *p);
/* Add a line to dt_notices(). */
void dt_notice(struct dt_hdl *h, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static inline int64_t
dt_opt(const struct dt_hdl *h, enum dt_opt opt)
{
	return dt_options_num(&h->opts, opt);
}

static inline bool
dt_opt_flag(const struct dt_hdl *h, enum dt_opt opt)
{
	return dt_options_flag(&h->opts, opt);
}

/*
 * Make this thread work for the handle: the handle's limits apply, and
 * dt_interrupt() stops it, until the caller restores the previous flag.
 */
static inline bounds_flag *
dt_watch(const struct dt_hdl *h)
{
	bounds_set_max((uint64_t)dt_opt(h, DT_OPT_ANALYSISMAX));
	return bounds_watch(&h->wait.is_interrupted);
}

/* Epoll data of the events; for processes, their pid. */
#define DT_EV_INTERRUPT 0
#define DT_EV_SIDEBAND UINT64_MAX
#define DT_EV_LISTEN (UINT64_MAX - 1)

/* setopt.c */
extern const char *const dt_dump_names[DT_DUMP_MAX];
/*
 * recording.c: begin the recording that option record asks for, once the
 * substrate is loaded: 0, or -1.
 */
int dt_record_start(struct dt_hdl *h);
/* END has fired; all is printed, and the status is known. */
void dt_record_stopped(struct dt_hdl *h);
void dt_record_end(struct dt_hdl *h);

/* replay.c: the steps of dt_go() and dt_work() in a replay. */
bool dt_is_replay(const struct dt_hdl *h);
bool dt_replay_takes(enum dt_opt opt);
int dt_replay_go(struct dt_hdl *h);
enum dt_work dt_replay_work(struct dt_hdl *h, FILE *out);
void dt_replay_close(struct dt_hdl *h);
int dt_replay_check_option(struct dt_hdl *h, const char *name);

/* fleet.c: dt_go(), dt_sleep() and dt_work() of a fleet. */
int dt_fleet_go(struct dt_hdl *h);
void dt_fleet_sleep(struct dt_hdl *h);
enum dt_work dt_fleet_work(struct dt_hdl *h, FILE *out);
void dt_fleet_close(struct dt_hdl *h);
struct tape_merge *dt_fleet_merge(const struct dt_hdl *h);

/* enable.c: make the plan, unless there is one. */
void dt_need_plan(struct dt_hdl *h);
/* consumer.c: begin to serve what option listen asks for.  0, or -1. */
CHECKED int dt_serve(struct dt_hdl *h);
/* flamediff.c: open what option flamediff names.  0, or -1. */
CHECKED int dt_flamediff_open(struct dt_hdl *h);
/* go.c: report places that cannot be probed, since the last report. */
void dt_tell_refusals(struct dt_hdl *h);
/*
 * work.c: an error of the consumer.  A callback of the API that ended consuming
 * has set it itself.
 */
enum dt_work dt_cannot_consume(struct dt_hdl *h, int rc);
/*
 * go.c: note what runs, for the forms of output that tell it: the given facts
 * of the machine, which are borrowed, and the handle's programs.
 */
void dt_set_run(struct dt_hdl *h, const struct consume_run *machine);
/* wait.c: must tracing end? */
bool dt_must_end(const struct dt_hdl *h);
/* Did the user set the rate at which buffers are read? */
bool dt_has_switchrate(const struct dt_hdl *h);
/* Set the timer of dt_ctl_fd()'s descriptor, if there is one. */
void dt_set_ctl_timer(struct dt_hdl *h);
/* consumer.c: make the consumer, unless there is one. */
void dt_need_consumer(struct dt_hdl *h, FILE *out);
/* Give the consumer the options that may change at any time. */
void dt_update_consumer(struct dt_hdl *h);
/* The consumer; before it exists, another one that only formats. */
struct consumer *dt_formatter(struct dt_hdl *h);
/*
 * wait.c: a descriptor that is readable when dt_sleep() would return at once;
 * -1 with a message.
 */
int dt_ctl_fd(struct dt_hdl *h);
/*
 * work.c: take the remaining data after dt_stop(), and fire END: 0 or -errno.
 */
int dt_end(struct dt_hdl *h);
/*
 * grow.c: while tracing, enable new probes (of a new process, of a loaded
 * library) that the programs' descriptions select.  Returns the number of new
 * enablings, or -1.
 */
int dt_grow(struct dt_hdl *h);
/*
 * Learn of new code, if the programs may select probes in it; dt_grow() is
 * called some milliseconds later.
 */
#define DT_GROWTH_NS 20000000
void dt_growth_follow(struct dt_hdl *h);
void dt_growth_work(struct dt_hdl *h);
/* Report files that were gone before dtrace could read them. */
void dt_growth_tell(struct dt_hdl *h);
void dt_growth_fini(struct dt_hdl *h);

/*
 * follow.c: option follow.  dt_follow_choose(): called before matching.
 * dt_follow_check(): 0, or -1 with a message: it has no meaning here.
 * dt_follow_begin(): after probes fire; matches in the present descendants.
 */
bool dt_follows(const struct dt_hdl *h);
void dt_follow_choose(struct dt_hdl *h);
int dt_follow_check(struct dt_hdl *h);
void dt_follow_begin(struct dt_hdl *h);
/* Let threads of a descendant wait when they load code.  True: they did so
 * before. */
bool dt_follow_watch(struct dt_hdl *h, pid_t pid);
/* Is it a process that is followed, in exec, so that nothing of its program has
 * run yet? */
bool dt_follow_is_in_exec(struct dt_hdl *h, pid_t pid);
/* The process has ended: report it if it is a descendant, and a fault ended
 * it where dtrace had changed something. */
void dt_follow_ended(struct dt_hdl *h, pid_t pid);

/*
 * symbols.c: names of addresses in processes.  After dt_symbols_start(), which
 * is called before any probe fires, addresses in data are looked up as of the
 * time of the data.
 */
void dt_symbols_start(struct dt_hdl *h);
/* Called now and then while tracing. */
void dt_symbols_note(struct dt_hdl *h);
void dt_symbols_stop(struct dt_hdl *h);
struct usyms *dt_usyms(struct dt_hdl *h);
/*
 * The events of processes, which dt_sleep() and dt_work() handle after the
 * first call of this function; NULL with *err.
 */
CHECKED struct sideband *dt_sideband(struct dt_hdl *h, struct err *err);

/*
 * loads.c: make processes wait when they load code (0 or -1), and look at that
 * code.
 */
int dt_watch_loads(struct dt_hdl *h);
void dt_see_loads(struct dt_hdl *h);

/* proc.c */
/*
 * cgroups.c: options cgroup and container; id 0 if none is set.  0, or -1 with
 * the message.
 */
CHECKED int dt_cgroup_find(struct dt_hdl *h, struct exec_cgroup *to);
void dt_cgroup_free(struct exec_cgroup *g);

/* container_names.c */
/*
 * How many containers have that name; of one, *id is its id (malloced), else
 * NULL.
 */
size_t dt_container_named(const char *name, char **id);

int64_t dt_proc_target(const struct dt_hdl *h); /* $target, or -1 */
void dt_proc_release(struct dt_proc *proc);	/* let a -c command run */
/* Let it run, and ignore its end. */
void dt_proc_forget(struct dt_hdl *h, struct dt_proc *proc);
void dt_procs_poll(struct dt_hdl *h, pid_t pid);
void dt_procs_look(struct dt_hdl *h); /* has any ended? */
void dt_procs_close(struct dt_hdl *h);

/* stuck.c: called now and then; are targets stopped? */
void dt_stuck_look(struct dt_hdl *h);

/*
 * ending.c: begin to read the kernel's log, before a process of dtrace can end.
 */
void dt_ending_begin(struct dt_hdl *h);
/* The status of an ended process, as from wait(2); -1: unknown. */
int dt_ending_status(const struct dt_proc *proc);
/* Report the end of the process. */
void dt_ending_tell(struct dt_hdl *h, const struct dt_proc *proc, int status);
/*
 * struct dt_exec_opts.ended, with the handle: report the end of a descendant
 * that dtrace may have caused.
 */
void dt_ending_tell_descendant(void *arg, pid_t pid, pid_t like, int pidfd);
void dt_ending_fini(struct dt_hdl *h);

/* stop.c: run a ptraced process to the stop of option evaltime. */
int dt_proc_run_to(struct dt_hdl *h, pid_t pid);
/* remarks.c: note what comments say of aggregations. */
void dt_note_remarks(struct dt_hdl *h, const struct dif_prog *p);
/* whose.c: add to the clauses whose each record is, if option oformat asks. */
int dt_whose_add(struct dt_hdl *h, struct dif_prog *p);
/* query.c: new programs over a recording. */
bool dt_is_query(const struct dt_hdl *h);
int dt_query_go(struct dt_hdl *h);
enum dt_work dt_query_work(struct dt_hdl *h, FILE *out);
void dt_replay_tell_damage(struct dt_hdl *h);
/* If messages are verbose: the machines of the recordings. */
void dt_replay_tell_machines(struct dt_hdl *h);
/* replays.c: a further run of the same program; options, dt_go() and the end of
 * all of them; a step of the one that comes next. */
int dt_replays_add(struct dt_hdl *h, const char *path);
int dt_replays_setopt(struct dt_hdl *h, const char *name, const char *value);
int dt_replays_go(struct dt_hdl *h);
enum dt_work dt_replays_work(struct dt_hdl *h, FILE *out);
void dt_replays_close(struct dt_hdl *h);
/* replay.c: a step of this handle's recording alone. */
enum dt_work dt_replay_step(struct dt_hdl *h, FILE *out);
/* replay.c: open one more recording and decode its program; NULL: it failed. */
struct dt_tape *dt_tape_open(struct dt_hdl *h, const char *path);
/* firing_pred.c: a new object that is true if the predicate is, and the
 * variable is not 0. */
struct dif_obj *dt_firing_pred_and(const struct dif_obj *pred, uint16_t var);
/* query_read.c: the recordings of a query share one time, and are read in its
 * order.  All of them are open. */
void dt_tapes_join(struct dt_hdl *h);
/* The process that is the target of all recordings, or -1. */
int64_t dt_tapes_target(const struct dt_hdl *h);
/* As rp_source.read. */
int dt_tapes_read(void *arg, uint32_t *tape, dt_record_f *f, void *farg);
const struct consume_book *dt_tapes_book(struct dt_hdl *h);
/* Were they recorded between two starts of one machine? */
bool dt_tapes_are_of_one_boot(const struct dt_hdl *h);
/* firing.c: with option record, clauses without a body record firings. */
int dt_firing_add(struct dt_hdl *h, struct dt_prog *p);
/* firing.c: the clause records pid, tid and execname, which nothing shows. */
int dt_firing_add_thread(struct dt_hdl *h, struct dif_clause *c);
/* consumer.c: is standard output the trace's alone (option oformat)? */
bool dt_owns_stdout(const struct dt_hdl *h);
/*
 * turn.c: what the held commands write to standard output goes to standard
 * error from now on, if standard output is the trace's alone.
 */
int dt_procs_turn(struct dt_hdl *h);

/*
 * cpp.c: pass text through the C preprocessor; `name` is NULL for a
 * command-line string.  Returns 0 with the result in *out, or -1.
 */
int dt_cpp(struct dt_hdl *h, const char *name, const char *text, size_t len,
    struct strbuf *out);

/* handle.c: option color was set, or dt_color() was called. */
void dt_color_apply(struct dt_hdl *h);
/* match.c: probes of a program; appends errors to h->compiled.diags. */
void dt_match_prog(struct dt_hdl *h, struct dt_prog *p);
void dt_match_free(struct dt_prog *p);
/* May clause i get more probes while tracing? */
bool dt_match_may_grow(const struct dt_prog *p, size_t i);
int dt_match_again(struct dt_hdl *h, struct dt_prog *p);
/* Match the descriptions of the last clause, which is new: 0 or -1. */
int dt_match_last(struct dt_hdl *h, struct dt_prog *p);
/* A description whose strings are borrowed. */
struct dif_pdesc dt_pdesc_of(const struct ast_pdesc *ap);
/* The arguments of the probes of a description (struct lang_compile). */
int dt_match_args(
    void *ctx, const struct ast_pdesc *ap, lang_probe_f *f, void *arg);
/*
 * report.c: the stability of those fields of a probe that a description names.
 */
struct dif_attr dt_probe_attr(
    const struct dif_pdesc *desc, const struct dt_probe *probe);
/* typeshow.c: the members of a struct or union, for a listing. */
void dt_type_members(
    struct dt_hdl *h, const char *name, struct ctf_type *t, FILE *out);
/*
 * Does clause i have the descriptions of the clause before it?  An `if` makes
 * several clauses of one.
 */
bool dt_match_is_repeated(const struct dt_prog *p, size_t i);

/*
 * types.c: import the types of the kernel and of processes when one is needed.
 * -1 if an option changed the source of the kernel's types.
 */
int dt_need_types(struct dt_hdl *h);
/* The type of the name, or NULL with a message. */
struct ctf_type *dt_compile_type(struct dt_hdl *h, const char *text);
/* link.c: replace a program's references to translators by their code: 0 or -1.
 */
int dt_link(struct dt_hdl *h, struct dif_prog *dif);
/*
 * label.c: the value of label("name") (lang_compile.label).  The context is a
 * handle.
 */
const char *dt_label(void *ctx, const char *name, struct err *err);
/*
 * parse.c: one probe description, with macros replaced; it lives as long as the
 * handle.  NULL with a message.
 */
const struct ast_pdesc *dt_parse_pdesc(struct dt_hdl *h, enum lang_pspec spec,
    const char *text, int argc, char *const argv[]);

/* usdt.c: the text of dt_write_header(). 0 or -1. */
int dt_header(
    struct dt_hdl *h, const char *path, const char *source, struct strbuf *out);

/* dof.c: are the bytes DOF, or ELF that may contain DOF? */
bool dt_is_image(const void *img, size_t len);
/* The program of an image, after setting its options; or NULL. */
struct dif_prog *dt_load_dof(struct dt_hdl *h, const void *img, size_t len);
/* The image of n programs: 0 or -1. */
int dt_encode(struct dt_hdl *h, const struct dif_prog *const *progs, size_t n,
    bool strip, struct strbuf *out);
/* Write a new file: 0 or -1. */
int dt_write_file(struct dt_hdl *h, const char *path, const struct strbuf *sb);
void dt_dump_dof(
    struct dt_hdl *h, const struct dif_prog *dif, struct strbuf *out);

/*
 * lib.c: compile the libraries that define a word of the text, unless they are
 * compiled already. 0 or -1.
 */
int dt_libs_load_for(struct dt_hdl *h, const char *text, size_t len);
/*
 * Does the library, module or provider exist? *rc is -1 if a library exists and
 * cannot be compiled.
 */
bool dt_libs_depend(
    struct dt_hdl *h, const char *what, const char *name, int *rc);
void dt_libs_close(struct dt_hdl *h);
/* Providers that libraries define, compiled or not. */
typedef void dt_name_f(const char *name, void *arg);
void dt_libs_each_provider(struct dt_hdl *h, dt_name_f *f, void *arg);
/* The same without those that have no probe on Linux (mib). */
void dt_libs_each_present(struct dt_hdl *h, dt_name_f *f, void *arg);
/*
 * Names of values and types of the libraries, compiled or not
 * (lang_compile.names).
 */
void dt_libs_each_name(void *hdl, lang_name_f *f, void *arg);
/*
 * Load the libraries that define providers that the pattern matches: compile
 * them, or add their probes by name.
 */
int dt_libs_load_providers(struct dt_hdl *h, const char *pattern);
int dt_libs_name_providers(struct dt_hdl *h, const char *pattern);

/* derive.c: make the probes that a library defines: 0 or -1. */
int dt_derive(struct dt_hdl *h, const struct dt_prog *p);
/* As dt_derive(), from the outline of a library: the probes can be listed. */
void dt_derive_names(struct dt_hdl *h, const char *outline);
/* alias.c: the description in the names of this system; borrows strings. */
struct dif_pdesc dt_pdesc_here(const struct dif_pdesc *desc);
void dt_pdescs_here(struct dif_clause *cl);
/* Are the provider's probes in a function elsewhere, and in none here? */
bool dt_is_without_functions(const char *prov);
/* Providers of other systems that are one of this system by another name. */
void dt_alias_each_provider(dt_name_f *f, void *arg);
/* Load the libraries whose probes the description could select. */
int dt_libs_load_for_desc(struct dt_hdl *h, const struct dif_pdesc *desc);
/*
 * As dt_libs_load_for_desc(), only by names, if names are enough
 * (dt_list_names()).
 */
int dt_libs_list_for_desc(struct dt_hdl *h, const struct dif_pdesc *desc);
/* Why a declared probe of the provider and name does not exist; or NULL. */
const char *dt_missing_why(struct dt_hdl *h, const struct dif_pdesc *desc);
/* Is it a provider of other systems, for which Linux has no event at all?  Its
 * library must have been compiled. */
bool dt_provider_is_absent(const struct dt_hdl *h, const char *prov);
void dt_missing_free(struct dt_hdl *h);

/* readfile.c: 0 or -1. */
int dt_read_file(struct dt_hdl *h, const char *path, struct strbuf *sb);
/* compile.c: 0 or -1. */
/* pid: the process that is $target in the library; 0: as in scripts. */
int dt_compile_library(struct dt_hdl *h, const char *path, pid_t pid);
/* errors.c: make the diagnostics the text of dt_errmsg().  Returns -1. */
int dt_show_errors(struct dt_hdl *h);
/* compile.c: free all compiled texts. */
void dt_progs_close(struct dt_hdl *h);

/* objects.c: types of programs and libraries, by their file names. */
struct ctf_graph;
void dt_objects_import(struct dt_hdl *h, struct ctf_graph *g);

#endif
