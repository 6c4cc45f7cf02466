/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_CTF_MAKE_H
#define TESTS_UNIT_CTF_MAKE_H

/*
 * CTF dictionaries made by hand, in each form and byte order, for tests of CTF
 * readers.  They follow doc/reference/ctf.md, not the codec's tables.
 */
#include <byteswap.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/str.h"
#include "ctf/ctf_file.h"

#define COMPRESSED 1

struct ctf_make {
	enum ctf_format format;
	bool swap;
	uint8_t flags;
	uint32_t parlabel, parname, cuname;
	struct strbuf sects[CTF_NSECTS];
	uint32_t recs[64]; /* start of each type record */
	uint32_t nrecs;
};

static inline void
mk_raw(struct strbuf *sb, uint64_t v, unsigned size, bool swap)
{
	uint8_t b[8];

	for (unsigned i = 0; i < size; i++)
		b[swap ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
	strbuf_add(sb, b, size);
}

static inline void
mk_put(struct ctf_make *m, enum ctf_sect_id id, uint64_t v, unsigned size)
{
	mk_raw(&m->sects[id], v, size, m->swap);
}

/* A type id, info or size. */
static inline void
mk_word(struct ctf_make *m, enum ctf_sect_id id, uint32_t v)
{
	mk_put(m, id, v, m->format == CTF_FMT_V2 ? 2 : 4);
}

static inline uint32_t
mk_str(struct ctf_make *m, const char *s)
{
	struct strbuf *sb = &m->sects[CTF_SECT_STRINGS];
	uint32_t at;

	if (sb->len == 0)
		strbuf_add(sb, "", 1);
	at = (uint32_t)sb->len;
	if (*s == '\0')
		return 0;
	strbuf_add(sb, s, strlen(s) + 1);
	return at;
}

static inline uint32_t
mk_info(const struct ctf_make *m, unsigned kind, bool root, uint32_t n)
{
	return m->format == CTF_FMT_V2 ? kind << 11 | (uint32_t)root << 10 | n :
					 kind << 26 | (uint32_t)root << 25 | n;
}

/* The fixed part of a record; `v` is its size or type. */
static inline void
mk_type(
    struct ctf_make *m, unsigned kind, const char *name, uint32_t n, uint64_t v)
{
	uint64_t max = m->format == CTF_FMT_V2 ? 0xffff : 0xffffffff;
	bool root = name[0] != '!';

	m->recs[++m->nrecs] = (uint32_t)m->sects[CTF_SECT_TYPES].len;
	mk_put(m, CTF_SECT_TYPES, mk_str(m, root ? name : name + 1), 4);
	mk_word(m, CTF_SECT_TYPES, mk_info(m, kind, root, n));
	mk_word(m, CTF_SECT_TYPES, (uint32_t)(v < max ? v : max));
	if (v >= max) {
		mk_put(m, CTF_SECT_TYPES, v >> 32, 4);
		mk_put(m, CTF_SECT_TYPES, v & 0xffffffff, 4);
	}
}

static inline void
mk_number(struct ctf_make *m, unsigned kind, const char *name, uint32_t size,
    unsigned flags, unsigned bits)
{
	mk_type(m, kind, name, 0, size);
	mk_put(m, CTF_SECT_TYPES, flags << 24 | bits, 4);
}

static inline void
mk_member(struct ctf_make *m, const char *name, uint32_t type, uint64_t off,
    bool large)
{
	uint32_t ref = mk_str(m, name);
	bool gnu = m->format == CTF_FMT_GNU;

	mk_put(m, CTF_SECT_TYPES, ref, 4);
	if (gnu && !large)
		mk_put(m, CTF_SECT_TYPES, off, 4);
	if (gnu && large)
		mk_put(m, CTF_SECT_TYPES, off >> 32, 4);
	mk_word(m, CTF_SECT_TYPES, type);
	if (!gnu && !large)
		mk_word(m, CTF_SECT_TYPES, (uint32_t)off);
	if (large && m->format == CTF_FMT_V2)
		mk_put(m, CTF_SECT_TYPES, 0, 2);
	if (large && !gnu)
		mk_put(m, CTF_SECT_TYPES, off >> 32, 4);
	if (large)
		mk_put(m, CTF_SECT_TYPES, off & 0xffffffff, 4);
}

static inline void
mk_enumerator(struct ctf_make *m, const char *name, int32_t value)
{
	mk_put(m, CTF_SECT_TYPES, mk_str(m, name), 4);
	mk_put(m, CTF_SECT_TYPES, (uint32_t)value, 4);
}

static inline void
mk_pair(struct ctf_make *m, enum ctf_sect_id id, uint32_t a, uint32_t b)
{
	mk_put(m, id, a, 4);
	mk_put(m, id, b, 4);
}

/* A function of the function section, in version 2 and FreeBSD's version 3. */
static inline void
mk_func(struct ctf_make *m, uint32_t result, const uint32_t *args, uint32_t n)
{
	mk_word(m, CTF_SECT_FUNCS, mk_info(m, CTF_K_FUNCTION, false, n));
	mk_word(m, CTF_SECT_FUNCS, result);
	for (uint32_t i = 0; i < n; i++)
		mk_word(m, CTF_SECT_FUNCS, args[i]);
}

static inline bool
mk_has_sect(const struct ctf_make *m, int id)
{
	return m->format == CTF_FMT_GNU ||
	    (id != CTF_SECT_OBJIDX && id != CTF_SECT_FUNCIDX &&
		id != CTF_SECT_VARS);
}

static inline void
mk_header(struct ctf_make *m, struct strbuf *out)
{
	bool gnu = m->format == CTF_FMT_GNU;
	uint32_t at = 0;

	mk_raw(out, gnu ? 0xdff2 : 0xcff1, 2, m->swap);
	mk_raw(out, gnu ? 4 : m->format == CTF_FMT_V3 ? 3 : 2, 1, false);
	mk_raw(out, m->flags, 1, false);
	mk_raw(out, m->parlabel, 4, m->swap);
	mk_raw(out, m->parname, 4, m->swap);
	if (gnu)
		mk_raw(out, m->cuname, 4, m->swap);
	for (int i = 0; i < CTF_NSECTS; i++) {
		if (!mk_has_sect(m, i))
			continue;
		mk_raw(out, at, 4, m->swap);
		at += (uint32_t)m->sects[i].len;
	}
	mk_raw(out, m->sects[CTF_SECT_STRINGS].len, 4, m->swap);
}

static inline void
mk_compress(struct strbuf *body)
{
	uLongf n = compressBound(body->len);
	char *to = malloc(n);

	compress((Bytef *)to, &n, (const Bytef *)body->s, body->len);
	strbuf_reset(body);
	strbuf_add(body, to, n);
	free(to);
}

/* The finished dictionary, in `out`. */
static inline void
mk_finish(struct ctf_make *m, struct strbuf *out)
{
	struct strbuf body = { 0 };

	if ((m->sects[CTF_SECT_OBJECTS].len + m->sects[CTF_SECT_FUNCS].len) %
		4 !=
	    0)
		mk_put(m, CTF_SECT_FUNCS, 0, 2);
	mk_header(m, out);
	for (int i = 0; i < CTF_NSECTS; i++) {
		if (mk_has_sect(m, i) && m->sects[i].len != 0)
			strbuf_add(&body, m->sects[i].s, m->sects[i].len);
	}
	if ((m->flags & COMPRESSED) != 0)
		mk_compress(&body);
	if (body.len != 0)
		strbuf_add(out, body.s, body.len);
	strbuf_fini(&body);
}

static inline void
mk_free(struct ctf_make *m)
{
	for (int i = 0; i < CTF_NSECTS; i++)
		strbuf_fini(&m->sects[i]);
}

/*
 * A dictionary with every kind and every encoding.  Ids:
 *	1 int, 2 char, 3 _Bool, 4 unsigned int:3, 5 varargs, 6-17 floats,
 *	18 s *, 19 struct s, 20 union u, 21 enum e, 22 struct fwd, 23 s_t,
 *	24 volatile int, 25 const volatile int, 26 s *restrict, 27 char [16],
 *	28 int (int, s *, ...), 29 unknown, 30 struct big, 31 a slice (GNU)
 */
static inline void
mk_numbers(struct ctf_make *m)
{
	char name[] = "f_";

	mk_number(m, CTF_K_INTEGER, "int", 4, 1, 32);
	mk_number(m, CTF_K_INTEGER, "char", 1, 1 | 2, 8);
	mk_number(m, CTF_K_INTEGER, "_Bool", 1, 4, 8);
	mk_number(m, CTF_K_INTEGER, "!unsigned int", 4, 0, 3);
	mk_number(m, CTF_K_INTEGER, "va", 4, 8, 32);
	for (unsigned i = 1; i <= 12; i++) {
		name[1] = (char)('a' + i - 1);
		mk_number(m, CTF_K_FLOAT, name, 16, i, 128);
	}
}

static inline void
mk_bodies(struct ctf_make *m)
{
	mk_type(m, CTF_K_POINTER, "", 0, 19);
	mk_type(m, CTF_K_STRUCT, "s", 2, 8);
	mk_member(m, "a", 1, 0, false);
	mk_member(m, "bf", 4, 32, false);
	mk_type(m, CTF_K_UNION, "u", 2, 4);
	mk_member(m, "i", 1, 0, false);
	mk_member(m, "c", 2, 0, false);
	mk_type(m, CTF_K_ENUM, "e", 2, 4);
	mk_enumerator(m, "A", 0);
	mk_enumerator(m, "B", -1);
	mk_type(m, CTF_K_FORWARD, "fwd", 0, CTF_K_STRUCT);
}

static inline void
mk_derived(struct ctf_make *m)
{
	mk_type(m, CTF_K_TYPEDEF, "s_t", 0, 19);
	mk_type(m, CTF_K_VOLATILE, "", 0, 1);
	mk_type(m, CTF_K_CONST, "", 0, 24);
	mk_type(m, CTF_K_RESTRICT, "", 0, 18);
	mk_type(m, CTF_K_ARRAY, "", 0, 0);
	mk_word(m, CTF_SECT_TYPES, 2);
	mk_word(m, CTF_SECT_TYPES, 1);
	mk_put(m, CTF_SECT_TYPES, 16, 4);
	mk_type(m, CTF_K_FUNCTION, "", 3, 1);
	mk_word(m, CTF_SECT_TYPES, 1);
	mk_word(m, CTF_SECT_TYPES, 18);
	mk_word(m, CTF_SECT_TYPES, 0);
	if (m->format != CTF_FMT_V3)
		mk_word(m, CTF_SECT_TYPES, 0);
	mk_type(m, CTF_K_UNKNOWN, "!", 0, 0);
	mk_type(m, CTF_K_STRUCT, "big", 1, UINT64_C(1) << 32);
	mk_member(m, "far", 1, 0x123456780, true);
	if (m->format == CTF_FMT_GNU) {
		mk_type(m, 14, "!", 0, 1);
		mk_put(m, CTF_SECT_TYPES, 21, 4);
		mk_put(m, CTF_SECT_TYPES, 1, 2);
		mk_put(m, CTF_SECT_TYPES, 2, 2);
	}
}

/* Symbols: objects x (int), nodata, y (struct s); functions main (int, s *),
 * nofunc, vf (int, s *, ...). */
static inline void
mk_symbols(struct ctf_make *m)
{
	static const uint32_t args[] = { 1, 18, 0 };

	mk_word(m, CTF_SECT_OBJECTS, 1);
	mk_word(m, CTF_SECT_OBJECTS, 0);
	mk_word(m, CTF_SECT_OBJECTS, 19);
	if (m->format != CTF_FMT_GNU) {
		mk_func(m, 1, args, 2);
		mk_word(m, CTF_SECT_FUNCS, 0);
		mk_func(m, 1, args, 3);
		return;
	}
	mk_word(m, CTF_SECT_FUNCS, 28);
	mk_word(m, CTF_SECT_FUNCS, 0);
	mk_word(m, CTF_SECT_FUNCS, 28);
	mk_pair(m, CTF_SECT_VARS, mk_str(m, "v"), 20);
}

static inline void
mk_everything(struct ctf_make *m)
{
	mk_numbers(m);
	mk_bodies(m);
	mk_derived(m);
	mk_symbols(m);
	mk_pair(m, CTF_SECT_LABELS, mk_str(m, "label"), 27);
	if (m->format == CTF_FMT_GNU)
		m->flags |= 2;
}

#endif
