/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control lines: those whose first non-blank character is '#'.
 *
 * They stand anywhere in a program and never become tokens.  Source:
 * doc/reference/language.md section 10.
 */
#include "lang/lex.h"

#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"

/* The line being read: its text without comments, and where it stood. */
struct ctl {
	struct lex *lx;
	uint32_t off, end; /* of the whole line, newline excluded */
	char *text;	   /* after '#', in the arena */
	char *p;	   /* how far it is read */
};

/*
 * Copy a line, comments replaced by a blank and continued lines joined; the
 * lexer is then at its newline.
 */
static void
ctl_read(struct ctl *c)
{
	struct lex *lx = c->lx;
	struct strbuf sb = { 0 };
	bool quoted = false;

	for (c->off = lx->pos++; lx->pos < lx->len; lx->pos++) {
		char ch = lex_at(lx, lx->pos);
		const char *end;

		if (ch == '\n')
			break;
		quoted ^= ch == '"';
		if (ch == '\\' && lex_at(lx, lx->pos + 1) == '\n') {
			lx->pos++;
			continue;
		}
		if (quoted || ch != '/' || lex_at(lx, lx->pos + 1) != '*') {
			strbuf_addc(&sb, ch == '\0' ? ' ' : ch);
			continue;
		}
		end = memmem(
		    lx->text + lx->pos + 2, lx->len - lx->pos - 2, "*/", 2);
		if (end == NULL)
			lex_error(lx, D_SYNTAX, lx->pos, 2,
			    "this comment is not closed");
		lx->pos =
		    end != NULL ? (uint32_t)(end - lx->text) + 1 : lx->len - 1;
		strbuf_addc(&sb, ' ');
	}
	c->end = lx->pos;
	c->p = c->text = arena_strdup(lx->lc->arena, sb.s ? sb.s : "");
	strbuf_fini(&sb);
}

static bool
ctl_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The next word; "" at the end of the line. */
static char *
ctl_word(struct ctl *c)
{
	char *start;

	while (ctl_is_blank(*c->p))
		c->p++;
	for (start = c->p; *c->p != '\0' && !ctl_is_blank(*c->p); c->p++)
		;
	return arena_strndup(c->lx->lc->arena, start, (size_t)(c->p - start));
}

/* The rest of the line, without blanks around it. */
static char *
ctl_rest(struct ctl *c)
{
	size_t n;

	while (ctl_is_blank(*c->p))
		c->p++;
	for (n = strlen(c->p); n > 0 && ctl_is_blank(c->p[n - 1]); n--)
		;
	return arena_strndup(c->lx->lc->arena, c->p, n);
}

static void __attribute__((format(printf, 3, 4)))
ctl_error(struct ctl *c, const char *tag, const char *fmt, ...)
{
	struct diag_span span = { c->lx->lc->source, c->off, c->end - c->off };
	va_list ap;

	va_start(ap, fmt);
	lex_verror(c->lx, tag, span, fmt, ap);
	va_end(ap);
}

static char *
ctl_trim(char *s)
{
	size_t n = strlen(s);

	while (n > 0 && ctl_is_blank(s[n - 1]))
		s[--n] = '\0';
	while (ctl_is_blank(*s))
		s++;
	return s;
}

/* #pragma D option name[=value]; the value may be quoted. */
static void
ctl_option(struct ctl *c)
{
	char *name = ctl_rest(c), *value = strchr(name, '=');
	struct ast_option opt = { .span = { c->lx->lc->source, c->off,
				      c->end - c->off } };
	size_t n;

	if (value != NULL) {
		*value++ = '\0';
		value = ctl_trim(value);
		n = strlen(value);
		if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
			value[n - 1] = '\0';
			value++;
		} else if (strpbrk(value, " \t") != NULL) {
			ctl_error(c, D_PRAGMA_MALFORM,
			    "expected one value after '=', found '%s'", value);
			return;
		}
	}
	name = ctl_trim(name);
	if (*name == '\0' || strpbrk(name, " \t\"") != NULL) {
		ctl_error(c, D_PRAGMA_MALFORM,
		    "expected name or name=value after '#pragma D option', "
		    "found '%s'",
		    name);
		return;
	}
	opt.name = name;
	opt.value = value;
	if (c->lx->prog != NULL)
		AST_PUSH(c->lx->lc->arena, &c->lx->prog->options, opt);
}

/* The next word, which the pragma requires; NULL after an error. */
static char *
ctl_name(struct ctl *c, const char *form)
{
	char *name = ctl_word(c);

	if (*name == '\0') {
		ctl_error(c, D_PRAGMA_MALFORM, "expected #pragma D %s", form);
		return NULL;
	}
	return name;
}

/* Pragmas about names take effect at their place among the items. */
static void
ctl_push_pragma(struct ctl *c, struct ast_pragma pragma)
{
	struct arena *arena = c->lx->lc->arena;
	struct ast_item *item;

	if (c->lx->state != LEX_PROGRAM) {
		ctl_error(c, D_PRAGMA_SCOPE,
		    "this pragma must stand outside of clauses and blocks");
		return;
	}
	if (*ctl_word(c) != '\0') {
		ctl_error(c, D_PRAGMA_MALFORM,
		    "expected the end of the line after '%s'",
		    pragma.part != NULL ? pragma.part : pragma.name);
		return;
	}
	if (c->lx->prog == NULL)
		return;
	item = ARENA_NEW(arena, struct ast_item);
	item->kind = AST_I_PRAGMA;
	item->span =
	    (struct diag_span){ c->lx->lc->source, c->off, c->end - c->off };
	item->pragma = ARENA_NEW(arena, struct ast_pragma);
	*item->pragma = pragma;
	AST_PUSH(arena, &c->lx->prog->items, item);
}

/* #pragma D attributes N/D/C NAME, or N/D/C provider NAME PART. */
static void
ctl_attributes(struct ctl *c)
{
	static const char form[] =
	    "attributes NAME/DATA/CLASS identifier, or "
	    "... provider NAME provider|module|function|name|args";
	struct ast_pragma pr = { .kind = AST_P_ATTRIBUTES };

	pr.value = ctl_name(c, form);
	pr.name = pr.value != NULL ? ctl_name(c, form) : NULL;
	if (pr.name != NULL && strcmp(pr.name, "provider") == 0) {
		pr.name = ctl_name(c, form);
		pr.part = pr.name != NULL ? ctl_name(c, form) : NULL;
		if (pr.part == NULL)
			return;
	}
	if (pr.name != NULL)
		ctl_push_pragma(c, pr);
}

/* #pragma D binding "VERSION" NAME */
static void
ctl_binding(struct ctl *c)
{
	static const char form[] = "binding \"version\" identifier";
	struct ast_pragma pr = { .kind = AST_P_BINDING };
	size_t n;

	pr.value = ctl_name(c, form);
	if (pr.value == NULL)
		return;
	n = strlen(pr.value);
	if (n < 3 || pr.value[0] != '"' || pr.value[n - 1] != '"') {
		ctl_error(c, D_PRAGMA_MALFORM,
		    "expected a version in quotes, found '%s'", pr.value);
		return;
	}
	pr.value[n - 1] = '\0';
	pr.value++;
	pr.name = ctl_name(c, form);
	if (pr.name != NULL)
		ctl_push_pragma(c, pr);
}

/* #pragma D unavailable TYPE MEMBER why, to the end of the line */
static void
ctl_unavailable(struct ctl *c)
{
	static const char form[] = "unavailable type member why it is not "
				   "there";
	struct ast_pragma pr = { .kind = AST_P_UNAVAILABLE };

	pr.name = ctl_name(c, form);
	pr.part = pr.name != NULL ? ctl_name(c, form) : NULL;
	if (pr.part == NULL)
		return;
	pr.value = ctl_rest(c);
	c->p += strlen(c->p);
	if (*pr.value == '\0')
		ctl_error(c, D_PRAGMA_MALFORM, "expected #pragma D %s", form);
	else
		ctl_push_pragma(c, pr);
}

/* #pragma D depends_on provider|module|library NAME */
static void
ctl_depends_on(struct ctl *c)
{
	static const char form[] = "depends_on provider|module|library name";
	struct ast_pragma pr = { .kind = AST_P_DEPENDS_ON };

	pr.value = ctl_name(c, form);
	pr.name = pr.value != NULL ? ctl_name(c, form) : NULL;
	if (pr.name != NULL)
		ctl_push_pragma(c, pr);
}

/* [#line] n ["file"] [flags]: the number and file of the next line. */
static void
ctl_line(struct ctl *c, const char *number)
{
	struct lex *lx = c->lx;
	uint64_t line = 0;
	const char *p;
	char *file, *end;

	for (p = number; *p >= '0' && *p <= '9' && line <= UINT32_MAX; p++)
		line = line * 10 + (uint64_t)(*p - '0');
	file = ctl_rest(c);
	end = *file == '"' ? strchr(file + 1, '"') : NULL;
	if (p == number || *p != '\0' || line > INT32_MAX ||
	    (*file != '\0' && end == NULL)) {
		ctl_error(c, D_PRAGCTL_INVAL,
		    "expected a line number and \"file\", found '%s %s'",
		    number, file);
		return;
	}
	if (end != NULL)
		*end = '\0';
	diags_add_linemark(lx->lc->diags, lx->lc->source,
	    c->end < lx->len ? c->end + 1 : lx->len, (uint32_t)line,
	    end != NULL ? file + 1 : NULL);
}

/* The handler of the rest of the line, by the VERB of #pragma D VERB. */
static void
ctl_error_verb(struct ctl *c)
{
	ctl_error(c, D_PRAGERR, "#pragma D error: %s", ctl_rest(c));
}

static void
ctl_line_verb(struct ctl *c)
{
	ctl_line(c, ctl_word(c));
}

/* #ident is a note for people, and has no effect. */
static void
ctl_ident(struct ctl *c)
{
	(void)c;
}

static const struct ctl_verb {
	const char *name;
	void (*act)(struct ctl *c);
} ctl_verbs[] = {
#define LEX_PRAGMA(name, act) { #name, act },
#include "lang/pragmas.def"
#undef LEX_PRAGMA
};
#define NVERBS (sizeof(ctl_verbs) / sizeof(ctl_verbs[0]))

/*
 * Hint at the verbs that exist, and at the one that a misspelt verb may mean.
 */
static void
ctl_bad_verb(struct ctl *c, const char *verb)
{
	struct near n = near_start(verb);
	struct strbuf all = { 0 };

	for (size_t i = 0; i < NVERBS; i++) {
		near_try(&n, ctl_verbs[i].name);
		strbuf_printf(&all, "%s%s",
		    i == 0	       ? "" :
			i + 1 < NVERBS ? ", " :
					 " or ",
		    ctl_verbs[i].name);
	}
	ctl_error(c, D_PRAGMA_INVAL,
	    "expected %s after '#pragma D', found '%s'", all.s, verb);
	if (n.name != NULL)
		lex_hint(c->lx, "did you mean '%s'?", n.name);
	strbuf_fini(&all);
}

/*
 * Pragmas of other compilers are ignored; #pragma line and #pragma ident are
 * accepted without the D as well.
 */
static void
ctl_pragma(struct ctl *c)
{
	char *verb = ctl_word(c);

	if (strcmp(verb, "line") == 0)
		ctl_line_verb(c);
	if (strcmp(verb, "D") != 0)
		return;
	verb = ctl_word(c);
	for (size_t i = 0; i < NVERBS; i++) {
		if (strcmp(verb, ctl_verbs[i].name) == 0) {
			ctl_verbs[i].act(c);
			return;
		}
	}
	ctl_bad_verb(c, verb);
}

static bool
ctl_is_cpp(const char *word)
{
	static const char *const words[] = { "define", "undef", "include", "if",
		"ifdef", "ifndef", "elif", "else", "endif", "warning" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* "#!/usr/sbin/dtrace -s" is a control line only in the first line. */
static bool
ctl_is_interpreter(const struct ctl *c)
{
	struct diag_span span = { c->lx->lc->source, c->off, 0 };
	const char *file;

	return c->text[0] == '!' &&
	    diag_line(c->lx->lc->diags, span, &file) == 1;
}

void
lex_control(struct lex *lx)
{
	struct ctl c = { .lx = lx };
	char *word;

	ctl_read(&c);
	if (ctl_is_interpreter(&c))
		return;
	word = ctl_word(&c);
	if (strcmp(word, "pragma") == 0) {
		ctl_pragma(&c);
	} else if (strcmp(word, "line") == 0) {
		ctl_line(&c, ctl_word(&c));
	} else if (*word >= '0' && *word <= '9') {
		ctl_line(&c, word);
	} else if (strcmp(word, "error") == 0) {
		ctl_error(&c, D_PRAGERR, "#error: %s", ctl_rest(&c));
	} else if (strcmp(word, "ident") != 0 && *word != '\0' &&
	    ((lx->lc->flags & LANG_F_BUILD) == 0 || ctl_is_cpp(word))) {
		ctl_error(&c, D_PRAGCTL_INVAL,
		    "expected pragma, line, error or ident after '#', "
		    "found '%s'",
		    word);
		if (ctl_is_cpp(word))
			lex_hint(lx, "the preprocessor runs only with -C");
	}
}
