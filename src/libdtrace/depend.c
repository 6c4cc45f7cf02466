/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The things on which a text depends: #pragma D depends_on, and the libraries
 * that make the probes of its descriptions.
 */
#include <string.h>

#include "base/diag.h"
#include "libdtrace/compile_impl.h"

/*
 * Load the module, provider or library that the text depends on; returns
 * whether it exists.  A library that depends on a missing module or provider is
 * left out.  A script fails without it; a library that depends on a missing
 * library fails, too.
 */
static bool
is_satisfied(struct dt_hdl *h, const struct dt_input *in,
    const struct ast_item *it, int *rc)
{
	const struct ast_pragma *pr = it->pragma;

	if (strcmp(pr->value, "library") != 0 &&
	    strcmp(pr->value, "module") != 0 &&
	    strcmp(pr->value, "provider") != 0) {
		diag_error(&h->compiled.diags, D_PRAGMA_MALFORM, it->span,
		    "expected "
		    "library, module or provider after '#pragma D depends_on', "
		    "found '%s'",
		    pr->value);
		return true;
	}
	if (dt_libs_depend(h, pr->value, pr->name, rc))
		return true;
	if (!in->is_library || strcmp(pr->value, "library") == 0)
		diag_error(&h->compiled.diags, D_PRAGMA_DEPEND, it->span,
		    "the %s depends on %s %s, which is not there",
		    in->is_library ? "library" : "program", pr->value,
		    pr->name);
	return false;
}

int
dt_resolve_depends(
    struct dt_hdl *h, const struct dt_input *in, struct ast_program *tree)
{
	bool all = true;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < tree->items.n; i++) {
		const struct ast_item *it = tree->items.v[i];

		if (it->kind == AST_I_PRAGMA &&
		    it->pragma->kind == AST_P_DEPENDS_ON)
			all = is_satisfied(h, in, it, &rc) && all;
	}
	if (in->is_library && !all)
		tree->items.n = 0;
	return rc;
}

int
dt_load_probes(
    struct dt_hdl *h, const struct dt_input *in, const struct ast_program *tree)
{
	int rc = 0;

	for (size_t i = 0; !in->is_library && rc == 0 && i < tree->items.n;
	     i++) {
		const struct ast_item *it = tree->items.v[i];

		for (size_t k = 0; it->kind == AST_I_CLAUSE && rc == 0 &&
		     k < it->clause->pdescs.n;
		     k++) {
			struct dif_pdesc d =
			    dt_pdesc_of(&it->clause->pdescs.v[k]);

			rc = dt_is_bare(it->clause) ?
			    dt_libs_list_for_desc(h, &d) :
			    dt_libs_load_for_desc(h, &d);
		}
	}
	return rc;
}
