/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_TOP_IMPL_H
#define DTRACE_TOP_IMPL_H

/*
 * The view of --top, as its files share it.
 *
 *	top.c		takes snapshots, keys, messages; ends
 *	toprows.c	rows of the last snapshot, as text
 *	topview.c	draws
 *
 * Aggregations come from the published API (include/dtrace.h): a walk over a
 * snapshot, which calls the handler of events for each row that is wanted.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "dtrace.h"
#include "dtrace/cmd.h"

#define TOP_CELL '\x1f' /* between the keys of a row; screen_text() has none */

/* An aggregation that has had a row. */
struct top_agg {
	int64_t id;
	char *name;
	dtrace_actkind_t kind;
	uint32_t nrows; /* rows in the last snapshot */
};

struct top_row {
	int64_t agg;	/* top_agg.id */
	uint64_t place; /* in the order of keys */
	char *keys, *value, *spread;
	double amount; /* what `value` says, to sort by */
	double rate;   /* per second; of kinds that have one */
};

enum top_order { TOP_BY_RATE, TOP_BY_VALUE, TOP_BY_KEY, TOP_NORDERS };

struct top {
	struct dtrace_cmd *c;
	dtrace_hdl_t *h;
	int commands_fd; /* where commands write */

	VEC(struct top_agg) aggs; /* by id */
	VEC(struct top_row) rows;
	int64_t shown; /* top_agg.id; 0: there is none */

	/* what the user chose */
	enum top_order order;
	bool is_reverse, is_paused, has_help;
	size_t first; /* number of the row at the top */

	/* times: ns, monotonic */
	uint64_t began, snapped, due, period;
	double span_s; /* time between the last two snapshots */

	/* the row that a walk hands on */
	int64_t wanted; /* top_agg.id; 0: all */
	int64_t delta;
	bool has_delta, is_walking;
	const struct top_agg *walked;

	/* what was lost or not shown */
	uint64_t ndrops, nfaults, nrecords;
	char *message; /* the last message, without its newline; or NULL */
	int messages_fd, error_fd; /* top.c: standard error meanwhile */
	off_t nread;		   /* of the messages */
};

/* toprows.c */
/* Make the rows of one aggregation, or of all (0).  Returns 0 or -1. */
int top_take_rows(struct top *t, int64_t agg);
/* The handler of events. */
int top_take_event(struct top *t, const dtrace_event_t *ev);
void top_forget_rows(struct top *t);
/* Has the kind a rate: does it count or add? */
bool top_has_rate(dtrace_actkind_t kind);
bool top_has_buckets(dtrace_actkind_t kind);
/* The rows to show, in order; malloced. */
struct top_row **top_sorted(const struct top *t, size_t *n);
const struct top_agg *top_shown(const struct top *t);

/* topview.c */
void top_draw(struct top *t);
/* Rows of the aggregation that fit on the screen. */
size_t top_page(void);

#endif
