/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF 2 to 5, chapter 5 of each: types, members, enumerators.
 */
#include "ctf/dwarf_die.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/bounds.h"
#include "ctf/ctf_file.h"

int
dw_next_unit(
    const struct dw_file *df, Dwarf_CU **cu, Dwarf_Die *die, struct err *err)
{
	const char *why;
	uint8_t type = 0;
	Dwarf_Die sub;
	int rc;

	if (bounds_is_stopped())
		return 0;
	rc = df->lib->dwarf_get_units(
	    df->dwarf, *cu, cu, NULL, &type, die, &sub);
	if (rc < 0) {
		why = df->lib->dwarf_errmsg(-1);
		return err_set(err, -EINVAL, "its DWARF is damaged: %s",
		    why != NULL ? why : "a unit cannot be read");
	}
	if (type == DW_UT_skeleton && sub.addr != NULL)
		*die = sub;
	return rc == 0;
}

/* ---- attributes ---------------------------------------------------------- */

bool
dw_unsigned(
    const struct dw_lib *lib, Dwarf_Die *die, unsigned attr, uint64_t *v)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (lib->dwarf_attr(die, attr, &a) == NULL ||
	    lib->dwarf_formudata(&a, &w) != 0)
		return false;
	*v = w;
	return true;
}

bool
dw_flag(const struct dw_lib *lib, Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	bool value = false;

	return lib->dwarf_attr(die, attr, &a) != NULL &&
	    lib->dwarf_formflag(&a, &value) == 0 && value;
}

static bool
ref_attr(const struct dw_lib *lib, Dwarf_Die *die, unsigned attr, Dwarf_Die *to)
{
	Dwarf_Attribute a;

	return lib->dwarf_attr(die, attr, &a) != NULL &&
	    lib->dwarf_formref_die(&a, to) != NULL;
}

bool
dw_ref(const struct dw_lib *lib, Dwarf_Die *die, Dwarf_Die *type)
{
	return ref_attr(lib, die, DW_AT_type, type);
}

/* ---- numbers ------------------------------------------------------------- */

/* Forms of floating point by size: simple, complex, imaginary. */
static uint32_t
float_form(unsigned encoding, uint64_t size)
{
	if (encoding == DW_ATE_complex_float)
		return size <= 8 ? 3 : size <= 16 ? 4 : 5;
	if (encoding == DW_ATE_imaginary_float)
		return size <= 4 ? 10 : size <= 8 ? 11 : 12;
	return size <= 4 ? 1 : size <= 8 ? 2 : 6;
}

/* Flags of an integer; -1: not an integer. */
static int
int_flags(unsigned encoding)
{
	switch (encoding) {
	case DW_ATE_boolean:
		return CTF_INT_BOOL;
	case DW_ATE_signed:
		return CTF_INT_SIGNED;
	case DW_ATE_signed_char:
		return CTF_INT_SIGNED | CTF_INT_CHAR;
	case DW_ATE_unsigned_char:
		return CTF_INT_CHAR;
	case DW_ATE_unsigned:
	case DW_ATE_address:
	case DW_ATE_UTF:
		return 0;
	default:
		return -1;
	}
}

static void
base_type(const struct dw_lib *lib, Dwarf_Die *die, struct dw_type *t)
{
	uint64_t encoding = 0, bits;
	int flags;

	dw_unsigned(lib, die, DW_AT_encoding, &encoding);
	if (!dw_unsigned(lib, die, DW_AT_bit_size, &bits))
		bits = 8 * t->size;
	flags = int_flags((unsigned)encoding);
	if (flags >= 0) {
		t->kind = CTF_K_INTEGER;
		t->encoding = (uint32_t)flags << 24 | (bits & 0xffff);
	} else if (encoding == DW_ATE_float ||
	    encoding == DW_ATE_complex_float ||
	    encoding == DW_ATE_imaginary_float) {
		t->kind = CTF_K_FLOAT;
		t->encoding = float_form((unsigned)encoding, t->size) << 24 |
		    (bits & 0xffff);
	} else {
		t->kind = CTF_K_UNKNOWN;
	}
}

/* ---- arrays -------------------------------------------------------------- */

/* The number of elements; 0 if it is not constant, or not given. */
static uint64_t
dimension(const struct dw_lib *lib, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	uint64_t n = 0;
	Dwarf_Sword last;

	if (dw_unsigned(lib, die, DW_AT_count, &n))
		return n;
	/* int a[0] has an upper bound of -1 */
	if (lib->dwarf_attr(die, DW_AT_upper_bound, &a) == NULL)
		return 0;
	if (lib->dwarf_whatform(&a) == DW_FORM_implicit_const ||
	    lib->dwarf_whatform(&a) == DW_FORM_sdata)
		return lib->dwarf_formsdata(&a, &last) == 0 && last >= 0 ?
		    (uint64_t)last + 1 :
		    0;
	return dw_unsigned(lib, die, DW_AT_upper_bound, &n) ? n + 1 : 0;
}

static void
array_type(const struct dw_lib *lib, Dwarf_Die *die, struct dw_type *t)
{
	struct dw_iter it;

	dw_iter_init(&it, lib, die);
	while (dw_iter_next(&it)) {
		if (lib->dwarf_tag(&it.die) != DW_TAG_subrange_type)
			continue;
		if (t->ndims == DW_MAX_DIMS) {
			t->kind = CTF_K_UNKNOWN;
			return;
		}
		t->dims[t->ndims++] = dimension(lib, &it.die);
	}
	if (t->ndims == 0)
		t->kind = CTF_K_UNKNOWN;
}

/* ---- types --------------------------------------------------------------- */

enum ctf_kind
dw_tag_kind(const struct dw_lib *lib, Dwarf_Die *die)
{
	switch (lib->dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return CTF_K_STRUCT;
	case DW_TAG_union_type:
		return CTF_K_UNION;
	case DW_TAG_enumeration_type:
		return CTF_K_ENUM;
	default:
		return CTF_K_UNKNOWN;
	}
}

static enum ctf_kind
kind_of_tag(int tag, bool *is_alias)
{
	switch (tag) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return CTF_K_POINTER;
	case DW_TAG_typedef:
		return CTF_K_TYPEDEF;
	case DW_TAG_const_type:
		return CTF_K_CONST;
	case DW_TAG_volatile_type:
		return CTF_K_VOLATILE;
	case DW_TAG_restrict_type:
		return CTF_K_RESTRICT;
	case DW_TAG_array_type:
		return CTF_K_ARRAY;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		return CTF_K_FUNCTION;
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_subrange_type:
		*is_alias = true;
		return CTF_K_UNKNOWN;
	default:
		return CTF_K_UNKNOWN;
	}
}

/* A body, or a reference to one in a type unit. */
static void
body_type(const struct dw_lib *lib, Dwarf_Die *die, struct dw_type *t)
{
	uint64_t encoding = 0;
	Dwarf_Die base;

	if (ref_attr(lib, die, DW_AT_signature, &t->ref)) {
		t->is_alias = t->has_ref = true;
		return;
	}
	if (dw_flag(lib, die, DW_AT_declaration)) {
		t->kind = CTF_K_FORWARD;
		return;
	}
	t->kind = dw_tag_kind(lib, die);
	if (t->kind != CTF_K_ENUM)
		return;
	if (!dw_unsigned(lib, die, DW_AT_encoding, &encoding) &&
	    dw_ref(lib, die, &base))
		dw_unsigned(lib, &base, DW_AT_encoding, &encoding);
	t->is_unsigned =
	    encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char;
}

void
dw_type(const struct dw_lib *lib, Dwarf_Die *die, struct dw_type *t)
{
	int tag = lib->dwarf_tag(die);

	memset(t, 0, sizeof(*t));
	t->name = lib->dwarf_diename(die);
	dw_unsigned(lib, die, DW_AT_byte_size, &t->size);
	if (tag == DW_TAG_base_type) {
		base_type(lib, die, t);
		return;
	}
	if (tag == DW_TAG_unspecified_type) { /* void; decltype(nullptr) */
		t->is_alias = true;
		return;
	}
	if (dw_tag_kind(lib, die) != CTF_K_UNKNOWN) {
		body_type(lib, die, t);
		return;
	}
	t->kind = kind_of_tag(tag, &t->is_alias);
	t->has_ref = dw_ref(lib, die, &t->ref);
	if (t->kind == CTF_K_ARRAY)
		array_type(lib, die, t);
}

/* ---- children ------------------------------------------------------------ */

void
dw_iter_init(struct dw_iter *it, const struct dw_lib *lib, Dwarf_Die *parent)
{
	it->lib = lib;
	it->is_started = false;
	it->is_done = lib->dwarf_child(parent, &it->die) != 0;
}

bool
dw_iter_next(struct dw_iter *it)
{
	if (it->is_done)
		return false;
	if (!it->is_started) {
		it->is_started = true;
		return true;
	}
	it->is_done = it->lib->dwarf_siblingof(&it->die, &it->die) != 0;
	return !it->is_done;
}

/* Bytes from the start of the struct; DWARF 2 wrote "plus_uconst n". */
static bool
member_location(const struct dw_lib *lib, Dwarf_Die *die, uint64_t *off)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	*off = 0;
	if (lib->dwarf_attr(die, DW_AT_data_member_location, &a) == NULL ||
	    dw_unsigned(lib, die, DW_AT_data_member_location, off))
		return true;
	if (lib->dwarf_getlocation(&a, &ops, &n) != 0 || n != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*off = ops[0].number;
	return true;
}

/*
 * Since DWARF 4 a bit-field's bits count from the start of the struct.  Before,
 * they count from the most significant bit of a storage unit.
 */
static bool
member_bits(const struct dw_lib *lib, Dwarf_Die *die, struct dw_member *m)
{
	uint64_t bits = 0, from_top, storage = 0;

	if (dw_unsigned(lib, die, DW_AT_data_bit_offset, &from_top))
		m->bit_off = from_top;
	if (!dw_unsigned(lib, die, DW_AT_bit_size, &bits))
		return true;
	if (bits == 0 || bits > 128)
		return false;
	m->bits = (uint32_t)bits;
	if (!dw_unsigned(lib, die, DW_AT_bit_offset, &from_top))
		return true;
	if (!dw_unsigned(lib, die, DW_AT_byte_size, &storage))
		dw_unsigned(lib, &m->type, DW_AT_byte_size, &storage);
	if (storage > 16 || from_top + bits > 8 * storage)
		return false;
	m->bit_off += 8 * storage - from_top - bits;
	return true;
}

bool
dw_member(const struct dw_lib *lib, Dwarf_Die *child, struct dw_member *m)
{
	int tag = lib->dwarf_tag(child);
	uint64_t off;

	memset(m, 0, sizeof(*m));
	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return false;
	/* static members of C++ are declarations, or external */
	if (dw_flag(lib, child, DW_AT_declaration) ||
	    dw_flag(lib, child, DW_AT_external))
		return false;
	/* a base class is an unnamed struct at its offset */
	if (tag == DW_TAG_member)
		m->name = lib->dwarf_diename(child);
	if (!dw_ref(lib, child, &m->type) ||
	    !member_location(lib, child, &off) || off > UINT64_MAX / 16)
		return false;
	m->bit_off = 8 * off;
	return member_bits(lib, child, m);
}

bool
dw_enumerator(
    const struct dw_lib *lib, Dwarf_Die *child, struct ctf_enumerator *e)
{
	Dwarf_Attribute a;
	Dwarf_Sword s;
	Dwarf_Word u;

	if (lib->dwarf_tag(child) != DW_TAG_enumerator ||
	    lib->dwarf_attr(child, DW_AT_const_value, &a) == NULL)
		return false;
	e->name = lib->dwarf_diename(child);
	if (e->name == NULL)
		return false;
	if (lib->dwarf_whatform(&a) == DW_FORM_sdata ||
	    lib->dwarf_whatform(&a) == DW_FORM_implicit_const) {
		e->value = lib->dwarf_formsdata(&a, &s) == 0 ? s : 0;
		return true;
	}
	if (lib->dwarf_formudata(&a, &u) != 0)
		return false;
	e->value = (int64_t)u;
	return true;
}

int
dw_param(
    const struct dw_lib *lib, Dwarf_Die *child, Dwarf_Die *type, bool *has_type)
{
	int tag = lib->dwarf_tag(child);

	if (tag == DW_TAG_unspecified_parameters)
		return 2;
	if (tag != DW_TAG_formal_parameter)
		return 0;
	*has_type = dw_ref(lib, child, type);
	return 1;
}

bool
dw_address(const struct dw_lib *lib, Dwarf_Die *die, uint64_t *addr)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (lib->dwarf_tag(die) == DW_TAG_subprogram)
		return lib->dwarf_attr(die, DW_AT_low_pc, &a) != NULL &&
		    lib->dwarf_formaddr(&a, addr) == 0;
	if (lib->dwarf_attr(die, DW_AT_location, &a) == NULL ||
	    lib->dwarf_getlocation(&a, &ops, &n) != 0 || n != 1 ||
	    ops[0].atom != DW_OP_addr)
		return false;
	*addr = ops[0].number;
	return true;
}
