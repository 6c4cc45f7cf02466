/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8 in the output of scripts: the bytes of characters, and the columns that
 * they take on a terminal.
 */
#include "consume/consume_impl.h"

#include <string.h>

/* Bytes of a character that begins with this one; 0: none does. */
static size_t
lead_len(unsigned char lead)
{
	return lead < 0x80 ? 1 :
	    lead < 0xc0	   ? 0 :
	    lead < 0xe0	   ? 2 :
	    lead < 0xf0	   ? 3 :
	    lead < 0xf8	   ? 4 :
			     0;
}

/* Bytes of the character at `text` and which it is; 0: there is none. */
static size_t
utf8_char(const char *text, size_t len, uint32_t *wc)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t n = lead_len(s[0]);

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

/* The length of the character at s (RFC 3629); 0: there is none. */
static size_t
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

size_t
utf8_visible(const char *s, size_t len)
{
	return *s >= ' ' && *s <= '~' ? 1 : utf8_printable(s, len);
}

size_t
utf8_span(const char *s, size_t len, utf8_char_f *f)
{
	size_t i = 0;

	for (size_t n = 1; i < len && n != 0; i += n)
		n = f(s + i, len - i);
	return i;
}

bool
utf8_valid(const char *s, size_t len)
{
	return utf8_span(s, len, utf8_len) == len;
}

/* ---- columns ------------------------------------------------------------- */

struct wc_range {
	uint32_t first, last;
};

/*
 * wcwidth(3) is no alternative: its answers depend on the locale, and in "C",
 * where cron and many containers run programs, it knows only ASCII.
 */
static const struct wc_range wide[] = {
#define UTF8_WIDE(first, last) { first, last },
#define UTF8_NONE(first, last)
#include "consume/utf8_widths.def"
#undef UTF8_WIDE
#undef UTF8_NONE
};

/*
 * Characters without a column: they combine with the one before, or are
 * invisible.
 */
static const struct wc_range none[] = {
#define UTF8_WIDE(first, last)
#define UTF8_NONE(first, last) { first, last },
#include "consume/utf8_widths.def"
#undef UTF8_WIDE
#undef UTF8_NONE
};

/* The ranges are in ascending order. */
static bool
is_in(const struct wc_range *ranges, size_t n, uint32_t wc)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (wc > ranges[mid].last)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && wc >= ranges[low].first;
}

static size_t
columns_of(uint32_t wc)
{
	if (wc < none[0].first)
		return 1;
	if (is_in(none, sizeof(none) / sizeof(none[0]), wc))
		return 0;
	return 1 + is_in(wide, sizeof(wide) / sizeof(wide[0]), wc);
}

/*
 * The bytes of the character at s, or of a byte that is part of none, and its
 * columns.
 */
static size_t
step(const char *s, size_t len, size_t *columns)
{
	uint32_t wc;
	size_t n = (unsigned char)*s < 0x80 ? 0 : utf8_char(s, len, &wc);

	*columns = n == 0 ? 1 : columns_of(wc);
	return n == 0 ? 1 : n;
}

size_t
utf8_columns(const char *s, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0, n; i < len;) {
		i += step(s + i, len - i, &n);
		columns += n;
	}
	return columns;
}

size_t
utf8_fit(const char *s, size_t len, size_t columns)
{
	size_t i = 0, n, end;

	for (; i < len; i = end) {
		end = i + step(s + i, len - i, &n);
		if (n > columns)
			break;
		columns -= n;
	}
	return i;
}

size_t
utf8_cut(const char *s, size_t len)
{
	size_t start = len;

	while (start > 0 && len - start < 4 &&
	    ((unsigned char)s[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0 ||
	    lead_len((unsigned char)s[start - 1]) <= len - start + 1)
		return len;
	return start - 1;
}
