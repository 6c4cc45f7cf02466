/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TAPE_MERGE_IMPL_H
#define TAPE_MERGE_IMPL_H

#include "base/vec.h"
#include "tape/tape.h"

/* A host's recording. */
struct merge_host {
	struct record *r;
	char *name;
	/* [the host's EPID - 1]: the plan's EPID; 0: none */
	VEC(uint32_t) epids;
	VEC(uint32_t) strings;
	uint64_t wall_ns;    /* time of its last event; never decreases */
	uint64_t arrived_ns; /* wall time here, when its last block came */
	uint64_t now_ns, wall_offset_ns; /* its clocks at its last event */
	uint32_t number;		 /* the host's number, from 0 */
	/* the host is in the queue, at next_ns */
	bool is_queued;
	uint64_t next_ns;
	size_t ndamaged;  /* damaged parts that were reported */
	bool has_stopped; /* END has fired there */
	bool is_lost;	  /* the host was lost before its end */
	bool has_status;
	int status;
};

/* Values of an aggregation that the consumer has not got yet. */
struct merge_agg {
	char *entries;
	size_t n, cap; /* entries */
	size_t size;   /* of one */
};

struct tape_merge {
	struct dt_exec x; /* the consumer's: begins the struct */
	struct dt_exec_ops ops;
	struct consume_book book;
	struct plan *pl;
	VEC(struct merge_host *) hosts;
	/* A heap of the hosts that may have an event to hand over. */
	VEC(struct merge_host *) queue;
	struct merge_host *current; /* whose record the consumer has */
	struct merge_agg *aggs;	    /* [pl->aggs.n] */
	size_t npending;	    /* entries of all aggregations */
	uint64_t until_ns;
	bool is_finishing;
	bool has_exited; /* a record with exit() was handed over */
	char *copy;	 /* a copy of the record that is handed over */
	size_t copy_cap;

	/* The plan's probes, and an EPID for each clause that has one of them:
	 * 0 is free; a power of two. */
	VEC(struct dt_probe *) probes;
	VEC(struct merge_enabling {
		uint32_t clause, epid;
		const struct dt_probe *probe;
	})
	enablings;
	uint32_t unknown; /* string for an id that a host never explained */
	uint32_t *slots;  /* index + 1 of an enabling */
	size_t nslots;
};

/* merge_map.c: what the host's tables have got since the last call. */
void merge_map_host(struct tape_merge *m, struct merge_host *h);
void merge_map_fini(struct tape_merge *m);
/* The plan's EPID, or 0. */
uint32_t merge_epid(const struct merge_host *h, uint32_t epid);
/* Translate the ids of strings in a record or a key; offsets count from
 * `data` + `base`. */
void merge_strings(const struct tape_merge *m, const struct merge_host *h,
    const struct plan_rec *recs, size_t n, char *data, uint32_t base);

/*
 * merge_agg.c: RECORD_AGG_BEGIN or an entry was seen: take the values up to the
 * end of the aggregation, of what has come, or of the block with which `max`
 * values wait.
 */
void merge_take_agg(struct tape_merge *m, struct merge_host *h, size_t max);
void merge_aggs_init(struct tape_merge *m);
void merge_aggs_fini(struct tape_merge *m);
int merge_walk(struct dt_exec *x, uint32_t id, dt_aggent_f *f, void *arg);
int merge_turn(struct dt_exec *x, uint32_t id, dt_aggent_f *f, void *arg);

/* merge_queue.c: hosts by the time of their next events. */
void merge_queue_put(
    struct tape_merge *m, struct merge_host *h, uint64_t next_ns);
/* Take the host whose event is the oldest; NULL: all are later than `until`. */
struct merge_host *merge_queue_take(struct tape_merge *m, uint64_t until);
void merge_queue_clear(struct tape_merge *m);

/* merge.c: the host's next event, or false. */
bool merge_peek(struct merge_host *h, struct record_event *ev);
void merge_take(
    struct tape_merge *m, struct merge_host *h, struct record_event *ev);

#endif
