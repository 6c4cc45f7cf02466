/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be done without a level, for bodies of one clause.
 *
 * A predicate that only computes from arguments is decided before a thread is
 * looked for: its struct rt_vm is a piece of the thread's stack, of which it
 * uses the arguments.  It must not be able to fault.
 *
 * Counting without keys needs the thread's table and nothing else.
 */
#include "exec/process/compile.h"

#include "inproc/inproc.h"

/* The only aggregating action of a clause that does nothing else. */
static const struct dif_action *
only_count(const struct dt_exec *x, const struct plan_clause *pc)
{
	const struct dif_action *last;
	const struct plan_agg *pa;

	if (pc->clause->actions.n == 0 || pc->size != 0)
		return NULL;
	last = &pc->clause->actions.v[pc->clause->actions.n - 1];
	if (last->kind != DT_ACT_COUNT ||
	    pc->clause->actions.n != last->ntuple + 1)
		return NULL;
	pa = &x->pl->aggs.v[(last - last->ntuple)->difo->inttab[0] - 1];
	return pa->keys.n == 0 && !x->conf.by_cpu ? last : NULL;
}

/* Of one clause that is entered with its arguments in registers, or reads none.
 */
static const struct plan_clause *
light_clause(const struct pr_body *b)
{
	bool is_light = b->kind == DT_PROBE_FUNC_ENTRY ||
	    (b->kind == DT_PROBE_USDT && b->uargs == NULL);

	return b->clauses.n == 1 && is_light ? b->clauses.v[0] : NULL;
}

static const struct jit_env leaf_env = { .args = pr_arg_regs };

/* Where %eax is put aside: nobody has the frame yet. */
#define ASIDE X_AT(X_RSP, 8 + offsetof(struct inproc_frame, pad))

const struct dif_obj *
pr_light_predicate(const struct pr_body *b, uint32_t *changes)
{
	const struct plan_clause *pc = light_clause(b);

	*changes = 0;
	if (pc == NULL || pc->clause->pred == NULL)
		return NULL;
	*changes = jit_leaf(&leaf_env, pc->clause->pred);
	return *changes != 0 ? pc->clause->pred : NULL;
}

void
pr_decide(struct pr_tr *t, const struct dif_obj *pred, uint32_t changes,
    x_label no)
{
	struct x_asm *a = t->a;

	pr_note(t, t->pc->clause->span, "light predicate");
	pr_save_regs(t, changes & ~(1U << X_RAX));
	x_store(a, 4, ASIDE, X_RAX);
	pr_leaf(t, &leaf_env, pred, no);
	x_load(a, 4, false, X_RAX, ASIDE);
	pr_restore_regs(t, changes & PR_ARG_REGS);
}

bool
pr_light_body(struct pr_tr *t)
{
	const struct plan_clause *pc = light_clause(t->body);
	const struct dif_action *act = pc != NULL ? only_count(t->x, pc) : NULL;
	struct x_asm *a = t->a;
	uint32_t id;

	if (act == NULL || (pc->clause->pred != NULL && t->decided == NULL))
		return false;
	id = (uint32_t)(act - act->ntuple)->difo->inttab[0];
	pr_note(t, act->span, "count");
	if (pr_fast_count(t, id - 1))
		return true;
	x_lea(a, X_RDI, X_IN_REGION(t->x->conf.own));
	x_lea(a, X_RSI, X_IN_REGION(t->x->conf_off));
	x_lea(a, X_RDX,
	    X_IN_REGION(t->x->aggs_off + (id - 1) * sizeof(struct pr_agg)));
	pr_call(t, "pr_count");
	return true;
}
