/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_REPLAY_REPLAY_H
#define EXEC_REPLAY_REPLAY_H

/*
 * The third substrate: a plan runs over recorded firings.
 *
 *	recording -> tape_player -> rp_source -> clauses, interpreted -> consumer
 *
 * The recorded program has clauses of firings (dif_action_firing()): each of
 * their records fires its probe again, for the plan that load() takes.  drain()
 * reads the recording, and hands over each record as soon as it is made: a
 * printa() prints what was aggregated before it, as it does live.  Time is the
 * recording's; tick probes fire in it.
 *
 * A plan that aggregates and keeps nothing else from one firing to another
 * gives the same values in whatever order records come.  Several threads read
 * the parts of one recording for it, each into aggregations of its own.
 */
#include "exec/exec.h"

/* A recording.  Those of several machines are told apart by `host`. */
struct rp_tape {
	const struct plan *pl; /* it grows as the recording is read */
	const char *host;
	uint32_t ncpus;
	/* The time of all recordings is that of the records + shift_ns. */
	uint64_t start_ns, shift_ns;
	/* The arguments of a process at the record that was read last, or
	 * NULL. */
	const char *(*find_args)(void *arg, uint64_t pid);
	/* CLOCK_REALTIME - the time of the records */
	uint64_t (*wall_offset)(void *arg);
	void *arg;
};

/*
 * A recording in parts, which several threads read.  All functions but play()
 * are called by the thread that loaded, with rp_source.arg.
 */
struct rp_reader;
struct rp_part;
struct rp_parts {
	/* NULL: there is no memory. */
	struct rp_reader *(*reader_create)(void *arg);
	void (*reader_destroy)(struct rp_reader *rd);
	/* The next part: 1; 0 at the end; or -errno.  *grew: call grow() while
	 * no reader plays, and then let one play this part. */
	int (*take)(void *arg, struct rp_part **outp, bool *grew);
	void (*grow)(void *arg, struct rp_reader *const *readers, size_t n);
	/* Hand over the records of a part: 0, or f's first nonzero result. */
	int (*play)(struct rp_reader *rd, struct rp_part *part, dt_record_f *f,
	    void *farg);
	/* Parts end in the order in which they were taken. */
	void (*end)(void *arg, struct rp_part *part);
};

struct rp_source {
	const struct rp_tape *tapes;
	uint32_t ntapes;
	/* An address has the same name in all recordings. */
	bool has_one_space;
	/*
	 * Hand over the next records, with f, after setting *tape to the number
	 * of their recording; 1, or 0 at the end, or -errno, or f's first
	 * nonzero result.
	 */
	int (*read)(void *arg, uint32_t *tape, dt_record_f *f, void *farg);
	/* The same in parts, if there is one tape; or NULL. */
	const struct rp_parts *parts;
	uint32_t nthreads; /* that may read parts: 1 to RP_MAX_THREADS */
	void *arg;
};
#define RP_MAX_THREADS 64

/* The frames that stacks of a recording's firings have at most; 0: it has no
 * such stacks. */
uint32_t rp_frames(const struct plan *recorded, enum plan_store store);

/* Load a plan: 0, or -errno with *err.  What the tapes point to is borrowed. */
CHECKED int rp_load(struct plan *pl, const struct dt_exec_opts *opts,
    const struct rp_source *src, struct dt_exec **outp, struct err *err);
/* Is the recording read, or did exit() end it? */
bool rp_has_ended(const struct dt_exec *x);
extern const struct dt_exec_ops dt_exec_replay;

#endif
