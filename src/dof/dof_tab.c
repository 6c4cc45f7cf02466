/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of sections and structures, and functions of these tables alone.
 */
#include "dof/dof_impl.h"

#include <assert.h>
#include <byteswap.h>
#include <string.h>

/* clang-format off */
#define DOF_ELEM(name, type, bytes)					\
	_Static_assert(sizeof(type) == (bytes), "layout of " #name);	\
	static const struct dof_field name##_fields[] = {
#define DOF_FIELD(type, member, meaning, detail)			\
	{ #member, offsetof(type, member), sizeof(((type *)NULL)->member), \
		DOF_F_##meaning, DOF_SECT_##detail },
#define DOF_END(name) { 0 } };
/* clang-format on */
#include "dof/dof_structs.def"
#undef DOF_ELEM
#undef DOF_FIELD
#undef DOF_END

static const struct dof_elem elem_bytes = { .size = 1 };

/* clang-format off */
#define DOF_ELEM(name, type, bytes)					\
	static const struct dof_elem elem_##name = { sizeof(type),	\
		name##_fields };
#define DOF_FIELD(type, member, meaning, detail)
#define DOF_END(name)
/* clang-format on */
#include "dof/dof_structs.def"
#undef DOF_ELEM
#undef DOF_FIELD
#undef DOF_END

_Static_assert(sizeof(struct dof_hdr) == DOF_HDR_SIZE, "layout");
_Static_assert(sizeof(struct dof_sec) == DOF_SECHDR_SIZE, "layout");

const struct dof_elem *const dof_elem_hdr = &elem_hdr;
const struct dof_elem *const dof_elem_sec = &elem_sec;

const struct dof_secinfo dof_secinfos[] = {
#define DOF_SEC(val, NAME, load, form, elem, align, rule)                      \
	[DOF_ROW(val)] = { #NAME, load, DOF_FORM_##form, &elem_##elem, align,  \
		DOF_RULE_##rule },
#include "dof/dof_secs.def"
#undef DOF_SEC
};
_Static_assert(sizeof(dof_secinfos) / sizeof(dof_secinfos[0]) == DOF_NROWS,
    "rows without a gap");

const char *
dof_sectype_name(uint32_t type)
{
	const struct dof_secinfo *si = dof_secinfo(type);

	return si != NULL ? si->name : NULL;
}

const char *
dof_act_name(uint32_t kind)
{
	switch (kind) {
#define DOF_ACT(val, name)                                                     \
	case val:                                                              \
		return name;
#include "dof/dof_acts.def"
#undef DOF_ACT
	default:
		return NULL;
	}
}

static void
swap_field(void *p, size_t size)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		break;
	case 2:
		memcpy(&v16, p, 2);
		v16 = bswap_16(v16);
		memcpy(p, &v16, 2);
		break;
	case 4:
		memcpy(&v32, p, 4);
		v32 = bswap_32(v32);
		memcpy(p, &v32, 4);
		break;
	default:
		assert(size == 8);
		memcpy(&v64, p, 8);
		v64 = bswap_64(v64);
		memcpy(p, &v64, 8);
		break;
	}
}

void
dof_swap(const struct dof_elem *el, void *p)
{
	const struct dof_field *f = el->fields;

	for (; f != NULL && f->name != NULL; f++)
		swap_field((char *)p + f->off, f->size);
}

uint64_t
dof_field(const struct dof_field *f, const void *p)
{
	const char *at = (const char *)p + f->off;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (f->size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		memcpy(&v16, at, 2);
		return v16;
	case 4:
		memcpy(&v32, at, 4);
		return v32;
	default:
		memcpy(&v64, at, 8);
		return v64;
	}
}

uint32_t
dof_elem_strtab(const struct dof_elem *el, const void *p)
{
	for (const struct dof_field *f = el->fields; f->name != NULL; f++) {
		if (f->meaning == DOF_F_STRS || f->meaning == DOF_F_STRS0)
			return (uint32_t)dof_field(f, p);
	}
	return DOF_SECIDX_NONE;
}

uint32_t
dof_attr_word(struct dif_attr a)
{
	return (uint32_t)a.name << 24 | (uint32_t)a.data << 16 |
	    (uint32_t)a.class_ << 8;
}

bool
dof_attr_of_word(uint32_t word, struct dif_attr *a)
{
	static const struct dif_attr max = DIF_ATTR_MAX;

	a->name = (uint8_t)(word >> 24);
	a->data = (uint8_t)(word >> 16);
	a->class_ = (uint8_t)(word >> 8);
	return !dif_attr_below(max, *a) && (word & 0xff) == 0;
}
