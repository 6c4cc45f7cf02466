/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describe the machine in one line, for the end of a test run: it helps to
 * explain a failure that only one kind of machine shows.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>

static void
print_model(void)
{
	unsigned name[12] = { 0 };

	for (unsigned i = 0; i < 3; i++)
		__get_cpuid(0x80000002 + i, &name[4 * i], &name[4 * i + 1],
		    &name[4 * i + 2], &name[4 * i + 3]);
	printf(", %.48s", (const char *)name);
}

/*
 * Print what RDTSCP returns, if there is one: CPUID 80000001h, EDX bit 27
 * (Intel SDM volume 2, CPUID).
 */
static void
print_told(void)
{
	unsigned a, b, c, d;

	if (__get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1U << 27)) {
		__rdtscp(&a);
		printf(" (RDTSCP: %u)", a & 0xfff);
	}
}
#else
static void
print_model(void)
{
}

static void
print_told(void)
{
}
#endif

int
main(void)
{
	struct utsname u;
	cpu_set_t all, one;

	uname(&u);
	printf("machine: %s %s %s", u.sysname, u.release, u.machine);
	print_model();
	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return 1;
	for (int cpu = 0, shown = 0; cpu < CPU_SETSIZE && shown < 4; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) != 0)
			continue;
		printf(", CPU %d", cpu);
		print_told();
		shown++;
	}
	putchar('\n');
	return 0;
}
