/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CTF dictionaries: the container around types and symbols.
 *
 *	| header | labels | objects | functions | ... | types | strings |
 *	          <----------------- body, perhaps compressed ---------->
 *
 * The header has only the sections' beginnings, so each ends where the next
 * begins.  If the offsets never decrease, no two sections overlap.
 */
#include "ctf/ctf_file_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/* Source: doc/reference/ctf.md sections 1 and 5 (version 2) and 8. */
const struct ctf_format_info ctf_formats[] = {
	[CTF_FMT_V2] = { "CTF version 2", 0xcff1, 2, 36, 2, 11, 0x400, 0x3ff,
	    0x8000, 0xffff, 8192 },
	[CTF_FMT_V3] = { "CTF version 3 (FreeBSD)", 0xcff1, 3, 36, 4, 26,
	    0x2000000, 0xffffff, 0x80000000, 0xffffffff, 1U << 29 },
	[CTF_FMT_GNU] = { "CTF version 3 (GNU)", 0xdff2, 4, 52, 4, 26,
	    0x2000000, 0x1ffffff, 0x80000000, 0xffffffff, 1U << 29 },
};
#define NFORMATS (sizeof(ctf_formats) / sizeof(ctf_formats[0]))

/* GNU's flags beside COMPRESS: NEWFUNCINFO, IDXSORTED, DYNSTR. */
#define GNU_NEWFUNCINFO 0x2
#define GNU_FLAGS 0xf

#define OFF_PARLABEL 4
#define OFF_PARNAME 8
#define OFF_CUNAME 12 /* GNU */

static const struct sect_info {
	const char *name;
	uint8_t v2, gnu; /* place of its offset in header */
} sects[CTF_NSECTS] = {
#define CTF_SECT(NAME, name, v2, gnu) [CTF_SECT_##NAME] = { name, v2, gnu },
#include "ctf/ctf_sects.def"
#undef CTF_SECT
};

/*
 * Expanding may cost up to this many times the file's size: type data shrinks
 * three- to tenfold, a decompression bomb a thousandfold.
 */
#define MAX_EXPANSION 64

const char *
ctf_sect_name(enum ctf_sect_id id)
{
	return sects[id].name;
}

int
ctf_bad(
    struct ctf_file *f, enum ctf_sect_id id, size_t off, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strbuf_printf(&sb, "%s: %s section, offset 0x%zx: ", f->fmt->name,
	    sects[id].name, off);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	err_take(&f->err, -EINVAL, strbuf_steal(&sb));
	return -1;
}

static int bad_header(struct ctf_file *f, unsigned off, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int
bad_header(struct ctf_file *f, unsigned off, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strbuf_printf(&sb,
	    "%s: header, offset 0x%x: ", f->fmt != NULL ? f->fmt->name : "CTF",
	    off);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	err_take(&f->err, -EINVAL, strbuf_steal(&sb));
	return -1;
}

/* ---- strings ------------------------------------------------------------- */

/* Bit 31 of a reference: the string is among the symbol table's strings. */
#define STR_EXTERNAL 0x80000000U

int
ctf_check_str(struct ctf_file *f, enum ctf_sect_id id, size_t off, uint32_t ref)
{
	uint32_t at = ref & ~STR_EXTERNAL;

	if ((ref & STR_EXTERNAL) == 0) {
		if (at != 0 && at >= ctf_sect_len(f, CTF_SECT_STRINGS))
			return ctf_bad(f, id, off,
			    "string 0x%x, but the "
			    "string section has 0x%x bytes",
			    at, ctf_sect_len(f, CTF_SECT_STRINGS));
	} else if (f->syms != NULL && f->syms->strs != NULL &&
	    at >= f->syms->nstrs) {
		return ctf_bad(f, id, off,
		    "string 0x%x of the symbol table, "
		    "whose strings have 0x%zx bytes",
		    at, f->syms->nstrs);
	}
	return 0;
}

const char *
ctf_str(const struct ctf_file *f, uint32_t ref)
{
	uint32_t at = ref & ~STR_EXTERNAL;

	if ((ref & STR_EXTERNAL) == 0)
		return at == 0 ?
		    "" :
		    (const char *)ctf_sect(f, CTF_SECT_STRINGS) + at;
	return f->syms != NULL && f->syms->strs != NULL ? f->syms->strs + at :
							  "";
}

const char *
ctf_file_strings(const struct ctf_file *f, size_t *lenp)
{
	*lenp = ctf_sect_len(f, CTF_SECT_STRINGS);
	return (const char *)ctf_sect(f, CTF_SECT_STRINGS);
}

static int
check_strings(struct ctf_file *f)
{
	const uint8_t *s = ctf_sect(f, CTF_SECT_STRINGS);
	uint32_t len = ctf_sect_len(f, CTF_SECT_STRINGS);

	if (len == 0)
		return 0;
	if (s[0] != '\0')
		return ctf_bad(
		    f, CTF_SECT_STRINGS, 0, "the first string is not empty");
	if (s[len - 1] != '\0')
		return ctf_bad(
		    f, CTF_SECT_STRINGS, len - 1, "the last string has no end");
	return 0;
}

/* ---- header -------------------------------------------------------------- */

static int
find_format(struct ctf_file *f, const uint8_t *img, size_t len)
{
	uint16_t magic;

	if (len < 4)
		return bad_header(f, 0, "%zu bytes are no CTF header", len);
	memcpy(&magic, img, sizeof(magic));
	for (size_t i = 0; i < NFORMATS; i++) {
		const struct ctf_format_info *fmt = &ctf_formats[i];

		if (magic != fmt->magic && magic != bswap_16(fmt->magic))
			continue;
		f->h.is_swapped = magic != fmt->magic;
		if (img[2] != fmt->version)
			continue;
		f->fmt = fmt;
		f->h.format = (enum ctf_format)i;
		return 0;
	}
	if (magic == ctf_formats[0].magic ||
	    magic == bswap_16(ctf_formats[0].magic))
		return bad_header(f, 2,
		    "version %u is not supported; versions "
		    "2 and 3 are",
		    img[2]);
	if (magic == ctf_formats[CTF_FMT_GNU].magic ||
	    magic == bswap_16(ctf_formats[CTF_FMT_GNU].magic))
		return bad_header(f, 2,
		    "GNU version number %u is not "
		    "supported; 4 is",
		    img[2]);
	return bad_header(f, 0,
	    "0x%04x is not the magic number of CTF "
	    "(0xcff1, or GNU's 0xdff2)",
	    magic);
}

static bool
is_gnu(const struct ctf_file *f)
{
	return f->h.format == CTF_FMT_GNU;
}

static int
check_flags(struct ctf_file *f)
{
	unsigned known = is_gnu(f) ? GNU_FLAGS : CTF_HDR_COMPRESS;

	if ((f->h.flags & ~known) != 0)
		return bad_header(
		    f, 3, "unknown flags 0x%x", f->h.flags & ~known);
	return 0;
}

/* Alignments of a section's offset and length. */
static unsigned
sect_align(const struct ctf_file *f, enum ctf_sect_id id)
{
	if (id == CTF_SECT_OBJECTS || id == CTF_SECT_FUNCS)
		return f->fmt->word;
	return id == CTF_SECT_STRINGS ? 1 : 4;
}

/* Check a section that begins at `off`, where the previous one may end. */
static int
check_place(struct ctf_file *f, unsigned field, enum ctf_sect_id id,
    uint32_t off, uint32_t before)
{
	if (off < before)
		return bad_header(f, field,
		    "the %s section begins at 0x%x, "
		    "inside the section before it (0x%x)",
		    sects[id].name, off, before);
	if (off % sect_align(f, id) != 0)
		return bad_header(f, field,
		    "the %s section begins at 0x%x, "
		    "not at a multiple of %u",
		    sects[id].name, off, sect_align(f, id));
	return 0;
}

static int
place_sects(struct ctf_file *f, const uint8_t *img)
{
	unsigned strlen_off = is_gnu(f) ? 48 : 32;
	uint32_t at = 0, len = ctf_get32(f, img + strlen_off);
	int last = 0;

	for (int id = 0; id < CTF_NSECTS; id++) {
		unsigned field = is_gnu(f) ? sects[id].gnu : sects[id].v2;
		uint32_t off = field != 0 ? ctf_get32(f, img + field) : at;

		f->h.sects[id].off = off;
		if (field == 0)
			continue;
		if (check_place(f, field, (enum ctf_sect_id)id, off, at) != 0)
			return -1;
		f->h.sects[last].len = off - at;
		last = id;
		at = off;
	}
	if (len > UINT32_MAX - at)
		return bad_header(f, strlen_off,
		    "0x%x bytes of strings from "
		    "0x%x on do not fit in 32 bits",
		    len, at);
	f->h.sects[last].len = len;
	f->nbody = at + len;
	return 0;
}

static int
expand(struct ctf_file *f, const uint8_t *from, size_t len)
{
	uLongf n = f->nbody;
	int rc;

	if (f->nbody / MAX_EXPANSION > len)
		return bad_header(f, 3,
		    "%zu compressed bytes that expand to "
		    "%zu are refused: more than %u to 1",
		    len, f->nbody, MAX_EXPANSION);
	f->expanded = malloc(f->nbody + 1);
	if (f->expanded == NULL)
		return bad_header(
		    f, 3, "no memory to expand it to %zu bytes", f->nbody);
	rc = uncompress(f->expanded, &n, from, len);
	if (rc != Z_OK)
		return bad_header(
		    f, 3, "the compressed data is damaged: %s", zError(rc));
	if (n != f->nbody)
		return bad_header(f, 3,
		    "the compressed data expands to %lu "
		    "bytes, not to %zu as the header says",
		    n, f->nbody);
	f->body = f->expanded;
	return 0;
}

/*
 * The length of a dictionary in an archive includes itself, as ld of binutils
 * 2.40 writes it, so it is 8 bytes too large.
 */
#define GNU_SURPLUS 8

static int
find_body(struct ctf_file *f, const uint8_t *img, size_t len)
{
	size_t have = len - f->fmt->header;

	if ((f->h.flags & CTF_HDR_COMPRESS) != 0)
		return expand(f, img + f->fmt->header, have);
	if (have != f->nbody && !(is_gnu(f) && have == f->nbody + GNU_SURPLUS))
		return bad_header(f, 0,
		    "its sections take %zu bytes, but %zu "
		    "follow the header",
		    f->nbody, have);
	f->body = img + f->fmt->header;
	return 0;
}

static int
header_str(
    struct ctf_file *f, const uint8_t *img, unsigned off, const char **out)
{
	uint32_t ref = ctf_get32(f, img + off);

	if (ref >= ctf_sect_len(f, CTF_SECT_STRINGS) && ref != 0)
		return bad_header(f, off,
		    "string 0x%x, but the string section "
		    "has 0x%x bytes",
		    ref, ctf_sect_len(f, CTF_SECT_STRINGS));
	*out = ctf_str(f, ref);
	return 0;
}

static int
header_strs(struct ctf_file *f, const uint8_t *img)
{
	f->h.cuname = "";
	if (header_str(f, img, OFF_PARLABEL, &f->h.parlabel) != 0 ||
	    header_str(f, img, OFF_PARNAME, &f->h.parname) != 0)
		return -1;
	return is_gnu(f) ? header_str(f, img, OFF_CUNAME, &f->h.cuname) : 0;
}

static int
check_funcs_form(struct ctf_file *f)
{
	if (is_gnu(f) && (f->h.flags & GNU_NEWFUNCINFO) == 0 &&
	    ctf_sect_len(f, CTF_SECT_FUNCS) != 0)
		return bad_header(f, 3,
		    "functions in the form of binutils "
		    "before 2.36 are not supported");
	return 0;
}

static int
decode(struct ctf_file *f, const uint8_t *img, size_t len)
{
	if (find_format(f, img, len) != 0)
		return -1;
	if (len < f->fmt->header)
		return bad_header(
		    f, 0, "%zu bytes; a header has %u", len, f->fmt->header);
	f->h.flags = img[3];
	if (check_flags(f) != 0 || place_sects(f, img) != 0 ||
	    find_body(f, img, len) != 0 || check_strings(f) != 0 ||
	    header_strs(f, img) != 0 || check_funcs_form(f) != 0)
		return -1;
	return ctf_check_types(f) != 0 ? -1 : ctf_check_symbols(f);
}

struct ctf_file *
ctf_file_decode(
    const void *data, size_t len, const struct ctf_syms *syms, struct err *err)
{
	struct ctf_file *f = mem_alloc(sizeof(*f));

	f->syms = syms;
	if (decode(f, data, len) == 0)
		return f;
	err_move(err, &f->err);
	ctf_file_close(f);
	return NULL;
}

void
ctf_file_close(struct ctf_file *f)
{
	if (f == NULL)
		return;
	VEC_FREE(&f->recs);
	free(f->expanded);
	err_clear(&f->err);
	free(f);
}

const struct ctf_header *
ctf_file_header(const struct ctf_file *f)
{
	return &f->h;
}
