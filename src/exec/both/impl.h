/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BOTH_IMPL_H
#define EXEC_BOTH_IMPL_H

/*
 * A session of both substrates: the two parts of a plan, each loaded into a
 * substrate.  Each function of the session asks its parts, and joins their
 * answers.
 */
#include "exec/both/split.h"
#include "exec/exec.h"

/* Records of a part that were drained and not handed over yet, oldest first. */
struct both_queue {
	VEC(char) bytes; /* struct queued, its record, padding, ... */
	size_t first;	 /* offset of the next one */
};

/* The arguments of a call of watch_loads(). */
struct both_loader {
	pid_t pid;
	const struct dt_probe *p;
};

struct both_part {
	const struct dt_exec_ops *ops;
	struct plan_part *plan;
	struct dt_exec *x; /* NULL: not loaded */
	bool has_begun;	   /* go() was called */
	VEC(struct both_loader) loaders;
	struct both_queue queue;
};

#define BOTH_NPARTS 2

struct both_exec {
	struct dt_exec e; /* first */
	struct plan *pl;
	struct dt_exec_opts opts;
	struct diags *diags;
	struct both_split split;
	/* The one in processes sleeps for all: its sleep is never long. */
	struct both_part parts[BOTH_NPARTS];
	size_t nparts;
	bool is_stopped;
	int epoll_fd; /* of the other part, and of wait()'s caller; or -1 */
	int extra_fd; /* that is in it; or -1 */
};

static inline struct both_exec *
both_of(const struct dt_exec *e)
{
	return (struct both_exec *)(uintptr_t)e;
}

#define BOTH_FOREACH(x, part)                                                  \
	for (__typeof__((x)->parts + 0) part = (x)->parts;                     \
	     part < (x)->parts + (x)->nparts; part++)

/* records.c */
int both_drain(struct dt_exec *e, bool merged, dt_record_f *f, void *arg);
uint64_t both_pending_ns(const struct dt_exec *e);
bool both_is_filling(const struct dt_exec *e);
void both_queue_fini(struct both_queue *q);

/* data.c: aggregations and drops. */
int both_agg_walk(
    struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
int both_agg_turn(
    struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg);
void both_agg_fill(
    struct dt_exec *e, uint32_t agg_id, uint64_t *used, uint64_t *room);
bool both_aggs_are_filling(const struct dt_exec *e);
uint64_t both_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu);
uint64_t both_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu);
uint64_t both_most(const struct dt_exec *e, enum dt_drop kind);
unsigned both_idle(const struct dt_exec *e, uint32_t cpu);

/* begin.c */
int both_go(struct dt_exec *e, struct err *err);

/* code.c: code that processes load, and what is done at their ends. */
int both_grow(struct dt_exec *e, struct err *err);
int both_watch_loads(
    struct dt_exec *e, pid_t pid, const struct dt_probe *p, struct err *err);
bool both_has_loads(struct dt_exec *e);
void both_resume(struct dt_exec *e);
pid_t both_root_of(const struct dt_exec *e, pid_t pid);
void both_let_go(struct dt_exec *e, pid_t pid);
int both_met(struct dt_exec *e, struct err *err);
void both_look_back(const struct dt_exec *e, pid_t pid,
    const struct kmsg_fault *f, struct dt_last_place *out);

#endif
