/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile traced process: while one thread calls a probed function, another
 * one writes random bytes over all memory that it shares with dtrace.
 *
 *	scribbler SECONDS SEED all|head|variables
 *
 * `head`: only over the beginning, which has the control words.  `variables`:
 * over the variables that the kernel reaches, too.  Prints "scribbled" to
 * standard error once it has written something.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define HEAD 512
#define BATCH 2000

struct memory {
	unsigned char *base;
	size_t size;
	unsigned char *there; /* mincore(2)'s answer for each page */
	size_t *pages, npages;
};

static volatile int is_done;
static unsigned long random_state;

static unsigned long
next_random(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dUL;
}

long step(long i, const char *s);

__attribute__((noinline)) long
step(long i, const char *s)
{
	__asm__ volatile("" : : "r"(s) : "memory");
	return i * 3;
}

static void *
call(void *arg)
{
	char name[16];

	for (long i = 0; !is_done; i++) {
		snprintf(name, sizeof(name), "name%ld", i % 50);
		step(i, name);
	}
	return arg;
}

static int
find_memory(struct memory *m, const char *name)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512], perms[8];

	m->base = NULL;
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, name) == NULL ||
		    sscanf(line, "%lx-%lx %7s", &start, &end, perms) != 3)
			continue;
		m->base = (unsigned char *)start;
		m->size = end - start;
	}
	if (f != NULL)
		fclose(f);
	return m->base != NULL;
}

/* Find the pages that dtrace or this process has written.  Writes to other
 * pages would only use up memory. */
static int
find_pages(struct memory *m)
{
	size_t all = m->size / PAGE;

	free(m->there);
	free(m->pages);
	m->there = malloc(all);
	m->pages = malloc(all * sizeof(*m->pages));
	m->npages = 0;
	if (m->there == NULL || m->pages == NULL ||
	    mincore(m->base, m->size, m->there) != 0)
		return 0;
	for (size_t i = 0; i < all; i++) {
		if (m->there[i] & 1)
			m->pages[m->npages++] = i;
	}
	return m->npages != 0;
}

/* Write any byte, or a word that is 0, -1 or small. */
static void
scribble(const struct memory *m, int only_head)
{
	unsigned long r = next_random(), value = next_random();
	size_t page = m->pages[r % m->npages], off = r >> 32 & (PAGE - 1);
	unsigned char *p = m->base + page * PAGE + off;

	if (only_head)
		p = m->base + off % HEAD;
	value = value % 4 == 0 ? 0 : value % 4 == 1 ? ~0UL : value;
	if (r & 1)
		*p = (unsigned char)value;
	else
		*(unsigned long *)((unsigned long)p & ~7UL) =
		    r & 2 ? value : value % 100;
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	double until = now() + (argc > 1 ? atof(argv[1]) : 1);
	const char *where = argc > 3 ? argv[3] : "all";
	int only_head = strcmp(where, "head") == 0;
	const char *name =
	    strcmp(where, "variables") == 0 ? "bpf-map" : "memfd:dtrace-data";
	struct memory m = { 0 };
	int has_told = 0;
	pthread_t thread;

	random_state = argc > 2 ? strtoul(argv[2], NULL, 10) + 1 : 1;
	pthread_create(&thread, NULL, call, NULL);
	usleep(50000); /* by then there are records */
	while (now() < until) {
		if (!find_memory(&m, name) || !find_pages(&m)) {
			usleep(1000);
			continue;
		}
		for (int i = 0; i < BATCH; i++)
			scribble(&m, only_head);
		if (!has_told)
			fprintf(stderr, "scribbled\n");
		has_told = 1;
	}
	is_done = 1;
	pthread_join(thread, NULL);
	return 0;
}
