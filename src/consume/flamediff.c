/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Differences of flame graphs (option flamediff): how much each frame had in
 * another run, and its colour.
 *
 * The other run comes as lines of oformat=folded, whose frames have the names
 * that the tree has.  The picture is that of the new run: its frames have their
 * widths.  Runs differ in length, so shares are compared: a frame's value
 * divided by that of its whole graph.  A stack that only the other run has
 * counts for those of its callers that are still there.
 *
 * The file may be anybody's: lines that are no stacks are counted, and a line's
 * length has a limit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "consume/consume_impl.h"
#include "consume/flame.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)

/* Bounds of shades, in points (hundredths of the graph). */
static const double shades[] = { 0.1, 1, 5 };
#define NSHADES (sizeof(shades) / sizeof(shades[0]))

/* ---- lines -------------------------------------------------------------- */

/*
 * Read the next line, without its end.  A line that is too long becomes empty.
 * false: there is none.
 */
static bool
read_line(FILE *f, struct strbuf *line)
{
	bool is_long = false;
	int ch;

	strbuf_reset(line);
	while ((ch = getc(f)) != EOF && ch != '\n') {
		is_long |= line->len >= LINE_MAX_BYTES;
		if (!is_long)
			strbuf_addc(line, (char)ch);
	}
	if (is_long)
		strbuf_reset(line);
	strbuf_add(line, "", 0); /* a string, if it is empty, too */
	return ch != EOF || line->len != 0 || is_long;
}

/* "a;b;c 12": cut the value off.  Returns whether it is a line of this kind. */
static bool
cut_value(char *line, uint64_t *value)
{
	char *space = strrchr(line, ' '), *end;

	if (space == NULL || space == line || space[1] < '0' || space[1] > '9')
		return false;
	errno = 0;
	*value = strtoull(space + 1, &end, 10);
	if (errno != 0 || *end != '\0')
		return false;
	*space = '\0';
	return true;
}

static uint64_t
sum(uint64_t a, uint64_t b)
{
	uint64_t s;

	return __builtin_add_overflow(a, b, &s) ? UINT64_MAX : s;
}

/* Add the value to the frames of the path, as far as they exist. */
static void
add_before(struct flame_tree *t, char *path, uint64_t value)
{
	uint32_t at = 0;

	t->nodes.v[0].before = sum(t->nodes.v[0].before, value);
	for (char *name; (name = strsep(&path, ";")) != NULL;) {
		at = flame_tree_find(t, at, name);
		if (at == 0) {
			t->gone = sum(t->gone, value);
			t->ngone++;
			return;
		}
		t->nodes.v[at].before = sum(t->nodes.v[at].before, value);
	}
}

/*
 * The tree that a line is about: the one whose name, with its @, is the first
 * frame; or the only one.  *path becomes the rest.
 */
static struct flame_tree *
tree_of(const struct flame_compare *cmp, char **path)
{
	size_t len = strcspn(*path, ";");

	for (size_t i = 0; **path == '@' && i < cmp->n; i++) {
		if (strlen(cmp->names[i]) != len - 1 ||
		    strncmp(*path + 1, cmp->names[i], len - 1) != 0)
			continue;
		*path = (*path)[len] != '\0' ? *path + len + 1 : NULL;
		return &cmp->trees[i];
	}
	return cmp->n == 1 && **path != '@' ? &cmp->trees[0] : NULL;
}

static void
take_line(struct flame_compare *cmp, char *line)
{
	struct flame_tree *t;
	uint64_t value;

	if (*line == '\0')
		return;
	if (!cut_value(line, &value)) {
		cmp->nbad++;
		return;
	}
	t = tree_of(cmp, &line);
	if (t == NULL)
		cmp->nother++;
	else
		add_before(t, line, value);
}

void
flame_compare(struct flame_compare *cmp, FILE *f)
{
	struct strbuf line = { 0 };

	while (read_line(f, &line))
		take_line(cmp, line.s);
	strbuf_fini(&line);
}

/* ---- the picture -------------------------------------------------------- */

static double
share(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100 * (double)part / (double)whole : 0;
}

/* How much larger the share of a frame is than before, in points. */
static double
growth(const struct flame_tree *t, uint32_t i)
{
	return share(t->nodes.v[i].total, t->nodes.v[0].total) -
	    share(t->nodes.v[i].before, t->nodes.v[0].before);
}

void
flame_diff_class(struct strbuf *sb, const struct flame_tree *t, uint32_t i)
{
	double points = growth(t, i);
	double size = points < 0 ? -points : points;
	unsigned level = 0;

	while (level < NSHADES && size >= shades[level])
		level++;
	if (level == 0)
		strbuf_adds(sb, "f same");
	else
		strbuf_printf(
		    sb, "f %s%u", points < 0 ? "less" : "more", level);
}

void
flame_diff_label(struct strbuf *sb, const struct flame_tree *t, uint32_t i)
{
	const struct flame_node *n = &t->nodes.v[i];

	strbuf_printf(sb, "; before: %llu (%.2f%% of all), %+.2f points",
	    (unsigned long long)n->before,
	    share(n->before, t->nodes.v[0].before), growth(t, i));
}

void
flame_diff_title(struct strbuf *sb, const struct flame_tree *t)
{
	const struct flame_node *all = &t->nodes.v[0];

	strbuf_printf(
	    sb, "; before: %llu in all", (unsigned long long)all->before);
	if (t->gone != 0)
		strbuf_printf(sb,
		    ", of which %llu (%.2f%%) are in %llu stack%s gone",
		    (unsigned long long)t->gone, share(t->gone, all->before),
		    (unsigned long long)t->ngone,
		    t->ngone == 1 ? " that is" : "s that are");
}
