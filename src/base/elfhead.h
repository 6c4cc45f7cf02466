/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_ELFHEAD_H
#define BASE_ELFHEAD_H

/*
 * Check ELF headers before libelf sees them.
 *
 * When libelf opens a file it reserves memory for every section that the header
 * claims, and it reads all section names when asked for one.  A file may claim
 * millions of sections, and gigabytes of names.
 */
#include <stddef.h>

/*
 * Returns NULL, or which limit the file exceeds (malloced).  Files that are not
 * ELF are left to libelf.  The file is in memory at `mem`, or `fd` if that is
 * NULL.
 */
char *elf_head_refusal(int fd, const void *mem, size_t len);

#endif
