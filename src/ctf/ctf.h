/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_H
#define CTF_CTF_H

/*
 * The type graph.
 *
 * Nodes are made once and never move: two pointers to `int` are the same node,
 * so most comparisons are pointer comparisons.  A graph starts with C's types
 * as they are on x86-64 (LP64), the usual typedefs (ctf/typedefs.def) and D's
 * own types; scripts add to it, and so do the importers of BTF, CTF and DWARF.
 * Everything lives as long as the graph.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/* Numbers: doc/reference/ctf.md section 5; from 64 on, types only D has. */
enum ctf_kind {
	CTF_K_UNKNOWN = 0,
	CTF_K_INTEGER = 1,
	CTF_K_FLOAT = 2,
	CTF_K_POINTER = 3,
	CTF_K_ARRAY = 4,
	CTF_K_FUNCTION = 5,
	CTF_K_STRUCT = 6,
	CTF_K_UNION = 7,
	CTF_K_ENUM = 8,
	CTF_K_FORWARD = 9,
	CTF_K_TYPEDEF = 10,
	CTF_K_VOLATILE = 11,
	CTF_K_CONST = 12,
	CTF_K_RESTRICT = 13,
	CTF_K_D_STRING = 64, /* by reference, up to strsize bytes */
	CTF_K_D_STACK = 65,  /* result of stack() and ustack() */
	CTF_K_D_AGG = 66,    /* an aggregation, referred to by name */
	CTF_K_D_SYM = 67,    /* result of sym(), usym(), mod(), ... */
};

/* Encoding of integers: CTF's bits. */
#define CTF_INT_SIGNED 0x01
#define CTF_INT_CHAR 0x02
#define CTF_INT_BOOL 0x04

struct ctf_type {
	enum ctf_kind kind;
	const char *name; /* without "struct"; NULL: none */
	uint64_t size;	  /* bytes; 0 for void, functions, incomplete */
	uint32_t align;
	uint32_t encoding;     /* integers and enums */
	struct ctf_type *ref;  /* target, element, result, typedef'd type */
	uint64_t nelems;       /* arrays */
	bool is_userland;      /* pointers: into a process's memory */
	bool is_incomplete;    /* structs, unions and enums without a body */
	bool is_pending;       /* ctf_resolve() fills or finds its body */
	bool is_filling;       /* ctf_resolve() is filling it */
	struct ctf_type *same; /* the imported type that a script's tag means;
				 * for ctf_resolve() only */
	struct ctf_import *import; /* the import that made it, or NULL */
	uint64_t import_id;	   /* number of the type in its import */
	bool varargs;		   /* functions */
	VEC(struct ctf_member {
		const char *name; /* NULL: anonymous struct or union */
		struct ctf_type *type;
		uint64_t bit_off;
		uint32_t bits; /* width of a bit-field, else 0 */
	})
	members;
	VEC(struct ctf_enumerator {
		const char *name;
		int64_t value;
	})
	enums;
	VEC(struct ctf_type *) params;
	/* interned derivations of this type */
	struct ctf_type *pointer, *userland_pointer, *konst, *volat;
	struct ctf_type *arrays, *next_array;
};

struct ctf_graph {
	struct arena arena;
	struct strtab names;		/* "t int", "s foo", "u bar", "e baz" */
	VEC(struct ctf_type *) by_name; /* indexed by name id - 1 */
	size_t nown;			/* the first ones, of C and D */
	VEC(struct ctf_type *) owners;	/* nodes with vectors to free */
	struct ctf_import *imports;	/* ctf/import.h */
	struct ctf_import *tags;	/* imports that know tags of scripts */
	VEC(struct ctf_resolver {
		struct ctf_import *(*find)(void *arg, const char *name);
		void *arg;
	})
	resolvers;
	/* frequent types */
	struct ctf_type *t_void, *t_int, *t_uint, *t_long, *t_ulong, *t_string,
	    *t_stack, *t_ustack, *t_symaddr, *t_usymaddr, *t_agg, *t_bool;
};

void ctf_graph_init(struct ctf_graph *g);
void ctf_graph_fini(struct ctf_graph *g);

/* The name space of a name. */
enum ctf_space {
	CTF_SP_ORDINARY = 't',
	CTF_SP_STRUCT = 's',
	CTF_SP_UNION = 'u',
	CTF_SP_ENUM = 'e'
};
struct ctf_type *ctf_lookup(
    const struct ctf_graph *g, enum ctf_space space, const char *name);
/* Look in the graph, then in the imports, in their order. */
struct ctf_type *ctf_find(
    struct ctf_graph *g, enum ctf_space space, const char *name);
/*
 * A C type name: base words, tag and stars ("unsigned long", "void *",
 * "const struct stat *"); after "userland " the stars point into a process.
 */
struct ctf_type *ctf_lookup_text(struct ctf_graph *g, const char *text);

struct ctf_type *ctf_pointer(
    struct ctf_graph *g, struct ctf_type *to, bool is_userland);
struct ctf_type *ctf_array(
    struct ctf_graph *g, struct ctf_type *of, uint64_t nelems);
struct ctf_type *ctf_qualified(struct ctf_graph *g, struct ctf_type *t,
    enum ctf_kind qualifier); /* CONST or VOLATILE */
struct ctf_type *ctf_typedef(
    struct ctf_graph *g, const char *name, struct ctf_type *to);
/* A new, unnamed node; name it with ctf_tag(). */
struct ctf_type *ctf_new(struct ctf_graph *g, enum ctf_kind kind);
/*
 * The struct, union or enum of a tag.  A new one is incomplete, and is looked
 * up in the imports when its body is needed.
 */
struct ctf_type *ctf_tag(
    struct ctf_graph *g, enum ctf_kind kind, const char *tag);

/*
 * Lay out a struct or union, member by member, by the rules of the x86-64
 * ABI.  `bits` is the width of a bit-field or -1; a width of 0 ends the unit.
 */
struct ctf_layout {
	struct ctf_type *type;
	uint64_t bit_off;
};
void ctf_layout_member(struct ctf_graph *g, struct ctf_layout *lo,
    const char *name, struct ctf_type *type, int bits);
void ctf_layout_end(struct ctf_layout *lo);
/* Searches anonymous members too; *bit_off is from the start of `t`. */
const struct ctf_member *ctf_member_find(
    const struct ctf_type *t, const char *name, uint64_t *bit_off);

/* Without typedefs and qualifiers: enough to ask for the kind. */
struct ctf_type *ctf_strip(struct ctf_type *t);
/* ctf_strip(), then fill in the members of a pending type. */
struct ctf_type *ctf_resolve(struct ctf_type *t);
/* The type as C text, in the graph's arena: "struct foo *", "char [16]". */
const char *ctf_type_name(struct ctf_graph *g, const struct ctf_type *t);
/* Append the type's C text to `out`. */
void ctf_type_text(const struct ctf_type *t, struct strbuf *out);
/*
 * Add the declaration of a name: "int (*f)(struct foo *, ...)"; functions
 * among the parameters are "void (*)()".  A struct,
 * union or enum without a tag is written with the body "{...}".
 */
void ctf_declare_text(
    const struct ctf_type *t, const char *name, struct strbuf *out);
/* Are the types the same apart from typedefs, qualifiers and userland? */
bool ctf_type_compat(struct ctf_type *a, struct ctf_type *b);

bool ctf_is_integer(struct ctf_type *t); /* enums too */
bool ctf_is_signed(struct ctf_type *t);
bool ctf_is_pointer(struct ctf_type *t);
bool ctf_is_void(struct ctf_type *t);
bool ctf_is_sou(struct ctf_type *t); /* struct or union */

#endif
