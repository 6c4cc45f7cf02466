/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linking: a program that came as DOF refers to translators, which are compiled
 * for the kernel that it is to run on.
 */
#include <string.h>

#include "base/vec.h"
#include "libdtrace/compile_impl.h"

/*
 * Load the libraries that define the translators, or the types, of an object's
 * references.
 */
static int
load_for_refs(struct dt_hdl *h, const struct dif_obj *dp)
{
	int rc = 0;

	for (uint32_t i = 0; dp != NULL && i < dp->nxlref && rc == 0; i++) {
		const struct dif_xlref *x = &dp->xlrefs[i];

		rc = dt_libs_load_for(h, x->in, strlen(x->in));
		if (rc == 0)
			rc = dt_libs_load_for(h, x->out, strlen(x->out));
	}
	return rc;
}

static int
load_translators(struct dt_hdl *h, const struct dif_prog *dif)
{
	int rc = 0;

	VEC_FOREACH(&dif->clauses, cl) {
		rc = rc != 0 ? rc : load_for_refs(h, cl->pred);
		VEC_FOREACH(&cl->actions, act)
			rc = rc != 0 ? rc : load_for_refs(h, act->difo);
	}
	return rc;
}

int
dt_link(struct dt_hdl *h, struct dif_prog *dif)
{
	struct lang_compile lc = { .target = dt_proc_target(h),
		.probes = dt_match_args,
		.probes_ctx = h,
		.arena = &h->compiled.arena,
		.diags = &h->compiled.diags };

	if (!cg_needs_link(dif))
		return 0;
	if (dt_opt(h, DT_OPT_LATE) != LATE_DYNAMIC)
		return dt_fail(h,
		    "the program refers to translators that are "
		    "put in when it is run: say so with -x late=dynamic");
	if (dt_need_types(h) != 0 || load_translators(h, dif) != 0)
		return -1;
	dt_set_session_options(h);
	if (cg_link(h->compiled.cg, &lc, dif) == 0)
		return 0;
	return dt_show_errors(h);
}
