/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

/*
 * Providers: which probes exist, what makes them fire, and where they are.
 * Substrates decide how to reach a probe (exec/bpf/attach.h,
 * exec/process/session/arm.c).
 *
 * A provider answers a pattern; enabling BEGIN does not enumerate the system.
 * Probe ids are stable within one boot and do not depend on what was matched
 * before: every provider owns a fixed range (its id_base); profile's on-demand
 * probes come after all ranges.  So the ids of `dtrace -l` work in `dtrace -i`.
 *
 * Probes that fire by the same means, and find their arguments in the same
 * places, form a group: a substrate may serve them all with one program that
 * looks up the clauses in a table.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/err.h"
#include "base/str.h"
#include "dif/prog.h"
#include "base/privilege.h"
#include "provider/usites.h"

/* The event that makes a probe fire.  Substrates decide how to notice it. */
enum dt_probe_kind {
	DT_PROBE_RUN,	       /* dtrace runs it: BEGIN, END, tick */
	DT_PROBE_ERROR,	       /* a clause faults */
	DT_PROBE_CALL_ENTRY,   /* a thread begins a system call */
	DT_PROBE_CALL_RETURN,  /* a system call ends */
	DT_PROBE_CLOCK,	       /* a period has passed on a CPU */
	DT_PROBE_COUNTER,      /* a CPU has counted so many events */
	DT_PROBE_TRACEPOINT,   /* the kernel reaches a tracepoint */
	DT_PROBE_KFUNC_ENTRY,  /* a function of the kernel is called */
	DT_PROBE_KFUNC_RETURN, /* a function of the kernel returns */
	DT_PROBE_FUNC_ENTRY,   /* a program's function is called */
	DT_PROBE_FUNC_RETURN,  /* a program's function returns */
	DT_PROBE_FUNC_OFFSET,  /* a program reaches an instruction */
	DT_PROBE_USDT,	       /* a program reaches a probe of its own */
	DT_PROBE_LOADER,       /* a dynamic linker has mapped or unmapped
				 * files; no description selects it */
	DT_PROBE_NKINDS
};

struct btf_blob;
struct dt_provider_ops;
struct dt_ufunc;
struct dt_usites;
struct x86_code;

struct dt_probe {
	uint32_t id;
	const struct dt_provider_ops *ops;
	const char *prov, *mod, *func, *name; /* owned by the registry */
	enum dt_probe_kind kind;
	uint32_t group;		  /* unique over all providers: 0 .. */
	uint32_t index;		  /* system calls: the place in the table */
	uint32_t compat_index;	  /* second index (32-bit call), 0: none */
	uint32_t nwords;	  /* DT_PROBE_TRACEPOINT: number of arguments,
				 * the same in a group */
	uint64_t period_ns;	  /* profile, tick; others: 0 */
	const char *const *attrs; /* instead of the provider's; or NULL */
	struct dt_usites *up;	  /* its places in programs; NULL: none */
	void *data; /* the provider's own; lives with the registry */
	/*
	 * A derived probe (dt_provider_derived) fires where its origins do.  An
	 * origin is not listed; it has `shown`, the listed probe, and the
	 * steps that compute that probe's arguments.
	 */
	const struct dt_probe *const *origins;
	size_t norigins;
	const struct dt_probe *shown;
	const struct dt_step *steps;
	/* For each of DIF_NFIRED arguments: why this kernel cannot give it, or
	 * NULL.  No array: the kernel can give all. */
	const char *const *lacks;
};

/* Index space of the system call groups: 64-bit numbers, then 32-bit ones. */
#define DT_SYSCALL_NR_MAX 512
#define DT_SYSCALL_COMPAT DT_SYSCALL_NR_MAX /* first 32-bit index */
#define DT_SYSCALL_NINDEX (2 * DT_SYSCALL_NR_MAX)

/*
 * A step of an origin, in a list.  The step fires its probe with these
 * arguments if pred is NULL or not 0.  Its objects see the origin's arguments.
 *
 * A step that fires no probe sets thread-local variables that other steps read,
 * also steps of other origins.
 */
struct dt_step {
	const struct dif_obj *pred;
	const struct dif_obj *args[10];
	size_t nargs;
	const struct dt_probe *fires; /* NULL: none */
	/* fires == NULL: probes whose steps read the variables it sets */
	const struct dt_probe *const *serves;
	size_t nserves;
	/*
	 * 0: the probe fires in the current thread.  Else it fires in a thread
	 * that is not running: 1 + the number of the origin's argument that is
	 * the thread.  A clause uses this step if it needs only the thread's
	 * struct task_struct, and another step if it needs a running thread.
	 */
	unsigned thread;
	const struct dt_step *next;
};

struct dt_registry;

/*
 * One provider.  match() calls add() for every probe that the description
 * selects, in id order; empty fields match all, globs are glob_match()'s.
 * A description with all fields empty enumerates (dtrace -l).
 */
struct dt_provider_ops {
	const char *name;
	/*
	 * Could a probe's provider field be what this pattern (which may be
	 * NULL or empty) selects?  NULL: it is always `name`.  For providers
	 * whose probes have names like pid1234.
	 */
	bool (*answers)(const char *pattern);
	/* New probes of a description may come while tracing. */
	bool grows;
	/* May any process bring probes of the description, so that all must be
	 * watched?  NULL: none may. */
	bool (*follows)(const struct dif_pdesc *);
	/* Number of ids in the provider's fixed range; 0: all on demand. */
	uint32_t (*nids)(struct dt_registry *);
	int (*match)(
	    struct dt_registry *, const struct dif_pdesc *, uint32_t id_base);
	/*
	 * Does the description (no number) select a probe on demand?  For names
	 * that can be written in several ways.  NULL: use dt_pdesc_match().
	 */
	bool (*selects)(const struct dif_pdesc *, const struct dt_probe *);
	/*
	 * A hint for a description that selects no probe here: another
	 * provider's probes, "syscall::read:entry" (malloced), or NULL.
	 */
	char *(*means)(const struct dif_pdesc *);
	/*
	 * C types of arg0, arg1, ... in order, NULL-terminated; NULL when they
	 * are not known.
	 */
	const char *const *(*arg_types)(const struct dt_probe *);
	/* Used instead of arg_types where args[] differs from arg0, ... */
	size_t (*args)(
	    const struct dt_probe *, struct dt_argdesc args[DT_NARGS_MAX]);
	bool has_user_pointers; /* arg_types has some */
	/* The least privilege that tracing its probes takes; DT_PRIV_KERNEL:
	 * only the kernel substrate can trace them. */
	enum dt_privilege privilege;
	/* Stability attributes: provider, module, function, name, args. */
	const char *const *attrs;
};

/* A place in a program; its code has been read. */
struct dt_code_place {
	const struct x86_code *code;
	uint64_t off;		     /* of the instruction in it */
	const struct dt_ufunc *func; /* DT_PROBE_FUNC_ENTRY: its function */
};

/*
 * Matching asks the substrate: can a probe of that kind be armed at this place?
 * `at` is NULL for a probe that is in no program: can it be armed on this
 * system?  The session sets this function; without one the answer is yes.
 */
typedef bool dt_can_arm_f(
    enum dt_probe_kind kind, const struct dt_code_place *at);
void dt_registry_set_can_arm(struct dt_registry *r, dt_can_arm_f *f);

/* Places that cannot be probed: matching and substrates collect them. */
struct refusals;
struct refusals *dt_registry_refusals(struct dt_registry *r);

/*
 * Over a recording: matching asks no provider but those of dtrace's own probes
 * and ticks.  Others are added with the ids that they had (their `ops` is the
 * caller's).
 */
void dt_registry_set_recorded(struct dt_registry *r);
/* The probe, which may have been there before. */
struct dt_probe *dt_registry_add_recorded(
    struct dt_registry *r, const struct dt_probe *tmpl, uint32_t id);

struct dt_registry *dt_registry_create(void);
void dt_registry_destroy(struct dt_registry *r);

/* Called by match(): register a probe if it is new; all strings are copied.
 * Returns the probe either way, and appends it to the current match. */
struct dt_probe *dt_registry_add(
    struct dt_registry *r, const struct dt_probe *tmpl);

/* The BTF of vmlinux, which lives as long as the registry; NULL: it cannot be
 * read. */
struct btf_blob *dt_registry_vmlinux(struct dt_registry *r);

/*
 * Define the derived probes of a library.  Each origin is armed once, with the
 * steps of all its rules, in the order of the library.  A probe of `probes` is
 * made if one of its origins exists; else its `missing` (malloced) says why
 * not. The objects of the rules must outlive the registry; the rest is copied.
 * Returns 0, or -E2BIG: there are too many rules.
 */
struct dt_rule {
	const struct dif_pdesc *descs;
	size_t ndescs;
	struct dt_step step;
	const char *name; /* of the probe that the step fires; NULL: none */
};
struct dt_derived {
	const char *name;
	const struct dt_argdesc *args;
	size_t nargs;
	const char *const *lacks; /* as in dt_probe */
	const char *const *attrs; /* the same */
	char *missing;
};
int dt_registry_derive(struct dt_registry *r, const char *prov,
    const struct dt_rule *rules, size_t nrules, struct dt_derived *probes,
    size_t nprobes);

/* Add a derived probe that can only be listed until dt_registry_derive(). */
void dt_registry_name(
    struct dt_registry *r, const char *prov, const char *name);

/* Is it a function's probe in several processes, which the pid provider makes?
 * Its provider is known when it fires: probeprov is pid123. */
static inline bool
dt_probe_is_wide_function(const struct dt_probe *p)
{
	return p->up != NULL && p->up->pid == 0 &&
	    (p->kind == DT_PROBE_FUNC_ENTRY ||
		p->kind == DT_PROBE_FUNC_RETURN ||
		p->kind == DT_PROBE_FUNC_OFFSET);
}

/* The process whose descendants have the probe as well (option follow); 0: none
 * has. */
static inline pid_t
dt_probe_family(const struct dt_probe *p)
{
	return p->up != NULL && p->up->pid == 0 ? p->up->family : 0;
}

/* The listed probe of an origin; any other probe is its own. */
static inline const struct dt_probe *
dt_probe_shown(const struct dt_probe *p)
{
	return p->shown != NULL ? p->shown : p;
}

typedef int dt_probe_f(const struct dt_probe *probe, void *arg);

/* Why a description is refused, for the tag of the error. */
enum dt_refusal {
	DT_REFUSE_PDESC, /* it makes no sense, or cannot be traced */
	DT_REFUSE_OFF,
	DT_REFUSE_ALIGN,
	DT_REFUSE_NAME,
	DT_REFUSE_NONE, /* there is no such probe, and cannot be */
	DT_REFUSE_GRAB,
	DT_REFUSE_LIB,
	DT_REFUSE_FUNC,
	DT_REFUSE_BADPID,
};
/* The reason of dt_registry_match()'s last message. */
enum dt_refusal dt_registry_refusal(const struct dt_registry *r);

/*
 * Call f for each probe that matches the description, in id order; stop when
 * f returns nonzero and return that.  Returns the number of matches, or
 * -errno with *err set when a provider cannot work (say, permissions).  With a
 * result of 0, *err may say why no probe matches.
 */
CHECKED int dt_registry_match(struct dt_registry *r,
    const struct dif_pdesc *desc, dt_probe_f *f, void *arg, struct err *err);
/*
 * As dt_registry_match(), but of the probes made on demand skip the first
 * `from`; `from` is an earlier result of dt_registry_ndemanded().
 */
CHECKED int dt_registry_match_new(struct dt_registry *r,
    const struct dif_pdesc *desc, size_t from, dt_probe_f *f, void *arg,
    struct err *err);
size_t dt_registry_ndemanded(const struct dt_registry *r);

/*
 * As dt_registry_match(), for listings: a probe is valid only during f's call,
 * and f may have been called when this fails.  A pattern of processes selects
 * each process's probes, not one probe that serves all of them.
 */
CHECKED int dt_registry_list(struct dt_registry *r,
    const struct dif_pdesc *desc, dt_probe_f *f, void *arg, struct err *err);
bool dt_registry_is_listing(const struct dt_registry *r);

/* Does any probe match?  Makes no message. */
bool dt_registry_any(struct dt_registry *r, const struct dif_pdesc *desc);
bool dt_registry_is_asking(const struct dt_registry *r);

/*
 * Files of code in memory, in which a program may have made probes, that were
 * gone with their processes when dtrace wanted to read them.
 */
uint64_t dt_usdt_ngone(struct dt_registry *r);

/* A file that a process has mapped as code during tracing. */
struct dt_new_file {
	pid_t pid;
	uint64_t dev, ino;
	const char *path; /* as in struct proc_map */
	bool is_deleted;
	bool is_program; /* that the process has executed */
};

/*
 * While tracing, matching asks only growing providers.  Only these processes
 * (n 0: all) have something new: `files`, by process.  A process may have ended
 * by now.
 */
void dt_registry_set_focus(struct dt_registry *r, const pid_t *pids, size_t n,
    const struct dt_new_file *files, size_t nfiles);
void dt_registry_end_focus(struct dt_registry *r);

/*
 * Hasty matches are for D libraries, which name probes that this kernel lacks:
 * matching looks for a reason only where that is quick.  Returns the old value.
 */
bool dt_registry_set_hasty(struct dt_registry *r, bool is_hasty);
bool dt_registry_is_hasty(const struct dt_registry *r);

/* May probes that the description selects come while tracing? */
bool dt_registry_may_grow(const struct dif_pdesc *desc);
/* May processes that are not known yet bring probes that the description
 * selects? */
bool dt_registry_follows(
    const struct dt_registry *r, const struct dif_pdesc *desc);

/*
 * Option follow: descriptions of these processes (pid123) select probes of
 * their descendants, too.  dt_registry_set_root_of() gives the function that
 * tells from which of them a process descends, while tracing; 0: from none.
 */
void dt_registry_set_families(
    struct dt_registry *r, const pid_t *pids, size_t n);
bool dt_registry_has_family(const struct dt_registry *r, pid_t pid);
/* The process of a family from which the process descends, or it is this one
 * itself; 0: none. */
pid_t dt_registry_root_of(const struct dt_registry *r, pid_t pid);
typedef pid_t dt_root_of_f(void *arg, pid_t pid);
void dt_registry_set_root_of(
    struct dt_registry *r, dt_root_of_f *root_of, void *arg);

/* The probe with that id, matched before or not; NULL if there is none. */
const struct dt_probe *dt_registry_by_id(struct dt_registry *r, uint32_t id);

/* The probe's args[]; returns how many there are. */
size_t dt_probe_args(
    const struct dt_probe *probe, struct dt_argdesc args[DT_NARGS_MAX]);

/* Stability attributes, as in dt_provider_ops. */
const char *const *dt_probe_attrs(const struct dt_probe *probe);

/* Can this pattern of a provider's name select probes of the provider? */
bool dt_provider_answers(
    const struct dt_provider_ops *ops, const char *pattern);

/* The i-th provider, in the order of their ids; NULL beyond the last. */
const struct dt_provider_ops *dt_provider_at(size_t i);

/*
 * The place that a process's dynamic linker reaches when it has mapped
 * something: a probe, owned by the registry, of which only `up` and the names
 * matter.  *loader is NULL if the process has no dynamic linker, or its place
 * is unknown.  If the process is of a family, the probe is one of all
 * processes, and the same for all that have this dynamic linker.  Returns 0, or
 * -errno with *err: the search could not be done.
 */
CHECKED int dt_pid_loader(struct dt_registry *r, pid_t pid,
    const struct dt_probe **loader, struct err *err);
/* Does the description select functions' probes in all processes? */
bool dt_pid_is_wide(const struct dif_pdesc *desc);
/*
 * The process that a description names, as in pid123 or myserver123; 0: none.
 */
pid_t dt_pid_named(const struct dif_pdesc *desc);

/* Append "syscall:vmlinux:read:entry", for messages. */
void dt_probe_format(const struct dt_probe *p, struct strbuf *out);

/* How a probe's output flows (-F): entry, return or neither; see
 * doc/reference/language.md section 15. */
enum dt_flow { DT_FLOW_ENTRY, DT_FLOW_RETURN, DT_FLOW_NONE };
enum dt_flow dt_probe_flow(const struct dt_probe *p);

/*
 * Parse "10ms", "997", "1sec": the number and unit of profile and tick probes
 * and of rate options.  No unit means hz if `hz_default`, else ns.  Returns 0
 * and the period in ns, or -EINVAL / -ERANGE.
 */
int dt_parse_period(const char *s, bool hz_default, uint64_t *period_ns);
#define DT_PERIOD_MIN_NS 200000 /* of a profile or tick probe */
#define DT_PERIOD_SHORTEST "the shortest period is 200us, which is 5000hz"
/* The hint for a profile or tick probe whose period is not understood. */
#define DT_PERIOD_SYNTAX                                                        \
	"after the dash comes a number and, if it is not hz, one of the units " \
	"ns us ms s m h d (or nsec usec msec sec min hour day)"

#define DT_PROVIDER(name)                                                      \
	extern const struct dt_provider_ops dt_provider_##name;
#include "provider/providers.def"
#undef DT_PROVIDER

#endif
