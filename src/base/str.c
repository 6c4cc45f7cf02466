/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/str.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

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
