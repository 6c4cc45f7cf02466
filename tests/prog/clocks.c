/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the clock for some seconds (argv[1]), which the vdso does. */
#include <stdlib.h>
#include <time.h>

__attribute__((noinline, noclone)) static long
read_clocks(void)
{
	struct timespec ts;
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		sum ^= ts.tv_nsec;
	}
	return sum;
}

int
main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	long sum = 0;

	while (time(NULL) < end)
		sum += read_clocks();
	return sum == 1;
}
