/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drawing --top:
 *
 *	dtrace --top  00:00:12  @syscalls 2 of 3  124 rows  drops 0	head
 *	 1 @cpu  2 @syscalls  3 @bytes				aggregations
 *	           COUNT     PER SECOND v  KEYS			titles
 *	            1234          617.0  cat  read			rows
 *	dtrace: 3 drops on CPU 0				last message
 *	q quit  ? help  ...						keys
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "dtrace/screen.h"
#include "dtrace/top_impl.h"

enum {
	HEAD_LINES = 3,
	FOOT_LINES = 2,
	VALUE_COLUMNS = 15,
	RATE_COLUMNS = 14,
	SPREAD_COLUMNS = 34,
	KEY_COLUMNS_MAX = 40, /* of any key but the last */
	KEYS_MAX = 32,
};

static const char *const order_names[TOP_NORDERS] = {
	[TOP_BY_RATE] = "rate", [TOP_BY_VALUE] = "value", [TOP_BY_KEY] = "key"
};

size_t
top_page(void)
{
	int lines = screen_lines() - HEAD_LINES - FOOT_LINES;

	return lines > 0 ? (size_t)lines : 0;
}

/* ---- head and foot ------------------------------------------------------ */

static void
add_time(struct strbuf *sb, uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	strbuf_printf(sb, "%02llu:%02llu:%02llu", (unsigned long long)s / 3600,
	    (unsigned long long)s / 60 % 60, (unsigned long long)s % 60);
}

/* The number of the shown aggregation, from 1; 0: none. */
static size_t
number_shown(const struct top *t)
{
	size_t i = 0;

	while (i < t->aggs.n && t->aggs.v[i].id != t->shown)
		i++;
	return i < t->aggs.n ? i + 1 : 0;
}

static void
draw_head(const struct top *t)
{
	const struct top_agg *agg = top_shown(t);
	struct strbuf sb = { 0 };

	strbuf_adds(&sb, " dtrace --top  ");
	add_time(&sb, now_ns() - t->began);
	if (t->is_paused)
		strbuf_adds(&sb, "  PAUSED");
	strbuf_printf(&sb, "  drops %llu", (unsigned long long)t->ndrops);
	if (t->nfaults != 0)
		strbuf_printf(
		    &sb, "  faults %llu", (unsigned long long)t->nfaults);
	if (agg != NULL)
		strbuf_printf(&sb, "  @%s %zu of %zu  %u row%s by %s%s",
		    agg->name, number_shown(t), t->aggs.n, agg->nrows,
		    agg->nrows == 1 ? "" : "s", order_names[t->order],
		    t->is_reverse ? ", reversed" : "");
	if (t->nrecords != 0)
		strbuf_printf(&sb, "  %llu records not shown",
		    (unsigned long long)t->nrecords);
	screen_put_line(0, SCREEN_REVERSE, sb.s);
	strbuf_fini(&sb);
}

static void
draw_tabs(const struct top *t)
{
	int column = 0;

	for (size_t i = 0; i < t->aggs.n; i++) {
		const struct top_agg *agg = &t->aggs.v[i];
		char *text = mem_printf(" %zu @%s ", i + 1, agg->name);

		screen_put(1, column,
		    agg->id == t->shown ? SCREEN_REVERSE : SCREEN_PLAIN, text);
		column += (int)screen_width(text);
		free(text);
	}
}

static void
draw_foot(const struct top *t)
{
	int last = screen_lines() - 1;
	struct strbuf sb = { 0 };

	if (t->message != NULL) {
		screen_text(&sb, t->message, strlen(t->message));
		screen_put(last - 1, 0, SCREEN_BOLD, sb.s);
		strbuf_fini(&sb);
	}
	screen_put_line(last, SCREEN_REVERSE,
	    " q quit  ? help  space pause  tab next aggregation  s sort  "
	    "r reverse  arrows scroll");
}

/* ---- rows --------------------------------------------------------------- */

/* The keys of the rows on the screen, in columns. */
struct top_columns {
	size_t n, width[KEYS_MAX];
};

/* The next cell of a row's keys; NULL after the last. */
static char *
next_cell(const char **at)
{
	const char *end;
	char *cell;

	if (*at == NULL)
		return NULL;
	end = strchr(*at, TOP_CELL);
	cell = end != NULL ? mem_strndup(*at, (size_t)(end - *at)) :
			     mem_strdup(*at);
	*at = end != NULL ? end + 1 : NULL;
	return cell;
}

static void
measure(struct top_columns *cols, const char *keys)
{
	size_t i = 0;

	for (char *cell; (cell = next_cell(&keys)) != NULL; free(cell)) {
		size_t width = screen_width(cell);

		if (i == KEYS_MAX)
			continue;
		width = width < KEY_COLUMNS_MAX ? width : KEY_COLUMNS_MAX;
		if (width > cols->width[i])
			cols->width[i] = width;
		i++;
	}
	cols->n = i > cols->n ? i : cols->n;
}

static void
add_keys(struct strbuf *sb, const struct top_columns *cols, const char *keys)
{
	size_t i = 0;

	for (char *cell; (cell = next_cell(&keys)) != NULL; free(cell)) {
		bool is_last = keys == NULL;

		if (is_last || i >= KEYS_MAX)
			strbuf_adds(sb, cell);
		else
			screen_cell(sb, cell, cols->width[i]);
		if (!is_last)
			strbuf_adds(sb, "  ");
		i++;
	}
}

static void
add_right(struct strbuf *sb, const char *text, size_t columns)
{
	size_t width = screen_width(text);

	for (; width < columns; width++)
		strbuf_addc(sb, ' ');
	strbuf_adds(sb, text);
}

static void
add_rate(struct strbuf *sb, double rate)
{
	char text[64];

	snprintf(text, sizeof(text),
	    rate > -1e12 && rate < 1e12 ? "%.1f" : "%g", rate);
	add_right(sb, text, RATE_COLUMNS);
}

static void
draw_row(int line, const struct top_agg *agg, const struct top_columns *cols,
    const struct top_row *row)
{
	struct strbuf sb = { 0 };

	add_right(&sb, row->value, VALUE_COLUMNS);
	if (top_has_rate(agg->kind))
		add_rate(&sb, row->rate);
	strbuf_adds(&sb, "  ");
	if (top_has_buckets(agg->kind)) {
		screen_cell(&sb, row->spread, SPREAD_COLUMNS);
		strbuf_adds(&sb, "  ");
	}
	add_keys(&sb, cols, row->keys);
	screen_put(line, 0, SCREEN_PLAIN, sb.s);
	strbuf_fini(&sb);
}

static const char *
value_title(dtrace_actkind_t kind)
{
	switch (kind) {
	case DTRACEAGG_COUNT:
		return "COUNT";
	case DTRACEAGG_SUM:
		return "SUM";
	case DTRACEAGG_AVG:
		return "AVERAGE";
	case DTRACEAGG_MIN:
		return "MINIMUM";
	case DTRACEAGG_MAX:
		return "MAXIMUM";
	case DTRACEAGG_STDDEV:
		return "DEVIATION";
	default:
		return "VALUES";
	}
}

static void
add_title(struct strbuf *sb, const struct top *t, const char *title,
    enum top_order order, size_t columns)
{
	char *text = mem_printf("%s%s", title,
	    t->order != order ? "" :
		t->is_reverse ? " ^" :
				" v");

	if (columns != 0)
		add_right(sb, text, columns);
	else
		strbuf_adds(sb, text);
	free(text);
}

static void
draw_titles(const struct top *t, const struct top_agg *agg)
{
	struct strbuf sb = { 0 };

	add_title(&sb, t, value_title(agg->kind), TOP_BY_VALUE, VALUE_COLUMNS);
	if (top_has_rate(agg->kind))
		add_title(&sb, t, "PER SECOND", TOP_BY_RATE, RATE_COLUMNS);
	strbuf_adds(&sb, "  ");
	if (top_has_buckets(agg->kind)) {
		screen_cell(&sb, "SPREAD", SPREAD_COLUMNS);
		strbuf_adds(&sb, "  ");
	}
	add_title(&sb, t, "KEYS", TOP_BY_KEY, 0);
	screen_put(2, 0, SCREEN_BOLD, sb.s);
	strbuf_fini(&sb);
}

static void
draw_rows(struct top *t)
{
	const struct top_agg *agg = top_shown(t);
	struct top_columns cols = { 0 };
	size_t n, page = top_page();
	struct top_row **rows;

	if (agg == NULL) {
		screen_put(HEAD_LINES, 1, SCREEN_PLAIN,
		    "No aggregation has a row yet.");
		return;
	}
	rows = top_sorted(t, &n);
	if (t->first + page > n)
		t->first = n > page ? n - page : 0;
	for (size_t i = t->first; i < n && i < t->first + page; i++)
		measure(&cols, rows[i]->keys);
	draw_titles(t, agg);
	for (size_t i = t->first; i < n && i < t->first + page; i++)
		draw_row(HEAD_LINES + (int)(i - t->first), agg, &cols, rows[i]);
	free(rows);
}

/* ---- help --------------------------------------------------------------- */

static void
draw_help(void)
{
	static const char *const lines[] = {
		"Each row has the keys of an aggregation, its value so far, "
		"and for",
		"count(), sum(), avg() and distributions how much was added "
		"per second",
		"since the view before.  avg() and distributions count "
		"values.",
		"",
		" q             end tracing; so does Control-C",
		" space, p      pause: the view stays, tracing goes on; and "
		"go on",
		" tab, right    the next aggregation; 1 to 9: one by its "
		"number",
		" left          the one before",
		" s             sort by rate, by value, by keys",
		" r             reverse the order",
		" up, down      scroll by a row; page up, page down: by a "
		"page",
		" home, end     the first rows, the last rows",
		" ?, h          this help; any key leaves it",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		screen_put((int)i + 2, 1, SCREEN_PLAIN, lines[i]);
}

void
top_draw(struct top *t)
{
	screen_erase();
	draw_head(t);
	if (t->has_help) {
		draw_help();
	} else {
		draw_tabs(t);
		draw_rows(t);
	}
	draw_foot(t);
	screen_show();
}
