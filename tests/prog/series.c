/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls fn_six() 20,000 times with known arguments, and exits with 1 if it did
 * not get them, or if any register was changed.
 */
#include <stdint.h>
#include <stdio.h>

#define CALLS 20000
#define KEYS 5000

__attribute__((noinline, noclone)) uint64_t fn_six(uint64_t key, int64_t signd,
    uint64_t c, uint64_t d, uint64_t e, uint64_t f);

uint64_t
fn_six(
    uint64_t key, int64_t signd, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	return key + 3 * (uint64_t)signd + 5 * c + 7 * d + 11 * e + 13 * f;
}

/* Make a call while other registers hold values. */
static uint64_t
call(uint64_t i, uint64_t w, uint64_t x, uint64_t y, uint64_t z)
{
	uint64_t key = i % KEYS << 20, got;
	int64_t signd = (int64_t)i - CALLS / 2;

	got = fn_six(key, signd, i + 2, i + 3, i + 4, i + 5);
	return got ==
	    key + 3 * (uint64_t)signd + 5 * (i + 2) + 7 * (i + 3) +
		11 * (i + 4) + 13 * (i + 5) &&
	    w == i + 10 && x == i + 20 && y == i + 30 && z == i + 40;
}

int
main(void)
{
	uint64_t good = 0;

	for (uint64_t i = 0; i < CALLS; i++) {
		uint64_t w = i + 10, x = i + 20, y = i + 30, z = i + 40;

		__asm__ volatile("" : "+r"(w), "+r"(x), "+r"(y), "+r"(z));
		good += call(i, w, x, y, z);
	}
	return good == CALLS ? 0 : 1;
}
