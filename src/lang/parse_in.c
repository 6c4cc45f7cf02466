/* SPDX-License-Identifier: BSD-2-Clause */
/* The hint for `x in (1, 2)`, which D lacks: x == 1 || x == 2. */
#include <string.h>

#include "lang/parse_impl.h"

#define MAX_TEXT 60    /* bytes of the value, and of an element */
#define MAX_ELEMENTS 6 /* a longer hint is not read */

/* The text from one token to another, in one line of limited length. */
static bool
text_of(const struct parser *p, struct diag_span from, struct diag_span to,
    struct strbuf *out)
{
	const char *s = p->lx.text + from.off;
	size_t len = to.off + to.len - from.off;

	if (len > MAX_TEXT || memchr(s, '\n', len) != NULL)
		return false;
	strbuf_add(out, s, len);
	return true;
}

/* Does a value begin behind such a token? */
static bool
is_before(enum lex_kind kind)
{
	return kind == TOK_LAND || kind == TOK_LOR || kind == TOK_LXOR ||
	    kind == TOK_COMMA || kind == TOK_SEMI || kind == TOK_LBRACE ||
	    kind == TOK_ASSIGN || kind == TOK_QUESTION || kind == TOK_COLON ||
	    kind == TOK_LNOT || kind == TOK_PRED_OPEN;
}

/* The value on the left of the token `in`. */
static bool
value_before(const struct parser *p, size_t in, struct strbuf *out)
{
	const struct lex_tok *toks = p->lx.toks.v;
	size_t at = in;
	int depth = 0;

	while (at > 0) {
		enum lex_kind kind = toks[at - 1].kind;

		if (kind == TOK_RPAREN || kind == TOK_RBRACKET)
			depth++;
		else if (kind == TOK_LPAREN || kind == TOK_LBRACKET)
			depth--;
		if (depth < 0 || (depth == 0 && is_before(kind)))
			break;
		at--;
	}
	return at < in && text_of(p, toks[at].span, toks[in - 1].span, out);
}

/* The element of a list at `s`; returns its length, 0: it is none. */
static size_t
element_at(const char *s)
{
	size_t len = 0;

	if (*s == '"') {
		len = 1 + strcspn(s + 1, "\"\\\n");
		return s[len] == '"' ? len + 1 : 0;
	}
	while (lex_is_ident(s[len]) || s[len] == '-' || s[len] == '$')
		len++;
	return len;
}

/* Append a comparison with each element of the list at `s`. */
static bool
compare_each(const char *value, const char *s, struct strbuf *out)
{
	for (size_t n = 0; n < MAX_ELEMENTS; n++) {
		size_t len;

		s += strspn(s, " ");
		len = element_at(s);
		if (len == 0 || len > MAX_TEXT)
			return false;
		strbuf_printf(out, "%s%s == %.*s", n != 0 ? " || " : "", value,
		    (int)len, s);
		s += len;
		s += strspn(s, " ");
		if (*s != ',')
			return strchr(")]}", *s) != NULL && *s != '\0';
		s++;
	}
	return false;
}

bool
parse_hint_in(struct parser *p)
{
	const struct lex_tok *t = &p->lx.toks.v[p->pos];
	const char *s = p->lx.text + t->span.off;
	struct strbuf value = { 0 }, hint = { 0 };
	bool is_list;

	if (t->kind != TOK_IDENT || strcmp(t->s, "in") != 0)
		return false;
	s += t->span.len;
	s += strspn(s, " ");
	is_list = *s != '\0' && strchr("([{", *s) != NULL &&
	    value_before(p, p->pos, &value) &&
	    compare_each(value.s, s + 1, &hint);
	if (is_list)
		parse_hint(p, "compare with each: %s", hint.s);
	strbuf_fini(&value);
	strbuf_fini(&hint);
	return is_list;
}
