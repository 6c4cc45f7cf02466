/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TAPE_TAPE_H
#define TAPE_TAPE_H

/*
 * The consumer's substrate, with a recording beside it or instead of it.
 *
 *	live:	consumer -> recorder -> substrate
 *			      \-> file
 *	replay:	consumer -> player <- file
 *
 * Both are a struct dt_exec of which only the consumer's functions are set:
 * drain, agg_walk, agg_turn, agg_fill, drops, lost, most, idle.  The recording
 * has everything that passes, in order, so a replay with the same output does
 * the same.  Another output asks in another order, and gets the last values
 * that were recorded.
 */
#include "base/str.h"
#include "consume/book.h"
#include "exec/exec.h"
#include "plan/plan.h"
#include "record/record.h"

/* ---- recording ---------------------------------------------------------- */

struct tape_recorder;

struct tape_run {
	struct plan *pl; /* finished and loaded; borrowed */
	const struct dt_exec_ops *ops;
	struct dt_exec *x; /* borrowed */
	const void *dof;   /* the programs of the plan */
	size_t dof_len;
	const struct consume_run *about;
	const char *command;
	char *const *labels; /* of the machine: "role=db" */
	size_t nlabels;
	/*
	 * A consumer elsewhere has the aggregations: whenever this one would
	 * read them, and each second, the values that have come since go into
	 * the recording.  This consumer gets none.
	 */
	bool is_fleet;
	/* The values go into the recording when agg_walk() or agg_turn() is
	 * called, and at no other time. */
	bool is_asked;
	int64_t target;
	/* Reports a line to the user, and frees it. */
	void (*notice)(void *arg, const char *text);
	void *notice_arg;
};

/* Make the file: 0, or -errno with *err. */
CHECKED int tape_record(const char *path, const struct tape_run *run,
    struct tape_recorder **outp, struct err *err);
/* The substrate and the book for the consumer; they live with the recorder. */
const struct dt_exec_ops *tape_recorder_ops(struct tape_recorder *t);
struct dt_exec *tape_recorder_exec(struct tape_recorder *t);
const struct consume_book *tape_recorder_book(struct tape_recorder *t);
/* Note a line that the user was told (without its newline). */
void tape_recorder_notice(struct tape_recorder *t, const char *text);
/* Note that the consumer has reported the drops so far. */
void tape_recorder_report(struct tape_recorder *t);
/* Note that no probe fires any more. */
void tape_recorder_stopped(struct tape_recorder *t);
/* Wait until the file has all that was noted. */
void tape_recorder_sync(struct tape_recorder *t);
/* All is consumed: note the last values of aggregations, and the status. */
void tape_recorder_end(struct tape_recorder *t, int status);
/*
 * Close the file.  0; or -errno with *err if the file is not whole and the user
 * does not know it.  The consumer may go on; nothing more is noted.
 */
CHECKED int tape_recorder_finish(struct tape_recorder *t, struct err *err);
/* Without tape_recorder_end(), the file lacks its end. */
void tape_recorder_destroy(struct tape_recorder *t);

/* ---- replaying ---------------------------------------------------------- */

struct tape_player;

/*
 * A player of a recording, which is borrowed.  `pl` has the recording's program
 * and neither probes nor layouts yet: they are made from the recording, and
 * compared with its layouts.  0, or -errno with *err.
 */
CHECKED int tape_play(struct record *r, struct plan *pl,
    struct tape_player **outp, struct err *err);
void tape_player_destroy(struct tape_player *t);
const struct dt_exec_ops *tape_player_ops(struct tape_player *t);
struct dt_exec *tape_player_exec(struct tape_player *t);
const struct consume_book *tape_player_book(struct tape_player *t);

/* The next step of the recorded consumer. */
enum tape_step {
	TAPE_WORK,    /* consumer_work() takes the next records */
	TAPE_TURN,    /* consumer_turn_agg() of *agg */
	TAPE_DROPS,   /* consumer_report_drops() */
	TAPE_NOTICE,  /* the user was told: tape_player_text() */
	TAPE_STOPPED, /* consumer_finish() takes the rest */
	TAPE_END,     /* nothing */
	TAPE_ERROR,   /* the file cannot be read: tape_player_text() */
};
/* Events without a step are skipped. */
enum tape_step tape_player_next(struct tape_player *t, uint32_t *agg);
/* The time of the next event, if that is a record or a fault. */
bool tape_player_time(struct tape_player *t, uint64_t *ns);
/* drain() leaves records that are later; UINT64_MAX: none. */
void tape_player_set_until(struct tape_player *t, uint64_t ns);
/* Valid until the next tape_player_next(). */
const char *tape_player_text(const struct tape_player *t);
/*
 * Parts of a recording (record/record.h), for several threads.  Neither the
 * player's steps nor drain() see the events that were taken as parts.
 */
struct tape_reader;
/* NULL: there is no memory. */
struct tape_reader *tape_reader_create(const struct tape_player *t);
void tape_reader_destroy(struct tape_reader *rd);
/* 1, 0 at the end, or -errno, of which the step TAPE_ERROR tells.  *grew: call
 * tape_player_grow() while no reader plays, and then let one play the part. */
int tape_player_take_part(
    struct tape_player *t, struct record_part **outp, bool *grew);
void tape_player_grow(
    struct tape_player *t, struct tape_reader *const *readers, size_t n);
/* On any thread: hand over the records; 0, or f's first nonzero result. */
int tape_reader_play(
    struct tape_reader *rd, struct record_part *p, dt_record_f *f, void *arg);
/* Each part ends once, in the order in which they were taken. */
void tape_player_end_part(struct tape_player *t, struct record_part *p);

/* The status of the recorded run; false: the recording was cut off. */
bool tape_player_status(const struct tape_player *t, int *status);

/* ---- a fleet ------------------------------------------------------------ */

/*
 * The recordings of several hosts, while they are made (option fleethost), as
 * one substrate: records by wall time, and aggregations merged.
 *
 *	consumer <- merge <- recording of host 0
 *	                  <- recording of host 1 ...
 *
 * A host's EPIDs and ids of strings are translated into those of one plan.
 * Whatever a host sends is hostile; it can spoil its own data alone.
 */
struct tape_merge;

/* `pl` has the program, and gets its probes here: it is finished now. */
struct tape_merge *tape_merge_create(struct plan *pl);
void tape_merge_destroy(struct tape_merge *m);
const struct dt_exec_ops *tape_merge_ops(struct tape_merge *m);
struct dt_exec *tape_merge_exec(struct tape_merge *m);
const struct consume_book *tape_merge_book(struct tape_merge *m);

/* -EINVAL: a host's clause or aggregation number n has data of another layout;
 * or its whole program is another one. */
CHECKED int tape_merge_differs(const char *what, size_t n, struct err *err);
CHECKED int tape_merge_is_other(struct err *err);
/*
 * Add a host, whose recording the merge takes over, with record_open_fed().
 * Returns its number, or -errno with *err: its program has another layout, and
 * the recording is closed.
 */
CHECKED int tape_merge_add(
    struct tape_merge *m, struct record *r, const char *host, struct err *err);
/*
 * Add whole blocks, which came from the host at this wall time.  False: more
 * than TAPE_MERGE_UNREAD_MAX bytes of the host wait already, so these are left
 * out.
 */
#define TAPE_MERGE_UNREAD_MAX ((size_t)64 << 20)
bool tape_merge_feed(struct tape_merge *m, int host, const void *data,
    size_t len, uint64_t wall_ns);
/* The next part of the host's data that cannot be read, each once; or NULL. */
const char *tape_merge_damage(struct tape_merge *m, int host);
/* The host is lost.  Records that all hosts have are taken from another one. */
void tape_merge_lose(struct tape_merge *m, int host);
/* drain() leaves records that are later than this wall time. */
void tape_merge_set_until(struct tape_merge *m, uint64_t wall_ns);
/* All hosts have ended: drain() gives all that is left, END's last. */
void tape_merge_finish(struct tape_merge *m);
/* Has the host's run ended as it should?  Its status is *status. */
bool tape_merge_has_ended(const struct tape_merge *m, int host, int *status);
/* An aggregation with values that the consumer should turn; 0: none. */
uint32_t tape_merge_pending(const struct tape_merge *m);

/* ---- folding ------------------------------------------------------------- */

/*
 * The recordings of several hosts become one, without their records: the values
 * of each key are merged, and given once a second, say (dtraced --merge).
 *
 *	merge --tape_fold_take()--> tables --tape_fold_give()--> recording
 *
 * The fold alone drains the merge: the caller must not.
 */
struct tape_fold;

struct tape_fold_opts {
	struct plan *pl;      /* finished, of the merge */
	struct tape_merge *m; /* borrowed */
	const void *dof;      /* the program */
	size_t dof_len;
	/* For people: this program, this machine, and the kernel of a host. */
	const char *product, *name, *kernel;
	size_t max; /* bytes of keys and values, of strings and of probes */
};
/* 0, or -errno with *err. */
CHECKED int tape_fold_create(const struct tape_fold_opts *opts,
    struct tape_fold **outp, struct err *err);
void tape_fold_destroy(struct tape_fold *f);
/*
 * Take what hosts have sent: 0, or -errno: -E2BIG if the keys need more than
 * opts->max, -EFBIG if the strings and probes are more than a console takes.
 * Values that were taken before are then incomplete.
 */
CHECKED int tape_fold_take(struct tape_fold *f);
/*
 * Append blocks with all that was taken since the last call: 0, or -errno.
 * Those of the first call begin a recording.
 */
CHECKED int tape_fold_give(struct tape_fold *f, struct strbuf *out);

#endif
