/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_LINES_H
#define BASE_LINES_H

/*
 * Lists that the kernel writes as they are read (/proc/kallsyms, those of
 * tracefs).  It writes a page at most, and for each read goes again through what
 * comes before: so a read asks for more than a page, which stdio does not.
 */
#include <stdbool.h>

/*
 * Call f for each line, which it may change, without its '\n', until it returns
 * true.  False: the file cannot be read (on).
 */
bool lines_each(int fd, bool (*f)(char *line, void *arg), void *arg);

/* The blank or tab behind the word that is there, or the end. */
static inline char *
word_end(char *s)
{
	while (*s != '\0' && *s != ' ' && *s != '\t')
		s++;
	return s;
}

#endif
