/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF -> type graph.
 *
 * Each type of the blob becomes a node once, when a type that was looked up
 * refers to it.  Structs, unions and enums are made without their bodies, so
 * one look-up makes few nodes, by recursion of a bounded depth.  A type that
 * cannot be made (its number is beyond the end, it contains itself, a bit-field
 * is wider than its type) is noted as bad.  A type that needs it is bad too or,
 * if a struct, stays incomplete.
 */
#include "ctf/btf_import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#define MAX_DEPTH 64	/* pointers to arrays of functions ... */
#define TAG_USER "user" /* BTF's name for __user */
#define PERCPU_SECTION ".data..percpu"

struct btf_import {
	struct ctf_import im;
	struct btf_import *base;
	char *path; /* file to open; NULL after the attempt */
	char *problem;
	struct btf_blob *blob;
	btf_lend_f *lend; /* NULL: no lender, or asked already */
	void *lend_arg;
	bool is_lent;
	VEC(struct ctf_type *) nodes; /* of own types; NULL: not made yet */
	VEC(uint32_t) enums; /* own types that are enums, once searched */
	bool knows_enums;
	unsigned fill_depth;
};

static struct ctf_type bad_node; /* its address marks malformed types */

static struct ctf_type *node(
    struct btf_import *bi, uint32_t id, unsigned depth);

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

/* ---- leaves -------------------------------------------------------------- */

static struct ctf_type *
int_node(struct btf_import *bi, const struct btf_type *bt)
{
	uint32_t word = *(const uint32_t *)btf_type_tail(bt);
	uint32_t bits = BTF_INT_ENCODING(word), encoding = 0;

	if (bits & BTF_INT_SIGNED)
		encoding |= CTF_INT_SIGNED;
	if (bits & BTF_INT_CHAR)
		encoding |= CTF_INT_CHAR;
	if (bits & BTF_INT_BOOL)
		encoding |= CTF_INT_BOOL;
	return ctf_import_number(bi->im.graph, CTF_K_INTEGER,
	    btf_blob_name(bi->blob, bt->name_off), bt->size, encoding);
}

static struct ctf_type *
float_node(struct btf_import *bi, const struct btf_type *bt)
{
	return ctf_import_number(bi->im.graph, CTF_K_FLOAT,
	    btf_blob_name(bi->blob, bt->name_off), bt->size, 0);
}

/* ---- bodies come later --------------------------------------------------- */

static struct ctf_type *
pending_node(struct btf_import *bi, uint32_t id, const struct btf_type *bt,
    enum ctf_kind kind)
{
	return ctf_import_body(&bi->im, kind,
	    bt->name_off != 0 ? btf_blob_name(bi->blob, bt->name_off) : NULL,
	    bt->size, id);
}

static struct ctf_type *
enum_node(struct btf_import *bi, uint32_t id, const struct btf_type *bt)
{
	struct ctf_type *t =
	    bt->size != 0 ? pending_node(bi, id, bt, CTF_K_ENUM) : NULL;

	if (t == NULL)
		return NULL;
	t->align = bt->size;
	if (!BTF_INFO_KFLAG(bt->info))
		t->encoding = 0;
	return t;
}

/* The definition, if the blob has one, else an incomplete type. */
static struct ctf_type *
forward_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	bool is_union = BTF_INFO_KFLAG(bt->info);
	const char *name = btf_blob_name(bi->blob, bt->name_off);
	uint32_t id = btf_blob_find(
	    bi->blob, is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, name);
	struct ctf_type *t;

	if (id != 0)
		return node(bi, id, depth);
	t = ctf_new(bi->im.graph, is_union ? CTF_K_UNION : CTF_K_STRUCT);
	t->name = name;
	t->is_incomplete = true;
	return t;
}

/* ---- derived types ------------------------------------------------------- */

/* A pointer's tags are between it and its target. */
static struct ctf_type *
pointer_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	const struct btf_type *target = btf_blob_type(bi->blob, bt->type);
	bool is_user = false;
	struct ctf_type *to;

	for (unsigned i = 0; i < MAX_DEPTH && target != NULL &&
	     btf_type_kind(target) == BTF_KIND_TYPE_TAG;
	     i++) {
		is_user |= strcmp(btf_blob_name(bi->blob, target->name_off),
			       TAG_USER) == 0;
		target = btf_blob_type(bi->blob, target->type);
	}
	to = node(bi, bt->type, depth);
	return to == NULL ? NULL : ctf_pointer(bi->im.graph, to, is_user);
}

static struct ctf_type *
array_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	const struct btf_array *a = btf_type_tail(bt);
	struct ctf_type *of = node(bi, a->type, depth);

	return of == NULL ? NULL :
			    ctf_import_array(bi->im.graph, of, a->nelems);
}

static struct ctf_type *
function_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	const struct btf_param *p = btf_type_tail(bt);
	uint32_t n = btf_type_vlen(bt);
	struct ctf_type *t = ctf_new(bi->im.graph, CTF_K_FUNCTION);

	t->ref = node(bi, bt->type, depth);
	if (t->ref == NULL)
		return NULL;
	if (n > 0 && p[n - 1].type == 0) {
		t->varargs = true;
		n--;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct ctf_type *pt = node(bi, p[i].type, depth);

		if (pt == NULL)
			return NULL;
		VEC_PUSH(&t->params, pt);
	}
	return t;
}

static struct ctf_type *
typedef_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	struct ctf_type *to = node(bi, bt->type, depth);

	return to == NULL ? NULL :
			    ctf_import_typedef(bi->im.graph,
				btf_blob_name(bi->blob, bt->name_off), to);
}

static struct ctf_type *
qualified_node(struct btf_import *bi, const struct btf_type *bt,
    enum ctf_kind kind, unsigned depth)
{
	struct ctf_type *to = node(bi, bt->type, depth);

	return to == NULL ? NULL : ctf_qualified(bi->im.graph, to, kind);
}

static struct ctf_type *
make_node(struct btf_import *bi, uint32_t id, const struct btf_type *bt,
    unsigned depth)
{
	switch (btf_type_kind(bt)) {
	case BTF_KIND_INT:
		return int_node(bi, bt);
	case BTF_KIND_FLOAT:
		return float_node(bi, bt);
	case BTF_KIND_PTR:
		return pointer_node(bi, bt, depth);
	case BTF_KIND_ARRAY:
		return array_node(bi, bt, depth);
	case BTF_KIND_STRUCT:
		return pending_node(bi, id, bt, CTF_K_STRUCT);
	case BTF_KIND_UNION:
		return pending_node(bi, id, bt, CTF_K_UNION);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return enum_node(bi, id, bt);
	case BTF_KIND_FWD:
		return forward_node(bi, bt, depth);
	case BTF_KIND_TYPEDEF:
		return typedef_node(bi, bt, depth);
	case BTF_KIND_VOLATILE:
		return qualified_node(bi, bt, CTF_K_VOLATILE, depth);
	case BTF_KIND_CONST:
		return qualified_node(bi, bt, CTF_K_CONST, depth);
	case BTF_KIND_FUNC_PROTO:
		return function_node(bi, bt, depth);
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
		return node(bi, bt->type, depth);
	default: /* DATASEC and DECL_TAG are no types */
		return NULL;
	}
}

static struct ctf_type *
node(struct btf_import *bi, uint32_t id, unsigned depth)
{
	const struct btf_type *bt;
	struct ctf_type *t;
	uint32_t i;

	if (id == 0)
		return bi->im.graph->t_void;
	if (bi->base != NULL && id < btf_blob_first(bi->blob))
		return node(bi->base, id, depth);
	bt = btf_blob_type(bi->blob, id);
	if (bt == NULL)
		return NULL;
	i = id - btf_blob_first(bi->blob);
	while (bi->nodes.n <= i)
		VEC_PUSH(&bi->nodes, NULL);
	if (bi->nodes.v[i] == NULL) {
		bi->nodes.v[i] = &bad_node; /* bad until the node is made */
		t = depth < MAX_DEPTH ? make_node(bi, id, bt, depth + 1) : NULL;
		if (t != NULL)
			bi->nodes.v[i] = t;
	}
	return bi->nodes.v[i] != &bad_node ? bi->nodes.v[i] : NULL;
}

/* ---- bodies -------------------------------------------------------------- */

/*
 * A member's offset and width.  Old BTF describes a bit-field by an integer of
 * fewer bits than its size, with an offset of its own.
 */
static void
place(const struct btf_import *bi, const struct btf_type *bt,
    const struct btf_member *bm, struct ctf_member *m)
{
	const struct btf_type *mt = btf_blob_type(bi->blob, bm->type);
	uint32_t word;

	m->bit_off = bm->offset;
	if (BTF_INFO_KFLAG(bt->info)) {
		m->bit_off = BTF_MEMBER_BIT_OFFSET(bm->offset);
		m->bits = BTF_MEMBER_BITFIELD_SIZE(bm->offset);
	} else if (mt != NULL && btf_type_kind(mt) == BTF_KIND_INT) {
		word = *(const uint32_t *)btf_type_tail(mt);
		m->bit_off += BTF_INT_OFFSET(word);
		if (BTF_INT_BITS(word) < 8 * mt->size)
			m->bits = BTF_INT_BITS(word);
	}
}

static bool
add_member(struct btf_import *bi, struct ctf_type *t, const struct btf_type *bt,
    const struct btf_member *bm)
{
	struct ctf_member m = { .type = node(bi, bm->type, 0) };

	if (m.type == NULL)
		return false;
	place(bi, bt, bm, &m);
	if (bm->name_off != 0)
		m.name = btf_blob_name(bi->blob, bm->name_off);
	return ctf_import_member(t, &m);
}

static bool
fill_members(
    struct btf_import *bi, struct ctf_type *t, const struct btf_type *bt)
{
	const struct btf_member *bm = btf_type_tail(bt);

	for (uint32_t i = 0; i < btf_type_vlen(bt); i++) {
		if (!add_member(bi, t, bt, &bm[i]))
			return false;
	}
	return true;
}

/* The name of the i-th enumerator. */
static const char *
enumerator_name(
    const struct btf_import *bi, const struct btf_type *bt, uint32_t i)
{
	const struct btf_enum64 *e64 = btf_type_tail(bt);
	const struct btf_enum *e32 = btf_type_tail(bt);

	return btf_blob_name(bi->blob,
	    btf_type_kind(bt) == BTF_KIND_ENUM64 ? e64[i].name_off :
						   e32[i].name_off);
}

static int64_t
enumerator_value(const struct btf_type *bt, uint32_t i)
{
	const struct btf_enum64 *e64 = btf_type_tail(bt);
	const struct btf_enum *e32 = btf_type_tail(bt);

	if (btf_type_kind(bt) == BTF_KIND_ENUM64)
		return (
		    int64_t)((uint64_t)e64[i].val_hi32 << 32 | e64[i].val_lo32);
	return BTF_INFO_KFLAG(bt->info) ? e32[i].val :
					  (int64_t)(uint32_t)e32[i].val;
}

static void
fill_enum(struct btf_import *bi, struct ctf_type *t, const struct btf_type *bt)
{
	for (uint32_t i = 0; i < btf_type_vlen(bt); i++)
		VEC_PUSH(&t->enums,
		    (struct ctf_enumerator){
			enumerator_name(bi, bt, i), enumerator_value(bt, i) });
}

static void
btf_fill(struct ctf_import *im, struct ctf_type *t)
{
	struct btf_import *bi = (struct btf_import *)im;
	const struct btf_type *bt =
	    btf_blob_type(bi->blob, (uint32_t)t->import_id);

	if (t->kind == CTF_K_ENUM) {
		fill_enum(bi, t, bt);
		return;
	}
	bi->fill_depth++;
	if (bi->fill_depth > MAX_DEPTH || !fill_members(bi, t, bt)) {
		t->members.n = 0;
		t->is_incomplete = true;
	}
	bi->fill_depth--;
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
			return node(bi, id, 0);
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
	sym->type = id != 0 ? node(bi, id, 0) : NULL;
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
		const char *name = enumerator_name(bi, bt, i);

		/* most names differ in it: saves a call */
		if (name[0] != s->name[0] || strcmp(name, s->name) != 0)
			continue;
		if (s->found == 0) {
			s->found = 1;
			s->id = id;
			s->value = enumerator_value(bt, i);
		} else if (enumerator_value(bt, i) != s->value) {
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
	*type = node(bi, s.id, 0);
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
