/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt.h"

#include <sys/sdt.h>

static volatile int number;

void
f_plain(void)
{
	DTRACE_PROBE2(bench, plain, number, 7);
}
