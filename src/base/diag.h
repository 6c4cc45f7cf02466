/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

/*
 * Diagnostics: what is wrong with the user's program, where, and what to do.
 *
 * A source is registered once per compiled text; a span names a place in it.
 * Spans are cheap (12 bytes) and kept in every token and tree node.
 */
struct diag_span {
	uint32_t source; /* index in diags.sources, plus 1; 0 = none */
	uint32_t off;	 /* byte offset in the source's text */
	uint32_t len;	 /* bytes; 0 is drawn as one caret */
};

struct diag_source {
	char *name; /* file name, or NULL for a command-line string */
	char *text; /* whole text, NUL-terminated */
	size_t len;
	/*
	 * #line directives, in text order: from byte `off` on, the line that
	 * starts there is called `line` of `file` (NULL keeps the name).
	 */
	VEC(struct diag_linemark {
		uint32_t off;
		uint32_t line;
		char *file;
	})
	marks;
};

/* An error of the user's text. */
struct diag {
	const char *tag; /* "D_IDENT_UNDEF"; static storage, or NULL */
	struct diag_span span;
	char *msg;  /* one line, no newline */
	char *hint; /* what to do, or NULL */
};

struct diags {
	VEC(struct diag_source) sources;
	VEC(struct diag) list;
	bool has_color; /* the text is for a terminal */
};

void diags_init(struct diags *ds);
void diags_fini(struct diags *ds);

/* Register a text (copied). Returns the value for diag_span.source. */
uint32_t diags_add_source(
    struct diags *ds, const char *name, const char *text, size_t len);
void diags_add_linemark(struct diags *ds, uint32_t source, uint32_t off,
    uint32_t line, const char *file);

/* Append an error. The message is a single line without a final period. */
void diag_error(struct diags *ds, const char *tag, struct diag_span span,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Attach a hint to the diagnostic appended last. */
void diag_hint(struct diags *ds, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Forget the diagnostics from the n-th on. */
void diags_truncate(struct diags *ds, size_t n);

/* Line number (1-based, after #line) and file name of a span's start. */
uint32_t diag_line(
    const struct diags *ds, struct diag_span span, const char **file);

/* The first byte's place in its line, from 1; 0: the span has no source. */
uint32_t diag_column(const struct diags *ds, struct diag_span span);

/* The source's text from a span's start on; "" if it has no source. */
const char *diag_text(const struct diags *ds, struct diag_span span);

/*
 * Render all diagnostics for a person, in the order of their appending:
 *
 *	dtrace: script.d:3: error: [D_IDENT_UNDEF] unknown name 'foo'
 *	    @[foo] = count();
 *	      ^~~
 *	    hint: ...
 *
 * With has_color, the word and the caret's line are coloured.
 */
void diags_format(const struct diags *ds, int show_tags, struct strbuf *out);

/* The smallest span that covers both. */
struct diag_span diag_span_join(struct diag_span a, struct diag_span b);

#endif
