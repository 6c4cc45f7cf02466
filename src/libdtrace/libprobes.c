/* SPDX-License-Identifier: BSD-2-Clause */
#include "libdtrace/libprobes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/libscan.h"

/* The outline so far; all strings are malloced. */
struct outline {
	VEC(struct outline_provider {
		char *name;
		struct strbuf lines; /* lines about its probes */
	})
	provs;
	VEC(struct outline_clause {
		char *fires;	     /* "io:::wait-done"; NULL: nothing */
		struct strbuf lines; /* lines about its conditions and
					 * descriptions */
	})
	clauses;
};

static void
outline_fini(struct outline *o)
{
	VEC_FOREACH(&o->provs, p) {
		free(p->name);
		strbuf_fini(&p->lines);
	}
	VEC_FOREACH(&o->clauses, c) {
		free(c->fires);
		strbuf_fini(&c->lines);
	}
	VEC_FREE(&o->provs);
	VEC_FREE(&o->clauses);
}

static const char *
text_of(const struct strbuf *sb)
{
	return sb->s != NULL ? sb->s : "";
}

static void
add_line(struct strbuf *sb, enum dt_outline what, const char *s, size_t len)
{
	strbuf_printf(sb, "%c %.*s\n", (char)what, (int)len, s);
}

static bool
is_word(const struct dt_scan *s, const char *word)
{
	return strlen(word) == s->len && memcmp(word, s->word, s->len) == 0;
}

static bool
has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Copy the text without blanks. */
static void
add_token(struct strbuf *sb, const struct dt_scan *s, char t)
{
	if (t == '"')
		strbuf_printf(sb, "\"%.*s\"", (int)s->len, s->word);
	else if (t == 'a' || t == '0')
		strbuf_add(sb, s->word, s->len);
	else
		strbuf_addc(sb, t);
}

/* The nesting depth after this token. */
static unsigned
nest(unsigned depth, char t)
{
	if (t == '(' || t == '[' || t == '{')
		return depth + 1;
	if (t == ')' || t == ']' || t == '}')
		return depth - (depth > 0);
	return depth;
}

/* ---- providers ----------------------------------------------------------- */

/* In D text, wait__start is probe wait-start. */
static void
add_probe(struct strbuf *sb, const struct dt_scan *s)
{
	strbuf_printf(sb, "%c ", DT_OUTLINE_PROBE);
	for (size_t i = 0; i < s->len; i++) {
		bool is_dash = i + 1 < s->len && s->word[i] == '_' &&
		    s->word[i + 1] == '_';

		strbuf_addc(sb, is_dash ? '-' : s->word[i]);
		i += is_dash;
	}
	strbuf_addc(sb, '\n');
}

/* Read a provider, from after the word "provider" to its end. */
static int
scan_provider(struct dt_scan *s, struct outline *o)
{
	struct outline_provider p = { 0 };
	bool is_probe = false;
	unsigned depth = 0;
	char t = dt_scan_next(s);

	if (t != 'a')
		return -1;
	p.name = mem_strndup(s->word, s->len);
	VEC_PUSH(&o->provs, p);
	if (dt_scan_next(s) != '{')
		return -1;
	for (depth = 1; depth > 0 && (t = dt_scan_next(s)) != 0;
	     depth = nest(depth, t)) {
		if (is_probe && t == 'a')
			add_probe(&o->provs.v[o->provs.n - 1].lines, s);
		is_probe =
		    depth == 1 && t == 'a' && !is_probe && is_word(s, "probe");
	}
	return t == 0 ? -1 : 0;
}

/* ---- clauses ------------------------------------------------------------- */

/* "sdt:sched::a,sdt:sched::b": each description must have four fields. */
static int
add_descs(struct strbuf *out, const char *descs)
{
	while (*descs != '\0') {
		size_t len = strcspn(descs, ","), ncolons = 0;

		for (size_t i = 0; i < len; i++)
			ncolons += descs[i] == ':';
		if (ncolons != 3 || memchr(descs, '$', len) != NULL)
			return -1;
		add_line(out, DT_OUTLINE_AT, descs, len);
		descs += len + (descs[len] == ',');
	}
	return 0;
}

/*
 * Read !exists("rawtp:::sched_exit_tp"), or a condition that does not depend on
 * names of probes.
 */
static int
add_term(struct strbuf *out, const char *term)
{
	static const char word[] = "exists(\"";
	bool is_not = *term == '!';
	const char *at = term + is_not + strlen(word);

	if (strstr(term, word) == NULL)
		return 0;
	if (!has_prefix(term + is_not, word) ||
	    strcmp(at + strcspn(at, "\""), "\")") != 0)
		return -1;
	add_line(out, is_not ? DT_OUTLINE_UNLESS : DT_OUTLINE_IF, at,
	    strcspn(at, "\""));
	return 0;
}

/* Is this the slash that closes a predicate? */
static bool
is_last_slash(const struct dt_scan *s, char t)
{
	struct dt_scan ahead = *s;

	return t == '/' && dt_scan_next(&ahead) == '{';
}

/* Read a && b && c, from after the first slash to after the last one. */
static int
scan_predicate(struct dt_scan *s, struct strbuf *out)
{
	struct strbuf term = { 0 };
	size_t before = out->len;
	bool has_choice = false;
	unsigned depth = 0;
	int rc = 0;
	char t;

	while (rc == 0 && (t = dt_scan_next(s)) != 0 && !is_last_slash(s, t)) {
		depth = nest(depth, t);
		has_choice |= depth == 0 && (t == '|' || t == '?' || t == '^');
		if (depth != 0 || t != '&' || s->p >= s->end || *s->p != '&') {
			add_token(&term, s, t);
			continue;
		}
		s->p++;
		rc = add_term(out, text_of(&term));
		strbuf_reset(&term);
	}
	if (rc == 0)
		rc = add_term(out, text_of(&term));
	strbuf_fini(&term);
	return has_choice && out->len != before ? -1 : rc;
}

/*
 * Read fire("io:::wait-done", ...) or assignments to keep, from after the first
 * brace to after the last one.
 */
static int
scan_body(struct dt_scan *s, struct outline_clause *c)
{
	char t, last = 0;

	for (unsigned depth = 1; depth > 0 && (t = dt_scan_next(s)) != 0;
	     depth = nest(depth, t)) {
		if (last == 'f' && t == '"' && c->fires == NULL)
			c->fires = mem_strndup(s->word, s->len);
		if (t == 'a')
			last = is_word(s, "fire") || is_word(s, "fire_in") ?
			    'f' :
			    'a';
		else if (t != '(')
			last = t;
	}
	return t != 0 ? 0 : -1;
}

/* Read a clause from after its descriptions; t is the token that ends them. */
static int
scan_clause(struct dt_scan *s, struct outline *o, const char *descs, char t)
{
	struct outline_clause *c;

	VEC_PUSH(&o->clauses, (struct outline_clause){ 0 });
	c = &o->clauses.v[o->clauses.n - 1];
	if (t == '/') {
		if (scan_predicate(s, &c->lines) != 0)
			return -1;
		t = dt_scan_next(s);
	}
	if (t != '{' || add_descs(&c->lines, descs) != 0)
		return -1;
	return scan_body(s, c);
}

/* ---- a text -------------------------------------------------------------- */

/*
 * A declaration ends with a semicolon; an item with a colon outside of all
 * brackets is a clause. 0: there may be more.
 */
static int
scan_item(struct dt_scan *s, struct outline *o, struct strbuf *item)
{
	bool is_clause = false, is_decl = false;
	unsigned depth = 0;
	char t;

	while ((t = dt_scan_next(s)) != 0) {
		if (item->len == 0 && t == 'a' && is_word(s, "provider"))
			return scan_provider(s, o);
		if (is_clause && (t == '/' || t == '{'))
			return scan_clause(s, o, text_of(item), t);
		is_clause |= t == ':' && depth == 0 && !is_decl;
		is_decl |= t == '{' || t == '=' || t == '(';
		depth = nest(depth, t);
		if (t == ';' && depth == 0)
			return is_clause ? -1 : 0;
		add_token(item, s, t);
	}
	return item->len == 0 ? 1 : -1;
}

static void
print_outline(const struct outline *o, struct strbuf *out)
{
	VEC_FOREACH(&o->provs, p) {
		char *prefix = mem_printf("%s:::", p->name);
		size_t len = strlen(prefix);

		add_line(out, DT_OUTLINE_PROVIDER, p->name, strlen(p->name));
		strbuf_adds(out, text_of(&p->lines));
		VEC_FOREACH(&o->clauses, c) {
			if (c->fires == NULL || !has_prefix(c->fires, prefix))
				continue;
			add_line(out, DT_OUTLINE_RULE, c->fires + len,
			    strlen(c->fires + len));
			strbuf_adds(out, text_of(&c->lines));
		}
		free(prefix);
	}
}

int
dt_outline_scan(const char *text, size_t len, struct strbuf *out)
{
	struct dt_scan s = { .p = text,
		.end = text + len,
		.at_bol = true,
		.has_strings = true };
	struct outline o = { 0 };
	struct strbuf item = { 0 };
	int rc = 0;

	while (rc == 0) {
		strbuf_reset(&item);
		rc = scan_item(&s, &o, &item);
	}
	if (o.provs.n != 0 && memmem(text, len, "depends_on", 10) != NULL)
		rc = -1;
	if (rc > 0)
		print_outline(&o, out);
	strbuf_fini(&item);
	outline_fini(&o);
	return rc > 0 ? 0 : -1;
}
