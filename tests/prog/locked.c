/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks all memory that it maps.  For each line of input, it makes a hundred
 * calls, and prints how many KB are locked, and the kind of a new mapping.
 *
 *	locked [onfault]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE (64 * 4096)

int fn_step(int n);

__attribute__((noinline)) int
fn_step(int n)
{
	__asm__ volatile("");
	return n + 1;
}

static long
locked_kb(void)
{
	char line[256];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		sscanf(line, "VmLck: %ld", &kb);
	if (f != NULL)
		fclose(f);
	return kb;
}

/* Print whether a new mapping is locked, and whether its pages are present. */
static void
tell(void)
{
	unsigned char there[SIZE / 4096];
	long before = locked_kb();
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long more = locked_kb() - before;
	unsigned n = 0;

	mincore(p, SIZE, there);
	for (size_t i = 0; i < sizeof(there); i++)
		n += there[i] & 1;
	munmap(p, SIZE);
	printf("locked %ld, a new mapping: locked %ld, present %u\n", before,
	    more, 4 * n);
}

int
main(int argc, char **argv)
{
	int how = MCL_CURRENT | MCL_FUTURE, n = 0;
	char line[16];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strcmp(argv[1], "onfault") == 0)
		how |= MCL_ONFAULT;
	if (mlockall(how) != 0) {
		perror("locked: mlockall");
		return 1;
	}
	tell();
	while (fgets(line, sizeof(line), stdin) != NULL) {
		for (int i = 0; i < 100; i++)
			n = fn_step(n);
		tell();
	}
	return n < 0;
}
