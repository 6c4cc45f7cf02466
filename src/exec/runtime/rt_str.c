/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Strings as wholes: comparison, joining, numbers as text, copies into
 * records, strings of the current process.
 */
#include "exec/runtime/rt_code.h"

struct compare {
	u64 n; /* bytes to compare, with the NUL of the shorter string */
	s64 order;
};

RT_CALLBACK long
compare_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct compare *c = RT_LOOP_VARS(struct compare, ms);
	u64 a = rt_word(ms, RTC(ms, tmp_a) + 8 * (u64)i);
	u64 b = rt_word(ms, RTC(ms, tmp_b) + 8 * (u64)i);
	u64 diff = (a ^ b) & rt_low_mask(c->n - 8 * (u64)i);
	u64 shift;

	if (diff == 0)
		return 0;
	shift = 8 * rt_low_byte(diff);
	c->order = (a >> shift & 0xff) < (b >> shift & 0xff) ? -1 : 1;
	return 1;
}

#define UNDECIDED 2

#ifdef __bpf__
#define compare_direct(ms, a, b) UNDECIDED
#else
/*
 * The lowest bit of the first byte in which words of two strings differ, or the
 * first string ends; 0: none.  A borrow may mark bytes above an end, not below.
 */
RT_INLINE u64
decides(u64 x, u64 y)
{
	return (x ^ y) | ((x - RT_ONES) & ~x & RT_HIGHS);
}

RT_INLINE s64
decided(u64 x, u64 y)
{
	u64 shift = (u64)__builtin_ctzll(decides(x, y)) & ~(u64)7;

	x = x >> shift & 0xff;
	y = y >> shift & 0xff;
	return (x > y) - (x < y);
}

RT_INLINE u64
word_at(u64 addr)
{
	u64 w;

	memcpy(&w, (const void *)addr, sizeof(w));
	return w;
}

static s64
compare_bytes(u64 a, u64 b, u64 n)
{
	for (u64 i = 0; i < n; i++) {
		u64 x = *(const u8 *)(a + i), y = *(const u8 *)(b + i);

		if (x != y || x == 0)
			return (x > y) - (x < y);
	}
	return UNDECIDED;
}

/* Some of the last word's bytes have been compared already, and are equal. */
static s64
compare_words(u64 a, u64 b, u64 n)
{
	u64 i = 0;

	while (i < n - 8 && decides(word_at(a + i), word_at(b + i)) == 0)
		i += 8;
	if (i > n - 8)
		i = n - 8;
	if (decides(word_at(a + i), word_at(b + i)) == 0)
		return UNDECIDED;
	return decided(word_at(a + i), word_at(b + i));
}

/*
 * Compare strings in memory that needs no check (rt_direct()), in place;
 * UNDECIDED: at least one of them is not, or not entirely, in such memory.
 */
static s64
compare_direct(const struct rt_mstate *ms, u64 a, u64 b)
{
	u64 n = rt_direct(ms, a), m = rt_direct(ms, b), max = RTC(ms, strsize);
	s64 order;

	n = n < m ? n : m;
	n = n < max ? n : max;
	order = n < 8 ? compare_bytes(a, b, n) : compare_words(a, b, n);
	return order == UNDECIDED && n == max ? 0 : order;
}
#endif

RT_PUBLIC u64
rt_scmp(u64 slot, u64 a, u64 b)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct compare *c;
	u64 n, m;
	s64 order;

	if (ms == NULL)
		return 0;
	order = compare_direct(ms, a, b);
	if (order != UNDECIDED)
		return (u64)order;
	if ((n = rt_get_a(ms, a)) == RT_NONE ||
	    (m = rt_get_b(ms, b)) == RT_NONE)
		return 0;
	c = RT_LOOP_VARS(struct compare, ms);
	n = n < m ? n : m;
	c->n = n < RTC(ms, strsize) ? n + 1 : n;
	c->order = 0;
	RT_LOOP(RT_WORDS(c->n), compare_step, &ctx);
	return (u64)c->order;
}

#ifndef __bpf__
static u64
differ(u64 a, u64 b, u64 n)
{
	u64 i = 0;

	if (n < 8)
		return (u64)compare_bytes(a, b, n);
	for (; i < n - 8; i += 8) {
		if (word_at(a + i) != word_at(b + i))
			return 1;
	}
	return word_at(a + n - 8) != word_at(b + n - 8);
}

/* If the string ends before the text, the two differ. */
RT_PUBLIC u64
rt_sdiffers(u64 slot, u64 s, u64 text, u64 size)
{
	const struct rt_mstate *ms = rt_ms(slot);
	u64 max = RTC(ms, strsize);

	size = size < max ? size : max;
	if (rt_direct(ms, s) < size)
		return rt_scmp(slot, s, text);
	return differ(s, text, size);
}
#endif

RT_PUBLIC u64
rt_strjoin(u64 slot, u64 a, u64 b)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n, m, max;

	if (ms == NULL ||
	    (n = rt_get(ms, rt_scratch(ms), a, RTC(ms, strsize))) == RT_NONE)
		return 0;
	max = RTC(ms, strsize) - 1;
	if (n >= max)
		return rt_result(ms, max);
	m = rt_get(ms, rt_scratch(ms) + n, b, RTC(ms, strsize) - n);
	if (m == RT_NONE)
		return 0;
	return rt_result(ms, n + m < max ? n + m : max);
}

/* ---- lltostr ------------------------------------------------------------ */

#define DIGITS_MAX 72 /* 64 binary digits, prefix, sign, NUL */

struct digits {
	u64 value, base;
	u64 end; /* offset in mem of the lowest digit */
};

RT_CALLBACK long
digits_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct digits *d = RT_LOOP_VARS(struct digits, ms);
	u64 digit = d->value % d->base;

	d->value /= d->base;
	*rt_mem(ms, d->end - i) =
	    (u8)(digit < 10 ? '0' + digit : 'a' + digit - 10);
	return d->value == 0;
}

/*
 * Base 10 is signed, the others show the bits; bases 8 and 16 have C's
 * prefixes.
 */
RT_PUBLIC u64
rt_lltostr(u64 slot, u64 value, u64 base, u64 nargs)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	struct digits *d;
	u64 off, negative;

	if (nargs < 2)
		base = 10;
	base = (u32)base;
	if (ms == NULL)
		return 0;
	if (base < 2 || base > 36)
		return rt_fault(ms, DIF_FLT_ILLOP, base);
	if ((off = rt_claim(ms, DIGITS_MAX)) == RT_NONE)
		return 0;
	negative = base == 10 && (s64)value < 0;
	d = RT_LOOP_VARS(struct digits, ms);
	d->value = negative ? -value : value;
	d->base = base;
	d->end = off + DIGITS_MAX - 2;
	*rt_mem(ms, d->end + 1) = 0;
	off = d->end - RT_LOOP(64, digits_step, &ctx);
	if (base == 16)
		*rt_mem(ms, off--) = 'x';
	if (base == 16 || (base == 8 && value != 0))
		*rt_mem(ms, off--) = '0';
	if (negative)
		*rt_mem(ms, off--) = '-';
	return rt_addr(ms, off + 1);
}

/* ---- copies ------------------------------------------------------------- */

RT_PUBLIC u64
rt_store_str(u64 slot, u64 off, u64 addr, u64 size)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 n;

	if (ms == NULL)
		return 1;
	if (size == 0)
		return 0;
	if (size > RTC(ms, strsize)) {
		rt_fault(ms, DIF_FLT_ILLOP, size);
		return 1;
	}
	if ((n = rt_get(ms, off, addr, size)) == RT_NONE)
		return 1;
	rt_zero(rt_mem(ms, off + n), rt_bound(ms, size - n));
	return 0;
}

/* Copy at most max bytes, strsize - 1 if max is not given, and a NUL. */
RT_PUBLIC u64
rt_copyinstr(u64 slot, u64 uaddr, u64 max, u64 nargs)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 size;
	long n;

	if (ms == NULL)
		return 0;
	size = RTC(ms, strsize);
	if (nargs > 1 && max < size)
		size = max + 1;
	n = rt_upeek_str(
	    ms, rt_mem(ms, rt_scratch(ms)), rt_bound(ms, size), uaddr);
	if (n < 0)
		return rt_fault(ms, DIF_FLT_BADADDR, uaddr);
	/* kernels before 6.12 answer 0, not 1, for an empty string */
	return rt_result(ms, n > 0 ? (u64)n - 1 : 0);
}
