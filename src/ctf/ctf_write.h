/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_WRITE_H
#define CTF_CTF_WRITE_H

/* Write types of a graph as a CTF file of version 2. */
#include "base/err.h"
#include "base/str.h"
#include "ctf/ctf.h"

enum ctf_write {
	CTF_WRITE_C, /* C's own types, and used imported types */
	CTF_WRITE_D, /* types that scripts declared, and D's own types */
};

/*
 * Replace the file.  `strsize` is the size of D's string.  Returns 0, or -1
 * with *err.
 */
CHECKED int ctf_write_file(const char *path, struct ctf_graph *g,
    enum ctf_write which, uint64_t strsize, struct err *err);

/*
 * Append a file of n types to `out`: the i-th is a typedef "$i".  Types that
 * they contain are written in full, types that they only point to by tag.
 */
CHECKED int ctf_write_types(struct ctf_graph *g, struct ctf_type *const *types,
    size_t n, uint64_t strsize, struct strbuf *out, struct err *err);

#endif
