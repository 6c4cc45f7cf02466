/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON (RFC 8259): its parts, and values; doc/json.md is the schema.
 *
 * Numbers are exact decimal integers of up to 64 bits.  Text from the traced
 * system need not be UTF-8, but JSON text must be.  Text that is not UTF-8
 * becomes an object {"base64": "..."}, so nothing is lost and every parser
 * accepts it.
 */
#include "consume/event.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

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

static void
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
	if (!utf8_valid(s, len)) {
		json_bytes(sb, s, len);
		return;
	}
	strbuf_addc(sb, '"');
	for (size_t i = 0; i < len; i++)
		add_char(sb, s[i]);
	strbuf_addc(sb, '"');
}

/* ---- values ------------------------------------------------------------- */

static void
put_enum(struct strbuf *sb, const dtrace_value_t *val)
{
	if (val->dtva_data != NULL)
		json_text(sb, val->dtva_data, val->dtva_size);
	else
		out_i64(sb, val->dtva_int, 0);
}

/* JSON has no infinities or NaN: their names are given as strings. */
static void
put_float(struct strbuf *sb, const dtrace_value_t *val)
{
	int digits = val->dtva_size == sizeof(float) ? 9 : 17;
	long double ld = (long double)val->dtva_float;

	if (val->dtva_size == sizeof(ld)) {
		memcpy(&ld, val->dtva_data, sizeof(ld));
		digits = 21;
	}
	if (isfinite(ld))
		strbuf_printf(sb, "%.*Lg", digits, ld);
	else
		strbuf_printf(sb, "\"%Lf\"", ld);
}

static void
put_array(struct strbuf *sb, const dtrace_value_t *val)
{
	strbuf_addc(sb, '[');
	for (uint32_t i = 0; i < val->dtva_count; i++) {
		separate(sb);
		json_value(sb, &val->dtva_elems[i]);
	}
	strbuf_addc(sb, ']');
}

static void
put_struct(struct strbuf *sb, const dtrace_value_t *val)
{
	strbuf_addc(sb, '{');
	for (uint32_t i = 0; i < val->dtva_count; i++) {
		json_name(sb, val->dtva_elems[i].dtva_name);
		json_value(sb, &val->dtva_elems[i]);
	}
	strbuf_addc(sb, '}');
}

/* An address, and its known names. */
static void
put_frame(struct strbuf *sb, const dtrace_frame_t *f)
{
	strbuf_addc(sb, '{');
	json_uint(sb, "address", f->dtfr_address);
	if (f->dtfr_module != NULL)
		json_str(sb, "module", f->dtfr_module);
	if (f->dtfr_symbol != NULL)
		json_str(sb, "symbol", f->dtfr_symbol);
	if (f->dtfr_symbol != NULL || f->dtfr_offset != 0)
		json_uint(sb, "offset", f->dtfr_offset);
	if (f->dtfr_annotation != NULL)
		json_str(sb, "annotation", f->dtfr_annotation);
	if (f->dtfr_helper != NULL)
		json_str(sb, "helper", f->dtfr_helper);
	strbuf_addc(sb, '}');
}

static void
put_frames(struct strbuf *sb, const dtrace_value_t *val)
{
	strbuf_addc(sb, '[');
	for (uint32_t i = 0; i < val->dtva_count; i++) {
		if (i > 0)
			strbuf_addc(sb, ',');
		put_frame(sb, &val->dtva_frames[i]);
	}
	strbuf_addc(sb, ']');
}

void
json_value(struct strbuf *sb, const dtrace_value_t *val)
{
	switch (val->dtva_kind) {
	case DTRACE_VALUE_NONE:
		strbuf_adds(sb, "null");
		break;
	case DTRACE_VALUE_INT:
		out_i64(sb, val->dtva_int, 0);
		break;
	case DTRACE_VALUE_UINT:
		out_u64(sb, val->dtva_uint, 0);
		break;
	case DTRACE_VALUE_BOOL:
		strbuf_adds(sb, val->dtva_uint != 0 ? "true" : "false");
		break;
	case DTRACE_VALUE_ENUM:
		put_enum(sb, val);
		break;
	case DTRACE_VALUE_FLOAT:
		put_float(sb, val);
		break;
	case DTRACE_VALUE_STRING:
		json_text(sb, val->dtva_data, val->dtva_size);
		break;
	case DTRACE_VALUE_BYTES:
		json_bytes(sb, val->dtva_data, val->dtva_size);
		break;
	case DTRACE_VALUE_ARRAY:
		put_array(sb, val);
		break;
	case DTRACE_VALUE_STRUCT:
		put_struct(sb, val);
		break;
	case DTRACE_VALUE_STACK:
	case DTRACE_VALUE_USTACK:
		put_frames(sb, val);
		break;
	case DTRACE_VALUE_ADDRESS:
	case DTRACE_VALUE_UADDRESS:
		put_frame(sb, val->dtva_frames);
		break;
	}
}

/* "type" and "value" of a datum, or the frames of a stack. */
void
json_datum(struct strbuf *sb, const dtrace_value_t *val)
{
	bool is_stack = val->dtva_kind == DTRACE_VALUE_STACK ||
	    val->dtva_kind == DTRACE_VALUE_USTACK;

	if (val->dtva_type != NULL)
		json_str(sb, "type", val->dtva_type);
	if (val->dtva_kind == DTRACE_VALUE_USTACK ||
	    val->dtva_kind == DTRACE_VALUE_UADDRESS)
		json_uint(sb, "pid", val->dtva_pid);
	json_name(sb, is_stack ? "frames" : "value");
	json_value(sb, val);
	if (val->dtva_limit != NULL)
		json_str(sb, "limit", val->dtva_limit);
}
