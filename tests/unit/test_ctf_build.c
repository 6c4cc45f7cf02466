/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Written CTF reads back the same.  Equal types of several units are stored
 * once.  Tags that units define differently stay apart, with all types that
 * refer to them.  A message names types that a format cannot hold.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "ctf/ctf_build.h"
#include "ctf/ctf_file.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* ---- making nodes -------------------------------------------------------- */

static ctf_ref
number(struct ctf_build *b, const char *name, uint64_t size, uint32_t flags)
{
	struct ctf_node n = { .kind = CTF_K_INTEGER,
		.size = size,
		.name = ctf_build_name(b, name),
		.encoding = flags << 24 | (uint32_t)(8 * size) };

	return ctf_build_add(b, &n);
}

static ctf_ref
derive(struct ctf_build *b, unsigned kind, const char *name, ctf_ref to)
{
	struct ctf_node n = { .kind = (uint8_t)kind,
		.ref = to,
		.name = ctf_build_name(b, name) };

	return ctf_build_add(b, &n);
}

static ctf_ref
tag(struct ctf_build *b, const char *name)
{
	return ctf_build_tag(b, CTF_K_STRUCT, ctf_build_name(b, name));
}

/* struct name { type member; }, declared by the current unit. */
static ctf_ref
declare_struct(
    struct ctf_build *b, const char *name, const char *member, ctf_ref type)
{
	struct ctf_item it = { ctf_build_name(b, member), type, 0 };
	struct ctf_node n = { .kind = CTF_K_STRUCT,
		.size = 8,
		.name = ctf_build_name(b, name),
		.nitems = 1,
		.items = &it };
	ctf_ref r = ctf_build_add(b, &n);

	ctf_build_declare(b, r);
	return r;
}

static ctf_ref
pointer_to(struct ctf_build *b, const char *name)
{
	return derive(b, CTF_K_POINTER, NULL, tag(b, name));
}

/* ---- the written file ---------------------------------------------------- */

struct written {
	struct strbuf img, warnings;
	struct ctf_file *f;
};

static void
finish(struct ctf_build *b, struct written *w, enum ctf_format format,
    bool compress, const char *label)
{
	struct ctf_build_opts opts = { format, compress, label };
	struct err err = { 0 };

	memset(w, 0, sizeof(*w));
	if (ctf_build_encode(b, &opts, &w->img, &w->warnings, &err) != 0)
		fail_msg("%s", err.text);
	w->f = ctf_file_decode(w->img.s, w->img.len, NULL, &err);
	if (w->f == NULL)
		fail_msg("%s", err.text);
}

static void
release(struct ctf_build *b, struct written *w)
{
	ctf_file_close(w->f);
	strbuf_fini(&w->img);
	strbuf_fini(&w->warnings);
	ctf_build_destroy(b);
}

/* The number of the i-th type of a kind and name, or 0. */
static uint32_t
find(const struct ctf_file *f, unsigned kind, const char *name, unsigned nth)
{
	struct ctf_rec r;

	for (uint32_t id = 1; id <= ctf_file_ntypes(f); id++) {
		ctf_file_rec(f, id, &r);
		if (r.kind == kind && strcmp(r.name, name) == 0 && nth-- == 0)
			return id;
	}
	return 0;
}

static unsigned
count(const struct ctf_file *f, unsigned kind, const char *name)
{
	unsigned n = 0;

	while (find(f, kind, name, n) != 0)
		n++;
	return n;
}

static struct ctf_rec
rec(const struct ctf_file *f, uint32_t id)
{
	struct ctf_rec r;

	assert_non_null(ctf_file_rec(f, id, &r));
	return r;
}

static struct ctf_file_member
member(const struct ctf_file *f, uint32_t id, uint32_t i)
{
	struct ctf_rec r = rec(f, id);

	return ctf_file_member(f, &r, i);
}

/* ---- every kind there and back ------------------------------------------- */

static ctf_ref
add_floats(struct ctf_build *b)
{
	char name[] = "f_";
	ctf_ref r = 0;

	for (uint32_t form = 1; form <= 12; form++) {
		struct ctf_node n = { .kind = CTF_K_FLOAT,
			.size = 16,
			.encoding = form << 24 | 128 };

		name[1] = (char)('a' + form - 1);
		n.name = ctf_build_name(b, name);
		r = ctf_build_add(b, &n);
		ctf_build_declare(b, r);
	}
	return r;
}

static void
add_function_and_array(struct ctf_build *b, ctf_ref i, ctf_ref p)
{
	struct ctf_item args[] = { { .type = i }, { .type = p }, { 0 } };
	struct ctf_node fn = {
		.kind = CTF_K_FUNCTION, .ref = i, .nitems = 3, .items = args
	};
	struct ctf_node array = {
		.kind = CTF_K_ARRAY, .ref = i, .index = i, .nelems = 7
	};
	ctf_ref f = ctf_build_add(b, &fn);

	ctf_build_declare(b, ctf_build_add(b, &array));
	ctf_build_declare(b, f);
	ctf_build_symbol(b, false, i, 0);
	ctf_build_symbol(b, false, 0, 0);
	ctf_build_symbol(b, true, f, 0);
	ctf_build_symbol(b, true, 0, 0);
}

static void
add_bodies(struct ctf_build *b, ctf_ref i, ctf_ref bits)
{
	struct ctf_item es[] = { { ctf_build_name(b, "A"), 0, 0 },
		{ ctf_build_name(b, "B"), 0, -5 } };
	struct ctf_item ms[] = { { ctf_build_name(b, "m"), i, 0 },
		{ ctf_build_name(b, "bf"), bits, 32 } };
	struct ctf_item far = { ctf_build_name(b, "far"), i, 0x3fffffff0 };
	struct ctf_node e = { .kind = CTF_K_ENUM,
		.size = 4,
		.nitems = 2,
		.name = ctf_build_name(b, "e"),
		.items = es };
	struct ctf_node s = { .kind = CTF_K_STRUCT,
		.size = 8,
		.nitems = 2,
		.name = ctf_build_name(b, "s"),
		.items = ms };
	struct ctf_node u = { .kind = CTF_K_UNION,
		.size = 8,
		.nitems = 1,
		.name = ctf_build_name(b, "u"),
		.items = ms };
	struct ctf_node big = { .kind = CTF_K_STRUCT,
		.nitems = 1,
		.size = UINT64_C(1) << 33,
		.name = ctf_build_name(b, "big"),
		.items = &far };

	ctf_build_declare(b, ctf_build_add(b, &e));
	ctf_build_declare(b, ctf_build_add(b, &s));
	ctf_build_declare(b, ctf_build_add(b, &u));
	ctf_build_declare(b, ctf_build_add(b, &big));
}

static struct ctf_build *
build_everything(void)
{
	struct ctf_build *b = ctf_build_create();
	struct ctf_node bf = { .kind = CTF_K_INTEGER,
		.is_hidden = true,
		.size = 4,
		.name = ctf_build_name(b, "unsigned int"),
		.encoding = 3 };
	ctf_ref i = number(b, "int", 4, 1), p = pointer_to(b, "s"), t;

	add_bodies(b, i, ctf_build_add(b, &bf));
	add_floats(b);
	ctf_build_declare(b, number(b, "char", 1, 3));
	ctf_build_declare(b, number(b, "_Bool", 1, 4));
	ctf_build_declare(b, number(b, "va", 4, 8));
	t = derive(b, CTF_K_TYPEDEF, "i_t", i);
	t = derive(b, CTF_K_VOLATILE, NULL, t);
	t = derive(b, CTF_K_CONST, NULL, t);
	ctf_build_declare(b, t);
	ctf_build_declare(b, derive(b, CTF_K_RESTRICT, NULL, p));
	ctf_build_declare(b, pointer_to(b, "nowhere"));
	add_function_and_array(b, i, p);
	return b;
}

static void
check_numbers(const struct ctf_file *f)
{
	char name[] = "f_";

	for (uint32_t form = 1; form <= 12; form++) {
		name[1] = (char)('a' + form - 1);
		assert_int_equal(rec(f, find(f, CTF_K_FLOAT, name, 0)).encoding,
		    form << 24 | 128);
	}
	assert_int_equal(
	    rec(f, find(f, CTF_K_INTEGER, "int", 0)).encoding, 1 << 24 | 32);
	assert_int_equal(
	    rec(f, find(f, CTF_K_INTEGER, "char", 0)).encoding, 3 << 24 | 8);
	assert_int_equal(
	    rec(f, find(f, CTF_K_INTEGER, "_Bool", 0)).encoding, 4 << 24 | 8);
	assert_int_equal(
	    rec(f, find(f, CTF_K_INTEGER, "va", 0)).encoding, 8 << 24 | 32);
}

static void
check_bodies(const struct ctf_file *f)
{
	uint32_t s = find(f, CTF_K_STRUCT, "s", 0);
	uint32_t big = find(f, CTF_K_STRUCT, "big", 0);
	struct ctf_rec e = rec(f, find(f, CTF_K_ENUM, "e", 0)), bits;

	assert_string_equal(member(f, s, 0).name, "m");
	assert_int_equal(member(f, s, 1).bit_off, 32);
	bits = rec(f, member(f, s, 1).type);
	assert_int_equal(bits.encoding, 3);
	assert_false(bits.is_root);
	assert_int_equal(rec(f, big).size, UINT64_C(1) << 33);
	assert_int_equal(member(f, big, 0).bit_off, 0x3fffffff0);
	assert_int_equal(e.vlen, 2);
	assert_string_equal(ctf_file_enum(f, &e, 1).name, "B");
	assert_int_equal(ctf_file_enum(f, &e, 1).value, -5);
}

static void
check_derived(const struct ctf_file *f)
{
	uint32_t c = find(f, CTF_K_CONST, "", 0);
	uint32_t i = find(f, CTF_K_INTEGER, "int", 0);
	struct ctf_rec fn = rec(f, find(f, CTF_K_FUNCTION, "", 0));
	struct ctf_rec array = rec(f, find(f, CTF_K_ARRAY, "", 0)), fwd;

	assert_int_equal(rec(f, c).ref, find(f, CTF_K_VOLATILE, "", 0));
	assert_int_equal(
	    rec(f, rec(f, c).ref).ref, find(f, CTF_K_TYPEDEF, "i_t", 0));
	assert_int_equal(rec(f, rec(f, rec(f, c).ref).ref).ref, i);
	/* the pointer leads to the tag's body, not to a forward declaration */
	assert_int_equal(rec(f, rec(f, find(f, CTF_K_RESTRICT, "", 0)).ref).ref,
	    find(f, CTF_K_STRUCT, "s", 0));
	fwd = rec(f, find(f, CTF_K_FORWARD, "nowhere", 0));
	assert_int_equal(fwd.ref, CTF_K_STRUCT);
	assert_int_equal(fn.ref, i);
	assert_int_equal(fn.vlen, 3);
	assert_int_equal(ctf_file_arg(f, &fn, 0), i);
	assert_int_equal(ctf_file_arg(f, &fn, 2), 0);
	assert_int_equal(ctf_file_array(f, &array).nelems, 7);
	assert_int_equal(ctf_file_array(f, &array).contents, i);
}

static int
note_object(void *arg, const struct ctf_object *o)
{
	strbuf_printf(arg, "%u/%u ", o->type, o->nargs);
	return 0;
}

static void
check_symbols(const struct ctf_file *f)
{
	uint32_t i = find(f, CTF_K_INTEGER, "int", 0);
	char *expect = mem_printf("%u/0 | %u/3 ", i, i);
	struct strbuf sb = { 0 };

	ctf_file_objects(f, note_object, &sb);
	strbuf_adds(&sb, "| ");
	ctf_file_funcs(f, note_object, &sb);
	assert_string_equal(sb.s, expect);
	strbuf_fini(&sb);
	free(expect);
}

static void
there_and_back(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		enum ctf_format format = i & 1 ? CTF_FMT_V3 : CTF_FMT_V2;
		struct ctf_build *b = build_everything();
		struct written w;

		finish(b, &w, format, i & 2, "all");
		assert_int_equal(ctf_file_header(w.f)->format, format);
		assert_int_equal(ctf_file_header(w.f)->flags, i & 2 ? 1 : 0);
		check_numbers(w.f);
		check_bodies(w.f);
		check_derived(w.f);
		check_symbols(w.f);
		assert_int_equal(ctf_file_nlabels(w.f), 1);
		assert_string_equal(ctf_file_label(w.f, 0).name, "all");
		assert_int_equal(
		    ctf_file_label(w.f, 0).last, ctf_file_ntypes(w.f));
		assert_null(w.warnings.s);
		release(b, &w);
	}
}

static void
nothing(void **state)
{
	struct ctf_build *b = ctf_build_create();
	struct written w;

	(void)state;
	finish(b, &w, CTF_FMT_V2, false, NULL);
	assert_int_equal(ctf_file_ntypes(w.f), 0);
	assert_int_equal(w.img.len, 36 + 1);
	release(b, &w);
}

/* ---- stored once --------------------------------------------------------- */

/* Two units with the same types; a list through a pointer to itself. */
static void
units_share(void **state)
{
	struct ctf_build *b = ctf_build_create();
	struct written w;

	(void)state;
	for (int unit = 0; unit < 2; unit++) {
		ctf_build_unit(b);
		declare_struct(b, "list", "next", pointer_to(b, "list"));
		declare_struct(b, "a", "b", pointer_to(b, "b"));
		declare_struct(b, "b", "a", pointer_to(b, "a"));
	}
	finish(b, &w, CTF_FMT_V2, false, NULL);
	/* three structs and a pointer to each */
	assert_int_equal(ctf_file_ntypes(w.f), 6);
	assert_int_equal(
	    rec(w.f, member(w.f, find(w.f, CTF_K_STRUCT, "a", 0), 0).type).ref,
	    find(w.f, CTF_K_STRUCT, "b", 0));
	release(b, &w);
}

/* A unit that only declares a tag uses the body from another unit. */
static void
forward_meets_body(void **state)
{
	struct ctf_build *b = ctf_build_create();
	struct written w;

	(void)state;
	declare_struct(b, "user", "p", pointer_to(b, "opaque"));
	ctf_build_unit(b);
	declare_struct(b, "opaque", "x", number(b, "int", 4, 1));
	finish(b, &w, CTF_FMT_V2, false, NULL);
	assert_int_equal(count(w.f, CTF_K_FORWARD, "opaque"), 0);
	assert_int_equal(
	    rec(w.f, member(w.f, find(w.f, CTF_K_STRUCT, "user", 0), 0).type)
		.ref,
	    find(w.f, CTF_K_STRUCT, "opaque", 0));
	release(b, &w);
}

/* ---- contradictions ------------------------------------------------------ */

/*
 * Two units have a `struct config` of their own, and the same `struct user`
 * with a pointer to it; `struct plain` does not refer to it.
 */
static struct ctf_build *
build_conflict(void)
{
	static const char *const members[] = { "first", "second" };
	struct ctf_build *b = ctf_build_create();

	for (int i = 0; i < 2; i++) {
		if (i > 0)
			ctf_build_unit(b);
		declare_struct(b, "config", members[i], number(b, "int", 4, 1));
		declare_struct(b, "user", "c", pointer_to(b, "config"));
		declare_struct(b, "plain", "i", number(b, "int", 4, 1));
	}
	return b;
}

static const char *
config_of_user(const struct ctf_file *f, unsigned nth)
{
	uint32_t user = find(f, CTF_K_STRUCT, "user", nth);
	uint32_t config = rec(f, member(f, user, 0).type).ref;

	return member(f, config, 0).name;
}

static void
contradictions_stay_apart(void **state)
{
	struct ctf_build *b = build_conflict();
	struct written w;

	(void)state;
	finish(b, &w, CTF_FMT_V2, false, NULL);
	assert_int_equal(count(w.f, CTF_K_STRUCT, "config"), 2);
	assert_int_equal(count(w.f, CTF_K_STRUCT, "user"), 2);
	assert_int_equal(count(w.f, CTF_K_STRUCT, "plain"), 1);
	assert_string_equal(config_of_user(w.f, 0), "first");
	assert_string_equal(config_of_user(w.f, 1), "second");
	/* the first is found by name */
	assert_true(rec(w.f, find(w.f, CTF_K_STRUCT, "config", 0)).is_root);
	assert_false(rec(w.f, find(w.f, CTF_K_STRUCT, "config", 1)).is_root);
	release(b, &w);
}

/* A third unit, without a body of its own, shares the types of the first. */
static void
who_does_not_know_agrees(void **state)
{
	struct ctf_build *b = build_conflict();
	struct written w;

	(void)state;
	ctf_build_unit(b);
	declare_struct(b, "user", "c", pointer_to(b, "config"));
	finish(b, &w, CTF_FMT_V2, false, NULL);
	assert_int_equal(count(w.f, CTF_K_STRUCT, "user"), 2);
	assert_int_equal(count(w.f, CTF_K_FORWARD, "config"), 0);
	release(b, &w);
}

/* The symbols of a unit use the unit's own definition of the tag. */
static void
symbols_follow_their_unit(void **state)
{
	struct ctf_build *b = build_conflict();
	struct strbuf sb = { 0 };
	struct written w;
	char *expect;

	(void)state;
	ctf_build_symbol(b, false, tag(b, "config"), 1);
	ctf_build_symbol(b, false, tag(b, "config"), 0);
	finish(b, &w, CTF_FMT_V2, false, NULL);
	expect = mem_printf("%u/0 %u/0 ", find(w.f, CTF_K_STRUCT, "config", 1),
	    find(w.f, CTF_K_STRUCT, "config", 0));
	ctf_file_objects(w.f, note_object, &sb);
	assert_string_equal(sb.s, expect);
	free(expect);
	strbuf_fini(&sb);
	release(b, &w);
}

/* ---- limits -------------------------------------------------------------- */

static void
declare_enum(struct ctf_build *b, const char *name, uint32_t n, int64_t first)
{
	struct ctf_item *items = mem_alloc(n * sizeof(*items));
	struct ctf_node e = { .kind = CTF_K_ENUM,
		.size = 8,
		.nitems = n,
		.name = ctf_build_name(b, name),
		.items = items };

	for (uint32_t i = 0; i < n; i++)
		items[i] =
		    (struct ctf_item){ ctf_build_name(b, "X"), 0, first + i };
	ctf_build_declare(b, ctf_build_add(b, &e));
	free(items);
}

static void
too_many_elements(void **state)
{
	struct written w;

	(void)state;
	for (uint32_t n = 1023; n <= 1024; n++) {
		struct ctf_build *b = ctf_build_create();

		declare_enum(b, "many", n, 0);
		finish(b, &w, CTF_FMT_V2, false, NULL);
		assert_int_equal(count(w.f, CTF_K_ENUM, "many"), n == 1023);
		assert_int_equal(count(w.f, CTF_K_FORWARD, "many"), n != 1023);
		if (n == 1024)
			assert_string_equal(w.warnings.s,
			    "ENUM many: it has "
			    "too many elements for the format (1024); only its "
			    "name is written\n");
		release(b, &w);
	}
	{
		struct ctf_build *b = ctf_build_create();

		declare_enum(b, "many", 1024, 0);
		finish(b, &w, CTF_FMT_V3, false, NULL);
		assert_int_equal(count(w.f, CTF_K_ENUM, "many"), 1);
		release(b, &w);
	}
}

static void
wide_enumerators(void **state)
{
	struct ctf_build *b = ctf_build_create();
	struct written w;

	(void)state;
	declare_enum(b, "wide", 3, UINT32_MAX - 1);
	finish(b, &w, CTF_FMT_V2, false, NULL);
	assert_int_equal(rec(w.f, find(w.f, CTF_K_ENUM, "wide", 0)).vlen, 2);
	assert_non_null(strstr(w.warnings.s,
	    "ENUM wide: enumerators that do "
	    "not fit in 32 bits are left out (1)"));
	release(b, &w);
}

static void
member_outside(void **state)
{
	struct ctf_build *b = ctf_build_create();
	struct ctf_item it = { ctf_build_name(b, "m"), 0, 72 };
	struct ctf_node n = { .kind = CTF_K_STRUCT,
		.size = 8,
		.nitems = 1,
		.name = ctf_build_name(b, "s"),
		.items = &it };
	struct written w;

	(void)state;
	ctf_build_declare(b, ctf_build_add(b, &n));
	finish(b, &w, CTF_FMT_V2, false, NULL);
	assert_int_equal(count(w.f, CTF_K_FORWARD, "s"), 1);
	assert_non_null(strstr(w.warnings.s, "a member lies outside"));
	release(b, &w);
}

/* Version 2 has numbers for 0x7fff types; one more is refused, or makes it
 * version 3. */
static void
too_many_types(void **state)
{
	struct ctf_build_opts v2 = { CTF_FMT_V2, false, NULL };
	struct ctf_build *b = ctf_build_create();
	struct strbuf out = { 0 }, warnings = { 0 };
	ctf_ref i = number(b, "int", 4, 1);
	struct written w;
	char name[16];
	struct err err = { 0 };

	(void)state;
	for (int n = 1; n < 0x7fff; n++) {
		snprintf(name, sizeof(name), "t%d", n);
		ctf_build_declare(b, derive(b, CTF_K_TYPEDEF, name, i));
	}
	finish(b, &w, CTF_FMT_V2, false, NULL);
	assert_int_equal(ctf_file_ntypes(w.f), 0x7fff);
	ctf_file_close(w.f);
	strbuf_fini(&w.img);
	ctf_build_declare(b, derive(b, CTF_K_TYPEDEF, "last", i));
	assert_int_equal(
	    ctf_build_encode(b, &v2, &out, &warnings, &err), -EINVAL);
	assert_string_equal(err.text,
	    "there are 32768 types, but CTF version 2 has "
	    "numbers for only 32767; version 3 (ctfconvert -3) has more");
	err_clear(&err);
	finish(b, &w, CTF_FMT_V3, false, NULL);
	assert_int_equal(ctf_file_ntypes(w.f), 0x8000);
	strbuf_fini(&out);
	strbuf_fini(&warnings);
	release(b, &w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(nothing),
		cmocka_unit_test(units_share),
		cmocka_unit_test(forward_meets_body),
		cmocka_unit_test(contradictions_stay_apart),
		cmocka_unit_test(who_does_not_know_agrees),
		cmocka_unit_test(symbols_follow_their_unit),
		cmocka_unit_test(too_many_elements),
		cmocka_unit_test(wide_enumerators),
		cmocka_unit_test(member_outside),
		cmocka_unit_test(too_many_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
