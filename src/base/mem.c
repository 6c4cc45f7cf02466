/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

#define ARENA_BLOCK_MIN 1024
#define ARENA_BLOCK_MAX (64 * 1024)
#define ARENA_ALIGN 16

struct arena_block {
	struct arena_block *next;
	_Alignas(ARENA_ALIGN) char data[];
};

static void (*at_failure)(void *arg);
static void *at_failure_arg;

void
mem_at_failure(void (*f)(void *arg), void *arg)
{
	at_failure = f;
	at_failure_arg = arg;
}

static void
before_end(void)
{
	void (*f)(void *arg) = at_failure;

	at_failure = NULL;
	if (f != NULL)
		f(at_failure_arg);
}

static void
out_of_memory(size_t size)
{
	before_end();
	fprintf(stderr, "dtrace: out of memory (wanted %zu bytes)\n", size);
	abort();
}

void
mem_end(const char *library)
{
	before_end();
	fprintf(stderr, "dtrace: out of memory (in %s)\n", library);
	abort();
}

void *
mem_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (p == NULL)
		out_of_memory(size);
	return p;
}

void *
mem_realloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (p == NULL)
		out_of_memory(size);
	return p;
}

char *
mem_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = mem_alloc(len + 1);

	memcpy(p, s, len);
	return p;
}

char *
mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *
mem_printf(const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	return strbuf_steal(&sb);
}

uint64_t
mem_physical(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) *
	    (uint64_t)sysconf(_SC_PAGESIZE);
}

void
arena_init(struct arena *a)
{
	memset(a, 0, sizeof(*a));
}

void
arena_fini(struct arena *a)
{
	struct arena_block *b, *next;

	for (b = a->blocks; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	arena_init(a);
}

/* A large object gets a block of its own and leaves the current one alone. */
static void *
arena_alloc_block(struct arena *a, size_t size)
{
	struct arena_block *b = mem_alloc(sizeof(*b) + size);

	b->next = a->blocks;
	a->blocks = b;
	return b->data;
}

/* Each block is twice the one before it: most arenas are small, some large. */
static void
arena_refill(struct arena *a)
{
	if (a->block_size < ARENA_BLOCK_MAX)
		a->block_size =
		    a->block_size != 0 ? 2 * a->block_size : ARENA_BLOCK_MIN;
	a->cur = arena_alloc_block(a, a->block_size);
	a->end = a->cur + a->block_size;
}

/*
 * Take objects from a block's beginning, and strings, which need no alignment,
 * from its end.  NULL: it is too large to share a block.
 */
static char *
arena_take(struct arena *a, size_t size, bool is_string)
{
	if (size > ARENA_BLOCK_MIN / 4 && size > a->block_size / 4)
		return NULL;
	if ((size_t)(a->end - a->cur) < size)
		arena_refill(a);
	if (is_string)
		return a->end -= size;
	a->cur += size;
	return a->cur - size;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	char *p;

	size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	p = arena_take(a, size, false);
	return p != NULL ? p : arena_alloc_block(a, size);
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = arena_take(a, len + 1, true);

	if (p == NULL)
		p = arena_alloc_block(a, len + 1);
	memcpy(p, s, len);
	return p;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;
	char *s;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	s = arena_strndup(a, sb.len ? sb.s : "", sb.len);
	strbuf_fini(&sb);
	return s;
}

/* ---- files --------------------------------------------------------------- */

char *
mem_read_file(int fd, size_t len)
{
	char *buf = malloc(len + 1);
	size_t got = 0;
	ssize_t n = 1;

	while (buf != NULL && got < len && n > 0) {
		n = pread(fd, buf + got, len - got, (off_t)got);
		got += n > 0 ? (size_t)n : 0;
	}
	if (got == len)
		return buf;
	free(buf);
	return NULL;
}

static int
write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int
mem_write_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct stat st;
	int rc;

	if (fd < 0)
		return -errno;
	rc = write_all(fd, data, len);
	if (rc != 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	return rc;
}
