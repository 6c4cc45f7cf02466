/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregations: find the entry of a key, and update its value. */
#include "exec/bpf/tr.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/emit/clause_impl.h"

#define MINMAX_TRIES 4 /* compare-and-swap: each retry means an interrupt */

bool
bx_key_in_mem(const struct bx_layout *lo, const struct plan_agg *pa)
{
	VEC_FOREACH(&pa->keys, key) {
		if (key->store == PLAN_STR)
			return true;
	}
	return lo->uses_ustack || pa->key_size > STACK_KEY_MAX;
}

/* The operands of an update, by their places in the frame. */
struct agg_run {
	const struct plan_agg *pa;
	struct bx_dest key;
	int val;    /* value */
	int bucket; /* number of its bucket, for quantize() and the like */
	int incr;   /* increment of the bucket; 0: it is 1 */
};

static bool
agg_has_buckets(const struct plan_agg *pa)
{
	return pa->agg->kind >= DT_ACT_QUANTIZE;
}

static char *
agg_map_sym(struct bx_tr *t, const struct plan_agg *pa)
{
	return arena_printf(&t->lo->arena, "rtm_agg%u", pa->agg->id);
}

/* r0 <- generation of the aggregation */
static void
agg_generation(struct bx_tr *t, const struct plan_agg *pa)
{
	bx_mapval(
	    &t->a, R1, "rtm_ctl", t->lo->ctl_gens + 8 * (pa->agg->id - 1));
	bx_ldx(&t->a, 8, R0, R1, 0);
}

/* r0 <- value pointer of an aggregation without keys.  The CPU and the
 * generation give its place, without a look-up. */
static void
agg_find_scalar(struct bx_tr *t, const struct plan_agg *pa, bx_label drop)
{
	struct bx_asm *a = &t->a;

	bx_helper(a, H_SMP_PROCESSOR_ID);
	bx_mov(a, R2, R0);
	agg_generation(t, pa);
	bx_alui(a, BPF_AND, R0, 1);
	bx_alui(a, BPF_LSH, R2, 1);
	bx_alu(a, BPF_OR, R2, R0);
	bx_jcci(a, BPF_JGE, R2, (int32_t)(2 * t->lo->ncpus), drop);
	bx_alui(a, BPF_MUL, R2, (int32_t)bx_cell_size(pa));
	bx_mapval(a, R0, agg_map_sym(t, pa), 0);
	bx_alu(a, BPF_ADD, R0, R2);
}

static void
zero_padding(
    struct bx_tr *t, const struct plan_agg *pa, const struct bx_dest *d)
{
	uint32_t end = PLAN_KEYHDR;
	int reg, off;

	bx_dest_base(d, &reg, &off);
	for (size_t i = 0; i <= pa->keys.n; i++) {
		uint32_t next =
		    i < pa->keys.n ? pa->keys.v[i].offset : pa->key_size;

		bx_zero_gap(t, reg, off, end, next);
		if (i < pa->keys.n)
			end = next + pa->keys.v[i].size;
	}
}

/* Key header: u16 cpu, u16 generation, u32 0. */
static void
key_header(struct bx_tr *t, const struct plan_agg *pa, const struct bx_dest *d)
{
	struct bx_asm *a = &t->a;
	int reg, off;

	bx_dest_base(d, &reg, &off);
	bx_helper(a, H_SMP_PROCESSOR_ID);
	bx_mov(a, R2, R0);
	agg_generation(t, pa);
	bx_alui(a, BPF_AND, R0, 0xffff);
	bx_alui(a, BPF_LSH, R0, 16);
	bx_alu(a, BPF_OR, R0, R2);
	bx_stx(a, 8, reg, off, R0);
}

static struct bx_dest
key_dest(const struct bx_tr *t, const struct plan_agg *pa)
{
	return (struct bx_dest){ .in_mem = bx_key_in_mem(t->lo, pa),
		.mem = t->lo->mem_key,
		.fp = t->frame.key };
}

/* rd <- initial value: zeroes, or those of min and max. */
static void
initial_value(struct bx_tr *t, const struct plan_agg *pa, int rd)
{
	uint32_t off = t->lo->ctl_zero;

	if (pa->agg->kind == DT_ACT_MIN)
		off = offsetof(struct bx_ctl, min_init);
	else if (pa->agg->kind == DT_ACT_MAX)
		off = offsetof(struct bx_ctl, max_init);
	bx_mapval(&t->a, rd, "rtm_ctl", off);
}

/* r0 <- value pointer for the key that was built; a missing entry is
 * created. */
static void
agg_find_keyed(
    struct bx_tr *t, const struct agg_run *run, bx_label drop, bx_label nomem)
{
	struct bx_asm *a = &t->a;
	const struct plan_agg *pa = run->pa;
	struct bx_dest d = run->key;
	const char *map = agg_map_sym(t, pa);
	bx_label have = bx_new_label(a);

	bx_map(a, R1, map);
	bx_dest_ptr(t, &d, R2, 0);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JNE, R0, 0, have);
	bx_map(a, R1, map);
	bx_dest_ptr(t, &d, R2, 0);
	initial_value(t, pa, R3);
	bx_movi(a, R4, BPF_NOEXIST);
	bx_helper(a, H_MAP_UPDATE);
	/* before Linux 6.4 the upper half of r0 is not set */
	bx_jcci32(a, BPF_JEQ, R0, -ENOMEM, nomem);
	bx_map(a, R1, map);
	bx_dest_ptr(t, &d, R2, 0);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, drop);
	bx_bind(a, have);
}

static void
update_minmax(
    struct bx_tr *t, const struct agg_run *run, bool is_min, bx_label drop)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	bx_mov(a, R2, R0);
	bx_ldx(a, 8, R3, R10, run->val);
	for (int i = 0; i < MINMAX_TRIES; i++) {
		bx_ldx(a, 8, R0, R2, 0);
		bx_mov(a, R4, R0);
		bx_jcc(a, is_min ? BPF_JSGE : BPF_JSLE, R3, R0, done);
		bx_atomic(a, BPF_CMPXCHG, R2, 0, R3);
		bx_jcc(a, BPF_JEQ, R0, R4, done);
	}
	bx_ja(a, drop);
	bx_bind(a, done);
}

/* Update count, sum, and the 128-bit sum of squares: |v|^2 from 32-bit halves,
 * the low word's carry from the result of the atomic add. */
static void
update_stddev(struct bx_tr *t, const struct agg_run *run)
{
	struct bx_asm *a = &t->a;
	bx_label pos = bx_new_label(a), carry1 = bx_new_label(a);
	bx_label carry2 = bx_new_label(a);

	bx_ldx(a, 8, R1, R10, run->val);
	bx_movi(a, R2, 1);
	bx_atomic(a, BPF_ADD, R0, 0, R2);
	bx_atomic(a, BPF_ADD, R0, 8, R1);
	bx_jcci(a, BPF_JSGE, R1, 0, pos);
	bx_alui(a, BPF_NEG, R1, 0);
	bx_bind(a, pos);
	bx_mov(a, R2, R1);
	bx_alui(a, BPF_RSH, R2, 32); /* hi */
	bx_alui(a, BPF_LSH, R1, 32);
	bx_alui(a, BPF_RSH, R1, 32); /* lo */
	bx_mov(a, R3, R1);
	bx_alu(a, BPF_MUL, R3, R2); /* hi * lo */
	bx_alu(a, BPF_MUL, R1, R1); /* lo * lo */
	bx_alu(a, BPF_MUL, R2, R2); /* hi * hi */
	bx_mov(a, R4, R3);	    /* + 2 * hi * lo << 32 */
	bx_alui(a, BPF_RSH, R4, 31);
	bx_alu(a, BPF_ADD, R2, R4);
	bx_alui(a, BPF_LSH, R3, 33);
	bx_alu(a, BPF_ADD, R1, R3);
	bx_jcc(a, BPF_JGE, R1, R3, carry1);
	bx_alui(a, BPF_ADD, R2, 1);
	bx_bind(a, carry1);
	bx_mov(a, R3, R1);
	bx_atomic(a, BPF_ADD | BPF_FETCH, R0, 16, R1);
	bx_alu(a, BPF_ADD, R1, R3);
	bx_jcc(a, BPF_JGE, R1, R3, carry2);
	bx_alui(a, BPF_ADD, R2, 1);
	bx_bind(a, carry2);
	bx_atomic(a, BPF_ADD, R0, 24, R2);
}

/* Add the increment to the bucket. */
static void
update_bucket(struct bx_tr *t, const struct agg_run *run)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	bx_ldx(a, 8, R1, R10, run->bucket);
	bx_jcci(a, BPF_JGE, R1, (int32_t)(run->pa->val_size / 8), done);
	bx_alui(a, BPF_LSH, R1, 3);
	bx_alu(a, BPF_ADD, R0, R1);
	if (run->incr != 0)
		bx_ldx(a, 8, R2, R10, run->incr);
	else
		bx_movi(a, R2, 1);
	bx_atomic(a, BPF_ADD, R0, 0, R2);
	bx_bind(a, done);
}

/* FP_TMP + 8 <- bucket number of FP_VAL; call it before the look-up of the
 * value. */
static void
find_bucket(struct bx_tr *t, const struct plan_agg *pa)
{
	struct bx_asm *a = &t->a;

	if (!agg_has_buckets(pa))
		return;
	bx_ldx(a, 8, R1, R10, FP_VAL);
	switch (pa->agg->kind) {
	case DT_ACT_QUANTIZE:
		bx_call(a, "rt_quantize_index");
		break;
	case DT_ACT_PERCENTILE:
		bx_call(a, "rt_percentile_index");
		break;
	case DT_ACT_LQUANTIZE:
		bx_movi(a, R2, pa->agg->arg);
		bx_call(a, "rt_lquantize_index");
		break;
	case DT_ACT_LLQUANTIZE:
		bx_movi(a, R2, pa->agg->arg);
		bx_call(a, "rt_llquantize_index");
		break;
	default:
		break;
	}
	bx_stx(a, 8, R10, FP_TMP + 8, R0);
}

/* Update the value at r0. */
static void
agg_update(struct bx_tr *t, const struct agg_run *run, bx_label drop)
{
	struct bx_asm *a = &t->a;
	const struct plan_agg *pa = run->pa;

	if (pa->keys.n == 0 && !bx_agg_counts(pa->agg->kind))
		bx_sti(a, 8, R0, (int)pa->val_size, 1);
	switch (pa->agg->kind) {
	case DT_ACT_COUNT:
		bx_movi(a, R1, 1);
		bx_atomic(a, BPF_ADD, R0, 0, R1);
		break;
	case DT_ACT_SUM:
		bx_ldx(a, 8, R1, R10, run->val);
		bx_atomic(a, BPF_ADD, R0, 0, R1);
		break;
	case DT_ACT_AVG:
		bx_movi(a, R1, 1);
		bx_atomic(a, BPF_ADD, R0, 0, R1);
		bx_ldx(a, 8, R1, R10, run->val);
		bx_atomic(a, BPF_ADD, R0, 8, R1);
		break;
	case DT_ACT_MIN:
	case DT_ACT_MAX:
		update_minmax(t, run, pa->agg->kind == DT_ACT_MIN, drop);
		break;
	case DT_ACT_STDDEV:
		update_stddev(t, run);
		break;
	default:
		update_bucket(t, run);
		break;
	}
}

/* Run the objects of keys, increment and value, each with its own action
 * number. */
static void
agg_operands(
    struct bx_tr *t, const struct plan_step *s, const struct bx_dest *d)
{
	struct bx_asm *a = &t->a;

	for (size_t i = 0; i < s->agg->keys.n; i++) {
		t->clause.action_no = s->key_no + (uint32_t)i;
		bx_store_datum(t, &s->agg->keys.v[i], s->keys.v[i].value, d);
	}
	if (s->incr != NULL) {
		t->clause.action_no = s->incr_no;
		bx_difo(t, s->incr);
		bx_stx(a, 8, R10, FP_INCR, R0);
	}
	t->clause.action_no = s->action_no;
	if (s->value != NULL) {
		bx_difo(t, s->value);
		bx_stx(a, 8, R10, FP_VAL, R0);
	}
}

/* Find the value and update it, or count a drop.  The key lacks its header. */
static void
agg_apply(struct bx_tr *t, const struct agg_run *run)
{
	struct bx_asm *a = &t->a;
	bx_label drop = bx_new_label(a), done = bx_new_label(a);
	bx_label nomem = bx_new_label(a);

	if (run->pa->keys.n == 0) {
		agg_find_scalar(t, run->pa, drop);
	} else {
		key_header(t, run->pa, &run->key);
		agg_find_keyed(t, run, drop, nomem);
	}
	agg_update(t, run, drop);
	bx_ja(a, done);
	if (run->pa->keys.n != 0) {
		bx_bind(a, nomem);
		bx_drop(t, DT_DROP_AGGMEM);
		bx_ja(a, done);
	}
	bx_bind(a, drop);
	bx_drop(t, DT_DROP_AGG);
	bx_bind(a, done);
}

/*
 * In a large group an aggregation is a function.  The kernel verifies a global
 * function once a program, however often it is called:
 *
 *	agg(key without its header, value or bucket, increment)
 *
 *	fp -  8		value or bucket
 *	fp - 16		increment
 *	fp - 16 - n	a copy of the key, of n bytes: before Linux 6.2 memory
 *			that the caller passes cannot be a key
 */
enum { FN_VAL = -8, FN_INCR = -16 };
#define BPF_STACK_MAX 512 /* of a program and the functions that it calls */

static uint32_t
frame_size(int lowest)
{
	return ((uint32_t)-lowest + 31) & ~31U;
}

/* Is there room on the BPF stack, for its frame and that of rt_drop()? */
static bool
agg_is_func(const struct bx_tr *t, const struct plan_agg *pa)
{
	uint32_t key = pa->keys.n != 0 ? pa->key_size : 0;

	return t->parts.has_state && !bx_key_in_mem(t->lo, pa) &&
	    frame_size(t->frame.key) + frame_size(FN_INCR - (int)key) + 32 <=
	    BPF_STACK_MAX;
}

static struct agg_run
agg_func_run(const struct plan_agg *pa)
{
	return (struct agg_run){ .pa = pa,
		.key = { .fp = FN_INCR - (int)pa->key_size },
		.val = FN_VAL,
		.bucket = FN_VAL,
		.incr = FN_INCR };
}

/* Copy the key that r1 points to; go to `none` if r1 is NULL, as the verifier
 * believes it may be. */
static void
agg_copy_key(struct bx_tr *t, const struct agg_run *run, bx_label none)
{
	struct bx_asm *a = &t->a;
	uint32_t size = run->pa->key_size - PLAN_KEYHDR;
	int to = run->key.fp + PLAN_KEYHDR;

	bx_jcci(a, BPF_JEQ, R1, 0, none);
	for (uint32_t off = 0, n = 8; off < size; off += n) {
		while (n > size - off)
			n /= 2;
		bx_ldx(a, (int)n, R0, R1, (int)off);
		bx_stx(a, (int)n, R10, to + (int)off, R0);
	}
}

static void
agg_func_body(struct bx_tr *t, const struct plan_agg *pa)
{
	struct bx_asm *a = &t->a;
	struct agg_run run = agg_func_run(pa);
	bx_label none = bx_new_label(a);

	bx_stx(a, 8, R10, run.val, R2);
	bx_stx(a, 8, R10, run.incr, R3);
	if (pa->keys.n != 0)
		agg_copy_key(t, &run, none);
	agg_apply(t, &run);
	bx_bind(a, none);
	bx_movi(a, R0, 0);
	bx_exit(a);
}

/* The aggregation's function, translated at its first use. */
static const struct bx_fn *
agg_func(struct bx_tr *t, const struct plan_agg *pa)
{
	struct bx_fn fn = { .pa = pa };
	struct bx_asm caller;

	VEC_FOREACH(&t->parts.fns, f) {
		if (f->pa == pa)
			return f;
	}
	fn.name = arena_printf(&t->lo->arena, "dt_agg%u", pa->agg->id);
	caller = t->a;
	memset(&t->a, 0, sizeof(t->a));
	agg_func_body(t, pa);
	fn.a = t->a;
	t->a = caller;
	VEC_PUSH(&t->parts.fns, fn);
	return &t->parts.fns.v[t->parts.fns.n - 1];
}

/* Call the function with what run->key and the frame hold. */
static void
agg_call(struct bx_tr *t, const struct agg_run *run)
{
	struct bx_asm *a = &t->a;
	const struct bx_fn *fn = agg_func(t, run->pa);
	bool has_buckets = agg_has_buckets(run->pa);

	if (run->pa->keys.n != 0) {
		bx_dest_ptr(t, &run->key, R1, PLAN_KEYHDR);
	} else {
		bx_movi(a, R1, 0);
	}
	if (has_buckets || run->pa->agg->kind != DT_ACT_COUNT)
		bx_ldx(a, 8, R2, R10, has_buckets ? run->bucket : run->val);
	else
		bx_movi(a, R2, 0);
	if (run->incr != 0)
		bx_ldx(a, 8, R3, R10, run->incr);
	else
		bx_movi(a, R3, 1);
	bx_call(a, fn->name);
	/* the maps count as the caller's */
	VEC_FOREACH(&fn->a.maps.strs, map)
		strtab_intern(&a->maps, *map);
}

void
bx_aggregate(struct bx_tr *t, const struct plan_step *s)
{
	const struct plan_agg *pa = s->agg;
	struct agg_run run = { .pa = pa,
		.key = key_dest(t, pa),
		.val = FP_VAL,
		.bucket = FP_TMP + 8,
		.incr = s->incr != NULL ? FP_INCR : 0 };

	agg_operands(t, s, &run.key);
	find_bucket(t, pa);
	if (pa->keys.n != 0)
		zero_padding(t, pa, &run.key);
	if (agg_is_func(t, pa))
		agg_call(t, &run);
	else
		agg_apply(t, &run);
}
