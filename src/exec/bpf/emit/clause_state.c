/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine state and the thread-local storage of a firing: which clauses
 * need them, and where they are found.
 */
#include "exec/bpf/tr.h"

#include "base/vec.h"
#include "exec/bpf/emit/clause_impl.h"

bool
bx_object_needs_slot(const struct bx_layout *lo, const struct dif_obj *dp)
{
	return dp != NULL && bx_needs_slot(lo, dp->uses);
}

/* Judge by the stored datum: one that is stored as an id needs no machine state
 * although its object would. */
static bool
key_needs_slot(const struct bx_layout *lo, const struct plan_rec *rec,
    const struct dif_obj *dp)
{
	if (rec->store == PLAN_STR_ID || rec->store == PLAN_STR_COMM)
		return false;
	return PLAN_IS_STACK(rec->store) || bx_object_needs_slot(lo, dp);
}

static bool
agg_needs_slot(const struct bx_layout *lo, const struct plan_step *s)
{
	if (bx_key_in_mem(lo, s->agg))
		return true;
	for (size_t i = 0; i < s->agg->keys.n; i++) {
		if (key_needs_slot(lo, &s->agg->keys.v[i], s->keys.v[i].value))
			return true;
	}
	return bx_object_needs_slot(lo, s->incr);
}

bool
bx_steps_need_slot(const struct bx_layout *lo, const struct plan_clause *pc)
{
	if (pc->size != 0)
		return true;
	VEC_FOREACH(&pc->steps, s) {
		if (bx_object_needs_slot(lo, s->value) ||
		    (s->kind == DIF_STEP_AGG && agg_needs_slot(lo, s)))
			return true;
	}
	return false;
}

bool
bx_clause_may_fault(const struct plan_clause *pc)
{
	return pc->clause->pred != NULL || pc->uses.may_fault ||
	    plan_clause_stores(pc, PLAN_STACK) ||
	    plan_clause_stores(pc, PLAN_USTACK);
}

bool
bx_clause_needs_slot(const struct bx_tr *t, const struct plan_clause *pc)
{
	return bx_steps_need_slot(t->lo, pc) ||
	    bx_object_needs_slot(t->lo, pc->clause->pred);
}

/* A fresh machine state: its own address, no fault, no text, this-> 0. */
static void
init_state(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	const struct bx_layout *lo = t->lo;

	bx_stx(a, 8, R9, offsetof(struct rt_mstate, base), R9);
	bx_sti(a, 8, R9, offsetof(struct rt_mstate, fault), 0);
	bx_sti(a, 8, R9, offsetof(struct rt_mstate, fault_val), 0);
	bx_sti(a, 8, R9, offsetof(struct rt_mstate, tok), 0);
	if (!lo->locals_in_mem)
		return;
	VEC_FOREACH(&lo->vars, v) {
		if (v->scope == DIFV_SCOPE_LOCAL)
			bx_sti(a, 8, R9, (int)(RT_MEM_OFF + v->off), 0);
	}
}

void
bx_find_state(struct bx_tr *t, int rs, bx_label none)
{
	struct bx_asm *a = &t->a;

	bx_stx(a, 4, R10, FP_TMP, rs);
	bx_map(a, R1, "rtm_states");
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
	bx_mov(a, R9, R0);
	bx_stx(a, 8, R10, FP_MS, R9);
}

/* Scratch lives until the end of the clause. */
void
bx_need_slot(struct bx_tr *t, bx_label out)
{
	struct bx_asm *a = &t->a;
	bx_label have = bx_new_label(a);

	if (!t->parts.has_state) {
		bx_ldx(a, 8, R9, R10, FP_MS);
		bx_jcci(a, BPF_JNE, R9, 0, have);
		bx_call(
		    a, t->parts.is_used ? "rt_chain_claim" : "rt_slot_claim");
		bx_jcci(a, BPF_JEQ, R0, -1, out);
		bx_stx(a, 8, R10, FP_SLOT, R0);
		bx_find_state(t, R0, out);
		init_state(t);
	}
	bx_bind(a, have);
	bx_sti(a, 8, R9, offsetof(struct rt_mstate, scratch),
	    (int32_t)t->lo->conf.scratch_begin);
}

/* FP_TLS <- the thread's storage, if it has any. */
void
bx_find_tls(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_self_find(t);
	if (!t->lo->has_own_tls) {
		bx_sti(a, 8, R10, FP_TLS, 0);
		return;
	}
	bx_task(t, R2);
	bx_map(a, R1, "rtm_tls");
	bx_movi(a, R3, 0);
	bx_movi(a, R4, 0);
	bx_helper(a, H_TASK_STORAGE_GET);
	bx_stx(a, 8, R10, FP_TLS, R0);
}
