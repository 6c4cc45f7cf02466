/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_BTF_IMPORT_H
#define CTF_BTF_IMPORT_H

/* BTF as an import of the type graph. */
#include "ctf/btf.h"
#include "ctf/import.h"

/*
 * The running kernel: an import `vmlinux`, which also finds modules by name and
 * searches all of them for a name that vmlinux does not have.  `path` is a file
 * to use instead of /sys/kernel/btf/vmlinux, or NULL; with a path modules are
 * not searched.  Files are opened at the first look-up.  `lend` (may be NULL;
 * not used with a path) is called first: it returns an open blob of
 * /sys/kernel/btf/vmlinux, which must outlive the graph, or NULL.
 */
typedef struct btf_blob *btf_lend_f(void *arg);
void btf_import_kernel(
    struct ctf_graph *g, const char *path, btf_lend_f *lend, void *arg);

/*
 * An import of its own: `path` is opened at the first look-up.  `base` is the
 * import that it continues, made here, or NULL.
 */
struct ctf_import *btf_import_create(
    const char *name, const char *path, struct ctf_import *base);
/*
 * `lend` is called before the file is opened, and may return NULL; a blob that
 * it returns must outlive the import.
 */
void btf_import_lend(struct ctf_import *im, btf_lend_f *lend, void *arg);
/* btf_import_create() for an open blob, which the import then owns. */
struct ctf_import *btf_import_blob(
    const char *name, struct btf_blob *blob, struct ctf_import *base);

#endif
