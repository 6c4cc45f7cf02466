/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that needs no level, for bodies of one clause.
 *
 * A predicate that only computes from arguments, and cannot fault, is decided
 * before the thread is looked up: its struct rt_vm is a piece of the thread's
 * stack, of which it uses the arguments.
 *
 * Counting without keys needs the thread's table and nothing else.
 */
#include "exec/process/emit/compile.h"

#include "inproc/inproc.h"

/* The aggregation of a clause that does nothing but count() without keys. */
static const struct plan_agg *
only_counted(const struct pr_exec *x, const struct plan_clause *pc)
{
	const struct plan_agg *pa;

	if (pc->steps.n != 1 || pc->steps.v->kind != DIF_STEP_AGG)
		return NULL;
	pa = pc->steps.v->agg;
	return pa->agg->kind == DT_ACT_COUNT && pa->keys.n == 0 &&
		!x->conf.by_cpu ?
	    pa :
	    NULL;
}

/* The only clause of a body whose arguments are in registers on entry, or that
 * reads none; else NULL. */
static const struct plan_clause *
light_clause(const struct pr_body *b)
{
	bool is_light = b->kind == DT_PROBE_FUNC_ENTRY ||
	    (b->kind == DT_PROBE_USDT && b->uargs == NULL);

	return b->clauses.n == 1 && is_light ? b->clauses.v[0] : NULL;
}

static const struct jit_env leaf_env = { .args = pr_arg_regs };

/* Holds %eax for a moment: the frame is not in use yet. */
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
pr_decide(
    struct pr_tr *t, const struct dif_obj *pred, uint32_t changes, x_label no)
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
	const struct plan_agg *pa = pc != NULL ? only_counted(t->x, pc) : NULL;
	struct x_asm *a = t->a;
	uint32_t i;

	if (pa == NULL || (pc->clause->pred != NULL && t->decided == NULL))
		return false;
	i = pa->agg->id - 1;
	pr_note(t, pc->steps.v->span, "count");
	if (pr_fast_count(t, i))
		return true;
	x_lea(a, X_RDI, X_IN_REGION(t->x->conf.own));
	x_lea(a, X_RSI, X_IN_REGION(t->x->conf_off));
	x_lea(
	    a, X_RDX, X_IN_REGION(t->x->aggs_off + i * sizeof(struct pr_agg)));
	pr_call(t, "pr_count");
	return true;
}
