/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of BTF -> nodes of the type graph.
 *
 * Each type of the blob becomes a node once, when a type that was looked up
 * refers to it.  Structs, unions and enums are made without their bodies, so
 * one look-up makes few nodes, by recursion of a bounded depth.  A type that
 * cannot be made (its number is beyond the end, it contains itself, a bit-field
 * is wider than its type) is noted as bad.  A type that needs it is bad too or,
 * if a struct, stays incomplete.
 */
#include "ctf/btf_import_impl.h"

#include <string.h>

#define MAX_DEPTH 64	/* pointers to arrays of functions ... */
#define TAG_USER "user" /* BTF's name for __user */

static struct ctf_type bad_node; /* its address marks malformed types */

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
		return btf_node(bi, id, depth);
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
	to = btf_node(bi, bt->type, depth);
	return to == NULL ? NULL : ctf_pointer(bi->im.graph, to, is_user);
}

static struct ctf_type *
array_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	const struct btf_array *a = btf_type_tail(bt);
	struct ctf_type *of = btf_node(bi, a->type, depth);

	return of == NULL ? NULL :
			    ctf_import_array(bi->im.graph, of, a->nelems);
}

static struct ctf_type *
function_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	const struct btf_param *p = btf_type_tail(bt);
	uint32_t n = btf_type_vlen(bt);
	struct ctf_type *t = ctf_new(bi->im.graph, CTF_K_FUNCTION);

	t->ref = btf_node(bi, bt->type, depth);
	if (t->ref == NULL)
		return NULL;
	if (n > 0 && p[n - 1].type == 0) {
		t->varargs = true;
		n--;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct ctf_type *pt = btf_node(bi, p[i].type, depth);

		if (pt == NULL)
			return NULL;
		VEC_PUSH(&t->params, pt);
	}
	return t;
}

static struct ctf_type *
typedef_node(struct btf_import *bi, const struct btf_type *bt, unsigned depth)
{
	struct ctf_type *to = btf_node(bi, bt->type, depth);

	return to == NULL ? NULL :
			    ctf_import_typedef(bi->im.graph,
				btf_blob_name(bi->blob, bt->name_off), to);
}

static struct ctf_type *
qualified_node(struct btf_import *bi, const struct btf_type *bt,
    enum ctf_kind kind, unsigned depth)
{
	struct ctf_type *to = btf_node(bi, bt->type, depth);

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
		return btf_node(bi, bt->type, depth);
	default: /* DATASEC and DECL_TAG are no types */
		return NULL;
	}
}

struct ctf_type *
btf_node(struct btf_import *bi, uint32_t id, unsigned depth)
{
	const struct btf_type *bt;
	struct ctf_type *t;
	uint32_t i;

	if (id == 0)
		return bi->im.graph->t_void;
	if (bi->base != NULL && id < btf_blob_first(bi->blob))
		return btf_node(bi->base, id, depth);
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
	struct ctf_member m = { .type = btf_node(bi, bm->type, 0) };

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

const char *
btf_enumerator_name(
    const struct btf_import *bi, const struct btf_type *bt, uint32_t i)
{
	const struct btf_enum64 *e64 = btf_type_tail(bt);
	const struct btf_enum *e32 = btf_type_tail(bt);

	return btf_blob_name(bi->blob,
	    btf_type_kind(bt) == BTF_KIND_ENUM64 ? e64[i].name_off :
						   e32[i].name_off);
}

int64_t
btf_enumerator_value(const struct btf_type *bt, uint32_t i)
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
		    (struct ctf_enumerator){ btf_enumerator_name(bi, bt, i),
			btf_enumerator_value(bt, i) });
}

void
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
