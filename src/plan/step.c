/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of a clause.
 *
 * An aggregation is several actions of the program,
 *
 *	id, key, key, ..., increment, aggregating action
 *	\___ ntuple of them, in_tuple ___/
 *
 * and one step.  Its objects keep the numbers of their own actions, by which
 * faults are reported.
 */
#include "plan/step.h"

#include <assert.h>

#include "base/vec.h"

bool
plan_is_recorded(const struct dif_action *act)
{
	enum dif_step step = dif_act(act->kind)->step;
	const struct dif_type *t;

	if (act->in_tuple || step == DIF_STEP_AGG || dif_step_is_mute(step))
		return false;
	if (act->kind != DT_ACT_DIFEXPR)
		return true;
	t = &act->difo->rtype;
	return t->size != 0 || t->kind == DIF_TYPE_STRING;
}

struct plan_agg *
plan_agg_of(const struct plan *pl, const struct dif_action *act)
{
	uint64_t id = dif_agg_id(act);

	assert(id >= 1 && id <= pl->aggs.n);
	return &pl->aggs.v[id - 1];
}

uint32_t
plan_nkeys(const struct dif_action *act)
{
	return act->ntuple - 1 - act->has_incr;
}

const struct dif_action *
plan_keys(const struct dif_action *act)
{
	return act - act->ntuple + 1;
}

/* Sum up the action and, of an aggregation, its tuple. */
static void
step_sums(struct plan_step *s, const struct dif_action *act)
{
	uint32_t ntuple = s->kind == DIF_STEP_AGG ? act->ntuple : 0;

	for (const struct dif_action *a = act - ntuple; a <= act; a++) {
		const struct dif_actinfo *row = dif_act(a->kind);

		if (a->difo != NULL)
			dif_uses_add(&s->uses, a->difo->uses);
		if (s->running == NULL && (row->flags & DT_ACTF_RUNNING))
			s->running = row->name;
	}
}

static void
aggregate(
    const struct plan *pl, struct plan_step *s, const struct dif_action *act)
{
	s->agg = plan_agg_of(pl, act);
	for (uint32_t i = 0; i < plan_nkeys(act); i++) {
		const struct dif_action *key = &plan_keys(act)[i];
		struct plan_key_use use = { key->difo, key->span };

		VEC_PUSH(&s->keys, use);
	}
	s->key_no = s->action_no - act->ntuple + 1;
	s->incr = act->has_incr ? act[-1].difo : NULL;
	s->incr_no = s->action_no - 1;
}

/* The step of an action; *rec is the next datum of the record. */
static struct plan_step
step_of(const struct plan *pl, const struct plan_clause *pc,
    const struct dif_action *act, const struct plan_rec **rec)
{
	const struct dif_actinfo *row = dif_act(act->kind);
	const struct dif_action *first = pc->clause->actions.v;
	bool is_last = act == first + pc->clause->actions.n - 1;
	struct plan_step s = { .kind = row->step,
		.action_no = (uint32_t)(act - first) + 1,
		.name = row->name,
		.span = act->span,
		.value = act->difo };

	step_sums(&s, act);
	if (plan_is_recorded(act))
		s.rec = (*rec)++;
	else if (s.kind == DIF_STEP_STORE)
		s.kind = DIF_STEP_EVAL;
	if (s.kind == DIF_STEP_AGG)
		aggregate(pl, &s, act);
	s.ends_if_none = s.kind == DIF_STEP_SPECULATE ||
	    (s.kind == DIF_STEP_SPEC_END && pc->recs.n == 1 && is_last);
	return s;
}

static void
note_stores(struct plan_clause *pc, const struct plan_step *s)
{
	if (s->rec != NULL)
		pc->stores |= 1U << s->rec->store;
	if (s->agg == NULL)
		return;
	VEC_FOREACH(&s->agg->keys, key)
		pc->stores |= 1U << key->store;
}

void
plan_make_steps(const struct plan *pl, struct plan_clause *pc)
{
	const struct plan_rec *rec = pc->recs.v;

	VEC_FOREACH(&pc->clause->actions, act) {
		struct plan_step s;

		if (act->in_tuple)
			continue;
		s = step_of(pl, pc, act, &rec);
		pc->does |= 1U << s.kind;
		note_stores(pc, &s);
		VEC_PUSH(&pc->steps, s);
	}
}

bool
plan_clause_does(const struct plan_clause *pc, enum dif_step kind)
{
	return (pc->does >> kind & 1) != 0;
}

bool
plan_clause_stores(const struct plan_clause *pc, enum plan_store store)
{
	return (pc->stores >> store & 1) != 0;
}

void
plan_clause_each_obj(const struct plan_clause *pc, plan_obj_f *f, void *arg)
{
	if (pc->clause->pred != NULL)
		f(pc->clause->pred, arg);
	VEC_FOREACH(&pc->steps, s) {
		VEC_FOREACH(&s->keys, key) {
			if (key->value != NULL)
				f(key->value, arg);
		}
		if (s->incr != NULL)
			f(s->incr, arg);
		if (s->value != NULL)
			f(s->value, arg);
	}
}
