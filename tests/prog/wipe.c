/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wipe: fn_hold() runs in a second thread while a first one is in it.  Before
 * that, the program clears the words of dtrace's shared memory that say which
 * thread owns which part.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long fn_hold(long depth);

/* Clear words that hold a thread of this process: its process id, and its
 * own. */
static long
wipe(uint64_t *from, const uint64_t *end)
{
	uint64_t pid = (uint64_t)getpid();
	long n = 0;

	for (uint64_t *p = from; p < end; p++) {
		if (*p >> 32 == pid && (uint32_t)*p - pid < 1000) {
			*p = 0;
			n++;
		}
	}
	return n;
}

#define PART (64 * 1024) /* of the memory; the words are in it */

static long
wipe_all(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4096];
	long n = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		uint64_t *start, *end;

		if (strstr(line, "memfd:dtrace-data") != NULL &&
		    sscanf(line, "%p-%p", (void **)&start, (void **)&end) == 2)
			n += wipe(start, start + PART / 8);
	}
	if (f != NULL)
		fclose(f);
	return n;
}

static void *
hold(void *arg)
{
	return (void *)(intptr_t)fn_hold((intptr_t)arg);
}

__attribute__((noipa)) static long
fn_hold(long depth)
{
	pthread_t other;

	if (depth == 0)
		return 0;
	printf("wiped %ld\n", wipe_all());
	if (pthread_create(&other, NULL, hold, NULL) == 0)
		pthread_join(other, NULL);
	return depth;
}

int
main(void)
{
	return fn_hold(1) != 1;
}
