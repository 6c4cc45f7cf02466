/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory to copy from: constants, and the stack, also across its pages.
 *
 *	give(p, same, n, first, second)		a string of n bytes; `same` is
 *			a copy of it in the heap; the words at p are `first`
 *			and `second`
 *	nowhere(p)	an address that is not mapped, and one that is
 *
 * Exits with 1 if a probe has changed the arguments of these functions.
 */
#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define LEN_MAX 300

static const char constants[] =
    "Two households, both alike in dignity, in fair Verona, where we lay our "
    "scene, from ancient grudge break to new mutiny, where civil blood makes "
    "civil hands unclean. From forth the fatal loins of these two foes a pair "
    "of star-cross'd lovers take their life; whose misadventured piteous "
    "overthrows do with their death bury their parents' strife. The fearful "
    "passage of their death-mark'd love";

static const size_t lens[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 23, 24,
	25, 40, 63, 64, 65, 239, 240, 241, 247, 248, 249, 254, 255, 256, 257,
	LEN_MAX };
#define NLENS (sizeof(lens) / sizeof(lens[0]))

static char *same;
static int wrong;

uint64_t give(const char *p, const char *copy, uint64_t n, uint64_t first,
    uint64_t second, uint64_t last);
NOINLINE uint64_t
give(const char *p, const char *copy, uint64_t n, uint64_t first,
    uint64_t second, uint64_t last)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	return (uintptr_t)p + 3 * (uintptr_t)copy + 5 * n + 7 * first +
	    11 * second + 13 * last;
}

uint64_t nowhere(const char *p, uint64_t n);
NOINLINE uint64_t
nowhere(const char *p, uint64_t n)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	return (uintptr_t)p + 3 * n;
}

/* Try a string, from whose address at least 64 bytes can be read. */
static void
try(const char *p, size_t n)
{
	uint64_t words[2], last = 17;

	memcpy(words, p, sizeof(words));
	memcpy(same, p, n + 1 < 64 ? 64 : n + 1);
	wrong |= give(p, same, n, words[0], words[1], last) !=
	    (uintptr_t)p + 3 * (uintptr_t)same + 5 * n + 7 * words[0] +
		11 * words[1] + 13 * last;
}

NOINLINE static void
on_stack(size_t above)
{
	char *skipped = alloca(above);
	char text[LEN_MAX + 64];

	__asm__ volatile("" : : "r"(skipped) : "memory");
	for (size_t i = 0; i < NLENS; i++) {
		memcpy(text, constants, sizeof(text));
		text[lens[i]] = '\0';
		try(text, lens[i]);
	}
}

int
main(void)
{
	uint64_t there = 0x1122334455667788;

	same = malloc(2 * LEN_MAX);
	for (size_t i = 0; i < NLENS; i++) {
		if (lens[i] >= 63)
			try(constants + sizeof(constants) - 1 - lens[i],
			    lens[i]);
	}
	for (size_t above = 0; above < 4096; above += 176)
		on_stack(above);
	for (uint64_t i = 0; i < 4; i++) {
		const char *p = i % 2 == 0 ? (const char *)(uintptr_t)(16 + i) :
					     (const char *)&there;

		wrong |= nowhere(p, i) != (uintptr_t)p + 3 * i;
	}
	return wrong;
}
