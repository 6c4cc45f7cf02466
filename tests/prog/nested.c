/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nested: nested_outer() calls nested_middle(), which calls nested_leaf(),
 * until standard input ends.
 */
#include <poll.h>
#include <stdint.h>

__attribute__((noipa)) static long
nested_leaf(long n)
{
	return n + 1;
}

__attribute__((noipa)) static long
nested_middle(long n)
{
	volatile long kept[8] = { n };

	kept[1] = nested_leaf(n);
	return kept[0] + kept[1];
}

__attribute__((noipa)) static long
nested_outer(long n)
{
	long sum = nested_middle(n);

	__asm__ volatile("" : "+r"(sum));
	return sum + 1;
}

int
main(void)
{
	struct pollfd end = { .fd = 0, .events = POLLIN };
	long sum = 0;

	while (poll(&end, 1, 0) == 0) {
		for (int i = 0; i < 10000; i++)
			sum += nested_outer(i);
	}
	return sum == 0;
}
