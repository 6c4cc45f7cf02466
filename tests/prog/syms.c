/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions with special symbols: aliases, a static one, functions within
 * another, assembly without sizes.
 *
 *	syms [N]	make marks (mark.h) with addresses: 4 bytes into
 *			sy_outer, 3 bytes into sy_inner, sy_inner, sy_data,
 *			and an address without a symbol; then execute itself N
 *			times
 */
#include <stdio.h>
#include <stdlib.h>

#include "mark.h"

int sy_data = 7;

int sy_plain(int);
int __sy_alias(int);
int sy_alias(int);
int sy_weak(int);
extern const char sy_outer[], sy_inner[];

static __attribute__((noinline)) int
sy_static(int x)
{
	__asm__ volatile("");
	return x + 1;
}

__attribute__((noinline)) int
sy_plain(int x)
{
	__asm__ volatile("");
	return sy_static(x) + sy_data;
}

/* A function with three names. */
__attribute__((noinline)) int
__sy_alias(int x)
{
	__asm__ volatile("");
	return x - 1;
}
int sy_alias(int) __attribute__((alias("__sy_alias")));
int sy_weak(int) __attribute__((weak, alias("__sy_alias")));

/*
 * sy_outer has 32 bytes, and sy_inner is its bytes 8 to 15.  sy_label has no
 * size, and is 16 bytes before the next symbol.  The bytes before it have no
 * symbol.
 */
__asm__(".text\n"
	".balign 32\n"
	".globl sy_outer, sy_inner, sy_label, sy_after\n"
	".type sy_outer, @function\n"
	".type sy_inner, @function\n"
	".type sy_after, @function\n"
	"sy_outer: .fill 8, 1, 0x90\n"
	"sy_inner: .fill 8, 1, 0x90\n"
	".size sy_inner, 8\n"
	".fill 16, 1, 0x90\n"
	".size sy_outer, 32\n"
	".fill 16, 1, 0x90\n"
	"sy_label: .fill 16, 1, 0x90\n"
	"sy_after: ret\n"
	".size sy_after, 1\n");

int
main(int argc, char **argv)
{
	char less[16];

	MARK(sy_outer + 4, sy_inner + 3, sy_inner, &sy_data, 16);
	if (argc > 1 && atoi(argv[1]) > 0) {
		snprintf(less, sizeof(less), "%d", atoi(argv[1]) - 1);
		execl("/proc/self/exe", argv[0], less, NULL);
		return 1;
	}
	if (argc > 2)
		printf("%d\n", sy_plain(argc) + sy_alias(argc) + sy_weak(argc));
	return 0;
}
