/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_ELF_READ_H
#define SYM_ELF_READ_H

/*
 * Symbols of hostile files, read by a child without privileges
 * (base/confine.h), or by ourselves where there can be none and we have no
 * privileges either.
 */
#include "base/confine.h"
#include "base/mem.h"
#include "sym/elf_syms.h"

/* As elf_syms_open() and elf_syms_parse(). */
struct elf_syms *elf_syms_read(
    int fd, const char *path, const char *root, char **msg);
struct elf_syms *elf_syms_read_mem(const void *img, size_t len, char **msg);

/* ---- for other jobs that read symbols, too ------------------------------- */

/* The call that elf_syms_read() makes; its arguments are in `names`, for the
 * caller to release. */
struct confine_call elf_syms_call(
    int fd, struct strbuf *names, const char *path, const char *root);
/* In the child, with the call's arguments. */
struct elf_syms *elf_syms_in_child(
    int fd, const void *arg, size_t len, char **msg);
void elf_syms_put(const struct elf_syms *es, struct confine_out *out);

/* Of an answer; NULL: it is bad. */
struct elf_syms *elf_syms_take(struct confine_in *f);

#endif
