/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/vec.h"

/* A string that grows. `s` is always NUL-terminated once anything was added. */
struct strbuf {
	char *s;
	size_t len, cap;
};

void strbuf_fini(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb);
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_adds(struct strbuf *sb, const char *s);
/* Append "0x1f"; fast, since stacks consist of such numbers. */
void strbuf_add_hex(struct strbuf *sb, uint64_t v);
/*
 * Append a C string constant; "..." follows if there are more than `max`
 * characters.
 */
void strbuf_add_quoted(
    struct strbuf *sb, const char *s, size_t len, size_t max);
/*
 * Append text made safe for a terminal: control characters, except those in
 * `keep`, become C escapes.
 */
void strbuf_add_plain(struct strbuf *sb, const char *s, const char *keep);
void strbuf_printf(struct strbuf *sb, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/*
 * For code that formats in place: the end of the text, with room for n more
 * bytes and the NUL.  Add the written length to sb->len.
 */
char *strbuf_room(struct strbuf *sb, size_t n);
char *strbuf_steal(struct strbuf *sb); /* the caller frees; never NULL */

/*
 * Strings to numbers: each distinct string gets the next id, from 1.  The
 * table owns its copies; strtab_str() stays valid until strtab_fini().
 */
struct strtab {
	struct arena arena;
	VEC(char *) strs;
	uint32_t *slots;
	size_t nslots;
};

void strtab_init(struct strtab *st);
void strtab_fini(struct strtab *st);
uint32_t strtab_intern(struct strtab *st, const char *s);
uint32_t strtab_find(const struct strtab *st, const char *s); /* 0: absent */
const char *strtab_str(const struct strtab *st, uint32_t id);

#endif
