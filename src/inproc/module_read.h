/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_MODULE_READ_H
#define INPROC_MODULE_READ_H

/*
 * Read modules of hostile files in a child without privileges (base/confine.h);
 * or here, if no such child is possible and we have no privileges either.
 */
#include "base/err.h"
#include "inproc/inproc.h"
#include "sym/elf_read.h"

/*
 * elf_syms_open() and inproc_module_open() of one file.  Returns 0 with both,
 * which the caller releases, or -errno with *err and neither.
 */
CHECKED int inproc_module_read(int fd, const char *path, struct elf_syms **es,
    struct inproc_module **m, struct err *err);

/*
 * Decode the child's answer: `len` bytes of pages at `p`, which the module owns
 * from now on. -1: the answer is bad, or the file has changed.  Public for
 * tests.
 */
CHECKED int inproc_module_take(int fd, void *p, size_t len,
    struct elf_syms **es, struct inproc_module **m, struct err *err);
/* Write the child's answer. */
void inproc_module_put(const struct elf_syms *es, const struct inproc_module *m,
    struct confine_out *out);

#endif
