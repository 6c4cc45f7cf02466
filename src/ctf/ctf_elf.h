/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_ELF_H
#define CTF_CTF_ELF_H

/* What CTF needs of ELF files. */
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* The first section of a type (0: any) and name (NULL: any), or NULL. */
Elf_Scn *ctf_elf_section(Elf *elf, uint32_t type, const char *name);

/*
 * An ELF symbol as the object and function sections count them: 'o' or 'f'
 * when it has an entry, 0 when it is left out.
 */
char ctf_symbol_class(unsigned type, unsigned shndx, uint64_t value,
    const char *name);
/* Called for each that has an entry, until one returns non-zero: returned. */
typedef int ctf_symbol_f(void *arg, const char *name, bool is_func,
    uint64_t value);
int ctf_elf_symbols(Elf *elf, Elf_Scn *symtab, ctf_symbol_f *each, void *arg);

/*
 * A copy of an ELF file, in `out`, with a section of that name and contents,
 * linked to the symbol table; it takes the place of one that is there already.
 * Nothing else changes, or moves.  64-bit little-endian files only.  0, or -1
 * with *msg (malloced).
 */
int ctf_elf_add_section(const void *img, size_t len, const char *name,
    const struct strbuf *data, struct strbuf *out, char **msg);

#endif
