/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOF_DOF_IMPL_H
#define DOF_DOF_IMPL_H

/* Shared by the files of dof/: the tables, and refusals. */
#include "base/err.h"
#include "dof/dof.h"

#define DOF_CTF_K_INTEGER 1 /* doc/reference/ctf.md section 5 */

/* Sub-actions of LIBACT are numbered after the subroutines, whose number
 * differs: 53 is OpenDTrace's last (doc/reference/records.md section 4). */
#define DOF_LIBACT_BASE 54

enum dof_meaning {
	DOF_F_PAD,
	DOF_F_DEC,
	DOF_F_HEX,
	DOF_F_ACT,
	DOF_F_RELO,
	DOF_F_TKIND,
	DOF_F_CKIND,
	DOF_F_ATTR,
	DOF_F_ARG,
	DOF_F_LINK,
	DOF_F_LINK0,
	DOF_F_STRS,
	DOF_F_STRS0,
	DOF_F_STR,
	DOF_F_XSTR
};

/* A field of an on-disk structure: a row of dof_structs.def. */
struct dof_field {
	const char *name; /* NULL ends the list */
	uint16_t off;
	uint8_t size;
	uint8_t meaning;
	uint32_t detail;
};

struct dof_elem {
	size_t size;
	const struct dof_field *fields; /* NULL: bytes */
};

enum dof_form {
	DOF_FORM_BYTES,
	DOF_FORM_TEXT,
	DOF_FORM_ONE,
	DOF_FORM_TABLE,
	DOF_FORM_DIFO
};
enum dof_rule { DOF_RULE_LEAST, DOF_RULE_EXACT, DOF_RULE_POINTER };

/* A row of dof_secs.def. */
struct dof_secinfo {
	const char *name;
	bool is_load;
	enum dof_form form;
	const struct dof_elem *elem;
	uint32_t align;
	enum dof_rule rule;
};
/* Rows by type: first DTrace's types, then ours. */
#define DOF_NTYPES (DOF_SECT_PRENOFFS + 1)
#define DOF_PRIVATE 0x4000
#define DOF_ROW(type)                                                          \
	((type) < DOF_NTYPES ? (type) : DOF_NTYPES + (type)-DOF_PRIVATE)
#define DOF_NROWS (DOF_ROW(DOF_SECT_X_TYPES) + 1)
extern const struct dof_secinfo dof_secinfos[];

/* NULL: an unknown type. */
static inline const struct dof_secinfo *
dof_secinfo(uint32_t type)
{
	if (type >= DOF_NTYPES &&
	    (type < DOF_PRIVATE || type > DOF_SECT_X_TYPES))
		return NULL;
	return &dof_secinfos[DOF_ROW(type)];
}

extern const struct dof_elem *const dof_elem_hdr, *const dof_elem_sec;

/*
 * The name of an action that only other systems have (dof_acts.def), or NULL.
 */
const char *dof_act_name(uint32_t kind);
/* Change the byte order of every field. */
void dof_swap(const struct dof_elem *el, void *p);
/* A field's value; p must be in our byte order. */
uint64_t dof_field(const struct dof_field *f, const void *p);
/* The string table for an element's STR fields, or NONE. */
uint32_t dof_elem_strtab(const struct dof_elem *el, const void *p);

/*
 * Set *err to "section 3 (ACTDESC), offset 0x1f0: " and the message.  Returns
 * -EINVAL.
 */
int dof_refuse(const struct dof *d, uint32_t sec, uint64_t off, struct err *err,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The image's offset of a section's i-th element. */
uint64_t dof_elem_off(const struct dof *d, uint32_t sec, uint32_t i);

/*
 * dof_check.c: check the sections' contents; their places were checked before.
 */
CHECKED int dof_check_content(const struct dof *d, struct err *err);

/* dof_abi.c */
const char *dof_abi_name(enum dof_abi abi);
uint32_t dof_abi_libact_base(enum dof_abi abi);
enum dof_abi dof_abi_guess(const struct dof *d);
/* Convert another system's numbers to ours. Returns 0, or -EINVAL with *err. */
CHECKED int dof_abi_convert(
    enum dof_abi abi, struct dif_obj *dp, struct err *err);

/* Any element. */
union dof_any {
	struct dof_ecbdesc ecbdesc;
	struct dof_probedesc probedesc;
	struct dof_actdesc actdesc;
	struct dof_difohdr difohdr;
	struct dof_relohdr relohdr;
	struct dof_relodesc relodesc;
	struct dof_optdesc optdesc;
	struct dof_provider provider;
	struct dof_probe probe;
	struct dof_xlator xlator;
	struct dof_xlmember xlmember;
	struct dof_xlref xlref;
	struct dof_xclause xclause;
	struct dof_xaction xaction;
	struct dof_xagg xagg;
	struct dof_xvar xvar;
	struct dof_xoption xoption;
	struct dif_var difv;
	struct dif_type diftype;
	struct dof_byte byte;
	struct dof_word word;
	struct dof_xword xword;
};

#endif
