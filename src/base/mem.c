/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

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
out_of_memory(size_t size)
{
	void (*f)(void *arg) = at_failure;

	at_failure = NULL;
	if (f != NULL)
		f(at_failure_arg);
	fprintf(stderr, "dtrace: out of memory (wanted %zu bytes)\n", size);
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

void *
vec_grow(void *v, size_t *cap, size_t want, size_t elem_size)
{
	size_t n = *cap ? *cap : 8;

	if (want <= *cap)
		return v;
	while (n < want)
		n *= 2;
	v = mem_realloc(v, n * elem_size);
	memset((char *)v + *cap * elem_size, 0, (n - *cap) * elem_size);
	*cap = n;
	return v;
}

void
strbuf_fini(struct strbuf *sb)
{
	free(sb->s);
	memset(sb, 0, sizeof(*sb));
}

void
strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->s != NULL)
		sb->s[0] = '\0';
}

static void
strbuf_reserve(struct strbuf *sb, size_t more)
{
	size_t want = sb->len + more + 1;

	if (want > sb->cap) {
		sb->cap = want < 64 ? 64 : want + want / 2;
		sb->s = mem_realloc(sb->s, sb->cap);
	}
}

char *
strbuf_room(struct strbuf *sb, size_t n)
{
	strbuf_reserve(sb, n);
	return sb->s + sb->len;
}

void
strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_reserve(sb, len);
	if (len > 0)
		memcpy(sb->s + sb->len, data, len);
	sb->len += len;
	sb->s[sb->len] = '\0';
}

void
strbuf_addc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void
strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void
strbuf_add_hex(struct strbuf *sb, uint64_t v)
{
	char text[2 + 16], *p = text + sizeof(text);

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v != 0);
	*--p = 'x';
	*--p = '0';
	strbuf_add(sb, p, (size_t)(text + sizeof(text) - p));
}

static void
add_code(struct strbuf *sb, unsigned char c)
{
	if (c == '\n')
		strbuf_adds(sb, "\\n");
	else if (c == '\t')
		strbuf_adds(sb, "\\t");
	else
		strbuf_printf(sb, "\\%03o", c);
}

void
strbuf_add_quoted(struct strbuf *sb, const char *s, size_t len, size_t max)
{
	size_t n = len > max ? max : len;

	strbuf_addc(sb, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			strbuf_printf(sb, "\\%c", c);
		else if (isprint(c))
			strbuf_addc(sb, (char)c);
		else
			add_code(sb, c);
	}
	strbuf_adds(sb, n < len ? "\"..." : "\"");
}

/*
 * ISO 6429 controls: C0, and C1, also as UTF-8, where the same byte value may
 * be part of another character.
 */
static bool
is_control(unsigned char c, unsigned char before)
{
	return c < ' ' || c == 0x7f ||
	    (c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2));
}

void
strbuf_add_plain(struct strbuf *sb, const char *s, const char *keep)
{
	unsigned char before = 0;

	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (is_control(c, before) && strchr(keep, c) == NULL)
			add_code(sb, c);
		else
			strbuf_addc(sb, (char)c);
		before = c;
	}
}

void
strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list ap2;
	int n;

	va_copy(ap2, ap);
	n = vsnprintf(NULL, 0, fmt, ap2);
	va_end(ap2);
	if (n < 0)
		return;
	strbuf_reserve(sb, (size_t)n);
	vsnprintf(sb->s + sb->len, (size_t)n + 1, fmt, ap);
	sb->len += (size_t)n;
}

void
strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(sb, fmt, ap);
	va_end(ap);
}

char *
strbuf_steal(struct strbuf *sb)
{
	char *s = sb->s ? sb->s : mem_strdup("");

	memset(sb, 0, sizeof(*sb));
	return s;
}

void
strtab_init(struct strtab *st)
{
	memset(st, 0, sizeof(*st));
}

void
strtab_fini(struct strtab *st)
{
	VEC_FREE(&st->strs);
	arena_fini(&st->arena);
	free(st->slots);
	strtab_init(st);
}

/* The slot that holds `s`, or the empty one where it would go. */
static uint32_t *
strtab_slot(const struct strtab *st, const char *s)
{
	size_t i = hash_bytes(s, strlen(s)) & (st->nslots - 1);

	while (
	    st->slots[i] != 0 && strcmp(st->strs.v[st->slots[i] - 1], s) != 0)
		i = (i + 1) & (st->nslots - 1);
	return &st->slots[i];
}

static void
strtab_rehash(struct strtab *st)
{
	free(st->slots);
	st->nslots = st->nslots ? st->nslots * 2 : 64;
	st->slots = mem_alloc(st->nslots * sizeof(*st->slots));
	for (uint32_t id = 1; id <= st->strs.n; id++)
		*strtab_slot(st, st->strs.v[id - 1]) = id;
}

uint32_t
strtab_find(const struct strtab *st, const char *s)
{
	return st->nslots ? *strtab_slot(st, s) : 0;
}

uint32_t
strtab_intern(struct strtab *st, const char *s)
{
	uint32_t *slot;

	if ((st->strs.n + 1) * 2 > st->nslots)
		strtab_rehash(st);
	slot = strtab_slot(st, s);
	if (*slot == 0) {
		VEC_PUSH(&st->strs, arena_strdup(&st->arena, s));
		*slot = (uint32_t)st->strs.n;
	}
	return *slot;
}

const char *
strtab_str(const struct strtab *st, uint32_t id)
{
	return id >= 1 && id <= st->strs.n ? st->strs.v[id - 1] : NULL;
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
