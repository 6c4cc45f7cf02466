/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/lines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define PORTION 65536

/* Pass each complete line to f; the rest moves to the beginning. */
static bool
take_lines(struct strbuf *sb, bool (*f)(char *line, void *arg), void *arg)
{
	char *line = sb->s, *all_end = line + sb->len, *end;
	bool done = false;

	for (; !done && (end = memchr(line, '\n', (size_t)(all_end - line)));
	     line = end + 1) {
		*end = '\0';
		done = f(line, arg);
	}
	sb->len = (size_t)(all_end - line);
	memmove(sb->s, line, sb->len);
	return done;
}

bool
lines_each(int fd, bool (*f)(char *line, void *arg), void *arg)
{
	struct strbuf sb = { 0 };
	bool done = false;
	ssize_t n = 1;

	while (!done && n > 0) {
		n = read(fd, strbuf_room(&sb, PORTION), PORTION);
		sb.len += n > 0 ? (size_t)n : 0;
		done = take_lines(&sb, f, arg);
	}
	if (!done && sb.len != 0) { /* the last one ends with the file */
		sb.s[sb.len] = '\0';
		f(sb.s, arg);
	}
	strbuf_fini(&sb);
	return n >= 0;
}
