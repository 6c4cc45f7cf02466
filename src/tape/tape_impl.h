/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TAPE_TAPE_IMPL_H
#define TAPE_TAPE_IMPL_H

#include "base/idmap.h"
#include "base/vec.h"
#include "record/write.h"
#include "tape/tape.h"

/* A recorded name: enough of it to compare another one with it. */
struct tape_name {
	uint64_t pid, addr;
	uint64_t hash; /* of the name */
	uint32_t kind; /* 0: free */
};

/* A segment of a file that is in the recording. */
struct tape_mapping {
	uint64_t start, end;
	uint64_t hash;	/* of the file */
	uint32_t older; /* index + 1 of the process's mapping before; 0 */
};

struct tape_recorder {
	struct dt_exec x; /* the consumer's: begins the struct */
	struct dt_exec_ops ops;
	struct consume_book book;
	struct tape_run run;
	struct record_writer *w;

	/* tables so far */
	uint32_t nprobes, nlate, nstrings;
	struct idmap numbers; /* of probes, by their ids */
	struct tape_name *names;
	size_t nnames, nname_slots;

	VEC(struct tape_mapping) mappings;
	struct idmap mapped; /* by pid: index + 1 of its newest mapping */
	struct strtab built; /* modules of the kernel, each with its build id */
	struct idmap processes; /* by pid: those in the recording */
	struct idmap threads;	/* by tid: a hash of the name, as last seen */
	uint64_t last_thread;	/* tid, and that hash */

	uint64_t *drops; /* [kind * ncpus + cpu], as recorded */
	bool *is_read;	 /* by aggregation: read since the end */
	bool has_ended;
	bool has_told; /* it was reported that the file ends early */
	/* next time to note all values; 0: a second from now */
	uint64_t next_aggs;

	/* the last drain() had records, or there was no drain yet */
	bool has_records;
	/* the consumer's callback of the call that is being recorded */
	dt_record_f *on_record;
	dt_aggent_f *on_entry;
	void *arg;
};

/* rec_tables.c */
void tape_put_start(struct tape_recorder *t);
/* Probes and strings that came since the last call. */
void tape_put_new(struct tape_recorder *t);
/* rec_names.c: a process, once. */
void tape_note_process(struct tape_recorder *t, uint64_t pid);
void tape_note_thread(
    void *arg, uint64_t pid, uint64_t tid, const char comm[16]);
/* As struct consume_book. */
void tape_note_file(void *arg, const struct record_mapping *m);
void tape_note_kernel_file(void *arg, const char *module, const char *build_id);
bool tape_note_name(void *arg, enum record_name_kind kind, uint64_t pid,
    uint64_t addr, const struct record_name *name);

/* ---- player ------------------------------------------------------------- */

/* The last values of an aggregation: keys and values, one behind the other. */
struct tape_agg {
	char *entries;
	size_t n, cap; /* entries */
	size_t size;   /* of one */
	/* The recorded run took the values; the next turn here takes them. */
	bool is_turned;
};

struct tape_player {
	struct dt_exec x; /* the consumer's: begins the struct */
	struct dt_exec_ops ops;
	struct consume_book book;
	struct record *r;
	struct plan *pl;

	VEC(struct dt_probe *) probes; /* by number; NULL: not made yet */
	struct tape_agg *aggs;	       /* [pl->aggs.n] */
	uint64_t (*drops)[3];	       /* total, lost, most */
	uint32_t *idle;		       /* both [kind * ncpus + cpu] */
	uint64_t now_ns, wall_offset_ns;
	uint64_t until_ns; /* drain() hands over records up to this time */
	/* Times that the consumer asked for during the step that was read
	 * last, and the number of those that it has again. */
	VEC(uint64_t) clocks;
	size_t nclocks;
	char *copy; /* of the record that is being handed over */
	size_t copy_cap;

	bool has_status;
	int status;
	int error; /* of the file */
	struct err err;
	char *text;
};

/* The next event that concerns the consumer: 1, 0 or -errno. */
int tape_peek(struct tape_player *t, struct record_event *ev);
/* Note a lack of memory: the player stops reading at the next event. */
void tape_no_memory(struct tape_player *t);
/* Take the event that was seen last. */
void tape_take(struct tape_player *t, struct record_event *ev);

/* play_plan.c: 0, or -errno with *err. */
CHECKED int tape_make_plan(struct tape_player *t, struct err *err);
/* Enter probes and strings that came with the last events. */
void tape_grow_plan(struct tape_player *t);

/* play_agg.c */
void tape_aggs_init(struct tape_player *t);
void tape_aggs_fini(struct tape_player *t);
/* The event RECORD_AGG_BEGIN was seen: read the values. */
void tape_read_agg(struct tape_player *t);
int tape_play_walk(
    struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg);
int tape_play_turn(
    struct dt_exec *x, uint32_t agg_id, dt_aggent_f *f, void *arg);

#endif
