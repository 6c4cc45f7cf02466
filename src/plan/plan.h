/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

/*
 * Plan: program x matched probes -> enablings.
 *
 * A clause has one record layout, whichever probe fires it.  Each pair of
 * clause and probe is an enabling with an EPID of its own (1, 2, ... clause by
 * clause, as DTrace numbers ECBs).  Probes that come while tracing (of a new
 * process, of a library that is loaded) get later numbers, in order of arrival.
 *
 * Stored data is smaller than D's type where possible: a string that names
 * something known in advance is stored as the id of an interned string
 * (PLAN_STR_ID), execname as 16 bytes.  plan_str() gives the string back.
 */
#include "base/str.h"
#include "base/vec.h"
#include "dif/prog.h"
#include "provider/provider.h"

enum plan_store {
	PLAN_BYTES,    /* `size` bytes by reference, or an integer */
	PLAN_STR,      /* string, `size` (strsize) bytes, NUL-padded */
	PLAN_STR_ID,   /* u32: id in plan.strs, or PLAN_STR_PID and a number */
	PLAN_STR_COMM, /* 16 bytes, NUL-padded */
	PLAN_STACK,    /* size / 8 kernel pcs, 0 ends */
	PLAN_USTACK,   /* u64: a process id, then its pcs, 0 ends.  arg: how
			 * many pcs; its high half: bytes of strings that the
			 * published layout has behind them (not stored) */
	PLAN_SYM,      /* u64: a kernel address; the consumer names it */
	PLAN_USYM,     /* u64, u64: a process id, an address in the process */
	PLAN_REF,      /* memref(): u64 length, then as many of the bytes that
			 * it points to as fit in size - 8 */
};

/* The name of a process's provider, "pid123": probeprov of a probe of all
 * processes is known when it fires. */
#define PLAN_STR_PID 0x80000000U

/*
 * Why a user stack ends early: stands in place of the pc behind the last known
 * frame.  plan_cut_name() names the reason; NULL: it is a pc.
 */
enum plan_cut {
	PLAN_CUT_ROOM = 1, /* no room to copy the stack */
	PLAN_CUT_FILE,	   /* the mapped file cannot be read (deleted?) */
	PLAN_CUT_COPY,	   /* the copy is too short, or of another stack */
	PLAN_CUT_CODE,	   /* no code is known at this address */
	PLAN_CUT_CIRCLE,   /* the frame is its own caller */
};
#define PLAN_CUT_PC(why) (-(uint64_t)(why))
const char *plan_cut_name(uint64_t pc);

/* The option that limits the frames of a stack. */
enum plan_limit {
	PLAN_LIMIT_NONE, /* the script gives the number */
	PLAN_LIMIT_STACK,
	PLAN_LIMIT_USTACK,
	PLAN_LIMIT_JSTACK,
	PLAN_LIMIT_MAX, /* maxframes */
};
#define PLAN_NLIMITS (PLAN_LIMIT_MAX + 1)
const char *plan_limit_name(enum plan_limit limit); /* NULL: none */

#define PLAN_IS_STACK(store) ((store) == PLAN_STACK || (store) == PLAN_USTACK)

/* One datum of a record or key: dtrace_recdesc_t, and more of our own. */
struct plan_rec {
	uint16_t action; /* enum dt_act */
	uint16_t align;
	uint32_t size;	 /* bytes in the stored form */
	uint32_t offset; /* from the record's start, header included;
				 * keys: from the key's start */
	enum plan_store store;
	uint64_t arg, uarg;
	enum plan_limit limit;	      /* of a stack */
	uint32_t group;		      /* dif_action.group */
	const struct dif_action *src; /* borrowed from the program */
};

#define PLAN_REFHDR 8  /* of PLAN_REF: the length */
#define PLAN_RECHDR 12 /* u32 epid, u32 time high, u32 time low */

struct plan_agg;

/*
 * One step of a clause.  A substrate compiles the steps in order; it needs
 * nothing else of the actions that they come from.
 */
struct plan_step {
	enum dif_step kind;
	uint32_t action_no;  /* faults report it: from 1, in the order of
				 * the program's actions */
	const char *name;    /* of the action, for listings */
	const char *running; /* the first of its actions with
				 * DT_ACTF_RUNNING; NULL: none */
	struct diag_span span;
	const struct dif_obj *value; /* NULL: none, or rec->arg is stored */
	struct dif_uses uses;	     /* of all its objects */
	const struct plan_rec *rec;  /* STORE, SPECULATE, SPEC_END, EXIT */
	/* SPECULATE, SPEC_END: the clause ends if the speculation does not
	 * exist, because its record holds nothing else. */
	bool ends_if_none;

	/* AGG: */
	const struct plan_agg *agg;
	VEC(struct plan_key_use {
		const struct dif_obj *value; /* NULL: none */
		struct diag_span span;
	})
	keys;			    /* agg->keys.n of them */
	uint32_t key_no;	    /* action number of the first */
	const struct dif_obj *incr; /* NULL: 1 */
	uint32_t incr_no;	    /* its action number */
};

struct plan_clause {
	const struct dif_clause *clause; /* borrowed */
	const struct dif_prog *prog;	 /* borrowed */
	VEC(struct plan_step) steps;	 /* in order */
	uint32_t does;			 /* a bit per enum dif_step */
	uint32_t stores;	   /* a bit per enum plan_store: its record
					 * and the keys of its aggregations */
	struct dif_uses uses;	   /* its predicate and all its actions */
	VEC(struct plan_rec) recs; /* recorded data, in order */
	uint32_t size;		   /* of the whole record; 0: no record */
	VEC(const struct dt_probe *) probes; /* until plan_finish() */
	uint32_t epid_base;		     /* EPID of probes.v[0] */
	bool may_grow;			     /* probes may come while tracing */
	/* The substrate runs it in traced processes: addresses are theirs. */
	bool in_process;
};

/* A late probe.  Its EPID is late_base + its index in plan.late. */
struct plan_late {
	uint32_t clause; /* index in plan.clauses; or PLAN_ELSEWHERE */
	const struct dt_probe *probe;
};

/*
 * An aggregation: one key layout for all clauses that use it.  Stored key:
 *
 *	u16 cpu | u16 generation | u32 0 | components ... (8-aligned size)
 *
 * The CPU stands in the key, so no two CPUs ever touch one value; the
 * consumer merges.  clear() and trunc() begin a new generation.
 */
#define PLAN_KEYHDR 8
struct plan_agg {
	const struct dif_agg *agg; /* borrowed */
	VEC(struct plan_rec) keys;
	uint32_t key_size; /* with header, multiple of 8 */
	uint32_t val_size; /* multiple of 8, see plan_agg_val_size */
	uint32_t epid;	   /* the first enabling that updates it */
	bool is_elsewhere; /* of a part: none of its clauses updates it */
};

struct plan {
	VEC(struct plan_clause) clauses; /* in program order */
	VEC(struct plan_agg) aggs;	 /* index = agg id - 1 */
	struct strtab *strs;		 /* PLAN_STR_ID; parts share it */
	struct strtab *made;		 /* by plan_str() */
	uint32_t nepids;
	VEC(struct plan_late) late;
	uint32_t late_base;
	uint32_t strsize;
	uint32_t stackframes, ustackframes, jstackframes, jstackstrsize;
	uint32_t maxframes; /* limit for every stack; 0: no limit */
	uint32_t printsize; /* most bytes of a value that print() records */
	uint32_t pcapsize;  /* most bytes of a packet that pcap() records */
};

struct plan_opts {
	uint32_t strsize, stackframes, maxframes;
	uint32_t ustackframes, jstackframes, jstackstrsize;
	uint32_t printsize, pcapsize;
};

/*
 * Size of an aggregation's stored value (doc/reference/records.md section 6):
 * count sum min max 8, avg 16, stddev 32, quantize 127 * 8, lquantize
 * (levels + 2) * 8, llquantize nbuckets * 8, percentile
 * PLAN_PERCENTILE_BUCKETS * 8.  min and max store the value and
 * start at INT64_MAX and INT64_MIN.  (The leading parameter word of lquantize
 * and llquantize is not stored: it is in dif_agg.arg.)
 *
 * percentile() has a bucket for what is below 0, one for each value below 64,
 * and 64 of equal width for each power of two from 64 on.
 */
#define PLAN_PERCENTILE_LINEAR 64 /* values, and buckets of a power of two */
#define PLAN_PERCENTILE_BUCKETS (1 + PLAN_PERCENTILE_LINEAR * (1 + 63 - 6))
uint32_t plan_agg_val_size(uint16_t kind, uint64_t arg);

struct plan *plan_create(const struct plan_opts *opts);
void plan_destroy(struct plan *pl);

/* Append a program; plan_clause_add_probe() then enables its clauses. */
int plan_add_program(
    struct plan *pl, const struct dif_prog *prog, struct diags *diags);
void plan_clause_add_probe(struct plan_clause *pc, const struct dt_probe *p);

/* Has the clause a step of that kind?  Does it store such data? */
bool plan_clause_does(const struct plan_clause *pc, enum dif_step kind);
bool plan_clause_stores(const struct plan_clause *pc, enum plan_store store);

/* Visit the object of the clause's predicate, and those of its steps in
 * order. */
typedef void plan_obj_f(const struct dif_obj *dp, void *arg);
void plan_clause_each_obj(
    const struct plan_clause *pc, plan_obj_f *f, void *arg);

/* Can the clause ever fire? */
bool plan_clause_is_live(const struct plan_clause *pc);

/*
 * All probes are known: number the EPIDs, decide storage, lay out records and
 * keys, and make each clause's steps.
 */
void plan_finish(struct plan *pl);

/* After plan_finish(): add a late probe to plan.clauses.v[clause].  Returns its
 * EPID. */
uint32_t plan_add_late(
    struct plan *pl, uint32_t clause, const struct dt_probe *p);

/*
 * A part of a plan, for a substrate that runs only some of the clauses: a plan
 * with these clauses alone.  EPIDs, layouts, and the ids of aggregations and
 * strings are those of the whole plan, which must outlive the part.
 */
#define PLAN_ELSEWHERE UINT32_MAX /* the late probe is another part's */
struct plan_part {
	struct plan pl;
	const struct plan *whole;
	uint32_t *numbers; /* in pl, by clause of the whole; PLAN_ELSEWHERE */
};
/* After plan_finish() of the whole: the part with those clauses whose `has` is
 * true. */
struct plan_part *plan_part_create(const struct plan *whole, const bool *has);
void plan_part_destroy(struct plan_part *part);
/* Take over the late probes that the whole plan has got since the last call.
 * Returns how many are of the part's clauses. */
size_t plan_part_grow(struct plan_part *part);

/* Clause and probe of an EPID; NULL if there is none. */
const struct plan_clause *plan_by_epid(
    const struct plan *pl, uint32_t epid, const struct dt_probe **probe);

/* The string of a string datum (PLAN_STR*).  Never NULL; may have no NUL within
 * `*len`: use the length. */
const char *plan_str(const struct plan *pl, const struct plan_rec *rec,
    const void *data, uint32_t *len);

/* Bytes of strings behind a user stack in the published layout. */
#define PLAN_STRINGS(rec) ((uint32_t)((rec)->arg >> 32))

/* Has the plan probes in programs that the kernel reaches? */
bool plan_has_uprobes(const struct plan *pl);
/* Do all clauses run in traced processes? */
bool plan_is_in_process(const struct plan *pl);
/* Do records or keys hold addresses of programs? */
bool plan_has_uaddrs(const struct plan *pl);

void plan_dump(const struct plan *pl, struct strbuf *out);

#endif
