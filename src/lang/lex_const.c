/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants: integers, characters, strings.
 *
 * Source: doc/reference/language.md section 1.  D has no floating-point
 * constants; the lexer recognises them only to refuse them by name.  A number
 * with a unit of time (10ms) is ours: the nanoseconds, as a 64-bit integer.
 */
#include "lang/lex.h"

#include <string.h>

#include "base/str.h"

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* The end of the number; *is_float: does it have a float's characters? */
static uint32_t
number_end(const struct lex *lx, bool *is_float)
{
	uint32_t off = lx->pos;
	bool hex = lex_at(lx, off) == '0' && (lex_at(lx, off + 1) | 32) == 'x';

	*is_float = false;
	for (;; off++) {
		char c = lex_at(lx, off);
		bool exponent = !hex && (c | 32) == 'e' &&
		    (digit_value(lex_at(lx, off - 1)) < 10 ||
			lex_at(lx, off - 1) == '.');

		if (c == '.' && lex_at(lx, off + 1) == '.')
			return off;
		if (exponent &&
		    (lex_at(lx, off + 1) == '-' || lex_at(lx, off + 1) == '+'))
			off++;
		if (c == '.' || exponent)
			*is_float = true;
		else if (!lex_is_ident(c))
			return off;
	}
}

/*
 * U, L, LL and their combinations; returns the offset after the suffix that was
 * recognised.
 */
static uint32_t
number_suffix(const struct lex *lx, uint32_t off, struct lex_tok *t)
{
	for (int i = 0; i < 2; i++) {
		char c = lex_at(lx, off);

		if ((c | 32) == 'u' && !t->is_unsigned) {
			t->is_unsigned = true;
			off++;
		} else if ((c | 32) == 'l' && !t->is_long) {
			t->is_long = true;
			off += lex_at(lx, off + 1) == c ? 2 : 1;
		}
	}
	return off;
}

static unsigned
number_base(const struct lex *lx, uint32_t *off)
{
	char x = (char)(lex_at(lx, *off + 1) | 32);

	if (lex_at(lx, *off) != '0')
		return 10;
	if (x == 'x' || x == 'b') {
		*off += 2;
		return x == 'x' ? 16 : 2;
	}
	return 8;
}

/* Read digits into t->value; the offset of the first other character. */
static uint32_t
number_digits(struct lex *lx, uint32_t off, uint32_t end, unsigned base,
    struct lex_tok *t)
{
	bool overflow = false;

	for (; off < end && digit_value(lex_at(lx, off)) < (int)base; off++) {
		unsigned d = (unsigned)digit_value(lex_at(lx, off));

		overflow |= __builtin_mul_overflow(t->value, base, &t->value);
		overflow |= __builtin_add_overflow(t->value, d, &t->value);
	}
	if (overflow) {
		lex_error(lx, D_INT_OFLOW, t->span.off, t->span.len,
		    "this integer constant does not fit in 64 bits");
		t->value = 0;
	}
	return off;
}

/*
 * The nanoseconds of the unit that the text is as a whole; 0: it is none.  The
 * short units of probes tick-10ms, in lower case: L and U are suffixes.
 */
static int64_t
time_unit(const char *text, size_t len)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60 * INT64_C(1000000000) },
		{ "h", 3600 * INT64_C(1000000000) },
		{ "d", 86400 * INT64_C(1000000000) },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) == len &&
		    memcmp(units[i].name, text, len) == 0)
			return units[i].ns;
	}
	return 0;
}

static void
number_in_unit(struct lex *lx, int64_t unit, struct lex_tok *t)
{
	t->is_long = true;
	if (!__builtin_mul_overflow(t->value, (uint64_t)unit, &t->value) &&
	    t->value <= INT64_MAX)
		return;
	lex_error(lx, D_INT_OFLOW, t->span.off, t->span.len,
	    "this time does not fit in 63 bits of nanoseconds, which are 292 "
	    "years");
	t->value = 0;
}

void
lex_number(struct lex *lx)
{
	uint32_t off = lx->pos, digits = off, end, last;
	bool is_float;
	unsigned base;
	int64_t unit;
	struct lex_tok *t;

	lx->pos = end = number_end(lx, &is_float);
	t = lex_push(lx, TOK_INT, off);
	if (is_float) {
		lex_error(lx, D_SYNTAX, off, end - off,
		    "floating-point constants are not permitted in D");
		lex_hint(lx,
		    "D computes with integers: write 1500us for 1.5 ms, "
		    "1000000000 for 1e9; normalize() divides what is printed");
		return;
	}
	base = number_base(lx, &digits);
	t->is_decimal = base == 10;
	last = number_digits(lx, digits, end, base, t);
	if (last == digits)
		lex_error(lx, D_INT_DIGIT, off, end - off,
		    "expected digits after '%.2s'", lx->text + off);
	else if (base == 10 &&
	    (unit = time_unit(lx->text + last, end - last)) != 0)
		number_in_unit(lx, unit, t);
	else if ((last = number_suffix(lx, last, t)) < end)
		lex_error(lx, D_INT_DIGIT, last, 1,
		    "'%c' is not a digit of an integer to base %u nor a "
		    "suffix",
		    lex_at(lx, last), base);
}

static char
octal_escape(struct lex *lx)
{
	unsigned v = 0;

	for (int i = 0; i < 3 && digit_value(lex_at(lx, lx->pos)) < 8; i++)
		v = v * 8 + (unsigned)digit_value(lex_at(lx, lx->pos++));
	return (char)v;
}

static char
hex_escape(struct lex *lx)
{
	unsigned v = 0;

	for (int i = 0; i < 2 && digit_value(lex_at(lx, lx->pos)) < 16; i++)
		v = v * 16 + (unsigned)digit_value(lex_at(lx, lx->pos++));
	return (char)v;
}

/* The escape after a backslash; an unknown one gives the character itself. */
static void
lex_escape(struct lex *lx, struct strbuf *out)
{
	static const char letters[] = "abfnrtv\\'\"?";
	static const char values[] = "\a\b\f\n\r\t\v\\'\"?";
	char c = lex_at(lx, lx->pos);
	const char *p = c != '\0' ? strchr(letters, c) : NULL;

	if (p != NULL) {
		lx->pos++;
		strbuf_addc(out, values[p - letters]);
	} else if (digit_value(c) < 8) {
		strbuf_addc(out, octal_escape(lx));
	} else if (c == 'x' && digit_value(lex_at(lx, lx->pos + 1)) < 16) {
		lx->pos++;
		strbuf_addc(out, hex_escape(lx));
	} else if (c == '\n') {
		lx->pos++; /* the line continues */
	} else {
		strbuf_addc(out, '\\');
	}
}

/*
 * Read the characters up to `quote`, and skip it; false: the line ends first.
 */
static bool
lex_quoted(struct lex *lx, char quote, struct strbuf *out)
{
	for (lx->pos++; lx->pos < lx->len;) {
		char c = lex_at(lx, lx->pos);

		if (c == '\n')
			return false;
		lx->pos++;
		if (c == quote)
			return true;
		if (c == '\\' && lx->pos < lx->len)
			lex_escape(lx, out);
		else
			strbuf_addc(out, c);
	}
	return false;
}

bool
lex_is_quoted(const char *s, struct strbuf *out)
{
	struct lex lx = { .text = s, .len = (uint32_t)strlen(s) };

	return *s == '"' && lex_quoted(&lx, '"', out) && lx.pos == lx.len;
}

/*
 * Count the quotes from `off` to the end of its line, which is stored in *end.
 */
static unsigned
count_quotes(const struct lex *lx, uint32_t off, uint32_t *end)
{
	unsigned n = 0;

	for (; off < lx->len && lex_at(lx, off) != '\n'; off++) {
		if (lex_at(lx, off) == '"')
			n++;
		else if (lex_at(lx, off) == '\\')
			off++;
	}
	*end = off;
	return n;
}

/*
 * A string that its line does not close; lx->pos is at the end of the line.
 * Continue there, or behind the quote that closes it on a later line.  A later
 * line is taken to close it if it is the next line with quotes and their number
 * is odd.
 */
static void
lex_resume(struct lex *lx)
{
	uint32_t off = lx->pos + 1, end;
	unsigned n = 0;

	for (; off < lx->len; off = end + 1) {
		n = count_quotes(lx, off, &end);
		if (n > 0)
			break;
	}
	if (n % 2 == 0)
		return;
	while (lex_at(lx, off) != '"')
		off += lex_at(lx, off) == '\\' ? 2 : 1;
	lx->pos = off + 1;
}

void
lex_string(struct lex *lx)
{
	struct strbuf sb = { 0 };
	uint32_t off = lx->pos;
	bool closed = lex_quoted(lx, '"', &sb);

	if (!closed) {
		lex_error(lx, D_STR_NL, off, lx->pos - off,
		    "this string is not closed on its line");
		lex_resume(lx);
	}
	lex_push_str(lx, off, sb.s, sb.len);
	lx->toks.v[lx->toks.n - 1].is_bad = !closed;
	strbuf_fini(&sb);
}

void
lex_char(struct lex *lx)
{
	struct strbuf sb = { 0 };
	uint32_t off = lx->pos;
	bool closed = lex_quoted(lx, '\'', &sb);
	struct lex_tok *t = lex_push(lx, TOK_INT, off);

	t->is_char = true;
	t->is_bad = !closed;
	if (!closed)
		lex_error(lx, D_CHR_NL, off, lx->pos - off,
		    "this character constant is not closed on its line");
	else if (sb.len == 0)
		lex_error(lx, D_CHR_NULL, off, lx->pos - off,
		    "expected a character between the quotes, found none");
	else if (sb.len > 8)
		lex_error(lx, D_CHR_OFLOW, off, lx->pos - off,
		    "a character constant holds at most 8 characters, "
		    "found %zu",
		    sb.len);
	else
		for (size_t i = 0; i < sb.len; i++)
			t->value = t->value << 8 | (unsigned char)sb.s[i];
	strbuf_fini(&sb);
}
