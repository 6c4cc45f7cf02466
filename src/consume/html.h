/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_HTML_H
#define CONSUME_HTML_H

/*
 * The page of a whole run: aggregations (htmlagg.c), records (htmlrecord.c),
 * and the document that shows them (html.c).
 *
 * All that a page keeps has a bound.  Each part counts what it left out, and
 * the page says so.
 */
#include "consume/event.h"
#include "consume/flame.h"

/* Append text as a JSON string, cut to so many bytes. */
void html_text(struct strbuf *sb, const char *s, size_t len, size_t max);
/* As plain_value(), with escapes for bytes that are no UTF-8. */
void html_plain(struct strbuf *sb, const dtrace_value_t *val);
/* Append the text of a value as a JSON string. */
void html_value(struct strbuf *sb, const dtrace_value_t *val, size_t max);

/* ---- htmlagg.c ---------------------------------------------------------- */

/* A row as JSON, in the text of its printing. */
struct html_row {
	int64_t amount;
	size_t at, len;
};

/* An aggregation as it was printed once. */
struct html_printing {
	uint64_t time_ns;
	uint64_t nomitted; /* rows */
	VEC(struct html_row) rows;
	struct strbuf text;
};

/* The values of a key that is an integer of 64 bits in all rows. */
struct html_key {
	bool is_other;
	int64_t min, max;
};

#define HTML_KEYS 4 /* that may be times */

struct html_agg {
	bool has_stacks; /* it is a flame graph, not rows */
	struct flame_tree tree;
	VEC(struct html_printing) printings;
	uint64_t nthinned; /* printings that were left out */
	struct html_key keys[HTML_KEYS];
	uint32_t nkeys;
};

/* The run's time on two clocks. */
struct html_span {
	uint64_t began_ns, ended_ns; /* CLOCK_MONOTONIC */
	int64_t wall_ns;	     /* the other clock, less this one */
};

void html_agg_init(struct html_agg *ha);
void html_agg_fini(struct html_agg *ha);
/* Rows of another printing follow. */
void html_agg_begin(struct html_agg *ha, uint64_t time_ns);
void html_agg_row(struct html_agg *ha, const dtrace_event_t *ev,
    const dtrace_aggvalue_t *val);
/* Append the aggregation as a JSON object. */
void html_agg_put(struct strbuf *sb, const struct html_agg *ha,
    const struct agg *ag, const struct html_span *span);

/* ---- htmlrecord.c ------------------------------------------------------- */

struct html_records;
struct html_records *html_records_create(void);
void html_records_destroy(struct html_records *hr);
void html_records_add(
    struct html_records *hr, const struct chew *ch, const dtrace_event_t *ev);
void html_records_put(
    struct strbuf *sb, struct html_records *hr, const struct plan *pl);

#endif
