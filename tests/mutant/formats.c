/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations of the formats: CTF's kinds and sections, DOF's tables. */
#include "mutant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "ctf/ctf_file.h"
#include "dof/dof_impl.h"

/* ---- CTF ----------------------------------------------------------------- */

static struct ctf_kind_info *
find_kind(const char *name)
{
	const struct ctf_kind_info *ki;

	for (unsigned i = 0; (ki = ctf_kind_info(i))->name != NULL; i++) {
		if (strcmp(ki->name, name) == 0)
			return (struct ctf_kind_info *)(uintptr_t)ki;
	}
	mut_no_row();
}

/* Give a kind another kind's name. */
void
mut_ctf_tables(void)
{
	struct ctf_kind_info *row;

	if (!mut_in("ctf_kinds.def"))
		return;
	row = find_kind(mutation.row);
	mut_open(row, sizeof(*row));
	row->name = find_kind(mutation.to)->name;
}

const char *__real_ctf_sect_name(enum ctf_sect_id id);
const char *__wrap_ctf_sect_name(enum ctf_sect_id id);

const char *
__wrap_ctf_sect_name(enum ctf_sect_id id)
{
	const char *name = __real_ctf_sect_name(id);

	return mut_is("ctf_sects.def", name) ? mutation.to : name;
}

/* ---- DOF ----------------------------------------------------------------- */

static struct dof_secinfo *
find_sec(const char *name)
{
	for (size_t i = 0; i < DOF_NROWS; i++) {
		if (strcmp(dof_secinfos[i].name, name) == 0)
			return (
			    struct dof_secinfo *)(uintptr_t)&dof_secinfos[i];
	}
	mut_no_row();
}

static void
change_sec(void)
{
	struct dof_secinfo *row = find_sec(mutation.row);

	mut_open(row, sizeof(*row));
	row->name = find_sec(mutation.to)->name;
}

/* The layout of a section's entries; header structures stand alone. */
static const struct dof_elem *
find_elem(const char *name)
{
	static const struct {
		const char *elem;
		uint32_t type;
	} secs[] = {
#define DOF_SEC(val, NAME, load, form, elem, align, rule) { #elem, val },
#include "dof/dof_secs.def"
#undef DOF_SEC
	};

	if (strcmp(name, "hdr") == 0)
		return dof_elem_hdr;
	if (strcmp(name, "sec") == 0)
		return dof_elem_sec;
	for (size_t i = 0; i < sizeof(secs) / sizeof(secs[0]); i++) {
		if (strcmp(secs[i].elem, name) == 0)
			return dof_secinfo(secs[i].type)->elem;
	}
	mut_no_row();
}

/* "difv:type.size": remove a field of a structure. */
static void
change_field(void)
{
	char elem[32];
	const char *member = strchr(mutation.row, ':') + 1;
	const struct dof_field *f;

	snprintf(elem, sizeof(elem), "%.*s", (int)(member - 1 - mutation.row),
	    mutation.row);
	f = find_elem(elem)->fields;
	while (f->name != NULL && strcmp(f->name, member) != 0)
		f++;
	if (f->name == NULL)
		mut_no_row();
	mut_open(f, sizeof(*f));
	((struct dof_field *)(uintptr_t)f)->meaning = DOF_F_PAD;
}

void
mut_dof_tables(void)
{
	if (mut_in("dof_secs.def"))
		change_sec();
	else if (mut_in("dof_structs.def"))
		change_field();
}

const char *__real_dof_act_name(uint32_t kind);
const char *__wrap_dof_act_name(uint32_t kind);

const char *
__wrap_dof_act_name(uint32_t kind)
{
	const char *name = __real_dof_act_name(kind);

	return name != NULL && mut_is("dof_acts.def", name) ? mutation.to :
							      name;
}

/* "illumos 47": is it this row of dof_abi.def? */
static bool
is_abi_row(enum dof_abi abi, const char *what, uint32_t number)
{
	char row[64];

	snprintf(row, sizeof(row), "%s %s %u", dof_abi_name(abi), what, number);
	return mut_is("dof_abi.def", row);
}

int __real_dof_abi_convert(
    enum dof_abi abi, struct dif_obj *dp, struct err *err);
int __wrap_dof_abi_convert(
    enum dof_abi abi, struct dif_obj *dp, struct err *err);

/* Another system's number becomes one that it does not have. */
int
__wrap_dof_abi_convert(enum dof_abi abi, struct dif_obj *dp, struct err *err)
{
	const uint32_t unknown = 0x4ff;

	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint32_t ins = dp->text[i], idx = dif_instr_idx(ins);
		uint8_t op = dif_instr_op(ins);
		bool is_meant = op == DIF_OP_CALL ?
		    is_abi_row(abi, "subr", idx) :
		    op == DIF_OP_LDGS && is_abi_row(abi, "var", idx);

		if (is_meant)
			dp->text[i] = dif_instr_w(
			    (enum dif_op)op, unknown, dif_instr_rd(ins));
	}
	return __real_dof_abi_convert(abi, dp, err);
}

uint32_t __real_dof_abi_libact_base(enum dof_abi abi);
uint32_t __wrap_dof_abi_libact_base(enum dof_abi abi);

uint32_t
__wrap_dof_abi_libact_base(enum dof_abi abi)
{
	return __real_dof_abi_libact_base(abi) +
	    mut_is("dof_abi.def", dof_abi_name(abi));
}
