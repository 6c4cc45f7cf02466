/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs, clauses, probe descriptions and statements.
 *
 * The grammar is that of doc/reference/language.md section 2.
 */
#include "lang/parse_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/habits.h"

#define SKIP_KEPT 1024 /* tokens */

/* ---- tokens -------------------------------------------------------------- */

static const struct lex_tok *
parse_tok(struct parser *p, size_t i)
{
	while (p->lx.toks.n <= i)
		lex_next(&p->lx);
	return &p->lx.toks.v[i];
}

const struct lex_tok *
parse_peek(struct parser *p, size_t ahead)
{
	static const struct lex_tok eof = { .kind = TOK_EOF };

	return p->panic ? &eof : parse_tok(p, p->pos + ahead);
}

enum lex_kind
parse_kind(struct parser *p)
{
	return parse_peek(p, 0)->kind;
}

/*
 * An error at the end of the input points at the last token, not at an empty
 * line.
 */
struct diag_span
parse_span(struct parser *p)
{
	struct diag_span s = parse_tok(p, p->pos)->span;

	if (parse_tok(p, p->pos)->kind == TOK_EOF && p->pos > 0) {
		s = parse_tok(p, p->pos - 1)->span;
		s.off += s.len;
		s.len = 0;
	}
	return s;
}

/* From `start` to the last token taken. */
struct diag_span
parse_span_from(struct parser *p, struct diag_span start)
{
	if (p->pos == 0 || p->panic)
		return start;
	return diag_span_join(start, parse_tok(p, p->pos - 1)->span);
}

const struct lex_tok *
parse_take(struct parser *p)
{
	const struct lex_tok *t = parse_peek(p, 0);

	if (t->kind != TOK_EOF) {
		p->pos++;
		p->panic = t->is_bad;
	}
	return t;
}

bool
parse_accept(struct parser *p, enum lex_kind kind)
{
	if (parse_kind(p) != kind || kind == TOK_EOF)
		return false;
	parse_take(p);
	return true;
}

/*
 * Drop the tokens of finished items except the last one, so that a long text
 * needs no more room for tokens than its longest item.
 */
static void
parse_forget(struct parser *p)
{
	size_t n = p->pos > 0 ? p->pos - 1 : 0;

	memmove(p->lx.toks.v, p->lx.toks.v + n,
	    (p->lx.toks.n - n) * sizeof(*p->lx.toks.v));
	p->lx.toks.n -= n;
	p->pos -= n;
}

/* ---- errors -------------------------------------------------------------- */

void
parse_error(struct parser *p, const char *tag, struct diag_span span,
    const char *fmt, ...)
{
	va_list ap;

	if (p->panic)
		return;
	p->panic = true;
	p->takes_hint = false;
	if (parse_tok(p, p->pos)->is_bad)
		return; /* the lexer has reported it */
	p->takes_hint = true;
	va_start(ap, fmt);
	lex_verror(&p->lx, tag, span, fmt, ap);
	va_end(ap);
}

void
parse_hint(struct parser *p, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (!p->takes_hint)
		return;
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	lex_hint(&p->lx, "%s", sb.s);
	strbuf_fini(&sb);
}

bool
parse_is_after(struct parser *p, enum lex_kind kind)
{
	return p->pos > 0 && parse_tok(p, p->pos - 1)->kind == kind;
}

bool
parse_hint_strings(struct parser *p)
{
	bool is_string =
	    parse_tok(p, p->pos)->kind == TOK_STR || parse_is_after(p, TOK_STR);

	if (is_string)
		parse_hint(p, "strjoin(a, b) joins two strings");
	return is_string;
}

/* The text by which a message names the current token. */
static void
parse_found(struct parser *p, char *buf, size_t size)
{
	const struct lex_tok *t = parse_tok(p, p->pos);
	const char *text = p->lx.text + t->span.off;
	size_t n = t->span.len;

	if (t->kind == TOK_EOF) {
		snprintf(buf, size, "%s", lex_info[TOK_EOF].text);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\n')
			n = i;
	if (n > 40)
		snprintf(buf, size, "'%.36s...'", text);
	else
		snprintf(buf, size, "'%.*s'", (int)n, text);
}

static bool
is_value(enum lex_kind kind)
{
	return kind == TOK_INT || kind == TOK_STR || kind == TOK_IDENT;
}

/* The hint for the token, if it is an operator of another language. */
static const char *
operator_habit(struct parser *p, const struct lex_tok *t)
{
	const char *hint;
	char *word;

	if (t->kind == TOK_BNOT ||
	    (t->kind == TOK_LNOT && p->lx.text[t->span.off + 1] == '~'))
		return HABIT_MATCHES;
	/* after a description, any word is read as one */
	if (t->kind != TOK_IDENT && t->kind != TOK_PDESC)
		return NULL;
	word = mem_strndup(p->lx.text + t->span.off, t->span.len);
	hint = habit_hint(HABIT_IS_INFIX, word);
	free(word);
	return hint;
}

/*
 * The hint for another language's operator at the error, or for one in front of
 * its operand: `not pid` fails at pid.  NULL: there is none.
 */
static const char *
infix_habit(struct parser *p)
{
	const char *hint = operator_habit(p, parse_tok(p, p->pos));

	if (hint == NULL && p->pos > 0 && is_value(parse_tok(p, p->pos)->kind))
		hint = operator_habit(p, parse_tok(p, p->pos - 1));
	return hint;
}

bool
parse_is_infix(struct parser *p)
{
	return infix_habit(p) != NULL;
}

void
parse_expected(struct parser *p, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	char found[64];
	va_list ap;

	if (p->panic)
		return;
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	parse_found(p, found, sizeof(found));
	parse_error(
	    p, D_SYNTAX, parse_span(p), "expected %s, found %s", sb.s, found);
	strbuf_fini(&sb);
	if (infix_habit(p) != NULL && !parse_hint_in(p))
		parse_hint(p, "%s", infix_habit(p));
}

bool
parse_expect(struct parser *p, enum lex_kind kind, const char *where)
{
	if (parse_accept(p, kind))
		return true;
	if (lex_info[kind].class == LEX_CLASS_TOK)
		parse_expected(p, "%s %s", lex_info[kind].text, where);
	else
		parse_expected(p, "'%s' %s", lex_info[kind].text, where);
	return false;
}

char *
parse_expect_ident(struct parser *p, const char *what)
{
	const struct lex_tok *t = parse_peek(p, 0);

	if (t->kind == TOK_IDENT && t->module == NULL) {
		p->pos++;
		return t->s;
	}
	parse_expected(p, "%s", what);
	return arena_strdup(p->arena, "");
}

void
parse_enter(struct parser *p)
{
	if (++p->depth > PARSE_MAX_DEPTH)
		parse_error(p, D_SYNTAX, parse_span(p),
		    "constructs are nested more than %d deep", PARSE_MAX_DEPTH);
}

void
parse_leave(struct parser *p)
{
	p->depth--;
}

/* The current token while text is skipped; the text may be long. */
static const struct lex_tok *
skip_tok(struct parser *p)
{
	if (p->pos > SKIP_KEPT)
		parse_forget(p);
	return parse_tok(p, p->pos);
}

/*
 * After an error in a statement: skip its ';', or stop before the '}' that ends
 * the list of statements.  Braces in between are skipped in pairs, and so are
 * parentheses, which may hold semicolons in text that is not D: for (;;).
 */
static void
skip_stmt(struct parser *p)
{
	unsigned depth = 0, parens = 0;

	p->panic = false;
	for (;; p->pos++) {
		const struct lex_tok *t = skip_tok(p);

		if (t->kind == TOK_EOF) {
			p->panic = true; /* the parser cannot continue */
			return;
		}
		if (t->kind == TOK_RBRACE && depth-- == 0)
			return;
		if (t->kind == TOK_LBRACE)
			depth++;
		if (t->kind == TOK_LPAREN)
			parens++;
		if (t->kind == TOK_RPAREN && parens > 0)
			parens--;
		if (t->kind == TOK_SEMI && depth == 0 && parens == 0) {
			p->pos++;
			return;
		}
	}
}

/* After an error between items: continue at the next item. */
static void
skip_item(struct parser *p)
{
	p->panic = false;
	for (;; p->pos++) {
		const struct lex_tok *t = skip_tok(p);
		enum lex_kind before =
		    p->pos == 0 ? TOK_EOF : parse_tok(p, p->pos - 1)->kind;

		if (t->kind == TOK_EOF)
			return;
		if (t->at_program && t->kind != TOK_RBRACE &&
		    (before == TOK_SEMI || before == TOK_RBRACE))
			return;
	}
}

/* Skipped text may contain more errors; only one error is reported. */
static void
parse_sync_stmt(struct parser *p)
{
	p->lx.is_hushed = true;
	skip_stmt(p);
	p->lx.is_hushed = false;
}

static void
parse_sync_item(struct parser *p)
{
	p->lx.is_hushed = true;
	skip_item(p);
	p->lx.is_hushed = false;
}

/* ---- probe descriptions -------------------------------------------------- */

static bool
pdesc_id(struct parser *p, const struct lex_tok *t, struct ast_pdesc *pd)
{
	uint64_t id = 0;

	for (const char *s = t->s; *s != '\0'; s++) {
		if (*s < '0' || *s > '9')
			return false;
		if (id <= UINT32_MAX)
			id = id * 10 + (uint64_t)(*s - '0');
	}
	if (*t->s == '\0')
		return false;
	if (id == 0 || id > UINT32_MAX)
		parse_error(p, D_PDESC_INVAL, t->span,
		    "expected a probe id from 1 to %u, found %s", UINT32_MAX,
		    t->s);
	pd->id = (uint32_t)id;
	return true;
}

/*
 * Split at colons, from the right: the last field is the one that -P -m -f -n
 * names.
 */
static void
pdesc_fields(struct parser *p, const struct lex_tok *t, struct ast_pdesc *pd)
{
	static const char *const where[] = { " for -P", " for -m", " for -f",
		"" };
	char **fields[] = { &pd->prov, &pd->mod, &pd->func, &pd->name };
	int last = (int)p->lc->pspec, i = last;
	const char *s = t->s, *end = s + strlen(s);

	for (const char *q = end;; q--) {
		if (q > s && q[-1] != ':')
			continue;
		if (i < 0) {
			parse_error(p, D_PDESC_INVAL, t->span,
			    "expected at most %d field%s%s, found more in "
			    "'%s'",
			    last + 1, last > 0 ? "s" : "", where[last], s);
			if (strncmp(s, "pid:", 4) == 0)
				parse_hint(p,
				    "the number of the process follows pid at "
				    "once: pid1234:MODULE:FUNCTION:entry");
			return;
		}
		*fields[i--] = arena_strndup(p->arena, q, (size_t)(end - q));
		if (q == s)
			return;
		end = q - 1;
	}
}

static struct ast_pdesc
pdesc_of(struct parser *p, const struct lex_tok *t)
{
	char *empty = arena_strdup(p->arena, "");
	struct ast_pdesc pd = { .prov = empty,
		.mod = empty,
		.func = empty,
		.name = empty,
		.is_of_targets = t->nothers != 0,
		.span = t->span };

	if (!pdesc_id(p, t, &pd))
		pdesc_fields(p, t, &pd);
	return pd;
}

/* One description, or as many as $target in it stands for. */
static void
parse_pdescs(struct parser *p, struct ast_clause *c)
{
	struct lex_tok t = *parse_peek(p, 0);

	if (t.kind != TOK_PDESC) {
		parse_expected(p, "a probe description");
		t = (struct lex_tok){ .s = arena_strdup(p->arena, ""),
			.span = t.span };
	} else {
		p->pos++;
	}
	AST_PUSH(p->arena, &c->pdescs, pdesc_of(p, &t));
	for (uint32_t i = 0; i < t.nothers; i++) {
		t.s = t.others[i];
		AST_PUSH(p->arena, &c->pdescs, pdesc_of(p, &t));
	}
}

/* ---- statements ---------------------------------------------------------- */

static void parse_stmt(struct parser *p, struct ast_stmt *list);

static struct ast_stmt *
stmt_new(struct parser *p, enum ast_skind kind)
{
	struct ast_stmt *s = ARENA_NEW(p->arena, struct ast_stmt);

	s->kind = kind;
	s->span = parse_span(p);
	return s;
}

/*
 * '{' has been taken: statements up to '}', appended to list->then_.  Errors
 * in one statement do not hide those in the next.
 */
static void
parse_stmts(struct parser *p, struct ast_stmt *list)
{
	while (parse_kind(p) != TOK_RBRACE && parse_kind(p) != TOK_EOF) {
		parse_stmt(p, list);
		if (p->panic)
			parse_sync_stmt(p);
	}
	parse_expect(p, TOK_RBRACE, "after the statements");
}

/* A block in braces or one statement. */
static void
parse_branch(struct parser *p, struct ast_stmt *list)
{
	if (parse_accept(p, TOK_LBRACE))
		parse_stmts(p, list);
	else
		parse_stmt(p, list);
}

static void
parse_if(struct parser *p, struct ast_stmt *list)
{
	struct ast_stmt *s = stmt_new(p, AST_S_IF), other = { 0 };

	parse_take(p);
	parse_expect(p, TOK_LPAREN, "after 'if'");
	s->expr = parse_expr(p);
	parse_expect(p, TOK_RPAREN, "after the condition");
	s->span = parse_span_from(p, s->span);
	parse_branch(p, s);
	if (parse_accept(p, TOK_KW_ELSE)) {
		parse_branch(p, &other);
		s->else_.v = other.then_.v;
		s->else_.n = other.then_.n;
		s->else_.cap = other.then_.cap;
	}
	AST_PUSH(p->arena, &list->then_, s);
}

/* `name`, as a function has; not self->name or module`name. */
static bool
is_plain_name(const struct ast_expr *e)
{
	return e->kind == AST_IDENT && e->u.ident.scope == AST_GLOBAL &&
	    e->u.ident.module == NULL;
}

/* Is a word with a dollar here?  It may be another language's variable. */
static bool
is_at_named_macro(struct parser *p)
{
	const char *text = p->lx.text + parse_tok(p, p->pos)->span.off;

	return text[0] == '$' && lex_is_ident_start(text[1]);
}

/* `name(...)`, or `name` before a block, as in `try { }`. */
static bool
is_call(const struct ast_expr *e)
{
	return e->kind == AST_CALL || e->kind == AST_IDENT;
}

static bool
starts_statement(enum lex_kind kind)
{
	return kind == TOK_IDENT || kind == TOK_AGG || kind == TOK_KW_SELF ||
	    kind == TOK_KW_THIS || kind == TOK_KW_IF;
}

/*
 * Text of another language after an expression: `let x = 1`, `unroll(3) { }`,
 * `exit 0`.
 */
static void
hint_after_expr(struct parser *p, const struct ast_expr *e, enum lex_kind kind,
    enum lex_kind next)
{
	const char *habit = is_plain_name(e) ?
	    habit_hint(HABIT_IS_FUNC, e->u.ident.name) :
	    NULL;

	if (habit == NULL && is_plain_name(e) && next != TOK_ASSIGN)
		habit = habit_hint(HABIT_IS_TYPE, e->u.ident.name);
	if (kind == TOK_EOF || parse_is_infix(p) ||
	    (!is_call(e) && parse_hint_strings(p)))
		return;
	if (habit != NULL && (is_value(kind) || kind == TOK_LBRACE))
		parse_hint(p, "%s", habit);
	else if (is_plain_name(e) && is_value(kind) && next == TOK_ASSIGN)
		parse_hint(p,
		    "D has no '%s': this->x = ... makes a variable of the "
		    "clause, self->x = ... of the thread, x = ... a global one",
		    e->u.ident.name);
	else if (is_plain_name(e) && next == TOK_SEMI &&
	    (kind == TOK_IDENT || is_at_named_macro(p)))
		parse_hint(p,
		    "a call has parentheses, %s(...); a variable needs no "
		    "declaration",
		    e->u.ident.name);
	else if (is_plain_name(e) && is_value(kind))
		parse_hint(
		    p, "a call has parentheses: %s(...)", e->u.ident.name);
	else if (kind == TOK_KW_ELSE)
		parse_hint(p, "a statement ends in ';', also before else");
	else if (is_call(e) && kind == TOK_LBRACE)
		parse_hint(p,
		    "D has no '%s' statement: only if and else have blocks, "
		    "and there are no loops",
		    e->u.ident.name);
	else if (e->kind == AST_AGG && kind == TOK_LBRACE)
		parse_hint(p, "keys stand in brackets: @%s[...]",
		    ast_agg_name(e->u.ident.name));
	else if (kind == TOK_COLON && next == TOK_ASSIGN)
		parse_hint(p, "= assigns");
	else if (starts_statement(kind))
		parse_hint(p, "statements are separated by ';'");
}

static void
parse_expr_stmt(struct parser *p, struct ast_stmt *list)
{
	struct ast_stmt *s = stmt_new(p, AST_S_EXPR);
	enum lex_kind kind, next;

	s->expr = parse_expr(p);
	s->span = s->expr->span;
	kind = parse_kind(p);
	if (kind != TOK_RBRACE && !parse_accept(p, TOK_SEMI)) {
		next = parse_peek(p, 1)->kind;
		parse_expected(p, "';' or '}' after the statement");
		hint_after_expr(p, s->expr, kind, next);
	}
	AST_PUSH(p->arena, &list->then_, s);
}

static void
parse_unsupported(struct parser *p)
{
	parse_error(p, D_SYNTAX, parse_span(p), "D has no '%s' statement",
	    lex_info[parse_kind(p)].text);
	parse_hint(p,
	    "probes run to their end: choose with predicates, "
	    "'if' and '?:'");
}

static void
refuse_decl(struct parser *p)
{
	parse_error(p, D_SYNTAX, parse_span(p),
	    "expected a statement, found a declaration");
	parse_hint(p,
	    "declare variables outside of clauses, or "
	    "just assign to them");
}

static void
parse_stmt(struct parser *p, struct ast_stmt *list)
{
	enum lex_kind kind = parse_kind(p);
	struct ast_stmt *s;

	parse_enter(p);
	if (p->panic) {
		; /* nested too deeply */
	} else if (kind == TOK_SEMI) {
		s = stmt_new(p, AST_S_EMPTY);
		p->pos++;
		AST_PUSH(p->arena, &list->then_, s);
	} else if (kind == TOK_KW_IF) {
		parse_if(p, list);
	} else if (parse_accept(p, TOK_LBRACE)) {
		parse_stmts(p, list);
	} else if (lex_info[kind].class == LEX_CLASS_UNSUP) {
		parse_unsupported(p);
	} else if (parse_is_decl(p, 0) && parse_peek(p, 1)->kind != TOK_DOT) {
		refuse_decl(p);
	} else {
		parse_expr_stmt(p, list);
	}
	parse_leave(p);
}

/* ---- clauses and items --------------------------------------------------- */

static void
parse_clause_body(struct parser *p, struct ast_clause *c)
{
	struct ast_stmt list = { 0 };

	parse_stmts(p, &list);
	c->body.v = list.then_.v;
	c->body.n = list.then_.n;
	c->body.cap = list.then_.cap;
	c->has_body = true;
}

/*
 * Is a statement here, after a description?  Its first word may have been taken
 * for a description: "self-" is one of "self->x = 1;".
 */
static bool
is_at_statement(struct parser *p)
{
	enum lex_kind kind = parse_kind(p);
	bool was_hushed = p->lx.is_hushed;

	if (kind == TOK_PDESC) {
		p->lx.is_hushed = true;
		kind = parse_peek(p, 1)->kind;
		p->lx.is_hushed = was_hushed;
	}
	return kind == TOK_AGG || kind == TOK_LPAREN || kind == TOK_LBRACKET ||
	    kind == TOK_ASSIGN || kind == TOK_SEMI || kind == TOK_GT;
}

/* SystemTap's `probe syscall.read { }`; `text` follows the word. */
static void
hint_at_probe(struct parser *p, const char *text)
{
	const char *hint = habit_of_description(text + strspn(text, " \t\n"));

	parse_hint(p,
	    "a clause begins with its description, without 'probe'%s%s",
	    hint != NULL ? "; " : "", hint != NULL ? hint : "");
}

/*
 * Another tracer's text in place of a description.  True if there is a hint.
 */
static bool
hint_at_description(struct parser *p, const struct ast_pdesc *d)
{
	const char *text = p->lx.text + d->span.off;
	const char *hint = habit_of_description(text);

	if (hint == NULL)
		hint = habit_hint(HABIT_IS_TYPE, d->name);
	if (strcmp(d->name, "probe") == 0 && d->span.len == strlen("probe"))
		hint_at_probe(p, text + d->span.len);
	else if (hint != NULL)
		parse_hint(p, "%s", hint);
	else
		return false;
	return true;
}

/*
 * A description without a body enables its probes with the default action, but
 * only on the command line: in a file the body was probably forgotten.
 */
static void
parse_bare(struct parser *p, const struct ast_pdesc *d)
{
	enum lex_kind kind = parse_kind(p);
	bool is_statement = is_at_statement(p);

	if (kind != TOK_EOF) {
		parse_expected(p,
		    "',', '/' or '{' after the probe "
		    "description");
		if (kind == TOK_BOR || kind == TOK_LOR || kind == TOK_BAND ||
		    kind == TOK_LAND)
			parse_hint(p,
			    "commas separate descriptions that share a clause: "
			    "A,B { ... }");
		else if (!parse_is_infix(p) && !hint_at_description(p, d) &&
		    is_statement)
			parse_hint(p,
			    "braces enclose the statements of a clause: "
			    "PROBE { ... }");
	} else if (p->lc->name != NULL)
		parse_expected(p,
		    "a predicate or '{' after the probe "
		    "description");
}

static uint32_t
pdesc_key(struct strtab *keys, const struct ast_pdesc *d)
{
	char *text = mem_printf(
	    "%u:%s:%s:%s:%s", d->id, d->prov, d->mod, d->func, d->name);
	uint32_t key = strtab_intern(keys, text) - 1;

	free(text);
	return key;
}

/*
 * Distribute a clause's descriptions: the n-th occurrence of a description goes
 * to the n-th of the returned clauses.
 */
static struct ast_clause *
deal_pdescs(struct parser *p, const struct ast_clause *c, size_t *nclauses)
{
	struct ast_clause *clauses =
	    arena_alloc(p->arena, (c->pdescs.n + 1) * sizeof(*clauses));
	VEC(uint32_t) times = { 0 }; /* by key */
	struct strtab keys;

	strtab_init(&keys);
	*nclauses = 0;
	for (size_t i = 0; i < c->pdescs.n; i++) {
		uint32_t key = pdesc_key(&keys, &c->pdescs.v[i]), n;

		if (key == times.n)
			VEC_PUSH(&times, 0);
		n = times.v[key]++;
		AST_PUSH(p->arena, &clauses[n].pdescs, c->pdescs.v[i]);
		if (n == *nclauses)
			++*nclauses;
	}
	VEC_FREE(&times);
	strtab_fini(&keys);
	return clauses;
}

/*
 * Is the description in front of a slash the beginning of bpftrace's
 * uprobe:/bin/bash:readline or u:./a.out:main?  What follows is then no
 * predicate but a word with a colon.
 */
static const char *
habit_of_path(struct parser *p, const struct ast_pdesc *d)
{
	bool is_path = *d->mod == '\0' && d->name[strspn(d->name, ".")] == '\0';
	const char *path = p->lx.text + parse_span(p).off;

	path += strcspn(path, ": \t\n{");
	return is_path && *path == ':' ?
	    habit_hint(HABIT_IS_PATH, habit_long_word(d->func)) :
	    NULL;
}

/* Skip the path: its dots and digits would be errors of their own. */
static void
refuse_path(struct parser *p, const char *hint)
{
	parse_error(p, D_SYNTAX, parse_span(p),
	    "a probe description is PROVIDER:MODULE:FUNCTION:NAME");
	parse_hint(p, "%s", hint);
	parse_sync_item(p);
}

static void
parse_predicate(struct parser *p, struct ast_clause *c)
{
	c->pred = parse_expr(p);
	if (parse_kind(p) == TOK_SEMI) {
		parse_expected(p, "'/' to close the predicate");
		parse_hint(p,
		    "braces enclose the statements of a clause: "
		    "PROBE /PREDICATE/ { ... }");
	}
	parse_expect(p, TOK_PRED_CLOSE, "to close the predicate");
}

/* Parse the predicate and body of a clause, after its descriptions. */
static void
parse_clause_rest(struct parser *p, struct ast_program *prog,
    struct ast_clause *c, struct diag_span start)
{
	struct ast_item *item = ARENA_NEW(p->arena, struct ast_item);
	const char *path = parse_kind(p) == TOK_PRED_OPEN ?
	    habit_of_path(p, &c->pdescs.v[0]) :
	    NULL;

	if (path != NULL) {
		refuse_path(p, path);
	} else if (parse_accept(p, TOK_PRED_OPEN)) {
		parse_predicate(p, c);
		if (parse_expect(p, TOK_LBRACE, "after the predicate"))
			parse_clause_body(p, c);
	} else if (parse_accept(p, TOK_LBRACE)) {
		parse_clause_body(p, c);
	} else {
		parse_bare(p, &c->pdescs.v[0]);
	}
	c->span = item->span = parse_span_from(p, start);
	item->kind = AST_I_CLAUSE;
	item->clause = c;
	AST_PUSH(p->arena, &prog->items, item);
}

/*
 * A description that is written twice enables the clause twice: the clause is
 * parsed again for the second time.
 */
static void
parse_clause(struct parser *p, struct ast_program *prog)
{
	struct ast_clause all = { 0 }, *clauses;
	struct diag_span start = parse_span(p);
	size_t pos, n, nerrors = p->lc->diags->list.n;

	do {
		parse_pdescs(p, &all);
	} while (parse_accept(p, TOK_COMMA));
	pos = p->pos;
	clauses = deal_pdescs(p, &all, &n);
	for (size_t i = 0; i < n && p->lc->diags->list.n == nerrors; i++) {
		p->pos = pos;
		parse_clause_rest(p, prog, &clauses[i], start);
	}
}

static void
refuse_item(struct parser *p)
{
	struct diag_span span = parse_span(p);
	enum lex_kind kind = parse_kind(p);
	bool is_first = p->lc->diags->list.n == p->lx.first_error;

	parse_expected(p, "a probe description or a declaration");
	if (kind == TOK_KW_PROBE)
		hint_at_probe(p, p->lx.text + span.off + span.len);
	else if (is_first &&
	    (kind == TOK_LBRACE || kind == TOK_AGG || kind == TOK_PRED_OPEN))
		parse_hint(p,
		    "a clause begins with a probe: BEGIN { ... }, or "
		    "syscall:::entry /PREDICATE/ { ... }");
}

static void
parse_item(struct parser *p, struct ast_program *prog)
{
	switch (parse_kind(p)) {
	case TOK_PDESC:
		parse_clause(p, prog);
		return;
	case TOK_KW_INLINE:
		parse_inline(p, prog);
		return;
	case TOK_KW_TRANSLATOR:
		parse_translator(p, prog);
		return;
	case TOK_KW_PROVIDER:
		parse_provider(p, prog);
		return;
	default:
		if (parse_is_decl(p, 0) ||
		    (parse_kind(p) == TOK_IDENT &&
			parse_peek(p, 0)->at_program))
			parse_declaration(p, prog);
		else
			refuse_item(p);
		return;
	}
}

struct ast_program *
lang_parse(struct lang_compile *lc)
{
	struct ast_program *prog = ARENA_NEW(lc->arena, struct ast_program);
	struct parser p = { .lc = lc, .arena = lc->arena };

	lex_init(&p.lx, lc, prog);
	while (parse_kind(&p) != TOK_EOF) {
		size_t pos;

		parse_forget(&p);
		pos = p.pos;
		parse_item(&p, prog);
		if (p.panic || p.pos == pos) {
			p.pos += p.pos == pos;
			parse_sync_item(&p);
		}
	}
	if (lc->diags->list.n == p.lx.first_error) {
		if (prog->items.n == 0 && !(lc->flags & LANG_F_EMPTY))
			lex_error(&p.lx, D_EMPTY, 0, 0,
			    "the program is empty: expected a clause or a "
			    "declaration");
		lex_check_args(&p.lx);
	}
	lex_fini(&p.lx);
	return prog;
}
