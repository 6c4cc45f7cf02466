/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregations: find the entry of a key, and update its value. */
#include "exec/process/emit/compile.h"

#include "exec/process/emit/clause_impl.h"

/* %rax <- bucket number of the value */
static void
find_bucket(struct pr_tr *t, const struct plan_agg *pa)
{
	x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(value));
	if (pa->agg->kind == DT_ACT_QUANTIZE && pr_fast_bucket(t))
		return;
	x_mov(t->a, X_RDI, X_RAX);
	x_movi(t->a, X_RSI, pa->agg->arg);
	if (pa->agg->kind == DT_ACT_QUANTIZE)
		pr_call(t, "rt_quantize_index");
	else if (pa->agg->kind == DT_ACT_PERCENTILE)
		pr_call(t, "rt_percentile_index");
	else if (pa->agg->kind == DT_ACT_LQUANTIZE)
		pr_call(t, "rt_lquantize_index");
	else
		pr_call(t, "rt_llquantize_index");
}

/* %rax <- the value's address; goes to `none` after a drop was counted. */
static void
find_value(struct pr_tr *t, const struct plan_agg *pa, x_label none)
{
	const struct pr_agg *ag = &t->x->aggs.v[pa->agg->id - 1];
	uint32_t i = pa->agg->id - 1;

	if (pr_fast_scalar(t, i) || pr_fast_key(t, i, none))
		return;
	x_lea(t->a, X_RSI,
	    X_IN_REGION(t->x->aggs_off + i * sizeof(struct pr_agg)));
	if (ag->key_size == 0) {
		pr_call_vm(t, "pr_agg_scalar");
		return;
	}
	pr_call_vm(t, "pr_agg_keyed");
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_E, none);
}

/* Add the increment to the found bucket of the value at %rax. */
static void
update_bucket(struct pr_tr *t, const struct plan_agg *pa, bool has_incr)
{
	struct x_asm *a = t->a;
	x_label done = x_new_label(a);

	x_load(a, 8, false, X_RCX, PR_FIRE_AT(bucket));
	x_alui(a, X_CMP, X_RCX, (int32_t)(pa->val_size / 8));
	x_jcc(a, X_AE, done);
	x_shifti(a, X_SHL, X_RCX, 3);
	x_alu(a, X_ADD, X_RCX, X_RAX);
	if (has_incr) {
		x_load(a, 8, false, X_RDX, PR_FIRE_AT(incr));
		x_addm(a, X_AT(X_RCX, 0), X_RDX);
	} else {
		x_alumi(a, X_ADD, X_AT(X_RCX, 0), 1);
	}
	x_bind(a, done);
	pr_changes(t, 1U << X_RCX | 1U << X_RDX);
}

/* Update the value at %rax. */
static void
update_value(struct pr_tr *t, const struct plan_agg *pa, bool has_incr)
{
	struct x_asm *a = t->a;

	if (pa->agg->kind >= DT_ACT_QUANTIZE) {
		update_bucket(t, pa, has_incr);
	} else if (pa->agg->kind == DT_ACT_COUNT) {
		x_alumi(a, X_ADD, X_AT(X_RAX, 0), 1);
	} else if (pa->agg->kind == DT_ACT_SUM) {
		x_load(a, 8, false, X_RCX, PR_FIRE_AT(value));
		x_addm(a, X_AT(X_RAX, 0), X_RCX);
		pr_changes(t, 1U << X_RCX);
	} else {
		x_mov(a, X_RDI, X_RAX);
		x_movi(a, X_RSI, pa->agg->kind);
		x_load(a, 8, false, X_RDX, PR_FIRE_AT(value));
		pr_call(t, "pr_agg_update");
	}
}

/* Run the objects of keys, increment and value, each with its action number. */
static void
agg_operands(struct pr_tr *t, const struct plan_step *s)
{
	for (size_t i = 0; i < s->agg->keys.n; i++) {
		t->action_no = s->key_no + (uint32_t)i;
		pr_store_datum(t, &s->agg->keys.v[i], s->keys.v[i].value,
		    (uint32_t)t->x->conf.mem_key);
	}
	if (s->incr != NULL) {
		t->action_no = s->incr_no;
		pr_run_object(t, s->incr);
		x_store(t->a, 8, PR_FIRE_AT(incr), X_RAX);
	}
	t->action_no = s->action_no;
	if (s->value != NULL) {
		pr_run_object(t, s->value);
		x_store(t->a, 8, PR_FIRE_AT(value), X_RAX);
	}
}

void
pr_aggregate(struct pr_tr *t, const struct plan_step *s)
{
	const struct plan_agg *pa = s->agg;
	x_label none = x_new_label(t->a);

	agg_operands(t, s);
	if (pa->agg->kind >= DT_ACT_QUANTIZE) {
		find_bucket(t, pa);
		x_store(t->a, 8, PR_FIRE_AT(bucket), X_RAX);
	}
	pr_zero_padding(t, (uint32_t)t->x->conf.mem_key, PLAN_KEYHDR,
	    pa->keys.v, pa->keys.n, pa->key_size);
	find_value(t, pa, none);
	update_value(t, pa, s->incr != NULL);
	x_bind(t->a, none);
}
