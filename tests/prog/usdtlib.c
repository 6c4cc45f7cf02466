/* SPDX-License-Identifier: BSD-2-Clause */
/* A library with a probe: see usdtload.c. */
#include <sys/sdt.h>

void usdtlib_fire(int k);

__attribute__((visibility("default"))) void
usdtlib_fire(int k)
{
	DTRACE_PROBE1(usdtlib, fire, k);
}
