/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers: what a process brings to name the frames of its stack
 * (doc/reference/dof.md section 5).
 *
 *	ECBDESC -> PROBEDESC dtrace:helper:ustack:
 *		-> predicate, ACTDESC -> objects, each a DIFEXPR
 *
 * A URELHDR marks the integers of its table that are addresses in the program.
 * The caller adds the file's place in the process.
 */
#include "dof/dof_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

#define HELPERS_MAX 128 /* doc/reference/dof.md section 4 */
#define OBJECTS_MAX 1024
#define BYTES_MAX (1U << 20) /* for all objects; sections may be shared */
#define LOOKS_MAX (1U << 22) /* steps through relocations and sections */

struct dof_helper_reader {
	const struct dof *d;
	struct dof_helpers *out;
	bool is_ours;
	uint32_t nobjects, nlooks;
	uint64_t nbytes;
	struct err *err;
};

static void
hobj_fini(struct dof_hobj *o)
{
	if (o->difo != NULL)
		dif_obj_destroy(o->difo);
	VEC_FREE(&o->based);
}

void
dof_helpers_fini(struct dof_helpers *h)
{
	VEC_FOREACH(&h->v, one) {
		hobj_fini(&one->pred);
		VEC_FOREACH(&one->actions, o)
			hobj_fini(o);
		VEC_FREE(&one->actions);
	}
	VEC_FREE(&h->v);
}

/* ---- objects ------------------------------------------------------------- */

static int
relocate(struct dof_helper_reader *r, uint32_t relsec, uint32_t i,
    uint32_t inttab, struct dof_hobj *o)
{
	struct dof_relodesc rd;

	dof_get(r->d, relsec, i, &rd);
	if (rd.dofr_type == DOF_RELO_NONE)
		return 0;
	if (rd.dofr_offset % 8 != 0 || rd.dofr_offset / 8 >= o->difo->nint)
		return dof_refuse(r->d, relsec, 0, r->err,
		    "relocation %u is of no integer of the object", i);
	if (rd.dofr_type == DOF_RELO_DOFREL)
		o->difo->inttab[rd.dofr_offset / 8] += r->d->addr +
		    r->d->secs[inttab].dofs_offset + rd.dofr_offset;
	else if (rd.dofr_type != DOF_RELO_SETX)
		return dof_refuse(r->d, relsec, 0, r->err,
		    "relocation %u is of type %u", i, rd.dofr_type);
	VEC_PUSH(&o->based, (uint32_t)(rd.dofr_offset / 8));
	return 0;
}

static int
relocate_all(struct dof_helper_reader *r, uint32_t difohdr, struct dof_hobj *o)
{
	uint32_t inttab = dof_find_link(r->d, difohdr, DOF_SECT_INTTAB);
	int rc = 0;

	if (inttab == DOF_SECIDX_NONE)
		return 0;
	r->nlooks += r->d->hdr.dofh_secnum;
	for (uint32_t i = 0; i < r->d->hdr.dofh_secnum && rc == 0; i++) {
		struct dof_relohdr h;

		if (r->d->secs[i].dofs_type != DOF_SECT_URELHDR)
			continue;
		dof_get(r->d, i, 0, &h);
		if (h.dofr_tgtsec != inttab)
			continue;
		r->nlooks += dof_nelems(r->d, h.dofr_relsec);
		if (r->nlooks > LOOKS_MAX)
			return dof_refuse(r->d, i, 0, r->err,
			    "the helpers have too many relocations");
		for (uint32_t k = 0;
		     k < dof_nelems(r->d, h.dofr_relsec) && rc == 0; k++)
			rc = relocate(r, h.dofr_relsec, k, inttab, o);
	}
	return rc;
}

static int
verify(struct dof_helper_reader *r, uint32_t sec, struct dif_obj *dp)
{
	struct err err = { 0 };
	int rc =
	    r->is_ours ? 0 : dof_abi_convert(dof_abi_guess(r->d), dp, &err);

	if (rc == 0)
		rc = dif_verify(dp, &err);
	if (rc == 0) {
		dif_hide_kernel(dp);
		rc = dif_verify_helper(dp, &err);
	}
	if (rc != 0)
		dof_refuse(r->d, sec, 0, r->err, "%s", err_text(&err));
	err_clear(&err);
	return rc;
}

static int
get_object(struct dof_helper_reader *r, uint32_t sec, struct dof_hobj *o)
{
	for (uint32_t i = 0; i < dof_nlinks(r->d, sec); i++)
		r->nbytes += r->d->secs[dof_link(r->d, sec, i)].dofs_size;
	if (++r->nobjects > OBJECTS_MAX || r->nbytes > BYTES_MAX)
		return dof_refuse(r->d, sec, 0, r->err,
		    "more than %d objects or %u bytes of helpers", OBJECTS_MAX,
		    BYTES_MAX);
	o->difo = dof_get_difo(r->d, sec);
	if (relocate_all(r, sec, o) != 0)
		return -EINVAL;
	return verify(r, sec, o->difo);
}

/* ---- clauses ------------------------------------------------------------- */

static int
get_actions(struct dof_helper_reader *r, uint32_t sec, struct dof_helper *h)
{
	int rc = 0;

	for (uint32_t i = 0; i < dof_nelems(r->d, sec) && rc == 0; i++) {
		struct dof_hobj o = { 0 };
		struct dof_actdesc a;

		dof_get(r->d, sec, i, &a);
		if (a.dofa_kind != DT_ACT_DIFEXPR ||
		    a.dofa_difo == DOF_SECIDX_NONE)
			return dof_refuse(r->d, sec, 0, r->err,
			    "action %u of a helper is no expression", i);
		rc = get_object(r, a.dofa_difo, &o);
		VEC_PUSH(&h->actions, o);
	}
	return rc;
}

static bool
is_for_stacks(const struct dof *d, const struct dof_ecbdesc *ecb)
{
	struct dof_probedesc pd;

	dof_get(d, ecb->dofe_probes, 0, &pd);
	return strcmp(dof_str(d, pd.dofp_strtab, pd.dofp_provider), "dtrace") ==
	    0 &&
	    strcmp(dof_str(d, pd.dofp_strtab, pd.dofp_mod), "helper") == 0 &&
	    strcmp(dof_str(d, pd.dofp_strtab, pd.dofp_func), "ustack") == 0;
}

static int
get_clause(struct dof_helper_reader *r, uint32_t sec)
{
	struct dof_ecbdesc ecb;
	struct dof_helper *h;
	int rc = 0;

	dof_get(r->d, sec, 0, &ecb);
	if (!is_for_stacks(r->d, &ecb) || ecb.dofe_actions == DOF_SECIDX_NONE)
		return 0;
	if (r->out->v.n == HELPERS_MAX)
		return dof_refuse(
		    r->d, sec, 0, r->err, "more than %d helpers", HELPERS_MAX);
	VEC_PUSH(&r->out->v, (struct dof_helper){ 0 });
	h = &r->out->v.v[r->out->v.n - 1];
	if (ecb.dofe_pred != DOF_SECIDX_NONE)
		rc = get_object(r, ecb.dofe_pred, &h->pred);
	return rc != 0 ? rc : get_actions(r, ecb.dofe_actions, h);
}

int
dof_get_helpers(const struct dof *d, struct dof_helpers *out, struct err *err)
{
	struct dof_helper_reader r = { .d = d, .out = out, .err = err };
	int rc = 0;

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++)
		r.is_ours |= d->secs[i].dofs_type == DOF_SECT_X_CLAUSE;
	for (uint32_t i = 0; i < d->hdr.dofh_secnum && rc == 0; i++) {
		if (d->secs[i].dofs_type == DOF_SECT_ECBDESC)
			rc = get_clause(&r, i);
	}
	return rc;
}
