/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a CTF file of version 2, or of FreeBSD's version 3.
 *
 * Types are written in the order of their numbers.  A type that the format
 * cannot hold (version 2: more than 1023 members) keeps its name and loses its
 * body, with a warning.  More types than the format has numbers are an error.
 */
#include "ctf/ctf_build_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

struct encode {
	struct ctf_build *b;
	struct build_link link;
	const struct ctf_format_info *fmt;
	struct strbuf sects[CTF_NSECTS];
	uint32_t *strings; /* name: offset; 0: not written yet */
	uint8_t *visible;  /* name: spaces where it is taken */
	struct strbuf *warnings;
};

/* ---- small parts --------------------------------------------------------- */

static void
put(struct encode *e, enum ctf_sect_id id, uint64_t v, unsigned size)
{
	strbuf_add(&e->sects[id], &v, size);
}

static void
put32(struct encode *e, uint32_t v)
{
	put(e, CTF_SECT_TYPES, v, 4);
}

static void
put_word(struct encode *e, enum ctf_sect_id id, uint32_t v)
{
	put(e, id, v, e->fmt->word);
}

static uint32_t
string(struct encode *e, uint32_t name)
{
	struct strbuf *sb = &e->sects[CTF_SECT_STRINGS];

	if (name != 0 && e->strings[name] == 0) {
		const char *s = strtab_str(&e->b->names, name);

		e->strings[name] = (uint32_t)sb->len;
		strbuf_add(sb, s, strlen(s) + 1);
	}
	return name == 0 ? 0 : e->strings[name];
}

static uint32_t
info_word(const struct encode *e, unsigned kind, bool is_root, uint32_t n)
{
	return kind << e->fmt->kind_shift | (is_root ? e->fmt->root : 0) | n;
}

/* ---- visible names ------------------------------------------------------- */

/* The name spaces of C: ordinary names, and one of tags for each kind. */
static uint8_t
space_bit(const struct ctf_node *n)
{
	unsigned kind = n->kind == CTF_K_FORWARD ? n->ref : n->kind;

	switch (kind) {
	case CTF_K_STRUCT:
		return 2;
	case CTF_K_UNION:
		return 4;
	case CTF_K_ENUM:
		return 8;
	default:
		return 1;
	}
}

/* Only the first of several types with one name is found by it. */
static bool
take_name(struct encode *e, ctf_ref r)
{
	const struct ctf_node *n = build_node(e->b, r);
	uint8_t bit = space_bit(n);

	if (n->name == 0 || n->is_hidden || (e->visible[n->name] & bit) != 0 ||
	    (n->kind == CTF_K_FORWARD && build_link_has_body(&e->link, r)))
		return false;
	e->visible[n->name] |= bit;
	return true;
}

/* ---- types that do not fit ----------------------------------------------- */

static const char *
name_of(const struct encode *e, const struct ctf_node *n)
{
	return n->name != 0 ? strtab_str(&e->b->names, n->name) : "(unnamed)";
}

static bool
may_be_forward(const struct ctf_node *n)
{
	return build_is_body(n) && n->name != 0;
}

static void
warn(struct encode *e, const struct ctf_node *n, const char *what,
    uint64_t count)
{
	strbuf_printf(e->warnings, "%s %s: %s (%llu); %s\n",
	    ctf_kind_info(n->kind)->name, name_of(e, n), what,
	    (unsigned long long)count,
	    may_be_forward(n) ? "only its name is written" :
				"it is written as unknown");
}

static bool
members_fit(struct encode *e, const struct ctf_node *n)
{
	for (uint32_t i = 0; i < n->nitems; i++) {
		uint64_t off = (uint64_t)n->items[i].value;

		if (off / 8 > n->size) {
			warn(e, n, "a member lies outside, at bit", off);
			return false;
		}
	}
	return true;
}

static bool
fits(struct encode *e, const struct ctf_node *n)
{
	if (n->nitems > e->fmt->vlen) {
		warn(
		    e, n, "it has too many elements for the format", n->nitems);
		return false;
	}
	if (n->kind == CTF_K_ARRAY && n->nelems > UINT32_MAX) {
		warn(
		    e, n, "it has too many elements for any format", n->nelems);
		return false;
	}
	if (n->kind == CTF_K_STRUCT || n->kind == CTF_K_UNION)
		return members_fit(e, n);
	return true;
}

static bool
enumerator_fits(const struct ctf_item *it)
{
	return it->value >= INT32_MIN && it->value <= UINT32_MAX;
}

/* The number of items that are written: enumerators of 64 bits are left out. */
static uint32_t
count_items(struct encode *e, const struct ctf_node *n)
{
	uint32_t count = n->nitems;

	for (uint32_t i = 0; n->kind == CTF_K_ENUM && i < n->nitems; i++) {
		if (!enumerator_fits(&n->items[i]))
			count--;
	}
	if (count != n->nitems)
		strbuf_printf(e->warnings,
		    "ENUM %s: enumerators that do not "
		    "fit in 32 bits are left out (%u)\n",
		    name_of(e, n), n->nitems - count);
	return count;
}

/* ---- types --------------------------------------------------------------- */

/* The fixed part of a record. */
static void
put_head(struct encode *e, uint32_t name, uint32_t info, uint64_t field,
    bool is_size)
{
	put32(e, name);
	put_word(e, CTF_SECT_TYPES, info);
	if (!is_size || field < e->fmt->large_size) {
		put_word(e, CTF_SECT_TYPES, (uint32_t)field);
		return;
	}
	put_word(e, CTF_SECT_TYPES, e->fmt->large_size);
	put32(e, (uint32_t)(field >> 32));
	put32(e, (uint32_t)field);
}

static void
put_members(struct encode *e, uint32_t t, const struct ctf_node *n)
{
	bool is_large = n->size >= e->fmt->large_struct;

	for (uint32_t i = 0; i < n->nitems; i++) {
		const struct ctf_item *it = &n->items[i];
		uint64_t off = (uint64_t)it->value;

		put32(e, string(e, it->name));
		put_word(
		    e, CTF_SECT_TYPES, build_link_ref(&e->link, t, it->type));
		if (!is_large) {
			put_word(e, CTF_SECT_TYPES, (uint32_t)off);
			continue;
		}
		if (e->fmt->word == 2)
			put(e, CTF_SECT_TYPES, 0, 2);
		put32(e, (uint32_t)(off >> 32));
		put32(e, (uint32_t)off);
	}
}

static void
put_enums(struct encode *e, const struct ctf_node *n)
{
	for (uint32_t i = 0; i < n->nitems; i++) {
		if (!enumerator_fits(&n->items[i]))
			continue;
		put32(e, string(e, n->items[i].name));
		put32(e, (uint32_t)n->items[i].value);
	}
}

static void
put_args(struct encode *e, uint32_t t, const struct ctf_node *n)
{
	for (uint32_t i = 0; i < n->nitems; i++)
		put_word(e, CTF_SECT_TYPES,
		    build_link_ref(&e->link, t, n->items[i].type));
	if (e->fmt->word == 2 && n->nitems % 2 != 0)
		put_word(e, CTF_SECT_TYPES, 0);
}

static void
put_data(struct encode *e, uint32_t t, const struct ctf_node *n)
{
	switch (ctf_kind_info(n->kind)->data) {
	case CTF_DATA_NOTHING:
	case CTF_DATA_SLICE: /* GNU's; we do not write it */
		return;
	case CTF_DATA_ENCODING:
		put32(e, n->encoding);
		return;
	case CTF_DATA_ARRAY:
		put_word(
		    e, CTF_SECT_TYPES, build_link_ref(&e->link, t, n->ref));
		put_word(
		    e, CTF_SECT_TYPES, build_link_ref(&e->link, t, n->index));
		put32(e, (uint32_t)n->nelems);
		return;
	case CTF_DATA_ARGS:
		put_args(e, t, n);
		return;
	case CTF_DATA_MEMBERS:
		put_members(e, t, n);
		return;
	case CTF_DATA_ENUMS:
		put_enums(e, n);
		return;
	}
}

/* The size-or-type field. */
static uint64_t
field_of(struct encode *e, uint32_t t, const struct ctf_node *n)
{
	switch (ctf_kind_info(n->kind)->field) {
	case CTF_FIELD_NONE:
		return 0;
	case CTF_FIELD_SIZE:
		return n->size;
	case CTF_FIELD_TYPE:
		return build_link_ref(&e->link, t, n->ref);
	case CTF_FIELD_TAG:
		return n->ref;
	}
	return 0;
}

static void
put_type(struct encode *e, uint32_t t)
{
	ctf_ref r = e->link.types.v[t - 1].node;
	const struct ctf_node *n = build_node(e->b, r);
	bool is_root = take_name(e, r);
	uint32_t name = string(e, n->name);

	if (!fits(e, n)) {
		bool is_forward = may_be_forward(n);

		put_head(e, name,
		    info_word(e, is_forward ? CTF_K_FORWARD : CTF_K_UNKNOWN,
			is_root, 0),
		    is_forward ? n->kind : 0, false);
		return;
	}
	put_head(e, name, info_word(e, n->kind, is_root, count_items(e, n)),
	    field_of(e, t, n), ctf_kind_info(n->kind)->field == CTF_FIELD_SIZE);
	put_data(e, t, n);
}

/* ---- symbols ------------------------------------------------------------- */

static void
put_func(struct encode *e, const struct build_symbol *s)
{
	const struct ctf_node *n =
	    s->type != 0 ? build_node(e->b, s->type) : NULL;

	if (n == NULL || n->kind != CTF_K_FUNCTION ||
	    n->nitems > e->fmt->vlen) {
		put_word(e, CTF_SECT_FUNCS, 0);
		return;
	}
	put_word(
	    e, CTF_SECT_FUNCS, info_word(e, CTF_K_FUNCTION, false, n->nitems));
	put_word(
	    e, CTF_SECT_FUNCS, build_link_symbol(&e->link, s->unit, n->ref));
	for (uint32_t i = 0; i < n->nitems; i++)
		put_word(e, CTF_SECT_FUNCS,
		    build_link_symbol(&e->link, s->unit, n->items[i].type));
}

static void
put_symbols(struct encode *e)
{
	VEC_FOREACH(&e->b->symbols, s) {
		if (s->is_func)
			put_func(e, s);
		else
			put_word(e, CTF_SECT_OBJECTS,
			    build_link_symbol(&e->link, s->unit, s->type));
	}
	/* types begin at a multiple of 4; a word of 0 is a function without
	 * data */
	if ((e->sects[CTF_SECT_OBJECTS].len + e->sects[CTF_SECT_FUNCS].len) %
		4 !=
	    0)
		put_word(e, CTF_SECT_FUNCS, 0);
}

static void
put_label(struct encode *e, const char *label)
{
	uint32_t name = ctf_build_name(e->b, label);

	put(e, CTF_SECT_LABELS, string(e, name), 4);
	put(e, CTF_SECT_LABELS, e->link.types.n, 4);
}

/* ---- the file ------------------------------------------------------------ */

static void
put_header(const struct encode *e, bool compress, struct strbuf *out)
{
	uint32_t offs[8] = { 0 }, at = 0;
	uint8_t head[4] = { (uint8_t)e->fmt->magic,
		(uint8_t)(e->fmt->magic >> 8), e->fmt->version,
		compress ? CTF_HDR_COMPRESS : 0 };
	/* parlabel, parname, then the sections in their order */
	static const uint8_t field[CTF_NSECTS] = {
		[CTF_SECT_LABELS] = 2,
		[CTF_SECT_OBJECTS] = 3,
		[CTF_SECT_FUNCS] = 4,
		[CTF_SECT_TYPES] = 5,
		[CTF_SECT_STRINGS] = 6,
	};

	for (int id = 0; id < CTF_NSECTS; id++) {
		if (field[id] != 0)
			offs[field[id]] = at;
		at += (uint32_t)e->sects[id].len;
	}
	offs[7] = (uint32_t)e->sects[CTF_SECT_STRINGS].len;
	strbuf_add(out, head, sizeof(head));
	strbuf_add(out, offs, sizeof(offs));
}

static void
put_body(const struct encode *e, bool compress, struct strbuf *out)
{
	struct strbuf body = { 0 };
	uLongf n;

	for (int id = 0; id < CTF_NSECTS; id++) {
		if (e->sects[id].len != 0)
			strbuf_add(&body, e->sects[id].s, e->sects[id].len);
	}
	if (!compress) {
		strbuf_add(out, body.s, body.len);
	} else {
		n = compressBound(body.len);
		compress2((Bytef *)strbuf_room(out, n), &n,
		    (const Bytef *)body.s, body.len, Z_BEST_COMPRESSION);
		out->len += n;
	}
	strbuf_fini(&body);
}

CHECKED static int
check_limits(const struct encode *e, struct err *err)
{
	uint64_t total = 0;

	if (e->link.types.n >= e->fmt->child)
		return err_set(err, -EINVAL,
		    "there are %zu types, but %s has numbers for only %u%s",
		    e->link.types.n, e->fmt->name, e->fmt->child - 1,
		    e->fmt->word == 2 ? "; version 3 (ctfconvert -3) has more" :
					"");
	for (int id = 0; id < CTF_NSECTS; id++)
		total += e->sects[id].len;
	if (total > UINT32_MAX / 2)
		return err_set(err, -EINVAL,
		    "%llu bytes of types are more than CTF can address",
		    (unsigned long long)total);
	return 0;
}

static void
encode_all(struct encode *e, const char *label)
{
	put(e, CTF_SECT_STRINGS, 0, 1);
	if (label != NULL)
		put_label(e, label);
	put_symbols(e);
	for (uint32_t t = 1; t <= e->link.types.n; t++)
		put_type(e, t);
}

int
ctf_build_encode(struct ctf_build *b, const struct ctf_build_opts *opts,
    struct strbuf *out, struct strbuf *warnings, struct err *err)
{
	struct encode e = {
		.b = b, .fmt = &ctf_formats[opts->format], .warnings = warnings
	};
	int rc;

	ctf_build_name(b, opts->label);
	e.strings = mem_alloc((b->names.strs.n + 1) * sizeof(*e.strings));
	e.visible = mem_alloc(b->names.strs.n + 1);
	build_link_init(&e.link, b);
	rc = check_limits(&e, err);
	if (rc != 0)
		goto out;
	encode_all(&e, opts->label);
	rc = check_limits(&e, err);
	if (rc != 0)
		goto out;
	put_header(&e, opts->compress, out);
	put_body(&e, opts->compress, out);
out:
	build_link_fini(&e.link);
	for (int id = 0; id < CTF_NSECTS; id++)
		strbuf_fini(&e.sects[id]);
	free(e.strings);
	free(e.visible);
	return rc;
}
