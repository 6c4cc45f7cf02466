/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtraced/pipes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define CHUNK 65536
#define LINE_MAX_BYTES 1024

void
pipe_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool
pipe_read_some(int *fd, struct strbuf *to)
{
	ssize_t n;

	if (*fd < 0)
		return false;
	n = read(*fd, strbuf_room(to, CHUNK), CHUNK);
	if (n > 0) {
		to->len += (size_t)n;
		to->s[to->len] = '\0';
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		pipe_close(fd);
	return false;
}

int
pipe_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;

	while (n != 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

char *
pipe_take_line(struct strbuf *from)
{
	const char *nl =
	    from->len != 0 ? memchr(from->s, '\n', from->len) : NULL;
	size_t n = nl != NULL ? (size_t)(nl - from->s) : from->len;
	size_t taken = nl != NULL ? n + 1 : n;
	char *line;

	if (nl == NULL && from->len <= LINE_MAX_BYTES)
		return NULL;
	line = mem_strndup(from->s, n);
	memmove(from->s, from->s + taken, from->len - taken + 1);
	from->len -= taken;
	return line;
}
