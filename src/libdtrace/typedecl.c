/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations of types, as D reads them.  Comments say where members are.
 */
#include "libdtrace/typeshow_impl.h"

#include <stdarg.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

#define COMMENT_COLUMN 56
#define TAB 8
#define NO_TAG "{...}"

bool
dt_type_has_body(struct ctf_type *t)
{
	return ctf_is_sou(t) || ctf_resolve(t)->kind == CTF_K_ENUM;
}

struct ctf_type *
dt_type_base_of(struct ctf_type *t)
{
	while (t->kind != CTF_K_TYPEDEF && t->ref != NULL)
		t = t->ref;
	return t;
}

bool
dt_type_is_untagged(struct ctf_type *t)
{
	struct ctf_type *base = dt_type_base_of(t);

	return base->kind != CTF_K_TYPEDEF && dt_type_has_body(base) &&
	    base->name == NULL;
}

static void
put_indent(struct dt_type_decl *d)
{
	for (unsigned i = 0; i < d->depth; i++)
		strbuf_addc(d->sb, '\t');
}

void
dt_type_comment(struct dt_type_decl *d, const char *fmt, ...)
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

static void put_body(
    struct dt_type_decl *d, struct ctf_type *t, uint64_t bit_off);

/* The declaration of a name, whose type may contain a body. */
static void
put_name(struct dt_type_decl *d, struct ctf_type *t, const char *name,
    uint64_t bit_off)
{
	struct strbuf text = { 0 };
	const char *body;

	ctf_declare_text(t, name, &text);
	body = dt_type_is_untagged(t) ? strstr(text.s, NO_TAG) : NULL;
	if (body == NULL) {
		strbuf_adds(d->sb, text.s);
	} else {
		strbuf_add(d->sb, text.s, (size_t)(body - text.s));
		put_body(d, ctf_resolve(dt_type_base_of(t)), bit_off);
		strbuf_adds(d->sb, body + strlen(NO_TAG));
	}
	strbuf_fini(&text);
}

static void
put_place(struct dt_type_decl *d, const struct ctf_member *m, uint64_t bit_off)
{
	unsigned long long off = bit_off / 8, size = ctf_resolve(m->type)->size;

	if (!d->has_places)
		strbuf_addc(d->sb, '\n');
	else if (m->bits == 0)
		dt_type_comment(d, "%5llu %5llu", off, size);
	else
		dt_type_comment(d, "%5llu %5llu, bit %llu", off, size,
		    (unsigned long long)bit_off % 8);
}

static void
put_member(struct dt_type_decl *d, const struct ctf_member *m, uint64_t bit_off)
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
put_body(struct dt_type_decl *d, struct ctf_type *t, uint64_t bit_off)
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

void
dt_type_size(struct dt_type_decl *d, struct ctf_type *t)
{
	if (d->has_places && ctf_resolve(t)->size != 0)
		dt_type_comment(
		    d, "%llu bytes", (unsigned long long)ctf_resolve(t)->size);
	else
		strbuf_addc(d->sb, '\n');
}

static void
end_declaration(struct dt_type_decl *d, struct ctf_type *t)
{
	strbuf_addc(d->sb, ';');
	dt_type_size(d, t);
}

/* struct foo { ... }; */
static void
put_tagged(struct dt_type_decl *d, struct ctf_type *t)
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

void
dt_type_declarations(struct dt_type_decl *d, struct ctf_type *t)
{
	struct ctf_type *base = dt_type_base_of(t);

	if (base->kind == CTF_K_TYPEDEF) {
		if (!dt_type_is_untagged(base->ref))
			dt_type_declarations(d, base->ref);
		strbuf_adds(d->sb, "typedef ");
		put_name(d, base->ref, base->name, 0);
		end_declaration(d, base->ref);
	} else if (dt_type_has_body(base) && base->name != NULL) {
		put_tagged(d, base);
	}
}
