/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin CPU SECONDS [greedy]: pinned to a CPU, spin in one function, `burn`.
 * First prints its pid and the range of that function's code, "PID LO HI"; at
 * the end the CPU time it got and the time that passed, in ns.  A greedy one,
 * of root, leaves the other processes on its CPU as little time as the
 * scheduler allows.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

extern const char burn_start[], burn_end[];
void burn(uint64_t turns);

/*
 * In assembly, so that its range is known: the compiler may move labels around
 * a C function.  Counts `turns` down to 0.
 */
__asm__(".text\n"
	".globl burn, burn_start, burn_end\n"
	".type burn, @function\n"
	"burn:\n"
	"burn_start:\n"
	"	.cfi_startproc\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"burn_end:\n"
	".size burn, . - burn\n");

static uint64_t
now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void
pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		exit(3);
}

/* If the kernel groups processes by session, a nice value only counts within
 * the session. */
static void
be_greedy(void)
{
	FILE *f;

	(void)setsid();
	(void)setpriority(PRIO_PROCESS, 0, -20);
	f = fopen("/proc/self/autogroup", "w");
	if (f != NULL) {
		fputs("-20", f);
		fclose(f);
	}
}

int
main(int argc, char **argv)
{
	uint64_t start, end;

	if (argc < 3)
		return 2;
	pin(atoi(argv[1]));
	if (argc > 3)
		be_greedy();
	printf("%d %p %p\n", getpid(), (const void *)burn_start,
	    (const void *)burn_end);
	fflush(stdout);
	start = now(CLOCK_MONOTONIC);
	end = start + (uint64_t)(atof(argv[2]) * 1e9);
	while (now(CLOCK_MONOTONIC) < end)
		burn(20000000);
	printf("%" PRIu64 " %" PRIu64 "\n", now(CLOCK_PROCESS_CPUTIME_ID),
	    now(CLOCK_MONOTONIC) - start);
	return 0;
}
