/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code made at run time, as a JavaScript engine makes it: it keeps frame
 * pointers, and /tmp/perf-PID.map has its names.  main() calls "JS:outer",
 * which calls "JS:inner", which calls mark(), which makes the mark of mark.h.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "mark.h"

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char inner[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d,
	0xc3 };
/* push %rbp; mov %rsp,%rbp; call inner, which is 32 bytes before; ... */
static const unsigned char outer[] = { 0x55, 0x48, 0x89, 0xe5, 0xe8, 0xd7, 0xff,
	0xff, 0xff, 0x5d, 0xc3 };
#define OUTER_AT 32

static void
mark(void)
{
	MARK1(5);
}

static int
write_names(const char *code)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	if ((f = fopen(path, "we")) == NULL)
		return -1;
	fprintf(f, "%lx %zx JS:inner\n", (unsigned long)code, sizeof(inner));
	fprintf(f, "%lx %zx JS:outer\n", (unsigned long)code + OUTER_AT,
	    sizeof(outer));
	return fclose(f);
}

int
main(void)
{
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*f)(void));

	if (code == MAP_FAILED || write_names(code) != 0)
		return 1;
	memcpy(code, inner, sizeof(inner));
	memcpy(code + OUTER_AT, outer, sizeof(outer));
	*(void **)&call = code + OUTER_AT;
	call(mark);
	return 0;
}
