/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reads THREADS COUNT: each thread reads COUNT times from /dev/zero, through
 * descriptor 100.  Read i (0 ..) of thread t (0 ..) requests and gets 1 + (i *
 * 37 + t * 1009) % 5000 bytes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_FD 100

static long count;

static void *
reader(void *arg)
{
	long t = (intptr_t)arg;
	char buf[5000];

	for (long i = 0; i < count; i++) {
		size_t want = (size_t)(1 + (i * 37 + t * 1009) % 5000);

		if (read(READ_FD, buf, want) != (ssize_t)want)
			abort();
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[16];
	int n, fd = open("/dev/zero", O_RDONLY);

	if (argc != 3 || (n = atoi(argv[1])) < 1 || n > 16 ||
	    dup2(fd, READ_FD) != READ_FD)
		return 2;
	count = atol(argv[2]);
	for (intptr_t t = 0; t < n; t++)
		if (pthread_create(&threads[t], NULL, reader, (void *)t) != 0)
			abort();
	for (int t = 0; t < n; t++)
		pthread_join(threads[t], NULL);
	return 0;
}
