/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls untouched() with constant strings that the program never reads, so
 * their pages are not mapped: in one page, across two of them, and a wild
 * address.
 */
#define PAGE 4096
#define FAR (64 * PAGE) /* the kernel maps a page's neighbours with it */

static const struct {
	char before[FAR];
	char first[PAGE], gap[FAR + PAGE - 8];
	char across[16], after[FAR];
} constants __attribute__((aligned(PAGE))) = { .first = "all in one page",
	.across = "in two of them" };

void untouched(const char *s, int n);

__attribute__((noinline)) void
untouched(const char *s, int n)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop" : : "r"(s), "r"(n));
}

int
main(void)
{
	untouched(constants.across, 1);
	untouched(constants.first, 2);
	untouched((const char *)8, 3);
	return 0;
}
