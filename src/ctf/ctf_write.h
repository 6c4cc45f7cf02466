/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_WRITE_H
#define CTF_CTF_WRITE_H

/* Types of a graph as a CTF file of version 2. */
#include "ctf/ctf.h"

enum ctf_write {
	CTF_WRITE_C,	/* C's own types, and imported ones that were used */
	CTF_WRITE_D,	/* what scripts declared, and D's own types */
};

/*
 * Replaces the file.  `strsize` is the size of D's string.  0, or -1 with *msg
 * (malloced).
 */
int ctf_write_file(const char *path, struct ctf_graph *g, enum ctf_write which,
    uint64_t strsize, char **msg);

/*
 * The same for n types, appended to `out`: the i-th is a typedef "$i".  What
 * they hold is written in full, what they only point to by its tag.
 */
int ctf_write_types(struct ctf_graph *g, struct ctf_type *const *types,
    size_t n, uint64_t strsize, struct strbuf *out, char **msg);

#endif
