/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_ELF_H
#define CTF_CTF_ELF_H

/* ELF functions for CTF. */
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* The first section of a type (0: any) and name (NULL: any), or NULL. */
Elf_Scn *ctf_elf_section(Elf *elf, uint32_t type, const char *name);

/*
 * The class of an ELF symbol in the object and function sections: 'o' or 'f' if
 * it has an entry there, else 0.
 */
char ctf_symbol_class(
    unsigned type, unsigned shndx, uint64_t value, const char *name);
/*
 * Called for each symbol with an entry, until it returns non-zero, which is
 * then returned.
 */
typedef int ctf_symbol_f(
    void *arg, const char *name, bool is_func, uint64_t value);
int ctf_elf_symbols(Elf *elf, Elf_Scn *symtab, ctf_symbol_f *each, void *arg);

/*
 * Copy an ELF file to `out`, with a section of that name and contents, linked
 * to the symbol table; it replaces an existing one.  Nothing else changes or
 * moves.  64-bit little-endian files only.  Returns 0, or -errno with *err
 * (malloced).
 */
CHECKED int ctf_elf_add_section(const void *img, size_t len, const char *name,
    const struct strbuf *data, struct strbuf *out, struct err *err);

#endif
