/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_FILE_IMPL_H
#define CTF_CTF_FILE_IMPL_H

/* Shared by the files of the CTF codec. */
#include <byteswap.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "ctf/ctf_file.h"

struct ctf_file {
	struct ctf_header h;
	const struct ctf_format_info *fmt;
	const uint8_t *body; /* behind the header, expanded */
	uint8_t *expanded;   /* the body, if it was compressed */
	size_t nbody;
	const struct ctf_syms *syms;
	const struct ctf_file *parent;
	VEC(uint32_t) recs; /* offsets of the type records */
	struct err err;	    /* what is wrong with the file */
};

/* Numbers in the file's byte order; `off` must have been checked. */
static inline uint16_t
ctf_get16(const struct ctf_file *f, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return f->h.is_swapped ? bswap_16(v) : v;
}

static inline uint32_t
ctf_get32(const struct ctf_file *f, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return f->h.is_swapped ? bswap_32(v) : v;
}

/* A type id, info or size field. */
static inline uint32_t
ctf_get_word(const struct ctf_file *f, const uint8_t *p)
{
	return f->fmt->word == 2 ? ctf_get16(f, p) : ctf_get32(f, p);
}

static inline const uint8_t *
ctf_sect(const struct ctf_file *f, enum ctf_sect_id id)
{
	return f->body + f->h.sects[id].off;
}

static inline uint32_t
ctf_sect_len(const struct ctf_file *f, enum ctf_sect_id id)
{
	return f->h.sects[id].len;
}

/* Note an error at an offset of a section. Returns -1. */
int ctf_bad(struct ctf_file *f, enum ctf_sect_id id, size_t off,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Check the string reference at an offset of a section: 0 if it leads to a
 * string.  ctf_str() is for checked references.
 */
int ctf_check_str(
    struct ctf_file *f, enum ctf_sect_id id, size_t off, uint32_t ref);
const char *ctf_str(const struct ctf_file *f, uint32_t ref);
/* Check the type id at that offset: 0 if it leads to a type. */
int ctf_check_ref(
    struct ctf_file *f, enum ctf_sect_id id, size_t off, uint32_t ref);

/*
 * ctf_types.c: find the records, then check each.  Returns 0, or -1
 * (ctf_bad()).
 */
int ctf_check_types(struct ctf_file *f);
/* ctf_symtab.c: check labels, objects, functions, indices, variables. */
int ctf_check_symbols(struct ctf_file *f);

#endif
