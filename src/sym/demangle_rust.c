/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Rust.
 *
 * The legacy mangling is a C++ name whose last part is a hash, with
 * punctuation spelt out ($LT$, "..").  The v0 mangling is a grammar of its own
 * (Rust RFC 2603, and rustc's book "v0 Symbol Format"); a parser prints as it
 * reads:
 *
 *	symbol	_R [version] path [instantiating crate]
 *	path	C ident | M path type | X path type path | Y type path |
 *		N namespace path ident | I path { arg } E | back reference
 *
 * Names are hostile: depth, steps and output are bounded, since back
 * references let few bytes stand for many.  The output is what rustfilt calls
 * the short form: no hashes of crates, no types of constants.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sym/demangle.h"

#define DEPTH_MAX 100
#define STEPS_MAX 20000
#define TEXT_MAX ((size_t)16 * 1024)
#define PUNY_MAX 128

struct rust {
	const char *s; /* after "_R": back references count from here */
	size_t len, pos;
	struct strbuf out;
	bool is_bad;
	bool is_mute; /* parse without printing */
	unsigned depth, steps;
	bool is_open;	  /* see open_path() */
	uint64_t binders; /* lifetimes bound by the enclosing binders */
};

static void path(struct rust *r, bool in_value);
static void type(struct rust *r);

/* ---- letters ------------------------------------------------------------- */

static char
peek(const struct rust *r)
{
	return r->pos < r->len ? r->s[r->pos] : '\0';
}

static char
next(struct rust *r)
{
	char c = peek(r);

	if (c == '\0')
		r->is_bad = true;
	else
		r->pos++;
	return c;
}

static bool
eat(struct rust *r, char c)
{
	if (peek(r) != c)
		return false;
	r->pos++;
	return true;
}

static void
put_bytes(struct rust *r, const char *s, size_t len)
{
	if (r->is_mute || r->is_bad)
		return;
	strbuf_add(&r->out, s, len);
	r->is_bad = r->out.len > TEXT_MAX;
}

static void
put(struct rust *r, const char *s)
{
	put_bytes(r, s, strlen(s));
}

static void
put_number(struct rust *r, uint64_t v)
{
	char text[24], *p = text + sizeof(text);

	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	put_bytes(r, p, (size_t)(text + sizeof(text) - p));
}

/* Limit depth and steps: back references can form a cycle. */
static bool
enter(struct rust *r)
{
	if (r->depth >= DEPTH_MAX || r->steps >= STEPS_MAX)
		r->is_bad = true;
	if (r->is_bad)
		return false;
	r->depth++;
	r->steps++;
	return true;
}

/* ---- numbers and identifiers --------------------------------------------- */

static uint64_t
digit62(char c)
{
	if (c >= '0' && c <= '9')
		return (uint64_t)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (uint64_t)(c - 'a' + 10);
	return c >= 'A' && c <= 'Z' ? (uint64_t)(c - 'A' + 36) : 62;
}

/* "_" is 0, "0_" is 1, ... */
static uint64_t
base62(struct rust *r)
{
	uint64_t v = 0;

	if (eat(r, '_'))
		return 0;
	while (!r->is_bad && !eat(r, '_')) {
		uint64_t d = digit62(next(r));

		if (d == 62 || v > (UINT64_MAX - 62) / 62)
			r->is_bad = true;
		v = v * 62 + d;
	}
	return v + 1;
}

/* The number after a tag letter, or 0 if the letter is missing. */
static uint64_t
optional62(struct rust *r, char tag)
{
	return eat(r, tag) ? base62(r) + 1 : 0;
}

static size_t
decimal(struct rust *r)
{
	size_t v = 0;

	if (!isdigit((unsigned char)peek(r)))
		r->is_bad = true;
	if (eat(r, '0'))
		return 0;
	while (isdigit((unsigned char)peek(r)) && v <= r->len)
		v = 10 * v + (size_t)(next(r) - '0');
	return v;
}

struct ident {
	const char *s;
	size_t len;
	bool is_puny;
};

static struct ident
ident(struct rust *r)
{
	struct ident id = { .is_puny = eat(r, 'u') };

	id.len = decimal(r);
	eat(r, '_');
	if (r->is_bad || id.len > r->len - r->pos) {
		r->is_bad = true;
		id.len = 0;
	}
	id.s = r->s + r->pos;
	r->pos += id.len;
	return id;
}

/* RFC 3492, section 6.1: adapt the bias for the next delta. */
static size_t
puny_adapt(size_t delta, size_t n, bool is_first)
{
	size_t k = 0;

	delta = is_first ? delta / 700 : delta / 2;
	delta += delta / n;
	for (; delta > 455; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* Read one delta (section 6.2), in digits a-z0-9; false: malformed. */
static bool
puny_delta(const char **p, const char *end, size_t bias, size_t *delta)
{
	size_t w = 1;

	*delta = 0;
	for (size_t k = 36;; k += 36) {
		size_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias, d;

		if (*p == end || w > SIZE_MAX / 36 / 36)
			return false;
		d = (size_t)(unsigned char)*(*p)++;
		if (d >= 'a' && d <= 'z')
			d -= 'a';
		else if (d >= '0' && d <= '9')
			d = d - '0' + 26;
		else
			return false;
		*delta += d * w;
		if (d < t)
			return true;
		w *= 36 - t;
	}
}

static void
put_utf8(struct rust *r, uint32_t c)
{
	char s[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (n == 1) {
		s[0] = (char)c;
	} else {
		static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

		for (size_t i = n; i-- > 1; c >>= 6)
			s[i] = (char)(0x80 | (c & 0x3f));
		s[0] = (char)(lead[n] | c);
	}
	put_bytes(r, s, n);
}

/*
 * Letters before the last '_' stand for themselves; the deltas behind it insert
 * the others.
 */
static bool
puny_decode(const struct ident *id, uint32_t *text, size_t *n)
{
	const char *end = id->s + id->len, *p = id->s;
	const char *mark = memrchr(id->s, '_', id->len);
	size_t c = 0x80, at = 0, bias = 72, delta;
	bool is_first = true;

	*n = 0;
	for (; mark != NULL && p < mark; p++) {
		if (*n == PUNY_MAX)
			return false;
		text[(*n)++] = (unsigned char)*p;
	}
	for (p = mark != NULL ? mark + 1 : p; p < end; is_first = false) {
		if (*n == PUNY_MAX || !puny_delta(&p, end, bias, &delta))
			return false;
		at += delta;
		++*n;
		bias = puny_adapt(delta, *n, is_first);
		c += at / *n;
		at %= *n;
		if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c < 0xa0)
			return false;
		memmove(
		    text + at + 1, text + at, (*n - 1 - at) * sizeof(*text));
		text[at++] = (uint32_t)c;
	}
	return true;
}

static void
put_ident(struct rust *r, const struct ident *id)
{
	uint32_t text[PUNY_MAX];
	size_t n;

	if (!id->is_puny) {
		put_bytes(r, id->s, id->len);
		return;
	}
	if (!puny_decode(id, text, &n)) {
		r->is_bad = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		put_utf8(r, text[i]);
}

/* ---- back references ----------------------------------------------------- */

/* Parse at an earlier place; skip that when muted, since nothing is printed. */
static void
back(struct rust *r, void (*f)(struct rust *))
{
	size_t tag = r->pos - 1;
	uint64_t to = base62(r);
	size_t pos = r->pos;

	if (to >= tag)
		r->is_bad = true;
	if (r->is_bad || r->is_mute)
		return;
	r->pos = (size_t)to;
	f(r);
	r->pos = pos;
}

static void
path_in_value(struct rust *r)
{
	path(r, true);
}

static void
path_in_type(struct rust *r)
{
	path(r, false);
}

/* ---- lifetimes ----------------------------------------------------------- */

/* Indices count from the innermost bound lifetime; 0 is erased. */
static void
lifetime(struct rust *r, uint64_t index)
{
	uint64_t depth = r->binders - index;

	put(r, "'");
	if (index == 0) {
		put(r, "_");
	} else if (index > r->binders) {
		r->is_bad = true;
	} else if (depth < 26) {
		char c = (char)('a' + depth);

		put_bytes(r, &c, 1);
	} else {
		put(r, "_");
		put_number(r, depth);
	}
}

/* "for<'a, 'b> ". Returns the number of lifetimes, which the caller unbinds. */
static uint64_t
binder(struct rust *r)
{
	uint64_t n = optional62(r, 'G');

	if (n > DEPTH_MAX)
		r->is_bad = true;
	if (n == 0 || r->is_bad)
		return 0;
	put(r, "for<");
	for (uint64_t i = 0; i < n; i++) {
		put(r, i > 0 ? ", " : "");
		r->binders++;
		lifetime(r, 1);
	}
	put(r, "> ");
	return n;
}

/* ---- constants ----------------------------------------------------------- */

static uint64_t
hex(struct rust *r, const char **digits, size_t *n)
{
	uint64_t v = 0;

	*digits = r->s + r->pos;
	while (!r->is_bad && peek(r) != '_') {
		char c = next(r);

		if (!isdigit((unsigned char)c) && (c < 'a' || c > 'f'))
			r->is_bad = true;
		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*n = (size_t)(r->s + r->pos - *digits);
	eat(r, '_');
	return v;
}

static void
integer(struct rust *r)
{
	const char *digits;
	uint64_t v;
	size_t n;

	if (eat(r, 'n'))
		put(r, "-");
	v = hex(r, &digits, &n);
	if (n <= 16) {
		put_number(r, v);
		return;
	}
	put(r, "0x");
	put_bytes(r, digits, n);
}

static void
character(struct rust *r)
{
	const char *digits;
	size_t n;
	uint64_t v = hex(r, &digits, &n);

	if (n > 6 || v > 0x10ffff)
		r->is_bad = true;
	put(r, "'");
	if (v < ' ' || v == 0x7f) {
		put(r, "\\u{");
		put_bytes(r, digits, n);
		put(r, "}");
	} else {
		put_utf8(r, (uint32_t)v);
	}
	put(r, "'");
}

static void
constant(struct rust *r)
{
	const char *digits;
	size_t n;
	char c = next(r);

	if (!enter(r))
		return;
	if (c == 'B')
		back(r, constant);
	else if (c == 'p')
		put(r, "_");
	else if (c == 'b')
		put(r, hex(r, &digits, &n) != 0 ? "true" : "false");
	else if (c == 'c')
		character(r);
	else if (c != '\0' && strchr("ahijlmnostxy", c) != NULL)
		integer(r);
	else
		r->is_bad = true;
	r->depth--;
}

/* ---- types --------------------------------------------------------------- */

static const char *
basic_type(char c)
{
	static const char *const names[26] = { "i8", "bool", "char", "f64",
		"str", "f32", NULL, "u8", "isize", "usize", NULL, "i32", "u32",
		"i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...",
		NULL, "i64", "u64", "!" };

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Parse items until the letter E. Returns their number. */
static size_t
list(struct rust *r, const char *between, void (*f)(struct rust *))
{
	size_t n = 0;

	while (!r->is_bad && !eat(r, 'E')) {
		put(r, n++ > 0 ? between : "");
		f(r);
	}
	return n;
}

static void
reference(struct rust *r, bool is_mut)
{
	uint64_t lt;

	put(r, "&");
	if (eat(r, 'L')) {
		lt = base62(r);
		if (lt != 0) {
			lifetime(r, lt);
			put(r, " ");
		}
	}
	put(r, is_mut ? "mut " : "");
	type(r);
}

static void
function(struct rust *r)
{
	uint64_t bound = binder(r);
	struct ident abi;

	put(r, eat(r, 'U') ? "unsafe " : "");
	if (eat(r, 'K')) {
		put(r, "extern \"");
		if (eat(r, 'C')) {
			put(r, "C");
		} else {
			abi = ident(r);
			for (size_t i = 0; i < abi.len; i++)
				put_bytes(
				    r, abi.s[i] == '_' ? "-" : abi.s + i, 1);
		}
		put(r, "\" ");
	}
	put(r, "fn(");
	list(r, ", ", type);
	put(r, ")");
	if (!eat(r, 'u')) {
		put(r, " -> ");
		type(r);
	}
	r->binders -= bound;
}

static void generic_arg(struct rust *r);

/* Parse a path; if it ends in a list of arguments, leave the list open. */
static void
open_path(struct rust *r)
{
	if (eat(r, 'B')) {
		back(r, open_path);
		return;
	}
	if (!eat(r, 'I')) {
		path(r, false);
		r->is_open = false;
		return;
	}
	path(r, false);
	put(r, "<");
	list(r, ", ", generic_arg);
	r->is_open = true;
}

/* "Trait<Arg, Name = Type>" */
static void
dyn_trait(struct rust *r)
{
	bool is_open;

	open_path(r);
	is_open = r->is_open;
	while (eat(r, 'p')) {
		struct ident id = ident(r);

		put(r, is_open ? ", " : "<");
		is_open = true;
		put_ident(r, &id);
		put(r, " = ");
		type(r);
	}
	put(r, is_open ? ">" : "");
}

static void
dyn(struct rust *r)
{
	uint64_t bound, lt;

	put(r, "dyn ");
	bound = binder(r);
	list(r, " + ", dyn_trait);
	r->binders -= bound;
	if (!eat(r, 'L')) {
		r->is_bad = true;
		return;
	}
	lt = base62(r);
	if (lt != 0) {
		put(r, " + ");
		lifetime(r, lt);
	}
}

static void
array(struct rust *r)
{
	put(r, "[");
	type(r);
	put(r, "; ");
	constant(r);
	put(r, "]");
}

static void
tuple(struct rust *r)
{
	put(r, "(");
	put(r, list(r, ", ", type) == 1 ? ",)" : ")");
}

static void
compound_type(struct rust *r, char c)
{
	switch (c) {
	case 'A':
		array(r);
		return;
	case 'S':
		put(r, "[");
		type(r);
		put(r, "]");
		return;
	case 'T':
		tuple(r);
		return;
	case 'R':
	case 'Q':
		reference(r, c == 'Q');
		return;
	case 'P':
	case 'O':
		put(r, c == 'P' ? "*const " : "*mut ");
		type(r);
		return;
	case 'F':
		function(r);
		return;
	case 'D':
		dyn(r);
		return;
	case 'B':
		back(r, type);
		return;
	default:
		r->pos--;
		path(r, false);
	}
}

static void
type(struct rust *r)
{
	char c = next(r);
	const char *name = basic_type(c);

	if (name != NULL)
		put(r, name);
	else if (enter(r)) {
		compound_type(r, c);
		r->depth--;
	}
}

/* ---- paths --------------------------------------------------------------- */

static void
generic_arg(struct rust *r)
{
	if (eat(r, 'L'))
		lifetime(r, base62(r));
	else if (eat(r, 'K'))
		constant(r);
	else
		type(r);
}

/* The path where an impl stands is not printed. */
static void
skip_impl_path(struct rust *r)
{
	bool was_mute = r->is_mute;

	r->is_mute = true;
	optional62(r, 's');
	path(r, false);
	r->is_mute = was_mute;
}

/*
 * Functions and types are printed by name; closures and shims by kind and
 * number.
 */
static void
nested(struct rust *r, bool in_value)
{
	char space = next(r);
	struct ident id;
	uint64_t no;

	path(r, in_value);
	no = optional62(r, 's');
	id = ident(r);
	if (space >= 'a' && space <= 'z') {
		put(r, id.len > 0 ? "::" : "");
		put_ident(r, &id);
		return;
	}
	put(r, "::{");
	if (space == 'C')
		put(r, "closure");
	else if (space == 'S')
		put(r, "shim");
	else
		put_bytes(r, &space, 1);
	put(r, id.len > 0 ? ":" : "");
	put_ident(r, &id);
	put(r, "#");
	put_number(r, no);
	put(r, "}");
}

static void
self_type(struct rust *r, char c)
{
	if (c != 'Y')
		skip_impl_path(r);
	put(r, "<");
	type(r);
	if (c != 'M') {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

static void
any_path(struct rust *r, char c, bool in_value)
{
	struct ident id;

	switch (c) {
	case 'C':
		optional62(r, 's');
		id = ident(r);
		put_ident(r, &id);
		return;
	case 'M':
	case 'X':
	case 'Y':
		self_type(r, c);
		return;
	case 'N':
		nested(r, in_value);
		return;
	case 'I':
		path(r, in_value);
		put(r, in_value ? "::<" : "<");
		list(r, ", ", generic_arg);
		put(r, ">");
		return;
	case 'B':
		back(r, in_value ? path_in_value : path_in_type);
		return;
	default:
		r->is_bad = true;
	}
}

static void
path(struct rust *r, bool in_value)
{
	char c = next(r);

	if (!enter(r))
		return;
	any_path(r, c, in_value);
	r->depth--;
}

static char *
demangle_v0(const char *name)
{
	/* the compiler appends the rest: ".llvm.123" */
	struct rust r = { .s = name, .len = strcspn(name, ".$") };

	if (peek(&r) < 'A' || peek(&r) > 'Z')
		return NULL; /* an unknown version */
	path(&r, true);
	if (!r.is_bad && r.pos < r.len) {
		r.is_mute = true;
		path(&r, false);
	}
	if (!r.is_bad && r.pos == r.len)
		return strbuf_steal(&r.out);
	strbuf_fini(&r.out);
	return NULL;
}

/* ---- the legacy mangling ------------------------------------------------- */

#define HASH_LEN 17 /* "h", 16 hex digits */

static const struct escape {
	const char *name;
	char c;
} escapes[] = { { "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' },
	{ "GT", '>' }, { "LP", '(' }, { "RP", ')' }, { "C", ',' } };

/* The text between two '$': punctuation, or "u" and a character's number. */
static bool
put_escape(struct rust *r, const char *s, size_t len)
{
	char *end;
	unsigned long c;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (strlen(escapes[i].name) == len &&
		    memcmp(escapes[i].name, s, len) == 0) {
			put_bytes(r, &escapes[i].c, 1);
			return true;
		}
	}
	if (len < 2 || s[0] != 'u')
		return false;
	c = strtoul(s + 1, &end, 16);
	if (end != s + len || c < ' ' || c == 0x7f || c > 0x10ffff)
		return false;
	put_utf8(r, (uint32_t)c);
	return true;
}

static void
put_legacy(struct rust *r, const struct ident *id)
{
	const char *s = id->s, *end = s + id->len, *close;

	/* rustc adds '_' so that no identifier begins with '$' */
	if (id->len >= 2 && s[0] == '_' && s[1] == '$')
		s++;
	while (s < end) {
		if (s[0] == '.') {
			bool is_path = s + 1 < end && s[1] == '.';

			put(r, is_path ? "::" : ".");
			s += is_path ? 2 : 1;
			continue;
		}
		close = s[0] == '$' ?
		    memchr(s + 1, '$', (size_t)(end - s - 1)) :
		    NULL;
		if (close != NULL &&
		    put_escape(r, s + 1, (size_t)(close - s - 1))) {
			s = close + 1;
		} else {
			put_bytes(r, s, 1);
			s++;
		}
	}
}

static bool
is_hash(const struct ident *id)
{
	if (id->len != HASH_LEN || id->s[0] != 'h')
		return false;
	for (size_t i = 1; i < id->len; i++) {
		if (!isxdigit((unsigned char)id->s[i]))
			return false;
	}
	return true;
}

/*
 * Parts are preceded by their lengths; a name whose last part is no hash is
 * C++.
 */
static char *
demangle_legacy(const char *name)
{
	struct rust r = { .s = name, .len = strlen(name) };
	struct ident id = { 0 };
	bool has_parts = false;

	while (!r.is_bad && !eat(&r, 'E')) {
		if (id.len != 0) {
			put(&r, has_parts ? "::" : "");
			put_legacy(&r, &id);
			has_parts = true;
		}
		/* unlike in v0, a part begins with a digit */
		if (!isdigit((unsigned char)peek(&r)))
			r.is_bad = true;
		id.len = decimal(&r);
		if (r.is_bad || id.len == 0 || id.len > r.len - r.pos)
			break;
		id.s = r.s + r.pos;
		r.pos += id.len;
	}
	if (!r.is_bad && has_parts && r.pos > 0 && r.s[r.pos - 1] == 'E' &&
	    id.s + id.len + 1 == r.s + r.pos && is_hash(&id))
		return strbuf_steal(&r.out);
	strbuf_fini(&r.out);
	return NULL;
}

char *
demangle_rust(const char *name)
{
	if (strncmp(name, "_R", 2) == 0)
		return demangle_v0(name + 2);
	if (strncmp(name, "_ZN", 3) == 0)
		return demangle_legacy(name + 3);
	return NULL;
}
