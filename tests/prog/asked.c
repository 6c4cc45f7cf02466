/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program that tests/cases/oneliners asks about: called(1) to called(5)
 * return twice their argument, allocate 100 bytes each, and with an argument,
 * spun() takes a third of a second of the CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int called(int n);
long spun(void);

__attribute__((noipa)) int
called(int n)
{
	char *volatile room = malloc(100);

	free(room);
	return 2 * n;
}

__attribute__((noipa)) long
spun(void)
{
	volatile long turns = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 3;

	do {
		for (int i = 0; i < 1000000; i++)
			turns++;
	} while (clock() < end);
	return turns;
}

int
main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	for (int n = 1; n <= 5; n++)
		sum += called(n);
	if (argc > 1 && spun() == 0)
		return 1;
	printf("%d %s\n", sum, getenv("PATH") != NULL ? "yes" : "no");
	return 0;
}
