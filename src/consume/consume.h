/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_CONSUME_H
#define CONSUME_CONSUME_H

/*
 * Consumer: records and aggregations -> text for people.
 *
 * Output is DTrace's classic format to the byte (doc/reference/language.md
 * section 15).  Everything comes from the plan and the substrate's ops; this
 * module neither compiles nor arms anything.
 */
#include <stdio.h>

#include "consume/units.h"
#include "base/err.h"
#include "base/str.h"
#include "consume/book.h"
#include "consume/ksyms.h"
#include "ctf/ctf.h"
#include "exec/exec.h"
#include "fmt/percents.h"
#include "plan/plan.h"
#include "sym/usyms.h"

struct consumer;
struct oformat_ops;

/*
 * For programs that take the data themselves: functions called instead of
 * printing.  Their answers are those of the published callbacks; THIS prints
 * the datum after all.  Any answer but THIS and NEXT ends consuming with
 * -ECANCELED; consuming may be tried again.
 */
enum consume_answer {
	CONSUME_ERROR = -1,
	CONSUME_THIS,
	CONSUME_NEXT,
	CONSUME_ABORT
};

/* A record, and its place in the output of -F. */
struct consume_event {
	const struct dt_record *rec;
	const struct plan_clause *pc;
	const struct dt_probe *probe;
	enum dt_flow flow;
	const char *prefix; /* NULL without option flowindent */
	int indent;
};

struct consume_row;
struct dtrace_event;

struct consume_hooks {
	enum consume_answer (*record)(
	    void *arg, const struct consume_event *ev);
	/* Called for each ev->pc->recs[i], and last with i == n. */
	enum consume_answer (*datum)(
	    void *arg, const struct consume_event *ev, size_t i);
	/*
	 * Called instead of printing messages. rec is NULL if no probe caused
	 * the fault.
	 */
	enum consume_answer (*fault)(
	    void *arg, const struct dt_record *rec, const char *text);
	enum consume_answer (*drop)(void *arg, enum dt_drop kind, int cpu,
	    uint64_t n, const char *text);
	/* Called after setopt() changed an option. */
	enum consume_answer (*setopt)(
	    void *arg, const char *name, int64_t old, int64_t now);
	/*
	 * Called with the text, if the output is NULL.  For an aggregation,
	 * with the row and the part of it that the text is (PIECE_*).
	 */
	enum consume_answer (*text)(void *arg, const char *text,
	    const struct consume_row *row, unsigned flags);
	/* With `typed`: called instead of datum() and text(). */
	enum consume_answer (*event)(void *arg, struct dtrace_event *ev);
};

#define PIECE_KEY 1
#define PIECE_VALUE 2
#define PIECE_FORMAT 4
#define PIECE_LAST 8

/* Option controls: control characters in the text of the traced system. */
enum consume_controls {
	CONTROLS_AUTO, /* escaped if the output is a terminal */
	CONTROLS_ESCAPE,
	CONTROLS_RAW
};

/* A program that runs: a script's name, or a text of the command line. */
struct consume_source {
	const char *name, *text; /* NULL: none, or DOF */
	uint32_t nprobes;
};

/* A run of tracing, for the forms of output that say what it was. */
struct consume_run {
	const char *product, *host, *kernel;
	uint64_t start_ns, wall_ns; /* CLOCK_MONOTONIC, CLOCK_REALTIME */
	const struct consume_source *sources;
	size_t nsources;
	/* Of aggregations, by id - 1: the script's comment, or NULL. */
	const char *const *remarks;
	size_t nremarks;
};

struct consume_opts {
	bool quiet, flowindent, rawbytes;
	enum consume_controls controls;
	bool aggsortkey, aggsortrev;
	uint32_t aggsortpos, aggsortkeypos;
	bool agghist, aggpack, aggzoom, aggpercpu, aggnonzero;
	struct percents aggpct;
	enum units units;
	bool utf8;			   /* option encoding: pictures may use
					 * UTF-8 */
	uint32_t stackindent;		   /* default 14 */
	const struct oformat_ops *oformat; /* NULL: text (oformat.h) */
	const char *out_name; /* file of the output; NULL: none is known */
	/* Frames of the stacks that a query asks; 0: it has none. */
	uint32_t recorded_frames, recorded_uframes;
	FILE *before; /* option flamediff: lines of a run; or NULL */
	const struct consume_run *run; /* NULL: not known */
	bool typed;	    /* hooks->event() gets records and rows */
	uint64_t specsize;  /* bytes of one CPU in one
					 * speculation */
	uint32_t nspec;	    /* ids of speculations: 1 to this */
	uint32_t nspec_max; /* the most that option nspec takes */
	bool temporal;	    /* merge CPUs by time (default on) */
	bool destructive;   /* -w: system() may run */
	bool droptags;	    /* messages about drops name the kind */
	bool allfaults;	    /* report every fault, not the first
					 * of many */
	uint64_t bufsize, aggsize, dynvarsize, jstackstrsize; /* as requested */
	struct ctf_graph *types; /* the program's types, for print() */
	/*
	 * setopt(): 0, or -1 with *err.  Changes come back through
	 * consumer_set_opts().
	 */
	int (*setopt)(
	    void *arg, const char *name, const char *value, struct err *err);
	void *setopt_arg;
	bool noresolve;	     /* print addresses as numbers */
	uint32_t agg_keep;   /* AGG_KEEP_*: further values of rows */
	struct usyms *usyms; /* names of addresses in processes;
					 * NULL: none */
	const struct consume_book *book; /* of a recording; NULL: none */
	bool is_replay; /* effects beyond the output are left out */
	pid_t target;	/* process whose addresses %A prints
					 * in printa(); 0: none */
	const struct consume_hooks *hooks; /* or NULL: print */
	void *hooks_arg;
};

/* All borrowed; must outlive the consumer. Messages go to `err`. */
struct consumer *consumer_create(struct plan *pl, const struct dt_exec_ops *ops,
    struct dt_exec *x, const struct consume_opts *opts, FILE *out, FILE *err);
void consumer_destroy(struct consumer *c);
/* A hook's answer that is neither THIS nor NEXT ends consuming. */
void consumer_answer(struct consumer *c, enum consume_answer answer);
void consumer_set_opts(struct consumer *c, const struct consume_opts *opts);

/*
 * Take and print the records that have arrived.  Returns 0; 1 after an exit()
 * record, with its status in *status; or -errno: -EPIPE and the like if the
 * output cannot be written.
 */
int consumer_work(struct consumer *c, int *status);

/* After exec stop: print the rest, then every aggregation that no printa()
 * has printed, and flush. */
int consumer_finish(struct consumer *c, int *status);

/*
 * After the last report of drops: end the output, if its form has an end.
 * `status` is that of the command.  Returns 0 or -errno.
 */
int consumer_end(struct consumer *c, int status);

/*
 * Clear the screen, if the output is a terminal, and print the current values
 * of all aggregations.  An error is returned by the next call.
 */
void consumer_clear_screen(struct consumer *c);
void consumer_refresh(struct consumer *c);

/*
 * Append the document that the form of the output makes of the current values.
 * false: it makes none, or there was an error.
 */
bool consumer_document(struct consumer *c, struct strbuf *out);

/* Is the negative code of the others about reading, not about writing? */
bool consumer_has_unread(const struct consumer *c);

/*
 * At each aggrate: take the values of aggregations that are filling their
 * buffers, which empties them.  An error is reported as a message.
 */
void consumer_take_aggs(struct consumer *c);

/* In a replay: begin a new generation of an aggregation, as recorded. */
int consumer_turn_agg(struct consumer *c, uint32_t agg_id);

/* Report drops since the last call, in DTrace's words.  Returns 0 or -errno. */
int consumer_report_drops(struct consumer *c);
/* Two consumers print to one output: the heading is printed once. */
void consumer_share_heading(struct consumer *a, struct consumer *b);

/* The output from now on; NULL: the hook. */
void consumer_set_out(struct consumer *c, FILE *out);

/*
 * Aggregations, for programs that walk them. consumer_aggs_snap() takes the
 * values that have arrived since the last call; the other functions work on the
 * values taken.
 */
struct consume_row {
	const struct plan_agg *pa;
	uint32_t num;	 /* index of the entry in the
					 * aggregation */
	bool is_printed; /* by a printa() */
	uint64_t normal;
	const char *key; /* offsets count from PLAN_KEYHDR */
	const void *val;
	/* the changes that consumer_rows_apply() makes */
	enum { ROW_KEEP, ROW_CLEAR, ROW_REMOVE } change;
	uint64_t new_normal; /* 0: unchanged */
};
enum consume_order {
	ORDER_NONE,
	ORDER_OPTIONS,
	ORDER_VAR_KEY, /* each aggregation by its keys */
	ORDER_VAR_VALUE,
	ORDER_KEY_VAR, /* all together by their keys */
	ORDER_VALUE_VAR,
};
/*
 * Further values of a row, by its aggregation and its key.  They are borrowed
 * until the next snapshot; a value that does not exist is the one before any
 * firing.
 */
#define AGG_KEEP_CPUS 1	 /* with option aggpercpu, too */
#define AGG_KEEP_DELTA 2 /* values added by the last snapshot */
const void *consumer_row_delta(
    struct consumer *c, const struct consume_row *row);
const void *consumer_row_cpu(struct consumer *c, const struct consume_row *row,
    uint32_t cpu, bool is_delta);
/* 0: the values of CPUs are not kept separately. */
uint32_t consumer_row_ncpus(const struct consumer *c);
/* Facts of all rows of an aggregation in the walked snapshot. */
struct consume_extent {
	uint64_t total;		   /* sum of absolute counts */
	uint32_t min_bin, max_bin; /* first and last nonempty; min >
					 * max: none */
	bool has_negatives, has_positives;
};
struct consume_extent consumer_agg_extent(
    struct consumer *c, const struct plan_agg *pa);
int consumer_aggs_snap(struct consumer *c);
int consumer_aggs_clear(struct consumer *c);
/*
 * All rows, in a malloced array that is valid until the next call for
 * aggregations.
 */
int consumer_rows(struct consumer *c, enum consume_order order, bool is_reverse,
    struct consume_row **rowsp, size_t *np);
/*
 * The rows of the aggregations with these ids, joined by key: naggs entries to
 * a row.
 */
int consumer_joined_rows(struct consumer *c, const uint32_t *ids, size_t naggs,
    struct consume_row **rowsp, size_t *nlines);
int consumer_rows_apply(
    struct consumer *c, const struct consume_row *rows, size_t n);
/* Print rows in the classic form. */
int consumer_rows_print(
    struct consumer *c, const struct consume_row *rows, size_t n);
/* Call the hook of events with a row.  Returns 0 or -errno. */
int consumer_row_tell(struct consumer *c, const struct consume_row *row);

/*
 * Formats, for programs that print data of their own.  A value is a datum in
 * the published layout: `kind` is an enum dt_act, `arg` its argument.
 */
struct pf_format;
struct consume_value {
	uint16_t kind;
	uint32_t size;
	uint64_t arg;
	const void *data;
};
/* The number of values that the format takes; can the value be its i-th? */
size_t consumer_format_nvalues(const struct pf_format *pf);
bool consumer_format_fits(
    const struct pf_format *pf, size_t i, const struct consume_value *val);
/*
 * Append the formatted values to `out`; `vals` has consumer_format_nvalues()
 * elements.
 */
void consumer_format(struct consumer *c, const struct pf_format *pf,
    const struct consume_value *vals, bool has_escapes, struct strbuf *out);
/*
 * Does option controls want escapes in a file?  NULL: the text is for a hook.
 */
bool consumer_has_escapes(const struct consumer *c, FILE *to);
/* Print the current values as printa() does.  Returns 0 or -errno. */
int consumer_format_aggs(struct consumer *c, const struct pf_format *pf,
    const uint32_t *ids, size_t n);
/* Append a value as print() shows it. */
void consumer_format_type(struct consumer *c, struct ctf_type *t,
    const void *data, size_t len, struct strbuf *out);

/* Say that symbols of the kernel have changed. */
void consumer_update(struct consumer *c);
void consumer_set_lookup(struct consumer *c, ksyms_lookup_f *f, void *arg);

/* Text of a fault code, as in DTrace's ERROR message: "invalid address". */
const char *consume_fault_str(uint32_t fault);

#endif
