/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Foreign DIF: convert the numbers of another system to ours.
 *
 * Subroutines up to 45 and variables up to 0x0120 mean the same everywhere; the
 * others are converted by name.  Our own numbers have no meaning in a foreign
 * program, and are refused.
 */
#include "dof/dof_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define SUBR_COMMON_MAX 45
#define VAR_COMMON_MAX 0x0120

struct abi_row {
	enum dof_abi abi;
	uint32_t number;
	const char *name;
};

static const struct abi_row abi_subrs[] = {
#define DOF_ABI_SYS(ABI, name, base)
#define DOF_ABI_SUBR(ABI, num, name) { DOF_ABI_##ABI, num, name },
#define DOF_ABI_VAR(ABI, num, name)
#include "dof/dof_abi.def"
#undef DOF_ABI_SYS
#undef DOF_ABI_SUBR
#undef DOF_ABI_VAR
};

static const struct abi_row abi_vars[] = {
#define DOF_ABI_SYS(ABI, name, base)
#define DOF_ABI_SUBR(ABI, num, name)
#define DOF_ABI_VAR(ABI, num, name) { DOF_ABI_##ABI, num, name },
#include "dof/dof_abi.def"
#undef DOF_ABI_SYS
#undef DOF_ABI_SUBR
#undef DOF_ABI_VAR
};

static const struct {
	const char *name;
	uint32_t libact_base;
} abis[] = {
#define DOF_ABI_SYS(ABI, name, base) [DOF_ABI_##ABI] = { name, base },
#define DOF_ABI_SUBR(ABI, num, name)
#define DOF_ABI_VAR(ABI, num, name)
#include "dof/dof_abi.def"
#undef DOF_ABI_SYS
#undef DOF_ABI_SUBR
#undef DOF_ABI_VAR
};

#define NELEMS(a) (sizeof(a) / sizeof((a)[0]))

const char *
dof_abi_name(enum dof_abi abi)
{
	return abis[abi].name;
}

uint32_t
dof_abi_libact_base(enum dof_abi abi)
{
	return abis[abi].libact_base;
}

static const char *
find_row(
    const struct abi_row *rows, size_t n, enum dof_abi abi, uint32_t number)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].abi == abi && rows[i].number == number)
			return rows[i].name;
	}
	return NULL;
}

CHECKED static int
convert_subr(enum dof_abi abi, uint32_t *num, struct err *err)
{
	const char *name = find_row(abi_subrs, NELEMS(abi_subrs), abi, *num);
	const struct dif_subrinfo *si;

	if (*num <= SUBR_COMMON_MAX)
		return 0;
	si = name != NULL ? dif_subr_find_name(name) : NULL;
	if (si != NULL) {
		*num = si->id;
		return 0;
	}
	if (name != NULL)
		err_set(err, -EINVAL,
		    "subroutine %u is %s() in %s, which is not available here",
		    *num, name, dof_abi_name(abi));
	else
		err_set(err, -EINVAL, "there is no subroutine %u in %s", *num,
		    dof_abi_name(abi));
	return -EINVAL;
}

CHECKED static int
convert_var(enum dof_abi abi, uint32_t *id, struct err *err)
{
	const char *name = find_row(abi_vars, NELEMS(abi_vars), abi, *id);

	if (*id <= VAR_COMMON_MAX || *id >= DIF_VAR_USER_MIN)
		return 0;
	if (name != NULL && dif_var_find_name(name, id))
		return 0;
	if (name != NULL)
		err_set(err, -EINVAL,
		    "variable 0x%x is %s in %s, which is not available here",
		    *id, name, dof_abi_name(abi));
	else
		err_set(err, -EINVAL, "there is no variable 0x%x in %s", *id,
		    dof_abi_name(abi));
	return -EINVAL;
}

/* Convert the number of a CALL or of a variable, in place. */
CHECKED static int
convert_instr(enum dof_abi abi, uint32_t *ins, struct err *err)
{
	uint32_t idx = dif_instr_idx(*ins);
	int rc = 0;

	switch (dif_opinfo[dif_instr_op(*ins)].fmt) {
	case DIF_FMT_CALL:
		rc = convert_subr(abi, &idx, err);
		break;
	case DIF_FMT_LDV:
		rc = convert_var(abi, &idx, err);
		break;
	default: /* the other formats have no such number */
		return 0;
	}
	*ins = dif_instr_w(
	    (enum dif_op)dif_instr_op(*ins), idx, dif_instr_rd(*ins));
	return rc;
}

int
dof_abi_convert(enum dof_abi abi, struct dif_obj *dp, struct err *err)
{
	for (uint32_t i = 0; i < dp->ntext; i++) {
		int rc = convert_instr(abi, &dp->text[i], err);

		if (rc == 0)
			continue;
		return err_prefix(err, "instruction %u", i);
	}
	return 0;
}

/* Guess the compiling system from its uname; OpenDTrace by default. */
enum dof_abi
dof_abi_guess(const struct dof *d)
{
	static const struct {
		const char *sysname;
		enum dof_abi abi;
	} systems[] = { { "SunOS", DOF_ABI_ILLUMOS },
		{ "FreeBSD", DOF_ABI_FREEBSD } };

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		const struct dof_sec *s = &d->secs[i];

		if (s->dofs_type != DOF_SECT_UTSNAME)
			continue;
		for (size_t k = 0; k < NELEMS(systems); k++) {
			size_t len = strlen(systems[k].sysname) + 1;

			if (s->dofs_size >= len &&
			    memcmp(dof_str(d, i, 0), systems[k].sysname, len) ==
				0)
				return systems[k].abi;
		}
	}
	return DOF_ABI_OPENDTRACE;
}
