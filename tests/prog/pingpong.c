/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pingpong ROUNDS TURNS: two processes on one CPU hand a byte to and fro; the
 * parent computes for TURNS turns of a loop in every round and marks the
 * round's end with the thread's CPU time so far:
 *
 *	mark(round, CLOCK_THREAD_CPUTIME_ID in ns)
 *
 * Each round has two context switches, so a clock that only knows the last tick
 * misses the alternation.
 */
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

static long
thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

static void
compute(long turns)
{
	volatile long sink = 0;

	for (long i = 0; i < turns; i++)
		sink += i;
	(void)sink;
}

static void
hand_over(int out, int in)
{
	char c = 0;

	if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
		abort();
}

static void
echo(int in, int out, long turns)
{
	char c;

	while (read(in, &c, 1) == 1) {
		compute(turns);
		if (write(out, &c, 1) != 1)
			break;
	}
	_exit(0);
}

int
main(int argc, char **argv)
{
	int there[2], back[2];
	long rounds, turns;
	cpu_set_t set;
	pid_t child;

	if (argc != 3 || pipe(there) != 0 || pipe(back) != 0)
		return 2;
	rounds = atol(argv[1]);
	turns = atol(argv[2]);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return 2;
	child = fork();
	if (child == 0) {
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1], turns);
	}
	close(there[0]);
	close(back[1]);
	for (long i = 0; i < rounds; i++) {
		hand_over(there[1], back[0]);
		compute(turns);
		MARK(i, thread_ns(), 0, 0, 0);
	}
	close(there[1]);
	return waitpid(child, NULL, 0) == child ? 0 : 1;
}
