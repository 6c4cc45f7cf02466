/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the name that was probably meant. */
#include "base/near.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MAX_COMPARED 64 /* longest name that is compared */
#define SHORT_NAME 4

/* Does only the case of letters differ, or dashes stand for underscores? */
static bool
is_alike(const char *a, const char *b)
{
	for (; *a != '\0' && *b != '\0'; a++, b++) {
		char x = *a == '_' ? '-' : *a, y = *b == '_' ? '-' : *b;

		if (tolower((unsigned char)x) != tolower((unsigned char)y))
			return false;
	}
	return *a == *b;
}

unsigned
near_distance(const char *a, const char *b, unsigned max)
{
	unsigned rows[3][MAX_COMPARED + 1];
	size_t na = strnlen(a, MAX_COMPARED + 1);
	size_t nb = strnlen(b, MAX_COMPARED + 1);
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];

	if (max > 0 && na == nb && na > 0 && is_alike(a, b))
		return strcmp(a, b) != 0;
	if (na > MAX_COMPARED || nb > MAX_COMPARED || na > nb + max ||
	    nb > na + max)
		return max + 1;
	for (unsigned k = 0; k <= nb; k++)
		above[k] = k;
	for (unsigned i = 1; i <= na; i++) {
		unsigned *unused = before;

		row[0] = i;
		for (unsigned k = 1; k <= nb; k++) {
			unsigned best = above[k - 1] + (a[i - 1] != b[k - 1]);

			if (above[k] + 1 < best)
				best = above[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1] && before[k - 2] + 1 < best)
				best = before[k - 2] + 1;
			row[k] = best;
		}
		before = above;
		above = row;
		row = unused;
	}
	return above[nb] > max ? max + 1 : above[nb];
}

/* At most a third of the name may be wrong, and one to three characters. */
struct near
near_start(const char *to)
{
	size_t third = strlen(to) / 3;
	unsigned most = third > 3 ? 3 : third < 1 ? 1 : (unsigned)third;

	return (struct near){ to, NULL, most + 1 };
}

static bool
has_same_letters(const char *a, const char *b)
{
	int counts[256] = { 0 };

	for (; *a != '\0'; a++)
		counts[(unsigned char)*a]++;
	for (; *b != '\0'; b++)
		counts[(unsigned char)*b]--;
	for (size_t i = 0; i < 256; i++) {
		if (counts[i] != 0)
			return false;
	}
	return true;
}

/*
 * Swapped letters are likeliest, then an end that is missing, then a wrong
 * letter, then one too many.
 */
static int
likelihood(const struct near *n, const char *name)
{
	if (has_same_letters(n->to, name))
		return 3;
	if (strncmp(n->to, name, strlen(n->to)) == 0)
		return 2;
	return strlen(name) == strlen(n->to);
}

/*
 * Of two names that are equally near, prefer the likelier mistake: "prinft" is
 * printf, not print, "tpc" is tcp, not cpc, and "strerr" is strerror, not
 * strchr.
 */
static bool
is_nearer(const struct near *n, const char *name, unsigned d)
{
	if (d != n->best || n->name == NULL)
		return d < n->best && d < strnlen(n->to, MAX_COMPARED + 1);
	return likelihood(n, name) > likelihood(n, n->name);
}

/*
 * A wrong letter in a short name makes another word: "cgrp" is not lgrp, nor
 * "cmd" cwd.  Swapped letters and wrong capitals do not.
 */
static bool
is_other_word(const char *a, const char *b)
{
	return strlen(a) <= SHORT_NAME && strlen(b) == strlen(a) &&
	    !has_same_letters(a, b) && !is_alike(a, b);
}

void
near_try(struct near *n, const char *name)
{
	unsigned d = near_distance(n->to, name, n->best);

	if (is_nearer(n, name, d) && !is_other_word(n->to, name)) {
		n->best = d;
		n->name = name;
	}
}
