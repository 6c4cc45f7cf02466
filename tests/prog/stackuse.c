/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stackuse: how much of the stack below a call of fn_step() is other than it
 * was before, in bytes.
 */
#include <stdint.h>
#include <stdio.h>

#define BELOW 16384
#define PAINT 0xa5

__attribute__((noipa)) static long
fn_step(const char *text, long n)
{
	__asm__ volatile("" : "+r"(text), "+r"(n));
	return n + 1;
}

__attribute__((noinline)) static long
measure(void)
{
	volatile uint8_t *sp;
	long used = BELOW;

	__asm__ volatile("mov %%rsp,%0" : "=r"(sp));
	for (long i = 1; i <= BELOW; i++)
		sp[-i] = PAINT;
	fn_step("a,b,c", 1);
	while (used > 0 && sp[-used] == PAINT)
		used--;
	return used;
}

int
main(void)
{
	/*
	 * A thread's first firing finds its place, and where it is not known
	 * whether there is stack, that is asked by writing a word below what is
	 * used: so the least of some.
	 */
	long used = measure();

	for (int i = 0; i < 20; i++) {
		long now = measure();

		used = now < used ? now : used;
	}
	printf("used %ld\n", used);
	return 0;
}
