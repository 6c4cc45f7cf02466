/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_SYM_IMPL_H
#define SYM_SYM_IMPL_H

/*
 * What the files of sym/ share: an ELF image (elf_img.c), read piece by piece
 * because symbol tables of 100 MB exist, and the table being made of it.
 *
 * Files are never mapped: one that is truncated meanwhile would kill us.
 */
#include <libelf.h>

#include "base/mem.h"
#include "sym/elf_syms.h"

#define ELF_BUILD_ID_MAX 64
#define ELF_SECTION_NAME_MAX 256 /* longer ones are cut */

struct elf_img {
	Elf *elf;
	int fd; /* or -1: all of it is in mem */
	const uint8_t *mem;
	uint64_t len;
	bool is_64;
	uint16_t type, machine;
	uint64_t entry;
	VEC(struct elf_sect) sects; /* by number */
	VEC(uint32_t) links;	    /* sh_link, by number */
	VEC(struct elf_seg) segs;
	struct arena names; /* of sections */
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t build_id_len;
};

/* 0, or -1 with *msg (malloced).  fd and mem are borrowed. */
int elf_img_open(struct elf_img *img, int fd, char **msg);
int elf_img_open_mem(
    struct elf_img *img, const void *mem, size_t len, char **msg);
void elf_img_close(struct elf_img *img);
/* Exactly n bytes from that offset, or false. */
bool elf_img_read(const struct elf_img *img, uint64_t off, void *buf, size_t n);
/* The number of the first section of that type (0: any) and name (NULL: any);
 * 0: there is none. */
size_t elf_img_find(const struct elf_img *img, uint32_t type, const char *name);
/* Its bytes, malloced, with a NUL after them; NULL: none, or more than max. */
uint8_t *elf_img_bytes(
    const struct elf_img *img, size_t shndx, size_t max, size_t *len);

struct elf_syms {
	VEC(struct elf_sym) syms;
	size_t nsorted;	     /* so many of them are by address, ... */
	uint32_t *outer;     /* ... and have these: see elf_syms.c */
	uint32_t *next;
	struct strbuf names; /* of symbols */
	uint32_t *by_name; /* hash table of numbers plus 1, or NULL: not yet */
	size_t nslots;
	struct elf_img img; /* closed; sections and segments stay */
};

/* elf_syms.c: for tables that come from elsewhere; sort them when they are
 * complete. */
struct elf_syms *elf_syms_create(void);
void elf_syms_sort(struct elf_syms *es);
/* They are sorted. */
void elf_syms_index(struct elf_syms *es);
/* elf_table.c: take the symbols of a table (SHT_SYMTAB, SHT_DYNSYM). */
void elf_table_add(
    struct elf_syms *es, const struct elf_img *img, size_t shndx);
void sym_clean_text(char *s, size_t len);
/* Names that end in NUL; none is longer than LIMIT_NAME afterwards. */
void elf_cut_long_names(char *s, size_t len);
/* elf_plt.c: name the PLT's entries; what is sorted can be looked up. */
void elf_plt_add(struct elf_syms *es, const struct elf_img *img);
/* elf_debug.c: the symbols that a stripped file left elsewhere. */
bool elf_debug_file_add(struct elf_syms *es, const struct elf_img *img,
    const char *path, const char *root);
/* Is that one of the places where elf_debug_file_add() looks, whatever the file
 * says?  What it leads to is another matter. */
bool elf_debug_is_place(const char *want, const char *path, const char *root);
void elf_debugdata_add(struct elf_syms *es, const struct elf_img *img);
/* elf_gopcln.c: those that Go's runtime keeps for itself. */
void elf_gopcln_add(struct elf_syms *es, const struct elf_img *img);

#endif
