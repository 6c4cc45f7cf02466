/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_ELF_SYMS_H
#define SYM_ELF_SYMS_H

/*
 * Symbols of one ELF file: functions, objects and PLT entries, by address.
 *
 * They come from .symtab; for a stripped file, from its file of debug
 * information (by build id or .gnu_debuglink); else from .dynsym,
 * .gnu_debugdata and .gopclntab.  The file is hostile: whatever it contains,
 * nothing outside it is read, and memory is bounded by its size and by option
 * analysismax (base/bounds.h).
 *
 * Addresses here are the file's own ("link-time") ones.  elf_syms_vaddr()
 * converts offsets in the file, which mappings have, to such addresses.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum elf_sym_kind {
	ELF_SYM_FUNC,
	ELF_SYM_IFUNC, /* its code selects the function */
	ELF_SYM_PLT,   /* "malloc@plt" */
	ELF_SYM_LABEL, /* untyped, in code: assembly functions */
	ELF_SYM_OBJECT,
};

struct elf_sym {
	uint64_t value;
	uint32_t size;	/* 0: unknown */
	uint32_t name;	/* for elf_sym_name() */
	uint16_t shndx; /* its section; 0: unknown */
	uint8_t kind;	/* enum elf_sym_kind */
	bool is_local;
};

/* A loaded segment of the file, from its program header. */
struct elf_seg {
	uint64_t vaddr, off, filesz, memsz;
	bool is_exec;
};

struct elf_sect {
	const char *name; /* owned by the table; never NULL */
	uint64_t vaddr, off, size;
	uint32_t type;
	bool is_exec;
};

struct elf_syms;

/*
 * Read the symbols of a file; `fd` stays the caller's, who may close it then.
 * Files of debug information are searched beside `path` and in /usr/lib/debug,
 * both below `root` ("" or "/proc/PID/root"), then without it; path NULL: not
 * searched.  A file without symbols is no error.  Returns NULL with *err
 * on errors, also when work was stopped or the file exceeds a limit
 * (base/bounds.h).
 */
CHECKED struct elf_syms *elf_syms_open(
    int fd, const char *path, const char *root, struct err *err);
/* The symbols of an image in memory, which may be freed afterwards. */
CHECKED struct elf_syms *elf_syms_parse(
    const void *img, size_t len, struct err *err);
void elf_syms_rele(struct elf_syms *es);

/* Sorted by address; several may have the same. */
size_t elf_syms_count(const struct elf_syms *es);
const struct elf_sym *elf_syms_get(const struct elf_syms *es, size_t i);
/* Never NULL; without version and control characters. */
const char *elf_sym_name(const struct elf_syms *es, const struct elf_sym *sym);
static inline bool
elf_sym_is_code(const struct elf_sym *sym)
{
	return sym->kind != ELF_SYM_OBJECT;
}

/* The symbol that covers an address; of several, the one that people use. */
const struct elf_sym *elf_syms_by_addr(
    const struct elf_syms *es, uint64_t vaddr);
/* The first symbol of code above an address, or NULL. */
const struct elf_sym *elf_syms_next_code(
    const struct elf_syms *es, uint64_t vaddr);
/* The best symbol of that name: global before local, then by address. */
const struct elf_sym *elf_syms_by_name(struct elf_syms *es, const char *name);
/*
 * Call f for each symbol whose name matches a glob, until it returns non-zero
 * or work is stopped.
 */
typedef int elf_sym_f(
    void *arg, const struct elf_syms *es, const struct elf_sym *sym);
int elf_syms_each(
    const struct elf_syms *es, const char *glob, elf_sym_f *f, void *arg);

/*
 * Convert an address of the file to an offset in it, and back; false: it has
 * none.  Two segments can share a page: is_exec selects one.
 */
bool elf_syms_offset(const struct elf_syms *es, uint64_t vaddr, uint64_t *off);
bool elf_syms_vaddr(
    const struct elf_syms *es, uint64_t off, bool is_exec, uint64_t *vaddr);

size_t elf_syms_nsegs(const struct elf_syms *es);
const struct elf_seg *elf_syms_seg(const struct elf_syms *es, size_t i);
/* The segment with that address of the file, or NULL. */
const struct elf_seg *elf_syms_seg_at(
    const struct elf_syms *es, uint64_t vaddr);
/* A section by its number, from 1 on; NULL: it does not exist. */
const struct elf_sect *elf_syms_sect(const struct elf_syms *es, size_t shndx);
size_t elf_syms_nsects(const struct elf_syms *es);

uint64_t elf_syms_entry(const struct elf_syms *es);
uint16_t elf_syms_machine(const struct elf_syms *es); /* EM_... */
bool elf_syms_is_64(const struct elf_syms *es);
bool elf_syms_is_fixed(const struct elf_syms *es); /* ET_EXEC */
/* The build id; *len is 0 if there is none. */
const uint8_t *elf_syms_build_id(const struct elf_syms *es, size_t *len);

#endif
