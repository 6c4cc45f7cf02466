/* SPDX-License-Identifier: BSD-2-Clause */
#include "libdtrace/libscan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* ---- tokens -------------------------------------------------------------- */

static bool
is_word_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_word(char c)
{
	return is_word_start(c) || (c >= '0' && c <= '9');
}

static void
skip_line(struct dt_scan *s)
{
	while (s->p < s->end && *s->p != '\n')
		s->p += *s->p == '\\' && s->p + 1 < s->end ? 2 : 1;
}

static void
skip_comment(struct dt_scan *s)
{
	const char *close =
	    memmem(s->p + 2, (size_t)(s->end - s->p) - 2, "*/", 2);

	s->p = close != NULL ? close + 2 : s->end;
}

/* Skip a string or character constant, to its end or that of the line. */
static void
skip_quoted(struct dt_scan *s)
{
	char quote = *s->p++;

	s->word = s->p;
	while (s->p < s->end && *s->p != quote && *s->p != '\n')
		s->p += *s->p == '\\' && s->p + 1 < s->end ? 2 : 1;
	s->len = (size_t)(s->p - s->word);
	if (s->p < s->end)
		s->p++;
}

/* Skip text that is no token: returns false if a token begins here. */
static bool
skip(struct dt_scan *s)
{
	char c = *s->p;

	if (c == '#' && s->at_bol) {
		skip_line(s);
	} else if (c == '/' && s->end - s->p > 1 && s->p[1] == '*') {
		skip_comment(s);
	} else if (c == '\'' || (c == '"' && !s->has_strings)) {
		skip_quoted(s);
		s->at_bol = false;
	} else if (c == ' ' || (c >= '\t' && c <= '\r')) {
		s->at_bol |= c == '\n';
		s->p++;
	} else {
		return false;
	}
	return true;
}

char
dt_scan_next(struct dt_scan *s)
{
	const char *start;

	while (s->p < s->end && skip(s))
		;
	if (s->p >= s->end)
		return 0;
	s->at_bol = false;
	if (*s->p == '"') {
		skip_quoted(s);
		return '"';
	}
	if (!is_word(*s->p))
		return *s->p++ == '\0' ? ' ' : s->p[-1];
	for (start = s->p; s->p < s->end && is_word(*s->p); s->p++)
		;
	s->word = start;
	s->len = (size_t)(s->p - start);
	return is_word_start(*start) ? 'a' : '0';
}

int
dt_scan_words(const char *text, size_t len, dt_word_f *f, void *arg)
{
	struct dt_scan s = { .p = text, .end = text + len, .at_bol = true };
	int rc = 0;
	char t;

	while (rc == 0 && (t = dt_scan_next(&s)) != 0) {
		if (t == 'a')
			rc = f(s.word, s.len, arg);
	}
	return rc;
}

/* ---- definitions --------------------------------------------------------- */

/* An item up to its ';', as far as it has been read. */
struct item {
	const char *word; /* the last word outside of braces, or NULL */
	size_t len;
	char before;	  /* the token before the current one */
	bool is_named;	  /* this declarator's name has been found */
	bool is_tag_next; /* struct, union, enum or provider came last */
	bool is_tag;	  /* `word` follows one of them */
	bool is_enum, in_enum, is_provider;
	bool is_type;	/* typedef or translator stood before */
	bool is_inline; /* inline stood before */
	bool is_clause; /* nothing in it is a definition */
	unsigned braces, parens;
	dt_def_f *f; /* called for each name */
};

static bool
is(const struct dt_scan *s, const char *word)
{
	return strlen(word) == s->len && memcmp(word, s->word, s->len) == 0;
}

/* The token `t` ends a declarator: its name is known. */
static int
found(struct dt_scan *s, struct item *it, char t)
{
	const char *word = it->word;

	if (word == NULL || it->is_named)
		return 0;
	it->is_named = true;
	it->word = NULL;
	return it->f(word, it->len,
	    it->is_tag			  ? DT_DEF_TAG :
		it->is_type		  ? DT_DEF_TYPE :
		it->is_inline && t == '[' ? DT_DEF_FUNC :
					    DT_DEF_VALUE,
	    s->arg);
}

static int
found_provider(const struct dt_scan *s, const struct item *it)
{
	size_t n = strlen(DT_LIB_TARGET);
	bool is_each =
	    (size_t)(s->end - s->p) > n && memcmp(s->p, DT_LIB_TARGET, n) == 0;
	char *name = mem_printf(DT_SCAN_PROVIDER "%.*s%s", (int)s->len, s->word,
	    is_each ? DT_LIB_TARGET : "");
	int rc = it->f(name, strlen(name), DT_DEF_TAG, s->arg);

	free(name);
	return rc;
}

static int
on_word(struct dt_scan *s, struct item *it)
{
	int rc = 0;

	if (it->braces > 0)
		return it->in_enum && it->braces == 1 &&
			(it->before == '{' || it->before == ',') ?
		    it->f(s->word, s->len, DT_DEF_VALUE, s->arg) :
		    0;
	if (it->is_tag_next && it->is_provider)
		rc = found_provider(s, it);
	it->is_provider = is(s, "provider");
	it->is_type |= is(s, "typedef") || is(s, "translator");
	it->is_inline |= is(s, "inline");
	it->is_tag = it->is_tag_next;
	it->is_enum = it->is_tag ? it->is_enum : is(s, "enum");
	it->is_tag_next = it->is_enum ?
	    !it->is_tag :
	    is(s, "struct") || is(s, "union") || is(s, "provider");
	if (it->is_tag_next)
		return 0;
	it->word = s->word;
	it->len = s->len;
	return rc;
}

static int
on_brace(struct dt_scan *s, struct item *it, char t)
{
	int rc = 0;

	if (t == '}') {
		it->braces -= it->braces > 0;
		it->in_enum &= it->braces > 0;
		return 0;
	}
	if (it->braces == 0) {
		rc = it->is_tag ? found(s, it, t) : 0;
		it->in_enum = it->is_enum;
		it->word = NULL;
		it->is_named = it->is_enum = it->is_tag_next = false;
	}
	it->braces++;
	return rc;
}

/* Skip the type of a function or pointer: int (*name)(int) or int name(int) */
static int
on_paren(struct dt_scan *s, struct item *it, char t)
{
	bool is_name =
	    t == '(' ? it->before == 'a' && it->parens == 0 : it->parens == 1;

	if (t == '(')
		it->parens++;
	else
		it->parens -= it->parens > 0;
	return is_name ? found(s, it, t) : 0;
}

/* Skip sizes of an array or parameters of an inline. */
static int
on_bracket(struct dt_scan *s, struct item *it, char t)
{
	int rc = t == '[' && it->parens == 0 ? found(s, it, t) : 0;

	if (t == '[')
		it->parens++;
	else
		it->parens -= it->parens > 0;
	return rc;
}

/* Skip from the first colon of a description to the end of the body. */
static void
on_clause(struct item *it, char t)
{
	it->braces += t == '{';
	it->braces -= t == '}' && it->braces > 0;
	if (it->braces == 0 && (t == '}' || t == ';'))
		*it = (struct item){ .f = it->f };
}

static int
on_token(struct dt_scan *s, struct item *it, char t)
{
	int rc;

	if (it->is_clause) {
		on_clause(it, t);
		return 0;
	}
	if (t == ':' && it->braces == 0 && it->parens == 0 && !it->is_named)
		it->is_clause = true;
	if (t == 'a')
		return on_word(s, it);
	if (t == '{' || t == '}')
		return on_brace(s, it, t);
	if (it->braces > 0)
		return 0;
	if (t == '(' || t == ')')
		return on_paren(s, it, t);
	if (t == '[' || t == ']')
		return on_bracket(s, it, t);
	if (it->parens > 0)
		return 0;
	if (t == '=' || t == '<')
		return found(s, it, t);
	if (t != ',' && t != ';')
		return 0;
	rc = it->is_tag ? 0 : found(s, it, t);
	if (t == ';')
		*it = (struct item){ .f = it->f };
	it->is_named = false;
	return rc;
}

int
dt_scan_names(const char *text, size_t len, dt_def_f *f, void *arg)
{
	struct dt_scan s = {
		.p = text, .end = text + len, .at_bol = true, .arg = arg
	};
	struct item it = { .f = f };
	int rc = 0;
	char t;

	while (rc == 0 && (t = dt_scan_next(&s)) != 0) {
		rc = on_token(&s, &it, t);
		it.before = t;
	}
	return rc;
}

/* ---- dependencies -------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void
skip_blanks(struct dt_scan *s)
{
	while (s->p < s->end && is_blank(*s->p))
		s->p++;
}

/* If this is the next token, skip it and return true. */
static bool
take(struct dt_scan *s, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(s);
	if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len) != 0)
		return false;
	s->p += len;
	return true;
}

static int
on_control_line(struct dt_scan *s)
{
	const char *file;

	if (!take(s, "#") || !take(s, "pragma") || !take(s, "D") ||
	    !take(s, "depends_on") || !take(s, "library"))
		return 0;
	skip_blanks(s);
	for (file = s->p; s->p < s->end && !is_blank(*s->p) && *s->p != '\r' &&
	     *s->p != '\n';)
		s->p++;
	return s->p > file ? s->f(file, (size_t)(s->p - file), s->arg) : 0;
}

int
dt_scan_depends(const char *text, size_t len, dt_word_f *f, void *arg)
{
	struct dt_scan s = {
		.p = text, .end = text + len, .at_bol = true, .f = f, .arg = arg
	};
	int rc = 0;

	while (rc == 0 && s.p < s.end) {
		if (*s.p == '#' && s.at_bol) {
			rc = on_control_line(&s);
			skip_line(&s);
		} else if (!skip(&s)) {
			s.at_bol = false;
			s.p++;
		}
	}
	return rc;
}

/* ---- tables -------------------------------------------------------------- */

void
dt_libindex_build(
    struct dt_libindex *index, const struct dt_libname *names, size_t n)
{
	size_t nslots = 16;
	struct dt_libname *slots;

	while (nslots < 2 * n)
		nslots *= 2;
	slots = mem_alloc(nslots * sizeof(*slots));
	for (size_t i = 0; i < n; i++) {
		size_t k = hash_bytes(names[i].name, strlen(names[i].name));

		while (slots[k & (nslots - 1)].name != NULL)
			k++;
		slots[k & (nslots - 1)] = names[i];
	}
	index->slots = slots;
	index->nslots = nslots;
}

int64_t
dt_libindex_next(
    const struct dt_libindex *index, const char *word, size_t len, size_t *slot)
{
	size_t hash = hash_bytes(word, len);

	for (;; (*slot)++) {
		const struct dt_libname *ln =
		    &index->slots[(hash + *slot) & (index->nslots - 1)];

		if (ln->name == NULL)
			return -1;
		if (strlen(ln->name) != len || memcmp(ln->name, word, len) != 0)
			continue;
		(*slot)++;
		return ln->file;
	}
}
