/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probe descriptions of other systems in the words of this one (alias.def).
 *
 * A probe found through an alias keeps its own name: probeprov of fsinfo:::read
 * is vfs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

struct alias {
	const char *prov, *name, *to_prov, *to_name;
};

static const struct alias aliases[] = {
#define DT_ALIAS(prov, name, to_prov, to_name) { prov, name, to_prov, to_name },
#include "libdtrace/alias.def"
};

static const char *const stable[] = {
#define DT_STABLE(prov) prov,
#include "libdtrace/alias.def"
};

/* Module names that other systems use for the kernel itself. */
static const char *const kernels[] = { "genunix", "unix", "kernel" };

static bool
is_in(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

bool
dt_is_without_functions(const char *prov)
{
	return is_in(stable, sizeof(stable) / sizeof(stable[0]), prov);
}

static const struct alias *
find_alias(const struct dif_pdesc *desc)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		const struct alias *a = &aliases[i];

		if (strcmp(a->prov, desc->prov) == 0 &&
		    (a->name[0] == '\0' || strcmp(a->name, desc->name) == 0))
			return a;
	}
	return NULL;
}

void
dt_alias_each_provider(dt_name_f *f, void *arg)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (aliases[i].name[0] == '\0')
			f(aliases[i].prov, arg);
	}
}

struct dif_pdesc
dt_pdesc_here(const struct dif_pdesc *desc)
{
	struct dif_pdesc here = *desc;
	const struct alias *a;

	if (desc->id != 0 || desc->prov == NULL)
		return here;
	if (dt_is_without_functions(desc->prov) &&
	    is_in(kernels, sizeof(kernels) / sizeof(kernels[0]), desc->mod))
		here.mod = (char *)"";
	a = find_alias(desc);
	if (a != NULL) {
		here.prov = (char *)a->to_prov;
		if (a->to_name[0] != '\0')
			here.name = (char *)a->to_name;
	}
	return here;
}

/* Replace a field of a description, which owns its text. */
static void
replace(char **field, const char *text)
{
	if (*field == text)
		return;
	free(*field);
	*field = mem_strdup(text);
}

void
dt_pdescs_here(struct dif_clause *cl)
{
	VEC_FOREACH(&cl->pdescs, desc) {
		struct dif_pdesc here = dt_pdesc_here(desc);

		replace(&desc->prov, here.prov);
		replace(&desc->mod, here.mod);
		replace(&desc->name, here.name);
	}
}
