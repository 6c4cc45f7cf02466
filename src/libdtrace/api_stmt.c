/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: the statements of a program.
 *
 * The API hands out copies in the published layout: each source-level statement
 * of a clause, once for each probe description of the clause.
 *
 *	ecbdesc: probe, predicate, actions --+
 *	                                     v
 *	               action -> action -> action -> action -> NULL
 *	stmt 1 first, last ^--------^          ^        ^
 *	stmt 2 first, last --------------------+--------+
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "libdtrace/api_impl.h"

_Static_assert(
    sizeof(dtrace_difv_t) == sizeof(struct dif_var), "layout of the ABI");
_Static_assert(
    sizeof(dtrace_diftype_t) == sizeof(struct dif_type), "layout of the ABI");

static void *
copy(dtrace_hdl_t *h, const void *from, size_t size)
{
	void *to = arena_alloc(&h->stmt_arena, size + 1);

	if (size != 0)
		memcpy(to, from, size);
	return to;
}

static dtrace_difo_t *
difo_of(dtrace_hdl_t *h, const struct dif_obj *dp)
{
	dtrace_difo_t *difo;

	if (dp == NULL)
		return NULL;
	difo = ARENA_NEW(&h->stmt_arena, dtrace_difo_t);
	difo->dtdo_buf = copy(h, dp->text, dp->ntext * sizeof(*dp->text));
	difo->dtdo_inttab = copy(h, dp->inttab, dp->nint * sizeof(*dp->inttab));
	difo->dtdo_strtab = copy(h, dp->strtab, dp->strlen);
	difo->dtdo_vartab = copy(h, dp->vartab, dp->nvar * sizeof(*dp->vartab));
	difo->dtdo_len = dp->ntext;
	difo->dtdo_intlen = dp->nint;
	difo->dtdo_strlen = dp->strlen;
	difo->dtdo_varlen = dp->nvar;
	memcpy(&difo->dtdo_rtype, &dp->rtype, sizeof(dp->rtype));
	difo->dtdo_destructive = dp->is_destructive;
	difo->dtdo_kreltab = (const struct dtrace_krel *)dp->krels;
	difo->dtdo_krelen = dp->nkrel;
	return difo;
}

static dtrace_ecbdesc_t *
ecb_of(
    dtrace_hdl_t *h, const struct dif_clause *cl, const struct dif_pdesc *desc)
{
	dtrace_ecbdesc_t *ecb = ARENA_NEW(&h->stmt_arena, dtrace_ecbdesc_t);
	dtrace_probedesc_t *pd = &ecb->dted_probe;

	ecb->dted_pred.dtpdd_difo = difo_of(h, cl->pred);
	pd->dtpd_id = desc->id;
	snprintf(
	    pd->dtpd_provider, sizeof(pd->dtpd_provider), "%s", desc->prov);
	snprintf(pd->dtpd_mod, sizeof(pd->dtpd_mod), "%s", desc->mod);
	snprintf(pd->dtpd_func, sizeof(pd->dtpd_func), "%s", desc->func);
	snprintf(pd->dtpd_name, sizeof(pd->dtpd_name), "%s", desc->name);
	return ecb;
}

static dtrace_stmtdesc_t *
stmt_new(dtrace_hdl_t *h, dtrace_ecbdesc_t *ecb)
{
	dtrace_stmtdesc_t *stmt = ARENA_NEW(&h->stmt_arena, dtrace_stmtdesc_t);

	stmt->dtsd_ecbdesc = ecb;
	stmt->dtsd_descattr = stmt->dtsd_stmtattr =
	    api_attribute((struct dif_attr)DIF_ATTR_PROGRAM);
	return stmt;
}

static dtrace_actdesc_t *
append_action(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt)
{
	dtrace_actdesc_t *act = ARENA_NEW(&h->stmt_arena, dtrace_actdesc_t);
	dtrace_actdesc_t **link = &stmt->dtsd_ecbdesc->dted_action;

	while (*link != NULL)
		link = &(*link)->dtad_next;
	*link = act;
	if (stmt->dtsd_action == NULL)
		stmt->dtsd_action = act;
	stmt->dtsd_action_last = act;
	return act;
}

static void
fill_action(dtrace_hdl_t *h, const struct dif_prog *dif,
    const struct dif_action *act, dtrace_stmtdesc_t *stmt)
{
	dtrace_actdesc_t *ad = append_action(h, stmt);
	uint64_t id;

	ad->dtad_difo = difo_of(h, act->difo);
	ad->dtad_kind = act->kind;
	ad->dtad_ntuple = act->ntuple;
	ad->dtad_arg = act->arg;
	ad->dtad_uarg = act->uarg != 0 ? act->uarg : (uintptr_t)stmt;
	if (act->fmt != NULL && dif_act_has_format(act->kind) &&
	    stmt->dtsd_fmtdata == NULL)
		stmt->dtsd_fmtdata =
		    api_format(h, act->fmt, act->kind == DT_ACT_PRINTA);
	id = DT_ACT_IS_AGG(act->kind) ? dif_agg_id(act) : 0;
	if (id >= 1 && id <= dif->aggs.n)
		stmt->dtsd_aggdata =
		    arena_strdup(&h->stmt_arena, dif->aggs.v[id - 1].name);
}

/* Hand out a clause for one of its descriptions. */
static int
iter_ecb(dtrace_hdl_t *h, dtrace_prog_t *prog, const struct dif_clause *cl,
    const struct dif_pdesc *desc, dtrace_stmt_f *f, void *arg)
{
	const struct dif_prog *dif = api_prog(prog)->dif;
	dtrace_ecbdesc_t *ecb = ecb_of(h, cl, desc);
	VEC(dtrace_stmtdesc_t *) stmts = { 0 };
	int rc = 0;

	for (size_t i = 0; i == 0 || i < cl->actions.n; i++) {
		if (i == 0 ||
		    cl->actions.v[i].group != cl->actions.v[i - 1].group)
			VEC_PUSH(&stmts, stmt_new(h, ecb));
		if (i < cl->actions.n)
			fill_action(
			    h, dif, &cl->actions.v[i], stmts.v[stmts.n - 1]);
	}
	for (size_t i = 0; i < stmts.n && rc == 0; i++) {
		stmts.v[i]->dtsd_stmtattr = api_attribute(cl->attr);
		rc = f(h, prog, stmts.v[i], arg);
	}
	VEC_FREE(&stmts);
	return rc;
}

int
dtrace_stmt_iter(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmt_f *f, void *arg)
{
	const struct dif_prog *dif = api_prog(prog)->dif;
	size_t n = dif->clauses.n; /* f may add clauses */
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		for (size_t k = 0; k < dif->clauses.v[i].pdescs.n && rc == 0;
		     k++)
			rc = iter_ecb(h, prog, &dif->clauses.v[i],
			    &dif->clauses.v[i].pdescs.v[k], f, arg);
	}
	return rc;
}

dtrace_stmtdesc_t *
dtrace_stmt_create(dtrace_hdl_t *h, dtrace_ecbdesc_t *ecb)
{
	return stmt_new(h, ecb);
}

dtrace_actdesc_t *
dtrace_stmt_action(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt)
{
	return append_action(h, stmt);
}

/* The handle owns its memory; the program holds a copy. */
void
dtrace_stmt_destroy(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt)
{
	if (stmt->dtsd_ecbdesc == h->last_ecb)
		h->last_ecb = NULL;
	memset(stmt, 0, sizeof(*stmt));
}
