/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The five functions of libc that the runtime uses, and that the compiler calls
 * by itself, where there is no libc (rt_os.h).
 *
 * Integer registers only: string instructions are quick from some hundred bytes
 * on, and short copies are what the callers make by words.
 */
#define RT_LIBC
#include "exec/runtime/rt_os.h"

void *
memcpy(void *dst, const void *src, size_t n)
{
	void *to = dst;

	asm volatile("rep movsb" : "+D"(to), "+S"(src), "+c"(n) : : "memory");
	return dst;
}

static void
copy_down(void *dst, const void *src, size_t n)
{
	u8 *to = (u8 *)dst + n - 1;
	const u8 *from = (const u8 *)src + n - 1;

	asm volatile("std; rep movsb; cld"
		     : "+D"(to), "+S"(from), "+c"(n)
		     :
		     : "memory");
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
	void *to = dst;

	asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
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

size_t
strnlen(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] != '\0')
		i++;
	return i;
}
