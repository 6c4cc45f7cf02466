/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_IMPORT_H
#define CTF_IMPORT_H

/*
 * Importers: containers from which a graph takes types that are looked up by
 * name: BTF of the kernel and its modules, CTF, DWARF.
 *
 * A type is converted only when it is looked up.  A new struct, union or enum
 * has its name and size, but no members: it is pending, and ctf_resolve() makes
 * the importer fill it in when its members are first needed.  So curthread->pid
 * costs one struct, not the kernel's ten thousand.
 *
 * Containers come from files and are hostile: a malformed part makes the
 * look-up fail (or the struct stay incomplete), never the program.
 */
#include "ctf/ctf.h"

struct ctf_import;

/* An import's answer about a data object or function. */
struct ctf_symbol {
	struct ctf_type *type;
	bool is_percpu;	    /* the kernel has one per CPU */
	uint32_t percpu_id; /* its number in the kernel's BTF */
};

struct ctf_import_ops {
	/* The type of that name, in the graph, or NULL. */
	struct ctf_type *(*type)(
	    struct ctf_import *im, enum ctf_space space, const char *name);
	/* Call f for the name of each type; names live as long as the import.
	 * NULL: not supported. */
	void (*names)(struct ctf_import *im, enum ctf_space space,
	    void (*f)(const char *name, void *arg), void *arg);
	/* False: the symbol's type is not known. NULL: no symbols. */
	bool (*symbol)(
	    struct ctf_import *im, const char *name, struct ctf_symbol *sym);
	/*
	 * Find the enum with an enumerator, and its value.  Returns 0: none;
	 * 1; or 2: several with different values.  NULL: no enumerators.
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
	const char *name;	 /* "vmlinux", "ext4", "libc.so.6": the word
				 * before the backquote; owned by the import.
				 * NULL: it has no types, but finds imports */
	const char *problem;	 /* why it has no types, or does not find all
				 * imports; NULL: none; owned */
	struct ctf_import *next; /* next in order of look-up */
};

/* The graph owns the import from now on: ctf_graph_fini() closes it. */
void ctf_import_add(struct ctf_graph *g, struct ctf_import *im);
/*
 * The import of that name.  If there is none yet, the resolvers are called in
 * the order in which they were added; NULL if none finds it.  A resolver owns
 * the import that it finds, or adds it to the graph.
 */
struct ctf_import *ctf_import_find(struct ctf_graph *g, const char *name);
void ctf_resolver_add(struct ctf_graph *g,
    struct ctf_import *(*find)(void *arg, const char *name), void *arg);

/*
 * Parts of importers.  Each returns NULL (or false) for an impossible C type: a
 * number of an odd size, an array larger than memory.  Strings are borrowed for
 * the graph's life.
 */

/* An integer or float: C's own type if they are equal. */
struct ctf_type *ctf_import_number(struct ctf_graph *g, enum ctf_kind kind,
    const char *name, uint64_t size, uint32_t encoding);
/* gcc's name of a type: "long int" for "long"; other names are unchanged. */
const char *ctf_import_long_name(const char *name);
/* The reverse of ctf_import_long_name(). */
const char *ctf_import_plain_name(const char *name);
/*
 * A pending struct, union or enum; fill() gets `id` back.  Name NULL: unnamed.
 */
struct ctf_type *ctf_import_body(struct ctf_import *im, enum ctf_kind kind,
    const char *name, uint64_t size, uint64_t id);
struct ctf_type *ctf_import_typedef(
    struct ctf_graph *g, const char *name, struct ctf_type *to);
struct ctf_type *ctf_import_array(
    struct ctf_graph *g, struct ctf_type *of, uint64_t nelems);
/* For fill(): add a member to `t`, whose size must be known. */
bool ctf_import_member(struct ctf_type *t, const struct ctf_member *m);

#endif
