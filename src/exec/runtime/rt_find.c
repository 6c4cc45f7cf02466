/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Bytes in strings: strlen, strchr, strrchr, basename, dirname, substr.
 *
 * A string is read once, in bulk, into the area tmp_a, and searched there in
 * words of eight bytes.  The bytes after the string are left over from earlier
 * strings, so the last word is masked.
 */
#include "exec/runtime/rt_code.h"

struct find {
	u64 n;	     /* bytes of the string */
	u64 pattern; /* the searched byte, eight times */
	u64 invert;  /* RT_HIGHS to find any other byte */
	u64 pos;     /* result, or RT_NONE */
};

/* 0x80 in each byte of word `i` of tmp_a that is searched for. */
RT_INLINE u64
find_matches(const struct rt_mstate *ms, const struct find *f, u64 i)
{
	u64 w = rt_word(ms, RTC(ms, tmp_a) + 8 * i) ^ f->pattern;

	return (rt_zero_bytes(w) ^ f->invert) & rt_low_mask(f->n - 8 * i);
}

RT_CALLBACK long
find_first_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct find *f = RT_LOOP_VARS(struct find, ms);
	u64 m = find_matches(ms, f, i);

	if (m == 0)
		return 0;
	f->pos = 8 * (u64)i + rt_low_byte(m);
	return 1;
}

RT_CALLBACK long
find_last_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct find *f = RT_LOOP_VARS(struct find, ms);
	u64 word = RT_WORDS(f->n) - 1 - i;
	u64 m = find_matches(ms, f, word);

	if (m == 0)
		return 0;
	f->pos = 8 * word + rt_high_byte(m);
	return 1;
}

typedef long find_step(u32 i, void *arg);

/*
 * Search the first n bytes of tmp_a for c (or, with RT_HIGHS in `invert`, for
 * any other byte).
 */
RT_INLINE u64
find(struct rt_mstate *ms, u64 n, u64 c, u64 invert, find_step *step)
{
	struct find *f = RT_LOOP_VARS(struct find, ms);
	struct rt_ctx ctx = { ms };

	f->n = n;
	f->pattern = (c & 0xff) * RT_ONES;
	f->invert = invert;
	f->pos = RT_NONE;
	RT_LOOP(RT_WORDS(n), step, &ctx);
	return f->pos;
}

/* The last byte c. */
RT_INLINE u64
find_last(struct rt_mstate *ms, u64 n, u64 c)
{
	return find(ms, n, c, 0, find_last_step);
}

/* The last byte that is not c. */
RT_INLINE u64
find_last_not(struct rt_mstate *ms, u64 n, u64 c)
{
	return find(ms, n, c, RT_HIGHS, find_last_step);
}

/* tmp_a[start ... start+len) as a result. */
RT_INLINE u64
slice(struct rt_mstate *ms, u64 start, u64 len)
{
	return rt_slice(ms, RTC(ms, tmp_a) + start, len);
}

RT_INLINE u64
slice_char(struct rt_mstate *ms, u8 c)
{
	*rt_mem(ms, RTC(ms, tmp_a)) = c;
	return slice(ms, 0, 1);
}

RT_PUBLIC u64
rt_strlen(u64 slot, u64 s)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n;

	if (ms == NULL)
		return 0;
	n = rt_get_a(ms, s);
	if (n == RTC(ms, strsize))
		n--; /* a variable keeps no more */
	return n == RT_NONE ? 0 : n;
}

/* The terminating NUL can be found, too, if there is one. */
RT_INLINE u64
nbytes(const struct rt_mstate *ms, u64 len)
{
	return len < RTC(ms, strsize) ? len + 1 : len;
}

RT_INLINE u64
find_char(u64 slot, u64 s, u64 c, find_step *step)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n, pos;

	if (ms == NULL || s == 0 || (n = rt_get_a(ms, s)) == RT_NONE)
		return 0;
	pos = find(ms, nbytes(ms, n), c, 0, step);
	return pos == RT_NONE ? 0 : s + pos;
}

RT_PUBLIC u64
rt_strchr(u64 slot, u64 s, u64 c)
{
	return find_char(slot, s, c, find_first_step);
}

RT_PUBLIC u64
rt_strrchr(u64 slot, u64 s, u64 c)
{
	return find_char(slot, s, c, find_last_step);
}

/*
 * POSIX.1-2017, basename(): without trailing slashes, from after the last
 * slash; "/" if there is nothing else; "." for the empty string.
 */
RT_PUBLIC u64
rt_basename(u64 slot, u64 s)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n, last, slash;

	if (ms == NULL || (n = rt_get_a(ms, s)) == RT_NONE)
		return 0;
	last = find_last_not(ms, n, '/');
	if (last == RT_NONE)
		return slice_char(ms, n == 0 ? '.' : '/');
	slash = find_last(ms, last, '/'); /* RT_NONE + 1 is 0 */
	return slice(ms, slash + 1, last - slash);
}

/*
 * POSIX.1-2017, dirname(): without the last component and the slashes around
 * it; "/" when only slashes are left, "." when there was no slash.
 */
RT_PUBLIC u64
rt_dirname(u64 slot, u64 s)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n, last, slash;

	if (ms == NULL || (n = rt_get_a(ms, s)) == RT_NONE)
		return 0;
	last = find_last_not(ms, n, '/');
	if (last == RT_NONE)
		return slice_char(ms, n == 0 ? '.' : '/');
	slash = find_last(ms, last, '/');
	if (slash == RT_NONE)
		return slice_char(ms, '.');
	last = find_last_not(ms, slash, '/');
	if (last == RT_NONE)
		return slice_char(ms, '/');
	return slice(ms, 0, last + 1);
}

/*
 * Perl's rules: a negative index counts from the end, a negative length leaves
 * out that many bytes at the end.  The part before the start of the string is
 * cut off; a start after its end gives the empty string.
 */
RT_PUBLIC u64
rt_substr(u64 slot, u64 s, u64 index, u64 len, u64 nargs)
{
	struct rt_mstate *ms = rt_ms(slot);
	s64 start = (s32)index, end;
	u64 n;

	if (ms == NULL || (n = rt_get_a(ms, s)) == RT_NONE)
		return 0;
	if (start < 0)
		start += (s64)n;
	end = (s64)n;
	if (nargs > 2)
		end = (s32)len + ((s32)len < 0 ? (s64)n : start);
	if (start < 0)
		start = 0;
	if (end > (s64)n)
		end = (s64)n;
	if (start >= end)
		return slice(ms, 0, 0);
	return slice(ms, (u64)start, (u64)(end - start));
}
