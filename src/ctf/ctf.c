/* SPDX-License-Identifier: BSD-2-Clause */
#include "ctf/ctf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/import.h"

/* C's arithmetic types under LP64. */
static const struct {
	const char *name;
	enum ctf_kind kind;
	uint32_t size, encoding;
} intrinsics[] = {
	{ "void", CTF_K_INTEGER, 0, 0 },
	{ "char", CTF_K_INTEGER, 1, CTF_INT_SIGNED | CTF_INT_CHAR },
	{ "signed char", CTF_K_INTEGER, 1, CTF_INT_SIGNED | CTF_INT_CHAR },
	{ "unsigned char", CTF_K_INTEGER, 1, CTF_INT_CHAR },
	{ "short", CTF_K_INTEGER, 2, CTF_INT_SIGNED },
	{ "unsigned short", CTF_K_INTEGER, 2, 0 },
	{ "int", CTF_K_INTEGER, 4, CTF_INT_SIGNED },
	{ "unsigned int", CTF_K_INTEGER, 4, 0 },
	{ "long", CTF_K_INTEGER, 8, CTF_INT_SIGNED },
	{ "unsigned long", CTF_K_INTEGER, 8, 0 },
	{ "long long", CTF_K_INTEGER, 8, CTF_INT_SIGNED },
	{ "unsigned long long", CTF_K_INTEGER, 8, 0 },
	{ "__int128", CTF_K_INTEGER, 16, CTF_INT_SIGNED },
	{ "unsigned __int128", CTF_K_INTEGER, 16, 0 },
	{ "_Bool", CTF_K_INTEGER, 1, CTF_INT_BOOL },
	{ "float", CTF_K_FLOAT, 4, 0 },
	{ "double", CTF_K_FLOAT, 8, 0 },
	{ "long double", CTF_K_FLOAT, 16, 0 },
	{ "string", CTF_K_D_STRING, 0, 0 },
};

static void init_tags(struct ctf_graph *g);

struct ctf_type *
ctf_new(struct ctf_graph *g, enum ctf_kind kind)
{
	struct ctf_type *t = ARENA_NEW(&g->arena, struct ctf_type);

	t->kind = kind;
	t->align = 1;
	if (kind == CTF_K_ENUM)
		t->encoding = CTF_INT_SIGNED;
	if (kind == CTF_K_FUNCTION || kind == CTF_K_STRUCT ||
	    kind == CTF_K_UNION || kind == CTF_K_ENUM)
		VEC_PUSH(&g->owners, t);
	return t;
}

static void
name_type(struct ctf_graph *g, enum ctf_space space, const char *name,
    struct ctf_type *t)
{
	char *key = arena_printf(&g->arena, "%c %s", (char)space, name);
	uint32_t id = strtab_intern(&g->names, key);

	while (g->by_name.n < id)
		VEC_PUSH(&g->by_name, NULL);
	g->by_name.v[id - 1] = t;
	t->name = key + 2;
}

struct ctf_type *
ctf_lookup(const struct ctf_graph *g, enum ctf_space space, const char *name)
{
	char *key = mem_printf("%c %s", (char)space, name);
	uint32_t id = strtab_find(&g->names, key);

	free(key);
	return id == 0 ? NULL : g->by_name.v[id - 1];
}

struct ctf_type *
ctf_find(struct ctf_graph *g, enum ctf_space space, const char *name)
{
	struct ctf_type *t = ctf_lookup(g, space, name);

	for (struct ctf_import *im = g->imports; t == NULL && im != NULL;
	     im = im->next)
		t = im->ops->type(im, space, name);
	return t;
}

/* Skip `word` if it is next; false: it is not. */
static bool
take_word(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len) != 0 || (*text)[len] != ' ')
		return false;
	*text += len + 1;
	return true;
}

/* Look up a name without stars. */
static struct ctf_type *
lookup_base(struct ctf_graph *g, const char *text)
{
	if (take_word(&text, "struct"))
		return ctf_tag(g, CTF_K_STRUCT, text);
	if (take_word(&text, "union"))
		return ctf_tag(g, CTF_K_UNION, text);
	if (take_word(&text, "enum"))
		return ctf_tag(g, CTF_K_ENUM, text);
	if (strcmp(text, "unsigned") == 0)
		return g->t_uint;
	return ctf_find(g, CTF_SP_ORDINARY, ctf_import_plain_name(text));
}

/* Apply the stars behind the base, which may be const. */
static struct ctf_type *
derive_text(
    struct ctf_graph *g, struct ctf_type *t, const char *s, bool is_userland)
{
	while (t != NULL && *s != '\0') {
		if (*s == '*') {
			t = ctf_pointer(g, t, is_userland);
			s++;
		} else if (*s == ' ') {
			s++;
		} else if (strncmp(s, "const", 5) == 0) {
			t = ctf_qualified(g, t, CTF_K_CONST);
			s += 5;
		} else {
			t = NULL;
		}
	}
	return t;
}

struct ctf_type *
ctf_lookup_text(struct ctf_graph *g, const char *text)
{
	bool is_userland = take_word(&text, "userland");
	bool is_const = take_word(&text, "const");
	size_t len = strcspn(text, "*");
	struct ctf_type *t;
	char *base;

	while (len > 0 && text[len - 1] == ' ')
		len--;
	base = mem_strndup(text, len);
	t = lookup_base(g, base);
	free(base);
	if (t != NULL && is_const)
		t = ctf_qualified(g, t, CTF_K_CONST);
	return derive_text(g, t, text + len, is_userland);
}

struct ctf_type *
ctf_typedef(struct ctf_graph *g, const char *name, struct ctf_type *to)
{
	struct ctf_type *t = ctf_new(g, CTF_K_TYPEDEF);

	t->ref = to;
	t->size = to->size;
	t->align = to->align;
	name_type(g, CTF_SP_ORDINARY, name, t);
	return t;
}

static void
add_intrinsics(struct ctf_graph *g)
{
	size_t n = sizeof(intrinsics) / sizeof(intrinsics[0]);

	for (size_t i = 0; i < n; i++) {
		struct ctf_type *t = ctf_new(g, intrinsics[i].kind);

		t->size = intrinsics[i].size;
		t->align = t->size != 0 ? (uint32_t)t->size : 1;
		t->encoding = intrinsics[i].encoding;
		name_type(g, CTF_SP_ORDINARY, intrinsics[i].name, t);
	}
}

/* Complex numbers are a pair, which no operator takes. */
static void
add_complex(struct ctf_graph *g, const char *name, const char *of)
{
	struct ctf_layout lo = { .type = ctf_new(g, CTF_K_STRUCT) };
	struct ctf_type *part = ctf_lookup(g, CTF_SP_ORDINARY, of);

	ctf_layout_member(g, &lo, "real", part, -1);
	ctf_layout_member(g, &lo, "imag", part, -1);
	ctf_layout_end(&lo);
	ctf_typedef(g, name, lo.type);
}

static void
add_typedefs(struct ctf_graph *g)
{
#define CTF_TYPEDEF(name, base) ctf_typedef(g, #name, ctf_lookup_text(g, base));
#include "ctf/typedefs.def"
#undef CTF_TYPEDEF
}

void
ctf_graph_init(struct ctf_graph *g)
{
	memset(g, 0, sizeof(*g));
	arena_init(&g->arena);
	strtab_init(&g->names);
	init_tags(g);
	add_intrinsics(g);
	add_complex(g, "float _Complex", "float");
	add_complex(g, "double _Complex", "double");
	add_complex(g, "long double _Complex", "long double");
	add_typedefs(g);
	g->t_void = ctf_lookup(g, CTF_SP_ORDINARY, "void");
	g->t_int = ctf_lookup(g, CTF_SP_ORDINARY, "int");
	g->t_uint = ctf_lookup(g, CTF_SP_ORDINARY, "unsigned int");
	g->t_long = ctf_lookup(g, CTF_SP_ORDINARY, "long");
	g->t_ulong = ctf_lookup(g, CTF_SP_ORDINARY, "unsigned long");
	g->t_bool = ctf_lookup(g, CTF_SP_ORDINARY, "_Bool");
	g->t_string = ctf_lookup(g, CTF_SP_ORDINARY, "string");
	g->t_stack = ctf_new(g, CTF_K_D_STACK);
	g->t_stack->name = "stack";
	g->t_ustack = ctf_new(g, CTF_K_D_STACK);
	g->t_ustack->name = "ustack";
	g->t_symaddr = ctf_new(g, CTF_K_D_SYM);
	g->t_symaddr->name = "_symaddr";
	g->t_usymaddr = ctf_new(g, CTF_K_D_SYM);
	g->t_usymaddr->name = "_usymaddr";
	g->t_agg = ctf_new(g, CTF_K_D_AGG);
	g->t_agg->name = "aggregation";
	g->nown = g->by_name.n;
}

static void
free_vectors(struct ctf_type *t)
{
	VEC_FREE(&t->members);
	VEC_FREE(&t->enums);
	VEC_FREE(&t->params);
}

void
ctf_graph_fini(struct ctf_graph *g)
{
	for (struct ctf_import *im = g->imports, *next; im != NULL; im = next) {
		next = im->next;
		im->ops->close(im);
	}
	VEC_FOREACH(&g->owners, tp)
		free_vectors(*tp);
	VEC_FREE(&g->owners);
	VEC_FREE(&g->resolvers);
	VEC_FREE(&g->by_name);
	strtab_fini(&g->names);
	arena_fini(&g->arena);
}

struct ctf_type *
ctf_pointer(struct ctf_graph *g, struct ctf_type *to, bool is_userland)
{
	struct ctf_type **slot =
	    is_userland ? &to->userland_pointer : &to->pointer;

	if (*slot == NULL) {
		*slot = ctf_new(g, CTF_K_POINTER);
		(*slot)->ref = to;
		(*slot)->size = 8;
		(*slot)->align = 8;
		(*slot)->is_userland = is_userland;
	}
	return *slot;
}

/* The size of a type; an imported struct has it before it is filled in. */
static uint64_t
size_of(struct ctf_type *t)
{
	t = ctf_strip(t);
	return t->same != NULL ? t->same->size : t->size;
}

struct ctf_type *
ctf_array(struct ctf_graph *g, struct ctf_type *of, uint64_t nelems)
{
	struct ctf_type *t;

	for (t = of->arrays; t != NULL; t = t->next_array) {
		if (t->nelems == nelems)
			return t;
	}
	t = ctf_new(g, CTF_K_ARRAY);
	t->ref = of;
	t->nelems = nelems;
	t->size = size_of(of) * nelems;
	t->align = of->align;
	t->next_array = of->arrays;
	of->arrays = t;
	return t;
}

struct ctf_type *
ctf_qualified(struct ctf_graph *g, struct ctf_type *t, enum ctf_kind qualifier)
{
	struct ctf_type **slot =
	    qualifier == CTF_K_CONST ? &t->konst : &t->volat;

	if (*slot == NULL) {
		*slot = ctf_new(g, qualifier);
		(*slot)->ref = t;
		(*slot)->size = t->size;
		(*slot)->align = t->align;
	}
	return *slot;
}

static enum ctf_space
space_of(enum ctf_kind kind)
{
	if (kind == CTF_K_STRUCT)
		return CTF_SP_STRUCT;
	return kind == CTF_K_UNION ? CTF_SP_UNION : CTF_SP_ENUM;
}

struct ctf_type *
ctf_tag(struct ctf_graph *g, enum ctf_kind kind, const char *tag)
{
	struct ctf_type *t;

	if (tag != NULL) {
		t = ctf_lookup(g, space_of(kind), tag);
		if (t != NULL)
			return t;
	}
	t = ctf_new(g, kind);
	t->is_incomplete = true;
	if (tag != NULL) {
		name_type(g, space_of(kind), tag, t);
		t->is_pending = true;
		t->import = g->tags;
	}
	return t;
}

/* Look in the imports for a tag that the script used but did not define. */
static void
find_tag(struct ctf_import *tags, struct ctf_type *t)
{
	struct ctf_import *im;

	for (im = tags->graph->imports; t->same == NULL && im != NULL;
	     im = im->next)
		t->same = im->ops->type(im, space_of(t->kind), t->name);
}

static const struct ctf_import_ops tag_ops = { .fill = find_tag };

static void
init_tags(struct ctf_graph *g)
{
	g->tags = ARENA_NEW(&g->arena, struct ctf_import);
	g->tags->ops = &tag_ops;
	g->tags->graph = g;
}

/* ---- structs and unions -------------------------------------------------- */

static uint64_t
align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static void
place_bits(struct ctf_layout *lo, struct ctf_member *m, uint32_t unit_bits)
{
	/* A bit-field never crosses a boundary of its declared type. */
	if (lo->bit_off / unit_bits != (lo->bit_off + m->bits - 1) / unit_bits)
		lo->bit_off = align_up(lo->bit_off, unit_bits);
	m->bit_off = lo->bit_off;
	lo->bit_off += m->bits;
}

void
ctf_layout_member(struct ctf_graph *g, struct ctf_layout *lo, const char *name,
    struct ctf_type *type, int bits)
{
	struct ctf_type *sou = lo->type, *r = ctf_resolve(type);
	struct ctf_member m = { .type = type };
	uint64_t end;

	if (sou->kind == CTF_K_UNION)
		lo->bit_off = 0;
	if (bits == 0) {
		lo->bit_off = align_up(lo->bit_off, 8 * r->size);
		return;
	}
	if (name != NULL)
		m.name = arena_strdup(&g->arena, name);
	if (bits > 0) {
		m.bits = (uint32_t)bits;
		place_bits(lo, &m, 8 * (uint32_t)r->size);
	} else {
		lo->bit_off = align_up(lo->bit_off, 8 * (uint64_t)r->align);
		m.bit_off = lo->bit_off;
		lo->bit_off += 8 * r->size;
	}
	end = align_up(lo->bit_off, 8) / 8;
	if (end > sou->size)
		sou->size = end;
	if (r->align > sou->align)
		sou->align = r->align;
	VEC_PUSH(&sou->members, m);
}

void
ctf_layout_end(struct ctf_layout *lo)
{
	lo->type->size = align_up(lo->type->size, lo->type->align);
	lo->type->is_incomplete = false;
}

/*
 * A hostile file's structs may each contain another twice, to any depth: give
 * up after this many members.
 */
#define MAX_SEARCHED 100000

static const struct ctf_member *
member_find(const struct ctf_type *t, const char *name, uint64_t *bit_off,
    unsigned *left)
{
	VEC_FOREACH(&t->members, m) {
		const struct ctf_member *inner;

		if (*left == 0)
			return NULL;
		--*left;
		if (m->name != NULL) {
			if (strcmp(m->name, name) != 0)
				continue;
			*bit_off = m->bit_off;
			return m;
		}
		inner = member_find(ctf_resolve(m->type), name, bit_off, left);
		if (inner != NULL) {
			*bit_off += m->bit_off;
			return inner;
		}
	}
	return NULL;
}

const struct ctf_member *
ctf_member_find(const struct ctf_type *t, const char *name, uint64_t *bit_off)
{
	unsigned left = MAX_SEARCHED;

	return member_find(t, name, bit_off, &left);
}

/* ---- imports ------------------------------------------------------------- */

void
ctf_import_add(struct ctf_graph *g, struct ctf_import *im)
{
	struct ctf_import **end = &g->imports;

	while (*end != NULL)
		end = &(*end)->next;
	im->graph = g;
	im->next = NULL;
	*end = im;
}

struct ctf_import *
ctf_import_find(struct ctf_graph *g, const char *name)
{
	struct ctf_import *im;

	for (im = g->imports; im != NULL; im = im->next) {
		if (im->name != NULL && strcmp(im->name, name) == 0)
			return im;
	}
	VEC_FOREACH(&g->resolvers, r) {
		im = r->find(r->arg, name);
		if (im != NULL)
			return im;
	}
	return NULL;
}

void
ctf_resolver_add(struct ctf_graph *g,
    struct ctf_import *(*find)(void *arg, const char *name), void *arg)
{
	struct ctf_resolver r = { find, arg };

	VEC_PUSH(&g->resolvers, r);
}

/* ---- questions ----------------------------------------------------------- */

struct ctf_type *
ctf_strip(struct ctf_type *t)
{
	while (t->kind == CTF_K_TYPEDEF || t->kind == CTF_K_CONST ||
	    t->kind == CTF_K_VOLATILE || t->kind == CTF_K_RESTRICT)
		t = t->ref;
	return t;
}

static void
fill(struct ctf_type *t)
{
	t->is_pending = false;
	t->is_filling = true;
	t->import->ops->fill(t->import, t);
	t->is_filling = false;
}

struct ctf_type *
ctf_resolve(struct ctf_type *t)
{
	t = ctf_strip(t);
	if (t->is_pending)
		fill(t);
	return t->same == NULL ? t : ctf_resolve(t->same);
}

static void type_text(const struct ctf_type *t, const char *inner,
    bool with_params, struct strbuf *out);

/* "const int", but "int *const": a pointer's qualifier follows its star. */
static void
qualified_text(const struct ctf_type *t, const char *inner, bool with_params,
    struct strbuf *out)
{
	const char *word = t->kind == CTF_K_CONST ? "const" :
	    t->kind == CTF_K_VOLATILE		  ? "volatile" :
						    "restrict";
	const struct ctf_type *of = t->ref;
	char *s;

	while (of->kind == CTF_K_CONST || of->kind == CTF_K_VOLATILE ||
	    of->kind == CTF_K_RESTRICT)
		of = of->ref;
	if (of->kind != CTF_K_POINTER) {
		strbuf_printf(out, "%s ", word);
		type_text(t->ref, inner, with_params, out);
		return;
	}
	s = mem_printf("%s%s%s", word, *inner != '\0' ? " " : "", inner);
	type_text(t->ref, s, with_params, out);
	free(s);
}

/*
 * Parameters that are functions have "()": a hostile file could nest them so
 * that the text grows without end.
 */
static void
params_text(const struct ctf_type *t, struct strbuf *out)
{
	const char *sep = "";

	VEC_FOREACH(&t->params, p) {
		strbuf_adds(out, sep);
		type_text(*p, "", false, out);
		sep = ", ";
	}
	if (t->varargs)
		strbuf_printf(out, "%s...", sep);
}

static void
function_text(const struct ctf_type *t, const char *inner, bool with_params,
    struct strbuf *out)
{
	struct strbuf sb = { 0 };

	strbuf_printf(&sb, "%s(", inner);
	if (with_params)
		params_text(t, &sb);
	strbuf_addc(&sb, ')');
	type_text(t->ref, sb.s, with_params, out);
	strbuf_fini(&sb);
}

/* C declarators read inside out: `inner` is the text around the name. */
static void
type_text(const struct ctf_type *t, const char *inner, bool with_params,
    struct strbuf *out)
{
	const char *sep = *inner != '\0' ? " " : "";
	char *s;

	switch (t->kind) {
	case CTF_K_POINTER:
		s = mem_printf(t->ref->kind == CTF_K_ARRAY ||
			    t->ref->kind == CTF_K_FUNCTION ?
			"(%s*%s)" :
			"%s*%s",
		    t->is_userland ? "userland " : "", inner);
		type_text(t->ref, s, with_params, out);
		free(s);
		return;
	case CTF_K_ARRAY:
		s = mem_printf(
		    "%s[%llu]", inner, (unsigned long long)t->nelems);
		type_text(t->ref, s, with_params, out);
		free(s);
		return;
	case CTF_K_FUNCTION:
		function_text(t, inner, with_params, out);
		return;
	case CTF_K_CONST:
	case CTF_K_VOLATILE:
	case CTF_K_RESTRICT:
		qualified_text(t, inner, with_params, out);
		return;
	case CTF_K_STRUCT:
	case CTF_K_UNION:
	case CTF_K_ENUM:
		strbuf_printf(out, "%s %s%s%s",
		    t->kind == CTF_K_STRUCT    ? "struct" :
			t->kind == CTF_K_UNION ? "union" :
						 "enum",
		    t->name != NULL ? t->name : "{...}", sep, inner);
		return;
	case CTF_K_UNKNOWN:
	case CTF_K_INTEGER:
	case CTF_K_FLOAT:
	case CTF_K_FORWARD:
	case CTF_K_TYPEDEF:
	case CTF_K_D_STRING:
	case CTF_K_D_STACK:
	case CTF_K_D_SYM:
	case CTF_K_D_AGG:
		strbuf_printf(out, "%s%s%s",
		    t->name != NULL ? t->name : "unknown", sep, inner);
		return;
	}
}

void
ctf_type_text(const struct ctf_type *t, struct strbuf *out)
{
	type_text(t, "", false, out);
}

void
ctf_declare_text(const struct ctf_type *t, const char *name, struct strbuf *out)
{
	type_text(t, name, true, out);
}

const char *
ctf_type_name(struct ctf_graph *g, const struct ctf_type *t)
{
	struct strbuf sb = { 0 };
	const char *s;

	ctf_type_text(t, &sb);
	s = arena_strdup(&g->arena, sb.s);
	strbuf_fini(&sb);
	return s;
}

static bool
same_function(const struct ctf_type *a, const struct ctf_type *b)
{
	if (a->varargs != b->varargs || a->params.n != b->params.n)
		return false;
	for (size_t i = 0; i < a->params.n; i++) {
		if (!ctf_type_compat(a->params.v[i], b->params.v[i]))
			return false;
	}
	return ctf_type_compat(a->ref, b->ref);
}

bool
ctf_type_compat(struct ctf_type *a, struct ctf_type *b)
{
	a = ctf_strip(a);
	b = ctf_strip(b);
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case CTF_K_INTEGER:
		return a->size == b->size && a->encoding == b->encoding;
	case CTF_K_POINTER:
		return ctf_type_compat(a->ref, b->ref);
	case CTF_K_ARRAY:
		return a->nelems == b->nelems &&
		    ctf_type_compat(a->ref, b->ref);
	case CTF_K_FUNCTION:
		return same_function(a, b);
	case CTF_K_STRUCT:
	case CTF_K_UNION:
	case CTF_K_ENUM:
		return ctf_resolve(a) == ctf_resolve(b);
	default:
		return false;
	}
}

bool
ctf_is_void(struct ctf_type *t)
{
	t = ctf_strip(t);
	return t->kind == CTF_K_INTEGER && t->size == 0;
}

bool
ctf_is_integer(struct ctf_type *t)
{
	t = ctf_strip(t);
	/* no operator takes an __int128 */
	return (t->kind == CTF_K_INTEGER && t->size != 0 && t->size <= 8) ||
	    t->kind == CTF_K_ENUM;
}

bool
ctf_is_signed(struct ctf_type *t)
{
	t = ctf_strip(t);
	return (t->kind == CTF_K_ENUM || t->kind == CTF_K_INTEGER) &&
	    (t->encoding & CTF_INT_SIGNED) != 0;
}

bool
ctf_is_pointer(struct ctf_type *t)
{
	return ctf_strip(t)->kind == CTF_K_POINTER;
}

bool
ctf_is_sou(struct ctf_type *t)
{
	t = ctf_strip(t);
	return t->kind == CTF_K_STRUCT || t->kind == CTF_K_UNION;
}
