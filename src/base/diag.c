/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define EXCERPT_BEFORE 200 /* bytes of the line shown at most */
#define EXCERPT_AFTER 200

void
diags_init(struct diags *ds)
{
	memset(ds, 0, sizeof(*ds));
}

void
diags_fini(struct diags *ds)
{
	VEC_FOREACH(&ds->sources, src) {
		VEC_FOREACH(&src->marks, m)
			free(m->file);
		VEC_FREE(&src->marks);
		free(src->name);
		free(src->text);
	}
	VEC_FREE(&ds->sources);
	VEC_FOREACH(&ds->list, d) {
		free(d->msg);
		free(d->hint);
	}
	VEC_FREE(&ds->list);
	diags_init(ds);
}

uint32_t
diags_add_source(
    struct diags *ds, const char *name, const char *text, size_t len)
{
	struct diag_source src = { 0 };

	src.name = name ? mem_strdup(name) : NULL;
	src.text = mem_alloc(len + 1);
	memcpy(src.text, text, len);
	src.len = len;
	VEC_PUSH(&ds->sources, src);
	return (uint32_t)ds->sources.n;
}

void
diags_add_linemark(struct diags *ds, uint32_t source, uint32_t off,
    uint32_t line, const char *file)
{
	struct diag_linemark m = {
		.off = off,
		.line = line,
		.file = file ? mem_strdup(file) : NULL,
	};

	VEC_PUSH(&ds->sources.v[source - 1].marks, m);
}

void
diag_error(struct diags *ds, const char *tag, struct diag_span span,
    const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	struct diag d = { .tag = tag, .span = span };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	d.msg = strbuf_steal(&sb);
	VEC_PUSH(&ds->list, d);
}

void
diag_hint(struct diags *ds, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	struct diag *d = &ds->list.v[ds->list.n - 1];
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	free(d->hint);
	d->hint = strbuf_steal(&sb);
}

void
diags_truncate(struct diags *ds, size_t n)
{
	while (ds->list.n > n) {
		struct diag *d = &ds->list.v[--ds->list.n];

		free(d->msg);
		free(d->hint);
	}
}

uint32_t
diag_line(const struct diags *ds, struct diag_span span, const char **file)
{
	const struct diag_source *src;
	uint32_t line = 1, from = 0;

	*file = NULL;
	if (span.source == 0 || span.source > ds->sources.n)
		return 0;
	src = &ds->sources.v[span.source - 1];
	*file = src->name;
	VEC_FOREACH(&src->marks, m) {
		if (m->off > span.off)
			break;
		from = m->off;
		line = m->line;
		if (m->file != NULL)
			*file = m->file;
	}
	for (uint32_t i = from; i < span.off && i < src->len; i++)
		line += src->text[i] == '\n';
	return line;
}

uint32_t
diag_column(const struct diags *ds, struct diag_span span)
{
	const struct diag_source *src;
	uint32_t off = span.off;

	if (span.source == 0 || span.source > ds->sources.n)
		return 0;
	src = &ds->sources.v[span.source - 1];
	if (off > src->len)
		off = (uint32_t)src->len;
	span.off = off;
	while (off > 0 && src->text[off - 1] != '\n')
		off--;
	return span.off - off + 1;
}

const char *
diag_text(const struct diags *ds, struct diag_span span)
{
	const struct diag_source *src;

	if (span.source == 0 || span.source > ds->sources.n)
		return "";
	src = &ds->sources.v[span.source - 1];
	return span.off < src->len ? src->text + span.off : "";
}

struct diag_span
diag_span_join(struct diag_span a, struct diag_span b)
{
	uint32_t end_a = a.off + a.len, end_b = b.off + b.len;
	struct diag_span s = a;

	if (a.source == 0)
		return b;
	if (b.source != a.source)
		return a;
	if (b.off < s.off)
		s.off = b.off;
	s.len = (end_a > end_b ? end_a : end_b) - s.off;
	return s;
}

#define DIAG_COLOR "\033[1;31m" /* bold, as compilers do */
#define DIAG_PLAIN "\033[0m"

/*
 * Draw the offending line and the caret under it; tabs stay tabs.  Of a very
 * long line only the part around the place is shown.
 */
static void
diag_excerpt(const struct diag_source *src, struct diag_span span,
    const char *color, struct strbuf *out)
{
	size_t off = span.off < src->len ? span.off : src->len;
	size_t start = off, end = off, width = span.len;

	while (start > 0 && src->text[start - 1] != '\n' &&
	    off - start < EXCERPT_BEFORE)
		start--;
	while (end < src->len && src->text[end] != '\n' &&
	    end - off < EXCERPT_AFTER)
		end++;
	if (end == start)
		return;
	strbuf_printf(
	    out, "    %.*s\n    ", (int)(end - start), src->text + start);
	for (size_t i = start; i < off; i++)
		strbuf_addc(out, src->text[i] == '\t' ? '\t' : ' ');
	strbuf_adds(out, color);
	strbuf_addc(out, '^');
	for (size_t i = 1; i < width && off + i < end; i++)
		strbuf_addc(out, '~');
	strbuf_printf(out, "%s\n", *color != '\0' ? DIAG_PLAIN : "");
}

static void
diag_format_one(const struct diags *ds, const struct diag *d, int show_tags,
    struct strbuf *out)
{
	const char *color = ds->has_color ? DIAG_COLOR : "";
	const char *file;
	uint32_t line = diag_line(ds, d->span, &file);

	strbuf_adds(out, "dtrace: ");
	if (line != 0 && file != NULL)
		strbuf_printf(out, "%s:%u: ", file, line);
	else if (line != 0)
		strbuf_printf(out, "line %u: ", line);
	strbuf_printf(
	    out, "%serror:%s ", color, ds->has_color ? DIAG_PLAIN : "");
	if (show_tags && d->tag != NULL)
		strbuf_printf(out, "[%s] ", d->tag);
	strbuf_printf(out, "%s\n", d->msg);
	if (line != 0)
		diag_excerpt(
		    &ds->sources.v[d->span.source - 1], d->span, color, out);
	if (d->hint != NULL)
		strbuf_printf(out, "    hint: %s\n", d->hint);
}

void
diags_format(const struct diags *ds, int show_tags, struct strbuf *out)
{
	VEC_FOREACH(&ds->list, d)
		diag_format_one(ds, d, show_tags, out);
}
