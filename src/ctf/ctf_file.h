/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_FILE_H
#define CTF_CTF_FILE_H

/*
 * CTF as bytes: dictionaries of version 2, and of FreeBSD's and GNU's version
 * 3, of either byte order, compressed or not.
 *
 * A dictionary is hostile.  ctf_file_decode() checks all of it, once: every
 * section, string, record, member and reference.  Results of the other calls
 * need no further check, with one exception: references may form a circle that
 * no C type has (a typedef of itself), so code that follows them must count.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "ctf/ctf.h"

/* GNU: some bits of an integer or enum, as the type of a bit-field. */
#define CTF_K_SLICE 14

#define CTF_HDR_COMPRESS 0x1 /* cth_flags */

enum ctf_format { CTF_FMT_V2, CTF_FMT_V3, CTF_FMT_GNU };

/* Differences between the forms of versions 2 and 3. */
struct ctf_format_info {
	const char *name;
	uint16_t magic;
	uint8_t version;
	uint8_t header;	       /* bytes */
	uint8_t word;	       /* bytes of a type id, info or size field */
	uint8_t kind_shift;    /* of the info word */
	uint32_t root, vlen;   /* its masks */
	uint32_t child;	       /* bit of the ids of a child's own types */
	uint32_t large_size;   /* size field: 64 bits follow */
	uint32_t large_struct; /* size from which members are large */
};
extern const struct ctf_format_info ctf_formats[];

enum ctf_sect_id {
#define CTF_SECT(NAME, name, v2, gnu) CTF_SECT_##NAME,
#include "ctf/ctf_sects.def"
#undef CTF_SECT
	CTF_NSECTS
};
const char *ctf_sect_name(enum ctf_sect_id id);

/*
 * The meaning of a kind's size-or-type field, and the data behind its record.
 */
enum ctf_field {
	CTF_FIELD_NONE,
	CTF_FIELD_SIZE,
	CTF_FIELD_TYPE,
	CTF_FIELD_TAG
};
enum ctf_data {
	CTF_DATA_NOTHING,
	CTF_DATA_ENCODING,
	CTF_DATA_ARRAY,
	CTF_DATA_ARGS,
	CTF_DATA_MEMBERS,
	CTF_DATA_ENUMS,
	CTF_DATA_SLICE
};
struct ctf_kind_info {
	const char *name; /* "INTEGER"; NULL: no such kind */
	enum ctf_field field;
	enum ctf_data data;
};
const struct ctf_kind_info *ctf_kind_info(unsigned kind);
/*
 * Flags of "int" or a floating point form, by name ("SIGNED CHAR", "DOUBLE").
 */
const char *ctf_float_name(uint32_t encoding);
#define CTF_FLOAT_MAX 12

/*
 * The symbols of the ELF file around a dictionary, in order; the object and
 * function sections are parallel to them.
 */
struct ctf_syms {
	VEC(struct ctf_sym {
		const char *name;
		bool is_func;
	})
	list;		  /* only symbols with entries in the sections */
	const char *strs; /* their string table, or NULL */
	size_t nstrs;
};

struct ctf_file;

/*
 * Decode a dictionary.  `data` and `syms` (may be NULL) are borrowed and must
 * outlive the result.  Returns NULL and *err, which names section
 * and offset, if it is malformed.
 */
CHECKED struct ctf_file *ctf_file_decode(
    const void *data, size_t len, const struct ctf_syms *syms, struct err *err);
void ctf_file_close(struct ctf_file *f);
/*
 * Give a child its parent, which must outlive it.  Checks the child's
 * references to it: negative, with *err, if one leads nowhere.
 */
CHECKED int ctf_file_set_parent(
    struct ctf_file *f, const struct ctf_file *parent, struct err *err);

struct ctf_header {
	enum ctf_format format;
	bool is_swapped;		/* not in this machine's byte order */
	uint8_t flags;			/* cth_flags */
	const char *parlabel, *parname; /* "" if there is none */
	const char *cuname;		/* GNU */
	struct {
		uint32_t off, len; /* from the end of the header */
	} sects[CTF_NSECTS];
};
const struct ctf_header *ctf_file_header(const struct ctf_file *f);

static inline bool
ctf_header_is_child(const struct ctf_header *h)
{
	return h->parname[0] != '\0';
}

/* ---- types --------------------------------------------------------------- */

/* A type record. */
struct ctf_rec {
	uint8_t kind; /* enum ctf_kind or CTF_K_SLICE */
	bool is_root;
	const char *name; /* "" if there is none */
	uint64_t size;
	uint32_t ref; /* target, result; a forward's kind */
	uint32_t vlen;
	uint32_t encoding; /* integers and floats: the whole word */
	uint32_t off;	   /* of the record in the type section */
	uint32_t data;	   /* of the data behind it */
};

/* Ids of own types are ctf_file_id(f, 1) to ctf_file_id(f, n). */
uint32_t ctf_file_ntypes(const struct ctf_file *f);
uint32_t ctf_file_id(const struct ctf_file *f, uint32_t index);
/*
 * Get the record of an id of f or its parent.  Returns the file that has it,
 * which reads its data.  Returns NULL for 0 (void, unknown), and for types of a
 * parent that is missing.
 */
const struct ctf_file *ctf_file_rec(
    const struct ctf_file *f, uint32_t id, struct ctf_rec *r);

struct ctf_file_member {
	const char *name;
	uint32_t type;
	uint64_t bit_off;
};
struct ctf_file_array {
	uint32_t contents, index, nelems;
};
struct ctf_file_slice {
	uint32_t type;
	uint16_t bit_off, bits;
};
/* i < r->vlen */
struct ctf_file_member ctf_file_member(
    const struct ctf_file *f, const struct ctf_rec *r, uint32_t i);
struct ctf_enumerator ctf_file_enum(
    const struct ctf_file *f, const struct ctf_rec *r, uint32_t i);
uint32_t ctf_file_arg(
    const struct ctf_file *f, const struct ctf_rec *r, uint32_t i);
struct ctf_file_array ctf_file_array(
    const struct ctf_file *f, const struct ctf_rec *r);
struct ctf_file_slice ctf_file_slice(
    const struct ctf_file *f, const struct ctf_rec *r);

/* ---- labels, symbols, strings -------------------------------------------- */

struct ctf_label {
	const char *name;
	uint32_t last; /* the label's last type id */
};
uint32_t ctf_file_nlabels(const struct ctf_file *f);
struct ctf_label ctf_file_label(const struct ctf_file *f, uint32_t i);

/*
 * A data object or function.  `name` is "" if the symbol table with it is
 * missing.
 */
struct ctf_object {
	const char *name;
	bool is_func;
	uint32_t type; /* function: its result; GNU: a FUNCTION */
	/* functions of other forms than GNU, which have no type in the type
	 * section */
	uint32_t nargs;
	const uint8_t *args; /* ctf_object_arg() */
};
/*
 * Called for each symbol with type data, until it returns non-zero, which is
 * then returned.
 */
typedef int ctf_object_f(void *arg, const struct ctf_object *o);
int ctf_file_objects(const struct ctf_file *f, ctf_object_f *each, void *arg);
int ctf_file_funcs(const struct ctf_file *f, ctf_object_f *each, void *arg);
/* GNU: the variable section, which may repeat objects. */
int ctf_file_vars(const struct ctf_file *f, ctf_object_f *each, void *arg);
uint32_t ctf_object_arg(
    const struct ctf_file *f, const struct ctf_object *o, uint32_t i);

/* The string section: NUL-terminated strings, one behind the other. */
const char *ctf_file_strings(const struct ctf_file *f, size_t *lenp);

#endif
