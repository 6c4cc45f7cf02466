/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

/*
 * The number of insertions, deletions, replacements and swaps of neighbours
 * that turn a into b; if more than `max`, max + 1.  Wrong capitals, and dashes
 * for underscores, count as one mistake if there is no other.
 */
unsigned near_distance(const char *a, const char *b, unsigned max);

/*
 * Find the name that was probably meant by a misspelt one: try each known name,
 * then read `name`.
 */
struct near {
	const char *to;	  /* the misspelt name */
	const char *name; /* the nearest so far, or NULL */
	unsigned best;	  /* a name must be nearer than this */
};
struct near near_start(const char *to);
void near_try(struct near *n, const char *name);

#endif
