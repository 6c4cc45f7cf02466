/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: adding statements to a program.
 *
 * An added statement comes from the caller: it becomes part of the program only
 * if the whole program then passes the checks for DOF from elsewhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "libdtrace/api_impl.h"

static void *
dup_table(const void *from, size_t size)
{
	void *to = mem_alloc(size + 1);

	if (size != 0)
		memcpy(to, from, size);
	return to;
}

static void
dup_krels(struct dif_obj *dp, const dtrace_difo_t *difo)
{
	const struct dif_krel *from =
	    (const struct dif_krel *)difo->dtdo_kreltab;

	dp->nkrel = difo->dtdo_krelen;
	dp->krels = mem_alloc((dp->nkrel + 1) * sizeof(*dp->krels));
	for (uint32_t i = 0; i < dp->nkrel; i++) {
		dp->krels[i] = from[i];
		dp->krels[i].module = mem_strdup(from[i].module);
		dp->krels[i].symbol = mem_strdup(from[i].symbol);
	}
}

static bool
krels_are_in_range(const struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->nkrel; i++) {
		if (dp->krels[i].int_index >= dp->nint)
			return false;
	}
	return true;
}

/* A verified copy; NULL with a message if it does not pass. */
static struct dif_obj *
obj_of(dtrace_hdl_t *h, const dtrace_difo_t *difo)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));
	struct err err = { 0 };
	int rc;

	dp->ntext = difo->dtdo_len;
	dp->nint = difo->dtdo_intlen;
	dp->strlen = difo->dtdo_strlen;
	dp->nvar = difo->dtdo_varlen;
	dp->text = dup_table(difo->dtdo_buf, dp->ntext * sizeof(*dp->text));
	dp->inttab =
	    dup_table(difo->dtdo_inttab, dp->nint * sizeof(*dp->inttab));
	dp->strtab = dup_table(difo->dtdo_strtab, dp->strlen);
	dp->vartab =
	    dup_table(difo->dtdo_vartab, dp->nvar * sizeof(*dp->vartab));
	memcpy(&dp->rtype, &difo->dtdo_rtype, sizeof(dp->rtype));
	dup_krels(dp, difo);
	rc = dif_verify(dp, &err);
	if (rc == 0 && krels_are_in_range(dp))
		return dp;
	dt_fail(h->dt, "an object is not valid DIF: %s",
	    rc != 0 ? err_text(&err) :
		      "a kernel symbol's integer is not there");
	err_clear(&err);
	dif_obj_destroy(dp);
	return NULL;
}

/*
 * Is it an expression without data?  Before an aggregation, that is its
 * increment.
 */
static bool
is_unrecorded(const struct dif_action *act)
{
	return act->kind == DT_ACT_DIFEXPR && act->difo != NULL &&
	    act->difo->rtype.kind == DIF_TYPE_CTF && act->difo->rtype.size == 0;
}

/* Set the fields that the compiler would have set: the actions of a tuple. */
static void
mark_tuple(struct dif_clause *cl, size_t i)
{
	struct dif_action *act = &cl->actions.v[i];

	if (!DT_ACT_IS_AGG(act->kind) || act->ntuple > i)
		return;
	for (uint32_t k = 1; k <= act->ntuple; k++)
		act[-(ptrdiff_t)k].in_tuple = true;
	act->has_incr = act->ntuple > 1 && is_unrecorded(&act[-1]);
}

static int
add_action(dtrace_hdl_t *h, struct dif_clause *cl, uint32_t group,
    const dtrace_stmtdesc_t *stmt, const dtrace_actdesc_t *ad)
{
	const struct api_format *af = stmt->dtsd_fmtdata;
	struct dif_action act = { .kind = ad->dtad_kind,
		.ntuple = ad->dtad_ntuple,
		.arg = ad->dtad_arg,
		.uarg = ad->dtad_uarg == (uintptr_t)stmt ? 0 : ad->dtad_uarg,
		.group = group,
		.is_signed = true };

	if (ad->dtad_difo != NULL) {
		act.difo = obj_of(h, ad->dtad_difo);
		if (act.difo == NULL)
			return -1;
	}
	if (af != NULL && dif_act_has_format(act.kind))
		act.fmt = mem_strdup(af->text);
	VEC_PUSH(&cl->actions, act);
	mark_tuple(cl, cl->actions.n - 1);
	return 0;
}

static int
add_actions(
    dtrace_hdl_t *h, struct dif_clause *cl, const dtrace_stmtdesc_t *stmt)
{
	uint32_t group =
	    cl->actions.n == 0 ? 0 : cl->actions.v[cl->actions.n - 1].group + 1;
	const dtrace_actdesc_t *ad = stmt->dtsd_action;

	for (; ad != NULL; ad = ad->dtad_next) {
		if (add_action(h, cl, group, stmt, ad) != 0)
			return -1;
		if (ad == stmt->dtsd_action_last)
			break;
	}
	cl->default_action = cl->actions.n == 0;
	return 0;
}

/* Append a clause; it has a place of its own, which is not in a text. */
static int
add_clause(dtrace_hdl_t *h, struct dif_prog *dif, const dtrace_stmtdesc_t *stmt)
{
	const dtrace_ecbdesc_t *ecb = stmt->dtsd_ecbdesc;
	const dtrace_probedesc_t *pd = &ecb->dted_probe;
	struct dif_pdesc desc = { .id = pd->dtpd_id,
		.prov = mem_strndup(pd->dtpd_provider, DTRACE_PROVNAMELEN - 1),
		.mod = mem_strndup(pd->dtpd_mod, DTRACE_MODNAMELEN - 1),
		.func = mem_strndup(pd->dtpd_func, DTRACE_FUNCNAMELEN - 1),
		.name = mem_strndup(pd->dtpd_name, DTRACE_NAMELEN - 1),
		.span = { .off = (uint32_t)dif->clauses.n + 1 } };
	struct dif_clause cl = { .default_action = true,
		.attr = { stmt->dtsd_stmtattr.dtat_name,
		    stmt->dtsd_stmtattr.dtat_data,
		    stmt->dtsd_stmtattr.dtat_class } };

	VEC_PUSH(&cl.pdescs, desc);
	VEC_PUSH(&dif->clauses, cl);
	if (ecb->dted_pred.dtpdd_difo == NULL)
		return 0;
	dif->clauses.v[dif->clauses.n - 1].pred =
	    obj_of(h, ecb->dted_pred.dtpdd_difo);
	return dif->clauses.v[dif->clauses.n - 1].pred != NULL ? 0 : -1;
}

/*
 * Add aggregations that other programs of the handle have, or that the
 * statement names: ids count from 1 without gaps.
 */
static void
add_aggs(dtrace_hdl_t *h, struct dif_prog *dif, const dtrace_stmtdesc_t *stmt)
{
	const struct dif_clause *cl = &dif->clauses.v[dif->clauses.n - 1];
	const struct dif_action *act;
	struct dif_agg agg;

	VEC_FOREACH(&h->dt->compiled.progs, p) {
		for (size_t i = dif->aggs.n; i < (*p)->dif->aggs.n; i++) {
			agg = (*p)->dif->aggs.v[i];
			agg.name = mem_strdup(agg.name);
			VEC_PUSH(&dif->aggs, agg);
		}
	}
	if (cl->actions.n == 0 || stmt->dtsd_aggdata == NULL)
		return;
	act = &cl->actions.v[cl->actions.n - 1];
	if (!DT_ACT_IS_AGG(act->kind) || act->ntuple == 0 ||
	    act->ntuple >= cl->actions.n || dif_agg_id(act) != dif->aggs.n + 1)
		return;
	agg = (struct dif_agg){ .id = (uint32_t)dif->aggs.n + 1,
		.name = mem_strdup(stmt->dtsd_aggdata),
		.kind = act->kind,
		.arg = act->arg,
		.nkeys = act->ntuple - 1 - act->has_incr };
	VEC_PUSH(&dif->aggs, agg);
}

/* Check all programs, which share their variables: 0 or -1. */
static int
encode(dtrace_hdl_t *h, struct strbuf *image)
{
	VEC(const struct dif_prog *) difs = { 0 };
	int rc;

	VEC_FOREACH(&h->dt->compiled.progs, p)
		VEC_PUSH(&difs, (*p)->dif);
	rc = dt_encode(h->dt, difs.v, difs.n, false, image);
	VEC_FREE(&difs);
	return rc;
}

/* Check the program as the loader of DOF would. */
static int
check(dtrace_hdl_t *h)
{
	struct dif_prog *decoded = NULL;
	struct strbuf image = { 0 };
	struct dof *d = NULL;
	struct err err = { 0 };
	int rc = encode(h, &image);

	if (rc != 0) {
		strbuf_fini(&image);
		return -1;
	}
	rc = dof_decode(image.s, image.len, &err, &d);
	if (rc != 0)
		goto out;
	rc = dof_check_enabling(d, &err);
	if (rc != 0)
		goto out;
	rc = dof_decode_prog(d, DOF_ABI_OPENDTRACE, &err, &decoded);
	if (rc != 0)
		goto out;
	dif_prog_destroy(decoded);
out:
	if (d != NULL)
		dof_destroy(d);
	strbuf_fini(&image);
	return rc == 0 ? 0 : dt_fail_err(h->dt, &err);
}

/* Cut the program back to nclauses clauses, the last of them with nactions. */
static void
take_back(struct dif_prog *dif, size_t nclauses, size_t nactions, size_t naggs)
{
	struct dif_clause *last =
	    nclauses != 0 ? &dif->clauses.v[nclauses - 1] : NULL;

	while (dif->clauses.n > nclauses)
		dif_clause_fini(&dif->clauses.v[--dif->clauses.n]);
	while (last != NULL && last->actions.n > nactions)
		dif_action_fini(&last->actions.v[--last->actions.n]);
	if (last != NULL)
		last->default_action =
		    last->default_action || last->actions.n == 0;
	while (dif->aggs.n > naggs)
		free(dif->aggs.v[--dif->aggs.n].name);
}

static int
try_add(dtrace_hdl_t *h, struct dif_prog *dif, const dtrace_stmtdesc_t *stmt,
    bool is_new)
{
	if (is_new && add_clause(h, dif, stmt) != 0)
		return -1;
	if (add_actions(h, &dif->clauses.v[dif->clauses.n - 1], stmt) != 0)
		return -1;
	add_aggs(h, dif, stmt);
	return check(h);
}

int
dtrace_stmt_add(dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt)
{
	struct dt_prog *p = api_prog(prog);
	struct dif_prog *dif = p->dif;
	size_t nclauses = dif->clauses.n, naggs = dif->aggs.n;
	size_t nactions =
	    nclauses != 0 ? dif->clauses.v[nclauses - 1].actions.n : 0;
	bool is_new = h->last_prog != prog || h->last_ecb != stmt->dtsd_ecbdesc;

	if (stmt->dtsd_ecbdesc == NULL)
		return api_fail(h, EINVAL);
	if (p->is_enabled)
		return api_fail(h, EDT_BUSY);
	if (try_add(h, dif, stmt, is_new) != 0 ||
	    (is_new && dt_match_last(h->dt, p) != 0)) {
		take_back(dif, nclauses, nactions, naggs);
		return api_fail_dt(h, EDT_COMPILER);
	}
	h->last_ecb = stmt->dtsd_ecbdesc;
	h->last_prog = prog;
	return 0;
}
