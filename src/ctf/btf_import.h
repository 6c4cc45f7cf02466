/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_BTF_IMPORT_H
#define CTF_BTF_IMPORT_H

/* BTF as an import of the type graph. */
#include "ctf/btf.h"
#include "ctf/import.h"

/*
 * The running kernel: an import `vmlinux`, which also finds the modules by name
 * and, for a name that vmlinux does not know, looks into each of them.  `path`
 * is a file to take instead of /sys/kernel/btf/vmlinux, or NULL; modules are
 * then not looked for.  Nothing is opened before somebody asks.  Who has opened
 * /sys/kernel/btf/vmlinux already can lend it: `lend` is asked first, unless it
 * is NULL or there is a path.  What it returns (or NULL) must outlive the graph.
 */
typedef struct btf_blob *btf_lend_f(void *arg);
void btf_import_kernel(struct ctf_graph *g, const char *path,
    btf_lend_f *lend, void *arg);

/*
 * An import of its own: `path` is opened when somebody asks.  `base` is what
 * it continues, an import made here, or NULL.
 */
struct ctf_import *btf_import_create(
    const char *name, const char *path, struct ctf_import *base);
/* Is asked first, and may have none; what it lends must outlive the import. */
void btf_import_lend(struct ctf_import *im, btf_lend_f *lend, void *arg);
/* The same of an open blob, which the import then owns. */
struct ctf_import *btf_import_blob(
    const char *name, struct btf_blob *blob, struct ctf_import *base);

#endif
