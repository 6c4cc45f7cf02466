/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as JSON (RFC 8259); doc/json.md is the schema.
 *
 * Numbers are exact decimal integers of up to 64 bits.  Text from the traced
 * system need not be UTF-8, but JSON text must be.  Text that is not UTF-8
 * becomes an object {"base64": "..."}, so nothing is lost and every parser
 * accepts it.
 *
 * Like print.c, this trusts neither types nor the length of a record.
 */
#include "consume/consume_impl.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

#define DEPTH_MAX 64

/* ---- writing ------------------------------------------------------------ */

/* A comma, unless the array or object was just opened. */
static void
separate(struct strbuf *sb)
{
	if (sb->len != 0 && strchr("[{\n", sb->s[sb->len - 1]) == NULL)
		strbuf_addc(sb, ',');
}

void
json_open(struct strbuf *sb)
{
	separate(sb);
	strbuf_addc(sb, '{');
}

void
json_open_value(struct strbuf *sb)
{
	strbuf_addc(sb, '{');
}

void
json_name(struct strbuf *sb, const char *name)
{
	separate(sb);
	json_text(sb, name, strlen(name));
	strbuf_addc(sb, ':');
}

void
json_list(struct strbuf *sb, const char *name)
{
	json_name(sb, name);
	strbuf_addc(sb, '[');
}

void
json_str(struct strbuf *sb, const char *name, const char *s)
{
	json_name(sb, name);
	json_text(sb, s, strlen(s));
}

void
json_int(struct strbuf *sb, const char *name, int64_t v)
{
	json_name(sb, name);
	out_i64(sb, v, 0);
}

void
json_uint(struct strbuf *sb, const char *name, uint64_t v)
{
	json_name(sb, name);
	out_u64(sb, v, 0);
}

/* ---- text --------------------------------------------------------------- */

static bool
is_utf8(const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_len(s + i, len - i);
		if (n == 0)
			return false;
	}
	return true;
}

static void
add_base64(struct strbuf *sb, const unsigned char *p, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t v = (uint32_t)p[i] << 16;

		v |= n > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		v |= n > 2 ? p[i + 2] : 0;
		for (size_t k = 0; k < 4; k++)
			strbuf_addc(
			    sb, k <= n ? digits[v >> (18 - 6 * k) & 63] : '=');
	}
}

void
json_bytes(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_adds(sb, "{\"base64\":\"");
	add_base64(sb, data, len);
	strbuf_adds(sb, "\"}");
}

static void
add_char(struct strbuf *sb, char c)
{
	if (c == '"' || c == '\\')
		strbuf_printf(sb, "\\%c", c);
	else if (c == '\n')
		strbuf_adds(sb, "\\n");
	else if (c == '\t')
		strbuf_adds(sb, "\\t");
	else if ((unsigned char)c < ' ' || c == 0x7f)
		strbuf_printf(sb, "\\u%04x", (unsigned char)c);
	else
		strbuf_addc(sb, c);
}

void
json_text(struct strbuf *sb, const char *s, size_t len)
{
	if (!is_utf8(s, len)) {
		json_bytes(sb, s, len);
		return;
	}
	strbuf_addc(sb, '"');
	for (size_t i = 0; i < len; i++)
		add_char(sb, s[i]);
	strbuf_addc(sb, '"');
}

/* ---- values by their types ---------------------------------------------- */

/* The bytes of a value, and how they are read. */
struct js {
	struct strbuf *sb;
	const char *data;
	uint64_t size; /* bytes recorded */
	unsigned depth;
	uint64_t left; /* values that may still follow */
};

static void put_type(
    struct js *js, struct ctf_type *t, uint64_t bit_off, uint32_t bits);

static bool
is_there(const struct js *js, uint64_t bit_off, uint64_t bits)
{
	uint64_t have;

	if (__builtin_mul_overflow(js->size, 8, &have))
		return false;
	return bit_off <= have && bits <= have - bit_off;
}

static void
put_number(
    struct js *js, const struct ctf_type *t, uint64_t bit_off, uint32_t bits)
{
	bool is_signed =
	    t->kind == CTF_K_ENUM || (t->encoding & CTF_INT_SIGNED) != 0;
	uint64_t v = bits_load(js->data, bit_off, bits);

	if (t->kind == CTF_K_INTEGER && (t->encoding & CTF_INT_BOOL) != 0)
		strbuf_adds(js->sb, v != 0 ? "true" : "false");
	else if (is_signed)
		out_i64(js->sb, (int64_t)(v << (64 - bits)) >> (64 - bits), 0);
	else
		out_u64(js->sb, v, 0);
}

static void
put_enum(
    struct js *js, const struct ctf_type *t, uint64_t bit_off, uint32_t bits)
{
	uint64_t v = bits_load(js->data, bit_off, bits);
	const char *name = enum_name(t, v, bits);

	if (name != NULL)
		json_text(js->sb, name, strlen(name));
	else
		put_number(js, t, bit_off, bits);
}

/* JSON has no infinities or NaN: their names are given as strings. */
static void
put_float(struct js *js, const struct ctf_type *t, uint64_t bit_off)
{
	const char *p = js->data + bit_off / 8;
	long double ld = 0;
	int digits = 21;
	double d;
	float f;

	if (t->size == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		ld = (long double)f;
		digits = 9;
	} else if (t->size == sizeof(d)) {
		memcpy(&d, p, sizeof(d));
		ld = (long double)d;
		digits = 17;
	} else
		memcpy(&ld, p, sizeof(ld));
	if (isfinite(ld))
		strbuf_printf(js->sb, "%.*Lg", digits, ld);
	else
		strbuf_printf(js->sb, "\"%Lf\"", ld);
}

/* Are the bytes characters, followed only by NULs? */
static bool
array_is_text(const struct js *js, const struct ctf_type *t, uint64_t bit_off,
    size_t *lenp)
{
	const char *s;
	size_t n;

	if (!type_is_char(ctf_resolve(t->ref)) || bit_off % 8 != 0 ||
	    !is_there(js, bit_off, t->nelems * 8))
		return false;
	s = js->data + bit_off / 8;
	n = strnlen(s, t->nelems);
	*lenp = n;
	while (n < t->nelems && s[n] == '\0')
		n++;
	return n == t->nelems;
}

static void
put_array(struct js *js, const struct ctf_type *t, uint64_t bit_off)
{
	uint64_t size = ctf_resolve(t->ref)->size;
	size_t len;

	if (t->nelems <= js->size && array_is_text(js, t, bit_off, &len)) {
		json_text(js->sb, js->data + bit_off / 8, len);
		return;
	}
	strbuf_addc(js->sb, '[');
	if (size > UINT32_MAX)
		size = 0;
	for (uint64_t i = 0;
	     i < t->nelems && size != 0 && is_there(js, bit_off, 1); i++) {
		separate(js->sb);
		put_type(js, t->ref, bit_off, 0);
		bit_off += size * 8;
	}
	strbuf_addc(js->sb, ']');
}

/* Members of an anonymous struct or union become members of its owner. */
static void
put_members(struct js *js, const struct ctf_type *t, uint64_t bit_off)
{
	VEC_FOREACH(&t->members, m) {
		const struct ctf_type *mt = ctf_resolve(m->type);
		bool is_sou =
		    mt->kind == CTF_K_STRUCT || mt->kind == CTF_K_UNION;

		if (m->name != NULL) {
			json_name(js->sb, m->name);
			put_type(js, m->type, bit_off + m->bit_off, m->bits);
		} else if (is_sou && js->depth < DEPTH_MAX && js->left > 0) {
			js->left--;
			js->depth++;
			put_members(js, mt, bit_off + m->bit_off);
			js->depth--;
		}
	}
}

static void
put_string(struct js *js, uint64_t bit_off)
{
	uint64_t off = bit_off / 8;

	if (off > js->size)
		strbuf_adds(js->sb, "null");
	else
		json_text(js->sb, js->data + off,
		    strnlen(js->data + off, js->size - off));
}

static bool
is_float(const struct js *js, const struct ctf_type *t, uint64_t bit_off)
{
	return t->kind == CTF_K_FLOAT &&
	    (t->size == sizeof(float) || t->size == sizeof(double) ||
		t->size == sizeof(long double)) &&
	    is_there(js, bit_off, t->size * 8);
}

/* Is the value a recorded number of 1 to 64 bits? */
static bool
is_number(const struct js *js, const struct ctf_type *t, uint64_t bit_off,
    uint32_t bits)
{
	return (t->kind == CTF_K_INTEGER || t->kind == CTF_K_ENUM ||
		   t->kind == CTF_K_POINTER) &&
	    bits >= 1 && bits <= 64 && is_there(js, bit_off, bits);
}

static void
put_resolved(
    struct js *js, const struct ctf_type *t, uint64_t bit_off, uint32_t bits)
{
	if (is_number(js, t, bit_off, bits) && t->kind == CTF_K_ENUM)
		put_enum(js, t, bit_off, bits);
	else if (is_number(js, t, bit_off, bits))
		put_number(js, t, bit_off, bits);
	else if (is_float(js, t, bit_off))
		put_float(js, t, bit_off);
	else if (t->kind == CTF_K_ARRAY)
		put_array(js, t, bit_off);
	else if (t->kind == CTF_K_STRUCT || t->kind == CTF_K_UNION) {
		strbuf_addc(js->sb, '{');
		put_members(js, t, bit_off);
		strbuf_addc(js->sb, '}');
	} else if (t->kind == CTF_K_D_STRING)
		put_string(js, bit_off);
	else
		strbuf_adds(js->sb, "null");
}

static void
put_type(struct js *js, struct ctf_type *t, uint64_t bit_off, uint32_t bits)
{
	const struct ctf_type *r = ctf_resolve(t);

	if (js->depth == DEPTH_MAX || js->left == 0 || r->is_incomplete ||
	    !is_there(js, bit_off, 0)) {
		strbuf_adds(js->sb, "null");
		return;
	}
	js->left--;
	js->depth++;
	put_resolved(js, r, bit_off,
	    bits != 0 ? bits : (uint32_t)(r->size < 16 ? r->size * 8 : 0));
	js->depth--;
}

/* ---- data --------------------------------------------------------------- */

/* The known names of an address. */
static void
put_symbol_fields(struct strbuf *sb, const struct symbol *sym)
{
	json_uint(sb, "address", sym->addr);
	if (sym->module != NULL)
		json_str(sb, "module", sym->module);
	if (sym->name != NULL) {
		json_str(sb, "symbol", sym->name);
		json_uint(sb, "offset", sym->offset);
	}
}

static void
put_symbol(struct strbuf *sb, const struct symbol *sym)
{
	strbuf_addc(sb, '{');
	put_symbol_fields(sb, sym);
	strbuf_addc(sb, '}');
}

/* A name given by a helper. */
static void
put_frame(struct strbuf *sb, const struct symbol *sym, const char *name)
{
	strbuf_addc(sb, '{');
	put_symbol_fields(sb, sym);
	if (*name == '@')
		json_str(sb, "annotation", name + 1);
	else if (symbol_takes_name(sym, name))
		json_str(sb, "helper", name);
	strbuf_addc(sb, '}');
}

static void
put_frames(struct consumer *c, struct strbuf *sb, const struct datum *d)
{
	struct frames f = stack_frames(d);

	json_list(sb, "frames");
	for (uint32_t i = 0; i < f.n; i++) {
		struct symbol sym = symbol_of_frame(c, d, &f, i);

		if (i > 0)
			strbuf_addc(sb, ',');
		put_frame(sb, &sym, frames_next_name(&f));
	}
	strbuf_addc(sb, ']');
}

static void
put_address(struct consumer *c, struct strbuf *sb, const struct datum *d)
{
	struct symbol sym = symbol_of(c, d);

	json_str(sb, "type", sym.pid != 0 ? "_usymaddr" : "_symaddr");
	if (sym.pid != 0)
		json_uint(sb, "pid", sym.pid);
	json_name(sb, "value");
	put_symbol(sb, &sym);
}

/* Integers and pointers may be stored wider than their first use requires. */
static bool
is_plain_int(const struct datum *d, const struct ctf_type *t)
{
	if (!datum_is_int(d))
		return false;
	return t == NULL || t->kind == CTF_K_POINTER ||
	    (t->kind == CTF_K_INTEGER && (t->encoding & CTF_INT_BOOL) == 0);
}

static void
put_value(struct strbuf *sb, const struct datum *d)
{
	struct ctf_type *t = d->rec->src != NULL ? d->rec->src->type : NULL;
	struct js js = { .sb = sb,
		.data = d->data,
		.size = d->rec->size,
		.left = values_max(d->rec->size) };

	if (is_plain_int(d, t != NULL ? ctf_resolve(t) : NULL)) {
		if (datum_is_signed(d))
			out_i64(sb, datum_int(d), 0);
		else
			out_u64(sb, datum_uint(d), 0);
	} else if (t != NULL)
		put_type(&js, t, 0, 0);
	else
		json_bytes(sb, d->data, d->rec->size);
}

/* "type" and "value" of a datum, or the frames of a stack. */
void
json_datum(struct consumer *c, struct strbuf *sb, const struct datum *d)
{
	const struct dif_action *src = d->rec->src;
	size_t len;
	const char *s;

	if (PLAN_IS_STACK(d->rec->store)) {
		bool is_user = d->rec->store == PLAN_USTACK;

		json_str(sb, "type", is_user ? "ustack" : "stack");
		if (is_user)
			json_uint(sb, "pid", stack_frames(d).pid);
		put_frames(c, sb, d);
		return;
	}
	if (datum_is_symbol(d)) {
		put_address(c, sb, d);
		return;
	}
	if (src != NULL && src->type_name != NULL)
		json_str(sb, "type", src->type_name);
	json_name(sb, "value");
	if (d->rec->store == PLAN_BYTES) {
		put_value(sb, d);
		return;
	}
	s = datum_text(c->pl, d, &len);
	json_text(sb, s, len);
}
