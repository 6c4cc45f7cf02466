/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs: life cycle and listing.
 */
#include "dif/prog.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

void
dif_xlrefs_free(struct dif_xlref *refs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(refs[i].in);
		free(refs[i].out);
		free(refs[i].member);
	}
	free(refs);
}

void
dif_obj_destroy(struct dif_obj *dp)
{
	if (dp == NULL)
		return;
	free(dp->text);
	free(dp->inttab);
	free(dp->strtab);
	free(dp->vartab);
	free(dp->spans);
	free(dp->uses);
	for (uint32_t i = 0; i < dp->nkrel; i++) {
		free(dp->krels[i].module);
		free(dp->krels[i].symbol);
	}
	free(dp->krels);
	dif_xlrefs_free(dp->xlrefs, dp->nxlref);
	free(dp);
}

struct dif_prog *
dif_prog_create(void)
{
	return mem_alloc(sizeof(struct dif_prog));
}

void
dif_action_fini(struct dif_action *act)
{
	free(act->fmt);
	free(act->type_name);
	dif_obj_destroy(act->difo);
}

void
dif_clause_fini(struct dif_clause *cl)
{
	VEC_FOREACH(&cl->pdescs, pd) {
		free(pd->prov);
		free(pd->mod);
		free(pd->func);
		free(pd->name);
	}
	VEC_FREE(&cl->pdescs);
	free(cl->fires);
	for (size_t i = 0; cl->lacks != NULL && i < DIF_NFIRED; i++)
		free(cl->lacks[i]);
	free(cl->lacks);
	dif_obj_destroy(cl->pred);
	VEC_FOREACH(&cl->actions, act)
		dif_action_fini(act);
	VEC_FREE(&cl->actions);
}

static void
provargs_free(struct dif_provarg *args, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(args[i].type);
}

void
dif_provprobe_fini(struct dif_provprobe *pp)
{
	provargs_free(pp->native.v, pp->native.n);
	provargs_free(pp->xlated.v, pp->xlated.n);
	VEC_FREE(&pp->native);
	VEC_FREE(&pp->xlated);
	free(pp->name);
}

void
dif_provider_fini(struct dif_provider *p)
{
	VEC_FOREACH(&p->probes, pp)
		dif_provprobe_fini(pp);
	VEC_FREE(&p->probes);
	free(p->name);
}

void
dif_prog_destroy(struct dif_prog *p)
{
	if (p == NULL)
		return;
	VEC_FOREACH(&p->clauses, cl)
		dif_clause_fini(cl);
	VEC_FREE(&p->clauses);
	VEC_FOREACH(&p->leftouts, lo) {
		free(lo->fires);
		free(lo->why);
	}
	VEC_FREE(&p->leftouts);
	VEC_FOREACH(&p->aggs, agg)
		free(agg->name);
	VEC_FREE(&p->aggs);
	VEC_FOREACH(&p->vars, pv) {
		free(pv->name);
		free(pv->type_name);
	}
	VEC_FREE(&p->vars);
	VEC_FOREACH(&p->providers, prov)
		dif_provider_fini(prov);
	VEC_FREE(&p->providers);
	VEC_FOREACH(&p->options, po) {
		free(po->name);
		free(po->value);
	}
	VEC_FREE(&p->options);
	free(p);
}

bool
dif_step_is_mute(enum dif_step step)
{
	switch (step) {
	case DIF_STEP_RAISE:
	case DIF_STEP_STOP:
	case DIF_STEP_CHILL:
		return true;
	case DIF_STEP_EVAL:
	case DIF_STEP_STORE:
	case DIF_STEP_AGG:
	case DIF_STEP_SPECULATE:
	case DIF_STEP_SPEC_END:
	case DIF_STEP_EXIT:
		return false;
	}
	return false;
}

#define DT_ACT(val, NAME, name, flags, step, datum, shows, effect, takes)      \
	_Static_assert((DIF_SHOWS_##shows == DIF_SHOWS_EFFECT) ==              \
		(DIF_EFFECT_##effect != DIF_EFFECT_NONE),                      \
	    name " shows an effect and has one, or neither");
#include "dif/dif_acts.def"
#undef DT_ACT

static const struct dif_actinfo acts[] = {
#define DT_ACT(val, NAME, name, flags, step, datum, shows, effect, takes)      \
	{ val, name, flags, DIF_STEP_##step, DIF_DATUM_##datum,                \
		DIF_SHOWS_##shows, DIF_EFFECT_##effect, DIF_TAKES_##takes },
#include "dif/dif_acts.def"
#undef DT_ACT
};

const struct dif_actinfo *
dif_act(uint32_t kind)
{
	static const struct dif_actinfo none = {
		.name = "?", .step = DIF_STEP_STORE, .takes = DIF_TAKES_NOTHING
	};

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (acts[i].kind == kind)
			return &acts[i];
	}
	return &none;
}

bool
dif_act_is_ustack(uint32_t kind)
{
	enum dif_datum datum = dif_act(kind)->datum;

	return datum == DIF_DATUM_USTACK || datum == DIF_DATUM_JSTACK;
}

bool
dif_act_is_stack(uint32_t kind)
{
	return dif_act(kind)->datum == DIF_DATUM_STACK ||
	    dif_act_is_ustack(kind);
}

bool
dif_act_is_usym(uint32_t kind)
{
	return dif_act(kind)->datum == DIF_DATUM_USYM;
}

bool
dif_act_is_sym(uint32_t kind)
{
	return dif_act(kind)->datum == DIF_DATUM_SYM || dif_act_is_usym(kind);
}

bool
dif_act_is_datum(uint32_t kind)
{
	return dif_act_is_stack(kind) || dif_act_is_sym(kind);
}

bool
dif_act_has_format(uint32_t kind)
{
	const struct dif_actinfo *row = dif_act(kind);

	switch (row->effect) {
	case DIF_EFFECT_PRINTA:
	case DIF_EFFECT_SYSTEM:
	case DIF_EFFECT_FREOPEN:
		return true;
	case DIF_EFFECT_NONE:
		return row->shows == DIF_SHOWS_FORMAT;
	case DIF_EFFECT_EXIT:
	case DIF_EFFECT_LIBACT:
		return false;
	}
	return false;
}

int
dif_action_firing(const struct dif_action *act)
{
	uint32_t i = act != NULL ? act->group - DIF_FIRING_GROUP : 0;

	return act != NULL && act->group >= DIF_FIRING_GROUP &&
		i < DIF_NFIRINGS ?
	    (int)i :
	    -1;
}

bool
dif_clause_is_aside(const struct dif_clause *c)
{
	return c != NULL && !c->default_action && c->actions.n != 0 &&
	    dif_action_firing(&c->actions.v[0]) >= 0;
}

struct dif_uses
dif_clause_uses(const struct dif_clause *c)
{
	struct dif_uses all = { 0 };

	if (c->pred != NULL)
		dif_uses_add(&all, c->pred->uses);
	VEC_FOREACH(&c->actions, act) {
		if (act->difo != NULL)
			dif_uses_add(&all, act->difo->uses);
	}
	return all;
}

uint64_t
dif_agg_id(const struct dif_action *act)
{
	const struct dif_obj *id = act[-(ptrdiff_t)act->ntuple].difo;

	return id != NULL && id->nint != 0 ? id->inttab[0] : 0;
}

const char *
dif_libact_name(uint64_t arg)
{
	switch (arg) {
	case DT_LIBACT_CLEAR:
		return "clear";
	case DT_LIBACT_NORMALIZE:
		return "normalize";
	case DT_LIBACT_DENORMALIZE:
		return "denormalize";
	case DT_LIBACT_TRUNC:
		return "trunc";
	case DT_LIBACT_FTRUNCATE:
		return "ftruncate";
	case DT_LIBACT_SETOPT:
		return "setopt";
	default:
		return "?";
	}
}

void
dif_pdesc_format(const struct dif_pdesc *pd, struct strbuf *out)
{
	if (pd->id != 0)
		strbuf_printf(out, "%u", pd->id);
	else
		strbuf_printf(
		    out, "%s:%s:%s:%s", pd->prov, pd->mod, pd->func, pd->name);
}

static void
dump_pdescs(const struct dif_clause *cl, struct strbuf *out)
{
	const char *sep = "";

	VEC_FOREACH(&cl->pdescs, pd) {
		strbuf_printf(out, "%s", sep);
		dif_pdesc_format(pd, out);
		sep = ", ";
	}
	strbuf_addc(out, '\n');
}

/* One line of the source, without the blanks around it. */
static void
dump_source_line(
    const struct diags *ds, struct diag_span span, struct strbuf *out)
{
	const struct diag_source *src;
	const char *s, *e;

	if (ds == NULL || span.source == 0 || span.source > ds->sources.n)
		return;
	src = &ds->sources.v[span.source - 1];
	if (span.off >= src->len || span.len > src->len - span.off)
		return;
	s = src->text + span.off;
	e = memchr(s, '\n', span.len);
	if (e == NULL)
		e = s + span.len;
	strbuf_adds(out, "\t! ");
	strbuf_add(out, s, (size_t)(e - s));
}

static bool
is_expr_statement(const struct dif_action *act)
{
	return act->kind == DT_ACT_DIFEXPR && !act->in_tuple &&
	    act->difo->rtype.size == 0 &&
	    act->difo->rtype.kind != DIF_TYPE_STRING;
}

static void
dump_action(const struct dif_action *act, uint32_t no, const struct diags *ds,
    struct strbuf *out)
{
	strbuf_printf(out, "\nACTION %u: ", no);
	if (act->in_tuple)
		strbuf_adds(out, "tuple ");
	if (act->kind == DT_ACT_LIBACT)
		strbuf_adds(out, dif_libact_name(act->arg));
	else if (is_expr_statement(act))
		strbuf_adds(out, "expression");
	else
		strbuf_adds(out, dif_act(act->kind)->name);
	if (act->arg != 0 && act->kind != DT_ACT_LIBACT)
		strbuf_printf(out, " arg 0x%llx", (unsigned long long)act->arg);
	if (act->fmt != NULL)
		strbuf_adds(out, " with format");
	if (act->type_name != NULL)
		strbuf_printf(out, " (%s)", act->type_name);
	dump_source_line(ds, act->span, out);
	strbuf_addc(out, '\n');
	if (act->difo != NULL)
		dif_dump(act->difo, out);
}

void
dif_prog_dump(
    const struct dif_prog *p, const struct diags *ds, struct strbuf *out)
{
	uint32_t no = 0;

	VEC_FOREACH(&p->clauses, cl) {
		strbuf_printf(
		    out, "%sCLAUSE %u: ", no != 0 ? "\n" : "", no + 1);
		no++;
		dump_pdescs(cl, out);
		if (cl->pred != NULL) {
			strbuf_adds(out, "\nPREDICATE\n");
			dif_dump(cl->pred, out);
		}
		if (cl->default_action)
			strbuf_adds(out, "\nDEFAULT ACTION\n");
		VEC_FOREACH(&cl->actions, act)
			dump_action(
			    act, (uint32_t)(act - cl->actions.v) + 1, ds, out);
	}
}
