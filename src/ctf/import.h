/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_IMPORT_H
#define CTF_IMPORT_H

/*
 * Importers: containers that a graph takes types from when they are asked for
 * by name: BTF of the kernel and its modules, CTF, DWARF.
 *
 * Nothing is converted before it is looked up.  A struct, union or enum that an
 * importer makes has its name and size at once, but no members: it is pending,
 * and ctf_resolve() has the importer fill it in when somebody first looks
 * closer.  So curthread->pid costs one struct, not the kernel's ten thousand.
 *
 * Containers come from files and are hostile: whatever is malformed makes the
 * look-up fail (or the struct stay incomplete), never the program.
 */
#include "ctf/ctf.h"

struct ctf_import;

struct ctf_import_ops {
	/* The type of that name, in the graph; NULL when there is none. */
	struct ctf_type *(*type)(struct ctf_import *im, enum ctf_space space,
	    const char *name);
	/* The type of a data object or function; NULL when it is not known. */
	struct ctf_type *(*symbol)(struct ctf_import *im, const char *name);
	/* Give a pending node its members or enumerators. */
	void (*fill)(struct ctf_import *im, struct ctf_type *t);
	void (*close)(struct ctf_import *im);
};

/* The first member of each importer's own structure. */
struct ctf_import {
	const struct ctf_import_ops *ops;
	struct ctf_graph *graph;
	const char *name;	/* "vmlinux", "ext4", "libc.so.6": what stands
				 * before the backquote; owned by the import */
	struct ctf_import *next;	/* in the graph, in order of look-up */
};

/* The graph owns the import from now on: ctf_graph_fini() closes it. */
void ctf_import_add(struct ctf_graph *g, struct ctf_import *im);
/* The import of that name, or NULL. */
struct ctf_import *ctf_import_find(const struct ctf_graph *g, const char *name);

#endif
