/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt: the cost of a function with a probe, a line "NAME NS" each: without a
 * probe, with one that is always passed, and with one behind its is-enabled
 * question.
 */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include <stdio.h>

#include "cost.h"
#include "usdt.h"

__extension__ volatile unsigned short bench_asked_semaphore
    __attribute__((used, section(".probes")));
static volatile int number;

static void __attribute__((noinline)) f_none(void)
{
	__asm__ volatile("");
}

static void __attribute__((noinline)) f_asked(void)
{
	if (bench_asked_semaphore)
		DTRACE_PROBE2(bench, asked, number, 7);
}

int
main(void)
{
	printf("f_none %.1f\n", cost(f_none));
	printf("f_plain %.1f\n", cost(f_plain));
	printf("f_asked %.1f\n", cost(f_asked));
	return 0;
}
