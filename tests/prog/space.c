/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * space THREADS CALLS: so many threads at a time call fn_step(i, thread), for i
 * from 0 to CALLS - 1.  While all exist, the program prints how much address
 * space it has, in KB.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define STACK (64 * 1024)

static pthread_barrier_t all;
static long ncalls;

__attribute__((noinline)) long fn_step(long i, long thread);
long
fn_step(long i, long thread)
{
	__asm__ volatile("" : "+r"(i), "+r"(thread));
	return i * thread + 1;
}

static void *
work(void *arg)
{
	for (long i = 0; i < ncalls; i++)
		fn_step(i, (long)arg);
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	return NULL;
}

static long
address_space(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (kb < 0 && f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "VmSize: %ld", &kb) != 1)
			kb = -1;
	}
	if (f != NULL)
		fclose(f);
	return kb;
}

int
main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[1]) : 1;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	pthread_attr_t attr;

	ncalls = argc > 2 ? atol(argv[2]) : 1;
	if (threads == NULL || pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setstacksize(&attr, STACK) != 0 ||
	    pthread_barrier_init(&all, NULL, (unsigned)n + 1) != 0)
		return 1;
	for (long i = 0; i < n; i++) {
		if (pthread_create(&threads[i], &attr, work, (void *)i) != 0)
			return 1;
	}
	pthread_barrier_wait(&all);
	printf("space %ld\n", address_space());
	fflush(stdout);
	pthread_barrier_wait(&all);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
