/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_ELFHEAD_H
#define BASE_ELFHEAD_H

/*
 * ELF headers, before libelf sees them.
 *
 * libelf reserves memory for every section that a file says it has when it
 * opens it, and reads all of their names when it is asked for one.  A file may
 * say millions, and gigabytes.
 */
#include <stddef.h>

/* NULL, or the limit that the file is above (malloced).  What is no ELF file is
 * left to libelf.  With `mem` the file is in memory, otherwise it is `fd`. */
char *elf_head_refusal(int fd, const void *mem, size_t len);

#endif
