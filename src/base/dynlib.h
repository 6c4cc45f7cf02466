/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

/*
 * Libraries that are loaded when they are first wanted: who never reads DWARF
 * needs no libdw.
 */
#include <stddef.h>

struct dynlib_fn {
	const char *name;
	size_t off; /* in the structure of pointers */
};

/*
 * Load a library and put the addresses of its functions into `pointers`.  NULL,
 * or why not (malloced), with the Debian package that has it.  It stays loaded.
 */
char *dynlib_load(const char *library, const char *package,
    const struct dynlib_fn *fns, size_t n, void *pointers);

#endif
