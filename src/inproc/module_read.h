/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_MODULE_READ_H
#define INPROC_MODULE_READ_H

/*
 * Modules of hostile files, read by a child without privileges
 * (base/confine.h), or by ourselves where there can be none and we have no
 * privileges either.
 */
#include "inproc/inproc.h"
#include "sym/elf_read.h"

/*
 * As elf_syms_open() and inproc_module_open() of one file.  0 with both, for
 * the caller to release, or -1 with *msg (malloced) and neither.
 */
int inproc_module_read(int fd, const char *path, struct elf_syms **es,
    struct inproc_module **m, char **msg);

/* An answer of the child, for which `len` bytes of pages at `p` are the
 * module's from now on.  -1: it is bad, or the file has changed.  For tests. */
int inproc_module_take(int fd, void *p, size_t len, struct elf_syms **es,
    struct inproc_module **m, char **msg);
/* The child's answer. */
void inproc_module_put(const struct elf_syms *es, const struct inproc_module *m,
    struct confine_out *out);

#endif
