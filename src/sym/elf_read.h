/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_ELF_READ_H
#define SYM_ELF_READ_H

/*
 * Read symbols of hostile files in a child without privileges (base/confine.h);
 * or here, if no such child is possible and we have no privileges either.
 */
#include "base/confine.h"
#include "base/err.h"
#include "base/str.h"
#include "sym/elf_syms.h"

/* elf_syms_open() and elf_syms_parse(), done in the child. */
CHECKED struct elf_syms *elf_syms_read(
    int fd, const char *path, const char *root, struct err *err);
CHECKED struct elf_syms *elf_syms_read_mem(
    const void *img, size_t len, struct err *err);

/* ---- for other jobs that read symbols, too ------------------------------- */

/*
 * The call that elf_syms_read() makes.  Its arguments are in `names`, which the
 * caller releases.
 */
struct confine_call elf_syms_call(
    int fd, struct strbuf *names, const char *path, const char *root);
/* Runs in the child, with the call's arguments. */
CHECKED struct elf_syms *elf_syms_in_child(
    int fd, const void *arg, size_t len, struct err *err);
void elf_syms_put(const struct elf_syms *es, struct confine_out *out);

/* Decode an answer; NULL: it is bad. */
struct elf_syms *elf_syms_take(struct confine_in *f);

#endif
