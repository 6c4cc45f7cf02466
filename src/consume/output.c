/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data as trace(), tracemem(), stack() and aggregations show them, without a
 * format (doc/reference/language.md section 15).
 *
 * A record is data from the traced system: strings need not be terminated, and
 * sizes are taken from the plan only.
 */
#include "consume/consume_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define DUMP_MARGIN 5
#define DUMP_ROW 16
#define TRACE_COLUMNS 33  /* of a string in a record */
#define KEY_COLUMNS 50	  /* of a string in an aggregation */
#define PACKED_COLUMNS 16 /* the same beside a picture */

void
out_pad(struct strbuf *sb, size_t n)
{
	memset(out_room(sb, n), ' ', n);
	sb->len += n;
}

#define BLANKS 16
static const char blanks[] = "                ";
_Static_assert(sizeof(blanks) - 1 == BLANKS, "as many as it says");
static const char digit_pairs[] =
    "00010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899";

static unsigned
decimal_len(uint64_t v)
{
	static const uint64_t powers[] = { 0, 10, 100, 1000, 10000, 100000,
		1000000, 10000000, 100000000, 1000000000, 10000000000,
		100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, 10000000000000000000U };
	unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
	unsigned guess = bits * 1233 >> 12; /* bits * log10(2) */

	return guess + (v >= powers[guess]);
}

/* Two halves that can be computed in parallel, and their halves. */
static void
eight_digits(uint32_t v, char *to)
{
	uint32_t high = v / 10000, low = v % 10000;

	memcpy(to, &digit_pairs[high / 100 * 2], 2);
	memcpy(to + 2, &digit_pairs[high % 100 * 2], 2);
	memcpy(to + 4, &digit_pairs[low / 100 * 2], 2);
	memcpy(to + 6, &digit_pairs[low % 100 * 2], 2);
}

/* Decimal digits, written backwards from `end`. */
static void
decimal(uint64_t v, char *end)
{
	uint32_t rest;

	for (; v >= 100000000; v /= 100000000) {
		end -= 8;
		eight_digits((uint32_t)(v % 100000000), end);
	}
	for (rest = (uint32_t)v; rest >= 100; rest /= 100) {
		end -= 2;
		memcpy(end, &digit_pairs[rest % 100 * 2], 2);
	}
	if (rest >= 10)
		memcpy(end - 2, &digit_pairs[rest * 2], 2);
	else
		end[-1] = (char)('0' + rest);
}

/*
 * A number right-aligned in the given columns; returns its end.  The caller has
 * OUT_NUMBER bytes more room than the columns.
 */
char *
out_number_at(char *p, uint64_t v, bool is_negative, size_t width)
{
	size_t len = decimal_len(v) + is_negative;
	size_t pad = width > len ? width - len : 0;

	if (pad <= BLANKS)
		memcpy(p, blanks, BLANKS); /* of constant size */
	else
		memset(p, ' ', pad);
	if (is_negative)
		p[pad] = '-';
	p += pad + len;
	decimal(v, p);
	return p;
}

static void
out_number(struct strbuf *sb, uint64_t v, bool is_negative, int width)
{
	size_t columns = width > 0 ? (size_t)width : 0;
	char *p = out_room(sb, columns + OUT_NUMBER);

	p = out_number_at(p, v, is_negative, columns);
	*p = '\0';
	sb->len = (size_t)(p - sb->s);
}

void
out_u64(struct strbuf *sb, uint64_t v, int width)
{
	out_number(sb, v, false, width);
}

void
out_i64(struct strbuf *sb, int64_t v, int width)
{
	out_number(sb, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0, width);
}

void
out_text(struct strbuf *sb, const char *s, size_t len, int width, bool is_left)
{
	size_t pad = width > 0 ? utf8_columns(s, len) : 0;

	pad = width > 0 && (size_t)width > pad ? (size_t)width - pad : 0;
	if (pad != 0 && !is_left)
		out_pad(sb, pad);
	out_add(sb, s, len);
	if (pad != 0 && is_left)
		out_pad(sb, pad);
}

/* A byte, written as in a C string literal. */
void
out_escaped(struct strbuf *sb, char c)
{
	static const char codes[] = "\a\b\f\n\r\t\v\"\\";
	static const char names[] = "abfnrtv\"\\";
	const char *code = c ? strchr(codes, c) : NULL;

	if (code != NULL)
		strbuf_printf(sb, "\\%c", names[code - codes]);
	else if (c == '\0')
		strbuf_adds(sb, "\\0");
	else if (c < ' ' || c > '~')
		strbuf_printf(sb, "\\%03o", (unsigned char)c);
	else
		strbuf_addc(sb, c);
}

void
out_escape(struct strbuf *sb, const char *s, size_t len, utf8_char_f *stays)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = stays(s + i, len - i);
		if (n != 0)
			out_add(sb, s + i, n);
		else
			out_escaped(sb, s[i]);
		n += n == 0;
	}
}

/* ---- terminals ---------------------------------------------------------- */

/*
 * The bytes at s that a terminal shows, one character; 0: it would obey them.
 * Newlines and tabs are the script's own: trace("a line\n").
 */
static size_t
visible(const char *s, size_t len)
{
	return *s == '\n' || *s == '\t' ? 1 : utf8_visible(s, len);
}

static bool
is_visible(const char *s, size_t len)
{
	return utf8_span(s, len, visible) == len;
}

void
out_visible(struct strbuf *sb, const char *s, size_t len)
{
	out_escape(sb, s, len, visible);
}

struct out_aside
out_aside_begin(struct consumer *c, struct strbuf to, bool has_escapes)
{
	struct out_aside aside = { c->buf, c->has_escapes };

	c->buf = to;
	c->has_escapes = has_escapes;
	return aside;
}

struct strbuf
out_aside_end(struct consumer *c, const struct out_aside *aside)
{
	struct strbuf text = c->buf;

	c->buf = aside->output;
	c->has_escapes = aside->had_escapes;
	return text;
}

void
out_data(struct consumer *c, const char *s, size_t len, int width, bool is_left)
{
	struct strbuf text = { 0 };

	if (!c->has_escapes || is_visible(s, len)) {
		out_text(&c->buf, s, len, width, is_left);
		return;
	}
	out_visible(&text, s, len);
	out_text(&c->buf, text.s, text.len, width, is_left);
	strbuf_fini(&text);
}

void
out_guard(struct consumer *c, size_t start)
{
	size_t len = c->buf.len - start;
	char *copy;

	if (!c->has_escapes || is_visible(c->buf.s + start, len))
		return;
	copy = mem_alloc(len);
	memcpy(copy, c->buf.s + start, len);
	c->buf.len = start;
	out_visible(&c->buf, copy, len);
	free(copy);
}

void
out_utf8(struct strbuf *sb, uint32_t wc)
{
	if (wc < 0x80) {
		strbuf_addc(sb, (char)wc);
		return;
	}
	if (wc >= 0x110000 || (wc >= 0xd800 && wc < 0xe000))
		wc = 0xfffd; /* not a character: the replacement */
	if (wc < 0x800)
		strbuf_addc(sb, (char)(0xc0 | wc >> 6));
	else if (wc < 0x10000)
		strbuf_addc(sb, (char)(0xe0 | wc >> 12));
	else {
		strbuf_addc(sb, (char)(0xf0 | wc >> 18));
		strbuf_addc(sb, (char)(0x80 | (wc >> 12 & 0x3f)));
	}
	if (wc >= 0x800)
		strbuf_addc(sb, (char)(0x80 | (wc >> 6 & 0x3f)));
	strbuf_addc(sb, (char)(0x80 | (wc & 0x3f)));
}

/* ------------------------------------------------------------------------ */

bool
datum_is_int(const struct datum *d)
{
	const struct dif_action *src = d->rec->src;
	uint32_t size = d->rec->size;

	if (d->rec->store != PLAN_BYTES)
		return false;
	if (src != NULL && src->difo != NULL &&
	    (src->difo->rtype.flags & DIF_TF_BYREF) != 0)
		return false;
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The bytes as an unsigned number; 0: they are not an integer. */
uint64_t
datum_uint(const struct datum *d)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (d->rec->size) {
	case 1:
		return *(const uint8_t *)d->data;
	case 2:
		memcpy(&u16, d->data, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, d->data, sizeof(u32));
		return u32;
	case 8:
		memcpy(&u64, d->data, sizeof(u64));
		return u64;
	default:
		return 0;
	}
}

int64_t
datum_int(const struct datum *d)
{
	unsigned shift = 64 - 8 * d->rec->size;
	uint64_t v = datum_uint(d);

	if (d->rec->size == 0 || d->rec->size >= 8)
		return (int64_t)v;
	return (int64_t)(v << shift) >> shift;
}

bool
datum_is_signed(const struct datum *d)
{
	return d->rec->src != NULL && d->rec->src->is_signed;
}

/* Columns of an integer, by its size in bytes. */
static int
int_columns(uint32_t size)
{
	return size == 1 ? 3 : size == 2 ? 5 : size == 4 ? 8 : 16;
}

static void
out_int(struct strbuf *sb, const struct datum *d, int columns)
{
	if (datum_is_signed(d))
		out_i64(sb, datum_int(d), columns);
	else
		out_u64(sb, datum_uint(d), columns);
}

bool
datum_is_enum(const struct datum *d)
{
	const struct dif_action *src = d->rec->src;

	if (src == NULL || !datum_is_int(d))
		return false;
	if (src->type != NULL)
		return ctf_resolve(src->type)->kind == CTF_K_ENUM;
	return src->difo != NULL && src->difo->rtype.ckind == CTF_K_ENUM;
}

/* A program from DOF names the type only: the name is looked up once. */
static struct ctf_type *
named_type(struct consumer *c, const struct dif_action *src)
{
	uint32_t n;

	if (src->type_name == NULL || c->opts.types == NULL)
		return NULL;
	n = addrmap_number(&c->named, src);
	if (n == c->named_types.n)
		VEC_PUSH(&c->named_types,
		    ctf_lookup_text(c->opts.types, src->type_name));
	return c->named_types.v[n];
}

static const struct ctf_type *
enum_type(struct consumer *c, const struct dif_action *src)
{
	struct ctf_type *t = src->type != NULL ? src->type : named_type(c, src);

	t = t != NULL ? ctf_resolve(t) : NULL;
	return t != NULL && t->kind == CTF_K_ENUM ? t : NULL;
}

void
value_enum_text(struct consumer *c, const struct datum *d, struct strbuf *out)
{
	const struct ctf_type *t = enum_type(c, d->rec->src);
	const char *name = t != NULL ?
	    value_enum_name(t, datum_uint(d), 8 * d->rec->size) :
	    NULL;

	if (name != NULL)
		strbuf_adds(out, name);
	else
		out_int(out, d, 0);
}

/* The text of a string or an array of characters; not NUL-terminated. */
const char *
datum_text(const struct plan *pl, const struct datum *d, size_t *len)
{
	uint32_t n;
	const char *s;

	if (d->rec->store != PLAN_STR_ID) {
		*len = strnlen(d->data, d->rec->size);
		return d->data;
	}
	s = plan_str(pl, d->rec, d->data, &n);
	*len = n;
	return s;
}

/* ------------------------------------------------------------------------ */

static bool
is_printable(char c)
{
	return (c >= ' ' && c <= '~') || (c >= '\a' && c <= '\r');
}

static size_t
text_char(const char *s, size_t len)
{
	return is_printable(*s) ? 1 : utf8_printable(s, len);
}

static bool
is_text(const char *s, size_t len)
{
	return utf8_span(s, len, text_char) == len;
}

static bool
is_zero(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] != '\0')
			return false;
	return true;
}

static void
dump_row(struct strbuf *sb, const unsigned char *p, size_t n, size_t off)
{
	strbuf_printf(sb, "%*s%5zx:", DUMP_MARGIN, "", off);
	for (size_t i = 0; i < DUMP_ROW; i++)
		if (i < n)
			strbuf_printf(sb, " %02x", p[i]);
		else
			out_pad(sb, 3);
	out_pad(sb, 2);
	for (size_t i = 0; i < n; i++)
		strbuf_addc(sb, p[i] < ' ' || p[i] > '~' ? '.' : (char)p[i]);
	strbuf_addc(sb, '\n');
}

/*
 *	             0  1  2 ...  f  0123456789abcdef
 *	         0: 2f 62 69 ...     /bin
 */
void
out_dump(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_printf(sb, "\n%*s", DUMP_MARGIN + 6, "");
	for (unsigned i = 0; i < DUMP_ROW; i++)
		strbuf_printf(sb, "  %x", i);
	strbuf_adds(sb, "  0123456789abcdef\n");
	for (size_t off = 0; off < len; off += DUMP_ROW)
		dump_row(sb, (const unsigned char *)data + off,
		    len - off < DUMP_ROW ? len - off : DUMP_ROW, off);
}

/* A string datum has strsize bytes, even if fewer are stored. */
static void
out_string_dump(struct consumer *c, const char *s, size_t len)
{
	char *whole = mem_alloc(c->pl->strsize);

	memcpy(whole, s, len < c->pl->strsize ? len : c->pl->strsize);
	out_dump(&c->buf, whole, c->pl->strsize);
	free(whole);
}

/*
 * Text is printed, other bytes are dumped.  Control characters are no text,
 * unless they are escaped.
 */
static bool
string_is_text(const struct consumer *c, const char *s, size_t len)
{
	return is_text(s, len) || (c->has_escapes && utf8_valid(s, len));
}

/* Bytes that are no string are text if only NULs follow. */
static bool
bytes_are_text(const char *s, size_t len, size_t size)
{
	return len != 0 && is_text(s, len) && is_zero(s + len, size - len);
}

static void
out_bytes(struct consumer *c, const struct datum *d, int columns, bool quiet)
{
	size_t len, size = d->rec->size;
	const char *s = datum_text(c->pl, d, &len);
	bool is_string = d->rec->store != PLAN_BYTES;

	if (is_string && len == c->pl->strsize)
		len = utf8_cut(s, len); /* strsize may cut a character */
	if (c->opts.rawbytes ||
	    !(is_string ? string_is_text(c, s, len) :
			  bytes_are_text(s, len, size))) {
		if (is_string)
			out_string_dump(c, s, len);
		else
			out_dump(&c->buf, s, size);
		return;
	}
	if (!quiet)
		out_pad(&c->buf, 2);
	out_data(c, s, len, quiet ? 0 : columns, true);
}

struct frames
frames_of_stack(const struct datum *d)
{
	struct frames f = { .p = d->data };
	bool is_user = d->rec->store == PLAN_USTACK;
	uint32_t max = d->rec->size / 8;

	if (is_user) {
		/* a record made by the consumer may contain any value */
		max = (uint32_t)d->rec->arg < max ? (uint32_t)d->rec->arg :
						    max - 1;
		memcpy(&f.pid, f.p, sizeof(f.pid));
		f.p += sizeof(f.pid);
	}
	f.names = f.p + 8 * (size_t)max;
	f.end = (const char *)d->data + d->rec->size;
	while (f.n < max && frames_pc(&f, f.n) != 0)
		f.n++;
	return f;
}

enum plan_limit
frames_limit(const struct datum *d, const struct frames *f)
{
	bool is_cut = f->n != 0 && d->rec->store == PLAN_USTACK &&
	    plan_cut_name(frames_pc(f, f->n - 1)) != NULL;

	return is_cut || f->n < (uint32_t)d->rec->arg ? PLAN_LIMIT_NONE :
							d->rec->limit;
}

void
frames_note_full(
    struct consumer *c, const struct frames *f, enum plan_limit limit)
{
	if (limit != PLAN_LIMIT_NONE)
		c->full_stacks[limit] = f->n;
}

const char *
frames_next_name(struct frames *f)
{
	const char *name = f->names, *nul;

	if (name == f->end)
		return "";
	nul = memchr(name, '\0', (size_t)(f->end - name));
	if (nul == NULL) { /* a damaged record */
		f->names = f->end;
		return "";
	}
	f->names = nul + 1;
	return name;
}

/* A name that begins with "@" is a remark, which is printed below the frame. */
static void
out_frame(
    struct consumer *c, const struct symbol *sym, const char *name, int indent)
{
	size_t start = c->buf.len;

	out_pad(&c->buf, indent > 0 ? (size_t)indent : 0);
	if (symbol_takes_name(sym, name))
		strbuf_adds(&c->buf, name);
	else
		symbol_format(sym, &c->buf);
	strbuf_addc(&c->buf, '\n');
	if (*name == '@') {
		out_pad(&c->buf, indent > 0 ? (size_t)indent : 0);
		strbuf_printf(&c->buf, "  [ %s ]\n", name + 1);
	}
	out_guard(c, start);
}

void
out_stack(struct consumer *c, const struct datum *d, int indent)
{
	struct frames f = frames_of_stack(d);

	frames_note_full(c, &f, frames_limit(d, &f));
	strbuf_addc(&c->buf, '\n');
	for (uint32_t i = 0; i < f.n; i++) {
		struct symbol sym = symbol_of_frame(c, d, &f, i);

		out_frame(c, &sym, frames_next_name(&f), indent);
	}
}

/* A name stands where a string does, and so does a number among names. */
static void
out_enum(struct consumer *c, const struct datum *d, int columns, bool quiet)
{
	struct strbuf text = { 0 };

	value_enum_text(c, d, &text);
	if (!quiet)
		out_pad(&c->buf, 2);
	out_data(c, text.s, text.len, quiet ? 0 : columns, true);
	strbuf_fini(&text);
}

static void
out_datum(struct consumer *c, const struct datum *d, int columns, bool quiet)
{
	if (PLAN_IS_STACK(d->rec->store))
		out_stack(c, d, (int)c->opts.stackindent);
	else if (datum_is_symbol(d))
		out_symbol(c, d);
	else if (!datum_is_int(d))
		out_bytes(c, d, columns, quiet);
	else if (datum_is_enum(d))
		out_enum(c, d, columns, quiet);
	else if (quiet)
		out_int(&c->buf, d, 0);
	else {
		out_addc(&c->buf, ' ');
		out_int(&c->buf, d, int_columns(d->rec->size));
	}
}

void
out_trace(struct consumer *c, const struct datum *d)
{
	out_datum(c, d, TRACE_COLUMNS, c->opts.quiet);
}

void
out_key(struct consumer *c, const struct datum *d)
{
	out_datum(c, d, KEY_COLUMNS, false);
}

/* Beside a picture, a string takes as many columns as a number. */
int
pack_columns(const struct plan_rec *rec)
{
	struct datum d = { .rec = rec };

	if (datum_is_symbol(&d))
		return KEY_COLUMNS + 1;
	return datum_is_int(&d) && !datum_is_enum(&d) ? int_columns(rec->size) :
							PACKED_COLUMNS;
}

static void
out_packed_enum(struct consumer *c, const struct datum *d)
{
	struct strbuf text = { 0 };

	value_enum_text(c, d, &text);
	strbuf_addc(&c->buf, ' ');
	out_data(c, text.s, text.len, PACKED_COLUMNS, false);
	strbuf_fini(&text);
}

void
out_packed_key(struct consumer *c, const struct datum *d)
{
	size_t len;
	const char *s;

	if (datum_is_enum(d)) {
		out_packed_enum(c, d);
		return;
	}
	if (datum_is_int(d) || PLAN_IS_STACK(d->rec->store) ||
	    datum_is_symbol(d)) {
		out_key(c, d);
		return;
	}
	s = datum_text(c->pl, d, &len);
	strbuf_addc(&c->buf, ' ');
	if (string_is_text(c, s, len))
		out_data(c, s, len, PACKED_COLUMNS, false);
	else
		out_dump(&c->buf, s, len);
}
