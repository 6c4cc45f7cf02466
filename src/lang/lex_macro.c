/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Macro variables: $1, $$1, $target, $$target, ...
 *
 * Inside clauses a macro becomes one token: an integer, an identifier or a
 * string, by its content; with two dollars always a string.  An argument in
 * double quotes ('"123"') is a string, even if its content is a number or a
 * name; with two dollars the quotes belong to the string.  Inside probe
 * descriptions a macro is text.  Source: doc/reference/language.md section 9.
 */
#include "lang/habits.h"
#include "lang/lex.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"

/* A macro as written in the text, and its value. */
struct macro {
	uint32_t off;
	bool is_string;	   /* $$ */
	bool is_targets;   /* $target, which is several processes */
	const char *value; /* NULL: an error was reported */
	char buf[24];
};

static int64_t
macro_named_value(const struct lang_compile *lc, const char *name, bool *found)
{
	*found = true;
#define LEX_MACRO(nm, expr)                                                    \
	if (strcmp(name, #nm) == 0)                                            \
		return (int64_t)(expr);
#include "lang/macros.def"
#undef LEX_MACRO
	*found = false;
	return 0;
}

/* Hint why the macro does not exist, or which one was meant. */
static void
macro_unknown(struct lex *lx, const struct macro *m, const char *name,
    uint32_t len, bool in_desc)
{
	struct near n = near_start(name);
	const char *habit = habit_hint(HABIT_IS_MACRO, name);

#define LEX_MACRO_NONE(nm, why)                                                \
	if (strcmp(name, #nm) == 0) {                                          \
		lex_error(lx, D_MACRO_UNDEF, m->off, lx->pos - m->off,         \
		    "$" #nm " is not available: " why);                        \
		return;                                                        \
	}
#define LEX_MACRO(nm, expr) near_try(&n, #nm);
#include "lang/macros.def"
#undef LEX_MACRO
	lex_error(lx, D_MACRO_UNDEF, m->off, lx->pos - m->off,
	    "there is no macro variable '$%.*s'", (int)len,
	    lx->text + lx->pos - len);
	if (habit != NULL)
		lex_hint(lx, "%s", habit);
	else if (n.name != NULL)
		lex_hint(lx, "did you mean $%s?", n.name);
	else if (in_desc)
		lex_hint(lx,
		    "$target is the process of -c or -p, $1 the first operand, "
		    "and * stands for any number");
	else
		lex_hint(lx,
		    "$ begins macros, as $1 and $target; a variable of the "
		    "clause is this->%.*s",
		    (int)len, lx->text + lx->pos - len);
}

/* Without a process $target is 0; no probe is in process 0. */
static void
macro_named(struct lex *lx, struct macro *m, uint32_t start, bool in_desc)
{
	char name[16] = "";
	uint32_t len = lx->pos - start;
	int64_t v = 0;
	bool found = false;

	if (len < sizeof(name)) {
		memcpy(name, lx->text + start, len);
		v = macro_named_value(lx->lc, name, &found);
	}
	if (found && strcmp(name, "target") == 0 && lx->lc->ntargets > 1) {
		m->is_targets = lx->has_targets = true;
		v = lx->lc->targets[in_desc ? lx->target_at : 0];
	}
	if (!found) {
		macro_unknown(lx, m, name, len, in_desc);
	} else if (strcmp(name, "target") == 0 && v < 0 && in_desc) {
		lex_error(lx, D_MACRO_UNDEF, m->off, lx->pos - m->off,
		    "$target has no value: there is no target process");
		lex_hint(lx, "start one with -c or name one with -p");
	} else {
		snprintf(
		    m->buf, sizeof(m->buf), "%lld", v < 0 ? 0LL : (long long)v);
		m->value = m->buf;
	}
}

/* $0 is the script, or the command whose argument is the text. */
static const char *
macro_arg_value(const struct lang_compile *lc, long i)
{
	if (i < lc->argc)
		return lc->argv[i];
	if (i == 0)
		return lc->name != NULL ? lc->name : "dtrace";
	return NULL;
}

static void
macro_arg(struct lex *lx, struct macro *m, uint32_t start)
{
	const struct lang_compile *lc = lx->lc;
	long i = 0;

	for (uint32_t p = start; p < lx->pos && i < 1000000; p++)
		i = i * 10 + (lex_at(lx, p) - '0');
	m->value = macro_arg_value(lc, i);
	if (m->value != NULL) {
		if (i < lc->argc)
			lx->arg_used[i] = true;
	} else if (lc->flags & LANG_F_DEFARG) {
		m->value = m->is_string ? "" : "0";
	} else {
		lex_error(lx, D_MACRO_UNDEF, m->off, lx->pos - m->off,
		    "macro argument %.*s is not defined: %d given",
		    (int)(lx->pos - m->off), lx->text + m->off,
		    lc->argc > 1 ? lc->argc - 1 : 0);
		lex_hint(lx,
		    "give it after the program, or set option "
		    "defaultargs");
	}
}

static struct macro
macro_read(struct lex *lx, bool in_desc)
{
	struct macro m = { .off = lx->pos };
	uint32_t start;

	lx->pos++;
	if (lex_at(lx, lx->pos) == '$') {
		m.is_string = true;
		lx->pos++;
	}
	start = lx->pos;
	if (lex_is_ident_start(lex_at(lx, start))) {
		while (lex_is_ident(lex_at(lx, lx->pos)))
			lx->pos++;
		macro_named(lx, &m, start, in_desc);
	} else if (lex_is_ident(lex_at(lx, start))) {
		while (lex_at(lx, lx->pos) >= '0' && lex_at(lx, lx->pos) <= '9')
			lx->pos++;
		macro_arg(lx, &m, start);
	} else {
		lex_error(lx, D_SYNTAX, m.off, lx->pos - m.off,
		    "expected a number or a name after '$'");
	}
	if (m.value == m.buf) /* the copy that is returned has its own */
		m.value = arena_strdup(lx->lc->arena, m.buf);
	return m;
}

/* Is the whole of `s` an integer, in C's notation, with an optional sign? */
static bool
macro_is_integer(const char *s)
{
	const char *p = s + (*s == '-' || *s == '+');
	char *end;

	if (*p < '0' || *p > '9')
		return false;
	(void)strtoull(p, &end, 0);
	return *end == '\0';
}

static bool
macro_is_ident(const char *s)
{
	if (!lex_is_ident_start(*s))
		return false;
	while (lex_is_ident(*s))
		s++;
	return *s == '\0';
}

/* A negative number is two tokens, as if it had been typed. */
static void
macro_integer(struct lex *lx, const struct macro *m)
{
	const char *p = m->value + (*m->value == '-' || *m->value == '+');
	struct lex_tok *t;

	if (*m->value == '-')
		lex_push(lx, TOK_SUB, m->off);
	t = lex_push(lx, TOK_INT, m->off);
	t->is_decimal = *p != '0' || p[1] == '\0';
	errno = 0;
	t->value = strtoull(p, NULL, 0);
	if (errno == ERANGE)
		lex_error(lx, D_MACRO_OFLOW, m->off, lx->pos - m->off,
		    "the value of %.*s, %s, does not fit in 64 bits",
		    (int)(lx->pos - m->off), lx->text + m->off, m->value);
}

static void
macro_string(struct lex *lx, const struct macro *m)
{
	struct strbuf sb = { 0 };

	if (!m->is_string && lex_is_quoted(m->value, &sb))
		lex_push_str(lx, m->off, sb.s, sb.len);
	else
		lex_push_str(lx, m->off, m->value, strlen(m->value));
	strbuf_fini(&sb);
}

void
lex_macro_token(struct lex *lx)
{
	struct macro m = macro_read(lx, false);
	struct lex_tok *t;

	if (m.value == NULL) {
		lex_push(lx, TOK_INT, m.off);
	} else if (m.is_targets && m.is_string) {
		lex_error(lx, D_MACRO_TARGETS, m.off, lx->pos - m.off,
		    "$$target is the text of one process, and there are %zu",
		    lx->lc->ntargets);
		lex_push_str(lx, m.off, m.value, strlen(m.value));
	} else if (!m.is_string && macro_is_integer(m.value)) {
		macro_integer(lx, &m);
		lx->toks.v[lx->toks.n - 1].is_targets = m.is_targets;
	} else if (!m.is_string && macro_is_ident(m.value)) {
		t = lex_push(lx, TOK_IDENT, m.off);
		t->s = arena_strdup(lx->lc->arena, m.value);
		t->len = (uint32_t)strlen(m.value);
	} else {
		macro_string(lx, &m);
	}
}

void
lex_macro_text(struct lex *lx, struct strbuf *out)
{
	struct macro m = macro_read(lx, true);

	if (m.value != NULL)
		strbuf_adds(out, m.value);
}

/* A clause that is not quoted with its description, and "$1" for $$1. */
static void
hint_at_unused(struct lex *lx, int i)
{
	const char *arg = lx->lc->argv[i];
	char *quoted = mem_printf("\"$%d\"", i);

	if ((*arg == '{' || *arg == '/') && strpbrk(lx->text, "{\n") == NULL)
		lex_hint(lx,
		    "a description and its clause are one argument: '%s { ... "
		    "}'",
		    lx->text);
	else if (strstr(lx->text, quoted) != NULL)
		lex_hint(lx, "$%d between quotes is text: write $$%d", i, i);
	free(quoted);
}

void
lex_check_args(struct lex *lx)
{
	const struct lang_compile *lc = lx->lc;

	if (lc->flags & LANG_F_ARGREF)
		return;
	for (int i = 1; i < lc->argc; i++) {
		if (lx->arg_used[i])
			continue;
		lex_error(lx, D_MACRO_UNUSED, 0, 0,
		    "argument '%s' is extraneous: nothing refers to $%d",
		    lc->argv[i], i);
		hint_at_unused(lx, i);
	}
}
