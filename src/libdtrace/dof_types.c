/* SPDX-License-Identifier: BSD-2-Clause */
/* Types by which a saved program shows values. */
#include "libdtrace/dof_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/addrmap.h"
#include "ctf/ctf_import.h"
#include "ctf/ctf_write.h"
#include "dof/dof.h"
#include "libdtrace/dt_impl.h"

/* Types that only D has are not C types. */
static bool
is_ds_own(struct ctf_type *t)
{
	return ctf_strip(t)->kind >= CTF_K_D_STRING;
}

uint32_t
dt_dof_number_type(const struct dif_action *act, void *arg)
{
	struct dt_dof_types *ts = arg;
	uint32_t n;

	if (act->type == NULL || is_ds_own(act->type))
		return DOF_CTF_NONE;
	n = addrmap_number(&ts->numbers, act->type);
	if (n == ts->list.n)
		VEC_PUSH(&ts->list, act->type);
	return n;
}

void
dt_dof_types_fini(struct dt_dof_types *ts)
{
	addrmap_fini(&ts->numbers);
	VEC_FREE(&ts->list);
}

int
dt_dof_collect_types(struct dt_hdl *h, const struct dif_prog *const *progs,
    size_t n, struct dt_dof_types *ts, struct strbuf *ctf)
{
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		VEC_FOREACH(&progs[i]->clauses, cl) {
			VEC_FOREACH(&cl->actions, act)
				dt_dof_number_type(act, ts);
		}
	}
	if (ts->list.n == 0 ||
	    ctf_write_types(cg_session_types(h->compiled.cg), ts->list.v,
		ts->list.n, (uint64_t)dt_opt(h, DT_OPT_STRSIZE), ctf,
		&err) == 0)
		return 0;
	return dt_fail_err(h, &err);
}

static void
set_type(struct dif_action *act, uint32_t ctf, void *arg)
{
	struct ctf_import *im = arg;
	char *name = mem_printf("$%u", ctf);
	struct ctf_type *t = im->ops->type(im, CTF_SP_ORDINARY, name);

	/* without it, the value is printed by its size */
	if (t != NULL && t->kind == CTF_K_TYPEDEF)
		act->type = t->ref;
	free(name);
}

void
dt_dof_set_ds_types(struct dt_hdl *h, const struct dif_prog *dif)
{
	VEC_FOREACH(&dif->clauses, cl) {
		VEC_FOREACH(&cl->actions, act) {
			struct ctf_type *t = act->type_name == NULL ?
			    NULL :
			    ctf_lookup_text(cg_session_types(h->compiled.cg),
				act->type_name);

			if (t != NULL && is_ds_own(t))
				act->type = t;
		}
	}
}

int
dt_dof_load_types(
    struct dt_hdl *h, const struct dof *d, const struct dif_prog *dif)
{
	struct ctf_import *im = NULL;
	struct ctf_set *set;
	struct err err = { 0 };

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (d->secs[i].dofs_type != DOF_SECT_X_TYPES || im != NULL)
			continue;
		if (ctf_set_decode(dof_str(d, i, 0), d->secs[i].dofs_size, &set,
			&err) == 0)
			im = ctf_import_set("the DOF file", set, NULL, &err);
		if (im == NULL)
			break;
		ctf_import_ds_string(im);
		ctf_import_add(cg_session_types(h->compiled.cg), im);
		dof_each_type(d, dif, set_type, im);
	}
	return !err_is_set(&err) ? 0 : dt_fail_err(h, &err);
}
