/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_REPLAY_IMPL_H
#define EXEC_REPLAY_IMPL_H

#include "base/vec.h"
#include "exec/interp/interp.h"
#include "exec/replay/replay.h"

#define RP_NNAMES 5 /* probeprov, mod, func, name; probe */
#define RP_NONE UINT32_MAX
#define RP_COMM 16
#define RP_ARGS 4096

/* The numbers of a clause's objects in the machine; RP_NONE: no object. */
struct rp_step {
	const struct plan_step *step;
	uint32_t value, incr;
	VEC(uint32_t) keys;
};
struct rp_clause {
	const struct plan_clause *pc;
	uint32_t pred;
	VEC(struct rp_step) steps;
	bool has_exit;
	bool runs; /* an object of it runs in the machine */
};

/* A probe of the plan, and its enablings in order. */
struct rp_probe {
	const struct dt_probe *probe;
	VEC(struct rp_enabled {
		struct rp_clause *clause;
		uint32_t epid;
	})
	enabled;
	bool runs;		   /* a clause of the probe runs */
	uint64_t names[RP_NNAMES]; /* addresses */
	uint32_t strids[RP_NNAMES];
	uint64_t next_ns; /* of a tick */
};

/* A number of a record that goes into a firing. */
struct rp_move {
	enum rp_width { RP_INT32, RP_UINT32, RP_WORD } width;
	uint32_t from; /* in the record */
	uint32_t to;   /* in struct in_firing */
};

/* The data of a recorded clause's firing that the plan asks for. */
struct rp_shape {
	const struct plan_clause *pc;
	VEC(struct rp_move) moves;
	const struct plan_rec *comm;	  /* or NULL */
	const struct plan_rec *frames[2]; /* by enum rp_stack_kind; or NULL */
};

/* A recorded enabling, and the use of its records. */
struct rp_recorded {
	enum rp_recorded_kind {
		RP_UNSEEN,
		RP_OTHER, /* no firing, or no clause is on its probe */
		RP_FIRING,
		RP_STRING,
	} kind;
	const struct plan_clause *pc;
	const struct rp_shape *shape; /* RP_FIRING */
	uint32_t probe;		      /* index in rp.probes */
	uint32_t arg;		      /* RP_STRING */
	uint32_t slot; /* index in rp.waits, while firings do not wait */
};

/* The stacks of a firing. */
enum rp_stack_kind { RP_KERNEL, RP_USER, RP_NSTACKS };
struct rp_stack {
	uint64_t *pcs;
	uint32_t n;
};

/* A firing that waits for its strings. */
struct rp_wait {
	struct in_firing f; /* execname: not set, see comm */
	/* the shape of the firing that filled it last */
	const struct rp_shape *shape;
	uint32_t probe, cpu, tape;
	uint64_t time_ns;
	char comm[RP_COMM + 1];
	const char *args; /* of the process; NULL: not known */
	struct rp_text {
		uint64_t addr;
		uint32_t len; /* 0: no string */
		char *text;
	} texts[RT_NARGS];
	struct rp_stack stacks[RP_NSTACKS];
};
/*
 * The strings of a firing are later records of the same CPU.  Records of other
 * CPUs may come between, so a firing waits for its strings.
 */
#define RP_NWAITS 64 /* for each tape */

/* A recording that is read. */
struct rp_reel {
	struct rp_tape tape;
	VEC(struct rp_recorded) recorded; /* by EPID */
	size_t nshapes;
	struct rp_shape *shapes; /* [tape.pl->clauses.n] */
	uint64_t host;		 /* address of the host's name, for programs */
	uint32_t host_id;
};

struct rp_agg {
	const struct plan_agg *pa;
	uint32_t size; /* of an entry: key, value */
	uint8_t *entries;
	size_t n, cap;
	size_t last;	 /* the entry that was updated last, if there is any */
	uint32_t *slots; /* index + 1; 0: free */
	size_t nslots;	 /* a power of two */
};

struct rp {
	struct dt_exec x; /* begins the struct */
	struct plan *pl;
	struct rp_source src;
	struct rp_reel *reels; /* [src.ntapes], and one of no recording */
	uint32_t reel;	       /* of the records that are being read */
	uint64_t start_ns;
	struct in_machine *m;
	VEC(const struct dif_obj *) objs;

	VEC(struct rp_clause) clauses;
	VEC(struct rp_probe) probes;
	struct strtab names;	    /* of probes: index + 1 */
	uint32_t begin, end, error; /* in probes; or RP_NONE */
	VEC(uint32_t) ticks;

	char *text;	       /* names of probes and hosts, for programs */
	struct rp_wait *waits; /* a ring of max_waits; or by slot */
	uint32_t first_wait, nwaits, max_waits;
	uint32_t depth;	      /* firings that wait: 0 without strings */
	uint64_t wanted;      /* variables of the plan, a bit for each row */
	uint32_t wanted_args; /* arg0 to arg9, a bit each */
	bool wants_args, wants_strings;
	/* record pid and tid although no clause reads them */
	bool wants_thread;
	char args[RP_ARGS];
	struct rt_range kernel[3], user[RT_NARGS]; /* what programs may read */
	char comm[RP_COMM + 1];
	/* Frames that all recordings have, and the most that one has; 0: no
	 * stacks. */
	uint32_t nframes[RP_NSTACKS], max_frames[RP_NSTACKS];
	uint32_t host_id;	       /* of the firing */
	uint32_t max_string;	       /* bytes of a recorded string */
	const struct rp_stack *stacks; /* [RP_NSTACKS]; NULL: no firing's */

	struct rp_agg *aggs;
	uint64_t *record; /* under construction */
	uint64_t *key;
	uint64_t drops[DT_DROP_MAX];
	uint64_t now_ns;
	bool has_begun, must_end, has_ended, is_read, is_exiting, in_error;

	void (*notice)(void *arg, const char *text); /* or NULL */
	void *notice_arg;
	bool has_skipped; /* ticks */

	struct rp_crew *crew; /* reads in parts; or NULL */

	dt_record_f *f; /* the callback of the present drain */
	void *farg;
	int rc; /* the callback's first result that is not 0 */
};

/* refuse.c: the words of messages: a function, and the option that records for
 * it. */
extern const struct rp_words {
	enum plan_store store;
	const char *stack, *option;
} rp_words[RP_NSTACKS];
/* Does the recording have all that the plan uses? */
CHECKED int rp_check(
    const struct rp *rp, const struct dt_exec_opts *opts, struct err *err);

/* session.c: also of a replay that was made in part. */
void rp_destroy(struct dt_exec *x);

/* load.c: what runs the plan, without a crew.  0, or -errno with *err. */
CHECKED int rp_load_one(struct plan *pl, const struct dt_exec_opts *opts,
    const struct rp_source *src, struct rp **outp, struct err *err);

/* split.c: why the order of firings matters, or NULL.  Malloced. */
char *rp_refuses_parts(const struct rp *rp);

/* crew.c: the threads that read parts; NULL: there is no memory. */
struct rp_crew *rp_crew_create(struct rp *rp, const struct dt_exec_opts *opts);
void rp_crew_destroy(struct rp_crew *crew);
uint32_t rp_crew_size(const struct rp_crew *crew);
/* Read some parts: 1, 0 at the end, or -errno. */
int rp_crew_read(struct rp_crew *crew);
/* The replay of thread i.  No thread runs until the next rp_crew_read(). */
struct rp *rp_crew_member(struct rp_crew *crew, uint32_t i);

/* run.c: fire a probe of the plan. */
void rp_fire(struct rp *rp, uint32_t probe, struct in_firing *f, uint32_t cpu);

/* source.c: a record of the recording, as a dt_record_f; the firings that
 * still wait. */
int rp_take(const struct dt_record *rec, void *arg);
void rp_flush(struct rp *rp);
/* BEGIN, END and ticks fire in no thread. */
void rp_fire_own(struct rp *rp, uint32_t probe, uint64_t time_ns);

/* agg.c */
void rp_aggs_init(struct rp *rp);
void rp_aggs_fini(struct rp *rp);
void rp_agg_update(
    struct rp *rp, const struct plan_step *s, uint64_t value, uint64_t incr);
int rp_agg_walk(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg);
int rp_agg_turn(struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg);
void rp_agg_fill(
    struct dt_exec *x, uint32_t agg_id, uint64_t *used, uint64_t *room);

#endif
