/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lexer's states, words and operators.
 *
 * Tokens are read when the parser asks for them, so that a typedef is known
 * from the next item on.  A bad token is reported here and a harmless one of
 * the same kind takes its place: one mistake, one message.  If no token is
 * harmless (after a string that swallows its line), the token is marked as bad
 * and the parser continues silently at the next statement.
 *
 * The text is hostile: it may hold any byte, NUL included, and end anywhere.
 * Every character is fetched with lex_at(), which reads NUL past the end.
 */
#include "lang/lex.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

const struct lex_info lex_info[TOK_COUNT_] = {
#define TOK(nm, txt) [TOK_##nm] = { #nm, txt, sizeof(txt) - 1, LEX_CLASS_TOK },
#define KEYWORD(nm, txt, cls)                                                  \
	[TOK_KW_##nm] = { "KEYWORD", txt, sizeof(txt) - 1, LEX_CLASS_##cls },
#define PUNCT(nm, txt)                                                         \
	[TOK_##nm] = { "PUNCT", txt, sizeof(txt) - 1, LEX_CLASS_PUNCT },
#include "lang/tokens.def"
#undef TOK
#undef KEYWORD
#undef PUNCT
};

#define LEX_MAX_MODULE 255 /* bytes of a module's name in module`symbol */

/* Types that need no declaration. */
static const char *const lex_known_types[] = {
#define CTF_TYPEDEF(name, base) #name,
#include "ctf/typedefs.def"
#undef CTF_TYPEDEF
};

char
lex_at(const struct lex *lx, uint32_t off)
{
	return off < lx->len ? lx->text[off] : '\0';
}

bool
lex_is_ident_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool
lex_is_ident(char c)
{
	return lex_is_ident_start(c) || (c >= '0' && c <= '9');
}

static bool
lex_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* A character of a probe description; `$` starts a macro there. */
static bool
lex_is_pdesc(char c)
{
	return lex_is_ident(c) || (c != '\0' && strchr("-:.?*[]!\\`+$", c));
}

/* Too many errors: nothing more is read. */
static bool
lex_given_up(const struct lex *lx)
{
	return lx->lc->diags->list.n >= lx->first_error + LEX_MAX_ERRORS;
}

void
lex_verror(struct lex *lx, const char *tag, struct diag_span span,
    const char *fmt, va_list ap)
{
	struct strbuf sb = { 0 };

	if (lex_given_up(lx) || lx->is_hushed)
		return;
	strbuf_vprintf(&sb, fmt, ap);
	diag_error(lx->lc->diags, tag, span, "%s", sb.s ? sb.s : "");
	strbuf_fini(&sb);
	if (lex_given_up(lx))
		diag_hint(lx->lc->diags,
		    "there are many errors; the rest of the text is not read");
}

void
lex_error(struct lex *lx, const char *tag, uint32_t off, uint32_t len,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	lex_verror(
	    lx, tag, (struct diag_span){ lx->lc->source, off, len }, fmt, ap);
	va_end(ap);
}

void
lex_hint(struct lex *lx, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (lex_given_up(lx) || lx->is_hushed)
		return;
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	diag_hint(lx->lc->diags, "%s", sb.s ? sb.s : "");
	strbuf_fini(&sb);
}

/* Append a token that reaches from `off` to the current position. */
struct lex_tok *
lex_push(struct lex *lx, enum lex_kind kind, uint32_t off)
{
	struct lex_tok t = {
		.kind = kind,
		.span = { lx->lc->source, off, lx->pos - off },
		.at_program = lx->state == LEX_PROGRAM,
	};

	AST_PUSH(lx->lc->arena, &lx->toks, t);
	return &lx->toks.v[lx->toks.n - 1];
}

void
lex_push_str(struct lex *lx, uint32_t off, const char *s, size_t len)
{
	struct lex_tok *t = lex_push(lx, TOK_STR, off);

	t->s = arena_strndup(lx->lc->arena, "", 0);
	if (len > 0) {
		t->s = arena_alloc(lx->lc->arena, len + 1);
		memcpy(t->s, s, len);
	}
	t->len = (uint32_t)len;
}

/* The offset after the comment at `off`, or the end of the text. */
static uint32_t
lex_comment_end(const struct lex *lx, uint32_t off)
{
	const char *p;

	if (off + 2 > lx->len)
		return lx->len;
	p = memmem(lx->text + off + 2, lx->len - off - 2, "*/", 2);
	return p == NULL ? lx->len : (uint32_t)(p - lx->text) + 2;
}

/*
 * The end of a comment for an author who nests comments; or the current place.
 */
static uint32_t
lex_outer_end(const struct lex *lx)
{
	const char *from = lx->text + lx->pos, *open, *close;
	size_t len = lx->len - lx->pos;

	open = memmem(from, len, "/*", 2);
	close = memmem(from, len, "*/", 2);
	if (close == NULL || (open != NULL && open < close))
		return lx->pos;
	return (uint32_t)(close - lx->text) + 2;
}

static void
lex_comment(struct lex *lx)
{
	uint32_t off = lx->pos, end = lex_comment_end(lx, off);
	const char *nested;

	lx->pos = end;
	if (end < off + 4 || memcmp(lx->text + end - 2, "*/", 2) != 0) {
		lex_error(lx, D_SYNTAX, off, 2, "this comment is not closed");
		lx->pos = lx->len;
		lx->is_cut = true;
		return;
	}
	nested = memmem(lx->text + off + 2, end - off - 4, "/*", 2);
	if (nested == NULL)
		return;
	lex_error(lx, D_SYNTAX, (uint32_t)(nested - lx->text), 2,
	    "'/*' inside of a comment: comments do not nest");
	lx->pos = lex_outer_end(lx);
}

/* Backslash and newline, which count as one blank. */
static uint32_t
lex_splice(const struct lex *lx, uint32_t off)
{
	if (lex_at(lx, off) != '\\')
		return 0;
	if (lex_at(lx, off + 1) == '\n')
		return 2;
	return lex_at(lx, off + 1) == '\r' && lex_at(lx, off + 2) == '\n' ? 3 :
									    0;
}

static void
lex_skip_blanks(struct lex *lx)
{
	while (lx->pos < lx->len) {
		char c = lex_at(lx, lx->pos);

		if (c == '\n') {
			lx->at_bol = true;
			lx->pos++;
		} else if (lex_is_blank(c)) {
			lx->pos++;
		} else if (lex_splice(lx, lx->pos) > 0) {
			lx->pos += lex_splice(lx, lx->pos);
		} else if (c == '/' && lex_at(lx, lx->pos + 1) == '*') {
			lex_comment(lx);
		} else if (c == '#' && lx->at_bol) {
			lex_control(lx);
		} else {
			return;
		}
	}
}

/* The next character that is neither a blank nor in a comment. */
static uint32_t
lex_significant(const struct lex *lx, uint32_t off)
{
	bool bol = false;

	while (off < lx->len) {
		char c = lex_at(lx, off);

		if (c == '\n' || lex_is_blank(c)) {
			bol |= c == '\n';
			off++;
		} else if (lex_splice(lx, off) > 0) {
			off += lex_splice(lx, off);
		} else if (c == '/' && lex_at(lx, off + 1) == '*') {
			off = lex_comment_end(lx, off);
		} else if (c == '#' && bol) {
			while (off < lx->len && lex_at(lx, off) != '\n')
				off++;
		} else {
			break;
		}
	}
	return off;
}

/* Does the '/' at the current position end the predicate? */
static bool
lex_closes_predicate(const struct lex *lx)
{
	uint32_t next = lex_significant(lx, lx->pos + 1);
	char c = lex_at(lx, next);

	return next >= lx->len || c == '{' || c == ';' || c == '/';
}

bool
lex_is_type(const struct lex *lx, const char *name)
{
	return strtab_find(&lx->types, name) != 0 ||
	    (lx->lc->is_type != NULL &&
		lx->lc->is_type(lx->lc->is_type_ctx, name));
}

/* Index of the first keyword or operator that starts with `c`. */
static uint8_t
lex_by_char(const struct lex *lx, char c)
{
	return (unsigned char)c < sizeof(lx->by_char) ?
	    lx->by_char[(unsigned char)c] :
	    0;
}

static void
lex_index_words(struct lex *lx)
{
	for (int k = TOK_COUNT_ - 1; k > 0; k--) {
		unsigned char c = (unsigned char)lex_info[k].text[0];

		if (lex_info[k].class == LEX_CLASS_TOK)
			continue;
		lx->by_char_next[k] = lx->by_char[c];
		lx->by_char[c] = (uint8_t)k;
	}
}

static enum lex_kind
lex_keyword(const struct lex *lx, const char *s, size_t len)
{
	int k = len > 0 ? lex_by_char(lx, s[0]) : 0;

	for (; k != 0; k = lx->by_char_next[k])
		if (lex_info[k].len == len &&
		    memcmp(lex_info[k].text, s, len) == 0)
			return k;
	return TOK_IDENT;
}

/*
 * An identifier, a keyword, or a scoped symbol: module`name, where the module
 * may hold dots (libc.so.6`environ).  Dots belong to it only if a backquote
 * follows, since a.b is a member.  The search for the backquote is bounded, or
 * a long chain of members would be searched again from each of its members.
 */
static void
lex_word(struct lex *lx)
{
	uint32_t off = lx->pos, run = off, quote = 0, name;
	bool has_quote = false;
	struct lex_tok *t;
	enum lex_kind kind;

	for (char c; run - off <= LEX_MAX_MODULE &&
	     (c = lex_at(lx, run), lex_is_ident(c) || c == '.' || c == '`');
	     run++)
		if (c == '`') {
			quote = run;
			has_quote = true;
		}
	name = has_quote ? quote + 1 : off;
	for (lx->pos = name; lex_is_ident(lex_at(lx, lx->pos)); lx->pos++)
		;
	kind = has_quote ? TOK_IDENT :
			   lex_keyword(lx, lx->text + name, lx->pos - name);
	t = lex_push(lx, kind, off);
	t->s = arena_strndup(lx->lc->arena, lx->text + name, lx->pos - name);
	t->len = lx->pos - name;
	if (!has_quote)
		return;
	t->module = arena_strndup(lx->lc->arena, lx->text + off, quote - off);
	if (!lex_is_ident_start(lex_at(lx, name)))
		lex_error(lx, D_SYNTAX, off, name - off,
		    "expected the name of a symbol after '`'");
}

static void
lex_agg(struct lex *lx)
{
	uint32_t off = lx->pos++, name = lx->pos;
	struct lex_tok *t;

	if (lex_is_ident_start(lex_at(lx, name)))
		while (lex_is_ident(lex_at(lx, lx->pos)))
			lx->pos++;
	t = lex_push(lx, TOK_AGG, off);
	t->s = arena_strdup(lx->lc->arena, "_");
	if (lx->pos > name)
		t->s = arena_strndup(
		    lx->lc->arena, lx->text + name, lx->pos - name);
	t->len = (uint32_t)strlen(t->s);
}

static enum lex_kind
lex_punct_kind(const struct lex *lx, uint32_t *lenp)
{
	enum lex_kind best = TOK_EOF;
	int k = lex_by_char(lx, lex_at(lx, lx->pos));

	*lenp = 0;
	for (; k != 0; k = lx->by_char_next[k]) {
		uint32_t n = lex_info[k].len;

		if (n > *lenp && n <= lx->len - lx->pos &&
		    memcmp(lx->text + lx->pos, lex_info[k].text, n) == 0) {
			best = k;
			*lenp = n;
		}
	}
	return best;
}

static void
lex_bad_char(struct lex *lx)
{
	uint32_t off = lx->pos++;
	unsigned char c = (unsigned char)lex_at(lx, off);

	if (c >= 0x80) {
		while ((unsigned char)lex_at(lx, lx->pos) >= 0x80 &&
		    lx->pos - off < 16)
			lx->pos++;
		lex_error(lx, D_SYNTAX, off, lx->pos - off,
		    "'%.*s' has no meaning in D", (int)(lx->pos - off),
		    lx->text + off);
		lex_hint(lx,
		    "outside of strings and comments, D is ASCII: "
		    "\" and ', not the quotes of a word processor");
	} else if (c > ' ' && c < 0x7f) {
		lex_error(
		    lx, D_SYNTAX, off, 1, "'%c' has no meaning in D here", c);
		if (c == '#')
			lex_hint(lx,
			    "comments are /* ... */; a control line, such as "
			    "#pragma, begins its line");
	} else {
		lex_error(lx, D_SYNTAX, off, 1,
		    "the byte 0x%02x has no meaning in D", c);
	}
	lex_push(lx, TOK_INT, off)->is_bad = true;
}

/* Enter or leave a clause or declaration at the token just pushed. */
static void
lex_follow(struct lex *lx, enum lex_kind kind)
{
	switch (lx->state) {
	case LEX_PROGRAM:
	case LEX_PREDICATE:
		if (kind == TOK_LBRACE) {
			lx->state = LEX_CLAUSE;
			lx->depth = 1;
		} else if (kind == TOK_SEMI) {
			lx->state = LEX_PROGRAM;
		}
		return;
	case LEX_CLAUSE:
	case LEX_DECL:
		if (kind == TOK_LBRACE)
			lx->depth++;
		else if (kind == TOK_RBRACE && lx->depth > 0)
			lx->depth--;
		if (lx->depth > 0)
			return;
		if (kind == TOK_RBRACE &&
		    (lx->state == LEX_CLAUSE || !lx->decl_has_body))
			lx->state = LEX_PROGRAM;
		else if (kind == TOK_SEMI)
			lx->state = LEX_PROGRAM;
		return;
	}
}

static void
lex_punct(struct lex *lx)
{
	uint32_t len, off = lx->pos;
	enum lex_kind kind = lex_punct_kind(lx, &len);

	if (len == 0) {
		lex_bad_char(lx);
		return;
	}
	lx->pos += len;
	lex_push(lx, kind, off);
	lex_follow(lx, kind);
}

/* '/' opens and closes predicates and divides; '//' is not a comment. */
static void
lex_slash(struct lex *lx)
{
	uint32_t off = lx->pos;

	if (lx->state == LEX_PREDICATE && lex_closes_predicate(lx)) {
		lx->pos++;
		lex_push(lx, TOK_PRED_CLOSE, off);
		lx->state = LEX_PROGRAM;
	} else if (lex_at(lx, off + 1) == '/' && lex_at(lx, off + 2) != '*') {
		lex_error(lx, D_SYNTAX, off, 2, "'//' is not a comment in D");
		lex_hint(lx, "write /* ... */, or use the preprocessor (-C)");
		while (lx->pos < lx->len && lex_at(lx, lx->pos) != '\n')
			lx->pos++;
	} else if (lx->state == LEX_PROGRAM) {
		lx->pos++;
		lex_push(lx, TOK_PRED_OPEN, off);
		lx->state = LEX_PREDICATE;
	} else {
		lex_punct(lx);
	}
}

static void
lex_c_token(struct lex *lx)
{
	char c = lex_at(lx, lx->pos), next = lex_at(lx, lx->pos + 1);

	if (lex_is_ident_start(c) || c == '`') {
		lex_word(lx);
		switch (lx->toks.v[lx->toks.n - 1].kind) {
		case TOK_KW_STRUCT:
		case TOK_KW_UNION:
		case TOK_KW_ENUM:
		case TOK_KW_TRANSLATOR:
		case TOK_KW_PROVIDER:
			lx->decl_has_body = true;
			break;
		default:
			break;
		}
	} else if ((c >= '0' && c <= '9') ||
	    (c == '.' && next >= '0' && next <= '9')) {
		lex_number(lx);
	} else if (c == '"') {
		lex_string(lx);
	} else if (c == '\'') {
		lex_char(lx);
	} else if (c == '@') {
		lex_agg(lx);
	} else if (c == '$') {
		lex_macro_token(lx);
	} else if (c == '/') {
		lex_slash(lx);
	} else {
		lex_punct(lx);
	}
}

/*
 * Does a word follow at `off`, after blanks and stars, followed by a token that
 * continues a declarator?  A probe description never has two words in a row, so
 * the first word is then a type that only the type graph may know.
 */
static bool
lex_declarator_follows(const struct lex *lx, uint32_t off)
{
	char c;

	while (c = lex_at(lx, off), lex_is_blank(c) || c == '*')
		off++;
	if (!lex_is_ident_start(lex_at(lx, off)))
		return false;
	while (lex_is_ident(lex_at(lx, off)))
		off++;
	c = lex_at(lx, lex_significant(lx, off));
	return c == ';' || c == '[' || c == '=' || c == '(';
}

static bool
lex_is_own_probe(const char *name)
{
	return strcmp(name, "BEGIN") == 0 || strcmp(name, "END") == 0 ||
	    strcmp(name, "ERROR") == 0;
}

/*
 * Does a declaration start here?  `end` is where a description would end.  The
 * star in "string*" could belong to either: it makes a pointer unless option
 * pspec is set.
 */
static bool
lex_starts_decl(const struct lex *lx, uint32_t end)
{
	uint32_t word = lx->pos, rest;
	char name[128];
	bool known;

	while (lex_is_ident(lex_at(lx, word)))
		word++;
	if (word == lx->pos || word - lx->pos >= sizeof(name))
		return false;
	for (rest = word; rest < end && lex_at(lx, rest) == '*'; rest++)
		;
	while (rest > word && rest < end && lex_is_ident(lex_at(lx, rest)))
		rest++;
	if (rest < end || (rest > word && (lx->lc->flags & LANG_F_PSPEC)))
		return false;
	memcpy(name, lx->text + lx->pos, word - lx->pos);
	name[word - lx->pos] = '\0';
	known = lex_info[lex_keyword(lx, name, word - lx->pos)].class ==
		LEX_CLASS_DECL ||
	    lex_is_type(lx, name);
	/* "BEGIN exit(0);" lacks braces */
	return known ||
	    (!lex_is_own_probe(name) && end < lx->len &&
		lex_is_blank(lex_at(lx, word)) && lex_is_ident_start(name[0]) &&
		lex_declarator_follows(lx, word));
}

/* "pid123", "myserver$target", "myserver*": a provider of processes. */
static bool
lex_is_process(const char *prov, uint32_t len)
{
	return memchr(prov, '$', len) != NULL || prov[len - 1] == '*' ||
	    (prov[len - 1] >= '0' && prov[len - 1] <= '9');
}

/*
 * After "pid123:" there may be the path of a module, up to the next colon.
 * Everywhere else a slash begins a predicate; so it does here if no path
 * follows: pid123:/pid/. Returns the length of the path, or 0.
 */
static uint32_t
lex_module_path(const struct lex *lx, uint32_t off)
{
	const char *text = lx->text + off;
	uint32_t end = lx->pos;

	if (lex_at(lx, end) != '/' || lx->pos - off < 2 ||
	    memchr(text, ':', lx->pos - off) != lx->text + lx->pos - 1 ||
	    !lex_is_process(text, lx->pos - off - 1))
		return 0;
	while (lex_is_ident(lex_at(lx, end)) ||
	    (lex_at(lx, end) != '\0' && strchr("/.-+*?[]@~", lex_at(lx, end))))
		end++;
	return lex_at(lx, end) == ':' ? end - lx->pos : 0;
}

/* The description at `off`, with the values of macros; lx->pos is moved. */
static char *
pdesc_text(struct lex *lx, uint32_t off)
{
	struct strbuf sb = { 0 };
	uint32_t path;
	char *text;

	lx->pos = off;
	for (;;) {
		path = lex_module_path(lx, off);
		strbuf_add(&sb, lx->text + lx->pos, path);
		lx->pos += path;
		if (!lex_is_pdesc(lex_at(lx, lx->pos)) ||
		    lex_splice(lx, lx->pos) != 0)
			break;
		if (lex_at(lx, lx->pos) == '$')
			lex_macro_text(lx, &sb);
		else
			strbuf_addc(&sb, lex_at(lx, lx->pos++));
	}
	text = arena_strdup(lx->lc->arena, sb.s ? sb.s : "");
	strbuf_fini(&sb);
	return text;
}

/*
 * $target is several processes: the description is read once for each of them.
 * Errors in it have been reported.
 */
static void
pdesc_others(struct lex *lx, uint32_t off, struct lex_tok *t)
{
	bool was_hushed = lx->is_hushed;
	size_t n = lx->lc->ntargets;

	lx->is_hushed = true;
	t->others = arena_alloc(lx->lc->arena, n * sizeof(*t->others));
	for (lx->target_at = 1; lx->target_at < n; lx->target_at++)
		t->others[t->nothers++] = pdesc_text(lx, off);
	lx->target_at = 0;
	lx->is_hushed = was_hushed;
}

static void
lex_pdesc(struct lex *lx)
{
	uint32_t off = lx->pos;
	struct lex_tok *t;
	char *text;

	lx->has_targets = false;
	text = pdesc_text(lx, off);
	t = lex_push(lx, TOK_PDESC, off);
	t->s = text;
	t->len = (uint32_t)strlen(t->s);
	if (lx->has_targets)
		pdesc_others(lx, off, t);
}

static void
lex_program_token(struct lex *lx)
{
	uint32_t end = lx->pos;
	size_t n = lx->toks.n;

	while (lex_is_pdesc(lex_at(lx, end)))
		end++;
	if (end == lx->pos) {
		lex_c_token(lx);
	} else if (lex_starts_decl(lx, end)) {
		lx->state = LEX_DECL;
		lx->depth = 0;
		lx->decl_has_body = false;
		lex_c_token(lx);
		lx->toks.v[n].at_program = true;
	} else {
		lex_pdesc(lx);
	}
}

void
lex_next(struct lex *lx)
{
	size_t n = lx->toks.n;

	while (lx->toks.n == n) {
		lex_skip_blanks(lx);
		if (lx->pos >= lx->len || lex_given_up(lx)) {
			lx->pos = lx->len;
			lex_push(lx, TOK_EOF, lx->len)->is_bad =
			    lx->is_cut || lex_given_up(lx);
			return;
		}
		lx->at_bol = false;
		if (lx->state == LEX_PROGRAM)
			lex_program_token(lx);
		else
			lex_c_token(lx);
	}
}

void
lex_init(struct lex *lx, struct lang_compile *lc, struct ast_program *prog)
{
	size_t len = lc->len < LEX_MAX_TEXT ? lc->len : LEX_MAX_TEXT;

	*lx = (struct lex){ .lc = lc, .prog = prog, .at_bol = true };
	if (len >= 3 && memcmp(lc->text, "\xef\xbb\xbf", 3) == 0)
		lx->pos = 3; /* an editor's byte order mark */
	lc->source = diags_add_source(lc->diags, lc->name, lc->text, len);
	lx->text = lc->diags->sources.v[lc->source - 1].text;
	lx->len = (uint32_t)len;
	lx->first_error = lc->diags->list.n;
	lx->arg_used = arena_alloc(lc->arena, (size_t)lc->argc + 1);
	lex_index_words(lx);
	strtab_init(&lx->types);
	for (size_t i = 0;
	     i < sizeof(lex_known_types) / sizeof(lex_known_types[0]); i++)
		strtab_intern(&lx->types, lex_known_types[i]);
	if (len < lc->len)
		lex_error(lx, D_SYNTAX, 0, 0,
		    "the program is longer than %u bytes", LEX_MAX_TEXT);
}

void
lex_fini(struct lex *lx)
{
	strtab_fini(&lx->types);
}
