/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by all importers: make nodes of the graph from a file's claims, if
 * they are possible.
 */
#include "ctf/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAX_INT 16   /* bytes */
#define MAX_FLOAT 32 /* a complex long double */
#define MAX_ENUM 8
#define MAX_ARRAY (1ULL << 31) /* bytes */

/* Names of C's types in D's graph, and in gcc's DWARF. */
static const char *const names[][2] = {
	{ "short", "short int" },
	{ "unsigned short", "short unsigned int" },
	{ "long", "long int" },
	{ "unsigned long", "long unsigned int" },
	{ "long long", "long long int" },
	{ "unsigned long long", "long long unsigned int" },
};

static const char *
other_name(const char *name, int from, int to)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i][from], name) == 0)
			return names[i][to];
	}
	return name;
}

const char *
ctf_import_long_name(const char *name)
{
	return other_name(name, 0, 1);
}

const char *
ctf_import_plain_name(const char *name)
{
	return other_name(name, 1, 0);
}

static bool
is_size(uint64_t size, uint64_t max)
{
	return size != 0 && size <= max && (size & (size - 1)) == 0;
}

struct ctf_type *
ctf_import_number(struct ctf_graph *g, enum ctf_kind kind, const char *name,
    uint64_t size, uint32_t encoding)
{
	struct ctf_type *t =
	    ctf_lookup(g, CTF_SP_ORDINARY, ctf_import_plain_name(name));

	if (!is_size(size, kind == CTF_K_FLOAT ? MAX_FLOAT : MAX_INT))
		return NULL;
	if (t != NULL && t->kind == kind && t->size == size &&
	    (t->encoding & CTF_INT_SIGNED) == (encoding & CTF_INT_SIGNED))
		return t;
	t = ctf_new(g, kind);
	t->name = name;
	t->size = size;
	t->align = size < 16 ? (uint32_t)size : 16;
	t->encoding = encoding;
	return t;
}

struct ctf_type *
ctf_import_body(struct ctf_import *im, enum ctf_kind kind, const char *name,
    uint64_t size, uint64_t id)
{
	struct ctf_type *t;

	if (kind == CTF_K_ENUM && size != 0 && !is_size(size, MAX_ENUM))
		return NULL;
	t = ctf_new(im->graph, kind);
	t->name = name;
	t->size = size;
	t->is_pending = true;
	t->import = im;
	t->import_id = id;
	return t;
}

struct ctf_type *
ctf_import_typedef(struct ctf_graph *g, const char *name, struct ctf_type *to)
{
	struct ctf_type *t = ctf_new(g, CTF_K_TYPEDEF);

	t->name = name;
	t->ref = to;
	t->size = to->size;
	t->align = to->align;
	return t;
}

struct ctf_type *
ctf_import_array(struct ctf_graph *g, struct ctf_type *of, uint64_t nelems)
{
	if (nelems != 0 && ctf_strip(of)->size > MAX_ARRAY / nelems)
		return NULL;
	return ctf_array(g, of, nelems);
}

/* A member's type without typedefs and arrays. */
static struct ctf_type *
element(struct ctf_type *t)
{
	for (t = ctf_strip(t); t->kind == CTF_K_ARRAY; t = ctf_strip(t->ref))
		;
	return t;
}

/* A body within another must be complete, and must not be the other one. */
static bool
may_contain(const struct ctf_type *t, const struct ctf_member *m)
{
	struct ctf_type *inner = element(m->type), *r = ctf_strip(m->type);

	if (inner->is_filling)
		return false;
	if (ctf_is_sou(inner) && ctf_resolve(inner)->is_incomplete)
		return false;
	if (r->kind == CTF_K_FUNCTION || ctf_is_void(inner))
		return false;
	return m->bit_off / 8 <= t->size &&
	    m->bit_off + (m->bits != 0 ? m->bits : 8 * r->size) <= 8 * t->size;
}

bool
ctf_import_member(struct ctf_type *t, const struct ctf_member *m)
{
	struct ctf_type *inner = element(m->type);

	if (m->bits == 0 ? m->bit_off % 8 != 0 :
			   !ctf_is_integer(m->type) ||
		    m->bits > 8 * ctf_strip(m->type)->size)
		return false;
	if (!may_contain(t, m))
		return false;
	if (inner->align > t->align && m->bit_off % (8 * inner->align) == 0)
		t->align = inner->align;
	VEC_PUSH(&t->members, *m);
	return true;
}
