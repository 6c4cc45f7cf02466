/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8 in the output of scripts: the bytes of characters, and the columns that
 * they take on a terminal.
 */
#include "consume/consume_impl.h"

#include <string.h>

/* Bytes of the character at `text` and which it is; 0: there is none. */
static size_t
utf8_char(const char *text, size_t len, uint32_t *wc)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80 ? 1 :
	    s[0] < 0xc0	       ? 0 :
	    s[0] < 0xe0	       ? 2 :
	    s[0] < 0xf0	       ? 3 :
	    s[0] < 0xf8	       ? 4 :
				 0;

	*wc = s[0];
	if (n < 2 || n > len)
		return n < 2 ? n : 0;
	*wc = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*wc = *wc << 6 | (s[i] & 0x3f);
	}
	if (*wc < least[n] || *wc > 0x10ffff || (*wc >= 0xd800 && *wc < 0xe000))
		return 0;
	return n;
}

size_t
utf8_len(const char *s, size_t len)
{
	uint32_t wc;

	return utf8_char(s, len, &wc);
}

size_t
utf8_printable(const char *s, size_t len)
{
	uint32_t wc;
	size_t n = utf8_char(s, len, &wc);

	return wc < 0xa0 ? 0 : n; /* C1 control characters, and ASCII */
}

/* ---- columns ------------------------------------------------------------- */

struct wc_range {
	uint32_t first, last;
};

/* clang-format off */
/* Unicode 15, EastAsianWidth.txt: W and F. */
static const struct wc_range wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf },
	{ 0xa960, 0xa97c }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};

/*
 * Characters without a column: they combine with the one before, or are
 * invisible.
 */
static const struct wc_range narrow[] = {
	{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd },
	{ 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff }, { 0x200b, 0x200f }, { 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};
/* clang-format on */

static bool
is_in(const struct wc_range *ranges, size_t n, uint32_t wc)
{
	for (size_t i = 0; i < n; i++) {
		if (wc >= ranges[i].first && wc <= ranges[i].last)
			return true;
	}
	return false;
}

static size_t
columns_of(uint32_t wc)
{
	if (is_in(narrow, sizeof(narrow) / sizeof(narrow[0]), wc))
		return 0;
	return 1 + is_in(wide, sizeof(wide) / sizeof(wide[0]), wc);
}

size_t
utf8_columns(const char *s, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t wc;

		n = (unsigned char)s[i] < 0x80 ? 0 :
						 utf8_char(s + i, len - i, &wc);
		columns += n == 0 ? 1 : columns_of(wc);
		n += n == 0;
	}
	return columns;
}

size_t
utf8_cut(const char *s, size_t len)
{
	size_t start = len;
	uint32_t wc;

	while (start > 0 && len - start < 4 &&
	    ((unsigned char)s[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0 || ((unsigned char)s[start - 1] & 0xc0) != 0xc0 ||
	    utf8_char(s + start - 1, len - start + 1, &wc) != 0)
		return len;
	return start - 1;
}
