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

/* What an import knows of a data object or function. */
struct ctf_symbol {
	struct ctf_type *type;
	bool is_percpu;		/* one for each CPU of a kernel */
	uint32_t percpu_id;	/* its number in the kernel's BTF */
};

struct ctf_import_ops {
	/* The type of that name, in the graph; NULL when there is none. */
	struct ctf_type *(*type)(struct ctf_import *im, enum ctf_space space,
	    const char *name);
	/* Call f for the name of each type; it lives as long as the import.
	 * NULL: none is told. */
	void (*names)(struct ctf_import *im, enum ctf_space space,
	    void (*f)(const char *name, void *arg), void *arg);
	/* False when the symbol's type is not known.  NULL: none is. */
	bool (*symbol)(struct ctf_import *im, const char *name,
	    struct ctf_symbol *sym);
	/*
	 * The enum that has an enumerator, and its value.  Returns 0 when none
	 * has, 1, or 2 when several have it with different values.  NULL: none.
	 */
	int (*enumerator)(struct ctf_import *im, const char *name,
	    struct ctf_type **type, int64_t *value);
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
	const char *problem;	/* why it has no types, or NULL; owned by it */
	struct ctf_import *next;	/* in the graph, in order of look-up */
};

/* The graph owns the import from now on: ctf_graph_fini() closes it. */
void ctf_import_add(struct ctf_graph *g, struct ctf_import *im);
/*
 * The import of that name.  One that is not there yet is asked of the
 * resolvers, in the order in which they were added; NULL when none has it.  A
 * resolver owns what it finds, or adds it to the graph.
 */
struct ctf_import *ctf_import_find(struct ctf_graph *g, const char *name);
void ctf_resolver_add(struct ctf_graph *g,
    struct ctf_import *(*find)(void *arg, const char *name), void *arg);

/*
 * What importers are made of.  Each returns NULL (or false) for what no C type
 * can be: numbers of odd sizes, arrays larger than memory.  Strings are
 * borrowed for as long as the graph lives.
 */

/* An integer or float: C's own type if it is that. */
struct ctf_type *ctf_import_number(struct ctf_graph *g, enum ctf_kind kind,
    const char *name, uint64_t size, uint32_t encoding);
/* "long" is "long int" to gcc; other names are themselves. */
const char *ctf_import_long_name(const char *name);
/* ... and back. */
const char *ctf_import_plain_name(const char *name);
/* A pending struct, union or enum; `id` is for fill().  Name NULL: none. */
struct ctf_type *ctf_import_body(struct ctf_import *im, enum ctf_kind kind,
    const char *name, uint64_t size, uint64_t id);
struct ctf_type *ctf_import_typedef(struct ctf_graph *g, const char *name,
    struct ctf_type *to);
struct ctf_type *ctf_import_array(struct ctf_graph *g, struct ctf_type *of,
    uint64_t nelems);
/* For fill(): add a member to `t`, whose size is known. */
bool ctf_import_member(struct ctf_type *t, const struct ctf_member *m);

#endif
