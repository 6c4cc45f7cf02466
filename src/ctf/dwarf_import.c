/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of DWARF in the type graph, made when they are looked up.
 *
 * Names are found by a scan of the units' top level, which goes only as far as
 * a look-up needs.  Names that were seen are in a table, and the next look-up
 * goes on where the last one stopped.  Nothing is scanned twice.
 *
 * Each unit repeats the types of its headers.  A body with a name is the same
 * as one seen before when tag, size and line of declaration agree, so that a
 * `struct stat *` of one unit is the type of another's.
 */
#include <errno.h>
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/addrmap.h"
#include "ctf/ctf_import.h"
#include "ctf/dwarf_die.h"

#define MAX_DEPTH 64  /* pointers to arrays of functions ... */
#define MAX_IMPORTS 8 /* partial units importing partial units */

struct dwarf_import_source {
	struct ctf_import im;
	char *name, *path;
	struct err problem; /* not all units could be read */
	struct dw_file df;
	/* entries that have a node, or will */
	struct addrmap numbers;
	VEC(struct dwarf_import_entry {
		Dwarf_Die die;
		struct ctf_type *node; /* NULL: not made yet */
	})
	entries;
	/* the index: "s foo" -> entry, of the units scanned so far */
	struct addrmap seen; /* see is_seen() */
	struct strtab names;
	VEC(Dwarf_Die) named; /* by name's id - 1 */
	Dwarf_CU *scanned;    /* the last scanned unit */
	bool is_complete;
	struct strtab bodies; /* "s foo 24 118" */
	VEC(struct ctf_type *) body_nodes;
	unsigned fill_depth;
};

static struct ctf_type bad_node; /* its address marks malformed types */

static struct ctf_type *node(
    struct dwarf_import_source *s, Dwarf_Die *die, unsigned depth);

/* ---- the index ----------------------------------------------------------- */

/* The name space of an entry's name; 'v' for variables and functions. */
static char
space_of(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return CTF_SP_STRUCT;
	case DW_TAG_union_type:
		return CTF_SP_UNION;
	case DW_TAG_enumeration_type:
		return CTF_SP_ENUM;
	case DW_TAG_base_type:
	case DW_TAG_typedef:
		return CTF_SP_ORDINARY;
	case DW_TAG_variable:
	case DW_TAG_subprogram:
		return 'v';
	default:
		return '\0';
	}
}

/*
 * Most names are in .debug_str, once for all units: names with the same address
 * are equal, and need no comparison.
 */
static bool
is_seen(struct dwarf_import_source *s, char space, const char *name)
{
	uintptr_t key = (uintptr_t)name * 256 + (unsigned char)space;
	uint32_t n = s->seen.n;

	return addrmap_number(&s->seen, (const void *)key) < n;
}

static void
index_die(struct dwarf_import_source *s, Dwarf_Die *die)
{
	const struct dw_lib *lib = s->df.lib;
	char space = space_of(lib->dwarf_tag(die));
	const char *name = space != '\0' ? lib->dwarf_diename(die) : NULL;
	char *key;

	if (name == NULL ||
	    (space != 'v' && dw_flag(lib, die, DW_AT_declaration)) ||
	    is_seen(s, space, name))
		return;
	key = mem_printf("%c %s", space, name);
	if (strtab_intern(&s->names, key) > s->named.n)
		VEC_PUSH(&s->named, *die);
	free(key);
}

static void
index_children(struct dwarf_import_source *s, Dwarf_Die *parent, unsigned depth)
{
	const struct dw_lib *lib = s->df.lib;
	struct dw_iter it;
	Dwarf_Attribute a;
	Dwarf_Die unit;

	dw_iter_init(&it, lib, parent);
	while (dw_iter_next(&it)) {
		if (lib->dwarf_tag(&it.die) != DW_TAG_imported_unit)
			index_die(s, &it.die);
		else if (depth < MAX_IMPORTS &&
		    lib->dwarf_attr(&it.die, DW_AT_import, &a) != NULL &&
		    lib->dwarf_formref_die(&a, &unit) != NULL)
			index_children(s, &unit, depth + 1);
	}
}

static void
index_next_unit(struct dwarf_import_source *s)
{
	Dwarf_Die die;

	if (dw_next_unit(&s->df, &s->scanned, &die, &s->problem) > 0) {
		index_children(s, &die, 0);
		return;
	}
	s->is_complete = true;
	if (err_is_set(&s->problem)) {
		err_prefix(&s->problem, "%s", s->path);
		s->im.problem = err_text(&s->problem);
	}
}

/* The entry of that name; scans on until it is found. */
static Dwarf_Die *
find_name(struct dwarf_import_source *s, char space, const char *name)
{
	char *key = mem_printf("%c %s", space, name);
	uint32_t id;

	while ((id = strtab_find(&s->names, key)) == 0 && !s->is_complete)
		index_next_unit(s);
	free(key);
	return id != 0 ? &s->named.v[id - 1] : NULL;
}

/* ---- nodes --------------------------------------------------------------- */

static uint32_t
entry_of(struct dwarf_import_source *s, const Dwarf_Die *die)
{
	uint32_t i = addrmap_number(&s->numbers, die->addr);

	if (i == s->entries.n)
		VEC_PUSH(
		    &s->entries, (struct dwarf_import_entry){ *die, NULL });
	return i;
}

static struct ctf_type *
target_node(struct dwarf_import_source *s, struct dw_type *t, unsigned depth)
{
	return t->has_ref ? node(s, &t->ref, depth) : s->im.graph->t_void;
}

static struct ctf_type *
new_body(struct dwarf_import_source *s, Dwarf_Die *die, const struct dw_type *t)
{
	enum ctf_kind kind = dw_tag_kind(s->df.lib, die);
	struct ctf_type *n =
	    ctf_import_body(&s->im, kind, t->name, t->size, entry_of(s, die));

	if (n == NULL || kind != CTF_K_ENUM)
		return n;
	if (t->kind != CTF_K_FORWARD)
		n->align = (uint32_t)t->size;
	n->encoding = t->is_unsigned ? 0 : CTF_INT_SIGNED;
	return n;
}

/* The same body in another unit is the same node. */
static struct ctf_type *
body_node(
    struct dwarf_import_source *s, Dwarf_Die *die, const struct dw_type *t)
{
	uint64_t line = 0;
	struct ctf_type *n;
	uint32_t id;
	char *key;

	if (t->name == NULL)
		return new_body(s, die, t);
	dw_unsigned(s->df.lib, die, DW_AT_decl_line, &line);
	key = mem_printf("%d %s %llu %llu %d", (int)dw_tag_kind(s->df.lib, die),
	    t->name, (unsigned long long)t->size, (unsigned long long)line,
	    t->kind == CTF_K_FORWARD);
	id = strtab_intern(&s->bodies, key);
	free(key);
	if (id <= s->body_nodes.n)
		return s->body_nodes.v[id - 1];
	n = new_body(s, die, t);
	VEC_PUSH(&s->body_nodes, n);
	return n;
}

static struct ctf_type *
array_node(struct dwarf_import_source *s, struct dw_type *t, unsigned depth)
{
	struct ctf_type *n = target_node(s, t, depth);

	for (unsigned i = t->ndims; n != NULL && i > 0; i--)
		n = ctf_import_array(s->im.graph, n, t->dims[i - 1]);
	return n;
}

static struct ctf_type *
function_node(struct dwarf_import_source *s, Dwarf_Die *die, struct dw_type *t,
    unsigned depth)
{
	struct ctf_type *n = ctf_new(s->im.graph, CTF_K_FUNCTION), *arg;
	struct dw_iter it;
	Dwarf_Die type;
	bool has_type;

	n->ref = target_node(s, t, depth);
	if (n->ref == NULL)
		return NULL;
	dw_iter_init(&it, s->df.lib, die);
	while (dw_iter_next(&it)) {
		switch (dw_param(s->df.lib, &it.die, &type, &has_type)) {
		case 1:
			arg = has_type ? node(s, &type, depth) :
					 s->im.graph->t_void;
			if (arg == NULL)
				return NULL;
			VEC_PUSH(&n->params, arg);
			break;
		case 2:
			n->varargs = true;
			break;
		}
	}
	return n;
}

static struct ctf_type *
derived_node(struct dwarf_import_source *s, struct dw_type *t, unsigned depth)
{
	struct ctf_graph *g = s->im.graph;
	struct ctf_type *to = target_node(s, t, depth);

	if (to == NULL)
		return NULL;
	switch (t->kind) {
	case CTF_K_POINTER:
		return ctf_pointer(g, to, false);
	case CTF_K_TYPEDEF:
		return t->name != NULL ? ctf_import_typedef(g, t->name, to) :
					 to;
	case CTF_K_CONST:
	case CTF_K_VOLATILE:
		return ctf_qualified(g, to, t->kind);
	default:
		return to;
	}
}

static struct ctf_type *
number_node(struct dwarf_import_source *s, const struct dw_type *t)
{
	uint32_t flags = t->kind == CTF_K_FLOAT ? 0 : t->encoding >> 24;

	return ctf_import_number(s->im.graph, t->kind,
	    t->name != NULL ? t->name : "", t->size, flags);
}

static struct ctf_type *
make_node(struct dwarf_import_source *s, Dwarf_Die *die, unsigned depth)
{
	struct dw_type t;

	dw_type(s->df.lib, die, &t);
	if (t.is_alias)
		return target_node(s, &t, depth);
	switch (t.kind) {
	case CTF_K_INTEGER:
	case CTF_K_FLOAT:
		return number_node(s, &t);
	case CTF_K_POINTER:
	case CTF_K_TYPEDEF:
	case CTF_K_VOLATILE:
	case CTF_K_CONST:
	case CTF_K_RESTRICT:
		return derived_node(s, &t, depth);
	case CTF_K_ARRAY:
		return array_node(s, &t, depth);
	case CTF_K_FUNCTION:
		return function_node(s, die, &t, depth);
	case CTF_K_STRUCT:
	case CTF_K_UNION:
	case CTF_K_ENUM:
	case CTF_K_FORWARD:
		return body_node(s, die, &t);
	default:
		return NULL;
	}
}

static struct ctf_type *
node(struct dwarf_import_source *s, Dwarf_Die *die, unsigned depth)
{
	uint32_t i = entry_of(s, die);
	struct ctf_type *t = s->entries.v[i].node;

	if (t == NULL) {
		s->entries.v[i].node = &bad_node; /* bad until made */
		t = depth < MAX_DEPTH ? make_node(s, die, depth + 1) : NULL;
		if (t != NULL)
			s->entries.v[i].node = t;
	}
	return t != &bad_node ? t : NULL;
}

/* ---- bodies -------------------------------------------------------------- */

static bool
fill_members(struct dwarf_import_source *s, Dwarf_Die *die, struct ctf_type *t)
{
	struct dw_iter it;

	dw_iter_init(&it, s->df.lib, die);
	while (dw_iter_next(&it)) {
		struct ctf_member m = { 0 };
		struct dw_member dm;

		if (!dw_member(s->df.lib, &it.die, &dm))
			continue;
		m.name = dm.name;
		m.type = node(s, &dm.type, 0);
		m.bit_off = dm.bit_off;
		m.bits = dm.bits;
		if (m.type == NULL || !ctf_import_member(t, &m))
			return false;
	}
	return true;
}

static void
fill_enum(struct dwarf_import_source *s, Dwarf_Die *die, struct ctf_type *t)
{
	struct ctf_enumerator e;
	struct dw_iter it;

	dw_iter_init(&it, s->df.lib, die);
	while (dw_iter_next(&it)) {
		if (dw_enumerator(s->df.lib, &it.die, &e))
			VEC_PUSH(&t->enums, e);
	}
}

/* Give a declaration the body of its name, from any unit. */
static void
find_body(struct dwarf_import_source *s, Dwarf_Die *die, struct ctf_type *t)
{
	Dwarf_Die *body = t->name != NULL ?
	    find_name(s, space_of(s->df.lib->dwarf_tag(die)), t->name) :
	    NULL;

	t->is_incomplete = true;
	if (body != NULL)
		t->same = node(s, body, 0);
}

static void
source_fill(struct ctf_import *im, struct ctf_type *t)
{
	struct dwarf_import_source *s = (struct dwarf_import_source *)im;
	Dwarf_Die die = s->entries.v[t->import_id].die;

	if (dw_flag(s->df.lib, &die, DW_AT_declaration)) {
		find_body(s, &die, t);
		return;
	}
	if (t->kind == CTF_K_ENUM) {
		fill_enum(s, &die, t);
		return;
	}
	s->fill_depth++;
	if (s->fill_depth > MAX_DEPTH || !fill_members(s, &die, t)) {
		t->members.n = 0;
		t->is_incomplete = true;
	}
	s->fill_depth--;
}

/* ---- look-up ------------------------------------------------------------- */

/* Try DWARF's long names of C's types ("long int"). */
static struct ctf_type *
source_type(struct ctf_import *im, enum ctf_space space, const char *name)
{
	struct dwarf_import_source *s = (struct dwarf_import_source *)im;
	Dwarf_Die *die = find_name(s, (char)space,
		      space == CTF_SP_ORDINARY ? ctf_import_long_name(name) :
						 name),
		  copy;

	if (die == NULL)
		return NULL;
	copy = *die; /* the index may grow, and move it */
	return node(s, &copy, 0);
}

/* All units are scanned. */
static void
source_names(struct ctf_import *im, enum ctf_space space,
    void (*f)(const char *name, void *arg), void *arg)
{
	struct dwarf_import_source *s = (struct dwarf_import_source *)im;

	while (!s->is_complete)
		index_next_unit(s);
	VEC_FOREACH(&s->names.strs, key) {
		if ((*key)[0] == (char)space)
			f(*key + 2, arg);
	}
}

static bool
source_symbol(struct ctf_import *im, const char *name, struct ctf_symbol *sym)
{
	struct dwarf_import_source *s = (struct dwarf_import_source *)im;
	Dwarf_Die *die = find_name(s, 'v', name), copy, type;

	*sym = (struct ctf_symbol){ 0 };
	if (die == NULL)
		return false;
	copy = *die;
	if (s->df.lib->dwarf_tag(&copy) == DW_TAG_subprogram)
		sym->type = node(s, &copy, 0);
	else if (dw_ref(s->df.lib, &copy, &type))
		sym->type = node(s, &type, 0);
	return sym->type != NULL;
}

/* ---- life ---------------------------------------------------------------- */

static void
source_close(struct ctf_import *im)
{
	struct dwarf_import_source *s = (struct dwarf_import_source *)im;

	VEC_FREE(&s->entries);
	VEC_FREE(&s->named);
	VEC_FREE(&s->body_nodes);
	strtab_fini(&s->names);
	strtab_fini(&s->bodies);
	addrmap_fini(&s->numbers);
	addrmap_fini(&s->seen);
	dw_file_close(&s->df);
	err_clear(&s->problem);
	free(s->name);
	free(s->path);
	free(s);
}

/* Enumerators are not indexed: a.out`NAME is a symbol. */
static const struct ctf_import_ops source_ops = {
	.type = source_type,
	.names = source_names,
	.symbol = source_symbol,
	.fill = source_fill,
	.close = source_close,
};

/* The graph has types of 64-bit little-endian programs. */
static bool
is_native(int fd)
{
	unsigned char ident[EI_NIDENT];

	return pread(fd, ident, sizeof(ident), 0) != sizeof(ident) ||
	    memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    (ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB);
}

struct ctf_import *
dwarf_import(const char *name, const char *path, int fd, struct err *err)
{
	struct dwarf_import_source *s;

	if (!is_native(fd)) {
		err_set(err, -EINVAL,
		    "the types of %s are those of another machine: it is not a 64-bit little-endian ELF file",
		    path);
		return NULL;
	}
	s = mem_alloc(sizeof(*s));
	s->name = mem_strdup(name);
	s->path = mem_strdup(path);
	s->im.ops = &source_ops;
	s->im.name = s->name;
	strtab_init(&s->names);
	strtab_init(&s->bodies);
	if (dw_file_open(&s->df, path, fd, err) == 0)
		return &s->im;
	source_close(&s->im);
	return NULL;
}
