/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The five functions of libc that the runtime uses, and that the compiler calls
 * by itself, for code without libc (rt_os.h).
 *
 * Only integer registers are used.  Short data are handled by words, long ones
 * by string instructions, which are slow to start.
 */
#define RT_LIBC
#include "exec/runtime/rt_os.h"

#define LONG 768

/* Bytes at any address, as one number. */
struct word {
	u64 v;
} __attribute__((packed, may_alias));
struct half {
	u32 v;
} __attribute__((packed, may_alias));

RT_INLINE u64
get(const void *p)
{
	return ((const struct word *)p)->v;
}

/* Keep the compiler from replacing such a loop by a call of these functions. */
RT_INLINE void
put(void *p, u64 v)
{
	asm volatile("" : "+r"(v));
	((struct word *)p)->v = v;
}

/* Less than a word: all bytes are read before any is written. */
static void
copy_few(u8 *to, const u8 *from, size_t n)
{
	u32 a, b;

	if (n >= 4) {
		a = ((const struct half *)(const void *)from)->v;
		b = ((const struct half *)(const void *)(from + n - 4))->v;
		((struct half *)(void *)to)->v = a;
		((struct half *)(void *)(to + n - 4))->v = b;
	} else if (n != 0) {
		u8 first = from[0], middle = from[n / 2], last = from[n - 1];

		to[0] = first;
		to[n / 2] = middle;
		to[n - 1] = last;
	}
}

/* Each word is read before the next one is written: see memmove(). */
RT_INLINE void
copy_line(u8 *to, const u8 *from)
{
	put(to, get(from));
	put(to + 8, get(from + 8));
	put(to + 16, get(from + 16));
	put(to + 24, get(from + 24));
}

/* Upwards, as memmove() needs it; the last bytes were read before. */
void *
memcpy(void *dst, const void *src, size_t n)
{
	u8 *to = dst;
	const u8 *from = src;
	size_t i = 0;
	u64 last;

	if (n >= LONG) {
		rt_cpu_copy(to, from, n);
	} else if (n >= 8) {
		last = get(from + n - 8);
		for (; i + 32 < n; i += 32)
			copy_line(to + i, from + i);
		for (; i + 8 < n; i += 8)
			put(to + i, get(from + i));
		put(to + n - 8, last);
	} else {
		copy_few(to, from, n);
	}
	return dst;
}

static void
copy_down(void *dst, const void *src, size_t n)
{
	rt_cpu_copy_down((u8 *)dst + n - 1, (const u8 *)src + n - 1, n);
}

void *
memmove(void *dst, const void *src, size_t n)
{
	if ((u64)dst - (u64)src >= n)
		return memcpy(dst, src, n);
	copy_down(dst, src, n);
	return dst;
}

void *
memset(void *dst, int c, size_t n)
{
	u8 *to = dst;
	u64 word = (u8)c * 0x0101010101010101ULL;

	if (n < 8 || n >= LONG) {
		rt_cpu_fill(to, c, n);
		return dst;
	}
	for (size_t i = 0; i + 8 < n; i += 8)
		put(to + i, word);
	put(to + n - 8, word);
	return dst;
}

int
memcmp(const void *a, const void *b, size_t n)
{
	const u8 *p = a, *q = b;

	for (; n > 0 && *p == *q; n--, p++, q++)
		;
	return n > 0 ? *p - *q : 0;
}

/* In a word, the lowest byte marked as zero is zero. */
size_t
strnlen(const char *s, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		u64 w = get(s + i);

		w = (w - 0x0101010101010101ULL) & ~w & 0x8080808080808080ULL;
		if (w != 0)
			return i + (u64)__builtin_ctzll(w) / 8;
	}
	while (i < n && s[i] != '\0')
		i++;
	return i;
}
