/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print(): a value, as its type describes it (doc/print.md).
 *
 *	struct point {
 *	    int x = 0x1
 *	    char [4] tag = [ "ab" ]
 *	}
 *
 * The type comes from the graph that the program was compiled against, the
 * bytes from a record.  Neither is trusted: types are imported from files that
 * may be malformed, and a record may hold less than the whole value (option
 * printsize).  So each read is checked against the bytes there are, nesting is
 * bounded, and what was not recorded shows as "...".
 */
#include "consume/consume_impl.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "consume/ksyms.h"

#define INDENT 4
#define DEPTH_MAX 64 /* C programs nest a dozen deep */

struct print_printer {
	struct consumer *c;
	struct strbuf *sb;
	const char *data;
	uint64_t size; /* bytes recorded */
	unsigned depth;
	uint64_t left; /* values that may still come */
};

/* A value within the record. */
struct print_place {
	struct ctf_type *type;
	uint64_t bit_off;
	uint32_t bits;	/* of a bit-field, else 0 */
	size_t indent;	/* of the line that it begins on */
	bool is_member; /* not an array's element or the whole */
};

static void put_value(struct print_printer *pr, const struct print_place *at);

/* Kernel BTF does not mark its characters. */
bool
value_type_is_char(const struct ctf_type *t)
{
	uint32_t flags = CTF_INT_CHAR | CTF_INT_SIGNED;

	if (t->kind != CTF_K_INTEGER || t->size != 1)
		return false;
	return (t->encoding & flags) == flags ||
	    (t->name != NULL && strcmp(t->name, "char") == 0);
}

/*
 * The number of values that the bytes can hold: bit-fields are the smallest,
 * and a union shows its bytes several times.  Hostile types could nest without
 * end.
 */
uint64_t
value_max_count(uint64_t size)
{
	return size * 8 + 4096;
}

uint64_t
value_bits_load(const void *data, uint64_t bit_off, uint32_t bits)
{
	const unsigned char *p = (const unsigned char *)data + bit_off / 8;
	uint32_t shift = bit_off % 8, got = 8 - shift;
	uint64_t v = *p >> shift;

	for (; got < bits; got += 8)
		v |= (uint64_t) * ++p << got;
	return bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
}

/*
 * No format marks unsigned enums: the name is searched for both readings of the
 * value.
 */
const char *
value_enum_name(const struct ctf_type *t, uint64_t raw, uint32_t bits)
{
	int64_t value = (int64_t)(raw << (64 - bits)) >> (64 - bits);

	VEC_FOREACH(&t->enums, e)
		if (e->value == value || e->value == (int64_t)raw)
			return e->name;
	return NULL;
}

/* Bytes of a value of the type; a `string` takes the bytes that are left. */
static uint64_t
place_size(const struct print_printer *pr, const struct print_place *at)
{
	uint64_t off = at->bit_off / 8;

	if (at->bits != 0)
		return (at->bit_off % 8 + at->bits + 7) / 8;
	if (ctf_resolve(at->type)->kind == CTF_K_D_STRING)
		return off < pr->size ? pr->size - off : 0;
	return ctf_resolve(at->type)->size + (at->bit_off % 8 != 0);
}

static bool
is_recorded(const struct print_printer *pr, const struct print_place *at)
{
	uint64_t off = at->bit_off / 8, size = place_size(pr, at);

	return off <= pr->size && size <= pr->size - off;
}

static const char *
place_data(const struct print_printer *pr, const struct print_place *at)
{
	return pr->data + at->bit_off / 8;
}

/* An array shows as many elements as were recorded. */
static bool
is_begun(const struct print_printer *pr, const struct print_place *at)
{
	enum ctf_kind kind = ctf_resolve(at->type)->kind;

	if (kind == CTF_K_ARRAY || kind == CTF_K_STRUCT || kind == CTF_K_UNION)
		return at->bit_off / 8 < pr->size || place_size(pr, at) == 0;
	return is_recorded(pr, at);
}

/* ------------------------------------------------------------------------ */

static void
put_hex(struct print_printer *pr, uint64_t v)
{
	strbuf_printf(
	    pr->sb, v == 0 ? "%llx" : "0x%llx", (unsigned long long)v);
}

static void
put_char(struct print_printer *pr, char c)
{
	if (c >= ' ' && c <= '~')
		strbuf_printf(pr->sb, "'%c'", c);
	else if (c == '\0')
		strbuf_adds(pr->sb, "'\\0'");
	else
		strbuf_printf(pr->sb, "'\\%03o'", (unsigned char)c);
}

static void
put_int(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	uint32_t bits = at->bits != 0 ? at->bits : (uint32_t)t->size * 8;

	if (bits == 0 || bits > 64)
		strbuf_printf(pr->sb, "<an integer of %u bits>", bits);
	else if (at->bits == 0 && value_type_is_char(t))
		put_char(pr, *place_data(pr, at));
	else
		put_hex(pr, value_bits_load(pr->data, at->bit_off, bits));
}

static void
put_enum(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	uint32_t bits = at->bits != 0 ? at->bits : (uint32_t)t->size * 8;
	const char *name;
	uint64_t v;

	if (bits == 0 || bits > 64) {
		strbuf_printf(pr->sb, "<an enum of %u bits>", bits);
		return;
	}
	v = value_bits_load(pr->data, at->bit_off, bits);
	name = value_enum_name(t, v, bits);
	if (name != NULL)
		strbuf_adds(pr->sb, name);
	else
		strbuf_printf(pr->sb, "%lld",
		    bits == 32 && (t->encoding & CTF_INT_SIGNED) != 0 ?
			(long long)(int32_t)v :
			(long long)v);
}

static void
put_float(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	const char *p = place_data(pr, at);
	long double ld;
	double d;
	float f;

	if (t->size == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		strbuf_printf(pr->sb, "%+.7e", (double)f);
	} else if (t->size == sizeof(d)) {
		memcpy(&d, p, sizeof(d));
		strbuf_printf(pr->sb, "%+.7e", d);
	} else if (t->size == sizeof(ld)) {
		memcpy(&ld, p, sizeof(ld));
		strbuf_printf(pr->sb, "%+.16LE", ld);
	} else
		strbuf_printf(pr->sb, "<a number of %llu bytes>",
		    (unsigned long long)t->size);
}

/* Print the name of the function that a kernel pointer points to. */
static void
put_pointer(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	uint64_t v;

	if (t->size != sizeof(v)) {
		strbuf_printf(pr->sb, "<a pointer of %llu bytes>",
		    (unsigned long long)t->size);
		return;
	}
	v = value_bits_load(pr->data, at->bit_off, 64);
	if (v != 0 && !t->is_userland &&
	    ctf_resolve(t->ref)->kind == CTF_K_FUNCTION)
		symbol_format_kernel(pr->c, v, pr->sb);
	else
		put_hex(pr, v);
}

/* A text member is printed in brackets, like other arrays. */
static void
put_string(struct print_printer *pr, const struct print_place *at)
{
	const char *s = place_data(pr, at);
	size_t len = strnlen(s, place_size(pr, at));

	strbuf_adds(pr->sb, at->is_member ? "[ \"" : "\"");
	out_escape(pr->sb, s, len, utf8_visible);
	strbuf_adds(pr->sb, at->is_member ? "\" ]" : "\"");
}

/* ------------------------------------------------------------------------ */

/* Are all characters printable and followed by a NUL? */
static bool
array_is_text(const struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	const char *s;
	size_t n;

	if (!value_type_is_char(ctf_resolve(t->ref)) || !is_recorded(pr, at))
		return false;
	s = place_data(pr, at);
	n = utf8_span(s, t->nelems, utf8_visible);
	return n < t->nelems && s[n] == '\0';
}

static bool
is_sou(const struct ctf_type *t)
{
	return t->kind == CTF_K_STRUCT || t->kind == CTF_K_UNION;
}

/* The name of the type with its tag; a type without tag is "struct ". */
static void
put_type(struct print_printer *pr, const struct ctf_type *t)
{
	bool is_tag = is_sou(t) || t->kind == CTF_K_ENUM;

	if (!is_tag || t->name != NULL)
		ctf_type_text(t, pr->sb);
	else
		strbuf_adds(pr->sb,
		    t->kind == CTF_K_STRUCT    ? "struct " :
			t->kind == CTF_K_UNION ? "union " :
						 "enum ");
}

/* An element that is a struct is printed on lines of its own. */
static void
put_element(
    struct print_printer *pr, const struct print_place *at, bool has_lines)
{
	if (has_lines) {
		strbuf_addc(pr->sb, '\n');
		out_pad(pr->sb, at->indent);
		put_type(pr, at->type);
		strbuf_addc(pr->sb, ' ');
	}
	put_value(pr, at);
}

static void
put_elements(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	bool has_lines = is_sou(ctf_resolve(t->ref));
	struct print_place elem = { .type = t->ref,
		.bit_off = at->bit_off,
		.indent = at->indent + INDENT };
	uint64_t size = ctf_resolve(t->ref)->size;

	if (size > UINT32_MAX)
		size = 0;
	for (uint64_t i = 0; i < t->nelems && size != 0; i++) {
		if (i != 0)
			strbuf_adds(pr->sb, ", ");
		if (!is_begun(pr, &elem)) {
			strbuf_adds(pr->sb, "...");
			break;
		}
		put_element(pr, &elem, has_lines);
		elem.bit_off += size * 8;
	}
	if (has_lines) {
		strbuf_addc(pr->sb, '\n');
		out_pad(pr->sb, at->indent);
	} else
		strbuf_addc(pr->sb, ' ');
}

static void
put_array(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	if (array_is_text(pr, at, t)) {
		put_string(pr, at);
		return;
	}
	strbuf_adds(pr->sb, "[ ");
	put_elements(pr, at, t);
	strbuf_addc(pr->sb, ']');
}

/* "type name = ": no blank after a type that ends in a star. */
static void
put_name(
    struct print_printer *pr, const struct print_place *at, const char *name)
{
	char last;

	put_type(pr, at->type);
	if (name != NULL) {
		last = pr->sb->s[pr->sb->len - 1];
		if (last != '*' && last != ' ')
			strbuf_addc(pr->sb, ' ');
		strbuf_adds(pr->sb, name);
		if (at->bits != 0)
			strbuf_printf(pr->sb, " :%u", at->bits);
		strbuf_adds(pr->sb, " =");
	}
	strbuf_addc(pr->sb, ' ');
}

/* Only numbers can be bit-fields, even if the type's file says otherwise. */
static uint32_t
bitfield_bits(const struct ctf_member *m)
{
	enum ctf_kind kind = ctf_resolve(m->type)->kind;

	return kind == CTF_K_INTEGER || kind == CTF_K_ENUM ? m->bits : 0;
}

static void
put_members(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	strbuf_adds(pr->sb, "{\n");
	VEC_FOREACH(&t->members, m) {
		struct print_place in = { .type = m->type,
			.bit_off = at->bit_off + m->bit_off,
			.bits = bitfield_bits(m),
			.indent = at->indent + INDENT,
			.is_member = true };

		out_pad(pr->sb, in.indent);
		if (!is_begun(pr, &in)) {
			strbuf_adds(pr->sb, "...\n");
			break;
		}
		put_name(pr, &in, m->name);
		put_value(pr, &in);
		strbuf_addc(pr->sb, '\n');
	}
	out_pad(pr->sb, at->indent);
	strbuf_addc(pr->sb, '}');
}

static void
put_kind(struct print_printer *pr, const struct print_place *at,
    const struct ctf_type *t)
{
	switch (t->kind) {
	case CTF_K_INTEGER:
		put_int(pr, at, t);
		return;
	case CTF_K_FLOAT:
		put_float(pr, at, t);
		return;
	case CTF_K_POINTER:
		put_pointer(pr, at, t);
		return;
	case CTF_K_ARRAY:
		put_array(pr, at, t);
		return;
	case CTF_K_STRUCT:
	case CTF_K_UNION:
		put_members(pr, at, t);
		return;
	case CTF_K_ENUM:
		put_enum(pr, at, t);
		return;
	case CTF_K_D_STRING:
		put_string(pr, at);
		return;
	case CTF_K_UNKNOWN:
	case CTF_K_FUNCTION:
	case CTF_K_FORWARD:
	case CTF_K_TYPEDEF: /* these four were resolved */
	case CTF_K_VOLATILE:
	case CTF_K_CONST:
	case CTF_K_RESTRICT:
	case CTF_K_D_STACK:
	case CTF_K_D_SYM:
	case CTF_K_D_AGG:
		break;
	}
	strbuf_adds(pr->sb, "<unknown type>");
}

static void
put_value(struct print_printer *pr, const struct print_place *at)
{
	const struct ctf_type *t = ctf_resolve(at->type);

	if (t->is_incomplete)
		strbuf_adds(pr->sb, "<forward decl>");
	else if (!is_begun(pr, at) || pr->depth == DEPTH_MAX || pr->left == 0)
		strbuf_adds(pr->sb, "...");
	else {
		pr->left--;
		pr->depth++;
		put_kind(pr, at, t);
		pr->depth--;
	}
}

/*
 * "int64_t 0x1f" and a newline; a struct ends with its brace, and the script
 * prints what follows.
 */
void
datum_print(struct consumer *c, const struct datum *d, struct ctf_type *t)
{
	struct print_printer pr = { .c = c,
		.sb = &c->buf,
		.data = d->data,
		.size = d->rec->size,
		.left = value_max_count(d->rec->size) };
	struct print_place at = { .type = t };
	size_t len;

	if (d->rec->store != PLAN_BYTES) {
		pr.data = datum_text(c->pl, d, &len);
		pr.size = len;
	}
	put_name(&pr, &at, NULL);
	put_value(&pr, &at);
	if (!is_sou(ctf_resolve(t)))
		strbuf_addc(&c->buf, '\n');
}
