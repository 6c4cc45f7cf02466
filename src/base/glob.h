/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

/* Shell-style pattern of a probe description: * ? [set] [!set] [a-z] \c.
 * An empty pattern matches everything. */
int glob_match_all(const char *pattern, const char *name);

/*
 * A fast test first: most of the thousands of names that a pattern is compared
 * to differ in their first character.
 */
static inline int
glob_match(const char *pattern, const char *name)
{
	char c = *pattern;

	if (c != *name && c != '\0' && c != '*' && c != '?' && c != '[' &&
	    c != '\\')
		return 0;
	return glob_match_all(pattern, name);
}

int glob_is_pattern(const char *s);

#endif
