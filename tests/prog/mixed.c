/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixed ROUNDS [PAUSE_US [THREADS]]: each round calls step(n), n from 0 on.  It
 * calls other(n) twice and makes one mark, with the argument n, between the
 * two.  With PAUSE_US, a round ends with a sleep.  With THREADS, so many
 * threads run these rounds, a few at a time; each ends with its last round.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "mark.h"

__attribute__((noinline, noclone)) static long
other(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

__attribute__((noinline, noclone)) static long
step(long n)
{
	long sum = other(n);

	MARK1(n);
	return sum + other(n);
}

#define AT_A_TIME 4

static long rounds = 1;
static useconds_t pause_us;

/* NULL: all sums were right. */
static void *
run(void *arg)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		sum += step(i);
		if (pause_us != 0)
			usleep(pause_us);
	}
	return sum == rounds * (rounds - 1) ? NULL : arg;
}

static int
run_threads(long n)
{
	pthread_t threads[AT_A_TIME];
	void *wrong = NULL;
	long begun = 0;

	for (long i = 0; i < n + AT_A_TIME && wrong == NULL; i++) {
		if (i >= AT_A_TIME && i - AT_A_TIME < begun)
			pthread_join(threads[i % AT_A_TIME], &wrong);
		if (i < n &&
		    pthread_create(
			&threads[i % AT_A_TIME], NULL, run, &rounds) != 0)
			return 1;
		begun += i < n;
	}
	return wrong != NULL;
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		rounds = atol(argv[1]);
	if (argc > 2)
		pause_us = (useconds_t)atol(argv[2]);
	if (argc > 3)
		return run_threads(atol(argv[3]));
	return run(&rounds) != NULL;
}
