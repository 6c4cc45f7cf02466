/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF -> programs: clauses, and our own sections.
 *
 * The image passed dof_decode() and dof_check_enabling(), so links may be
 * followed.  Its meaning is checked by the files that read it: objects must
 * verify (dof_prog_difo.c), actions must exist here (dof_prog_acts.c),
 * arguments must be within bounds (dof_actions.c).
 *
 * Sections may be shared, but a program has copies: the copied bytes may not
 * exceed a small multiple of the image's size.
 */
#include "dof/dof_prog_read_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

/* Cut a name to the length of DTrace's tables. */
static char *
cut_str(const struct dof *d, uint32_t strtab, uint32_t off, size_t max)
{
	const char *s = dof_str(d, strtab, off);

	return mem_strndup(s, strnlen(s, max));
}

static void
dec_pdesc(
    struct dec *de, uint32_t sec, struct diag_span span, struct dif_clause *cl)
{
	struct dof_probedesc pd;
	struct dif_pdesc desc = { .span = span };

	dof_get(de->d, sec, 0, &pd);
	desc.prov = cut_str(de->d, pd.dofp_strtab, pd.dofp_provider, 63);
	desc.mod = cut_str(de->d, pd.dofp_strtab, pd.dofp_mod, 63);
	desc.func = cut_str(de->d, pd.dofp_strtab, pd.dofp_func, 191);
	desc.name = cut_str(de->d, pd.dofp_strtab, pd.dofp_name, 63);
	desc.id = pd.dofp_id;
	VEC_PUSH(&cl->pdescs, desc);
}

/*
 * Copy the descriptions of a clause.  There is no source text: spans only tell
 * clauses apart.
 */
static void
dec_pdescs(struct dec *de, uint32_t first, uint32_t n, uint32_t source,
    struct dif_clause *cl)
{
	struct dof_ecbdesc ecb;

	for (uint32_t i = 0; i < n; i++) {
		struct diag_span span = { .off = source, .len = i };

		dof_get(de->d, first + i, 0, &ecb);
		dec_pdesc(de, ecb.dofe_probes, span, cl);
	}
}

/* Make a clause from the ECBs [first, first + n). */
static int
dec_clause(
    struct dec *de, uint32_t first, uint32_t n, const struct dof_xclause *x)
{
	struct dif_clause *cl;
	struct dof_ecbdesc ecb;
	int rc =
	    dec_spend(de, first, sizeof(*cl) + n * sizeof(struct dif_pdesc));

	if (rc != 0)
		return rc;
	VEC_PUSH(&de->p->clauses,
	    (struct dif_clause){
		.default_action = (x->dofxc_flags & DOF_XC_DEFAULT) != 0 });
	cl = &de->p->clauses.v[de->p->clauses.n - 1];
	if (!dof_attr_of_word(x->dofxc_attr, &cl->attr))
		return REFUSE(de, first, 0, "0x%x is no stability attribute",
		    x->dofxc_attr);
	dec_pdescs(de, first, n, x->dofxc_source, cl);
	dof_get(de->d, first, 0, &ecb);
	if (ecb.dofe_pred != DOF_SECIDX_NONE) {
		rc = dec_difo(de, ecb.dofe_pred, &cl->pred);
		if (rc != 0)
			return rc;
	}
	if (cl->pred != NULL &&
	    (cl->pred->rtype.flags & (DIF_TF_BYREF | DIF_TF_BYUREF)))
		return REFUSE(de, ecb.dofe_pred, 0,
		    "a predicate must be a "
		    "value, not a reference");
	return ecb.dofe_actions != DOF_SECIDX_NONE ?
	    dec_actions(de, ecb.dofe_actions, cl) :
	    0;
}

/* The ECBs that an X_CLAUSE joins must all exist and be alike. */
static int
check_xclause(struct dec *de, uint32_t i, const struct dof_xclause *x)
{
	struct dof_ecbdesc a, b;

	if (x->dofxc_necbs == 0 ||
	    x->dofxc_necbs > de->d->hdr.dofh_secnum - x->dofxc_ecb)
		return REFUSE(de, de->x_clause, i,
		    "clause %u has %u probe "
		    "descriptions from section %u on",
		    i, x->dofxc_necbs, x->dofxc_ecb);
	dof_get(de->d, x->dofxc_ecb, 0, &a);
	for (uint32_t k = 1; k < x->dofxc_necbs; k++) {
		uint32_t sec = x->dofxc_ecb + k;

		if (de->d->secs[sec].dofs_type != DOF_SECT_ECBDESC)
			return REFUSE(de, de->x_clause, i,
			    "clause %u: section "
			    "%u is not ECBDESC",
			    i, sec);
		dof_get(de->d, sec, 0, &b);
		if (a.dofe_pred != b.dofe_pred ||
		    a.dofe_actions != b.dofe_actions)
			return REFUSE(de, de->x_clause, i,
			    "clause %u: "
			    "sections %u and %u differ in more than the probe "
			    "description",
			    i, x->dofxc_ecb, sec);
	}
	return 0;
}

static int
dec_our_clauses(struct dec *de)
{
	uint32_t n = dof_nelems(de->d, de->x_clause), least = 0;
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		struct dof_xclause x;

		dof_get(de->d, de->x_clause, i, &x);
		if (x.dofxc_ecb < least)
			return REFUSE(de, de->x_clause, i,
			    "clause %u begins "
			    "at section %u, but those up to %u are taken",
			    i, x.dofxc_ecb, least);
		rc = check_xclause(de, i, &x);
		if (rc == 0)
			rc = dec_clause(de, x.dofxc_ecb, x.dofxc_necbs, &x);
		least = x.dofxc_ecb + x.dofxc_necbs;
	}
	return rc;
}

static int
dec_foreign_clauses(struct dec *de)
{
	int rc = 0;

	for (uint32_t i = 0; i < de->d->hdr.dofh_secnum && rc == 0; i++) {
		static const struct dif_attr attr = DIF_ATTR_PROGRAM;
		struct dof_xclause x = { .dofxc_source = i,
			.dofxc_attr = dof_attr_word(attr) };
		struct dof_ecbdesc ecb;

		if (de->d->secs[i].dofs_type != DOF_SECT_ECBDESC)
			continue;
		dof_get(de->d, i, 0, &ecb);
		if (ecb.dofe_actions == DOF_SECIDX_NONE)
			x.dofxc_flags = DOF_XC_DEFAULT;
		rc = dec_clause(de, i, 1, &x);
	}
	return rc;
}

/* ---- our own sections --------------------------------------------------- */

static int
find_private(struct dec *de)
{
	struct {
		uint32_t type, *sec;
	} kinds[] = { { DOF_SECT_X_CLAUSE, &de->x_clause },
		{ DOF_SECT_X_ACTION, &de->x_action },
		{ DOF_SECT_X_AGG, &de->x_agg },
		{ DOF_SECT_X_VAR, &de->x_var } };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		*kinds[k].sec = DOF_SECIDX_NONE;
	for (uint32_t i = 0; i < de->d->hdr.dofh_secnum; i++) {
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (de->d->secs[i].dofs_type != kinds[k].type)
				continue;
			if (*kinds[k].sec != DOF_SECIDX_NONE)
				return REFUSE(de, i, 0,
				    "section %u is of this "
				    "type, too",
				    *kinds[k].sec);
			*kinds[k].sec = i;
		}
	}
	de->is_ours = de->x_clause != DOF_SECIDX_NONE;
	return 0;
}

static void
index_xactions(struct dec *de)
{
	struct dof_xaction x;

	de->xaction_of =
	    mem_alloc(de->d->hdr.dofh_secnum * sizeof(*de->xaction_of) + 1);
	if (de->x_action == DOF_SECIDX_NONE)
		return;
	for (uint32_t i = 0; i < dof_nelems(de->d, de->x_action); i++) {
		dof_get(de->d, de->x_action, i, &x);
		if (x.dofxa_index == 0)
			de->xaction_of[x.dofxa_actdesc] = i + 1;
	}
}

static int
dec_vars(struct dec *de)
{
	uint32_t n =
	    de->x_var == DOF_SECIDX_NONE ? 0 : dof_nelems(de->d, de->x_var);
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		struct dof_xvar x;
		struct dif_pvar pv = { 0 };

		rc = dec_spend(de, de->x_var, 2 * (NAME_MAX_LEN + 1));
		if (rc != 0)
			return rc;
		dof_get(de->d, de->x_var, i, &x);
		pv.var = x.dofxv_var;
		pv.name =
		    cut_str(de->d, x.dofxv_strtab, x.dofxv_name, NAME_MAX_LEN);
		pv.type_name =
		    cut_str(de->d, x.dofxv_strtab, x.dofxv_type, NAME_MAX_LEN);
		VEC_PUSH(&de->p->vars, pv);
	}
	return rc;
}

/* The type of each action of a clause. */
static void
each_clause_type(struct dec *de, struct dif_clause *cl, uint32_t ecbsec,
    void (*f)(struct dif_action *act, uint32_t ctf, void *arg), void *arg)
{
	struct dof_ecbdesc ecb;

	dof_get(de->d, ecbsec, 0, &ecb);
	VEC_FOREACH(&cl->actions, act) {
		struct dof_xaction x;

		dof_get(de->d, de->x_action,
		    de->xaction_of[ecb.dofe_actions] - 1 +
			(uint32_t)(act - cl->actions.v),
		    &x);
		if (x.dofxa_ctf != DOF_CTF_NONE)
			f(act, x.dofxa_ctf, arg);
	}
}

void
dof_each_type(const struct dof *d, const struct dif_prog *p,
    void (*f)(struct dif_action *act, uint32_t ctf, void *arg), void *arg)
{
	struct dec de = { .d = d };

	find_private(&de);
	if (!de.is_ours || de.x_action == DOF_SECIDX_NONE)
		return;
	index_xactions(&de);
	VEC_FOREACH(&p->clauses, cl) {
		struct dof_xclause x;

		dof_get(d, de.x_clause, (uint32_t)(cl - p->clauses.v), &x);
		each_clause_type(&de, cl, x.dofxc_ecb, f, arg);
	}
	free(de.xaction_of);
}

/* ------------------------------------------------------------------------- */

static void
dec_fini(struct dec *de)
{
	free(de->xaction_of);
	free(de->krel_of);
	VEC_FREE(&de->agg_ids);
	VEC_FOREACH(&de->aggs, agg)
		VEC_FREE(&agg->kinds);
	VEC_FREE(&de->aggs);
	VEC_FREE(&de->vars);
}

int
dof_decode_prog(const struct dof *d, enum dof_abi abi, struct err *err,
    struct dif_prog **outp)
{
	struct dec de = { .d = d,
		.err = err,
		.abi = abi != DOF_ABI_GUESS ? abi : dof_abi_guess(d),
		.budget = 65536 + d->hdr.dofh_filesz * COPY_PER_BYTE,
		.p = dif_prog_create() };
	int rc = find_private(&de);

	if (rc != 0)
		goto out;
	rc = dec_index_relocations(&de);
	if (rc != 0)
		goto out;
	rc = dof_dec_aggs(&de);
	if (rc != 0)
		goto out;
	index_xactions(&de);
	rc = de.is_ours ? dec_our_clauses(&de) : dec_foreign_clauses(&de);
	if (rc != 0)
		goto out;
	rc = dof_check_aggs(&de);
	if (rc != 0)
		goto out;
	rc = dof_check_vars(&de);
	if (rc != 0)
		goto out;
	rc = dec_vars(&de);
	if (rc != 0)
		goto out;
	*outp = de.p;
	de.p = NULL;
out:
	if (de.p != NULL)
		dif_prog_destroy(de.p);
	dec_fini(&de);
	return rc;
}
