/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_LINES_H
#define BASE_LINES_H

/*
 * Read lists that the kernel writes while they are read (/proc/kallsyms, those
 * of tracefs).  It returns at most a page per read, and scans again from the
 * beginning each time, so reads ask for more than a page, which stdio does not.
 */
#include <stdbool.h>

/*
 * Call f for each line, without its '\n', until it returns true; f may change
 * the line.  False: the file cannot be read, or read on.
 */
bool lines_each(int fd, bool (*f)(char *line, void *arg), void *arg);

/* The blank or tab behind the word at `s`, or the end. */
static inline char *
word_end(char *s)
{
	while (*s != '\0' && *s != ' ' && *s != '\t')
		s++;
	return s;
}

#endif
