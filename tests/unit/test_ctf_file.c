/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CTF codec reads every kind and encoding, in all forms and byte orders,
 * compressed or not.  It refuses malformed files and says where the fault is.
 */
#include "unit.h"

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "ctf/ctf_set.h"
#include "ctf/ctf_elf.h"
#include "ctf_make.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* ---- every kind ---------------------------------------------------------- */

struct expect {
	unsigned kind;
	const char *name;
	bool is_root;
	uint64_t size;
	uint32_t ref, vlen, encoding;
};

#define ENC(flags, bits) ((uint32_t)(flags) << 24 | (bits))
#define FLOAT(n, name)                                                         \
	{                                                                      \
		CTF_K_FLOAT, name, true, 16, 0, 0, ENC(n, 128)                 \
	}

static const struct expect every[] = {
	{ CTF_K_INTEGER, "int", true, 4, 0, 0, ENC(1, 32) },
	{ CTF_K_INTEGER, "char", true, 1, 0, 0, ENC(3, 8) },
	{ CTF_K_INTEGER, "_Bool", true, 1, 0, 0, ENC(4, 8) },
	{ CTF_K_INTEGER, "unsigned int", false, 4, 0, 0, ENC(0, 3) },
	{ CTF_K_INTEGER, "va", true, 4, 0, 0, ENC(8, 32) },
	FLOAT(1, "fa"),
	FLOAT(2, "fb"),
	FLOAT(3, "fc"),
	FLOAT(4, "fd"),
	FLOAT(5, "fe"),
	FLOAT(6, "ff"),
	FLOAT(7, "fg"),
	FLOAT(8, "fh"),
	FLOAT(9, "fi"),
	FLOAT(10, "fj"),
	FLOAT(11, "fk"),
	FLOAT(12, "fl"),
	{ CTF_K_POINTER, "", true, 0, 19, 0, 0 },
	{ CTF_K_STRUCT, "s", true, 8, 0, 2, 0 },
	{ CTF_K_UNION, "u", true, 4, 0, 2, 0 },
	{ CTF_K_ENUM, "e", true, 4, 0, 2, 0 },
	{ CTF_K_FORWARD, "fwd", true, 0, CTF_K_STRUCT, 0, 0 },
	{ CTF_K_TYPEDEF, "s_t", true, 0, 19, 0, 0 },
	{ CTF_K_VOLATILE, "", true, 0, 1, 0, 0 },
	{ CTF_K_CONST, "", true, 0, 24, 0, 0 },
	{ CTF_K_RESTRICT, "", true, 0, 18, 0, 0 },
	{ CTF_K_ARRAY, "", true, 0, 0, 0, 0 },
	{ CTF_K_FUNCTION, "", true, 0, 1, 3, 0 },
	{ CTF_K_UNKNOWN, "", false, 0, 0, 0, 0 },
	{ CTF_K_STRUCT, "big", true, UINT64_C(1) << 32, 0, 1, 0 },
	{ CTF_K_SLICE, "", false, 1, 0, 0, 0 },
};

static struct ctf_sym symbols[] = {
	{ "x", false },
	{ "main", true },
	{ "nodata", false },
	{ "nofunc", true },
	{ "y", false },
	{ "vf", true },
};
static const char symbol_strings[] = "\0external";

static void
check_heads(const struct ctf_file *f)
{
	for (uint32_t i = 0; i < ctf_file_ntypes(f); i++) {
		const struct expect *e = &every[i];
		struct ctf_rec r;

		assert_ptr_equal(ctf_file_rec(f, i + 1, &r), f);
		assert_int_equal(r.kind, e->kind);
		assert_string_equal(r.name, e->name);
		assert_int_equal(r.is_root, e->is_root);
		assert_int_equal(r.size, e->size);
		assert_int_equal(r.ref, e->ref);
		assert_int_equal(r.vlen, e->vlen);
		assert_int_equal(r.encoding, e->encoding);
	}
}

static void
check_member(const struct ctf_file *f, uint32_t id, uint32_t i,
    const char *name, uint32_t type, uint64_t off)
{
	struct ctf_file_member m;
	struct ctf_rec r;

	ctf_file_rec(f, id, &r);
	m = ctf_file_member(f, &r, i);
	assert_string_equal(m.name, name);
	assert_int_equal(m.type, type);
	assert_int_equal(m.bit_off, off);
}

static void
check_bodies(const struct ctf_file *f)
{
	struct ctf_enumerator e;
	struct ctf_file_array a;
	struct ctf_rec r;

	check_member(f, 19, 0, "a", 1, 0);
	check_member(f, 19, 1, "bf", 4, 32);
	check_member(f, 20, 1, "c", 2, 0);
	check_member(f, 30, 0, "far", 1, 0x123456780);
	ctf_file_rec(f, 21, &r);
	e = ctf_file_enum(f, &r, 1);
	assert_string_equal(e.name, "B");
	assert_int_equal(e.value, -1);
	ctf_file_rec(f, 27, &r);
	a = ctf_file_array(f, &r);
	assert_int_equal(a.contents, 2);
	assert_int_equal(a.index, 1);
	assert_int_equal(a.nelems, 16);
	ctf_file_rec(f, 28, &r);
	assert_int_equal(ctf_file_arg(f, &r, 1), 18);
	assert_int_equal(ctf_file_arg(f, &r, 2), 0);
}

static void
check_slice(const struct ctf_file *f)
{
	struct ctf_file_slice s;
	struct ctf_rec r;

	ctf_file_rec(f, 31, &r);
	s = ctf_file_slice(f, &r);
	assert_int_equal(s.type, 21);
	assert_int_equal(s.bit_off, 1);
	assert_int_equal(s.bits, 2);
}

struct list {
	const struct ctf_file *f;
	struct strbuf sb;
};

static int
list_object(void *arg, const struct ctf_object *o)
{
	struct list *l = arg;

	strbuf_printf(&l->sb, "%s:%u", o->name, o->type);
	for (uint32_t i = 0; i < o->nargs; i++)
		strbuf_printf(&l->sb, ",%u", ctf_object_arg(l->f, o, i));
	strbuf_addc(&l->sb, ' ');
	return 0;
}

static void
check_list(const struct ctf_file *f,
    int (*walk)(const struct ctf_file *, ctf_object_f *, void *),
    const char *expect)
{
	struct list l = { f, { 0 } };

	assert_int_equal(walk(f, list_object, &l), 0);
	assert_string_equal(l.sb.s != NULL ? l.sb.s : "", expect);
	strbuf_fini(&l.sb);
}

static void
check_symbols(const struct ctf_file *f, bool gnu)
{
	struct ctf_label l;

	check_list(f, ctf_file_objects, "x:1 y:19 ");
	check_list(f, ctf_file_funcs,
	    gnu ? "main:28 vf:28 " : "main:1,1,18 vf:1,1,18,0 ");
	check_list(f, ctf_file_vars, gnu ? "v:20 " : "");
	assert_int_equal(ctf_file_nlabels(f), 1);
	l = ctf_file_label(f, 0);
	assert_string_equal(l.name, "label");
	assert_int_equal(l.last, 27);
}

static void
check_form(enum ctf_format format, bool swap, bool compress)
{
	struct ctf_make m = { .format = format,
		.swap = swap,
		.flags = compress ? COMPRESSED : 0 };
	struct ctf_syms syms = { { symbols, N(symbols), 0 }, symbol_strings,
		sizeof(symbol_strings) };
	struct strbuf img = { 0 };
	struct ctf_file *f;
	struct err err = { 0 };

	mk_everything(&m);
	mk_finish(&m, &img);
	f = ctf_file_decode(img.s, img.len, &syms, &err);
	if (f == NULL)
		fail_msg("%s", err.text);
	assert_int_equal(ctf_file_ntypes(f), format == CTF_FMT_GNU ? 31 : 30);
	assert_int_equal(ctf_file_header(f)->is_swapped, swap);
	check_heads(f);
	check_bodies(f);
	if (format == CTF_FMT_GNU)
		check_slice(f);
	check_symbols(f, format == CTF_FMT_GNU);
	ctf_file_close(f);
	strbuf_fini(&img);
	mk_free(&m);
}

static void
every_form(void **state)
{
	(void)state;
	for (int format = CTF_FMT_V2; format <= CTF_FMT_GNU; format++) {
		for (int i = 0; i < 4; i++)
			check_form((enum ctf_format)format, i & 1, i & 2);
	}
}

static void
encodings_have_names(void **state)
{
	(void)state;
	assert_string_equal(ctf_float_name(ENC(1, 32)), "SINGLE");
	assert_string_equal(ctf_float_name(ENC(12, 128)), "LDIMAGRY");
	assert_string_equal(ctf_float_name(ENC(13, 128)), "?");
}

/* ---- malformed ----------------------------------------------------------- */

#define HEADER (-1)

/*
 * One changed field of the dictionary that holds everything: `size` bytes at
 * `off` of a section (after the start of type `id`, if given).
 */
struct damage {
	enum ctf_format format;
	int sect; /* or HEADER */
	uint32_t id, off;
	unsigned size;
	uint64_t value;
	const char *expect; /* a part of the message */
};

static const struct damage damages[] = {
	/* header */
	{ CTF_FMT_V2, HEADER, 0, 0, 2, 0x1234, "header, offset 0x0: 0x1234" },
	{ CTF_FMT_V2, HEADER, 0, 2, 1, 1, "offset 0x2: version 1 is not" },
	{ CTF_FMT_V2, HEADER, 0, 2, 1, 9, "offset 0x2: version 9 is not" },
	{ CTF_FMT_GNU, HEADER, 0, 2, 1, 3, "offset 0x2: GNU version number 3" },
	{ CTF_FMT_V2, HEADER, 0, 3, 1, 4, "offset 0x3: unknown flags 0x4" },
	{ CTF_FMT_V2, HEADER, 0, 3, 1, 1,
	    "offset 0x3: the compressed data is" },
	{ CTF_FMT_GNU, HEADER, 0, 3, 1, 0x10, "0x3: unknown flags 0x10" },
	{ CTF_FMT_GNU, HEADER, 0, 3, 1, 0, "0x3: functions in the form of" },
	{ CTF_FMT_V2, HEADER, 0, 4, 4, 0x9999, "header, offset 0x4: string" },
	{ CTF_FMT_V2, HEADER, 0, 8, 4, 0x9999, "header, offset 0x8: string" },
	{ CTF_FMT_GNU, HEADER, 0, 12, 4, 0x9999, "offset 0xc: string 0x9999" },
	{ CTF_FMT_V2, HEADER, 0, 12, 4, 2,
	    "0xc: the label section begins at "
	    "0x2, not at a multiple of 4" },
	{ CTF_FMT_V2, HEADER, 0, 16, 4, 9, "0x10: the object section begins" },
	{ CTF_FMT_V2, HEADER, 0, 20, 4, 1,
	    "0x14: the function section begins "
	    "at 0x1, inside the section before it (0x8)" },
	{ CTF_FMT_V2, HEADER, 0, 24, 4, 0x12,
	    "0x18: the type section begins at "
	    "0x12, not at a multiple of 4" },
	{ CTF_FMT_V2, HEADER, 0, 28, 4, 0, "0x1c: the string section begins" },
	{ CTF_FMT_V2, HEADER, 0, 32, 4, 0, "follow the header" },
	{ CTF_FMT_V2, HEADER, 0, 32, 4, 0xffffffff,
	    "0x20: 0xffffffff bytes of "
	    "strings" },
	{ CTF_FMT_GNU, HEADER, 0, 28, 4, 2, "0x1c: the object index section" },
	{ CTF_FMT_GNU, HEADER, 0, 32, 4, 2, "0x20: the function index" },
	{ CTF_FMT_GNU, HEADER, 0, 36, 4, 2, "0x24: the variable section" },
	/* labels */
	{ CTF_FMT_V2, CTF_SECT_LABELS, 0, 0, 4, 0x9999,
	    "label section, offset 0x0: string 0x9999" },
	{ CTF_FMT_V2, CTF_SECT_LABELS, 0, 0, 4, 0x80000099,
	    "label section, offset 0x0: string 0x99 of the symbol table" },
	{ CTF_FMT_V2, CTF_SECT_LABELS, 0, 4, 4, 31,
	    "label section, offset 0x4: type 0x1f, but the last is 0x1e" },
	/* objects, functions, variables */
	{ CTF_FMT_V2, CTF_SECT_OBJECTS, 0, 2, 2, 31,
	    "object section, offset 0x2: type 0x1f" },
	{ CTF_FMT_V3, CTF_SECT_OBJECTS, 0, 8, 4, 0x80000001,
	    "object section, offset 0x8: type 0x80000001 is a child's" },
	{ CTF_FMT_V2, CTF_SECT_FUNCS, 0, 0, 2, 0x3002,
	    "function section, offset 0x0: 0x3002 is neither" },
	{ CTF_FMT_V2, CTF_SECT_FUNCS, 0, 8, 2, 0x0001,
	    "function section, offset 0x8: 0x1 is neither" },
	{ CTF_FMT_V2, CTF_SECT_FUNCS, 0, 10, 2, 0x28ff,
	    "function section, offset 0xa: 255 arguments go beyond" },
	{ CTF_FMT_V2, CTF_SECT_FUNCS, 0, 2, 2, 99,
	    "function section, offset 0x2: type 0x63" },
	{ CTF_FMT_V2, CTF_SECT_FUNCS, 0, 6, 2, 99,
	    "function section, offset 0x6: type 0x63" },
	{ CTF_FMT_GNU, CTF_SECT_FUNCS, 0, 8, 4, 99,
	    "function section, offset 0x8: type 0x63" },
	{ CTF_FMT_GNU, CTF_SECT_VARS, 0, 0, 4, 0x9999,
	    "variable section, offset 0x0: string 0x9999" },
	{ CTF_FMT_GNU, CTF_SECT_VARS, 0, 4, 4, 99,
	    "variable section, offset 0x4: type 0x63" },
	/* types: each field of each kind */
	{ CTF_FMT_V2, CTF_SECT_TYPES, 1, 0, 4, 0x9999,
	    "type section, offset 0x0: string 0x9999" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 1, 4, 2, 14 << 11,
	    "type section, offset 0x0: there is no kind 14" },
	{ CTF_FMT_V3, CTF_SECT_TYPES, 1, 4, 4, 31u << 26,
	    "type section, offset 0x0: there is no kind 31" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 1, 8, 4, 0x10000020,
	    "type section, offset 0x8: integer with unknown flags 0x10" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 1, 8, 4, 0x01000021,
	    "type section, offset 0x8: bits 0 to 33 of a number of 4" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 1, 8, 4, 0x01080020,
	    "type section, offset 0x8: bits 8 to 40 of a number of 4" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 6, 8, 4, 0x00000080,
	    "there is no floating point form 0" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 6, 8, 4, 0x0d000080,
	    "there is no floating point form 13" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 18, 6, 2, 31, "type 0x1f, but the last" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 19, 4, 2, 0x37ff,
	    "1023 elements of STRUCT go beyond" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 19, 8, 4, 0x9999, "string 0x9999" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 19, 12, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 19, 14, 2, 72,
	    "member 'a' at bit 72 of 8 bytes" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 21, 8, 4, 0x9999, "string 0x9999" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 22, 6, 2, 1,
	    "kind 1 cannot be declared forward" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 23, 6, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 24, 6, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 25, 6, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 26, 6, 2, 0x8001, "0x8001 is a child's" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 27, 8, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 27, 10, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 28, 6, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 28, 10, 2, 31, "type 0x1f" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 30, 16, 4, 0x9999, "string 0x9999" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 30, 24, 4, 9, "member 'far' at bit" },
	{ CTF_FMT_V2, CTF_SECT_TYPES, 30, 4, 2, 0x3402,
	    "2 elements of STRUCT go beyond" },
	{ CTF_FMT_GNU, CTF_SECT_TYPES, 31, 12, 4, 99, "type 0x63" },
	{ CTF_FMT_GNU, CTF_SECT_TYPES, 31, 18, 2, 128,
	    "a slice of bits 1 to 129" },
	/* strings */
	{ CTF_FMT_V2, CTF_SECT_STRINGS, 0, 0, 1, 'x',
	    "string section, offset 0x0: the first string is not empty" },
};

/* Decode from memory of exactly the image's size, so that a sanitizer sees
 * reads beyond it. */
static struct ctf_file *
decode_exactly(
    const struct strbuf *img, const struct ctf_syms *syms, struct err *err)
{
	char *copy = malloc(img->len);
	struct ctf_file *f;

	memcpy(copy, img->s, img->len);
	f = ctf_file_decode(copy, img->len, syms, err);
	if (f == NULL) {
		free(copy);
		return NULL;
	}
	ctf_file_close(f);
	free(copy);
	return f;
}

static size_t
place_of(const struct ctf_make *m, const struct damage *d)
{
	size_t at = m->format == CTF_FMT_GNU ? 52 : 36;

	if (d->sect == HEADER)
		return d->off;
	for (int i = 0; i < d->sect; i++)
		at += mk_has_sect(m, i) ? m->sects[i].len : 0;
	return at + m->recs[d->id] + d->off;
}

static void
check_damage(const struct damage *d)
{
	struct ctf_make m = { .format = d->format };
	struct ctf_syms syms = { { symbols, N(symbols), 0 }, symbol_strings,
		sizeof(symbol_strings) };
	struct strbuf img = { 0 };
	struct err err = { 0 };

	mk_everything(&m);
	mk_finish(&m, &img);
	for (unsigned i = 0; i < d->size; i++)
		img.s[place_of(&m, d) + i] = (char)(d->value >> 8 * i);
	if (decode_exactly(&img, &syms, &err) != NULL)
		fail_msg("accepted, instead of: %s", d->expect);
	if (strstr(err.text, d->expect) == NULL)
		fail_msg("'%s' does not say: %s", err.text, d->expect);
	err_clear(&err);
	strbuf_fini(&img);
	mk_free(&m);
}

static void
each_field_is_checked(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(damages); i++)
		check_damage(&damages[i]);
}

static void
every_prefix_is_refused(void **state)
{
	(void)state;
	for (int format = CTF_FMT_V2; format <= CTF_FMT_GNU; format++) {
		struct ctf_make m = { .format = (enum ctf_format)format };
		struct strbuf img = { 0 };
		size_t len;

		mk_everything(&m);
		mk_finish(&m, &img);
		for (len = img.len - 1; len > 0; len--) {
			struct err err = { 0 };

			img.len = len;
			assert_null(decode_exactly(&img, NULL, &err));
			assert_non_null(err.text);
			err_clear(&err);
		}
		strbuf_fini(&img);
		mk_free(&m);
	}
}

/* Items that end before their last byte. */
static void
cut_off(void **state)
{
	static const struct {
		enum ctf_format format;
		enum ctf_sect_id sect;
		unsigned n;
		const char *expect;
	} cuts[] = {
		{ CTF_FMT_V2, CTF_SECT_TYPES, 1, "the last record is cut off" },
		{ CTF_FMT_V3, CTF_SECT_TYPES, 2, "the last record is cut off" },
		{ CTF_FMT_V2, CTF_SECT_TYPES, 2, "64-bit size is cut off" },
		{ CTF_FMT_V2, CTF_SECT_LABELS, 1,
		    "label section, offset 0x4: "
		    "its length is not a multiple of 8" },
		{ CTF_FMT_GNU, CTF_SECT_VARS, 1,
		    "variable section, offset "
		    "0x4: its length is not a multiple of 8" },
	};

	(void)state;
	for (size_t i = 0; i < N(cuts); i++) {
		struct ctf_make m = { .format = cuts[i].format };
		struct strbuf img = { 0 };
		struct err err = { 0 };

		/* words that read as an INTEGER whose size is in 64 bits */
		for (unsigned k = 0; k < cuts[i].n; k++)
			mk_put(&m, cuts[i].sect, k == 0 ? 0 : 0xffff0800, 4);
		mk_finish(&m, &img);
		assert_null(decode_exactly(&img, NULL, &err));
		if (strstr(err.text, cuts[i].expect) == NULL)
			fail_msg(
			    "'%s' does not say: %s", err.text, cuts[i].expect);
		err_clear(&err);
		strbuf_fini(&img);
		mk_free(&m);
	}
}

/* An index section must be as long as the section that it indexes. */
static void
index_without_entries_is_refused(void **state)
{
	struct ctf_make m = { .format = CTF_FMT_GNU };
	struct strbuf img = { 0 };
	struct err err = { 0 };

	(void)state;
	mk_everything(&m);
	mk_put(&m, CTF_SECT_OBJIDX, mk_str(&m, "x"), 4);
	mk_finish(&m, &img);
	assert_null(decode_exactly(&img, NULL, &err));
	assert_non_null(strstr(err.text,
	    "object index section, offset 0x0: 1 names "
	    "for the 3 entries of the object section"));
	err_clear(&err);
	strbuf_fini(&img);
	mk_free(&m);
}

static void
index_gives_names(void **state)
{
	struct ctf_make m = { .format = CTF_FMT_GNU };
	struct strbuf img = { 0 };
	struct ctf_file *f;
	struct err err = { 0 };

	(void)state;
	mk_everything(&m);
	mk_put(&m, CTF_SECT_OBJIDX, mk_str(&m, "first"), 4);
	mk_put(&m, CTF_SECT_OBJIDX, 0, 4);
	mk_put(&m, CTF_SECT_OBJIDX, mk_str(&m, "third"), 4);
	mk_finish(&m, &img);
	f = ctf_file_decode(img.s, img.len, NULL, &err);
	assert_non_null(f);
	check_list(f, ctf_file_objects, "first:1 third:19 ");
	ctf_file_close(f);
	strbuf_fini(&img);
	mk_free(&m);
}

static void
external_strings(void **state)
{
	struct ctf_make m = { .format = CTF_FMT_V2 };
	struct ctf_syms syms = { { NULL, 0, 0 }, symbol_strings,
		sizeof(symbol_strings) };
	struct strbuf img = { 0 };
	struct ctf_file *f;
	struct ctf_rec r;
	struct err err = { 0 };

	(void)state;
	mk_put(&m, CTF_SECT_TYPES, 0x80000001, 4);
	mk_word(&m, CTF_SECT_TYPES, mk_info(&m, CTF_K_FORWARD, true, 0));
	mk_word(&m, CTF_SECT_TYPES, 0);
	mk_finish(&m, &img);
	f = ctf_file_decode(img.s, img.len, &syms, &err);
	assert_non_null(f);
	ctf_file_rec(f, 1, &r);
	assert_string_equal(r.name, "external");
	ctf_file_close(f);
	/* without the symbol table the name is unknown */
	f = ctf_file_decode(img.s, img.len, NULL, &err);
	assert_non_null(f);
	ctf_file_rec(f, 1, &r);
	assert_string_equal(r.name, "");
	ctf_file_close(f);
	strbuf_fini(&img);
	mk_free(&m);
}

/* 1 MB of zeros takes 1 KB compressed; the header states the true size. */
static void
bomb_is_refused(void **state)
{
	struct ctf_make m = { .format = CTF_FMT_V2, .flags = COMPRESSED };
	struct strbuf img = { 0 };
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 1 << 20; i++)
		strbuf_addc(&m.sects[CTF_SECT_STRINGS], '\0');
	mk_finish(&m, &img);
	assert_null(decode_exactly(&img, NULL, &err));
	assert_non_null(strstr(err.text, "more than 64 to 1"));
	err_clear(&err);
	strbuf_fini(&img);
	mk_free(&m);
}

static void
smallest(void **state)
{
	(void)state;
	for (int format = CTF_FMT_V2; format <= CTF_FMT_GNU; format++) {
		struct ctf_make m = { .format = (enum ctf_format)format };
		struct strbuf img = { 0 };
		struct err err = { 0 };

		mk_finish(&m, &img);
		assert_non_null(decode_exactly(&img, NULL, &err));
		strbuf_fini(&img);
		mk_free(&m);
	}
}

/* ---- parents ------------------------------------------------------------- */

/* A child: 0x8001 pointer to the parent's type `target`, 0x8002 typedef of
 * 0x8001. */
static void
make_child(enum ctf_format format, uint32_t target, struct strbuf *img)
{
	struct ctf_make m = { .format = format };
	uint32_t child = format == CTF_FMT_V2 ? 0x8000 : 0x80000000;

	m.parname = mk_str(&m, "parent");
	m.parlabel = mk_str(&m, "label");
	mk_type(&m, CTF_K_POINTER, "", 0, target);
	mk_type(&m, CTF_K_TYPEDEF, "p_t", 0, child | 1);
	mk_finish(&m, img);
	mk_free(&m);
}

static void
check_child(enum ctf_format format, uint32_t target, const char *problem)
{
	struct ctf_make pm = { .format = format };
	struct strbuf child = { 0 }, parent = { 0 };
	struct ctf_file *c, *p;
	struct ctf_rec r;
	struct err err = { 0 };

	make_child(format, target, &child);
	mk_everything(&pm);
	mk_finish(&pm, &parent);
	c = ctf_file_decode(child.s, child.len, NULL, &err);
	p = ctf_file_decode(parent.s, parent.len, NULL, &err);
	assert_non_null(c);
	assert_non_null(p);
	assert_string_equal(ctf_file_header(c)->parname, "parent");
	assert_string_equal(ctf_file_header(c)->parlabel, "label");
	assert_ptr_equal(ctf_file_rec(c, ctf_file_id(c, 2), &r), c);
	assert_int_equal(r.ref, ctf_file_id(c, 1));
	assert_null(ctf_file_rec(c, target, &r));
	if (problem == NULL) {
		assert_int_equal(ctf_file_set_parent(c, p, &err), 0);
		assert_ptr_equal(ctf_file_rec(c, target, &r), p);
		assert_string_equal(r.name, "s");
	} else {
		assert_true(ctf_file_set_parent(c, p, &err) < 0);
		assert_non_null(strstr(err.text, problem));
		err_clear(&err);
	}
	ctf_file_close(c);
	ctf_file_close(p);
	strbuf_fini(&child);
	strbuf_fini(&parent);
	mk_free(&pm);
}

static void
child_and_parent(void **state)
{
	(void)state;
	check_child(CTF_FMT_V2, 19, NULL);
	check_child(CTF_FMT_V3, 19, NULL);
	check_child(CTF_FMT_GNU, 19, NULL);
	check_child(CTF_FMT_V2, 31, "type 0x1f, but the last is 0x1e");
	check_child(CTF_FMT_GNU, 32, "type 0x20, but the last is 0x1f");
}

static void
child_beyond_its_end(void **state)
{
	struct strbuf img = { 0 };
	struct err err = { 0 };

	(void)state;
	make_child(CTF_FMT_V2, 0x8003, &img);
	assert_null(decode_exactly(&img, NULL, &err));
	assert_non_null(
	    strstr(err.text, "type 0x8003, but the last is 0x8002"));
	err_clear(&err);
	strbuf_fini(&img);
}

/* ---- GNU's archives ------------------------------------------------------ */

static void
make_archive(struct strbuf *out, bool swap)
{
	struct ctf_make pm = { .format = CTF_FMT_GNU, .swap = swap };
	struct ctf_make cm = { .format = CTF_FMT_GNU, .swap = swap };
	struct strbuf parent = { 0 }, child = { 0 };
	uint64_t dicts = 40 + 2 * 16, second;

	mk_everything(&pm);
	mk_finish(&pm, &parent);
	cm.parname = mk_str(&cm, ".ctf");
	mk_type(&cm, CTF_K_TYPEDEF, "in_child", 0, 19);
	mk_finish(&cm, &child);
	second = 8 + parent.len;
	mk_raw(out, UINT64_C(0x8b47f2a4d7623eeb), 8, swap);
	mk_raw(out, 2, 8, swap);
	mk_raw(out, 2, 8, swap);
	mk_raw(out, dicts + second + 8 + child.len, 8, swap);
	mk_raw(out, dicts, 8, swap);
	mk_raw(out, 0, 8, swap);
	mk_raw(out, 0, 8, swap);
	mk_raw(out, 5, 8, swap);
	mk_raw(out, second, 8, swap);
	mk_raw(out, parent.len, 8, swap);
	strbuf_add(out, parent.s, parent.len);
	mk_raw(out, child.len, 8, swap);
	strbuf_add(out, child.s, child.len);
	strbuf_add(out, ".ctf\0file.c", 12);
	strbuf_fini(&parent);
	strbuf_fini(&child);
	mk_free(&pm);
	mk_free(&cm);
}

static void
archive(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct strbuf img = { 0 };
		struct ctf_set *s;
		struct ctf_rec r;
		struct err err = { 0 };

		make_archive(&img, swap);
		assert_int_equal(ctf_set_decode(img.s, img.len, &s, &err), 0);
		assert_int_equal(ctf_set_n(s), 2);
		assert_string_equal(ctf_set_name(s, 1), "file.c");
		assert_ptr_equal(ctf_set_find(s, ".ctf"), ctf_set_file(s, 0));
		assert_null(ctf_set_find(s, "other.c"));
		/* the child's parent is the other member */
		assert_ptr_equal(ctf_file_rec(ctf_set_file(s, 1), 19, &r),
		    ctf_set_file(s, 0));
		ctf_set_close(s);
		strbuf_fini(&img);
	}
}

static void
archive_fields_are_checked(void **state)
{
	static const struct {
		size_t off;
		uint64_t value;
		const char *expect;
	} bad[] = {
		{ 16, 0, "it has no members" },
		{ 16, UINT64_MAX, "members do not fit" },
		{ 24, UINT64_MAX, "member 0, offset 0x28: its name lies" },
		{ 32, UINT64_MAX - 8,
		    "member 0, offset 0x30: it lies outside" },
		{ 40, 1 << 20, "member 0, offset 0x28: its name lies" },
		{ 48, 1 << 20, "member 0, offset 0x30: it lies outside" },
		{ 48, UINT64_MAX - 71, "member 0, offset 0x30: it lies" },
		{ 72, 1 << 20, "its length reaches beyond" },
		{ 72, 60, "header" },
	};

	(void)state;
	for (size_t i = 0; i < N(bad); i++) {
		struct strbuf img = { 0 };
		struct ctf_set *s;
		struct err err = { 0 };

		make_archive(&img, false);
		memcpy(img.s + bad[i].off, &bad[i].value, 8);
		assert_true(ctf_set_decode(img.s, img.len, &s, &err) < 0);
		if (strstr(err.text, bad[i].expect) == NULL)
			fail_msg(
			    "'%s' does not say: %s", err.text, bad[i].expect);
		err_clear(&err);
		strbuf_fini(&img);
	}
}

static void
symbols_left_out(void **state)
{
	(void)state;
	assert_int_equal(ctf_symbol_class(1, 5, 8, "data"), 'o');
	assert_int_equal(ctf_symbol_class(2, 5, 8, "func"), 'f');
	assert_int_equal(ctf_symbol_class(1, 0, 8, "undefined"), 0);
	assert_int_equal(ctf_symbol_class(1, 5, 8, ""), 0);
	assert_int_equal(ctf_symbol_class(1, 0xfff1, 0, "abs0"), 0);
	assert_int_equal(ctf_symbol_class(1, 0xfff1, 4, "abs4"), 'o');
	assert_int_equal(ctf_symbol_class(2, 5, 8, "_START_"), 0);
	assert_int_equal(ctf_symbol_class(1, 5, 8, "_END_"), 0);
	assert_int_equal(ctf_symbol_class(3, 5, 8, "section"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form),
		cmocka_unit_test(encodings_have_names),
		cmocka_unit_test(each_field_is_checked),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(index_without_entries_is_refused),
		cmocka_unit_test(index_gives_names),
		cmocka_unit_test(external_strings),
		cmocka_unit_test(bomb_is_refused),
		cmocka_unit_test(smallest),
		cmocka_unit_test(child_and_parent),
		cmocka_unit_test(child_beyond_its_end),
		cmocka_unit_test(archive),
		cmocka_unit_test(archive_fields_are_checked),
		cmocka_unit_test(symbols_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
