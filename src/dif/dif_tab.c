/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups in the tables of built-in variables and subroutines.  Both are
 * short; a compile looks up a few dozen names.
 */
#include "dif/dif.h"

#include <string.h>

static const struct builtin {
	uint32_t id;
	const char *name, *attr;
} vars[] = {
#define DIF_VAR(val, NAME, name, type, attr) { val, name, attr },
#include "dif/dif_vars.def"
#undef DIF_VAR
};

static const struct dif_subrinfo subrs[] = {
#define DIF_SUBR(val, NAME, name, proto, flags) { val, name, proto, flags },
#include "dif/dif_subrs.def"
#undef DIF_SUBR
};

#define NELEMS(a) (sizeof(a) / sizeof((a)[0]))

static const struct builtin *
find_var(uint32_t id)
{
	for (size_t i = 0; i < NELEMS(vars); i++) {
		if (vars[i].id == id)
			return &vars[i];
	}
	return NULL;
}

const char *
dif_var_name(uint32_t id)
{
	const struct builtin *v = find_var(id);

	return v != NULL ? v->name : NULL;
}

const char *
dif_var_attr(uint32_t id)
{
	const struct builtin *v = find_var(id);

	return v != NULL ? v->attr : NULL;
}

bool
dif_var_find_name(const char *name, uint32_t *id)
{
	for (size_t i = 0; i < NELEMS(vars); i++) {
		if (strcmp(vars[i].name, name) != 0)
			continue;
		*id = vars[i].id;
		return true;
	}
	return false;
}

const struct dif_subrinfo *
dif_subr_find(uint32_t id)
{
	for (size_t i = 0; i < NELEMS(subrs); i++) {
		if (subrs[i].id == id)
			return &subrs[i];
	}
	return NULL;
}

const struct dif_subrinfo *
dif_subr_find_name(const char *name)
{
	for (size_t i = 0; i < NELEMS(subrs); i++) {
		if (strcmp(subrs[i].name, name) == 0)
			return &subrs[i];
	}
	return NULL;
}
