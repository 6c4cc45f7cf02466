/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remarks on aggregations: the comment of the script immediately before the
 * statement that first uses one, or else before that clause.
 *
 * A comment is before something if it begins its line, and no empty line is
 * between them.
 */
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "consume/oformat.h"
#include "libdtrace/dt_impl.h"

/* The characters between two places of a source. */
struct remark {
	const char *begin, *end;
};

static bool
begins_line(const char *text, const char *at)
{
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at == text || at[-1] == '\n';
}

/* The end of a comment before a place; NULL: there is none. */
static const char *
end_before(const char *text, const char *at)
{
	unsigned nlines = 0;

	for (; at > text && strchr(" \t\r\n", at[-1]) != NULL; at--)
		nlines += at[-1] == '\n';
	return nlines <= 1 && at - text >= 4 && at[-1] == '/' && at[-2] == '*' ?
	    at :
	    NULL;
}

static bool
find_before(const struct diags *ds, struct diag_span span, struct remark *found)
{
	const struct diag_source *src;
	const char *begin;

	if (span.source == 0 || span.source > ds->sources.n)
		return false;
	src = &ds->sources.v[span.source - 1];
	if (span.off > src->len)
		return false;
	found->end = end_before(src->text, src->text + span.off);
	if (found->end == NULL)
		return false;
	for (begin = found->end - 4; begin > src->text; begin--) {
		if (begin[0] == '/' && begin[1] == '*')
			break;
	}
	found->begin = begin;
	return begin[0] == '/' && begin[1] == '*' &&
	    begins_line(src->text, begin);
}

/* The words of the comment, without the stars at its lines' beginnings. */
static void
add_words(struct strbuf *sb, struct remark r)
{
	const char *p = r.begin + 2, *end = r.end - 2;
	bool is_begun = false; /* of the line */

	for (; p < end; p++) {
		bool is_blank = strchr(" \t\r\n", *p) != NULL;

		if (is_blank && sb->len > 0 && sb->s[sb->len - 1] != ' ')
			strbuf_addc(sb, ' ');
		if (!is_blank && (is_begun || *p != '*')) {
			strbuf_addc(sb, *p);
			is_begun = true;
		}
		if (*p == '\n')
			is_begun = false;
	}
	if (sb->len > 0 && sb->s[sb->len - 1] == ' ')
		sb->s[--sb->len] = '\0';
}

static void
note(struct dt_hdl *h, const struct dif_clause *c, size_t i)
{
	const struct dif_action *act = &c->actions.v[i];
	const struct diags *ds = &h->compiled.diags;
	/* the first action of the statement has the place of all of it */
	struct diag_span span =
	    act->ntuple <= i ? act[-(ptrdiff_t)act->ntuple].span : act->span;
	uint64_t id = dif_agg_id(act);
	struct strbuf words = { 0 };
	struct remark r;

	while (h->output.remarks.n < id)
		VEC_PUSH(&h->output.remarks, NULL);
	if (id == 0 || h->output.remarks.v[id - 1] != NULL ||
	    (!find_before(ds, span, &r) && !find_before(ds, c->span, &r)))
		return;
	add_words(&words, r);
	if (words.len != 0)
		h->output.remarks.v[id - 1] =
		    arena_strdup(&h->compiled.arena, words.s);
	strbuf_fini(&words);
}

void
dt_note_remarks(struct dt_hdl *h, const struct dif_prog *p)
{
	VEC_FOREACH(&p->clauses, c) {
		for (size_t i = 0; i < c->actions.n; i++) {
			if (DT_ACT_IS_AGG(c->actions.v[i].kind))
				note(h, c, i);
		}
	}
}
