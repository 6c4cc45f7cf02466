/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_SET_H
#define CTF_CTF_SET_H

/*
 * The CTF of a file: an ELF file's section (.SUNW_ctf or .ctf), a bare
 * dictionary, or an archive of dictionaries as GNU ld writes it when compile
 * units disagree about a name.
 */
#include "base/err.h"
#include "ctf/ctf_file.h"

/* The file has no CTF: no error for callers with other sources of types. */
#define CTF_SET_NONE 1

struct ctf_set;

/*
 * Open a file and check all of it.  A child's parent is searched in the
 * archive, then as a file of that name beside it.  Returns 0 with *out (release
 * with ctf_set_close()), CTF_SET_NONE or a negative errno; in the latter two
 * cases *err gives the reason.
 */
CHECKED int ctf_set_open(
    const char *path, struct ctf_set **out, struct err *err);
/* ctf_set_open() for a file in memory, which is copied. */
CHECKED int ctf_set_decode(
    const void *img, size_t len, struct ctf_set **out, struct err *err);
void ctf_set_close(struct ctf_set *s);

/* The dictionaries; the first is the parent of the others, if any has one. */
size_t ctf_set_n(const struct ctf_set *s);
struct ctf_file *ctf_set_file(const struct ctf_set *s, size_t i);
const char *ctf_set_name(const struct ctf_set *s, size_t i);
/* The dictionary of that name in an archive, or NULL. */
struct ctf_file *ctf_set_find(const struct ctf_set *s, const char *name);
/* Bytes of a pointer: 8, or 4 in a 32-bit ELF file. */
unsigned ctf_set_ptrsize(const struct ctf_set *s);

#endif
