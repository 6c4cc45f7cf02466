/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of CTF dictionaries in the type graph, made when they are looked up.
 *
 * Each type of a dictionary becomes one node.  An impossible C type (a typedef
 * of itself, a chain longer than any real one) is noted as bad, and so is a
 * type that needs it; a struct with a bad member stays incomplete.
 */
#include "ctf/ctf_import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define MAX_DEPTH 64 /* pointers to arrays of functions ... */

/* One dictionary of the set. */
struct dict {
	const struct ctf_file *f;
	struct ctf_type **nodes; /* by index; NULL: not made yet */
	uint32_t *slots;	 /* ids of names; NULL: not made yet */
	uint32_t nslots;
};

struct ctf_import_source {
	struct ctf_import im;
	char *name;
	struct ctf_set *set;
	VEC(struct dict) dicts;
	unsigned fill_depth;
	bool has_ds_string; /* a typedef `string` means D's */
};

static struct ctf_type bad_node; /* its address marks malformed types */

static struct ctf_type *node(struct ctf_import_source *s,
    const struct ctf_file *f, uint32_t id, unsigned depth);

/* ---- names --------------------------------------------------------------- */

static enum ctf_space
space_of(unsigned kind)
{
	switch (kind) {
	case CTF_K_STRUCT:
		return CTF_SP_STRUCT;
	case CTF_K_UNION:
		return CTF_SP_UNION;
	case CTF_K_ENUM:
		return CTF_SP_ENUM;
	default:
		return CTF_SP_ORDINARY;
	}
}

static uint64_t
name_hash(enum ctf_space space, const char *name)
{
	return hash_bytes(name, strlen(name)) ^ (unsigned)space;
}

static bool
has_name(const struct ctf_rec *r, enum ctf_space space, const char *name)
{
	return space_of(r->kind) == space && strcmp(r->name, name) == 0;
}

/* The slot of a name: its id, or 0 if it is absent. */
static uint32_t *
name_slot(const struct dict *d, enum ctf_space space, const char *name)
{
	uint64_t i = name_hash(space, name) & (d->nslots - 1);
	struct ctf_rec r;

	for (; d->slots[i] != 0; i = (i + 1) & (d->nslots - 1)) {
		ctf_file_rec(d->f, d->slots[i], &r);
		if (has_name(&r, space, name))
			break;
	}
	return &d->slots[i];
}

/* Index visible names of complete types. */
static void
index_names(struct dict *d)
{
	uint32_t n = ctf_file_ntypes(d->f);
	struct ctf_rec r;

	d->nslots = 16;
	while (d->nslots < 2 * n)
		d->nslots *= 2;
	d->slots = mem_alloc(d->nslots * sizeof(*d->slots));
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t id = ctf_file_id(d->f, i), *slot;

		ctf_file_rec(d->f, id, &r);
		if (!r.is_root || r.name[0] == '\0' || r.kind == CTF_K_FORWARD)
			continue;
		slot = name_slot(d, space_of(r.kind), r.name);
		if (*slot == 0)
			*slot = id;
	}
}

static uint32_t
find_name(struct dict *d, enum ctf_space space, const char *name)
{
	if (d->slots == NULL)
		index_names(d);
	return *name_slot(d, space, name);
}

static void
each_name(struct dict *d, enum ctf_space space,
    void (*f)(const char *name, void *arg), void *arg)
{
	struct ctf_rec r;

	if (d->slots == NULL)
		index_names(d);
	for (uint32_t i = 0; i < d->nslots; i++) {
		if (d->slots[i] == 0)
			continue;
		ctf_file_rec(d->f, d->slots[i], &r);
		if (space_of(r.kind) == space)
			f(r.name, arg);
	}
}

static struct dict *
dict_of(struct ctf_import_source *s, const struct ctf_file *f)
{
	VEC_FOREACH(&s->dicts, d) {
		if (d->f == f)
			return d;
	}
	/* a parent in a file of its own */
	VEC_PUSH(&s->dicts,
	    (struct dict){ .f = f,
		.nodes = mem_alloc(
		    (ctf_file_ntypes(f) + 1) * sizeof(struct ctf_type *)) });
	return &s->dicts.v[s->dicts.n - 1];
}

/* ---- nodes --------------------------------------------------------------- */

static const char *
name_or_null(const struct ctf_rec *r)
{
	return r->name[0] != '\0' ? r->name : NULL;
}

static struct ctf_type *
number_node(struct ctf_import_source *s, const struct ctf_rec *r)
{
	uint32_t flags = r->encoding >> 24;

	if (r->kind == CTF_K_FLOAT)
		flags = 0;
	else if (r->size == 0)
		return s->im.graph->t_void;
	return ctf_import_number(s->im.graph, (enum ctf_kind)r->kind, r->name,
	    r->size, flags & (CTF_INT_SIGNED | CTF_INT_CHAR | CTF_INT_BOOL));
}

/* A type's place: the index of its file in the set, and its number there. */
static uint64_t
place_of(struct ctf_import_source *s, const struct ctf_file *f, uint32_t id)
{
	return (uint64_t)(dict_of(s, f) - s->dicts.v) << 32 | id;
}

/* The body, if the dictionary or its parent has it, else an incomplete type. */
static struct ctf_type *
forward_node(struct ctf_import_source *s, const struct ctf_file *f,
    const struct ctf_rec *r, unsigned depth)
{
	enum ctf_kind kind = r->ref != 0 ? (enum ctf_kind)r->ref : CTF_K_STRUCT;
	uint32_t id = find_name(dict_of(s, f), space_of(kind), r->name);
	struct ctf_type *t;

	if (id != 0)
		return node(s, f, id, depth);
	t = ctf_new(s->im.graph, kind);
	t->name = name_or_null(r);
	t->is_incomplete = true;
	return t;
}

static struct ctf_type *
array_node(struct ctf_import_source *s, const struct ctf_file *f,
    const struct ctf_rec *r, unsigned depth)
{
	struct ctf_file_array a = ctf_file_array(f, r);
	struct ctf_type *of = node(s, f, a.contents, depth);

	return of == NULL ? NULL : ctf_import_array(s->im.graph, of, a.nelems);
}

static struct ctf_type *
function_node(struct ctf_import_source *s, const struct ctf_file *f,
    const struct ctf_rec *r, unsigned depth)
{
	struct ctf_type *t = ctf_new(s->im.graph, CTF_K_FUNCTION), *arg;

	t->ref = node(s, f, r->ref, depth);
	if (t->ref == NULL)
		return NULL;
	for (uint32_t i = 0; i < r->vlen; i++) {
		uint32_t id = ctf_file_arg(f, r, i);

		t->varargs = id == 0 && i + 1 == r->vlen;
		if (t->varargs)
			break;
		arg = node(s, f, id, depth);
		if (arg == NULL)
			return NULL;
		VEC_PUSH(&t->params, arg);
	}
	return t;
}

/* A pointer, typedef or qualifier. */
static struct ctf_type *
derived_node(struct ctf_import_source *s, const struct ctf_file *f,
    const struct ctf_rec *r, unsigned depth)
{
	struct ctf_graph *g = s->im.graph;
	struct ctf_type *to = node(s, f, r->ref, depth);

	if (to == NULL)
		return NULL;
	switch (r->kind) {
	case CTF_K_POINTER:
		return ctf_pointer(g, to, false);
	case CTF_K_TYPEDEF:
		return s->has_ds_string && strcmp(r->name, "string") == 0 ?
		    g->t_string :
		    ctf_import_typedef(g, r->name, to);
	case CTF_K_CONST:
	case CTF_K_VOLATILE:
		return ctf_qualified(g, to, (enum ctf_kind)r->kind);
	default:
		return to;
	}
}

static struct ctf_type *
make_node(struct ctf_import_source *s, const struct ctf_file *f, uint32_t id,
    const struct ctf_rec *r, unsigned depth)
{
	struct ctf_type *t;

	switch (r->kind) {
	case CTF_K_INTEGER:
	case CTF_K_FLOAT:
		return number_node(s, r);
	case CTF_K_ARRAY:
		return array_node(s, f, r, depth);
	case CTF_K_FUNCTION:
		return function_node(s, f, r, depth);
	case CTF_K_STRUCT:
	case CTF_K_UNION:
		return ctf_import_body(&s->im, (enum ctf_kind)r->kind,
		    name_or_null(r), r->size, place_of(s, f, id));
	case CTF_K_ENUM:
		t = ctf_import_body(&s->im, CTF_K_ENUM, name_or_null(r),
		    r->size, place_of(s, f, id));
		if (t != NULL)
			t->align = (uint32_t)r->size;
		return t;
	case CTF_K_FORWARD:
		return forward_node(s, f, r, depth);
	case CTF_K_SLICE:
		return node(s, f, ctf_file_slice(f, r).type, depth);
	case CTF_K_UNKNOWN:
		return NULL;
	default:
		return derived_node(s, f, r, depth);
	}
}

static struct ctf_type *
node(struct ctf_import_source *s, const struct ctf_file *f, uint32_t id,
    unsigned depth)
{
	const struct ctf_file *of;
	struct ctf_type **slot, *t;
	struct ctf_rec r;
	uint32_t index;

	if (id == 0)
		return s->im.graph->t_void;
	of = ctf_file_rec(f, id, &r);
	if (of == NULL)
		return NULL;
	index = id & ~ctf_formats[ctf_file_header(of)->format].child;
	slot = &dict_of(s, of)->nodes[index];
	if (*slot == NULL) {
		*slot = &bad_node; /* bad until the node is made */
		t = depth < MAX_DEPTH ? make_node(s, of, id, &r, depth + 1) :
					NULL;
		if (t != NULL)
			*slot = t;
	}
	return *slot != &bad_node ? *slot : NULL;
}

/* ---- bodies -------------------------------------------------------------- */

/* The record behind typedefs and qualifiers, or NULL. */
static const struct ctf_file *
base_rec(const struct ctf_file *f, uint32_t id, struct ctf_rec *r)
{
	for (unsigned i = 0; i < MAX_DEPTH; i++) {
		f = ctf_file_rec(f, id, r);
		if (f == NULL ||
		    (r->kind != CTF_K_TYPEDEF && r->kind != CTF_K_CONST &&
			r->kind != CTF_K_VOLATILE))
			return f;
		id = r->ref;
	}
	return NULL;
}

/*
 * A bit-field's width comes from its type: an integer of fewer bits than its
 * size, or GNU's slice.
 */
static bool
member_node(struct ctf_import_source *s, const struct ctf_file *f, uint32_t id,
    struct ctf_member *m)
{
	struct ctf_file_slice slice;
	const struct ctf_file *of;
	struct ctf_rec r;

	m->type = node(s, f, id, 0);
	of = base_rec(f, id, &r);
	if (of == NULL || m->type == NULL)
		return m->type != NULL;
	if (r.kind == CTF_K_SLICE) {
		slice = ctf_file_slice(of, &r);
		m->bits = slice.bits;
		m->bit_off += slice.bit_off;
	} else if (r.kind == CTF_K_INTEGER &&
	    (r.encoding & 0xffff) != 8 * r.size) {
		m->bits = r.encoding & 0xffff;
		m->bit_off += r.encoding >> 16 & 0xff;
	}
	return true;
}

static bool
fill_members(struct ctf_import_source *s, const struct ctf_file *f,
    const struct ctf_rec *r, struct ctf_type *t)
{
	for (uint32_t i = 0; i < r->vlen; i++) {
		struct ctf_file_member fm = ctf_file_member(f, r, i);
		struct ctf_member m = { .bit_off = fm.bit_off,
			.name = fm.name[0] != '\0' ? fm.name : NULL };

		if (!member_node(s, f, fm.type, &m) ||
		    !ctf_import_member(t, &m))
			return false;
	}
	return true;
}

static void
source_fill(struct ctf_import *im, struct ctf_type *t)
{
	struct ctf_import_source *s = (struct ctf_import_source *)im;
	const struct ctf_file *f = s->dicts.v[t->import_id >> 32].f;
	struct ctf_rec r;

	ctf_file_rec(f, (uint32_t)t->import_id, &r);
	for (uint32_t i = 0; r.kind == CTF_K_ENUM && i < r.vlen; i++)
		VEC_PUSH(&t->enums, ctf_file_enum(f, &r, i));
	if (r.kind == CTF_K_ENUM)
		return;
	s->fill_depth++;
	if (s->fill_depth > MAX_DEPTH || !fill_members(s, f, &r, t)) {
		t->members.n = 0;
		t->is_incomplete = true;
	}
	s->fill_depth--;
}

/* ---- look-up ------------------------------------------------------------- */

static struct ctf_type *
type_in(struct ctf_import_source *s, const struct ctf_file *f,
    enum ctf_space space, const char *name)
{
	uint32_t id = find_name(dict_of(s, f), space, name);

	return id != 0 ? node(s, f, id, 0) : NULL;
}

static struct ctf_type *
source_type(struct ctf_import *im, enum ctf_space space, const char *name)
{
	struct ctf_import_source *s = (struct ctf_import_source *)im;
	struct ctf_type *t = NULL;

	for (size_t i = 0; t == NULL && i < s->dicts.n; i++)
		t = type_in(s, s->dicts.v[i].f, space, name);
	return t;
}

static void
source_names(struct ctf_import *im, enum ctf_space space,
    void (*f)(const char *name, void *arg), void *arg)
{
	struct ctf_import_source *s = (struct ctf_import_source *)im;

	VEC_FOREACH(&s->dicts, d)
		each_name(d, space, f, arg);
}

struct ctf_import_wanted {
	struct ctf_import_source *s;
	const struct ctf_file *f;
	const char *name;
	struct ctf_type *type;
};

/* A function type that is not in the type section. */
static struct ctf_type *
function_of(struct ctf_import_wanted *w, const struct ctf_object *o)
{
	struct ctf_type *t = ctf_new(w->s->im.graph, CTF_K_FUNCTION), *arg;

	t->ref = node(w->s, w->f, o->type, 0);
	if (t->ref == NULL)
		return NULL;
	for (uint32_t i = 0; i < o->nargs; i++) {
		uint32_t id = ctf_object_arg(w->f, o, i);

		t->varargs = id == 0 && i + 1 == o->nargs;
		if (t->varargs)
			break;
		arg = node(w->s, w->f, id, 0);
		if (arg == NULL)
			return NULL;
		VEC_PUSH(&t->params, arg);
	}
	return t;
}

static int
match_symbol(void *arg, const struct ctf_object *o)
{
	struct ctf_import_wanted *w = arg;

	if (strcmp(o->name, w->name) != 0)
		return 0;
	w->type =
	    o->args != NULL ? function_of(w, o) : node(w->s, w->f, o->type, 0);
	return 1;
}

static struct ctf_type *
symbol_in(
    struct ctf_import_source *s, const struct ctf_file *f, const char *name)
{
	struct ctf_import_wanted w = { s, f, name, NULL };

	if (ctf_file_objects(f, match_symbol, &w) == 0 &&
	    ctf_file_vars(f, match_symbol, &w) == 0)
		ctf_file_funcs(f, match_symbol, &w);
	return w.type;
}

static bool
source_symbol(struct ctf_import *im, const char *name, struct ctf_symbol *sym)
{
	struct ctf_import_source *s = (struct ctf_import_source *)im;

	*sym = (struct ctf_symbol){ 0 };
	for (size_t i = 0; sym->type == NULL && i < s->dicts.n; i++)
		sym->type = symbol_in(s, s->dicts.v[i].f, name);
	return sym->type != NULL;
}

/* 1: enum `r` has the enumerator, now noted; 2: with a different value. */
static int
search_enum(const struct ctf_file *f, const struct ctf_rec *r, const char *name,
    int found, int64_t *value)
{
	for (uint32_t i = 0; i < r->vlen; i++) {
		struct ctf_enumerator e = ctf_file_enum(f, r, i);

		if (strcmp(e.name, name) != 0)
			continue;
		if (found != 0 && *value != e.value)
			return 2;
		*value = e.value;
		return 1;
	}
	return found;
}

static int
enumerator_in(struct ctf_import_source *s, const struct ctf_file *f,
    const char *name, struct ctf_type **type, int64_t *value)
{
	struct ctf_rec r;
	int found = 0;

	for (uint32_t i = 1; found < 2 && i <= ctf_file_ntypes(f); i++) {
		int before = found;

		ctf_file_rec(f, ctf_file_id(f, i), &r);
		if (r.kind != CTF_K_ENUM)
			continue;
		found = search_enum(f, &r, name, found, value);
		if (before == 0 && found == 1)
			*type = node(s, f, ctf_file_id(f, i), 0);
	}
	return found != 0 && *type == NULL ? 0 : found;
}

static int
source_enumerator(struct ctf_import *im, const char *name,
    struct ctf_type **type, int64_t *value)
{
	struct ctf_import_source *s = (struct ctf_import_source *)im;
	int found = 0;

	*type = NULL;
	for (size_t i = 0; found == 0 && i < s->dicts.n; i++)
		found = enumerator_in(s, s->dicts.v[i].f, name, type, value);
	return found;
}

/* ---- life ---------------------------------------------------------------- */

static void
source_close(struct ctf_import *im)
{
	struct ctf_import_source *s = (struct ctf_import_source *)im;

	VEC_FOREACH(&s->dicts, d) {
		free(d->nodes);
		free(d->slots);
	}
	VEC_FREE(&s->dicts);
	ctf_set_close(s->set);
	free(s->name);
	free(s);
}

static const struct ctf_import_ops source_ops = {
	.type = source_type,
	.names = source_names,
	.symbol = source_symbol,
	.enumerator = source_enumerator,
	.fill = source_fill,
	.close = source_close,
};

/* Why this set's types cannot be used here, or NULL. */
static const char *
foreign(const struct ctf_set *set)
{
	if (ctf_set_ptrsize(set) != 8)
		return "pointers have 4 bytes";
	return ctf_file_header(ctf_set_file(set, 0))->is_swapped ?
	    "the byte order differs" :
	    NULL;
}

static void
add_member(struct ctf_import_source *s, const char *member)
{
	struct ctf_file *f = ctf_set_find(s->set, member), *parent;

	dict_of(s, f);
	parent = ctf_set_find(s->set, ctf_file_header(f)->parname);
	if (parent != NULL)
		dict_of(s, parent);
}

struct ctf_import *
ctf_import_set(
    const char *name, struct ctf_set *set, const char *member, struct err *err)
{
	const char *why = foreign(set);
	struct ctf_import_source *s;

	if (why != NULL) {
		err_set(err, -EINVAL,
		    "the types of %s are those of another machine: %s", name,
		    why);
		ctf_set_close(set);
		return NULL;
	}
	if (member != NULL && ctf_set_find(set, member) == NULL) {
		err_set(err, -EINVAL, "the archive has no member %s", member);
		ctf_set_close(set);
		return NULL;
	}
	s = mem_alloc(sizeof(*s));
	s->name = mem_strdup(name);
	s->im.ops = &source_ops;
	s->im.name = s->name;
	s->set = set;
	if (member != NULL)
		add_member(s, member);
	for (size_t i = 0; member == NULL && i < ctf_set_n(set); i++)
		dict_of(s, ctf_set_file(set, i));
	return &s->im;
}

void
ctf_import_ds_string(struct ctf_import *im)
{
	struct ctf_import_source *s = (struct ctf_import_source *)im;

	s->has_ds_string = true;
}
