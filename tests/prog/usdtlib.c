/* SPDX-License-Identifier: BSD-2-Clause */
/* A library with a probe (usdtload.c loads it) and a type (linked.c). */
#include <sys/sdt.h>

void usdtlib_fire(int k);

struct usdtlib_firing {
	int k;
	char name[28];
} usdtlib_last;

__attribute__((visibility("default"))) void
usdtlib_fire(int k)
{
	usdtlib_last.k = k;
	DTRACE_PROBE1(usdtlib, fire, k);
}
