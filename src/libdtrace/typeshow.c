/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types for people and programs: dtrace -T, and the members that dtrace -lv
 * shows below the probes.
 *
 * -T prints a type as D would declare it.  Comments say where the members are;
 * the text is a declaration that D reads.  A type that translators make has no
 * places of interest: its members are expressions, so -T prints the type of
 * each, translator by translator.
 *
 * Types come from files that may be malformed, so nesting is bounded.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/json.h"
#include "ctf/ctf.h"
#include "libdtrace/dt_impl.h"

#define COMMENT_COLUMN 56
#define TAB 8
#define DEPTH_MAX 64 /* C programs nest a dozen deep */
#define NO_TAG "{...}"
/*
 * No body is opened within another beyond this length: a hostile file could
 * nest them so that the text grows without end.
 */
#define TEXT_MAX (16U << 20)

static bool
has_body(struct ctf_type *t)
{
	return ctf_is_sou(t) || ctf_resolve(t)->kind == CTF_K_ENUM;
}

/* Follow pointers to their target, arrays to their elements, functions to their
 * results. */
static struct ctf_type *
base_of(struct ctf_type *t)
{
	while (t->kind != CTF_K_TYPEDEF && t->ref != NULL)
		t = t->ref;
	return t;
}

/* Does a declaration of the type contain a body, since it has no tag? */
static bool
is_untagged(struct ctf_type *t)
{
	struct ctf_type *base = base_of(t);

	return base->kind != CTF_K_TYPEDEF && has_body(base) &&
	    base->name == NULL;
}

/* ---- declarations -------------------------------------------------------- */

struct decl {
	struct strbuf *sb;
	bool has_places; /* comments with offsets and sizes */
	unsigned depth;
};

static void
put_indent(struct decl *d)
{
	for (unsigned i = 0; i < d->depth; i++)
		strbuf_addc(d->sb, '\t');
}

/* End the line with a comment, which stands in a column. */
static void __attribute__((format(printf, 2, 3)))
put_comment(struct decl *d, const char *fmt, ...)
{
	size_t start = d->sb->len, width;
	va_list ap;

	while (start > 0 && d->sb->s[start - 1] != '\n')
		start--;
	width = d->sb->len - start + (TAB - 1) * strspn(d->sb->s + start, "\t");
	strbuf_printf(d->sb, "%*s/* ",
	    width < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width) : 1, "");
	va_start(ap, fmt);
	strbuf_vprintf(d->sb, fmt, ap);
	va_end(ap);
	strbuf_adds(d->sb, " */\n");
}

static void put_body(struct decl *d, struct ctf_type *t, uint64_t bit_off);

/* The declaration of a name, whose type may contain a body. */
static void
put_name(struct decl *d, struct ctf_type *t, const char *name, uint64_t bit_off)
{
	struct strbuf text = { 0 };
	const char *body;

	ctf_declare_text(t, name, &text);
	body = is_untagged(t) ? strstr(text.s, NO_TAG) : NULL;
	if (body == NULL) {
		strbuf_adds(d->sb, text.s);
	} else {
		strbuf_add(d->sb, text.s, (size_t)(body - text.s));
		put_body(d, ctf_resolve(base_of(t)), bit_off);
		strbuf_adds(d->sb, body + strlen(NO_TAG));
	}
	strbuf_fini(&text);
}

static void
put_place(struct decl *d, const struct ctf_member *m, uint64_t bit_off)
{
	unsigned long long off = bit_off / 8, size = ctf_resolve(m->type)->size;

	if (!d->has_places)
		strbuf_addc(d->sb, '\n');
	else if (m->bits == 0)
		put_comment(d, "%5llu %5llu", off, size);
	else
		put_comment(d, "%5llu %5llu, bit %llu", off, size,
		    (unsigned long long)bit_off % 8);
}

static void
put_member(struct decl *d, const struct ctf_member *m, uint64_t bit_off)
{
	bit_off += m->bit_off;
	put_indent(d);
	put_name(d, m->type, m->name != NULL ? m->name : "", bit_off);
	if (m->bits != 0)
		strbuf_printf(d->sb, " : %u", m->bits);
	strbuf_addc(d->sb, ';');
	put_place(d, m, bit_off);
}

/* "{", the members or enumerators, and "}". */
static void
put_body(struct decl *d, struct ctf_type *t, uint64_t bit_off)
{
	if (d->depth >= DEPTH_MAX || d->sb->len > TEXT_MAX) {
		strbuf_adds(d->sb, NO_TAG);
		return;
	}
	strbuf_adds(d->sb, "{\n");
	d->depth++;
	VEC_FOREACH(&t->members, m)
		put_member(d, m, bit_off);
	VEC_FOREACH(&t->enums, e) {
		put_indent(d);
		strbuf_printf(
		    d->sb, "%s = %lld,\n", e->name, (long long)e->value);
	}
	d->depth--;
	put_indent(d);
	strbuf_addc(d->sb, '}');
}

static void
put_size(struct decl *d, struct ctf_type *t)
{
	if (d->has_places && ctf_resolve(t)->size != 0)
		put_comment(
		    d, "%llu bytes", (unsigned long long)ctf_resolve(t)->size);
	else
		strbuf_addc(d->sb, '\n');
}

static void
end_declaration(struct decl *d, struct ctf_type *t)
{
	strbuf_addc(d->sb, ';');
	put_size(d, t);
}

/* struct foo { ... }; */
static void
put_tagged(struct decl *d, struct ctf_type *t)
{
	ctf_declare_text(t, "", d->sb);
	if (ctf_resolve(t)->is_incomplete) {
		strbuf_adds(d->sb, ";\n");
		return;
	}
	strbuf_addc(d->sb, ' ');
	put_body(d, ctf_resolve(t), 0);
	end_declaration(d, t);
}

/*
 * The declarations that lead to the type: the struct, then its typedefs.  Types
 * of C and D themselves have none.
 */
static void
put_declarations(struct decl *d, struct ctf_type *t)
{
	struct ctf_type *base = base_of(t);

	if (base->kind == CTF_K_TYPEDEF) {
		if (!is_untagged(base->ref))
			put_declarations(d, base->ref);
		strbuf_adds(d->sb, "typedef ");
		put_name(d, base->ref, base->name, 0);
		end_declaration(d, base->ref);
	} else if (has_body(base) && base->name != NULL) {
		put_tagged(d, base);
	}
}

/* ---- translators --------------------------------------------------------- */

struct translators {
	struct dt_hdl *h;
	struct ctf_type *type;
	const char *name;
	struct strbuf *sb;
	bool is_json;
	size_t n;
};

/* Why the translator gives the member no value, or NULL with *type. */
static const char *
why_missing(const struct translators *tr, const struct cg_translator *t,
    const char *member, const struct ctf_type **type)
{
	const char *why;

	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->made[i].member, member) != 0)
			continue;
		*type = t->made[i].type;
		return t->made[i].lacks;
	}
	why = cg_why_unavailable(tr->h->compiled.cg, tr->type, member);
	return why != NULL ? why : "the translator does not give it";
}

static void
put_made(struct translators *tr, const struct cg_translator *t,
    const char *member, struct decl *d)
{
	const struct ctf_type *type = NULL;
	const char *why = why_missing(tr, t, member, &type);
	struct strbuf text = { 0 };

	if (type != NULL)
		ctf_type_text(type, &text);
	if (d != NULL) {
		strbuf_printf(tr->sb, "\t%s;", member);
		if (type != NULL)
			put_comment(d, "%s", text.s);
		else
			put_comment(d, "not available: %s", why);
	} else {
		json_open(tr->sb);
		json_str(tr->sb, "name", member);
		if (type != NULL)
			json_str(tr->sb, "type", text.s);
		else
			json_str(tr->sb, "missing", why);
		strbuf_addc(tr->sb, '}');
	}
	strbuf_fini(&text);
}

static void
put_translator(const struct cg_translator *t, void *arg)
{
	struct translators *tr = arg;
	struct decl d = { .sb = tr->sb };
	struct strbuf in = { 0 };

	ctf_declare_text(t->in, t->param, &in);
	if (tr->is_json) {
		if (tr->n == 0)
			json_list(tr->sb, "translators");
		json_open(tr->sb);
		json_str(tr->sb, "from", in.s);
		json_list(tr->sb, "members");
	} else {
		strbuf_printf(
		    tr->sb, "\ntranslator %s < %s > {\n", tr->name, in.s);
	}
	tr->n++;
	strbuf_fini(&in);
	VEC_FOREACH(&ctf_resolve(tr->type)->members, m) {
		if (m->name != NULL)
			put_made(tr, t, m->name, tr->is_json ? NULL : &d);
	}
	strbuf_adds(tr->sb, tr->is_json ? "]}" : "};\n");
}

static size_t
put_translators(
    struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb, bool is_json)
{
	struct strbuf name = { 0 };
	struct translators tr = { h, t, NULL, sb, is_json, 0 };

	ctf_type_text(t, &name);
	tr.name = name.s;
	if (ctf_is_sou(t))
		cg_each_translator(h->compiled.cg, t, put_translator, &tr);
	strbuf_fini(&name);
	return tr.n;
}

static void
count_translator(const struct cg_translator *t, void *arg)
{
	(void)t;
	++*(size_t *)arg;
}

static bool
is_translated(struct dt_hdl *h, struct ctf_type *t)
{
	size_t n = 0;

	if (ctf_is_sou(t))
		cg_each_translator(h->compiled.cg, t, count_translator, &n);
	return n != 0;
}

static void
show_text(struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb)
{
	struct decl d = { .sb = sb, .has_places = !is_translated(h, t) };
	size_t len = sb->len;

	put_declarations(&d, t);
	if (sb->len == len) {
		ctf_type_text(t, sb);
		put_size(&d, t);
	}
	put_translators(h, t, sb, false);
}

/* ---- JSON ---------------------------------------------------------------- */

static const char *
kind_name(struct ctf_type *t)
{
	switch (ctf_resolve(t)->kind) {
	case CTF_K_STRUCT:
		return "struct";
	case CTF_K_UNION:
		return "union";
	case CTF_K_ENUM:
		return "enum";
	case CTF_K_INTEGER:
		return "integer";
	case CTF_K_FLOAT:
		return "float";
	case CTF_K_POINTER:
		return "pointer";
	case CTF_K_ARRAY:
		return "array";
	case CTF_K_FUNCTION:
		return "function";
	case CTF_K_UNKNOWN:
	case CTF_K_FORWARD:
	case CTF_K_TYPEDEF:
	case CTF_K_VOLATILE:
	case CTF_K_CONST:
	case CTF_K_RESTRICT:
	case CTF_K_D_STRING:
	case CTF_K_D_STACK:
	case CTF_K_D_AGG:
	case CTF_K_D_SYM:
		break;
	}
	return "other";
}

static void
json_type(struct strbuf *sb, const char *name, const struct ctf_type *t)
{
	struct strbuf text = { 0 };

	ctf_declare_text(t, "", &text);
	json_str(sb, name, text.s);
	strbuf_fini(&text);
}

struct json_type {
	struct strbuf *sb;
	uint64_t strsize;
};

static void
json_size(struct json_type *js, struct ctf_type *t)
{
	t = ctf_resolve(t);
	json_uint(
	    js->sb, "size", t->kind == CTF_K_D_STRING ? js->strsize : t->size);
}

static void json_body(
    struct json_type *js, struct ctf_type *t, uint64_t bit_off, unsigned depth);

static void
json_member(struct json_type *js, const struct ctf_member *m, uint64_t bit_off,
    unsigned depth)
{
	struct strbuf *sb = js->sb;

	json_open(sb);
	if (m->name != NULL)
		json_str(sb, "name", m->name);
	json_type(sb, "type", m->type);
	json_uint(sb, "offset", bit_off / 8);
	json_size(js, m->type);
	if (m->bits != 0) {
		json_uint(sb, "bit", bit_off % 8);
		json_uint(sb, "bits", m->bits);
	}
	if (is_untagged(m->type) && depth < DEPTH_MAX && sb->len < TEXT_MAX)
		json_body(js, base_of(m->type), bit_off, depth);
	strbuf_addc(sb, '}');
}

static void
json_body(
    struct json_type *js, struct ctf_type *t, uint64_t bit_off, unsigned depth)
{
	struct strbuf *sb = js->sb;

	t = ctf_resolve(t);
	json_list(sb, t->kind == CTF_K_ENUM ? "enumerators" : "members");
	VEC_FOREACH(&t->members, m)
		json_member(js, m, bit_off + m->bit_off, depth + 1);
	VEC_FOREACH(&t->enums, e) {
		json_open(sb);
		json_str(sb, "name", e->name);
		json_int(sb, "value", e->value);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

static void
show_json(struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb)
{
	struct json_type js = { sb, (uint64_t)dt_opt(h, DT_OPT_STRSIZE) };

	json_open(sb);
	json_str(sb, "event", "type");
	json_type(sb, "name", t);
	if (t->kind == CTF_K_TYPEDEF)
		json_type(sb, "typedef", t->ref);
	json_str(sb, "kind", kind_name(t));
	json_size(&js, t);
	if (has_body(t))
		json_body(&js, t, 0, 0);
	if (put_translators(h, t, sb, true) != 0)
		strbuf_addc(sb, ']');
	strbuf_adds(sb, "}\n");
}

/* ---- -T ------------------------------------------------------------------ */

static int
refuse_type(struct dt_hdl *h, const char *text)
{
	char *near = cg_near_type(h->compiled.cg, text, dt_libs_each_name, h);

	dt_fail(h, "there is no type '%s' here%s%s%s", text,
	    near != NULL ? "\n    hint: did you mean '" : "",
	    near != NULL ? near : "", near != NULL ? "'?" : "");
	free(near);
	return -1;
}

int
dt_type_show(struct dt_hdl *h, const char *text, FILE *out)
{
	struct ctf_type *t = dt_compile_type(h, text);
	struct strbuf sb = { 0 };

	if (t != NULL)
		t = base_of(t);
	if (t == NULL || (has_body(t) && ctf_resolve(t)->is_incomplete))
		return refuse_type(h, text);
	if (dt_is_json(h))
		show_json(h, t, &sb);
	else
		show_text(h, t, &sb);
	fwrite(sb.s, 1, sb.len, out);
	strbuf_fini(&sb);
	return 0;
}

/* ---- -lT ----------------------------------------------------------------- */

struct type_names {
	const char *pattern;
	struct strtab seen;
};

static void
take_type(const char *text, void *arg)
{
	struct type_names *tn = arg;

	if (glob_match(tn->pattern, text))
		strtab_intern(&tn->seen, text);
}

static int
cmp_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int
dt_type_list(struct dt_hdl *h, const char *pattern, FILE *out)
{
	struct type_names tn = { .pattern = pattern };
	int rc = 0;

	if (dt_is_json(h))
		return dt_fail(h,
		    "-lT lists names of types as text; -T prints one type as JSON");
	if (dt_need_types(h) != 0 || dt_libs_load_for(h, "", 0) != 0)
		return -1;
	strtab_init(&tn.seen);
	cg_each_type(h->compiled.cg, dt_libs_each_name, h, take_type, &tn);
	if (tn.seen.strs.n != 0)
		qsort(tn.seen.strs.v, tn.seen.strs.n, sizeof(*tn.seen.strs.v),
		    cmp_text);
	else
		rc = dt_fail(h, "no type matches '%s'", pattern);
	VEC_FOREACH(&tn.seen.strs, name)
		fprintf(out, "%s\n", *name);
	strtab_fini(&tn.seen);
	return rc;
}

/* ---- -lv ----------------------------------------------------------------- */

/* Members of an anonymous struct or union are members of its owner. */
static void
put_members(struct dt_hdl *h, struct ctf_type *sou, struct ctf_type *of,
    unsigned depth, struct strbuf *sb)
{
	VEC_FOREACH(&ctf_resolve(of)->members, m) {
		const char *why;

		if (m->name == NULL) {
			if (ctf_is_sou(m->type) && depth < DEPTH_MAX &&
			    sb->len < TEXT_MAX)
				put_members(h, sou, m->type, depth + 1, sb);
			continue;
		}
		strbuf_printf(sb, "\t\t%s: ", m->name);
		ctf_declare_text(m->type, "", sb);
		if (m->bits != 0)
			strbuf_printf(sb, " : %u", m->bits);
		why = cg_why_unavailable(h->compiled.cg, sou, m->name);
		if (why != NULL)
			strbuf_printf(sb, " (not available: %s)", why);
		strbuf_addc(sb, '\n');
	}
}

void
dt_type_members(
    struct dt_hdl *h, const char *name, struct ctf_type *t, FILE *out)
{
	struct strbuf sb = { 0 };

	if (dt_is_json(h)) {
		show_json(h, t, &sb);
	} else {
		strbuf_printf(&sb, "\tMembers of %s\n", name);
		put_members(h, t, t, 0, &sb);
		strbuf_addc(&sb, '\n');
	}
	fwrite(sb.s, 1, sb.len, out);
	strbuf_fini(&sb);
}
