/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs -> DOF.
 *
 * A clause becomes sections that DTrace's loaders know: for each probe
 * description a PROBEDESC and an ECBDESC, which share the predicate and the
 * ACTDESC; for each object a DIFOHDR and its tables.  An aggregation that
 * printa() names is the constant that an object returns, as everywhere in DOF.
 *
 * Other facts of our programs (which descriptions are one clause, D types,
 * names of aggregations) are in sections of our own.  Other loaders skip them,
 * and the program runs without them.
 */
#include "dof/dof_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/* A translator that the programs use, with the used members. */
struct xlator {
	const char *in, *out;
	VEC(const struct dif_xlref *) members;
	uint32_t sec; /* its XLIMPORT */
};

struct enc {
	struct dof_writer *w;
	const struct dof_prog_opts *opts;
	uint32_t source;	      /* clauses of the source so far */
	const struct diag_span *last; /* of the previous clause */
	size_t last_n;
	VEC(struct dof_xclause) clauses;
	VEC(struct dof_xaction) actions;
	VEC(struct dof_xagg) aggs;
	VEC(struct dof_xvar) vars;
	VEC(struct dof_xoption) options;
	VEC(struct xlator) xlators;
};

/* ---- translators -------------------------------------------------------- */

static struct xlator *
find_xlator(struct enc *en, const struct dif_xlref *x)
{
	VEC_FOREACH(&en->xlators, xl) {
		if (strcmp(xl->in, x->in) == 0 && strcmp(xl->out, x->out) == 0)
			return xl;
	}
	VEC_PUSH(&en->xlators, (struct xlator){ .in = x->in, .out = x->out });
	return &en->xlators.v[en->xlators.n - 1];
}

/* The member's index among those of the translator. */
static uint32_t
find_member(struct xlator *xl, const struct dif_xlref *x)
{
	for (size_t i = 0; i < xl->members.n; i++) {
		if (strcmp(xl->members.v[i]->member, x->member) == 0 &&
		    xl->members.v[i]->type.flags == x->type.flags)
			return (uint32_t)i;
	}
	VEC_PUSH(&xl->members, x);
	return (uint32_t)xl->members.n - 1;
}

static void
collect_xlators(struct enc *en, const struct dif_obj *dp)
{
	for (uint32_t i = 0; dp != NULL && i < dp->nxlref; i++)
		find_member(find_xlator(en, &dp->xlrefs[i]), &dp->xlrefs[i]);
}

static void
enc_xlator(struct enc *en, struct xlator *xl)
{
	VEC(struct dof_xlmember) members = { 0 };
	struct dof_xlator x = { .dofxl_strtab = DOF_WRITE_STRTAB,
		.dofxl_argv = dof_write_str(en->w, xl->in),
		.dofxl_argc = 1,
		.dofxl_type = dof_write_str(en->w, xl->out),
		.dofxl_attr =
		    dof_attr_word((struct dif_attr)DIF_ATTR_PROGRAM) };

	VEC_FOREACH(&xl->members, m)
		VEC_PUSH(&members,
		    (struct dof_xlmember){ .dofxm_difo = DOF_SECIDX_NONE,
			.dofxm_name = dof_write_str(en->w, (*m)->member),
			.dofxm_type = (*m)->type });
	x.dofxl_members =
	    dof_write_sec(en->w, DOF_SECT_XLMEMBERS, members.v, members.n);
	xl->sec = dof_write_sec(en->w, DOF_SECT_XLIMPORT, &x, 1);
	VEC_FREE(&members);
}

/* Written before the objects that refer to translators. */
static void
enc_xlators(struct enc *en, const struct dif_prog *const *progs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		VEC_FOREACH(&progs[i]->clauses, cl) {
			collect_xlators(en, cl->pred);
			VEC_FOREACH(&cl->actions, act)
				collect_xlators(en, act->difo);
		}
	}
	VEC_FOREACH(&en->xlators, xl)
		enc_xlator(en, xl);
}

static uint32_t
enc_xltab(struct enc *en, const struct dif_obj *dp)
{
	VEC(struct dof_xlref) refs = { 0 };
	uint32_t sec;

	for (uint32_t i = 0; i < dp->nxlref; i++) {
		const struct dif_xlref *x = &dp->xlrefs[i];
		struct xlator *xl = find_xlator(en, x);

		VEC_PUSH(&refs,
		    (struct dof_xlref){ .dofxr_xlator = xl->sec,
			.dofxr_member = find_member(xl, x),
			.dofxr_argn = x->argn });
	}
	sec = dof_write_sec(en->w, DOF_SECT_XLTAB, refs.v, refs.n);
	VEC_FREE(&refs);
	return sec;
}

/* ---- objects ------------------------------------------------------------ */

/*
 * Addresses of kernel symbols are written as 0: the running machine sets them.
 */
static uint32_t
enc_inttab(struct enc *en, const struct dif_obj *dp)
{
	size_t bytes = dp->nint * sizeof(*dp->inttab);
	uint64_t *ints = mem_alloc(bytes);
	uint32_t sec;

	memcpy(ints, dp->inttab, bytes);
	for (uint32_t i = 0; i < dp->nkrel; i++)
		ints[dp->krels[i].int_index] = 0;
	sec = dof_write_sec(en->w, DOF_SECT_INTTAB, ints, dp->nint);
	free(ints);
	return sec;
}

static void
enc_krels(struct enc *en, const struct dif_obj *dp, uint32_t inttab)
{
	VEC(struct dof_relodesc) relos = { 0 };
	struct dof_relohdr h = { .dofr_strtab = DOF_WRITE_STRTAB,
		.dofr_tgtsec = inttab };

	for (uint32_t i = 0; i < dp->nkrel; i++) {
		const struct dif_krel *k = &dp->krels[i];
		char *name = mem_printf("%s`%s", k->module, k->symbol);
		struct dof_relodesc r = { .dofr_name =
					      dof_write_str(en->w, name),
			.dofr_type =
			    k->is_percpu ? DOF_RELO_PERCPU : DOF_RELO_SETX,
			.dofr_offset = (uint64_t)k->int_index * 8,
			.dofr_data = k->addend };

		free(name);
		VEC_PUSH(&relos, r);
	}
	if (relos.n != 0) {
		h.dofr_relsec =
		    dof_write_sec(en->w, DOF_SECT_RELTAB, relos.v, relos.n);
		dof_write_sec(en->w, DOF_SECT_KRELHDR, &h, 1);
	}
	VEC_FREE(&relos);
}

static uint32_t
enc_difo(struct enc *en, const struct dif_obj *dp)
{
	uint32_t links[5], n = 0;

	links[n++] = dof_write_sec(en->w, DOF_SECT_DIF, dp->text, dp->ntext);
	if (dp->nint != 0) {
		links[n++] = enc_inttab(en, dp);
		enc_krels(en, dp, links[1]);
	}
	if (dp->strlen != 0)
		links[n++] = dof_write_sec(
		    en->w, DOF_SECT_STRTAB, dp->strtab, dp->strlen);
	if (dp->nvar != 0)
		links[n++] =
		    dof_write_sec(en->w, DOF_SECT_VARTAB, dp->vartab, dp->nvar);
	if (dp->nxlref != 0)
		links[n++] = enc_xltab(en, dp);
	return dof_write_difohdr(en->w, &dp->rtype, links, n);
}

/* An object that returns a constant of 8 bytes. */
static uint32_t
enc_constant(struct enc *en, uint64_t value)
{
	uint32_t text[] = { dif_instr_w(DIF_OP_SETX, 0, 1),
		dif_instr(DIF_OP_RET, 0, 0, 1) };
	struct dif_obj obj = { .text = text,
		.ntext = 2,
		.inttab = &value,
		.nint = 1,
		.rtype = { .ckind = DOF_CTF_K_INTEGER, .size = 8 } };

	return enc_difo(en, &obj);
}

/* ---- actions ------------------------------------------------------------ */

/* Does DOF have a place for this action's format? */
static bool
can_say_format(const struct dif_action *act)
{
	return act->fmt != NULL &&
	    (dif_act_has_format(act->kind) || act->kind == DT_ACT_DIFEXPR);
}

static struct dof_actdesc
enc_action(struct enc *en, const struct dif_action *act)
{
	struct dof_actdesc a = { .dofa_difo = DOF_SECIDX_NONE,
		.dofa_strtab = DOF_SECIDX_NONE,
		.dofa_kind = act->kind,
		.dofa_ntuple = act->ntuple,
		.dofa_arg = act->arg,
		.dofa_uarg = act->group + 1 };

	if (act->kind == DT_ACT_PRINTA)
		a.dofa_difo = enc_constant(en, act->arg);
	else if (act->difo != NULL)
		a.dofa_difo = enc_difo(en, act->difo);
	if (act->kind == DT_ACT_PRINTA)
		a.dofa_arg = 0;
	else if (act->kind == DT_ACT_LIBACT)
		a.dofa_arg += DOF_LIBACT_BASE;
	if (can_say_format(act)) {
		a.dofa_strtab = DOF_WRITE_STRTAB;
		a.dofa_arg = dof_write_str(en->w, act->fmt);
	}
	return a;
}

static struct dof_xaction
enc_xaction(struct enc *en, const struct dif_action *act)
{
	struct dof_xaction x = { .dofxa_strtab = DOF_WRITE_STRTAB,
		.dofxa_group = act->group,
		.dofxa_ctf = en->opts->ctf_of != NULL ?
		    en->opts->ctf_of(act, en->opts->ctf_arg) :
		    DOF_CTF_NONE };

	if (act->is_signed)
		x.dofxa_flags |= DOF_XA_SIGNED;
	if (act->type_name != NULL) {
		x.dofxa_flags |= DOF_XA_HAS_TYPE;
		x.dofxa_type = dof_write_str(en->w, act->type_name);
	}
	if (act->fmt != NULL && !can_say_format(act)) {
		x.dofxa_flags |= DOF_XA_HAS_FMT;
		x.dofxa_fmt = dof_write_str(en->w, act->fmt);
	}
	return x;
}

static uint32_t
enc_actions(struct enc *en, const struct dif_clause *cl)
{
	VEC(struct dof_actdesc) acts = { 0 };
	size_t first = en->actions.n;
	uint32_t sec;

	if (cl->actions.n == 0)
		return DOF_SECIDX_NONE;
	VEC_FOREACH(&cl->actions, act) {
		struct dof_xaction x = enc_xaction(en, act);

		x.dofxa_index = (uint32_t)acts.n;
		VEC_PUSH(&acts, enc_action(en, act));
		VEC_PUSH(&en->actions, x);
	}
	sec = dof_write_sec(en->w, DOF_SECT_ACTDESC, acts.v, acts.n);
	for (size_t i = first; i < en->actions.n; i++)
		en->actions.v[i].dofxa_actdesc = sec;
	VEC_FREE(&acts);
	return sec;
}

/* ---- clauses ------------------------------------------------------------ */

static uint32_t
enc_pdesc(struct enc *en, const struct dif_pdesc *pd)
{
	struct dof_probedesc d = { .dofp_strtab = DOF_WRITE_STRTAB,
		.dofp_provider = dof_write_str(en->w, pd->prov),
		.dofp_mod = dof_write_str(en->w, pd->mod),
		.dofp_func = dof_write_str(en->w, pd->func),
		.dofp_name = dof_write_str(en->w, pd->name),
		.dofp_id = pd->id };

	return dof_write_sec(en->w, DOF_SECT_PROBEDESC, &d, 1);
}

/* The parts that an `if` makes of a clause have the same description text. */
static bool
is_same_source(const struct enc *en, const struct dif_clause *cl)
{
	return en->last != NULL && en->last_n == cl->pdescs.n &&
	    memcmp(en->last, &cl->pdescs.v[0].span, sizeof(*en->last)) == 0;
}

static void
enc_clause(struct enc *en, const struct dif_clause *cl)
{
	struct dof_ecbdesc ecb = { .dofe_pred = DOF_SECIDX_NONE };
	struct dof_xclause x = { .dofxc_necbs = (uint32_t)cl->pdescs.n,
		.dofxc_attr = dof_attr_word(cl->attr) };
	VEC(uint32_t) probes = { 0 };

	if (cl->pdescs.n == 0)
		return;
	if (cl->pred != NULL)
		ecb.dofe_pred = enc_difo(en, cl->pred);
	ecb.dofe_actions = enc_actions(en, cl);
	VEC_FOREACH(&cl->pdescs, pd)
		VEC_PUSH(&probes, enc_pdesc(en, pd));
	if (!is_same_source(en, cl))
		en->source++;
	x.dofxc_source = en->source;
	x.dofxc_flags = cl->default_action ? DOF_XC_DEFAULT : 0;
	ecb.dofe_uarg = en->source;
	VEC_FOREACH(&probes, probe) {
		uint32_t sec;

		ecb.dofe_probes = *probe;
		sec = dof_write_sec(en->w, DOF_SECT_ECBDESC, &ecb, 1);
		if (probe == probes.v)
			x.dofxc_ecb = sec;
	}
	VEC_PUSH(&en->clauses, x);
	en->last = &cl->pdescs.v[0].span;
	en->last_n = cl->pdescs.n;
	VEC_FREE(&probes);
}

/* ---- sections of our own ------------------------------------------------ */

static void
enc_aggs(struct enc *en, const struct dif_prog *p)
{
	VEC_FOREACH(&p->aggs, agg) {
		struct dof_xagg x = { .dofxg_strtab = DOF_WRITE_STRTAB,
			.dofxg_name = dof_write_str(en->w, agg->name),
			.dofxg_id = agg->id,
			.dofxg_kind = agg->kind,
			.dofxg_nkeys = agg->nkeys,
			.dofxg_arg = agg->arg };

		/* programs of one session repeat earlier aggregations */
		if (agg->id > en->aggs.n)
			VEC_PUSH(&en->aggs, x);
		else
			en->aggs.v[agg->id - 1] = x;
	}
}

static void
enc_vars(struct enc *en, const struct dif_prog *p)
{
	VEC_FOREACH(&p->vars, pv) {
		struct dof_xvar x = { .dofxv_strtab = DOF_WRITE_STRTAB,
			.dofxv_name = dof_write_str(en->w, pv->name),
			.dofxv_type = dof_write_str(
			    en->w, pv->type_name != NULL ? pv->type_name : ""),
			.dofxv_var = pv->var };

		x.dofxv_var.name = 0;
		VEC_PUSH(&en->vars, x);
	}
}

static void
enc_private(struct enc *en)
{
	if (en->clauses.n != 0)
		dof_write_sec(
		    en->w, DOF_SECT_X_CLAUSE, en->clauses.v, en->clauses.n);
	if (en->actions.n != 0)
		dof_write_sec(
		    en->w, DOF_SECT_X_ACTION, en->actions.v, en->actions.n);
	if (en->aggs.n != 0)
		dof_write_sec(en->w, DOF_SECT_X_AGG, en->aggs.v, en->aggs.n);
	if (en->vars.n != 0)
		dof_write_sec(en->w, DOF_SECT_X_VAR, en->vars.v, en->vars.n);
	if (en->options.n != 0)
		dof_write_sec(
		    en->w, DOF_SECT_X_OPTION, en->options.v, en->options.n);
	if (en->opts->ctf != NULL && en->opts->ctf->len != 0)
		dof_write_sec(en->w, DOF_SECT_X_TYPES, en->opts->ctf->s,
		    en->opts->ctf->len);
}

/* ---- options ------------------------------------------------------------ */

static void
enc_options(struct enc *en, const struct dof_prog_opts *opts)
{
	VEC(struct dof_optdesc) descs = { 0 };

	VEC_FOREACH(&opts->options, o) {
		struct dof_optdesc d = { .dofo_option = o->number,
			.dofo_strtab = DOF_SECIDX_NONE,
			.dofo_value = (uint64_t)o->value };

		if (o->text != NULL) {
			d.dofo_strtab = DOF_WRITE_STRTAB;
			d.dofo_value = dof_write_str(en->w, o->text);
		}
		VEC_PUSH(&descs, d);
	}
	if (descs.n != 0)
		dof_write_sec(en->w, DOF_SECT_OPTDESC, descs.v, descs.n);
	VEC_FREE(&descs);
	VEC_FOREACH(&opts->named, o) {
		struct dof_xoption x = { .dofxo_strtab = DOF_WRITE_STRTAB,
			.dofxo_name = dof_write_str(en->w, o->name),
			.dofxo_value = dof_write_str(en->w, o->value) };

		VEC_PUSH(&en->options, x);
	}
}

static void
enc_origin(struct enc *en)
{
	static const char comment[] = "OpenDTrace for Linux";
	struct utsname uts = { 0 };

	dof_write_sec(en->w, DOF_SECT_COMMENTS, comment, sizeof(comment));
	if (uname(&uts) == 0)
		dof_write_sec(en->w, DOF_SECT_UTSNAME, &uts, sizeof(uts));
}

void
dof_encode_progs(const struct dif_prog *const *progs, size_t n,
    const struct dof_prog_opts *opts, struct strbuf *out)
{
	static const struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_NATIVE,
		DOF_VERSION_2 };
	struct enc en = { .w = dof_writer_create(&id), .opts = opts };

	enc_xlators(&en, progs, n);
	for (size_t i = 0; i < n; i++) {
		VEC_FOREACH(&progs[i]->clauses, cl)
			enc_clause(&en, cl);
		enc_aggs(&en, progs[i]);
		enc_vars(&en, progs[i]);
	}
	enc_options(&en, opts);
	enc_private(&en);
	if (!opts->strip)
		enc_origin(&en);
	dof_write_finish(en.w, out);
	dof_writer_destroy(en.w);
	VEC_FREE(&en.clauses);
	VEC_FREE(&en.actions);
	VEC_FREE(&en.aggs);
	VEC_FREE(&en.vars);
	VEC_FREE(&en.options);
	VEC_FOREACH(&en.xlators, xl)
		VEC_FREE(&xl->members);
	VEC_FREE(&en.xlators);
}
