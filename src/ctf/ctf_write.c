/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The type graph -> nodes of a CTF build -> a file.
 *
 * Writing must not import half of the kernel: an imported body is written only
 * if it was filled in because a script used it; the others become forward
 * declarations.
 */
#include "ctf/ctf_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/addrmap.h"
#include "ctf/ctf_build.h"

#define MAX_DEPTH 200

struct write {
	struct ctf_build *b;
	struct ctf_graph *g;
	uint64_t strsize;
	unsigned depth;
	struct addrmap seen;
	VEC(ctf_ref) refs; /* by its number in `seen` */
};

static ctf_ref convert(struct write *w, struct ctf_type *t);

/* ---- nodes --------------------------------------------------------------- */

static ctf_ref
number(struct write *w, const struct ctf_type *t, uint32_t bits)
{
	struct ctf_node n = { .kind = (uint8_t)t->kind,
		.size = t->size,
		.name = ctf_build_name(w->b, t->name),
		.is_hidden = bits != 8 * t->size };
	uint32_t form = t->encoding;

	if (t->kind == CTF_K_FLOAT)
		form = t->size <= 4 ? 1 : t->size <= 8 ? 2 : 6;
	else if (t->size == 0) /* void */
		form = CTF_INT_SIGNED;
	if (t->kind == CTF_K_ENUM)
		n.kind = CTF_K_INTEGER;
	n.encoding = form << 24 | bits;
	return ctf_build_add(w->b, &n);
}

typedef VEC(struct ctf_item) item_vec;

/* An integer of that many bits, with the name of the member's type. */
static ctf_ref
bitfield(struct write *w, struct ctf_type *t, uint32_t bits)
{
	struct ctf_node n = { .kind = CTF_K_TYPEDEF,
		.is_hidden = bits != 8 * ctf_strip(t)->size };

	if (t->kind == CTF_K_CONST || t->kind == CTF_K_VOLATILE)
		return bitfield(w, t->ref, bits);
	if (t->kind != CTF_K_TYPEDEF)
		return number(w, ctf_strip(t), bits);
	n.name = ctf_build_name(w->b, t->name);
	n.ref = bitfield(w, t->ref, bits);
	return ctf_build_add(w->b, &n);
}

static void
add_members(struct write *w, const struct ctf_type *t, item_vec *items)
{
	VEC_FOREACH(&t->members, m) {
		struct ctf_item it = { ctf_build_name(w->b, m->name), 0,
			(int64_t)m->bit_off };

		it.type = m->bits != 0 ? bitfield(w, m->type, m->bits) :
					 convert(w, m->type);
		VEC_PUSH(items, it);
	}
}

static void
add_params(struct write *w, const struct ctf_type *t, item_vec *items)
{
	VEC_FOREACH(&t->params, p) {
		struct ctf_item it = { .type = convert(w, *p) };

		VEC_PUSH(items, it);
	}
	if (t->varargs)
		VEC_PUSH(items, (struct ctf_item){ 0 });
}

static ctf_ref
with_items(struct write *w, const struct ctf_type *t)
{
	struct ctf_node n = { .kind = (uint8_t)t->kind,
		.size = t->size,
		.name = ctf_build_name(w->b, t->name) };
	item_vec items = { 0 };
	ctf_ref r;

	if (t->kind == CTF_K_FUNCTION) {
		n.ref = convert(w, t->ref);
		add_params(w, t, &items);
	} else if (t->kind == CTF_K_ENUM) {
		VEC_FOREACH(&t->enums, e)
			VEC_PUSH(&items,
			    (struct ctf_item){
				ctf_build_name(w->b, e->name), 0, e->value });
	} else {
		add_members(w, t, &items);
	}
	n.items = items.v;
	n.nitems = (uint32_t)items.n;
	r = ctf_build_add(w->b, &n);
	VEC_FREE(&items);
	return r;
}

/* Does this body have its members? */
static bool
is_whole(const struct ctf_type *t)
{
	return !t->is_pending && !t->is_incomplete;
}

static ctf_ref
body(struct write *w, const struct ctf_type *t)
{
	if (t->same != NULL)
		t = t->same;
	if (t->name != NULL)
		return ctf_build_tag(
		    w->b, t->kind, ctf_build_name(w->b, t->name));
	if (is_whole(t))
		return with_items(w, t);
	return ctf_build_add(w->b, &(struct ctf_node){ .kind = CTF_K_UNKNOWN });
}

static ctf_ref
array(struct write *w, struct ctf_type *of, uint64_t nelems)
{
	struct ctf_node n = { .kind = CTF_K_ARRAY, .nelems = nelems };

	n.ref = convert(w, of);
	n.index = number(w, w->g->t_ulong, 64);
	return ctf_build_add(w->b, &n);
}

static ctf_ref
derived(struct write *w, const struct ctf_type *t)
{
	struct ctf_node n = { .kind = (uint8_t)t->kind,
		.name = ctf_build_name(w->b, t->name) };

	n.ref = convert(w, t->ref);
	return ctf_build_add(w->b, &n);
}

/* D's string type is char [strsize], as DTrace has always written it in CTF. */
static ctf_ref
string(struct write *w)
{
	struct ctf_node n = { .kind = CTF_K_TYPEDEF,
		.name = ctf_build_name(w->b, "string") };

	n.ref = array(w, ctf_lookup(w->g, CTF_SP_ORDINARY, "char"), w->strsize);
	return ctf_build_add(w->b, &n);
}

static ctf_ref
make(struct write *w, struct ctf_type *t)
{
	switch (t->kind) {
	case CTF_K_INTEGER:
	case CTF_K_FLOAT:
		return number(w, t, (uint32_t)(8 * t->size));
	case CTF_K_POINTER:
	case CTF_K_TYPEDEF:
	case CTF_K_VOLATILE:
	case CTF_K_CONST:
	case CTF_K_RESTRICT:
		return derived(w, t);
	case CTF_K_ARRAY:
		return array(w, t->ref, t->nelems);
	case CTF_K_FUNCTION:
		return with_items(w, t);
	case CTF_K_STRUCT:
	case CTF_K_UNION:
	case CTF_K_ENUM:
		return body(w, t);
	case CTF_K_D_STRING:
		return string(w);
	case CTF_K_UNKNOWN:
	case CTF_K_FORWARD:
	case CTF_K_D_STACK:
	case CTF_K_D_SYM:
	case CTF_K_D_AGG:
		break;
	}
	return ctf_build_add(w->b,
	    &(struct ctf_node){
		.kind = CTF_K_UNKNOWN, .name = ctf_build_name(w->b, t->name) });
}

static ctf_ref
convert(struct write *w, struct ctf_type *t)
{
	uint32_t i = addrmap_number(&w->seen, t);
	ctf_ref r;

	if (i < w->refs.n)
		return w->refs.v[i];
	VEC_PUSH(&w->refs, 0);
	if (w->depth == MAX_DEPTH)
		return 0;
	w->depth++;
	r = make(w, t);
	w->depth--;
	w->refs.v[i] = r;
	return r;
}

/* ---- selecting types ----------------------------------------------------- */

static bool
is_body(const struct ctf_type *t)
{
	return t->kind == CTF_K_STRUCT || t->kind == CTF_K_UNION ||
	    t->kind == CTF_K_ENUM;
}

static void
declare(struct write *w, struct ctf_type *t)
{
	if (is_body(t) && is_whole(t))
		ctf_build_declare(w->b, with_items(w, t));
	else if (!is_body(t))
		ctf_build_declare(w->b, convert(w, t));
}

static void
declare_names(struct write *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct ctf_type *t = w->g->by_name.v[i];

		if (t != NULL && t->kind != CTF_K_D_STRING)
			declare(w, t);
	}
}

/* Declare imported bodies that were filled in. */
static void
declare_imported(struct write *w)
{
	VEC_FOREACH(&w->g->owners, tp) {
		struct ctf_type *t = *tp;

		if (t->import != NULL && t->import != w->g->tags &&
		    is_body(t) && t->name != NULL)
			declare(w, t);
	}
}

CHECKED static int
write_bytes(const char *path, const struct strbuf *sb, struct err *err)
{
	int rc = mem_write_file(path, sb->s, sb->len);

	return rc == 0 ? 0 :
			 err_set(err, rc, "cannot write types to %s: %s", path,
			     strerror(-rc));
}

CHECKED static int
encode(struct write *w, struct strbuf *out, struct err *err)
{
	struct ctf_build_opts opts = { .format = CTF_FMT_V2 };
	struct strbuf warnings = { 0 };
	int rc = ctf_build_encode(w->b, &opts, out, &warnings, err);

	strbuf_fini(&warnings);
	return rc;
}

static void
write_fini(struct write *w)
{
	ctf_build_destroy(w->b);
	addrmap_fini(&w->seen);
	VEC_FREE(&w->refs);
}

int
ctf_write_file(const char *path, struct ctf_graph *g, enum ctf_write which,
    uint64_t strsize, struct err *err)
{
	struct write w = {
		.b = ctf_build_create(), .g = g, .strsize = strsize
	};
	struct strbuf out = { 0 };
	int rc;

	if (which == CTF_WRITE_C) {
		declare_names(&w, 0, g->nown);
		declare_imported(&w);
	} else {
		ctf_build_declare(w.b, string(&w));
		declare_names(&w, g->nown, g->by_name.n);
	}
	rc = encode(&w, &out, err);
	if (rc == 0)
		rc = write_bytes(path, &out, err);
	strbuf_fini(&out);
	write_fini(&w);
	return rc;
}

/* ---- single types -------------------------------------------------------- */

/* Declare each body that a type contains, once; pointers are not followed. */
static void
declare_held(
    struct write *w, struct addrmap *held, struct ctf_type *t, unsigned depth)
{
	uint32_t n = held->n;

	t = ctf_resolve(t);
	if (depth == MAX_DEPTH || addrmap_number(held, t) < n)
		return;
	if (t->kind == CTF_K_ARRAY)
		declare_held(w, held, t->ref, depth + 1);
	if (!is_body(t) || !is_whole(t))
		return;
	VEC_FOREACH(&t->members, m)
		declare_held(w, held, m->type, depth + 1);
	if (t->name != NULL)
		ctf_build_declare(w->b, with_items(w, t));
}

int
ctf_write_types(struct ctf_graph *g, struct ctf_type *const *types, size_t n,
    uint64_t strsize, struct strbuf *out, struct err *err)
{
	struct write w = {
		.b = ctf_build_create(), .g = g, .strsize = strsize
	};
	struct addrmap held = { 0 };
	int rc;

	for (size_t i = 0; i < n; i++) {
		struct ctf_node node = { .kind = CTF_K_TYPEDEF };
		char *name = mem_printf("$%zu", i);

		declare_held(&w, &held, types[i], 0);
		node.name = ctf_build_name(w.b, name);
		node.ref = convert(&w, types[i]);
		ctf_build_declare(w.b, ctf_build_add(w.b, &node));
		free(name);
	}
	rc = encode(&w, out, err);
	addrmap_fini(&held);
	write_fini(&w);
	return rc;
}
