/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

/*
 * Plan: program x matched probes -> enablings.
 *
 * A clause has one record layout, whichever probe fires it.  Each pair of
 * clause and probe is an enabling with an EPID of its own (1, 2, ... clause by
 * clause, as DTrace numbers ECBs).  Probes that come while tracing (of a new
 * process, of a library that is loaded) are numbered behind all of these, as
 * they come.
 *
 * What is stored is smaller than what D says where possible: a string that
 * names something known in advance is stored as the id of an interned string
 * (PLAN_STR_ID), execname as 16 bytes.  plan_str() gives the string back.
 */
#include "dif/dif.h"
#include "provider/provider.h"

enum plan_store {
	PLAN_BYTES,	/* `size` bytes by reference, or an integer */
	PLAN_STR,	/* string, `size` (strsize) bytes, NUL-padded */
	PLAN_STR_ID,	/* u32: id in plan.strs */
	PLAN_STR_COMM,	/* 16 bytes, NUL-padded */
	PLAN_STACK,	/* size / 8 kernel pcs, 0 ends */
	PLAN_USTACK,	/* u64: a process id, then its pcs, 0 ends; arg: how many,
			 * and in the high half, as published, the bytes of
			 * strings behind them, of which none is stored */
	PLAN_SYM,	/* u64: a kernel address, to be named */
	PLAN_USYM,	/* u64, u64: a process id, and its address */
	PLAN_REF,	/* what a memref() points to: u64 length, and as many
			 * of the bytes as size - 8 leaves room for */
};

/*
 * In place of the pc behind the last frame of a user stack that goes on: why it
 * is not known how.  plan_cut_name() names it; NULL: a pc.
 */
enum plan_cut {
	PLAN_CUT_ROOM = 1, /* no room to copy the stack */
	PLAN_CUT_FILE,	   /* whose code that is cannot be read (any more) */
	PLAN_CUT_COPY,	   /* the copy ends before, or was of another stack */
	PLAN_CUT_CODE,	   /* no code is known to be there */
	PLAN_CUT_CIRCLE,   /* it was called from where it is */
};
#define PLAN_CUT_PC(why) (-(uint64_t)(why))
const char *plan_cut_name(uint64_t pc);

#define PLAN_IS_STACK(store) ((store) == PLAN_STACK || (store) == PLAN_USTACK)

/* One datum of a record or key: dtrace_recdesc_t with what we need besides. */
struct plan_rec {
	uint16_t action;	/* enum dt_act */
	uint16_t align;
	uint32_t size;		/* bytes in the stored form */
	uint32_t offset;	/* from the record's start, header included;
				 * keys: from the key's start */
	enum plan_store store;
	uint64_t arg, uarg;
	uint32_t group;		/* dif_action.group */
	const struct dif_action *src;	/* borrowed from the program */
};

#define PLAN_REFHDR 8		/* of PLAN_REF: the length */
#define PLAN_RECHDR 12		/* u32 epid, u32 time high, u32 time low */

struct plan_agg;

/*
 * One step of a clause.  A substrate makes code of the steps in their order;
 * it needs nothing else of the actions that they come from.
 */
struct plan_step {
	enum dif_step kind;
	uint32_t action_no;	/* as a fault reports it: from 1, in the order
				 * of the program's actions */
	const char *name;	/* of the action, for listings */
	struct diag_span span;
	const struct dif_obj *value;	/* NULL: none, or rec->arg is stored */
	struct dif_uses uses;	/* its objects, together */
	const struct plan_rec *rec;	/* STORE, SPECULATE, SPEC_END, EXIT */
	/* SPECULATE, SPEC_END: the clause ends if there is no such speculation,
	 * as its record would say nothing else. */
	bool ends_if_none;

	/* AGG: */
	const struct plan_agg *agg;
	const struct dif_action *keys;	/* agg->keys.n of them */
	uint32_t key_no;		/* action number of the first */
	const struct dif_obj *incr;	/* NULL: 1; its number is before that of
					 * the value */
};

struct plan_clause {
	const struct dif_clause *clause;	/* borrowed */
	const struct dif_prog *prog;		/* borrowed */
	VEC(struct plan_step) steps;	/* what it does, in order */
	uint32_t does;			/* a bit per enum dif_step */
	uint32_t stores;		/* a bit per enum plan_store: its record
					 * and the keys of its aggregations */
	struct dif_uses uses;		/* its predicate and all its actions */
	VEC(struct plan_rec) recs;	/* recorded data, in order */
	uint32_t size;			/* whole record, or 0: nothing written */
	VEC(const struct dt_probe *) probes;	/* until plan_finish() */
	uint32_t epid_base;		/* EPID of probes.v[0] */
	bool may_grow;			/* probes may come while tracing */
};

/* A probe that came later.  Its EPID is its index in plan.late + late_base. */
struct plan_late {
	uint32_t clause;		/* index in plan.clauses */
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
	const struct dif_agg *agg;	/* borrowed */
	VEC(struct plan_rec) keys;
	uint32_t key_size;		/* with header, multiple of 8 */
	uint32_t val_size;		/* multiple of 8, see plan_agg_val_size */
	uint32_t epid;			/* the first enabling that updates it */
};

struct plan {
	VEC(struct plan_clause) clauses;	/* in program order */
	VEC(struct plan_agg) aggs;		/* index = agg id - 1 */
	struct strtab strs;			/* PLAN_STR_ID */
	uint32_t nepids;
	VEC(struct plan_late) late;
	uint32_t late_base;
	uint32_t strsize;
	uint32_t stackframes, ustackframes, jstackframes, jstackstrsize;
	uint32_t maxframes;	/* no stack has more; 0: as many as it asks */
	uint32_t printsize;	/* print() records no more of a value ... */
	uint32_t pcapsize;	/* ... and pcap() of a packet */
};

struct plan_opts {
	uint32_t strsize, stackframes, maxframes;
	uint32_t ustackframes, jstackframes, jstackstrsize;
	uint32_t printsize, pcapsize;
};

/*
 * Size of an aggregation's stored value (doc/reference/records.md section 6):
 * count sum min max 8, avg 16, stddev 32, quantize 127 * 8, lquantize
 * (levels + 2) * 8, llquantize nbuckets * 8.  min and max store the value,
 * whose identity is INT64_MAX / INT64_MIN.  (The leading parameter word of
 * lquantize and llquantize is not stored: it is in dif_agg.arg.)
 */
uint32_t plan_agg_val_size(uint16_t kind, uint64_t arg);

struct plan *plan_create(const struct plan_opts *opts);
void plan_destroy(struct plan *pl);

/* Append a program; plan_clause_add_probe() then enables its clauses. */
int plan_add_program(struct plan *pl, const struct dif_prog *prog,
    struct diags *diags);
void plan_clause_add_probe(struct plan_clause *pc, const struct dt_probe *p);

/* Is one of its steps of that kind?  Does it store such data? */
bool plan_clause_does(const struct plan_clause *pc, enum dif_step kind);
bool plan_clause_stores(const struct plan_clause *pc, enum plan_store store);

/* Can the clause ever fire? */
bool plan_clause_is_live(const struct plan_clause *pc);

/*
 * All probes are known: number the EPIDs, decide storage, lay out records and
 * keys, and make each clause's steps.
 */
void plan_finish(struct plan *pl);

/* After that: a probe that came, for the clause of that index.  Its EPID. */
uint32_t plan_add_late(struct plan *pl, uint32_t clause,
    const struct dt_probe *p);

/* Clause and probe of an EPID; NULL if there is none. */
const struct plan_clause *plan_by_epid(const struct plan *pl, uint32_t epid,
    const struct dt_probe **probe);

/* The string behind a string datum (PLAN_STR*). Never NULL, not always
 * terminated within `*len`: use the length. */
const char *plan_str(const struct plan *pl, const struct plan_rec *rec,
    const void *data, uint32_t *len);

/* Bytes of strings behind a user stack, as the published layout has them. */
#define PLAN_STRINGS(rec) ((uint32_t)((rec)->arg >> 32))

/* Are there probes in programs? */
bool plan_has_uprobes(const struct plan *pl);
/* Do records or keys have addresses of programs? */
bool plan_has_uaddrs(const struct plan *pl);

void plan_dump(const struct plan *pl, struct strbuf *out);

#endif
