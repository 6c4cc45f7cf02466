/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=html: one page for a whole run.
 *
 * The page holds the run as JSON, from which its script (html.js) makes tables,
 * histograms, heat maps and a timeline; flame graphs are drawn by flame.c.  The
 * page needs nothing beside itself.  No `<` is left in the JSON, so text from
 * the traced system cannot end the element that holds it, and the script never
 * makes markup of text.
 */
#include "consume/html.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "consume/oformat.h"

#define MESSAGES_MAX 1000

static const char script[] =
#include "html_js.h"
    ;
static const char style[] =
#include "html_css.h"
    ;

struct message {
	uint64_t time_ns;
	const char *kind;
	char *text;
};

struct html {
	size_t n; /* aggregations */
	struct html_agg *aggs;
	VEC(size_t) places; /* of the aggregations whose rows follow */
	struct html_records *records;
	VEC(struct message) messages;
	uint64_t nmessages;
	struct html_span span;
};

static void *
html_create(const struct consumer *c)
{
	struct html *h = mem_alloc(sizeof(*h));

	h->n = c->pl->aggs.n;
	h->aggs = mem_alloc(h->n * sizeof(*h->aggs));
	for (size_t i = 0; i < h->n; i++)
		html_agg_init(&h->aggs[i]);
	h->records = html_records_create();
	h->span.began_ns = consumer_now(c);
	h->span.wall_ns =
	    (int64_t)(oformat_run(c)->wall_ns - oformat_run(c)->start_ns);
	return h;
}

static void
html_destroy(void *state)
{
	struct html *h = state;

	for (size_t i = 0; i < h->n; i++)
		html_agg_fini(&h->aggs[i]);
	free(h->aggs);
	VEC_FREE(&h->places);
	html_records_destroy(h->records);
	for (size_t i = 0; i < h->messages.n; i++)
		free(h->messages.v[i].text);
	VEC_FREE(&h->messages);
	free(h);
}

/* ---- collecting --------------------------------------------------------- */

void
html_text(struct strbuf *sb, const char *s, size_t len, size_t max)
{
	struct strbuf text = { 0 };

	if (!utf8_valid(s, len)) {
		out_escape(&text, s, len < max ? len : max, utf8_printable);
		s = text.s;
		len = text.len;
	}
	if (len > max) {
		struct strbuf cut = { 0 };

		strbuf_add(&cut, s, utf8_cut(s, max));
		strbuf_adds(&cut, "\xe2\x80\xa6");
		json_text(sb, cut.s, cut.len);
		strbuf_fini(&cut);
	} else {
		json_text(sb, s, len);
	}
	strbuf_fini(&text);
}

void
html_plain(struct strbuf *sb, const dtrace_value_t *val)
{
	if (val->dtva_kind == DTRACE_VALUE_STRING &&
	    !utf8_valid(val->dtva_data, val->dtva_size))
		out_escape(sb, val->dtva_data, val->dtva_size, utf8_printable);
	else
		plain_value(sb, val);
}

void
html_value(struct strbuf *sb, const dtrace_value_t *val, size_t max)
{
	struct strbuf text = { 0 };

	html_plain(&text, val);
	html_text(sb, text.len != 0 ? text.s : "", text.len, max);
	strbuf_fini(&text);
}

/* BEGIN fires before the output begins. */
static void
note_time(struct html *h, uint64_t time_ns)
{
	if (time_ns < h->span.began_ns)
		h->span.began_ns = time_ns;
}

static void
html_record(const struct chew *ch, const dtrace_event_t *ev)
{
	struct html *h = ch->c->formatted;

	note_time(h, ch->rec->time_ns);
	html_records_add(h->records, ch, ev);
}

static void
html_table(struct consumer *c, struct agg *const *aggs, size_t n)
{
	struct html *h = c->formatted;

	h->places.n = 0;
	for (size_t i = 0; i < n; i++) {
		size_t place = (size_t)(aggs[i] - c->aggs);

		VEC_PUSH(&h->places, place);
		html_agg_begin(&h->aggs[place], c->rows_ns);
	}
}

static void
html_row(struct consumer *c, const dtrace_event_t *ev)
{
	struct html *h = c->formatted;

	for (uint32_t i = 0; i < ev->dtev_nvalues; i++)
		html_agg_row(&h->aggs[h->places.v[i]], ev, &ev->dtev_values[i]);
}

static void
add_message(
    struct html *h, uint64_t time_ns, const char *kind, const char *text)
{
	struct message m = { time_ns, kind, NULL };

	if (h->nmessages++ >= MESSAGES_MAX)
		return;
	m.text = mem_strdup(text);
	VEC_PUSH(&h->messages, m);
}

static void
html_fault(struct consumer *c, const struct dt_record *rec, const char *text)
{
	note_time(c->formatted, rec->time_ns);
	add_message(c->formatted, rec->time_ns, "error", text);
}

static void
html_drop(
    struct consumer *c, const char *kind, uint64_t n, int cpu, const char *text)
{
	(void)kind;
	(void)n;
	(void)cpu;
	add_message(c->formatted, consumer_now(c), "drop", text);
}

/* ---- JSON --------------------------------------------------------------- */

static void
put_messages(struct strbuf *sb, const struct html *h)
{
	json_list(sb, "messages");
	for (size_t i = 0; i < h->messages.n; i++) {
		const struct message *m = &h->messages.v[i];

		json_open(sb);
		json_uint(sb, "time", m->time_ns);
		json_str(sb, "kind", m->kind);
		json_name(sb, "text");
		html_text(sb, m->text, strlen(m->text), 4096);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
	json_uint(sb, "messages_seen", h->nmessages);
}

static void
put_run(struct strbuf *sb, const struct html *h)
{
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) != 0)
		*host = '\0';
	json_name(sb, "host");
	html_text(sb, host, strlen(host), sizeof(host));
	json_uint(sb, "began", h->span.began_ns);
	json_uint(sb, "ended", h->span.ended_ns);
	json_int(sb, "wall", h->span.wall_ns);
}

static struct strbuf
run_as_json(struct consumer *c)
{
	struct html *h = c->formatted;
	struct strbuf sb = { 0 };

	h->span.ended_ns = consumer_now(c);
	json_open(&sb);
	put_run(&sb, h);
	put_messages(&sb, h);
	json_list(&sb, "aggregations");
	for (size_t i = 0; i < h->n; i++)
		html_agg_put(&sb, &h->aggs[i], &c->aggs[i], &h->span);
	strbuf_addc(&sb, ']');
	html_records_put(&sb, h->records, c->pl);
	strbuf_addc(&sb, '}');
	return sb;
}

/* In JSON, `<` is in strings only. */
static void
add_json(struct strbuf *to, const struct strbuf *json)
{
	const char *p = json->s, *end = json->s + json->len;

	while (p < end) {
		const char *mark = memchr(p, '<', (size_t)(end - p));
		size_t len = (size_t)((mark != NULL ? mark : end) - p);

		strbuf_add(to, p, len);
		p += len;
		if (mark == NULL)
			continue;
		strbuf_adds(to, "\\u003c");
		p++;
	}
}

/* ---- document ----------------------------------------------------------- */

static void
html_head(struct strbuf *sb)
{
	strbuf_printf(sb,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>dtrace: a run</title>\n"
	    "<style>\n%s%s</style>\n</head>\n<body>\n"
	    "<header>\n<h1>dtrace</h1>\n<p id=\"run\"></p>\n"
	    "<nav id=\"contents\" aria-label=\"Contents\"></nav>\n"
	    "<noscript>This page needs its own script to show the run; "
	    "it loads nothing.</noscript>\n</header>\n"
	    "<section id=\"messages\" hidden></section>\n",
	    flame_style, style);
}

static void
flame_tools(struct strbuf *sb)
{
	strbuf_adds(sb,
	    "<p class=\"tools\"><label>Search stacks "
	    "<input id=\"search\" type=\"search\"></label> "
	    "<button class=\"reset\" type=\"button\">All</button> "
	    "Click: zoom. /: search. Escape: all. "
	    "Arrows and Enter: move and zoom.</p>\n"
	    "<p class=\"status\" aria-live=\"polite\">&#160;</p>\n");
}

static void
html_write(struct consumer *c)
{
	struct html *h = c->formatted;
	struct strbuf json = run_as_json(c);
	struct strbuf *sb = &c->buf;
	bool has_flames = false;

	html_head(sb);
	for (size_t i = 0; i < h->n; i++) {
		strbuf_printf(sb, "<section id=\"agg-%zu\">\n", i);
		if (h->aggs[i].has_stacks && !has_flames)
			flame_tools(sb);
		if (h->aggs[i].has_stacks)
			flame_html(sb, &h->aggs[i].tree, &c->aggs[i]);
		has_flames = has_flames || h->aggs[i].has_stacks;
		strbuf_adds(sb, "</section>\n");
	}
	strbuf_adds(sb,
	    "<section id=\"records\"></section>\n"
	    "<script id=\"data\" type=\"application/json\">");
	add_json(sb, &json);
	strbuf_printf(sb, "</script>\n<script>\n%s</script>\n", script);
	if (has_flames)
		strbuf_printf(sb, "<script>\n%s</script>\n", flame_script);
	strbuf_adds(sb, "</body>\n</html>\n");
	strbuf_fini(&json);
}

const struct oformat_ops oformat_html = {
	.create = html_create,
	.destroy = html_destroy,
	.record = html_record,
	.row = html_row,
	.table = html_table,
	.fault = html_fault,
	.drop = html_drop,
	.write = html_write,
	.needs_whose = true,
};
