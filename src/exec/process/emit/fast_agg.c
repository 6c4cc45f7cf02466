/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregations inline: the value of a key, a bucket, a count. */
#include "exec/process/emit/fast_impl.h"

/* reg <- where the value without a key of this generation is, less to_value();
 * `reg` is the thread's struct pr_shared.  Changes `tmp`. */
static void
add_turn(struct pr_tr *t, const struct pr_agg *ag, int reg, int tmp)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, tmp, X_IN_REGION(t->x->conf.gens + 8 * ag->index));
	x_alui(a, X_AND, tmp, 1);
	x_muli(a, tmp, tmp, (int32_t)ag->turn_size);
	x_alu(a, X_ADD, reg, tmp);
}

static uint64_t
to_value(const struct pr_agg *ag)
{
	return ag->off + sizeof(struct pr_table) + 8;
}

static bool
is_addressable(const struct pr_agg *ag)
{
	return to_value(ag) + ag->turn_size < INT32_MAX;
}

/* %r10 <- the thread; %r11 <- its table of this generation.  Changes %rcx. */
static void
find_table(struct pr_tr *t, const struct pr_agg *ag, uint64_t place)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, T1, PR_FIRE_AT(thread));
	x_load(
	    a, 8, false, X_RCX, X_IN_REGION(t->x->conf.gens + 8 * ag->index));
	x_alui(a, X_AND, X_RCX, 1);
	x_shifti(a, X_SHL, X_RCX, 3);
	x_alu(a, X_ADD, X_RCX, T1);
	x_load(a, 8, false, T2,
	    X_AT(X_RCX, place + offsetof(struct pr_place, turns)));
}

/* %ecx <- the number of the entry that the first slot of the key %rax leads to,
 * or -1.  Changes %rdx. */
static void
find_slot(struct pr_tr *t, uint64_t place)
{
	struct x_asm *a = t->a;

	x_movi(a, X_RCX, PR_HASH);
	x_mul(a, X_RCX, X_RAX);
	x_mov(a, X_RDX, X_RCX);
	x_shifti(a, X_SHR, X_RDX, 32);
	x_alu(a, X_XOR, X_RCX, X_RDX);
	x_alum(
	    a, X_AND, X_RCX, X_AT(T1, place + offsetof(struct pr_place, mask)));
	x_shifti(a, X_SHL, X_RCX, 2);
	x_alu(a, X_ADD, X_RCX, T2);
	x_load(a, 4, false, X_RCX, X_AT(X_RCX, sizeof(struct pr_table)));
	x_alui(a, X_SUB, X_RCX, 1);
}

/*
 * %rax <- where the value of the key in the machine state is: it is one word,
 * and the first slot that it may be in leads to it.
 */
bool
pr_fast_key(struct pr_tr *t, uint32_t index, x_label none)
{
	const struct pr_agg *ag = &t->x->aggs.v[index];
	uint64_t place = t->x->conf.places + index * sizeof(struct pr_place);
	struct x_asm *a = t->a;
	struct pr_slow *s;

	if (!pr_is_fast(t) || ag->key_size != PLAN_KEYHDR + 8 ||
	    t->x->conf.by_cpu || place > INT32_MAX / 2)
		return false;
	s = pr_slow_path(t, SLOW_KEY);
	s->agg = index;
	s->quit = none;
	find_table(t, ag, place);
	x_load(a, 8, false, X_RAX, PR_MEM_AT(t->x->conf.mem_key + PLAN_KEYHDR));
	find_slot(t, place);
	x_alum(
	    a, X_CMP, X_RCX, X_AT(T1, place + offsetof(struct pr_place, max)));
	x_jcc(a, X_AE, s->from);
	x_alum(
	    a, X_ADD, T2, X_AT(T1, place + offsetof(struct pr_place, entries)));
	x_muli(a, X_RCX, X_RCX, (int32_t)ag->entry_size);
	x_alu(a, X_ADD, X_RCX, T2);
	x_alum(a, X_CMP, X_RAX, X_AT(X_RCX, 8 + PLAN_KEYHDR));
	x_jcc(a, X_NE, s->from);
	x_lea(a, X_RAX, X_AT(X_RCX, 8 + PLAN_KEYHDR + 8));
	x_bind(a, s->back);
	pr_changes(t, TEMPS);
	return true;
}

/* %rax <- the address of the only value; not if its initial value is not 0. */
bool
pr_fast_scalar(struct pr_tr *t, uint32_t index)
{
	const struct pr_agg *ag = &t->x->aggs.v[index];
	struct x_asm *a = t->a;

	if (!pr_is_fast(t) || ag->key_size != 0 || ag->kind == DT_ACT_MIN ||
	    ag->kind == DT_ACT_MAX || !is_addressable(ag))
		return false;
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(thread));
	x_load(a, 8, false, X_RAX, THREAD_AT(X_RAX, shared));
	add_turn(t, ag, X_RAX, T1);
	x_alui(a, X_ADD, X_RAX, (int32_t)to_value(ag));
	x_storei(a, 8, X_AT(X_RAX, -8), PR_USED);
	pr_changes(t, 1U << T1);
	return true;
}

/* %rax <- quantize()'s bucket of the value in it, which mostly is above 0. */
bool
pr_fast_bucket(struct pr_tr *t)
{
	const struct pr_slow *s;

	if (!pr_is_fast(t))
		return false;
	s = pr_slow_path(t, SLOW_BUCKET);
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_LE, s->from);
	x_bsr(t->a, X_RAX, X_RAX);
	x_alui(t->a, X_ADD, X_RAX, RT_QUANTIZE_ZERO + 1);
	x_bind(t->a, s->back);
	return true;
}

/*
 * The whole firing: it needs no level, only the thread's table.  `counting` is
 * put back to what it was, as every firing that interrupts this one does.
 */
bool
pr_fast_count(struct pr_tr *t, uint32_t index)
{
	const struct pr_agg *ag = &t->x->aggs.v[index];
	struct x_mem counting =
	    X_AT(X_RBX, offsetof(struct pr_shared, counting));
	struct x_asm *a = t->a;
	struct pr_slow *s;

	if (!pr_is_fast(t) || !is_addressable(ag))
		return false;
	s = pr_slow_path(t, SLOW_COUNT);
	s->agg = index;
	pr_find_thread(t, s->from);
	x_load(a, 8, false, X_RBX, THREAD_AT(X_RBX, shared));
	x_load(a, 8, false, T2, counting);
	x_lea(a, T1, X_AT(T2, 1));
	x_store(a, 8, counting, T1);
	x_mov(a, X_RAX, X_RBX);
	add_turn(t, ag, X_RAX, T1);
	x_storei(a, 8, X_AT(X_RAX, to_value(ag) - 8), PR_USED);
	x_alumi(a, X_ADD, X_AT(X_RAX, to_value(ag)), 1);
	x_store(a, 8, counting, T2);
	x_bind(a, s->back);
	pr_changes(t, 1U << T1 | 1U << T2);
	return true;
}
