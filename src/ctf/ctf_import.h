/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_IMPORT_H
#define CTF_CTF_IMPORT_H

/* Imports (ctf/import.h) from CTF files and from DWARF. */
#include "base/err.h"
#include "ctf/ctf_set.h"
#include "ctf/import.h"

/*
 * An import of all dictionaries of a set; or of one member of an archive, and
 * its parent.  The import owns the set.  Returns NULL and *err if
 * the member does not exist, or the types are not of this machine: of the other
 * byte order, or with pointers of 4 bytes.
 */
CHECKED struct ctf_import *ctf_import_set(
    const char *name, struct ctf_set *set, const char *member, struct err *err);

/*
 * The types are of a D program that was saved: a typedef `string` is D's string
 * again (ctf/ctf_write.c).  Call it before the first look-up.
 */
void ctf_import_ds_string(struct ctf_import *im);

/*
 * Take the kernel's types from CTF instead of BTF: `path` is a file or archive,
 * or a directory of files.  In an archive and in a directory, names tell
 * vmlinux and modules apart (NAME or NAME.ctf).  Files are read at the first
 * look-up.
 */
void ctf_import_kernel(struct ctf_graph *g, const char *path);

/*
 * The types of a program or library, read at the first look-up: from its CTF
 * section, else its DWARF.  `path` is copied; it may be a link in /proc, while
 * the process lives.
 */
struct ctf_import *ctf_import_program(const char *name, const char *path);

/* The types of an open file's DWARF; also for tests. `fd` is dup'ed. */
CHECKED struct ctf_import *dwarf_import(
    const char *name, const char *path, int fd, struct err *err);

#endif
