/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_SYM_CACHE_H
#define SYM_SYM_CACHE_H

/*
 * Symbol tables of files, read once for all processes that map them.
 *
 * A file is identified by device, inode, size and the times of its last
 * changes.  So a file that is rewritten, or gets the inode of a deleted one, is
 * another file.  The cache owns the tables; a table that is held lives longer
 * than the cache.  A cache is for one thread.
 */
#include "base/err.h"
#include "sym/elf_syms.h"

struct sym_cache;

struct sym_cache *sym_cache_create(void);
void sym_cache_destroy(struct sym_cache *sc);

/*
 * The symbols of an open file; `path` and `root` as for elf_syms_open().  NULL
 * with *err: it has none.  It is read again only if memory or descriptors were
 * short, or work was stopped.
 */
CHECKED struct elf_syms *sym_cache_file(struct sym_cache *sc, int fd,
    const char *path, const char *root, struct err *err);

/*
 * The symbols last read for that device and inode, for a file that cannot be
 * found any more; NULL: none.
 */
struct elf_syms *sym_cache_known(
    const struct sym_cache *sc, uint64_t dev, uint64_t ino);

/* The symbols of an image in memory (the vdso). NULL: not an ELF image. */
struct elf_syms *sym_cache_image(
    struct sym_cache *sc, const void *img, size_t len);

#endif
