/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CODEFILE_H
#define BASE_CODEFILE_H

/*
 * A file in memory with code that traced processes execute, and so does dtrace,
 * which may be root.  A process, or a child of it that has given up its
 * privileges, could make its mapping writable (mprotect(2)).  So the file is
 * sealed: only our mapping, made before, is writable.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_file {
	int fd; /* -1: no file */
	uint8_t *rw;
	size_t room;	   /* bytes that are mapped */
	uint64_t from, to; /* pages for which memory was taken last */
};

/*
 * Create a file of `room` bytes, whole pages.  If it `grows`, it is empty at
 * first, and code_file_grow() makes it longer.  Returns 0, or -errno without a
 * file.
 */
int code_file_create(
    struct code_file *f, const char *name, size_t room, bool grows);
/*
 * Grow the file to `len` bytes, whole pages.  Returns 0, or -errno if nothing
 * has changed.
 */
int code_file_grow(struct code_file *f, size_t len);
void code_file_fini(struct code_file *f);
/* Write within the file. Returns 0 or -errno (no memory). */
int code_file_put(struct code_file *f, uint64_t off, const void *p, size_t n);

#endif
