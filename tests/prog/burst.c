/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * burst THREADS COUNT: each thread makes COUNT marks (thread, i) as fast as it
 * can, on a CPU of its own if there are enough.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "mark.h"

static long count;

static void *
producer(void *arg)
{
	long t = (intptr_t)arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)(t % sysconf(_SC_NPROCESSORS_ONLN)), &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (long i = 0; i < count; i++)
		MARK(t, i, 0, 0, 0);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[16];
	int n;

	if (argc != 3 || (n = atoi(argv[1])) < 1 || n > 16)
		return 2;
	count = atol(argv[2]);
	for (intptr_t t = 0; t < n; t++)
		if (pthread_create(&threads[t], NULL, producer, (void *)t) != 0)
			abort();
	for (int t = 0; t < n; t++)
		pthread_join(threads[t], NULL);
	return 0;
}
