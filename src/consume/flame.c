/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=flame: a page with a flame graph of each aggregation.
 *
 * The page needs nothing beside itself: SVG if the file of -o is named *.svg,
 * else HTML that holds the same SVG.  Each frame is an <svg> of its own, whose
 * place and width are percentages: it cuts off its text, the picture fits any
 * width, and the script (flame.js) zooms by changing two attributes.
 *
 * Names come from the traced system.  They stand in text and in attributes
 * only, never in the script, and no control character is left in them.
 */
#include "consume/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "consume/folded.h"
#include "consume/oformat.h"

#define NODES_MAX (1 << 17) /* in memory, for each aggregation */
#define DRAWN_MAX 20000
#define FRAME_HEIGHT 18
#define HEAD_HEIGHT 60	/* of an SVG page */
#define TITLE_HEIGHT 24 /* of a graph in it */

const char flame_script[] =
#include "flame_js.h"
    ;
const char flame_style[] =
#include "flame_css.h"
    ;

/* ---- collecting --------------------------------------------------------- */

struct flame {
	size_t n; /* aggregations */
	struct flame_tree *trees;
	VEC(size_t) places; /* of the aggregations whose rows follow */
};

static void *
flame_create(const struct consumer *c)
{
	struct flame *fl = mem_alloc(sizeof(*fl));

	fl->n = c->pl->aggs.n;
	fl->trees = mem_alloc(fl->n * sizeof(*fl->trees));
	for (size_t i = 0; i < fl->n; i++)
		flame_tree_init(&fl->trees[i]);
	return fl;
}

static void
flame_destroy(void *state)
{
	struct flame *fl = state;

	for (size_t i = 0; i < fl->n; i++)
		flame_tree_fini(&fl->trees[i]);
	free(fl->trees);
	VEC_FREE(&fl->places);
	free(fl);
}

static void
flame_table(struct consumer *c, struct agg *const *aggs, size_t n)
{
	struct flame *fl = c->formatted;

	fl->places.n = 0;
	for (size_t i = 0; i < n; i++) {
		size_t place = (size_t)(aggs[i] - c->aggs);

		VEC_PUSH(&fl->places, place);
		flame_tree_fini(&fl->trees[place]);
		flame_tree_init(&fl->trees[place]);
	}
}

static uint32_t
count_frames(const dtrace_event_t *ev, dtrace_valuekind_t which)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		if (ev->dtev_keys[i].dtva_kind == which)
			n += ev->dtev_keys[i].dtva_count;
	}
	return n;
}

/* The path is keys, frames of programs, frames of the kernel. */
static void
add_path(
    struct flame_tree *t, char *path, const dtrace_event_t *ev, uint64_t value)
{
	uint32_t nkernel = count_frames(ev, DTRACE_VALUE_STACK);
	uint32_t nuser = count_frames(ev, DTRACE_VALUE_USTACK);
	uint32_t left = 0, at = 0;
	char *rest = path;

	for (const char *p = path; *p != '\0'; p++)
		left += *p == ';';
	t->nodes.v[0].total += value;
	for (strsep(&rest, ";"); rest != NULL; left--) {
		enum flame_kind kind = left <= nkernel ? FLAME_KERNEL :
		    left <= nkernel + nuser	       ? FLAME_USER :
							 FLAME_KEY;

		at = flame_tree_add(t, at, strsep(&rest, ";"), kind, value);
	}
	if (t->nodes.n > NODES_MAX)
		flame_tree_limit(t, NODES_MAX / 2);
}

void
flame_add_row(struct flame_tree *t, const dtrace_event_t *ev, int64_t value)
{
	struct strbuf path = { 0 };

	if (value <= 0) {
		t->nflat++;
		return;
	}
	folded_keys(ev, &path);
	strbuf_addc(&path, '\0');
	add_path(t, path.s, ev, (uint64_t)value);
	strbuf_fini(&path);
}

static void
flame_row(struct consumer *c, const dtrace_event_t *ev)
{
	struct flame *fl = c->formatted;

	for (uint32_t i = 0; i < ev->dtev_nvalues; i++)
		flame_add_row(&fl->trees[fl->places.v[i]], ev,
		    plain_amount(&ev->dtev_values[i]));
}

/* ---- layout ------------------------------------------------------------- */

/* The frames in the order in which they are drawn, callers first. */
struct flame_layout {
	const struct flame_tree *t;
	uint32_t *order; /* [n]: node numbers */
	uint32_t *place; /* [n]: of a node in `order` */
	uint64_t *start; /* [n]: by node */
	uint32_t *depth; /* [n]: by node */
	uint32_t deepest;
};

static const char *
node_name(const struct flame_tree *t, uint32_t i)
{
	return i == 0 ? "all" : strtab_str(&t->names, t->nodes.v[i].name);
}

/* By caller, then by name. */
static int
compare_nodes(const void *a, const void *b, void *arg)
{
	const struct flame_tree *t = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint32_t ci = t->nodes.v[i].caller, ck = t->nodes.v[k].caller;

	if (ci != ck)
		return ci < ck ? -1 : 1;
	return strcmp(node_name(t, i), node_name(t, k));
}

static void
layout_init(struct flame_layout *l, const struct flame_tree *t)
{
	size_t n = t->nodes.n;
	uint64_t *used = mem_alloc(n * sizeof(*used));

	*l = (struct flame_layout){ .t = t,
		.order = mem_alloc(n * sizeof(*l->order)),
		.place = mem_alloc(n * sizeof(*l->place)),
		.start = mem_alloc(n * sizeof(*l->start)),
		.depth = mem_alloc(n * sizeof(*l->depth)) };
	for (uint32_t i = 0; i < n; i++)
		l->order[i] = i;
	/* a caller has a smaller number than its frames, so it comes first */
	qsort_r(l->order + 1, n - 1, sizeof(*l->order), compare_nodes,
	    (void *)(uintptr_t)t);
	for (uint32_t k = 1; k < n; k++) {
		uint32_t i = l->order[k], caller = t->nodes.v[i].caller;

		l->place[i] = k;
		l->start[i] = l->start[caller] + used[caller];
		used[caller] += t->nodes.v[i].total;
		l->depth[i] = l->depth[caller] + 1;
		if (l->depth[i] > l->deepest)
			l->deepest = l->depth[i];
	}
	free(used);
}

static void
layout_fini(struct flame_layout *l)
{
	free(l->order);
	free(l->place);
	free(l->start);
	free(l->depth);
}

/* ---- drawing ------------------------------------------------------------ */

/* Text for an element or an attribute, of XML as of HTML. */
static void
add_text(struct strbuf *sb, const char *s)
{
	static const char marks[] = "&<>\"'";

	for (; *s != '\0'; s++) {
		if (strncmp(s, "\xef\xbf\xbe", 3) == 0 ||
		    strncmp(s, "\xef\xbf\xbf", 3) == 0) {
			s += 2; /* XML has no U+FFFE and U+FFFF */
			strbuf_addc(sb, '?');
		} else if (strchr(marks, *s) != NULL) {
			strbuf_printf(sb, "&#%d;", *s);
		} else {
			strbuf_addc(sb, *s);
		}
	}
}

/* A frame has room for little: the function without its module. */
static const char *
short_name(const char *name)
{
	const char *tick = strchr(name, '`');

	return tick != NULL && tick[1] != '\0' ? tick + 1 : name;
}

static double
percent(uint64_t part, uint64_t whole)
{
	return 100 * (double)part / (double)whole;
}

static void
add_label(struct strbuf *sb, const struct flame_layout *l, uint32_t i)
{
	const struct flame_node *n = &l->t->nodes.v[i];

	add_text(sb, node_name(l->t, i));
	strbuf_printf(sb, ": %llu (%.2f%% of all", (unsigned long long)n->total,
	    percent(n->total, l->t->nodes.v[0].total));
	if (n->caller != 0)
		strbuf_printf(sb, ", %.2f%% of its caller",
		    percent(n->total, l->t->nodes.v[n->caller].total));
	strbuf_addc(sb, ')');
	if (l->t->is_compared)
		flame_diff_label(sb, l->t, i);
}

/* One of four shades, always the same for a name. */
static unsigned
shade(const char *name)
{
	unsigned h = 5381;

	while (*name != '\0')
		h = h * 33 + (unsigned char)*name++;
	return (h ^ h >> 7) % 4;
}

static void
add_class(struct strbuf *sb, const struct flame_layout *l, uint32_t i)
{
	static const char letters[] = {
		[FLAME_USER] = 'u', [FLAME_KERNEL] = 'k'
	};
	const struct flame_node *n = &l->t->nodes.v[i];

	if (l->t->is_compared)
		flame_diff_class(sb, l->t, i);
	else if (n->kind == FLAME_KEY)
		strbuf_adds(sb, "f key");
	else
		strbuf_printf(
		    sb, "f %c%u", letters[n->kind], shade(node_name(l->t, i)));
}

static void
draw_frame(struct strbuf *sb, const struct flame_layout *l, uint32_t i)
{
	const struct flame_node *n = &l->t->nodes.v[i];
	uint64_t all = l->t->nodes.v[0].total;

	strbuf_adds(sb, "<svg class=\"");
	add_class(sb, l, i);
	strbuf_printf(sb,
	    "\" x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%d\" "
	    "data-p=\"%d\" data-s=\"%llu\" data-v=\"%llu\" data-n=\"",
	    percent(l->start[i], all),
	    (l->deepest - l->depth[i]) * FRAME_HEIGHT, percent(n->total, all),
	    FRAME_HEIGHT, i == 0 ? -1 : (int)l->place[n->caller],
	    (unsigned long long)l->start[i], (unsigned long long)n->total);
	add_text(sb, node_name(l->t, i));
	strbuf_printf(sb,
	    "\" role=\"treeitem\" tabindex=\"%d\" aria-level=\"%u\" "
	    "aria-label=\"",
	    i == 0 ? 0 : -1, l->depth[i] + 1);
	add_label(sb, l, i);
	strbuf_adds(sb, "\"><title>");
	add_label(sb, l, i);
	strbuf_adds(sb,
	    "</title><rect width=\"100%\" height=\"100%\"/>"
	    "<text x=\"4\" y=\"13\">");
	add_text(sb, short_name(node_name(l->t, i)));
	strbuf_adds(sb, "</text></svg>\n");
}

static void
draw_frames(struct strbuf *sb, const struct flame_layout *l)
{
	for (size_t k = 0; k < l->t->nodes.n; k++)
		draw_frame(sb, l, l->order[k]);
}

static void
add_title(struct strbuf *sb, const struct agg *ag, const struct flame_tree *t)
{
	strbuf_printf(sb, "@%s: %s, %llu in all", ag->pa->agg->name,
	    dif_act(ag->pa->agg->kind)->name,
	    (unsigned long long)t->nodes.v[0].total);
	if (t->is_compared)
		flame_diff_title(sb, t);
	if (t->nmerged != 0)
		strbuf_printf(sb,
		    "; %llu frames are too small to draw and are part of "
		    "their callers",
		    (unsigned long long)t->nmerged);
	if (t->nflat != 0)
		strbuf_printf(sb, "; %llu rows of 0 or less are left out",
		    (unsigned long long)t->nflat);
}

static uint32_t
graph_height(const struct flame_layout *l)
{
	return (l->deepest + 1) * FRAME_HEIGHT;
}

/* ---- pages -------------------------------------------------------------- */

static void
begin_graph(struct strbuf *sb, const struct flame_layout *l,
    const struct agg *ag, uint32_t y)
{
	strbuf_adds(sb, "<svg class=\"flame\" role=\"tree\" aria-label=\"");
	add_title(sb, ag, l->t);
	strbuf_printf(sb, "\" y=\"%u\" width=\"100%%\" height=\"%u\">\n", y,
	    graph_height(l));
}

static void
html_graph(
    struct strbuf *sb, const struct flame_layout *l, const struct agg *ag)
{
	strbuf_adds(sb, "<h2>");
	add_title(sb, ag, l->t);
	strbuf_adds(sb, "</h2>\n");
	begin_graph(sb, l, ag, 0);
	draw_frames(sb, l);
	strbuf_adds(sb, "</svg>\n");
}

void
flame_html(struct strbuf *sb, struct flame_tree *t, const struct agg *ag)
{
	struct flame_layout l;

	if (t->nodes.v[0].total == 0) {
		strbuf_adds(sb, "<p>No stack has a value.</p>\n");
		return;
	}
	flame_tree_limit(t, DRAWN_MAX);
	layout_init(&l, t);
	html_graph(sb, &l, ag);
	layout_fini(&l);
}

/* Returns where the next graph begins. */
static uint32_t
svg_graph(struct strbuf *sb, const struct flame_layout *l, const struct agg *ag,
    uint32_t y)
{
	strbuf_printf(sb, "<text class=\"title\" x=\"4\" y=\"%u\">", y + 16);
	add_title(sb, ag, l->t);
	strbuf_adds(sb, "</text>\n");
	begin_graph(sb, l, ag, y + TITLE_HEIGHT);
	draw_frames(sb, l);
	strbuf_adds(sb, "</svg>\n");
	return y + TITLE_HEIGHT + graph_height(l);
}

#define KEYS                                                                   \
	"Click: zoom. /: search. Escape: all. "                                \
	"Arrows and Enter: move and zoom."
#define LEGEND                                                                 \
	"Red frames have a larger share of all than before, blue ones a "      \
	"smaller one; the shades begin at 0.1, 1 and 5 points."
#define NOTHING "No aggregation has a value."

static void
html_head(struct strbuf *sb)
{
	strbuf_printf(sb,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n<title>dtrace: flame graph</title>\n"
	    "<style>\n%s</style>\n</head>\n<body class=\"flames\">\n"
	    "<header class=\"bar\">\n<h1>Flame graph</h1>\n"
	    "<p><label>Search <input id=\"search\" type=\"search\"></label> "
	    "<button class=\"reset\" type=\"button\">All</button> " KEYS
	    "</p>\n<p class=\"status\" aria-live=\"polite\">&#160;</p>\n"
	    "</header>\n",
	    flame_style);
}

static void
html_page(struct strbuf *sb, const struct flame_layout *ls,
    struct agg *const *aggs, size_t n)
{
	html_head(sb);
	if (n != 0 && ls[0].t->is_compared)
		strbuf_adds(sb, "<p class=\"legend\">" LEGEND "</p>\n");
	for (size_t i = 0; i < n; i++)
		html_graph(sb, &ls[i], aggs[i]);
	if (n == 0)
		strbuf_adds(sb, "<p>" NOTHING "</p>\n");
	strbuf_printf(
	    sb, "<script>\n%s</script>\n</body>\n</html>\n", flame_script);
}

/* Append the legend below `y`, and return where the graphs begin. */
static uint32_t
svg_legend(struct strbuf *sb, const struct flame_layout *ls, size_t n)
{
	if (n == 0 || !ls[0].t->is_compared)
		return HEAD_HEIGHT;
	strbuf_printf(sb, "<text class=\"legend\" x=\"4\" y=\"%u\">%s</text>\n",
	    HEAD_HEIGHT + 10, LEGEND);
	return HEAD_HEIGHT + TITLE_HEIGHT;
}

static void
svg_page(struct strbuf *sb, const struct flame_layout *ls,
    struct agg *const *aggs, size_t n)
{
	uint32_t y = HEAD_HEIGHT + TITLE_HEIGHT; /* as with a legend */

	for (size_t i = 0; i < n; i++)
		y += TITLE_HEIGHT + graph_height(&ls[i]);
	strbuf_printf(sb,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
	    "height=\"%u\">\n<title>dtrace: flame graph</title>\n"
	    "<style>\n%s</style>\n"
	    "<text x=\"4\" y=\"16\">" KEYS "</text>\n"
	    "<text class=\"ask\" x=\"4\" y=\"34\">Search</text>\n"
	    "<text class=\"reset\" x=\"60\" y=\"34\">All</text>\n"
	    "<text class=\"status\" x=\"4\" y=\"52\">%s</text>\n",
	    y, flame_style, n == 0 ? NOTHING : "");
	y = svg_legend(sb, ls, n);
	for (size_t i = 0; i < n; i++)
		y = svg_graph(sb, &ls[i], aggs[i], y);
	strbuf_printf(sb, "<script>\n%s</script>\n</svg>\n", flame_script);
}

static bool
wants_svg(const struct consumer *c)
{
	const char *dot =
	    c->opts.out_name != NULL ? strrchr(c->opts.out_name, '.') : NULL;

	return dot != NULL && strcmp(dot, ".svg") == 0;
}

/* Compare with the run of option flamediff. */
static void
compare(struct consumer *c, struct flame *fl)
{
	const char **names = mem_alloc(fl->n * sizeof(*names));
	struct flame_compare cmp = {
		.trees = fl->trees, .names = names, .n = fl->n
	};

	for (size_t i = 0; i < fl->n; i++) {
		names[i] = c->aggs[i].pa->agg->name;
		fl->trees[i].is_compared = true;
	}
	flame_compare(&cmp, c->opts.before);
	if (cmp.nbad != 0)
		consumer_warn(c, "option flamediff: %llu line%s no stacks",
		    (unsigned long long)cmp.nbad,
		    cmp.nbad == 1 ? " is" : "s are");
	if (cmp.nother != 0)
		consumer_warn(c,
		    "option flamediff: %llu line%s of aggregations that this "
		    "run does not have",
		    (unsigned long long)cmp.nother,
		    cmp.nother == 1 ? " is" : "s are");
	free(names);
}

static void
flame_write(struct consumer *c)
{
	struct flame *fl = c->formatted;
	struct flame_layout *ls = mem_alloc(fl->n * sizeof(*ls));
	struct agg **aggs = mem_alloc(fl->n * sizeof(struct agg *));
	size_t n = 0;

	if (c->opts.before != NULL)
		compare(c, fl);
	for (size_t i = 0; i < fl->n; i++) {
		if (fl->trees[i].nodes.v[0].total == 0)
			continue;
		flame_tree_limit(&fl->trees[i], DRAWN_MAX);
		aggs[n] = &c->aggs[i];
		layout_init(&ls[n++], &fl->trees[i]);
	}
	(wants_svg(c) ? svg_page : html_page)(&c->buf, ls, aggs, n);
	for (size_t i = 0; i < n; i++)
		layout_fini(&ls[i]);
	free(aggs);
	free(ls);
}

const struct oformat_ops oformat_flame = {
	.create = flame_create,
	.destroy = flame_destroy,
	.row = flame_row,
	.table = flame_table,
	.write = flame_write,
	.holds = "aggregations",
};
