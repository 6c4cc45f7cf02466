/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/tsc.h"

#include "base/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#define NPAIRS 5

#if defined(__x86_64__)
/* CPUID 80000007h, EDX bit 8: it advances evenly in all states of the CPU
 * (Intel SDM volume 3, 18.17.1; AMD APM volume 3, E.4.6). */
bool
exec_tsc_is_even(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1U << 8);
}

/* CPUID 7, ECX bit 22 (Intel SDM volume 2, CPUID). */
bool
exec_cpu_has_rdpid(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1U << 22);
}

static uint64_t
read_counter(void)
{
	return __rdtsc();
}
#else
bool
exec_tsc_is_even(void)
{
	return false;
}

bool
exec_cpu_has_rdpid(void)
{
	return false;
}

static uint64_t
read_counter(void)
{
	return 0;
}
#endif

/* The pair of readings that took the shortest. */
void
exec_tsc_read(struct exec_tsc *p)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < NPAIRS; i++) {
		uint64_t before = read_counter(), ns = now_ns();
		uint64_t took = read_counter() - before;

		if (took >= best)
			continue;
		best = took;
		p->cycles = before + took / 2;
		p->ns = ns;
	}
}
