/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the clock for argv[1] seconds; the vdso does the reading. */
#include <stdlib.h>
#include <time.h>

__attribute__((noinline, noclone)) static time_t
read_clocks(void)
{
	struct timespec ts;

	for (int i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

int
main(int argc, char **argv)
{
	time_t end = read_clocks() + (argc > 1 ? atoi(argv[1]) : 1);

	while (read_clocks() < end)
		;
	return 0;
}
