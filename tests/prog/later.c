/* SPDX-License-Identifier: BSD-2-Clause */
/* A library for frames.c: makes a mark two calls deep. */
#include "mark.h"

__attribute__((visibility("default"))) long later_mark(long n);

__attribute__((noinline, noclone)) static long
inner(long n)
{
	volatile char room[40];

	room[n % 40] = 1;
	return MARK1(n) + room[n % 40];
}

long
later_mark(long n)
{
	return inner(n) + 1;
}
