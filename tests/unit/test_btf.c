/* SPDX-License-Identifier: BSD-2-Clause */
/* BTF made by hand, of every kind and malformed, becomes types of the graph. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "ctf/btf_import.h"

/* ---- a builder ----------------------------------------------------------- */

struct builder {
	struct strbuf types, strs;
	uint32_t first_str, next_id;
};

#define KFLAG (1U << 31)
#define HEADER_LEN 24 /* Documentation/bpf/btf.rst, up to Linux 6 */

static void
begin(struct builder *b, uint32_t first_id, uint32_t first_str)
{
	memset(b, 0, sizeof(*b));
	b->next_id = first_id;
	b->first_str = first_str;
	if (first_str == 0)
		strbuf_addc(&b->strs, '\0');
}

static uint32_t
string(struct builder *b, const char *s)
{
	uint32_t off = b->first_str + (uint32_t)b->strs.len;

	if (s == NULL)
		return 0;
	strbuf_add(&b->strs, s, strlen(s) + 1);
	return off;
}

static void
word(struct builder *b, uint32_t w)
{
	strbuf_add(&b->types, &w, sizeof(w));
}

/* A record's head; `last` is its size or type. */
static uint32_t
type(struct builder *b, const char *name, unsigned kind, uint32_t vlen_flag,
    uint32_t last)
{
	word(b, string(b, name));
	word(b, kind << 24 | vlen_flag);
	word(b, last);
	return b->next_id++;
}

static uint32_t
integer(struct builder *b, const char *name, uint32_t size, uint32_t encoding)
{
	uint32_t id = type(b, name, BTF_KIND_INT, 0, size);

	word(b, encoding << 24 | 8 * size);
	return id;
}

static void
member(struct builder *b, const char *name, uint32_t of, uint32_t off)
{
	word(b, string(b, name));
	word(b, of);
	word(b, off);
}

/* The bytes of a file; the caller frees. */
static char *
finish_with_header(struct builder *b, uint32_t header_len, size_t *len)
{
	static const char zeros[64];
	struct btf_header h = { .magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = header_len,
		.type_len = (uint32_t)b->types.len,
		.str_off = (uint32_t)b->types.len,
		.str_len = (uint32_t)b->strs.len };
	struct strbuf all = { 0 };

	strbuf_add(&all, &h, HEADER_LEN);
	if (header_len > HEADER_LEN)
		strbuf_add(&all, zeros, header_len - HEADER_LEN);
	if (b->types.len != 0)
		strbuf_add(&all, b->types.s, b->types.len);
	strbuf_add(&all, b->strs.s, b->strs.len);
	*len = all.len;
	strbuf_fini(&b->types);
	strbuf_fini(&b->strs);
	return strbuf_steal(&all);
}

static char *
finish(struct builder *b, size_t *len)
{
	return finish_with_header(b, HEADER_LEN, len);
}

static struct btf_blob *
blob(struct builder *b, struct btf_blob *base)
{
	struct btf_blob *bb;
	struct err err = { 0 };
	size_t len;
	char *bytes = finish(b, &len);

	bb = btf_blob_copy(bytes, len, base, &err);
	if (bb == NULL)
		fail_msg("not opened: %s", err.text);
	free(bytes);
	return bb;
}

static struct ctf_import *
import(struct builder *b, struct ctf_graph *g)
{
	struct ctf_import *im = btf_import_blob("test", blob(b, NULL), NULL);

	ctf_graph_init(g);
	ctf_import_add(g, im);
	return im;
}

/* The type of a typedef's name: a type of any kind can get a name so. */
static struct ctf_type *
named(struct ctf_graph *g, const char *name)
{
	struct ctf_type *t = ctf_find(g, CTF_SP_ORDINARY, name);

	assert_non_null(t);
	assert_int_equal(t->kind, CTF_K_TYPEDEF);
	return t->ref;
}

static void
assert_named(struct ctf_graph *g, const char *name, const char *text)
{
	assert_string_equal(ctf_type_name(g, named(g, name)), text);
}

/* ---- every kind ---------------------------------------------------------- */

static void
integers(void **state)
{
	struct ctf_graph g;
	struct builder b;
	uint32_t id;

	(void)state;
	begin(&b, 1, 0);
	id = integer(&b, "long unsigned int", 8, 0);
	type(&b, "t_ulong", BTF_KIND_TYPEDEF, 0, id);
	id = integer(&b, "char", 1, BTF_INT_SIGNED);
	type(&b, "t_char", BTF_KIND_TYPEDEF, 0, id);
	id = integer(&b, "_Bool", 1, BTF_INT_BOOL);
	type(&b, "t_bool", BTF_KIND_TYPEDEF, 0, id);
	id = integer(&b, "__int128", 16, BTF_INT_SIGNED);
	type(&b, "t_128", BTF_KIND_TYPEDEF, 0, id);
	id = integer(&b, "short", 4, 0); /* differs from our short */
	type(&b, "t_odd", BTF_KIND_TYPEDEF, 0, id);
	id = type(&b, "float", BTF_KIND_FLOAT, 0, 4);
	type(&b, "t_float", BTF_KIND_TYPEDEF, 0, id);
	id = type(&b, "_Float16", BTF_KIND_FLOAT, 0, 2);
	type(&b, "t_half", BTF_KIND_TYPEDEF, 0, id);
	import(&b, &g);

	/* C's own types are the graph's own nodes */
	assert_ptr_equal(named(&g, "t_ulong"), g.t_ulong);
	assert_ptr_equal(named(&g, "t_bool"), g.t_bool);
	assert_ptr_equal(
	    named(&g, "t_char"), ctf_lookup(&g, CTF_SP_ORDINARY, "char"));
	assert_ptr_equal(
	    named(&g, "t_float"), ctf_lookup(&g, CTF_SP_ORDINARY, "float"));
	assert_int_equal(named(&g, "t_128")->size, 16);
	assert_false(ctf_is_integer(named(&g, "t_128")));
	assert_int_equal(named(&g, "t_odd")->size, 4);
	assert_false(ctf_is_signed(named(&g, "t_odd")));
	assert_int_equal(named(&g, "t_half")->kind, CTF_K_FLOAT);
	assert_int_equal(named(&g, "t_half")->size, 2);
	/* D's own names have priority over those of an import */
	assert_ptr_equal(ctf_find(&g, CTF_SP_ORDINARY, "char"),
	    ctf_lookup(&g, CTF_SP_ORDINARY, "char"));
	ctf_graph_fini(&g);
}

static void
derived(void **state)
{
	uint32_t i, c, p, tag, a;
	struct ctf_graph g;
	struct builder b;

	(void)state;
	begin(&b, 1, 0);
	i = integer(&b, "int", 4, BTF_INT_SIGNED);
	c = type(&b, NULL, BTF_KIND_CONST, 0, i);
	p = type(&b, NULL, BTF_KIND_PTR, 0, c);
	type(&b, "cip", BTF_KIND_TYPEDEF, 0, p);
	tag = type(&b, "rcu", BTF_KIND_TYPE_TAG, 0, c);
	tag = type(&b, "user", BTF_KIND_TYPE_TAG, 0, tag);
	p = type(&b, NULL, BTF_KIND_PTR, 0, tag);
	type(&b, "user_p", BTF_KIND_TYPEDEF, 0, p);
	p = type(&b, NULL, BTF_KIND_PTR, 0, 0);
	p = type(&b, NULL, BTF_KIND_VOLATILE, 0, p);
	p = type(&b, NULL, BTF_KIND_RESTRICT, 0, p);
	type(&b, "void_p", BTF_KIND_TYPEDEF, 0, p);
	a = type(&b, NULL, BTF_KIND_ARRAY, 0, 0);
	word(&b, i);
	word(&b, i);
	word(&b, 3);
	p = type(&b, NULL, BTF_KIND_ARRAY, 0, 0);
	word(&b, a);
	word(&b, i);
	word(&b, 2);
	type(&b, "matrix", BTF_KIND_TYPEDEF, 0, p);
	p = type(&b, NULL, BTF_KIND_FUNC_PROTO, 2, i);
	word(&b, 0);
	word(&b, c);
	word(&b, 0);
	word(&b, 0);
	p = type(&b, NULL, BTF_KIND_PTR, 0, p);
	type(&b, "fp", BTF_KIND_TYPEDEF, 0, p);
	import(&b, &g);

	assert_named(&g, "cip", "const int *");
	assert_false(named(&g, "cip")->is_userland);
	assert_named(&g, "user_p", "const int userland *");
	assert_true(named(&g, "user_p")->is_userland);
	assert_named(&g, "void_p", "void *volatile");
	assert_named(&g, "matrix", "int [2][3]");
	assert_int_equal(named(&g, "matrix")->size, 24);
	assert_named(&g, "fp", "int (*)()");
	assert_true(named(&g, "fp")->ref->varargs);
	assert_int_equal(named(&g, "fp")->ref->params.n, 1);
	ctf_graph_fini(&g);
}

/*
 * struct outer { int a; struct { long b; }; unsigned x:3, y:7; char tail[]; };
 */
static void
structs(void **state)
{
	uint32_t i, u, l, ch, inner, tail;
	const struct ctf_member *m;
	struct ctf_graph g;
	struct ctf_type *t;
	struct builder b;
	uint64_t off;

	(void)state;
	begin(&b, 1, 0);
	i = integer(&b, "int", 4, BTF_INT_SIGNED);
	u = integer(&b, "unsigned int", 4, 0);
	l = integer(&b, "long int", 8, BTF_INT_SIGNED);
	ch = integer(&b, "char", 1, BTF_INT_SIGNED);
	inner = type(&b, NULL, BTF_KIND_STRUCT, 1, 8);
	member(&b, "b", l, 0);
	tail = type(&b, NULL, BTF_KIND_ARRAY, 0, 0);
	word(&b, ch);
	word(&b, i);
	word(&b, 0);
	type(&b, "outer", BTF_KIND_STRUCT, KFLAG | 5, 24);
	member(&b, "a", i, 0);
	member(&b, NULL, inner, 64);
	member(&b, "x", u, 3U << 24 | 128);
	member(&b, "y", u, 7U << 24 | 131);
	member(&b, "tail", tail, 160);
	type(&b, "outer", BTF_KIND_UNION, 1, 4);
	member(&b, "a", i, 0);
	import(&b, &g);

	t = ctf_find(&g, CTF_SP_STRUCT, "outer");
	assert_non_null(t);
	assert_true(t->is_pending);
	assert_int_equal(t->members.n, 0);
	assert_int_equal(t->size, 24);
	t = ctf_resolve(t);
	assert_int_equal(t->members.n, 5);
	assert_int_equal(t->align, 8);
	m = ctf_member_find(t, "b", &off);
	assert_non_null(m);
	assert_int_equal(off, 64);
	m = ctf_member_find(t, "y", &off);
	assert_int_equal(off, 131);
	assert_int_equal(m->bits, 7);
	m = ctf_member_find(t, "tail", &off);
	assert_int_equal(off, 160);
	assert_int_equal(m->type->nelems, 0);
	assert_null(ctf_member_find(t, "z", &off));
	assert_int_equal(
	    ctf_find(&g, CTF_SP_UNION, "outer")->kind, CTF_K_UNION);
	assert_null(ctf_find(&g, CTF_SP_STRUCT, "other"));
	ctf_graph_fini(&g);
}

/* Before kind_flag, bit-fields had integer types of their own. */
static void
old_bit_fields(void **state)
{
	const struct ctf_member *m;
	struct ctf_graph g;
	struct builder b;
	uint64_t off;
	uint32_t i;

	(void)state;
	begin(&b, 1, 0);
	i = type(&b, "unsigned int", BTF_KIND_INT, 0, 4);
	word(&b, 5U << 16 | 11); /* 11 bits at bit 5 */
	type(&b, "s", BTF_KIND_STRUCT, 1, 8);
	member(&b, "f", i, 32);
	import(&b, &g);
	m = ctf_member_find(
	    ctf_resolve(ctf_find(&g, CTF_SP_STRUCT, "s")), "f", &off);
	assert_non_null(m);
	assert_int_equal(off, 37);
	assert_int_equal(m->bits, 11);
	ctf_graph_fini(&g);
}

static void
enums(void **state)
{
	struct ctf_import *im;
	struct ctf_type *t;
	struct ctf_graph g;
	struct builder b;
	int64_t v = 0;

	(void)state;
	begin(&b, 1, 0);
	type(&b, "sig", BTF_KIND_ENUM, KFLAG | 2, 4);
	word(&b, string(&b, "MINUS"));
	word(&b, (uint32_t)-1);
	word(&b, string(&b, "TWICE"));
	word(&b, 1);
	type(&b, "uns", BTF_KIND_ENUM, 2, 4);
	word(&b, string(&b, "BIG"));
	word(&b, 0xffffffff);
	word(&b, string(&b, "TWICE"));
	word(&b, 2);
	type(&b, "wide", BTF_KIND_ENUM64, 1, 8);
	word(&b, string(&b, "WIDE"));
	word(&b, 1);
	word(&b, 2);
	im = import(&b, &g);

	assert_int_equal(im->ops->enumerator(im, "MINUS", &t, &v), 1);
	assert_int_equal(v, -1);
	assert_string_equal(t->name, "sig");
	assert_true(ctf_is_signed(t));
	assert_int_equal(im->ops->enumerator(im, "BIG", &t, &v), 1);
	assert_int_equal(v, 0xffffffff);
	assert_false(ctf_is_signed(t));
	assert_int_equal(im->ops->enumerator(im, "WIDE", &t, &v), 1);
	assert_true(v == 0x200000001);
	assert_int_equal(ctf_resolve(t)->enums.n, 1);
	assert_int_equal(im->ops->enumerator(im, "TWICE", &t, &v), 2);
	assert_int_equal(im->ops->enumerator(im, "NEVER", &t, &v), 0);
	ctf_graph_fini(&g);
}

static void
forwards(void **state)
{
	struct ctf_graph g;
	struct builder b;
	uint32_t f, p;

	(void)state;
	begin(&b, 1, 0);
	f = type(&b, "known", BTF_KIND_FWD, 0, 0);
	p = type(&b, NULL, BTF_KIND_PTR, 0, f);
	type(&b, "known_p", BTF_KIND_TYPEDEF, 0, p);
	f = type(&b, "never", BTF_KIND_FWD, KFLAG, 0);
	p = type(&b, NULL, BTF_KIND_PTR, 0, f);
	type(&b, "never_p", BTF_KIND_TYPEDEF, 0, p);
	type(&b, "known", BTF_KIND_STRUCT, 0, 16);
	import(&b, &g);
	assert_int_equal(ctf_resolve(named(&g, "known_p")->ref)->size, 16);
	assert_named(&g, "never_p", "union never *");
	assert_true(ctf_resolve(named(&g, "never_p")->ref)->is_incomplete);
	ctf_graph_fini(&g);
}

static void
symbols(void **state)
{
	struct ctf_import *im;
	struct ctf_symbol s;
	struct ctf_graph g;
	struct builder b;
	uint32_t i, v, w;

	(void)state;
	begin(&b, 1, 0);
	i = integer(&b, "int", 4, BTF_INT_SIGNED);
	v = type(&b, "counter", BTF_KIND_VAR, 0, i);
	word(&b, 1);
	w = type(&b, "plain", BTF_KIND_VAR, 0, i);
	word(&b, 1);
	type(&b, ".data..percpu", BTF_KIND_DATASEC, 1, 64);
	word(&b, v);
	word(&b, 0);
	word(&b, 4);
	type(&b, "tag", BTF_KIND_DECL_TAG, 0, w);
	word(&b, (uint32_t)-1);
	i = type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, i);
	type(&b, "f", BTF_KIND_FUNC, 1, i);
	im = import(&b, &g);
	assert_true(im->ops->symbol(im, "counter", &s));
	assert_true(s.is_percpu);
	assert_int_equal(s.percpu_id, v);
	assert_ptr_equal(s.type, g.t_int);
	assert_true(im->ops->symbol(im, "plain", &s));
	assert_false(s.is_percpu);
	assert_true(im->ops->symbol(im, "f", &s));
	assert_int_equal(s.type->kind, CTF_K_FUNCTION);
	assert_false(im->ops->symbol(im, "tag", &s));
	assert_false(im->ops->symbol(im, "nothing", &s));
	ctf_graph_fini(&g);
}

/* A module's types and strings continue those of the base. */
static void
split(void **state)
{
	struct ctf_import *base, *mod;
	struct btf_blob *bb;
	struct ctf_graph g;
	struct builder b;
	struct ctf_type *t;
	uint32_t i, str_len;

	(void)state;
	begin(&b, 1, 0);
	i = integer(&b, "int", 4, BTF_INT_SIGNED);
	type(&b, "shared", BTF_KIND_STRUCT, 1, 4);
	member(&b, "n", i, 0);
	str_len = (uint32_t)b.strs.len;
	bb = blob(&b, NULL);
	ctf_graph_init(&g);
	base = btf_import_blob("base", bb, NULL);
	ctf_import_add(&g, base);

	begin(&b, 3, str_len);
	type(&b, "own", BTF_KIND_STRUCT, 2, 8);
	member(&b, "s", 2, 0);
	word(&b, 1); /* a string of the base: "int" */
	word(&b, 1);
	word(&b, 32);
	mod = btf_import_blob("mod", blob(&b, bb), base);
	ctf_import_add(&g, mod);

	assert_null(mod->ops->type(mod, CTF_SP_STRUCT, "shared"));
	t = ctf_resolve(mod->ops->type(mod, CTF_SP_STRUCT, "own"));
	assert_int_equal(t->members.n, 2);
	assert_ptr_equal(t->members.v[0].type,
	    base->ops->type(base, CTF_SP_STRUCT, "shared"));
	assert_string_equal(t->members.v[1].name, "int");
	assert_ptr_equal(ctf_import_find(&g, "mod"), mod);
	ctf_graph_fini(&g);
}

/* The text of a type, in the form that providers and prototypes use. */
static void
texts(void **state)
{
	static const char *const good[][2] = {
		{ "int", "int" },
		{ "unsigned", "unsigned int" },
		{ "long unsigned int", "unsigned long" },
		{ "const char *", "const char *" },
		{ "const char *const *", "const char *const *" },
		{ "void **", "void **" },
		{ "void * *", "void **" },
		{ "const void *const", "const void *const" },
		{ "userland char **", "char userland *userland *" },
		{ "struct nowhere *", "struct nowhere *" },
		{ "union nowhere", "union nowhere" },
		{ "const enum nowhere", "const enum nowhere" },
	};
	static const char *const bad[] = { "", "*", "nosuch", "int x", "int *x",
		"int *consul", "int [3]" };
	struct ctf_graph g;

	(void)state;
	ctf_graph_init(&g);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct ctf_type *t = ctf_lookup_text(&g, good[i][0]);

		if (t == NULL)
			fail_msg("'%s' is unknown", good[i][0]);
		assert_string_equal(ctf_type_name(&g, t), good[i][1]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (ctf_lookup_text(&g, bad[i]) != NULL)
			fail_msg("'%s' is a type", bad[i]);
	}
	ctf_graph_fini(&g);
}

/* The text of a type in C's words.  A type without a text adds nothing; a
 * pointer to it is a void *. */
static void
words(void **state)
{
	struct {
		uint32_t id;
		const char *text;
	} want[32];
	struct builder b;
	struct btf_blob *bb;
	struct strbuf sb = { 0 };
	uint32_t i, ptr, self, n = 0;

	(void)state;
#define WORDS(type_id, words)                                                  \
	(want[n].text = (words), want[n].id = (type_id), want[n++].id)
	begin(&b, 1, 0);
	i = WORDS(integer(&b, "unsigned int", 4, 0), "unsigned int");
	WORDS(type(&b, "size_t", BTF_KIND_TYPEDEF, 0, i), "size_t");
	ptr = WORDS(type(&b, NULL, BTF_KIND_PTR, 0, i), "unsigned int *");
	WORDS(type(&b, NULL, BTF_KIND_PTR, 0, ptr), "unsigned int **");
	WORDS(type(&b, NULL, BTF_KIND_CONST, 0, ptr), "unsigned int * const");
	i = WORDS(type(&b, NULL, BTF_KIND_CONST, 0, i), "const unsigned int");
	WORDS(type(&b, NULL, BTF_KIND_PTR, 0, i), "const unsigned int *");
	WORDS(type(&b, NULL, BTF_KIND_PTR, 0, 0), "void *");
	i = WORDS(type(&b, "file", BTF_KIND_STRUCT, 0, 8), "struct file");
	i = WORDS(type(&b, NULL, BTF_KIND_TYPE_TAG, 0, i), "struct file");
	WORDS(type(&b, NULL, BTF_KIND_PTR, 0, i), "struct file *");
	WORDS(type(&b, "u", BTF_KIND_UNION, 0, 8), "union u");
	WORDS(type(&b, "u", BTF_KIND_FWD, KFLAG, 0), "union u");
	WORDS(type(&b, "s", BTF_KIND_FWD, 0, 0), "struct s");
	WORDS(type(&b, "e", BTF_KIND_ENUM, 0, 4), "enum e");
	i = WORDS(type(&b, NULL, BTF_KIND_STRUCT, 0, 8), NULL);
	WORDS(type(&b, NULL, BTF_KIND_PTR, 0, i), "void *");
	i = WORDS(type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0), NULL);
	WORDS(type(&b, NULL, BTF_KIND_PTR, 0, i), "void *");
	i = WORDS(
	    type(&b, NULL, BTF_KIND_VOLATILE, 0, 1), "volatile unsigned int");
	WORDS(type(&b, NULL, BTF_KIND_RESTRICT, 0, 3), "unsigned int *");
	self = b.next_id;
	WORDS(type(&b, NULL, BTF_KIND_CONST, 0, self), NULL);
	WORDS(type(&b, NULL, BTF_KIND_PTR, 0, 999), "void *");
	want[n].id = 999;
	want[n++].text = NULL;
#undef WORDS
	bb = blob(&b, NULL);
	for (i = 0; i < n; i++) {
		bool ok = btf_type_text(bb, want[i].id, &sb);

		assert_int_equal(ok, want[i].text != NULL);
		if (ok)
			assert_string_equal(sb.s, want[i].text);
		strbuf_fini(&sb);
	}
	btf_blob_close(bb);
}

/* A tag that the script uses becomes the import's type at the first use. */
static void
tags(void **state)
{
	struct ctf_type *t, *own;
	struct ctf_graph g;
	struct builder b;

	(void)state;
	begin(&b, 1, 0);
	type(&b, "s", BTF_KIND_STRUCT, 1, 4);
	member(&b, "n", integer(&b, "int", 4, BTF_INT_SIGNED), 0);
	import(&b, &g);
	t = ctf_lookup_text(&g, "const struct s *");
	assert_non_null(t);
	assert_string_equal(ctf_type_name(&g, t), "const struct s *");
	own = ctf_tag(&g, CTF_K_STRUCT, "s");
	assert_true(own->is_pending);
	assert_ptr_equal(ctf_resolve(t->ref), ctf_resolve(own));
	assert_ptr_equal(ctf_resolve(own),
	    g.imports->ops->type(g.imports, CTF_SP_STRUCT, "s"));
	assert_true(ctf_resolve(ctf_tag(&g, CTF_K_STRUCT, "x"))->is_incomplete);
	ctf_graph_fini(&g);
}

/* ---- malformed BTF ------------------------------------------------------- */

/* Has the struct that a builder has made under the name "s" a body? */
static bool
is_complete(struct builder *b)
{
	struct ctf_graph g;
	struct ctf_type *t;
	bool complete;

	import(b, &g);
	t = ctf_find(&g, CTF_SP_STRUCT, "s");
	complete = t != NULL && !ctf_resolve(t)->is_incomplete;
	ctf_graph_fini(&g);
	return complete;
}

/* struct s { `m` of the type that made_by made, at `off`; } of 8 bytes */
#define ONE_MEMBER(b, flag, off, ...)                                          \
	({                                                                     \
		uint32_t t_;                                                   \
		begin((b), 1, 0);                                              \
		t_ = __VA_ARGS__;                                              \
		type((b), "s", BTF_KIND_STRUCT, (flag) | 1, 8);                \
		member((b), "m", t_, (off));                                   \
		is_complete(b);                                                \
	})

static uint32_t
array_of(struct builder *b, uint32_t of, uint32_t n)
{
	uint32_t id = type(b, NULL, BTF_KIND_ARRAY, 0, 0);

	word(b, of);
	word(b, of);
	word(b, n);
	return id;
}

static uint32_t
deep(struct builder *b, unsigned n)
{
	uint32_t id = integer(b, "int", 4, BTF_INT_SIGNED);

	while (n-- > 0)
		id = type(b, NULL, BTF_KIND_PTR, 0, id);
	return id;
}

static void
bad_members(void **state)
{
	struct builder b;

	(void)state;
	assert_true(ONE_MEMBER(&b, 0, 32, integer(&b, "int", 4, 0)));
	/* beyond the struct, beyond the types, without a type */
	assert_false(ONE_MEMBER(&b, 0, 40, integer(&b, "int", 4, 0)));
	assert_false(ONE_MEMBER(&b, 0, 0, 1000));
	assert_false(ONE_MEMBER(&b, 0, 0, 0));
	/* integers of no size */
	assert_false(ONE_MEMBER(&b, 0, 0, integer(&b, "int", 3, 0)));
	assert_false(ONE_MEMBER(&b, 0, 0, integer(&b, "int", 0, 0)));
	assert_false(ONE_MEMBER(&b, 0, 0, type(&b, "f", BTF_KIND_FLOAT, 0, 3)));
	assert_false(ONE_MEMBER(&b, 0, 0, type(&b, "e", BTF_KIND_ENUM, 0, 16)));
	/* bit-fields: as wide as its type, too wide, of a pointer; a member
	 * that begins in the middle of a byte and is no bit-field */
	assert_true(ONE_MEMBER(&b, KFLAG, 32U << 24, integer(&b, "int", 4, 0)));
	assert_false(
	    ONE_MEMBER(&b, KFLAG, 33U << 24, integer(&b, "int", 4, 0)));
	assert_false(ONE_MEMBER(
	    &b, KFLAG, 3U << 24, type(&b, NULL, BTF_KIND_PTR, 0, 0)));
	assert_false(ONE_MEMBER(&b, 0, 3, integer(&b, "int", 4, 0)));
	/* types that no member can have */
	assert_false(
	    ONE_MEMBER(&b, 0, 0, type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0)));
	assert_false(ONE_MEMBER(&b, 0, 0, type(&b, "f", BTF_KIND_FWD, 0, 0)));
	assert_false(
	    ONE_MEMBER(&b, 0, 0, type(&b, "d", BTF_KIND_DATASEC, 0, 0)));
	/* huge and deep */
	assert_false(ONE_MEMBER(
	    &b, 0, 0, array_of(&b, integer(&b, "long", 8, 0), 1U << 31)));
	assert_true(ONE_MEMBER(&b, 0, 0, deep(&b, 50)));
	assert_false(ONE_MEMBER(&b, 0, 0, deep(&b, 100)));
	/* struct s { struct s m; }, directly and in an array, typedef t t */
	assert_false(ONE_MEMBER(&b, 0, 0, 1));
	assert_false(ONE_MEMBER(&b, 0, 0, array_of(&b, 2, 1)));
	assert_false(
	    ONE_MEMBER(&b, 0, 0, type(&b, "t", BTF_KIND_TYPEDEF, 0, 1)));
	/* but struct s { struct s *m; } */
	assert_true(ONE_MEMBER(&b, 0, 0, type(&b, NULL, BTF_KIND_PTR, 0, 2)));
}

/* Zero-sized unions, each with two of the next: 2^40 ways to look for a name.
 */
static void
many_ways(void **state)
{
	struct ctf_graph g;
	struct builder b;
	uint64_t off;

	(void)state;
	begin(&b, 1, 0);
	for (uint32_t i = 1; i <= 40; i++) {
		type(&b, i == 1 ? "s" : NULL, BTF_KIND_STRUCT, 2, 0);
		member(&b, NULL, i + 1, 0);
		member(&b, NULL, i + 1, 0);
	}
	type(&b, NULL, BTF_KIND_STRUCT, 0, 0);
	import(&b, &g);
	assert_null(ctf_member_find(
	    ctf_resolve(ctf_find(&g, CTF_SP_STRUCT, "s")), "nothing", &off));
	ctf_graph_fini(&g);
}

/* Valid BTF with one integer, in which a test then damages one field. */
static char *
good_bytes(size_t *len)
{
	struct builder b;

	begin(&b, 1, 0);
	integer(&b, "int", 4, BTF_INT_SIGNED);
	return finish(&b, len);
}

/* Future kernels may have longer headers, and <linux/btf.h> may be theirs. */
static void
header_lengths(void **state)
{
	static const uint32_t lengths[] = { HEADER_LEN, HEADER_LEN + 8, 64 };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct btf_blob *bb;
		char *bytes;
		struct err err = { 0 };
		struct builder b;
		size_t len;

		begin(&b, 1, 0);
		integer(&b, "int", 4, BTF_INT_SIGNED);
		bytes = finish_with_header(&b, lengths[i], &len);
		bb = btf_blob_copy(bytes, len, NULL, &err);
		if (bb == NULL)
			fail_msg(
			    "header of %u bytes: %s", lengths[i], err.text);
		assert_int_equal(btf_blob_find(bb, BTF_KIND_INT, "int"), 1);
		btf_blob_close(bb);
		free(bytes);
	}
}

static void
bad_headers(void **state)
{
	static const struct {
		size_t off;
		uint32_t value;
		unsigned size;
	} spoil[] = {
		{ offsetof(struct btf_header, magic), 0x9feb, 2 },
		{ offsetof(struct btf_header, version), 2, 1 },
		{ offsetof(struct btf_header, hdr_len), 20, 4 },
		{ offsetof(struct btf_header, type_off), 2, 4 },
		{ offsetof(struct btf_header, type_off), UINT32_MAX & ~3U, 4 },
		{ offsetof(struct btf_header, type_len), UINT32_MAX, 4 },
		{ offsetof(struct btf_header, str_off), UINT32_MAX, 4 },
		{ offsetof(struct btf_header, str_len), UINT32_MAX, 4 },
		{ offsetof(struct btf_header, str_len), 0, 4 },
		{ offsetof(struct btf_header, str_len), 3, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(spoil) / sizeof(spoil[0]); i++) {
		char *bytes;
		struct err err = { 0 };
		size_t len;

		bytes = good_bytes(&len);
		memcpy(bytes + spoil[i].off, &spoil[i].value, spoil[i].size);
		if (btf_blob_copy(bytes, len, NULL, &err) != NULL)
			fail_msg("header %zu was accepted", i);
		assert_non_null(err.text);
		err_clear(&err);
		free(bytes);
	}
}

/* Valid types before a bad record are found; the message names the fault. */
static void
bad_records(void **state)
{
	static const struct {
		uint32_t name, info, last;
		const char *problem;
	} records[] = {
		{ 1, 31U << 24, 0,
		    "type 2 at offset 16 has the unknown "
		    "kind 31" },
		{ 1, 0, 0, "type 2 at offset 16 has the unknown kind 0" },
		{ 99, BTF_KIND_PTR << 24, 0,
		    "the name of type 2 at offset 16 "
		    "lies beyond the strings" },
		{ 1, BTF_KIND_STRUCT << 24 | 1, 4,
		    "type 2 at offset 16 is cut "
		    "off" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		struct btf_blob *bb;
		struct builder b;

		begin(&b, 1, 0);
		integer(&b, "int", 4, BTF_INT_SIGNED);
		word(&b, records[i].name);
		word(&b, records[i].info);
		word(&b, records[i].last);
		bb = blob(&b, NULL);
		assert_null(btf_blob_problem(bb));
		assert_int_equal(btf_blob_find(bb, BTF_KIND_INT, "int"), 1);
		assert_int_equal(btf_blob_end(bb), 2);
		assert_string_equal(btf_blob_problem(bb), records[i].problem);
		btf_blob_close(bb);
	}
}

static void
no_file(void **state)
{
	struct ctf_import *im = btf_import_create("x", "/nowhere/btf", NULL);
	struct ctf_graph g;

	(void)state;
	ctf_graph_init(&g);
	ctf_import_add(&g, im);
	assert_null(im->problem);
	assert_null(ctf_find(&g, CTF_SP_STRUCT, "s"));
	assert_string_equal(
	    im->problem, "/nowhere/btf: No such file or directory");
	ctf_graph_fini(&g);
}

/* The second lookup of a kind uses an index: the answers are the same. */
static void
indexed(void **state)
{
	struct btf_blob *bb;
	struct builder b;

	(void)state;
	begin(&b, 1, 0);
	for (uint32_t i = 0; i < 100; i++) {
		char name[8];

		snprintf(name, sizeof(name), "s%u", i % 90);
		type(&b, name, BTF_KIND_STRUCT, 0, 0);
		type(&b, name, BTF_KIND_UNION, 0, 0);
	}
	bb = blob(&b, NULL);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(btf_blob_find(bb, BTF_KIND_STRUCT, "s5"), 11);
		assert_int_equal(btf_blob_find(bb, BTF_KIND_UNION, "s5"), 12);
		assert_int_equal(btf_blob_find(bb, BTF_KIND_UNION, "s90"), 0);
		assert_int_equal(btf_blob_find(bb, BTF_KIND_STRUCT, ""), 0);
	}
	assert_int_equal(btf_blob_member(bb, "s5", "x"), -1);
	btf_blob_close(bb);
}

/* struct outer { int a; struct { int b; }; }; typedef struct { int c, d; } t;
 * typedef int number; */
static void
offsets(void **state)
{
	struct btf_blob *bb;
	struct builder b;

	(void)state;
	begin(&b, 1, 0);
	integer(&b, "int", 4, BTF_INT_SIGNED); /* 1 */
	type(&b, NULL, BTF_KIND_STRUCT, 1, 4); /* 2 */
	member(&b, "b", 1, 0);
	type(&b, "outer", BTF_KIND_STRUCT, 2, 8);
	member(&b, "a", 1, 0);
	member(&b, NULL, 2, 32);
	type(&b, NULL, BTF_KIND_STRUCT, 2, 8); /* 4 */
	member(&b, "c", 1, 0);
	member(&b, "d", 1, 32);
	type(&b, "t", BTF_KIND_TYPEDEF, 0, 4);
	type(&b, "number", BTF_KIND_TYPEDEF, 0, 1);
	bb = blob(&b, NULL);
	assert_int_equal(btf_blob_member(bb, "outer", "b"), 32);
	assert_int_equal(btf_blob_member(bb, "t", "d"), 32);
	assert_int_equal(btf_blob_member(bb, "t", "b"), -1);
	assert_int_equal(btf_blob_member(bb, "number", "d"), -1);
	assert_int_equal(btf_blob_member(bb, "nothing", "d"), -1);
	btf_blob_close(bb);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(derived),
		cmocka_unit_test(structs),
		cmocka_unit_test(old_bit_fields),
		cmocka_unit_test(enums),
		cmocka_unit_test(forwards),
		cmocka_unit_test(symbols),
		cmocka_unit_test(split),
		cmocka_unit_test(texts),
		cmocka_unit_test(words),
		cmocka_unit_test(tags),
		cmocka_unit_test(bad_members),
		cmocka_unit_test(many_ways),
		cmocka_unit_test(header_lengths),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(bad_records),
		cmocka_unit_test(no_file),
		cmocka_unit_test(indexed),
		cmocka_unit_test(offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
