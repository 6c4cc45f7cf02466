/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF as an import of the type graph: opening, and look-ups.
 *
 * A look-up by name makes the node of a type (btf_node.c), and with it the
 * nodes of the types that it refers to.
 */
#include "ctf/btf_import_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define PERCPU_SECTION ".data..percpu"

/* ---- opening ------------------------------------------------------------- */

/* Is the blob open, or can it be opened? */
static bool
is_open(struct btf_import *bi)
{
	struct btf_blob *base = NULL, *blob = NULL;
	struct err err = { 0 };

	if (bi->path == NULL)
		return bi->blob != NULL;
	if (bi->lend != NULL && (blob = bi->lend(bi->lend_arg)) != NULL)
		bi->is_lent = true;
	else if (bi->base != NULL && !is_open(bi->base))
		err_set(&err, -ENOENT, "needs %s", bi->base->im.problem);
	else if (bi->base != NULL)
		base = bi->base->blob;
	if (blob == NULL && !err_is_set(&err))
		blob = btf_blob_open(bi->path, base, &err);
	bi->blob = blob;
	if (blob == NULL)
		bi->im.problem = bi->problem =
		    mem_printf("%s: %s", bi->path, err_text(&err));
	err_clear(&err);
	free(bi->path);
	bi->path = NULL;
	return bi->blob != NULL;
}

/* ---- look-up ------------------------------------------------------------- */

/* A failed look-up may have met a malformed record: report it. */
static void
note_problem(struct btf_import *bi)
{
	const char *why = btf_blob_problem(bi->blob);

	if (why != NULL && bi->problem == NULL)
		bi->im.problem = bi->problem =
		    mem_printf("%s: %s", bi->im.name, why);
}

/* The kinds of BTF in a name space of C, in order. */
static const uint8_t *
kinds_of(enum ctf_space space)
{
	static const uint8_t ordinary[] = { BTF_KIND_TYPEDEF, BTF_KIND_INT,
		BTF_KIND_FLOAT, 0 };
	static const uint8_t structs[] = { BTF_KIND_STRUCT, 0 };
	static const uint8_t unions[] = { BTF_KIND_UNION, 0 };
	static const uint8_t enums[] = { BTF_KIND_ENUM, BTF_KIND_ENUM64, 0 };

	switch (space) {
	case CTF_SP_ORDINARY:
		return ordinary;
	case CTF_SP_STRUCT:
		return structs;
	case CTF_SP_UNION:
		return unions;
	case CTF_SP_ENUM:
		return enums;
	}
	return enums;
}

static struct ctf_type *
btf_lookup(struct ctf_import *im, enum ctf_space space, const char *name)
{
	struct btf_import *bi = (struct btf_import *)im;
	const uint8_t *kind = kinds_of(space);
	uint32_t id;

	if (!is_open(bi))
		return NULL;
	for (; *kind != 0; kind++) {
		id = btf_blob_find(bi->blob, *kind, name);
		if (id != 0)
			return btf_node(bi, id, 0);
	}
	note_problem(bi);
	return NULL;
}

static bool
is_of_kind(const struct btf_type *bt, const uint8_t *kind)
{
	for (; *kind != 0; kind++) {
		if (btf_type_kind(bt) == *kind)
			return true;
	}
	return false;
}

static void
btf_names(struct ctf_import *im, enum ctf_space space,
    void (*f)(const char *name, void *arg), void *arg)
{
	struct btf_import *bi = (struct btf_import *)im;
	const struct btf_type *bt;

	if (!is_open(bi))
		return;
	for (uint32_t id = btf_blob_first(bi->blob);
	     (bt = btf_blob_type(bi->blob, id)) != NULL; id++) {
		const char *name = is_of_kind(bt, kinds_of(space)) ?
		    btf_blob_name(bi->blob, bt->name_off) :
		    NULL;

		if (name != NULL && *name != '\0')
			f(name, arg);
	}
	note_problem(bi);
}

/* Is variable `id` listed in the section of per-CPU data? */
static bool
is_percpu(struct btf_import *bi, uint32_t id)
{
	uint32_t sec =
	    btf_blob_find(bi->blob, BTF_KIND_DATASEC, PERCPU_SECTION);
	const struct btf_type *bt = btf_blob_type(bi->blob, sec);
	const struct btf_var_secinfo *vs;

	if (bt == NULL)
		return false;
	vs = btf_type_tail(bt);
	for (uint32_t i = 0; i < btf_type_vlen(bt); i++) {
		if (vs[i].type == id)
			return true;
	}
	return false;
}

static bool
btf_symbol(struct ctf_import *im, const char *name, struct ctf_symbol *sym)
{
	struct btf_import *bi = (struct btf_import *)im;
	uint32_t id;

	if (!is_open(bi))
		return false;
	id = btf_blob_find(bi->blob, BTF_KIND_VAR, name);
	sym->is_percpu = id != 0 && is_percpu(bi, id);
	sym->percpu_id = id;
	if (id == 0)
		id = btf_blob_find(bi->blob, BTF_KIND_FUNC, name);
	sym->type = id != 0 ? btf_node(bi, id, 0) : NULL;
	note_problem(bi);
	return sym->type != NULL;
}

struct btf_import_search {
	const char *name;
	int found;
	uint32_t id; /* of the enum */
	int64_t value;
};

/* Unnamed enums may be repeated: only different values make a difference. */
static void
search_enum(
    const struct btf_import *bi, uint32_t id, struct btf_import_search *s)
{
	const struct btf_type *bt = btf_blob_type(bi->blob, id);

	for (uint32_t i = 0; i < btf_type_vlen(bt); i++) {
		const char *name = btf_enumerator_name(bi, bt, i);

		/* most names differ in it: saves a call */
		if (name[0] != s->name[0] || strcmp(name, s->name) != 0)
			continue;
		if (s->found == 0) {
			s->found = 1;
			s->id = id;
			s->value = btf_enumerator_value(bt, i);
		} else if (btf_enumerator_value(bt, i) != s->value) {
			s->found = 2;
		}
	}
}

/* Find the enums, one type of fifty, once. */
static void
find_enums(struct btf_import *bi)
{
	const struct btf_type *bt;

	for (uint32_t id = btf_blob_first(bi->blob);
	     (bt = btf_blob_type(bi->blob, id)) != NULL; id++) {
		unsigned kind = btf_type_kind(bt);

		if (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64)
			VEC_PUSH(&bi->enums, id);
	}
	bi->knows_enums = true;
	note_problem(bi);
}

static int
btf_enumerator(struct ctf_import *im, const char *name, struct ctf_type **type,
    int64_t *value)
{
	struct btf_import *bi = (struct btf_import *)im;
	struct btf_import_search s = { .name = name };

	if (!is_open(bi))
		return 0;
	if (!bi->knows_enums)
		find_enums(bi);
	for (size_t i = 0; i < bi->enums.n && s.found < 2; i++)
		search_enum(bi, bi->enums.v[i], &s);
	if (s.found == 0)
		return 0;
	*type = btf_node(bi, s.id, 0);
	*value = s.value;
	return *type != NULL ? s.found : 0;
}

/* ---- life ---------------------------------------------------------------- */

static void
btf_close(struct ctf_import *im)
{
	struct btf_import *bi = (struct btf_import *)im;

	if (!bi->is_lent)
		btf_blob_close(bi->blob);
	VEC_FREE(&bi->nodes);
	VEC_FREE(&bi->enums);
	free(bi->path);
	free(bi->problem);
	free((void *)(uintptr_t)im->name);
	free(bi);
}

static const struct ctf_import_ops btf_ops = {
	.type = btf_lookup,
	.names = btf_names,
	.symbol = btf_symbol,
	.enumerator = btf_enumerator,
	.fill = btf_fill,
	.close = btf_close,
};

struct ctf_import *
btf_import_create(const char *name, const char *path, struct ctf_import *base)
{
	struct btf_import *bi = mem_alloc(sizeof(*bi));

	bi->im.ops = &btf_ops;
	bi->im.name = mem_strdup(name);
	bi->path = path != NULL ? mem_strdup(path) : NULL;
	bi->base = (struct btf_import *)base;
	return &bi->im;
}

void
btf_import_lend(struct ctf_import *im, btf_lend_f *lend, void *arg)
{
	struct btf_import *bi = (struct btf_import *)im;

	bi->lend = lend;
	bi->lend_arg = arg;
}

struct ctf_import *
btf_import_blob(
    const char *name, struct btf_blob *blob, struct ctf_import *base)
{
	struct ctf_import *im = btf_import_create(name, NULL, base);

	((struct btf_import *)im)->blob = blob;
	return im;
}
