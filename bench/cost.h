/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_COST_H
#define BENCH_COST_H

/* The cost of a function call: the least of several rounds. */
#include <unistd.h>

#include "clock.h"

#define COST_CALLS 5000
#ifndef COST_ROUNDS
#define COST_ROUNDS 9
#endif

/* Like cost(), with a rest before each round, so that other processes catch
 * up. */
static inline double
cost_rested(void (*f)(void), unsigned rest_us)
{
	uint64_t best = UINT64_MAX;

	for (int r = 0; r < COST_ROUNDS; r++) {
		uint64_t begin, ns;

		if (rest_us != 0)
			usleep(rest_us);
		begin = now_ns();
		for (int i = 0; i < COST_CALLS; i++)
			f();
		ns = now_ns() - begin;
		best = ns < best ? ns : best;
	}
	return (double)best / COST_CALLS;
}

static inline double
cost(void (*f)(void))
{
	return cost_rested(f, 0);
}

#endif
