/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/runtime/tsc.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#define NPAIRS 5
#define NCPUS_ASKED 4 /* a wrong number may be right by chance */

static const char sources[] =
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";

#if defined(__x86_64__)
/* The whole word: "tsc-early" is not it. */
static bool
has_tsc(char *list)
{
	char *rest, *word = strtok_r(list, " \n", &rest);

	while (word != NULL && strcmp(word, "tsc") != 0)
		word = strtok_r(NULL, " \n", &rest);
	return word != NULL;
}

/* The kernel takes a source off its list once CPUs have been seen to differ
 * (kernel/time/clocksource.c).  Without a list the source is accepted. */
static bool
is_given_up(void)
{
	char list[256] = "tsc";
	FILE *f = fopen(sources, "re");

	if (f == NULL)
		return false;
	if (fgets(list, sizeof(list), f) == NULL)
		list[0] = '\0';
	fclose(f);
	return !has_tsc(list);
}

/* CPUID 80000007h, EDX bit 8: it advances evenly in all states of the CPU
 * (Intel SDM volume 3, 18.17.1; AMD APM volume 3, E.4.6). */
bool
exec_tsc_is_even(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1U << 8) &&
	    !is_given_up();
}

/* CPUID 80000001h, EDX bit 27 (Intel SDM volume 2, CPUID). */
static bool
has_rdtscp(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1U << 27);
}

/* The thread may move to another CPU between two questions, but not each time.
 */
static bool
is_told_here(void)
{
	for (int i = 0; i < NPAIRS; i++) {
		unsigned told, cpu;

		__rdtscp(&told);
		if (syscall(SYS_getcpu, &cpu, NULL, NULL) == 0 &&
		    cpu == (told & EXEC_CPU_MASK))
			return true;
	}
	return false;
}

static bool
is_told_on(const cpu_set_t *cpus)
{
	int left = NCPUS_ASKED;
	bool is_told = true;

	for (size_t cpu = 0; is_told && left > 0 && cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, cpus))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		/* it may be taken away just now */
		if (sched_setaffinity(0, sizeof(one), &one) == 0)
			is_told = is_told_here();
		left--;
	}
	return is_told;
}

bool
exec_cpu_is_told(void)
{
	cpu_set_t before;
	bool is_told = has_rdtscp() && is_told_here();

	/* of more than 1,024 CPUs, only here */
	if (!is_told || sched_getaffinity(0, sizeof(before), &before) != 0)
		return is_told;
	is_told = is_told_on(&before);
	sched_setaffinity(0, sizeof(before), &before);
	return is_told;
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

bool
exec_cpu_is_told(void)
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
