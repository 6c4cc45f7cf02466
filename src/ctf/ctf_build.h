/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_BUILD_H
#define CTF_CTF_BUILD_H

/*
 * C types to be written as CTF, each once.
 *
 * Types are nodes; equal nodes are one node, so types that every compile unit
 * repeats are stored once from the start.  This works bottom-up because nodes
 * never form a circle: a reference to a struct, union or enum with a tag leads
 * to a FORWARD node of that tag, never to the body.  ctf_link.c finds the body
 * of each tag once all nodes exist:
 *
 *	POINTER -> FORWARD "struct s"      STRUCT "s" { ... }   bodies of unit 1
 *	                                   STRUCT "s" { ... }   bodies of unit 2
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "ctf/ctf_file.h"

/* A node's number; 0 is void, or "..." as the last argument. */
typedef uint32_t ctf_ref;

struct ctf_item {
	uint32_t name; /* members, enumerators: ctf_build_name() */
	ctf_ref type;  /* members, arguments */
	int64_t value; /* enumerator's value, member's bit offset */
};

struct ctf_node {
	uint8_t kind;	   /* enum ctf_kind */
	bool is_hidden;	   /* look-ups do not find its name */
	uint32_t name;	   /* ctf_build_name(), 0: none */
	ctf_ref ref;	   /* target, element, result; FORWARD: a kind */
	ctf_ref index;	   /* arrays: type of the index */
	uint32_t encoding; /* integers, floats: the word of CTF */
	uint64_t size;
	uint64_t nelems; /* arrays */
	uint32_t nitems;
	const struct ctf_item *items; /* copied by ctf_build_add() */
};

struct ctf_build;
struct ctf_build *ctf_build_create(void);
void ctf_build_destroy(struct ctf_build *b);

/* A string's number in the container; NULL and "" are 0. */
uint32_t ctf_build_name(struct ctf_build *b, const char *s);
const struct strtab *ctf_build_names(const struct ctf_build *b);
/* The node with these contents. */
ctf_ref ctf_build_add(struct ctf_build *b, const struct ctf_node *n);
/* The FORWARD node of a tag, `kind` being STRUCT, UNION or ENUM. */
ctf_ref ctf_build_tag(struct ctf_build *b, unsigned kind, uint32_t name);

/*
 * Begin the next compile unit: its tags are its own.  The first unit exists
 * from the start.
 */
void ctf_build_unit(struct ctf_build *b);
/* The current unit declares this type, so it will be written. */
void ctf_build_declare(struct ctf_build *b, ctf_ref type);

/*
 * Add a symbol, in the order of the file's symbol table and by its rules
 * (ctf_symbol_class()).  `type` is the object's type, or a FUNCTION; 0:
 * unknown.  `unit` is the number of its unit, from 0.
 */
void ctf_build_symbol(
    struct ctf_build *b, bool is_func, ctf_ref type, uint32_t unit);
uint32_t ctf_build_nunits(const struct ctf_build *b);

struct ctf_build_opts {
	enum ctf_format format; /* CTF_FMT_V2 or CTF_FMT_V3 */
	bool compress;
	const char *label; /* or NULL */
};

/*
 * Append the file's bytes to `out`.  Returns 0, or -errno with *err if
 * there are more types than the format can number.  For each type that the
 * format cannot hold, which becomes a forward declaration, a line is appended
 * to `warnings`.
 */
CHECKED int ctf_build_encode(struct ctf_build *b,
    const struct ctf_build_opts *opts, struct strbuf *out,
    struct strbuf *warnings, struct err *err);

#endif
