/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choose one program, or several, for the steps of an origin.
 *
 * The steps of one origin are one program, so it runs once and computes shared
 * data (the time, the context) once.  But a program has limits: jumps reach
 * over 32,767 instructions, and the verifier follows a million.  So if the
 * clauses of all steps are large, each step has a program of its own, attached
 * in their order.
 *
 * A step that keeps data for others must run in that order.  Programs of a
 * tracepoint do; at other probes such steps stay together.
 */
#include "exec/bpf/bpf_impl.h"

#include "base/vec.h"

/* Most DIF instructions in a program that is not split; one takes some 10 BPF
 * instructions, calls included.  A clause counts for this many more. */
#define SIZE_MAX_DIF 2000
#define CLAUSE_DIF 50

static size_t
difo_size(const struct dif_obj *dp)
{
	return dp != NULL ? dp->ntext : 0;
}

static size_t
clause_size(const struct plan_clause *pc)
{
	return CLAUSE_DIF + pc->uses.ntext;
}

static size_t
step_size(const struct bx_tr *t, const struct dt_step *step)
{
	size_t n = difo_size(step->pred);

	for (size_t i = 0; i < step->nargs; i++)
		n += difo_size(step->args[i]);
	VEC_FOREACH(&t->facts->clauses, pc) {
		if (step->fires != NULL && bx_clause_is_for(*pc, step->fires))
			n += clause_size(*pc);
	}
	return n;
}

static bool
runs_in_order(const struct bx_tr *t)
{
	return t->facts->ctx == BX_CTX_RAWTP ||
	    t->facts->ctx == BX_CTX_TYPED_TP ||
	    t->facts->ctx == BX_CTX_SYS_ENTER ||
	    t->facts->ctx == BX_CTX_SYS_EXIT;
}

static bool
is_too_large(const struct bx_tr *t)
{
	const struct dt_step *step = bx_step_first(t);
	size_t n = 0;

	for (; step != NULL; step = bx_step_next(t, step)) {
		if (step->fires == NULL && !runs_in_order(t))
			return false;
		n += step_size(t, step);
	}
	return n > SIZE_MAX_DIF;
}

/* Remove clauses of other steps. */
static void
keep_only(struct bx_group *g, const struct dt_step *step)
{
	struct bx_facts *f = g->facts;
	size_t n = 0;

	f->only = step;
	if (step->fires != NULL)
		g->tr.name = step->fires->name;
	VEC_FOREACH(&f->clauses, pc) {
		if (bx_step_is_for(step, *pc))
			f->clauses.v[n++] = *pc;
	}
	f->clauses.n = n;
}

static void
copy_for(struct bx_exec *x, size_t from, const struct dt_step *step)
{
	struct bx_group *g =
	    bx_group_create(x, x->groups[from].facts->probes.v[0]);
	const struct bx_facts *f = x->groups[from].facts;

	VEC_FOREACH(&f->probes, pp)
		bx_group_take(g, *pp);
	VEC_FOREACH(&f->clauses, pc)
		VEC_PUSH(&g->facts->clauses, *pc);
	keep_only(g, step);
}

static void
split(struct bx_exec *x, size_t i)
{
	const struct dt_step *first = bx_step_first(&x->groups[i].tr);
	const struct dt_step *step = first;

	while ((step = bx_step_next(&x->groups[i].tr, step)) != NULL)
		copy_for(x, i, step);
	keep_only(&x->groups[i], first);
}

void
bx_groups_split(struct bx_exec *x)
{
	size_t n = x->ngroups;

	for (size_t i = 0; i < n; i++) {
		if (is_too_large(&x->groups[i].tr))
			split(x, i);
	}
}
