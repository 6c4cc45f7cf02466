/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stackuse: print how many bytes of the stack below a call of fn_step() were
 * changed.
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
	 * A thread's first firing looks for its place.  Where the stack may be
	 * missing, a probe tests it by a write below the used part.  So the
	 * least of several measurements counts.
	 */
	long used = measure();

	for (int i = 0; i < 20; i++) {
		long now = measure();

		used = now < used ? now : used;
	}
	printf("used %ld\n", used);
	return 0;
}
