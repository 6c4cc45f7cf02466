/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_SYM_IMPL_H
#define SYM_SYM_IMPL_H

/*
 * Shared by the files of sym/: an ELF image (elf_img.c), read piece by piece
 * because symbol tables of 100 MB exist, and the symbol table made of it.
 *
 * Files are never mapped: truncation of a mapped file would kill us.
 */
#include <libelf.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/elf_note.h"
#include "sym/elf_syms.h"

#define ELF_SECTION_NAME_MAX 256 /* longer ones are cut */

struct elf_img {
	Elf *elf;
	int fd; /* -1: the whole image is in mem */
	const uint8_t *mem;
	uint64_t len;
	bool is_64;
	uint16_t type, machine;
	uint64_t entry;
	VEC(struct elf_sect) sects; /* by number */
	VEC(uint32_t) links;	    /* sh_link, by number */
	VEC(struct elf_seg) segs;
	struct arena names; /* names of sections */
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t build_id_len;
};

/* Return 0, or -errno with *err. fd and mem are borrowed. */
CHECKED int elf_img_open(struct elf_img *img, int fd, struct err *err);
CHECKED int elf_img_open_mem(
    struct elf_img *img, const void *mem, size_t len, struct err *err);
void elf_img_close(struct elf_img *img);
/* Read exactly n bytes from that offset, or return false. */
bool elf_img_read(const struct elf_img *img, uint64_t off, void *buf, size_t n);
/* The number of the first section of that type (0: any) and name (NULL: any);
 * 0: there is none. */
size_t elf_img_find(const struct elf_img *img, uint32_t type, const char *name);
/*
 * The section's bytes, malloced, with a NUL behind; NULL: none, or more than
 * max.
 */
uint8_t *elf_img_bytes(
    const struct elf_img *img, size_t shndx, size_t max, size_t *len);

struct elf_syms {
	VEC(struct elf_sym) syms;
	size_t nsorted;	 /* this many syms are sorted by address */
	uint32_t *outer; /* of the sorted ones: see elf_syms.c */
	uint32_t *next;
	struct strbuf names; /* names of symbols */
	uint32_t *by_name;   /* hash table of indices plus 1; NULL: not yet */
	size_t nslots;
	struct elf_img img; /* closed; its sections and segments stay */
	int read_error;	    /* an errno: symbols are missing */
};

/* elf_syms.c: make a table from other sources; sort it when it is complete. */
struct elf_syms *elf_syms_create(void);
void elf_syms_sort(struct elf_syms *es);
/* For symbols that are sorted already. */
void elf_syms_index(struct elf_syms *es);
/* elf_table.c: add the symbols of a section (SHT_SYMTAB, SHT_DYNSYM). */
void elf_table_add(
    struct elf_syms *es, const struct elf_img *img, size_t shndx);
void sym_clean_text(char *s, size_t len);
/* Names end in NUL; none is longer than LIMIT_NAME afterwards. */
void elf_cut_long_names(char *s, size_t len);
/* elf_plt.c: name the PLT's entries; the symbols so far must be sorted. */
void elf_plt_add(struct elf_syms *es, const struct elf_img *img);
/* elf_debug.c: add the symbols of a stripped file that are elsewhere. */
bool elf_debug_file_add(struct elf_syms *es, const struct elf_img *img,
    const char *path, const char *root);
/*
 * Is `want` a place where elf_debug_file_add() may look, for any contents of
 * the file?  The place may still be a link to anywhere.
 */
bool elf_debug_is_place(const char *want, const char *path, const char *root);
void elf_debugdata_add(struct elf_syms *es, const struct elf_img *img);
/* elf_gopcln.c: add functions of the table that Go's runtime uses. */
void elf_gopcln_add(struct elf_syms *es, const struct elf_img *img);

#endif
