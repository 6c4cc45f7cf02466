/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

/*
 * Load libraries on first use: a script that never reads DWARF needs no libdw.
 */
#include <stddef.h>

struct dynlib_fn {
	const char *name;
	size_t off; /* of the pointer in the structure */
};

/*
 * Load a library and store its functions' addresses into `pointers`.  Returns
 * NULL, or why not (malloced), with the Debian package that has it.  The
 * library stays loaded.
 */
char *dynlib_load(const char *library, const char *package,
    const struct dynlib_fn *fns, size_t n, void *pointers);

#endif
