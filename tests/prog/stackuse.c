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
	/* once before: a thread's first firing finds its place */
	measure();
	printf("used %ld\n", measure());
	return 0;
}
