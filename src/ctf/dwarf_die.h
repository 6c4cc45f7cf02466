/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_DWARF_DIE_H
#define CTF_DWARF_DIE_H

/*
 * Read C types from DWARF's entries (DIEs), in CTF's terms: kinds, encodings,
 * bit offsets.  Both the type graph and the writer of CTF files use this.
 *
 * Entries are hostile: references may lead anywhere, also in circles, sizes may
 * be wrong, and another entry may be where a type is expected.  The results are
 * claims of the file; the types may be impossible.
 */
#include <stdbool.h>
#include <stdint.h>

#include "ctf/ctf.h"
#include "ctf/dwarf_lib.h"

/*
 * Go to the next unit: *cu is NULL before the first, and *die becomes its top
 * entry (for split DWARF, that of the file with the types).  Returns 1; 0 after
 * the last unit; -EINVAL with *err if the next one cannot be read.
 */
CHECKED int dw_next_unit(
    const struct dw_file *df, Dwarf_CU **cu, Dwarf_Die *die, struct err *err);

#define DW_MAX_DIMS 16

struct dw_type {
	/* UNKNOWN: C has no such type, `name` is DWARF's word for it */
	enum ctf_kind kind;
	bool is_alias;	  /* same as `ref`: atomic, a subrange */
	const char *name; /* or NULL */
	uint64_t size;
	uint32_t encoding; /* integers and floats: the word of CTF */
	bool has_ref;	   /* false: it refers to void */
	Dwarf_Die ref;
	unsigned ndims; /* arrays */
	uint64_t dims[DW_MAX_DIMS];
	bool is_unsigned; /* enums */
};
/*
 * The type of an entry; FORWARD is a struct, union or enum without a body here.
 */
void dw_type(const struct dw_lib *lib, Dwarf_Die *die, struct dw_type *t);
/* The kind that a FORWARD entry declares. */
enum ctf_kind dw_tag_kind(const struct dw_lib *lib, Dwarf_Die *die);

/* Iterate over the children of one kind. */
struct dw_iter {
	const struct dw_lib *lib;
	Dwarf_Die die; /* the current child */
	bool is_started, is_done;
};
void dw_iter_init(
    struct dw_iter *it, const struct dw_lib *lib, Dwarf_Die *parent);
bool dw_iter_next(struct dw_iter *it);

struct dw_member {
	const char *name; /* NULL: unnamed */
	Dwarf_Die type;
	uint64_t bit_off;
	uint32_t bits; /* width of a bit-field, else 0 */
};
/* False if the child is no member with an offset (a method, static). */
bool dw_member(const struct dw_lib *lib, Dwarf_Die *child, struct dw_member *m);
/* False if the child is not an enumerator. */
bool dw_enumerator(
    const struct dw_lib *lib, Dwarf_Die *child, struct ctf_enumerator *e);

/* 1: an argument, and *type; 2: "..."; 0: neither. */
int dw_param(const struct dw_lib *lib, Dwarf_Die *child, Dwarf_Die *type,
    bool *has_type);

/* The type that a variable, member or argument refers to. */
bool dw_ref(const struct dw_lib *lib, Dwarf_Die *die, Dwarf_Die *type);
bool dw_flag(const struct dw_lib *lib, Dwarf_Die *die, unsigned attr);
bool dw_unsigned(
    const struct dw_lib *lib, Dwarf_Die *die, unsigned attr, uint64_t *v);
/* The address of a variable or function, if it is a constant. */
bool dw_address(const struct dw_lib *lib, Dwarf_Die *die, uint64_t *addr);

#endif
