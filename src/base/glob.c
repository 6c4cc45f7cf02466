/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/glob.h"

#include <string.h>

/*
 * Match one character against the set whose text starts after '['.  Returns
 * the text after ']' and sets *matched, or NULL when the set never ends (the
 * '[' is then an ordinary character).
 */
static const char *
glob_set(const char *p, char c, int *matched)
{
	int negated = *p == '!';
	int found = 0;
	const char *start;

	p += negated;
	start = p;
	for (; *p != '\0' && (*p != ']' || p == start); p++) {
		char lo = *p, hi = lo;

		if (*p == '\\' && p[1] != '\0')
			lo = hi = *++p;
		if (p[1] == '-' && p[2] != ']' && p[2] != '\0') {
			hi = p[2];
			p += 2;
		}
		found |= lo <= c && c <= hi;
	}
	if (*p != ']')
		return NULL;
	*matched = found != negated;
	return p + 1;
}

/*
 * Linear: on a mismatch only the most recent '*' needs to take one more
 * character, so a hostile pattern cannot make us backtrack exponentially.
 */
int
glob_match_all(const char *pattern, const char *name)
{
	const char *p = pattern, *s = name;
	const char *star = NULL, *star_s = NULL;

	if (*pattern == '\0')
		return 1;
	while (*s != '\0') {
		const char *next = NULL;
		int ok = 0;

		if (*p == '*') {
			star = ++p;
			star_s = s;
			continue;
		}
		if (*p == '[')
			next = glob_set(p + 1, *s, &ok);
		if (next == NULL && *p != '\0') {
			const char *lit = p;

			if (*p == '\\' && p[1] != '\0')
				lit = p + 1;
			ok = (*p == '?') || *lit == *s;
			next = lit + 1;
		}
		if (ok) {
			p = next;
			s++;
			continue;
		}
		if (star == NULL)
			return 0;
		p = star;
		s = ++star_s;
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

int
glob_is_pattern(const char *s)
{
	return strpbrk(s, "*?[\\") != NULL;
}
