/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_CONSUME_IMPL_H
#define CONSUME_CONSUME_IMPL_H

/*
 * Declarations shared by the files of consume/. All output is collected in one
 * buffer, consumer.buf, and written by consumer_flush().  The error of a failed
 * write is kept in consumer.error and returned by the next call that returns
 * errors.
 */
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "consume/aggtable.h"
#include "consume/consume.h"
#include "consume/json.h"
#include "consume/ksyms.h"
#include "ctf/addrmap.h"
#include "fmt/fmt.h"

/* Output is written when the buffer has grown beyond this size. */
#define FLUSH_BYTES (256 * 1024)

/* A datum in place: bytes of a record or key, and their description. */
struct datum {
	const struct plan_rec *rec;
	const void *data;
	uint64_t time_ns; /* time of the record; 0 for a key */
};

/* Buckets of a distribution: the labels and weights of its rows. */
struct hist {
	uint32_t n;
	int64_t *bounds; /* lower bound of each bucket */
	bool has_ends;	 /* the first and last row are "< x", ">= y" */
	bool is_log;	 /* llquantize(), percentile() */
	/* percentile(): the percents that are shown; else there are none. */
	struct percents percents;
};

/*
 * One aggregation.  `base` holds the values of earlier generations (clear()
 * keeps their keys, trunc(n) some values); `snap` is base plus the live data of
 * all CPUs, rebuilt for each printing.
 */
struct agg {
	const struct plan_agg *pa;
	struct agg_table base, snap;
	struct agg_table delta; /* AGG_KEEP_DELTA: values of the last
				 * agg_turn() */
	struct agg_cpu {
		struct agg_table base, snap, delta;
	} * cpus; /* [consumer.ncpus]; NULL: not kept */
	struct hist hist;
	char *key_buf; /* one key, when keys have symbols to merge */
	void *zero;    /* value of a key that only another table has */
	void *none;    /* value before any firing */
	uint64_t normal;
	uint64_t fill;	    /* number of entries at the last count */
	uint64_t next_fill; /* time of the next count, in ns */
	bool is_printed;    /* printed by a printa(): not again at the
				 * end */
	bool has_extent;    /* of snap: computed when first asked for */
	struct consume_extent extent;
};

/* Facts shared by the bars of one picture. */
struct bars {
	unsigned __int128 total; /* of absolute counts; zoom: the
					 * largest */
	bool has_positives, has_negatives;
	bool zoom, utf8;
	enum units units;
	struct percents percents;
	uint64_t normal;
};

/* Facts shared by the lines of packed distributions. */
struct pack {
	const struct hist *h;
	uint32_t first, last; /* first and last bucket shown */
	int low, high;	      /* columns of the labels beside them */
	enum units units;
};

/* percentile(): is it shown by percentiles instead of bars? */
static inline bool
hist_is_summary(const struct hist *h)
{
	return h->percents.n != 0;
}

/* A percentile is its value, or at least or at most that. */
enum hist_known { HIST_IS, HIST_AT_LEAST, HIST_AT_MOST };

/*
 * A percentile (in thousandths of a percent) of what was counted, or 0 if
 * nothing was.  In buckets of percentile() it is the middle of the bucket,
 * which differs from the true value by 1/128 of it at most; in others the
 * values are taken to be spread evenly.
 */
enum hist_known hist_percentile(const struct hist *h, const int64_t *counts,
    uint32_t percent, int64_t *value);

/*
 * Print the heading and the percentiles of option aggpct.  Returns false if
 * there are none, because nothing was counted or asked for.
 */
bool hist_print_percents(struct strbuf *sb, const char *heading,
    const struct hist *h, const int64_t *counts, const struct bars *b);

/* Print a percentile() as lines of percentiles, and the number of values. */
void hist_print_summary(struct strbuf *sb, const struct hist *h,
    const int64_t *counts, const struct bars *b);

/* One line of output: the entries with equal keys of joined aggregations. */
struct agg_row {
	struct agg *const *aggs;
	const uint32_t *nums; /* entry number plus 1; 0: key not present */
	size_t naggs;
};

struct agg_rows {
	struct agg **aggs; /* borrowed */
	size_t naggs;
	uint32_t *nums; /* n * naggs */
	size_t n;
};

struct cpu_flow {
	uint32_t last_epid;
	int indent;
};

/*
 * A source-level action of a clause: data first to end - 1 of its records, and
 * its parsed format, if it has one that can be parsed.
 */
struct clause_act {
	size_t first, end;
	enum dif_shows shows;
	enum dif_effect effect; /* of DIF_SHOWS_EFFECT */
	struct pf_format *pf;
};

struct clause_acts {
	VEC(struct clause_act) acts;
	bool is_made;
	bool has_exit;
	bool is_firing; /* it has a firing's data for a recording */
	/* speculate(), commit(), discard(): the data that carry tags */
	VEC(const struct plan_rec *) specs;
};

/* Known speculations, by tag (spec.c). */
struct spec_table {
	struct spec **buckets;
	size_t n, nbuckets;   /* a power of 2, or 0 */
	VEC(uint64_t) newest; /* the newest tag of each id */
	uint64_t drain;	      /* number of the current drain */
	uint64_t nended;      /* by commit() or discard() */
	uint64_t drops;	      /* records beyond specsize */
	uint64_t enough;      /* bytes that specsize had to have for them */
};

/* A fault that was reported, and the number of equal ones since (faults.c). */
struct fault_told {
	const struct plan_clause *pc;
	struct dt_errinfo first;
	uint64_t since_ns, nmore;
};

/* A hint that was given for a clause's fault (faults.c). */
struct fault_hinted {
	const struct plan_clause *pc;
	uint32_t fault;
	const char *fmt; /* which hint */
};

/* Effects that a replay leaves out. */
enum left_out { LEFT_SYSTEM, LEFT_FREOPEN, LEFT_FTRUNCATE, LEFT_MAX };

struct consumer {
	struct plan *pl;
	const struct dt_exec_ops *ops;
	struct dt_exec *x;
	struct consume_opts opts;
	FILE *out, *err;
	FILE *first_out; /* the output that freopen("") restores */
	bool out_is_terminal;
	bool has_pcap;	  /* pcap() began the file `out` */
	bool has_escapes; /* out_guard() has to act */
	struct strbuf buf;
	struct strbuf messages; /* for `err`; written before `buf` is */
	int error;		/* 0 or the first -errno */
	bool has_unread;	/* an aggregation could not be read */
	struct ksyms *ksyms;
	struct clause_acts *acts; /* [plan.clauses.n], made lazily */
	/*
	 * The clause and probe of the last record; the next one often has the
	 * same.
	 */
	uint32_t last_epid;
	const struct plan_clause *last_pc;
	const struct dt_probe *last_probe;
	const struct clause_acts *last_acts;
	uint64_t *seen_stacks; /* recnames.c; NULL: not yet */
	struct agg *aggs;      /* [plan.aggs.n] */
	uint32_t ncpus;	       /* with option aggpercpu */
	bool has_heading;
	bool has_exited;
	bool left_out[LEFT_MAX]; /* of which the user has been told */
	int exit_status;
	VEC(struct cpu_flow) flows; /* by CPU */
	struct datum *args;	    /* of the printf() being printed */
	struct spec_table specs;
	VEC(uint64_t) drops_seen; /* [kind * ncpus + cpu] */
	uint64_t nfaults;
	/* The frames of stacks that are as deep as an option permits; 0: no
	 * stack is. */
	uint32_t full_stacks[PLAN_NLIMITS];
	VEC(struct fault_told) faults;
	VEC(struct fault_hinted) hinted;
	/*
	 * Types of actions that only have their names, from DOF; NULL: a type
	 * is not known.
	 */
	struct addrmap named; /* numbers the actions */
	VEC(struct ctf_type *) named_types;
	void *formatted;     /* state of the output's format */
	uint64_t rows_ns;    /* when the rows being printed were read */
	uint64_t nunwritten; /* records whose data the format has no place
			      * for */
};

/* A record being printed. */
struct chew {
	struct consumer *c;
	const struct dt_record *rec;
	const struct plan_clause *pc;
	const struct dt_probe *probe;
	const struct clause_acts *acts;
};

/* The indentation of a record with option flowindent. */
struct flow_place {
	enum dt_flow kind;
	int indent;
	const char *prefix;
};

/* consume.c */
struct flow_place event_flow_place(const struct chew *ch);
void chew_action(const struct chew *ch, const struct clause_act *act);
struct datum chew_datum(const struct chew *ch, size_t i);
/* The datum that the record has of its firing (enum dif_firing); data NULL: it
 * has none. */
struct datum chew_firing(const struct chew *ch, int firing);
/* drops.c: all drops of a kind so far; NULL: the kind is not reported. */
const char *drops_total(
    const struct consumer *c, enum dt_drop kind, uint64_t *total);
/* The text that a printf-like action makes; the caller frees it. */
struct strbuf chew_text(const struct chew *ch, const struct clause_act *act);
bool datum_is_tracemem_size(const struct plan_rec *rec);
size_t datum_tracemem_size(const struct chew *ch, size_t i);
/* faults.c */
void fault_report(struct consumer *c, const struct dt_record *rec);
/* Report the faults whose second has passed, or all of them. */
void faults_tell_more(struct consumer *c, bool is_last);
bool fault_has_address(uint32_t fault);
void fault_prefix(const struct consumer *c, uint32_t epid, struct strbuf *sb);
void consumer_flush(struct consumer *c);
/*
 * Hand over the output so far, without waiting until the kernel has taken it.
 */
void consumer_emit(struct consumer *c);
/* Return the error; an error from a hook's answer is cleared. */
int consumer_take_error(struct consumer *c);
void consumer_error(struct consumer *c, int error);
void consumer_warn(struct consumer *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * The same, for messages that come by the thousand: they are written together.
 * A message alone is a system call, which is traced and fails again where the
 * script traces system calls.  Not with hooks.
 */
void consumer_warn_later(struct consumer *c, const struct strbuf *msg);

/* The output is another file from now on. */
void consumer_turn_out(struct consumer *c, FILE *to);

/* Print a record, whether or not it belongs to a speculation. */
void chew_print(struct consumer *c, const struct dt_record *rec);

/* hooks.c */
void hooks_record(const struct chew *ch);
void hooks_text(
    struct consumer *c, const struct consume_row *row, unsigned flags);

/* spec.c */
/* May the substrate have given out this tag? */
bool spec_is_known(const struct consumer *c, uint64_t tag);
/*
 * Keep a record of a speculation.  False: the speculation was committed, print
 * the record now.
 */
bool spec_keep(struct consumer *c, const struct dt_record *rec, uint64_t tag);
/* Print or discard the kept records; tag 0 is no speculation. */
void spec_end(struct consumer *c, uint64_t tag, bool is_commit);
void specs_age(struct consumer *c); /* after each drain */
void specs_fini(struct consumer *c);

/* effect.c */
void chew_effect(const struct chew *ch, const struct clause_act *act);

/* output.c: data as trace() and aggregations show them */
static inline char *
out_room(struct strbuf *sb, size_t n)
{
	return sb->cap - sb->len > n ? sb->s + sb->len : strbuf_room(sb, n);
}

static inline void
out_add(struct strbuf *sb, const char *s, size_t len)
{
	char *p = out_room(sb, len);

	memcpy(p, s, len);
	p[len] = '\0';
	sb->len += len;
}

static inline void
out_addc(struct strbuf *sb, char c)
{
	out_add(sb, &c, 1);
}

#define OUT_NUMBER                                                             \
	32 /* room that out_number_at() may need beyond its columns */
char *out_number_at(char *p, uint64_t v, bool is_negative, size_t width);
void out_pad(struct strbuf *sb, size_t n);
void out_u64(struct strbuf *sb, uint64_t v, int width);
void out_i64(struct strbuf *sb, int64_t v, int width);
void out_text(
    struct strbuf *sb, const char *s, size_t len, int width, bool is_left);
/* out_text() for text from the traced system. */
void out_data(
    struct consumer *c, const char *s, size_t len, int width, bool is_left);
/*
 * Text that is made apart from the output: what is appended between begin and
 * end goes to the end of `to`.  The caller frees the text that end returns.
 */
struct out_aside {
	struct strbuf output;
	bool had_escapes;
};
struct out_aside out_aside_begin(
    struct consumer *c, struct strbuf to, bool has_escapes);
struct strbuf out_aside_end(struct consumer *c, const struct out_aside *aside);
/*
 * Make what was appended since `start` fit for a terminal, if that is wanted.
 */
void out_guard(struct consumer *c, size_t start);
/*
 * Text for a terminal: control characters, but for lines and tabs, as escapes.
 */
void out_visible(struct strbuf *sb, const char *s, size_t len);
/*
 * The bytes of the character at s, if it is one that the function accepts; or
 * 0.
 */
typedef size_t utf8_char_f(const char *s, size_t len);
/*
 * Text as within a string constant of D; the characters of `stays` as they are.
 */
void out_escape(
    struct strbuf *sb, const char *s, size_t len, utf8_char_f *stays);
void out_utf8(struct strbuf *sb, uint32_t wc);
/* utf8.c */
/*
 * As utf8_char(), only for characters beyond ASCII that are no control
 * characters.
 */
size_t utf8_printable(const char *s, size_t len);
/*
 * As utf8_char(), for all characters that are no control characters.  The
 * locale has no say in it, as isprint(3) would let it.
 */
size_t utf8_visible(const char *s, size_t len);
/* The bytes up to the first character that f does not accept. */
size_t utf8_span(const char *s, size_t len, utf8_char_f *f);
/* Is the whole text UTF-8? */
bool utf8_valid(const char *s, size_t len);
/*
 * The columns of a text on a terminal; a byte that is not part of a character
 * counts as one.
 */
size_t utf8_columns(const char *s, size_t len);
/* The length of the text without a character that is cut off at its end. */
size_t utf8_cut(const char *s, size_t len);
/* The length of the characters that fit in so many columns. */
size_t utf8_fit(const char *s, size_t len, size_t columns);
void out_escaped(struct strbuf *sb, char c);
void out_dump(struct strbuf *sb, const void *data, size_t len);
/* The addresses of a stack datum; pid 0: the kernel's. */
struct frames {
	uint64_t pid;
	const char *p;
	uint32_t n;
	const char *names, *end; /* from helpers, each with its NUL; or NULL */
};

static inline uint64_t
frames_pc(const struct frames *f, uint32_t i)
{
	uint64_t pc;

	memcpy(&pc, f->p + i * sizeof(pc), sizeof(pc));
	return pc;
}

struct frames frames_of_stack(const struct datum *d);
/* The option but for which the stack may have had more frames. */
enum plan_limit frames_limit(const struct datum *d, const struct frames *f);
/* Remember for the end of tracing that such a stack was shown. */
void frames_note_full(
    struct consumer *c, const struct frames *f, enum plan_limit limit);
/* The name of the next frame: "" if it has none. */
const char *frames_next_name(struct frames *f);
/* symbol.c: addresses of the kernel and of programs as names */
struct symbol {
	uint64_t addr;
	uint64_t pid;		   /* 0: the kernel's */
	const char *module, *name; /* NULL: not known */
	uint64_t offset; /* from the symbol's start, or the module's */
};
static inline bool
datum_is_symbol(const struct datum *d)
{
	return d->rec->store == PLAN_SYM || d->rec->store == PLAN_USYM;
}
/* recnames.c: a recording is made, and gets the names of the record's addresses
 */
void symbol_note_firing(const struct chew *ch);
/* name.c */
/* A segment of a file in a process, and the text of its build id. */
struct consumer_file {
	struct record_mapping map;
	char build_id[RECORD_BUILD_ID_MAX + 1];
};
/* The file at an address, from the machine or the book; false: none is known.
 * The path is valid until the next call of these functions. */
bool consumer_find_file(
    struct consumer *c, uint64_t pid, uint64_t addr, struct consumer_file *out);
/* The build id of the kernel, "vmlinux", or of a module, from the same; or "".
 */
void consumer_kernel_build_id(const struct consumer *c, const char *module,
    char out[RECORD_BUILD_ID_MAX + 1]);
/*
 * The name of an address, from the machine or the book; false: it has none.
 * `pid` is 0 for the kernel's.  The strings are valid until the next call.
 */
bool consumer_find_name(struct consumer *c, enum record_name_kind kind,
    uint64_t pid, uint64_t addr, uint64_t time_ns, struct record_name *out);
/* The monotonic time of the run, and what to add to it to get the date. */
uint64_t consumer_now(const struct consumer *c);
uint64_t consumer_wall_offset(const struct consumer *c);

struct symbol symbol_of(struct consumer *c, const struct datum *d);
struct symbol symbol_of_frame(struct consumer *c, const struct datum *d,
    const struct frames *f, uint32_t i);
void symbol_format(const struct symbol *sym, struct strbuf *out);
/* Append an address of the kernel, or of a process, with its name. */
void symbol_format_kernel(
    struct consumer *c, uint64_t addr, struct strbuf *out);
void symbol_format_user(struct consumer *c, uint64_t pid, uint64_t addr,
    uint64_t time_ns, struct strbuf *out);
/* Is the name a helper's, for a frame that has no other name? */
bool symbol_takes_name(const struct symbol *sym, const char *name);
void symbol_text(struct consumer *c, const struct datum *d, struct strbuf *out);
void out_symbol(struct consumer *c, const struct datum *d);
/* Give all addresses of a symbol one value in a key. */
bool symbol_in_keys(const struct plan_agg *pa);
void symbol_merge(struct consumer *c, const struct plan_rec *rec, char *data);
void out_stack(struct consumer *c, const struct datum *d, int indent);
void out_trace(struct consumer *c, const struct datum *d);
void out_key(struct consumer *c, const struct datum *d);
void out_packed_key(struct consumer *c, const struct datum *d);
int pack_columns(const struct plan_rec *rec);
bool datum_is_int(const struct datum *d);
bool datum_is_signed(const struct datum *d);
bool datum_is_enum(const struct datum *d);
/* The enumerator's name; the number in decimal if no enumerator has it. */
void value_enum_text(
    struct consumer *c, const struct datum *d, struct strbuf *out);
uint64_t datum_uint(const struct datum *d);
int64_t datum_int(const struct datum *d);
const char *datum_text(
    const struct plan *pl, const struct datum *d, size_t *len);

/* pcap.c: data of any length (PLAN_REF) */
uint64_t datum_ref_length(const struct datum *d, size_t *have);
const char *datum_ref_bytes(const struct datum *d);
void out_ref(struct consumer *c, const struct datum *d);
void out_pcap(
    struct consumer *c, const struct dt_record *rec, const struct datum *d);

/* print.c: values by their types */
void datum_print(struct consumer *c, const struct datum *d, struct ctf_type *t);
bool value_type_is_char(const struct ctf_type *t);
/* Little-endian bits; the caller has checked that they are within the data. */
uint64_t value_bits_load(const void *data, uint64_t bit_off, uint32_t bits);
uint64_t value_max_count(uint64_t size);
const char *value_enum_name(
    const struct ctf_type *t, uint64_t raw, uint32_t bits);

/* event.c: records and rows as typed events, for a program or as JSON */
static inline bool
has_events(const struct consumer *c)
{
	return c->opts.typed || c->opts.oformat != NULL;
}

void event_record(const struct chew *ch);
void event_row(struct consumer *c, const struct agg_row *row,
    const struct datum *keys, size_t nkeys, const struct pf_format *pf);

/* printf.c */
void printf_render(struct consumer *c, const struct pf_format *pf,
    const struct datum *args, size_t nargs, const struct agg_row *row);

/* agg.c */
void aggs_init(struct consumer *c);
void aggs_fini(struct consumer *c);
struct agg *agg_by_id(struct consumer *c, uint64_t id);
int agg_snapshot(struct consumer *c, struct agg *ag);
int agg_clear(struct consumer *c, struct agg *ag);
int agg_trunc(struct consumer *c, struct agg *ag, int64_t keep);
struct datum agg_key(
    const struct agg *ag, const struct agg_table *t, uint32_t i, size_t key);
uint64_t agg_value_bits(const struct agg *ag, const void *val, uint64_t normal);
bool agg_is_signed(const struct agg *ag);
void agg_snap_free(struct consumer *c, struct agg *ag);
int agg_failed(struct consumer *c, const struct agg *ag, int error);
/* The value of a row on one CPU; NULL: it has none. */
const void *agg_row_cpu_val(const struct agg_row *row, size_t i, uint32_t cpu);
/* Begin a new generation: the live values become part of base. */
int agg_turn(struct consumer *c, struct agg *ag);
/* Make base alone the snapshot, entry by entry. */
int agg_snap_base(struct consumer *c, struct agg *ag);
void agg_reset_entry(struct consumer *c, struct agg *ag, uint32_t i);
int agg_keep(
    struct consumer *c, struct agg *ag, const uint32_t *nums, size_t n);

/* walk.c */
struct consume_row agg_walk_row(const struct agg *ag, uint32_t i);

/* aggprint.c */
void agg_print_value(struct consumer *c, struct agg *ag, const void *val);
int agg_print(struct consumer *c, struct agg **aggs, size_t naggs,
    const struct pf_format *pf);
int aggs_print_rest(struct consumer *c);
void agg_row_piece(
    struct consumer *c, const struct agg_row *row, size_t i, unsigned flags);
void agg_print_row(struct consumer *c, struct agg *ag, uint32_t num);

/* aggsort.c */
/* Compare entries of two aggregations by keys; of one function by values. */
int agg_cmp_keys(const struct consumer *c, const struct agg *aga, uint32_t a,
    const struct agg *agb, uint32_t b);
int agg_cmp_vals(const struct agg *ag, const void *a, const void *b);
int agg_sort(struct consumer *c, struct agg *ag, const struct agg_table *t,
    bool by_key, uint32_t **numsp);
int agg_rows_init(
    struct consumer *c, struct agg_rows *rows, struct agg **aggs, size_t naggs);
void agg_rows_fini(struct agg_rows *rows);
const void *agg_row_val(const struct agg_row *row, size_t i);

/* hist.c */
bool hist_is_kind(uint16_t kind);
void hist_init(struct hist *h, uint16_t kind, uint64_t arg);
void hist_fini(struct hist *h);
/*
 * The lowest and highest value of a bucket; false: the bucket is open on that
 * side.
 */
bool hist_min(const struct hist *h, uint32_t i, int64_t *bound);
bool hist_max(const struct hist *h, uint32_t i, int64_t *bound);
long double hist_weight(const struct hist *h, const int64_t *counts);
int64_t hist_zero(const struct hist *h, const int64_t *counts);
void hist_print(struct strbuf *sb, const struct hist *h, const int64_t *counts,
    struct bars *b);
void bars_init(
    struct bars *b, const struct consume_opts *opts, uint64_t normal);
void bars_measure(struct bars *b, int64_t count);
void bars_heading(struct strbuf *sb, const char *what, int width);
void bar_print(struct strbuf *sb, const struct bars *b, int64_t count);
void pack_init(struct pack *p, const struct hist *h, enum units units);
void pack_measure(struct pack *p, const int64_t *counts);
void pack_settle(struct pack *p, bool all);
void pack_heading(struct strbuf *sb, const struct pack *p, int width);
void pack_print(struct strbuf *sb, const struct pack *p, const int64_t *counts,
    struct bars *b);

#endif
