/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CODEFILE_H
#define BASE_CODEFILE_H

/*
 * A file in memory, of code that traced processes execute, and dtrace, who may
 * be root.  A process could make its mapping writable (mprotect(2)), and so
 * could a child of its that has given up its privileges, were it not sealed:
 * only what is mapped here is writable, from the beginning on.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_file {
	int fd; /* -1: there is none */
	uint8_t *rw;
	size_t room;	   /* bytes that are mapped */
	uint64_t from, to; /* pages that memory was taken for last */
};

/*
 * `room` bytes, which is of pages; if it grows, there are none yet, and
 * code_file_grow() makes it longer.  Returns 0 or -errno, and there is no file.
 */
int code_file_create(
    struct code_file *f, const char *name, size_t room, bool grows);
/* To `len` bytes, whole pages: 0, or -errno and nothing has changed here. */
int code_file_grow(struct code_file *f, size_t len);
void code_file_fini(struct code_file *f);
/* Write within the file: 0 or -errno (no memory). */
int code_file_put(
    struct code_file *f, uint64_t off, const void *p, size_t n);

#endif
