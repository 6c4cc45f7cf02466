/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values in Common Trace Format, and their declaration.
 *
 * The shape of a value:
 *
 *	i4 u8 ...	an integer and its size in bytes
 *	f		a floating-point number
 *	s		a text
 *	e		an enumerator: its number and its name
 *	x		bytes
 *	k		a stack: its frames as texts
 *	[s		a sequence of values of one shape; [] is empty
 *	(i4s)		a struct
 *	-		no field
 */
#include "consume/tsdl.h"

#include <assert.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "the metadata say byte_order = le");

#define DEPTH_MAX 16	 /* of structs within each other */
#define MEMBERS_MAX 1024 /* of a struct */

const char tsdl_types[] =
    "typealias integer { size = 8; align = 8; signed = true; } := i8;\n"
    "typealias integer { size = 16; align = 8; signed = true; } := i16;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := i64;\n"
    "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := "
    "f64;\n";

/* ---- bytes -------------------------------------------------------------- */

void
tsdl_put_number(struct strbuf *data, uint64_t v, size_t size)
{
	strbuf_add(data, &v, size);
}

/* A text of CTF ends at its NUL, and is UTF-8. */
void
tsdl_put_text(struct strbuf *data, const char *s, size_t len)
{
	if (memchr(s, '\0', len) == NULL && utf8_valid(s, len))
		strbuf_add(data, s, len);
	else
		out_escape(data, s, len, utf8_printable);
	strbuf_addc(data, '\0');
}

static void
put_count(struct strbuf *data, size_t n)
{
	tsdl_put_number(data, n, sizeof(uint32_t));
}

/* A field of bits is a whole number of bytes; 0: the size is not known. */
static size_t
int_size(const dtrace_value_t *val)
{
	size_t size = val->dtva_size;

	if (size == 0 || size > 4)
		return 8;
	return size == 3 ? 4 : size;
}

static void
put_int(struct strbuf *data, struct strbuf *shape, char kind, uint64_t v,
    size_t size)
{
	strbuf_addc(shape, kind);
	strbuf_addc(shape, (char)('0' + size));
	tsdl_put_number(data, v, size);
}

static void
put_enum(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val)
{
	strbuf_addc(shape, 'e');
	tsdl_put_number(data, (uint64_t)val->dtva_int, 8);
	tsdl_put_text(data, val->dtva_data != NULL ? val->dtva_data : "",
	    val->dtva_data != NULL ? val->dtva_size : 0);
}

static void
put_float(struct strbuf *data, struct strbuf *shape, double v)
{
	strbuf_addc(shape, 'f');
	strbuf_add(data, &v, sizeof(v));
}

static void
put_frame(struct strbuf *data, const dtrace_frame_t *f)
{
	struct strbuf text = { 0 };

	plain_frame(&text, f);
	if (f->dtfr_symbol != NULL && f->dtfr_offset != 0) {
		strbuf_addc(&text, '+');
		strbuf_add_hex(&text, f->dtfr_offset);
	}
	tsdl_put_text(data, text.s, text.len);
	strbuf_fini(&text);
}

static void
put_stack(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val)
{
	strbuf_addc(shape, 'k');
	put_count(data, val->dtva_count);
	for (uint32_t i = 0; i < val->dtva_count; i++)
		put_frame(data, &val->dtva_frames[i]);
}

/* The text of a value that has no type here is JSON. */
static void
put_json(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val)
{
	struct strbuf text = { 0 };

	json_value(&text, val);
	strbuf_addc(shape, 's');
	tsdl_put_text(data, text.s, text.len);
	strbuf_fini(&text);
}

static void put(struct strbuf *data, struct strbuf *shape,
    const dtrace_value_t *val, unsigned depth);

static void
put_struct(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val,
    unsigned depth)
{
	if (depth == DEPTH_MAX || val->dtva_count > MEMBERS_MAX) {
		put_json(data, shape, val);
		return;
	}
	strbuf_addc(shape, '(');
	for (uint32_t i = 0; i < val->dtva_count; i++)
		put(data, shape, &val->dtva_elems[i], depth + 1);
	strbuf_addc(shape, ')');
}

/* TSDL has sequences of values whose type one word or one struct declares. */
static bool
is_element(char shape)
{
	return strchr("iufse(", shape) != NULL;
}

/* Append the elements; tells whether all of them have one shape. */
static bool
put_elements(struct strbuf *data, struct strbuf *shape,
    const dtrace_value_t *val, unsigned depth)
{
	size_t first = shape->len, len = 0;

	for (uint32_t i = 0; i < val->dtva_count; i++) {
		size_t at = shape->len;

		put(data, shape, &val->dtva_elems[i], depth);
		if (i == 0) {
			len = shape->len - at;
			if (!is_element(shape->s[at]))
				return false;
			continue;
		}
		if (shape->len - at != len ||
		    memcmp(shape->s + first, shape->s + at, len) != 0)
			return false;
		shape->len = at;
	}
	return true;
}

static void
put_array(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val,
    unsigned depth)
{
	size_t data_at = data->len, shape_at = shape->len;

	put_count(data, val->dtva_count);
	strbuf_addc(shape, '[');
	if (val->dtva_count == 0) {
		strbuf_addc(shape, ']');
	} else if (!put_elements(data, shape, val, depth)) {
		data->len = data_at;
		shape->len = shape_at;
		put_json(data, shape, val);
	}
}

static void
put_bytes(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val)
{
	strbuf_addc(shape, 'x');
	put_count(data, val->dtva_size);
	strbuf_add(data, val->dtva_data, val->dtva_size);
}

static void
put(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val,
    unsigned depth)
{
	switch (val->dtva_kind) {
	case DTRACE_VALUE_NONE:
		strbuf_addc(shape, '-');
		break;
	case DTRACE_VALUE_INT:
		put_int(
		    data, shape, 'i', (uint64_t)val->dtva_int, int_size(val));
		break;
	case DTRACE_VALUE_UINT:
		put_int(data, shape, 'u', val->dtva_uint, int_size(val));
		break;
	case DTRACE_VALUE_BOOL:
		put_int(data, shape, 'u', val->dtva_uint, 1);
		break;
	case DTRACE_VALUE_ENUM:
		put_enum(data, shape, val);
		break;
	case DTRACE_VALUE_FLOAT:
		put_float(data, shape, val->dtva_float);
		break;
	case DTRACE_VALUE_STRING:
		strbuf_addc(shape, 's');
		tsdl_put_text(data, val->dtva_data, val->dtva_size);
		break;
	case DTRACE_VALUE_BYTES:
		put_bytes(data, shape, val);
		break;
	case DTRACE_VALUE_ARRAY:
		put_array(data, shape, val, depth);
		break;
	case DTRACE_VALUE_STRUCT:
		put_struct(data, shape, val, depth);
		break;
	case DTRACE_VALUE_STACK:
	case DTRACE_VALUE_USTACK:
		put_stack(data, shape, val);
		break;
	case DTRACE_VALUE_ADDRESS:
	case DTRACE_VALUE_UADDRESS:
		strbuf_addc(shape, 's');
		put_frame(data, val->dtva_frames);
		break;
	}
}

void
tsdl_put(struct strbuf *data, struct strbuf *shape, const dtrace_value_t *val)
{
	put(data, shape, val, 0);
}

/* ---- declarations ------------------------------------------------------- */

void
tsdl_begin(struct tsdl_fields *f, struct strbuf *sb, unsigned depth)
{
	f->sb = sb;
	f->depth = depth;
	strtab_init(&f->names);
	strbuf_adds(sb, "struct {\n");
}

static void
indent(const struct tsdl_fields *f, unsigned more)
{
	for (unsigned i = 0; i < f->depth + more; i++)
		strbuf_addc(f->sb, '\t');
}

void
tsdl_end(struct tsdl_fields *f)
{
	indent(f, 0);
	strbuf_addc(f->sb, '}');
	strtab_fini(&f->names);
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_';
}

/* Take the names of a field and of its length, which no other field has. */
static void
take_name(struct tsdl_fields *f, const char *name, struct strbuf *out,
    struct strbuf *length)
{
	size_t len;

	strbuf_addc(out, '_');
	for (const char *s = name; *s != '\0'; s++)
		strbuf_addc(out, is_word(*s) ? *s : '_');
	len = out->len;
	for (unsigned i = 2;; i++) {
		strbuf_reset(length);
		strbuf_printf(length, "_%s_length", out->s);
		if (strtab_find(&f->names, out->s) == 0 &&
		    strtab_find(&f->names, length->s) == 0)
			break;
		out->len = len;
		strbuf_printf(out, "_%u", i);
	}
	strtab_intern(&f->names, out->s);
	strtab_intern(&f->names, length->s);
}

void
tsdl_declare_as(
    struct tsdl_fields *f, const char *name, const char *type, bool is_many)
{
	struct strbuf word = { 0 }, length = { 0 };

	take_name(f, name, &word, &length);
	if (is_many) {
		indent(f, 1);
		strbuf_printf(f->sb, "u32 %s;\n", length.s);
	}
	indent(f, 1);
	strbuf_printf(f->sb, "%s %s", type, word.s);
	if (is_many)
		strbuf_printf(f->sb, "[%s]", length.s);
	strbuf_adds(f->sb, ";\n");
	strbuf_fini(&word);
	strbuf_fini(&length);
}

static void
declare_members(const struct tsdl_fields *f, const dtrace_value_t *val,
    const char **shape, struct strbuf *type)
{
	struct tsdl_fields in;

	tsdl_begin(&in, type, f->depth + 1);
	for (uint32_t i = 0; **shape != ')'; i++) {
		const char *name = val->dtva_elems[i].dtva_name;

		tsdl_declare(
		    &in, name != NULL ? name : "", &val->dtva_elems[i], shape);
	}
	++*shape;
	tsdl_end(&in);
}

static void
declare_enum(const struct tsdl_fields *f, struct strbuf *type)
{
	struct tsdl_fields in;

	tsdl_begin(&in, type, f->depth + 1);
	tsdl_declare_as(&in, "value", "i64", false);
	tsdl_declare_as(&in, "name", "string", false);
	tsdl_end(&in);
}

/* Append the type of a value that is_element(). */
static void
add_type(const struct tsdl_fields *f, const dtrace_value_t *val,
    const char **shape, struct strbuf *type)
{
	char kind = *(*shape)++;

	switch (kind) {
	case 'i':
	case 'u':
		strbuf_printf(type, "%c%d", kind, 8 * (*(*shape)++ - '0'));
		break;
	case 'e':
		declare_enum(f, type);
		break;
	case 'f':
		strbuf_adds(type, "f64");
		break;
	case '(':
		declare_members(f, val, shape, type);
		break;
	default:
		assert(kind == 's');
		strbuf_adds(type, "string");
		break;
	}
}

static void
declare_sequence(struct tsdl_fields *f, const char *name,
    const dtrace_value_t *val, const char **shape)
{
	struct strbuf type = { 0 };

	if (**shape == ']') {
		++*shape;
		strbuf_adds(&type, "u8");
	} else
		add_type(f, &val->dtva_elems[0], shape, &type);
	tsdl_declare_as(f, name, type.s, true);
	strbuf_fini(&type);
}

void
tsdl_declare(struct tsdl_fields *f, const char *name, const dtrace_value_t *val,
    const char **shape)
{
	struct strbuf type = { 0 };

	if (is_element(**shape)) {
		add_type(f, val, shape, &type);
		tsdl_declare_as(f, name, type.s, false);
		strbuf_fini(&type);
		return;
	}
	switch (*(*shape)++) {
	case '[':
		declare_sequence(f, name, val, shape);
		break;
	case 'k':
		tsdl_declare_as(f, name, "string", true);
		break;
	case 'x':
		tsdl_declare_as(f, name, "u8", true);
		break;
	default: /* '-': there is no field */
		break;
	}
}

void
tsdl_quote(struct strbuf *sb, const char *s)
{
	strbuf_addc(sb, '"');
	out_escape(sb, s, strlen(s), utf8_printable);
	strbuf_addc(sb, '"');
}
