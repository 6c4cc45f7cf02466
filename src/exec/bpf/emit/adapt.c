/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adaption: the code of a step (provider.h, struct dt_step).  It makes the
 * arguments of a derived probe from those of an origin.
 *
 *	the origin's arguments, saved by its context's prologue
 *	each step of whose probe there are clauses:
 *	  --> predicate: false, or a fault: this is no firing
 *	  --> each argument that a clause uses; 0 after a fault
 *	  --> the clauses, which see nothing of the origin but its context
 *
 * Code is emitted only for what a clause uses.
 */
#include "exec/bpf/tr.h"

#include <string.h>

#include "base/vec.h"

/* ---- which steps --------------------------------------------------------- */

bool
bx_clause_is_for(const struct plan_clause *pc, const struct dt_probe *p)
{
	VEC_FOREACH(&pc->probes, pp) {
		if (*pp == p)
			return true;
	}
	return false;
}

bool
bx_step_keeps_for(const struct dt_step *step, const struct dt_probe *p)
{
	for (size_t i = 0; i < step->nserves; i++) {
		if (step->serves[i] == p)
			return true;
	}
	return false;
}

bool
bx_step_is_for(const struct dt_step *step, const struct plan_clause *pc)
{
	if (step->fires != NULL)
		return bx_clause_is_for(pc, step->fires);
	VEC_FOREACH(&pc->probes, p) {
		if (bx_step_keeps_for(step, *p))
			return true;
	}
	return false;
}

/* Does no clause use the step, or is its probe not fired by it? */
static bool
is_idle(const struct bx_tr *t, const struct dt_step *step)
{
	if (t->facts->only != NULL && step != t->facts->only)
		return true;
	if (step->fires != NULL && !bx_step_serves(t->lo, step, step->fires))
		return true;
	VEC_FOREACH(&t->facts->clauses, pc) {
		if (bx_step_is_for(step, *pc))
			return false;
	}
	return true;
}

static const struct dt_step *
skip_idle(const struct bx_tr *t, const struct dt_step *step)
{
	while (step != NULL && is_idle(t, step))
		step = step->next;
	return step;
}

const struct dt_step *
bx_step_first(const struct bx_tr *t)
{
	return skip_idle(t, t->facts->steps);
}

const struct dt_step *
bx_step_next(const struct bx_tr *t, const struct dt_step *step)
{
	return skip_idle(t, step->next);
}

/* ---- what they need ------------------------------------------------------ */

/* Does a clause of the step use that argument?  A step that fires nothing needs
 * all arguments: their objects have side effects. */
static bool
needs_arg(const struct bx_tr *t, const struct dt_step *step, size_t n)
{
	if (step->fires == NULL)
		return true;
	VEC_FOREACH(&t->facts->clauses, pc) {
		if (bx_clause_is_for(*pc, step->fires) &&
		    dif_uses_var(&(*pc)->uses, DIF_VAR_ARG0 + (uint32_t)n))
			return true;
	}
	return false;
}

/* Union of what the objects of the step that run use. */
static struct dif_uses
step_uses(const struct bx_tr *t, const struct dt_step *step)
{
	struct dif_uses u = { 0 };

	if (step->pred != NULL)
		dif_uses_add(&u, step->pred->uses);
	for (size_t i = 0; i < step->nargs; i++) {
		if (needs_arg(t, step, i))
			dif_uses_add(&u, step->args[i]->uses);
	}
	return u;
}

struct dif_uses
bx_steps_uses(const struct bx_tr *t)
{
	const struct dt_step *step = bx_step_first(t);
	struct dif_uses all = { 0 };

	for (; step != NULL; step = bx_step_next(t, step)) {
		struct dif_uses u = step_uses(t, step);

		dif_uses_add(&all, &u);
	}
	return all;
}

/* ---- running one --------------------------------------------------------- */

/* r0 <- the object's value, 0 after a fault. */
static void
value_or_zero(struct bx_tr *t, const struct dif_obj *dp, bool has_slot)
{
	struct bx_asm *a = &t->a;
	bx_label fault, done;

	bx_difo(t, dp);
	if (t->clause.exits.n == 0)
		return;
	fault = bx_new_label(a);
	done = bx_new_label(a);
	bx_ja(a, done);
	bx_emit_fault_exits(t, fault);
	bx_bind(a, fault);
	if (has_slot)
		bx_sti(a, 8, R9, offsetof(struct rt_mstate, fault), 0);
	bx_movi(a, R0, 0);
	bx_bind(a, done);
}

/* Set up what the step's objects need, before the first of them runs. */
static bool
step_needs(struct bx_tr *t, const struct dt_step *step, bx_label done)
{
	struct dif_uses u = step_uses(t, step);
	bool has_slot = bx_needs_slot(t->lo, &u);

	if (dif_uses_tls(&u))
		bx_find_tls(t);
	if (dif_uses_var(&u, DIF_VAR_TIMESTAMP))
		bx_need_time(t);
	if (has_slot)
		bx_need_slot(t, done);
	return has_slot;
}

static void
step_args(struct bx_tr *t, const struct dt_step *step, bool has_slot,
    const int own[10])
{
	struct bx_asm *a = &t->a;

	for (size_t n = 0; n < 10; n++) {
		if (!needs_arg(t, step, n))
			continue;
		if (n < step->nargs)
			value_or_zero(t, step->args[n], has_slot);
		else
			bx_movi(a, R0, 0);
		if (own[n] != 0)
			bx_stx(a, 8, R10, own[n], R0);
	}
}

void
bx_adapt(
    struct bx_tr *t, const struct dt_step *step, bx_label none, bx_label done)
{
	int own[10];
	bool has_slot;

	t->clause.pc = t->facts->clauses.v[0];
	bx_note(t, (struct diag_span){ 0 }, "adaption");
	memcpy(own, t->frame.args, sizeof(own));
	memcpy(t->frame.args, t->frame.origin, sizeof(own));
	has_slot = step_needs(t, step, done);
	if (step->pred != NULL) {
		value_or_zero(t, step->pred, has_slot);
		bx_jcci(&t->a, BPF_JEQ, R0, 0, none);
	}
	step_args(t, step, has_slot, own);
	memcpy(t->frame.args, own, sizeof(own));
}
