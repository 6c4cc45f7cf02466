/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixed ROUNDS [PAUSE_US]: each round calls step(n), n from 0 on.  It calls
 * other(n) twice and makes one mark, with the argument n, between the two.
 * With PAUSE_US, a round ends with a sleep.
 */
#include <stdlib.h>
#include <unistd.h>

#include "mark.h"

__attribute__((noinline, noclone)) static long
other(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

__attribute__((noinline, noclone)) static long
step(long n)
{
	long sum = other(n);

	MARK1(n);
	return sum + other(n);
}

int
main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	useconds_t pause_us = argc > 2 ? (useconds_t)atol(argv[2]) : 0;
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		sum += step(i);
		if (pause_us != 0)
			usleep(pause_us);
	}
	return sum == rounds * (rounds - 1) ? 0 : 1;
}
