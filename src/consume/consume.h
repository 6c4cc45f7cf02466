/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_CONSUME_H
#define CONSUME_CONSUME_H

/*
 * Consumer: records and aggregations -> what a person reads.
 *
 * Output is DTrace's classic format to the byte (doc/reference/language.md
 * section 15).  Everything comes from the plan and the substrate's ops; this
 * module neither compiles nor arms anything.
 */
#include <stdio.h>

#include "ctf/ctf.h"
#include "exec/exec.h"
#include "plan/plan.h"
#include "sym/usyms.h"

struct consumer;

/*
 * For programs that take the data themselves: what is called in place of
 * printing.  The answers are those of the published callbacks; THIS prints a
 * datum after all.  Anything else than THIS and NEXT ends consuming with
 * -ECANCELED, and may be tried again.
 */
enum consume_answer { CONSUME_ERROR = -1, CONSUME_THIS, CONSUME_NEXT,
	CONSUME_ABORT };

/* A record, and where -F would show it. */
struct consume_event {
	const struct dt_record *rec;
	const struct plan_clause *pc;
	const struct dt_probe *probe;
	enum dt_flow flow;
	const char *prefix;		/* NULL without option flowindent */
	int indent;
};

struct consume_row;

struct consume_hooks {
	enum consume_answer (*record)(void *arg,
	    const struct consume_event *ev);
	/* i counts ev->pc->recs; the call after the last has i == n. */
	enum consume_answer (*datum)(void *arg, const struct consume_event *ev,
	    size_t i);
	/* Instead of messages.  rec is NULL when it is no probe's fault. */
	enum consume_answer (*fault)(void *arg, const struct dt_record *rec,
	    const char *text);
	enum consume_answer (*drop)(void *arg, enum dt_drop kind, int cpu,
	    uint64_t n, const char *text);
	/* After setopt(). */
	enum consume_answer (*setopt)(void *arg, const char *name, int64_t old,
	    int64_t now);
	/* Text, where the output is NULL.  Of an aggregation: the row, and what
	 * the text is of it (PIECE_*). */
	enum consume_answer (*text)(void *arg, const char *text,
	    const struct consume_row *row, unsigned flags);
};

#define PIECE_KEY 1
#define PIECE_VALUE 2
#define PIECE_FORMAT 4
#define PIECE_LAST 8

struct consume_opts {
	bool quiet, flowindent, rawbytes;
	bool aggsortkey, aggsortrev;
	uint32_t aggsortpos, aggsortkeypos;
	bool agghist, aggpack, aggzoom, aggpercpu;
	bool utf8;			/* option encoding: pictures may use it */
	uint32_t stackindent;		/* default 14 */
	bool json;			/* option oformat: doc/json.md */
	uint64_t specsize;		/* of a CPU's share in a speculation */
	uint32_t nspec;			/* ids of speculations: 1 to this */
	bool temporal;			/* merge CPUs by time (default on) */
	bool destructive;		/* -w: system() may run */
	bool droptags;			/* messages about drops name the kind */
	bool allfaults;			/* each is told, not the first of many */
	uint64_t bufsize, aggsize, dynvarsize, jstackstrsize; /* as asked for */
	struct ctf_graph *types;	/* the program's: for print() */
	/* setopt(): 0, or -1 with *msg (malloced).  What changes comes back
	 * through consumer_set_opts(). */
	int (*setopt)(void *arg, const char *name, const char *value,
	    char **msg);
	void *setopt_arg;
	bool noresolve;			/* addresses stay numbers */
	uint32_t agg_keep;		/* AGG_KEEP_*: what rows have besides */
	struct usyms *usyms;		/* names of programs' addresses; or
					 * NULL: they have none */
	pid_t target;			/* whose addresses %A means in printa();
					 * 0: nobody's */
	const struct consume_hooks *hooks;	/* or NULL: print */
	void *hooks_arg;
};

/* All borrowed; must outlive the consumer. Messages go to `err`. */
struct consumer *consumer_create(struct plan *pl,
    const struct dt_exec_ops *ops, struct dt_exec *x,
    const struct consume_opts *opts, FILE *out, FILE *err);
void consumer_destroy(struct consumer *c);
/* A hook's answer that is neither THIS nor NEXT ends consuming. */
void consumer_answer(struct consumer *c, enum consume_answer answer);
void consumer_set_opts(struct consumer *c, const struct consume_opts *opts);

/*
 * Take and print what has arrived.  Returns 0, 1 when an exit() record was
 * seen (its status in *status), or -errno: -EPIPE and the like when the output
 * cannot be written.
 */
int consumer_work(struct consumer *c, int *status);

/* After exec stop: print the rest, then every aggregation that no printa()
 * has printed, and flush. */
int consumer_finish(struct consumer *c, int *status);

/* On a terminal: clear it; and print what every aggregation has now. A failure is
 * the next call's. */
void consumer_clear_screen(struct consumer *c);
void consumer_refresh(struct consumer *c);

/* Is the negative code of the others about reading, not about writing? */
bool consumer_has_unread(const struct consumer *c);

/*
 * At each aggrate: take the values of aggregations that are filling their
 * buffers, which are empty then.  A failure is told.
 */
void consumer_take_aggs(struct consumer *c);

/* Report drops since the last call, as DTrace words them.  0 or -errno. */
int consumer_report_drops(struct consumer *c);

/* Where text goes from now on; NULL: to the hook. */
void consumer_set_out(struct consumer *c, FILE *out);

/*
 * Aggregations, for programs that walk them.  consumer_aggs_snap() takes what
 * has come since the last time; the rest works on what was taken.
 */
struct consume_row {
	const struct plan_agg *pa;
	uint32_t num;			/* which entry of the aggregation */
	bool is_printed;		/* by a printa() */
	uint64_t normal;
	const char *key;		/* offsets count from PLAN_KEYHDR */
	const void *val;
	/* consumer_rows_apply() does these */
	enum { ROW_KEEP, ROW_CLEAR, ROW_REMOVE } change;
	uint64_t new_normal;		/* 0: as it is */
};
enum consume_order {
	ORDER_NONE,
	ORDER_OPTIONS,
	ORDER_VAR_KEY,		/* each aggregation by its keys */
	ORDER_VAR_VALUE,
	ORDER_KEY_VAR,		/* all together by their keys */
	ORDER_VALUE_VAR,
};
/*
 * What a row has besides, by its aggregation and its key.  Values are borrowed
 * until the next snapshot; one that there is not is as before any firing.
 */
#define AGG_KEEP_CPUS 1		/* with option aggpercpu, too */
#define AGG_KEEP_DELTA 2	/* what the last snapshot took */
const void *consumer_row_delta(struct consumer *c,
    const struct consume_row *row);
const void *consumer_row_cpu(struct consumer *c, const struct consume_row *row,
    uint32_t cpu, bool is_delta);
/* 0: CPUs are not kept apart. */
uint32_t consumer_row_ncpus(const struct consumer *c);
/* Of all rows of an aggregation, in the snapshot that is walked. */
struct consume_extent {
	uint64_t total;			/* of counts, without their signs */
	uint32_t min_bin, max_bin;	/* that hold something; min > max: none */
	bool has_negatives, has_positives;
};
struct consume_extent consumer_agg_extent(struct consumer *c,
    const struct plan_agg *pa);
int consumer_aggs_snap(struct consumer *c);
int consumer_aggs_clear(struct consumer *c);
/* All rows, in a malloced array; valid until the next call about
 * aggregations. */
int consumer_rows(struct consumer *c, enum consume_order order,
    bool is_reverse, struct consume_row **rowsp, size_t *np);
/* What the aggregations with these ids have by key, naggs to a line. */
int consumer_joined_rows(struct consumer *c, const uint32_t *ids,
    size_t naggs, struct consume_row **rowsp, size_t *nlines);
int consumer_rows_apply(struct consumer *c, const struct consume_row *rows,
    size_t n);
/* In the classic form. */
int consumer_rows_print(struct consumer *c, const struct consume_row *rows,
    size_t n);

/*
 * Formats, for programs that print what they have themselves.  A value is a
 * datum in the published layout: `kind` is enum dt_act, arg its argument.
 */
struct pf_format;
struct consume_value {
	uint16_t kind;
	uint32_t size;
	uint64_t arg;
	const void *data;
};
/* How many values the format takes; may that one be its i-th? */
size_t consumer_format_nvalues(const struct pf_format *pf);
bool consumer_format_fits(const struct pf_format *pf, size_t i,
    const struct consume_value *val);
/* Append to `out`; there are consumer_format_nvalues(). */
void consumer_format(struct consumer *c, const struct pf_format *pf,
    const struct consume_value *vals, struct strbuf *out);
/* printa() of what there is now.  0 or -errno. */
int consumer_format_aggs(struct consumer *c, const struct pf_format *pf,
    const uint32_t *ids, size_t n);
/* As print() shows a value. */
void consumer_format_type(struct consumer *c, struct ctf_type *t,
    const void *data, size_t len, struct strbuf *out);

/* Symbols of the kernel have changed. */
void consumer_update(struct consumer *c);
/* Ask f for names first; it fills in what it finds, or returns false. */
typedef bool ksyms_lookup_f(void *arg, uint64_t addr, const char **mod,
    const char **name, uint64_t *offset);
void consumer_set_lookup(struct consumer *c, ksyms_lookup_f *f, void *arg);

/* Kernel symbols: /proc/kallsyms, read on first use, and when modules that came
 * later are met. */
struct ksyms;
struct ksyms *ksyms_create(void);
/* The errno of a list of the kernel's that could not be read, once, or 0. */
int ksyms_take_error(struct ksyms *ks);
void ksyms_destroy(struct ksyms *ks);
/* All addresses stay numbers. */
void ksyms_set_plain(struct ksyms *ks, bool is_plain);
/* It is read anew when needed; names that were found end here. */
void ksyms_forget(struct ksyms *ks);
void ksyms_set_lookup(struct ksyms *ks, ksyms_lookup_f *f, void *arg);
/* "vmlinux`vfs_read+0x10", "vmlinux`vfs_read", or "0xffff..." */
void ksyms_format(struct ksyms *ks, uint64_t addr, struct strbuf *out);
/* One address for all of the module, which addr is in: its lowest, or, if only
 * the lookup knows it, the first that was asked for. */
uint64_t ksyms_module_addr(struct ksyms *ks, const char *mod, uint64_t addr);
/* The same in parts, valid as long as ks; false: it is in no symbol. */
struct ksym_name {
	const char *module, *name;
	uint64_t offset;
	bool is_data;
};
bool ksyms_find_name(
    struct ksyms *ks, uint64_t addr, struct ksym_name *found);

/* Text of a fault code, as in DTrace's ERROR message: "invalid address". */
const char *consume_fault_str(uint32_t fault);

#endif
