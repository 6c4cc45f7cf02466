/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_TIMELINE_H
#define CONSUME_TIMELINE_H

/*
 * A trace as a picture over time: what the forms chrome and perfetto draw.
 *
 * Each thread is a track.  The firings of an entry and of a return probe of one
 * function begin and end a slice on it, if the script traces both; others
 * are instants.  The idle threads have the number 0 on every CPU, so theirs
 * are tracks of CPUs.  Each row of an aggregation is a counter.
 *
 * If the script traces sched:::on-cpu and off-cpu, the time between them is a
 * slice on the CPU's track, with the name and number of the thread.  The
 * time between off-cpu and on-cpu is a slice of the thread, which lies within
 * the system call that waits.
 */
#include "base/idmap.h"
#include "base/vec.h"
#include "consume/event.h"

/* A slice that has begun. */
struct tl_slice {
	const struct dt_probe *entry;
	uint32_t epid; /* the clause that began it */
};

/* A thread; pid 0: the CPU `tid`. */
struct tl_track {
	uint32_t pid, tid;
	char name[64];	  /* execname; a valid text */
	uint64_t last_ns; /* no event is drawn before it */
	VEC(struct tl_slice) open;
	char running[80]; /* of a CPU: its open slice */
	/* the last firing: its further clauses begin and end nothing */
	const struct dt_probe *last;
	uint32_t last_epid;
};

enum tl_kind { TL_BEGIN, TL_END, TL_INSTANT };

struct tl_event {
	enum tl_kind kind;
	uint64_t time_ns;
	uint32_t track;		       /* in timeline.tracks */
	const struct dt_probe *probe;  /* of a slice's end: its entry probe */
	const char *name;	       /* NULL: that of the probe */
	const dtrace_event_t *actions; /* NULL: the slice was not ended */
	uint32_t cpu;
};

struct tl_counter {
	uint64_t time_ns;
	const char *name; /* of the aggregation, with its @ */
	const char *key;  /* a valid text; "" without keys */
	const dtrace_aggvalue_t *val;
};

struct timeline_ops {
	/* A track is new, or its name has changed. */
	void (*track)(
	    struct consumer *c, const struct tl_track *t, bool is_new_process);
	void (*event)(struct consumer *c, const struct tl_event *ev);
	void (*counter)(struct consumer *c, const struct tl_counter *ct);
};

/* First in the state of each form that uses it. */
struct timeline {
	const struct timeline_ops *ops;
	VEC(struct tl_track) tracks;
	struct idmap by_tid;   /* 1 + tid: a thread's track plus 1 */
	struct idmap by_cpu;   /* 1 + the CPU's number: the same */
	struct idmap by_pid;   /* processes that are known */
	struct strtab returns; /* functions whose returns are traced */
	size_t nlate;	       /* late probes that were looked at */
	bool has_on, has_off;  /* sched:::on-cpu, off-cpu are traced */
};

void timeline_init(struct timeline *tl, const struct consumer *c,
    const struct timeline_ops *ops);
void timeline_fini(struct timeline *tl);
/* The operations of struct oformat_ops. */
void timeline_record(const struct chew *ch, const dtrace_event_t *ev);
void timeline_row(struct consumer *c, const dtrace_event_t *ev);
/* End the slices that are open, at this time. */
void timeline_end(struct consumer *c, uint64_t now);

/* The name of an event: "read", or "BEGIN" and the like. */
const char *timeline_name(const struct tl_event *ev);
/* Append text as readers accept it: UTF-8 without control characters. */
void timeline_text(struct strbuf *sb, const char *s, size_t len);
/*
 * The next value of an event's actions, from *act = *val = 0; NULL: there is
 * none.  A printf() is its text.  *name is that of the action; it has a number
 * if it is not the first of that name.
 */
struct tl_arg {
	uint32_t act, val;
	struct strbuf name;
	dtrace_value_t value;
};
bool timeline_next_arg(const dtrace_event_t *ev, struct tl_arg *arg);
/* Append the value as text: a stack is its frames from the root to the leaf. */
void timeline_value(struct strbuf *sb, const dtrace_value_t *val);

#endif
