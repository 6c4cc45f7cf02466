/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_IMPORT_H
#define CTF_CTF_IMPORT_H

/* Imports (ctf/import.h) from CTF files and from DWARF. */
#include "ctf/ctf_set.h"
#include "ctf/import.h"

/*
 * All dictionaries of a set, under one name; or one member of an archive, and
 * its parent.  The import owns the set.  NULL and *msg (malloced) when there is
 * no such member, or when the types are not of this machine: of the other byte
 * order, or with pointers of 4 bytes.
 */
struct ctf_import *ctf_import_set(const char *name, struct ctf_set *set,
    const char *member, char **msg);

/*
 * The kernel's types from CTF instead of BTF: `path` is a file or archive, or a
 * directory of files.  In an archive and in a directory, vmlinux and modules
 * are told by name (NAME or NAME.ctf).  Nothing is read before a type is
 * wanted.
 */
void ctf_import_kernel(struct ctf_graph *g, const char *path);

/*
 * The types of a program or library: its CTF section if it has one, else its
 * DWARF, found when they are wanted.  `path` is copied; it may be a link in
 * /proc, while the process lives.
 */
struct ctf_import *ctf_import_program(const char *name, const char *path);

/* DWARF of an open file; the same, for tests.  `fd` is dup'ed. */
struct ctf_import *dwarf_import(const char *name, const char *path, int fd,
    char **msg);

#endif
