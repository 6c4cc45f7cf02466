/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One clause -> BPF: predicate, steps in order, record, faults.
 *
 *	predicate false  ------------------------------> out
 *	for each step: run its object, put the result into the record under
 *	    construction (or the key, or update the aggregation)
 *	reserve, copy and commit the record ------------> out
 *	fault: report it, run the ERROR clauses --------> out
 *
 * Nothing is reserved in a buffer before everything is evaluated: an
 * unfinished reservation would hold up that CPU's consumer.
 */
#include "exec/bpf/tr.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define MINMAX_TRIES 4 /* compare-and-swap: each retry means an interrupt */

static bool
object_needs_slot(const struct bx_layout *lo, const struct dif_obj *dp)
{
	return dp != NULL && bx_needs_slot(lo, dp->uses);
}

/* The runtime writes strings and user stacks, and only reaches the machine
 * state.  Walking a stack takes all of the BPF stack that is left (group.c). */
static bool
key_in_mem(const struct bx_layout *lo, const struct plan_agg *pa)
{
	VEC_FOREACH(&pa->keys, key) {
		if (key->store == PLAN_STR)
			return true;
	}
	return lo->uses_ustack || pa->key_size > STACK_KEY_MAX;
}

/* Judge by the stored datum: one that is stored as an id needs no machine state
 * although its object would. */
static bool
key_needs_slot(const struct bx_layout *lo, const struct plan_rec *rec,
    const struct dif_obj *dp)
{
	if (rec->store == PLAN_STR_ID || rec->store == PLAN_STR_COMM)
		return false;
	return PLAN_IS_STACK(rec->store) || object_needs_slot(lo, dp);
}

static bool
agg_needs_slot(const struct bx_layout *lo, const struct plan_step *s)
{
	if (key_in_mem(lo, s->agg))
		return true;
	for (size_t i = 0; i < s->agg->keys.n; i++) {
		if (key_needs_slot(lo, &s->agg->keys.v[i], s->keys[i].difo))
			return true;
	}
	return object_needs_slot(lo, s->incr);
}

/* Do the steps of a clause need a machine state? (Its predicate may.) */
static bool
steps_need_slot(const struct bx_layout *lo, const struct plan_clause *pc)
{
	if (pc->size != 0)
		return true;
	VEC_FOREACH(&pc->steps, s) {
		if (object_needs_slot(lo, s->value) ||
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
	return steps_need_slot(t->lo, pc) ||
	    object_needs_slot(t->lo, pc->clause->pred);
}

/* ---- machine state and thread-local storage ----------------------------- */

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

	bx_task(t, R2);
	bx_map(a, R1, "rtm_tls");
	bx_movi(a, R3, 0);
	bx_movi(a, R4, 0);
	bx_helper(a, H_TASK_STORAGE_GET);
	bx_stx(a, 8, R10, FP_TLS, R0);
}

/* ---- storing results ---------------------------------------------------- */

/* The place of a record or a key under construction: in the machine state or on
 * the stack. */
struct dest {
	bool in_mem;
	uint32_t mem; /* offset in mem of byte 0 */
	int fp;	      /* fp offset of byte 0 */
};

static void
dest_base(const struct dest *d, int *reg, int *off)
{
	*reg = d->in_mem ? R9 : R10;
	*off = d->in_mem ? (int)(RT_MEM_OFF + d->mem) : d->fp;
}

static void
dest_ptr(struct bx_tr *t, const struct dest *d, int rd, uint32_t off)
{
	int reg, base;

	dest_base(d, &reg, &base);
	bx_mov(&t->a, rd, reg);
	bx_alui(&t->a, BPF_ADD, rd, base + (int)off);
}

/* Store the id of a probe name (PLAN_STR_ID): the object says which. */
static void
store_str_id(struct bx_tr *t, const struct dif_obj *dp, int reg, int off)
{
	uint32_t ins = dp->text[0];

	if (dif_instr_op(ins) == DIF_OP_SETS) {
		const char *s = dp->strtab + dif_instr_idx(ins);

		bx_movi(&t->a, R1, strtab_intern(&t->lo->pl->strs, s));
	} else {
		bx_probe_field(
		    t, R1, BX_F_STRID + bx_name_index(dif_instr_idx(ins)));
	}
	bx_stx(&t->a, 4, reg, off, R1);
}

static void
store_stack(struct bx_tr *t, const struct plan_rec *rec, const struct dest *d)
{
	struct bx_asm *a = &t->a;
	bx_label ok = bx_new_label(a);
	int reg, off;

	bx_ctx(t->facts->ctx)->own_frames(t);
	bx_ldx(a, 8, R1, R10, FP_CTX);
	dest_ptr(t, d, R2, rec->offset);
	bx_movi(a, R3, rec->size);
	bx_helper(a, H_GET_STACK);
	dest_base(d, &reg, &off);
	bx_frames_fix(t, reg, off + (int)rec->offset);
	bx_jcci(a, BPF_JSGT, R0, 0, ok);
	bx_sti(a, 8, reg, off + (int)rec->offset, 0);
	bx_bind(a, ok);
}

static void
store_ustack(struct bx_tr *t, const struct plan_rec *rec, const struct dest *d)
{
	struct bx_asm *a = &t->a;

	bx_helper(a, H_CURRENT_PID_TGID);
	bx_alui(a, BPF_RSH, R0, 32);
	bx_stx(a, 8, R9, (int)(RT_MEM_OFF + d->mem + rec->offset), R0);
	bx_ustack(t, d->mem + rec->offset + 8, (uint32_t)rec->arg,
	    PLAN_STRINGS(rec), ~0U);
}

/* Copy the object's value in r0 (an integer or an address) to its place. */
static void
store_value(struct bx_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, const struct dest *d)
{
	struct bx_asm *a = &t->a;
	bool is_byref =
	    rec->store == PLAN_STR || (dp->rtype.flags & DIF_TF_BYREF);
	int reg, off;

	dest_base(d, &reg, &off);
	if (!is_byref) {
		if (rec->size != 0)
			bx_stx(
			    a, (int)rec->size, reg, off + (int)rec->offset, R0);
		return;
	}
	bx_stx(a, 8, R10, FP_TMP, R0);
	if (rec->store == PLAN_STR) {
		bx_mov(a, R3, R0);
		bx_ldx(a, 8, R1, R10, FP_SLOT);
		bx_movi(a, R2, d->mem + rec->offset);
		bx_movi(a, R4, rec->size);
		bx_call(a, "rt_store_str");
		bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
		bx_fault_if(t, BPF_JNE, R1, 0, DIF_FLT_UNKNOWN, ~0U, EXIT_MS);
		return;
	}
	bx_mov(a, R3, R0);
	dest_ptr(t, d, R1, rec->offset);
	bx_movi(a, R2, rec->size);
	bx_helper(a, H_READ_KERNEL);
	bx_fault_if(t, BPF_JNE, R0, 0, DIF_FLT_BADADDR, ~0U, EXIT_FP_TMP);
}

static void
store_ref(struct bx_tr *t, const struct plan_rec *rec, const struct dif_obj *dp,
    const struct dest *d)
{
	struct bx_asm *a = &t->a;

	bx_difo(t, dp);
	bx_mov(a, R3, R0);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_movi(a, R2, d->mem + rec->offset);
	bx_movi(a, R4, rec->size - PLAN_REFHDR);
	bx_call(a, "rt_store_ref");
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
	bx_fault_if(t, BPF_JNE, R1, 0, DIF_FLT_UNKNOWN, ~0U, EXIT_MS);
}

/* Store a process id, and an address in that process. */
static void
store_usym(struct bx_tr *t, const struct dif_obj *dp, int reg, int off)
{
	struct bx_asm *a = &t->a;

	bx_difo(t, dp);
	bx_stx(a, 8, reg, off + 8, R0);
	bx_helper(a, H_CURRENT_PID_TGID);
	bx_alui(a, BPF_RSH, R0, 32);
	bx_stx(a, 8, reg, off, R0);
}

/* Store a datum: the object's value, or rec->arg if there is no object. */
static void
store_datum(struct bx_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, const struct dest *d)
{
	struct bx_asm *a = &t->a;
	int reg, off;

	dest_base(d, &reg, &off);
	off += (int)rec->offset;
	switch (rec->store) {
	case PLAN_STR_ID:
		store_str_id(t, dp, reg, off);
		return;
	case PLAN_STR_COMM:
		bx_comm(t, reg, off);
		return;
	case PLAN_STACK:
		store_stack(t, rec, d);
		return;
	case PLAN_USTACK:
		store_ustack(t, rec, d);
		return;
	case PLAN_REF:
		store_ref(t, rec, dp, d);
		return;
	case PLAN_USYM:
		store_usym(t, dp, reg, off);
		return;
	case PLAN_STR:
	case PLAN_BYTES:
	case PLAN_SYM:
		break;
	}
	if (dp != NULL) {
		bx_difo(t, dp);
		store_value(t, rec, dp, d);
	} else if (rec->size == 8) {
		bx_movi(a, R0, rec->arg);
		bx_stx(a, 8, reg, off, R0);
	}
}

/* ---- aggregations ------------------------------------------------------- */

/* The operands of an update, by their places in the frame. */
struct agg_run {
	const struct plan_agg *pa;
	struct dest key;
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

/* Zero bytes [from, to) at base + off, with as few stores as alignment
 * allows. */
static void
zero_gap(struct bx_tr *t, int base, int off, uint32_t from, uint32_t to)
{
	while (from < to) {
		int size = 8;

		while (size > 1 &&
		    (from % (uint32_t)size != 0 || to - from < (uint32_t)size))
			size /= 2;
		bx_sti(&t->a, size, base, off + (int)from, 0);
		from += (uint32_t)size;
	}
}

static void
zero_padding(struct bx_tr *t, const struct plan_agg *pa, const struct dest *d)
{
	uint32_t end = PLAN_KEYHDR;
	int reg, off;

	dest_base(d, &reg, &off);
	for (size_t i = 0; i <= pa->keys.n; i++) {
		uint32_t next =
		    i < pa->keys.n ? pa->keys.v[i].offset : pa->key_size;

		zero_gap(t, reg, off, end, next);
		if (i < pa->keys.n)
			end = next + pa->keys.v[i].size;
	}
}

/* Key header: u16 cpu, u16 generation, u32 0. */
static void
key_header(struct bx_tr *t, const struct plan_agg *pa, const struct dest *d)
{
	struct bx_asm *a = &t->a;
	int reg, off;

	dest_base(d, &reg, &off);
	bx_helper(a, H_SMP_PROCESSOR_ID);
	bx_mov(a, R2, R0);
	agg_generation(t, pa);
	bx_alui(a, BPF_AND, R0, 0xffff);
	bx_alui(a, BPF_LSH, R0, 16);
	bx_alu(a, BPF_OR, R0, R2);
	bx_stx(a, 8, reg, off, R0);
}

static struct dest
key_dest(const struct bx_tr *t, const struct plan_agg *pa)
{
	return (struct dest){ .in_mem = key_in_mem(t->lo, pa),
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
	struct dest d = run->key;
	const char *map = agg_map_sym(t, pa);
	bx_label have = bx_new_label(a);

	bx_map(a, R1, map);
	dest_ptr(t, &d, R2, 0);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JNE, R0, 0, have);
	bx_map(a, R1, map);
	dest_ptr(t, &d, R2, 0);
	initial_value(t, pa, R3);
	bx_movi(a, R4, BPF_NOEXIST);
	bx_helper(a, H_MAP_UPDATE);
	/* before Linux 6.4 the upper half of r0 is not set */
	bx_jcci32(a, BPF_JEQ, R0, -ENOMEM, nomem);
	bx_map(a, R1, map);
	dest_ptr(t, &d, R2, 0);
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
agg_operands(struct bx_tr *t, const struct plan_step *s, const struct dest *d)
{
	struct bx_asm *a = &t->a;

	for (size_t i = 0; i < s->agg->keys.n; i++) {
		t->clause.action_no = s->key_no + (uint32_t)i;
		store_datum(t, &s->agg->keys.v[i], s->keys[i].difo, d);
	}
	if (s->incr != NULL) {
		t->clause.action_no = s->action_no - 1;
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

	return t->parts.has_state && !key_in_mem(t->lo, pa) &&
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
		dest_ptr(t, &run->key, R1, PLAN_KEYHDR);
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

static void
aggregate(struct bx_tr *t, const struct plan_step *s)
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

/* ---- other steps -------------------------------------------------------- */

/* exit(): stop all probes but END; wake the consumer. */
static void
stop_firing(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_mapval(a, R1, "rtm_ctl", offsetof(struct bx_ctl, state));
	bx_sti(a, 4, R1, 0, EXEC_STATE_DRAINING);
}

static void
ring_bell(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_sti(a, 8, R10, FP_TMP, 1);
	bx_map(a, R1, "rtm_bell");
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_movi(a, R3, 8);
	bx_movi(a, R4, BPF_RB_FORCE_WAKEUP);
	bx_helper(a, H_RINGBUF_OUTPUT);
}

/* Send the signal in r0 to the process.  The kernel refuses numbers that are no
 * signal, and init and its own threads as the receiver. */
static void
send_signal(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_stx(a, 8, R10, FP_TMP, R0);
	bx_mov(a, R1, R0);
	bx_helper(a, H_SEND_SIGNAL);
	bx_fault_if(t, BPF_JNE, R0, 0, DIF_FLT_ILLOP, ~0U, EXIT_FP_TMP);
}

/*
 * Emit chill().  The rest of the firing gets a new time.  The old one marks the
 * start of the probe's own cost, which is excluded first.
 */
static void
chill(struct bx_tr *t, const struct plan_step *s)
{
	struct bx_asm *a = &t->a;

	bx_difo(t, s->value);
	bx_stx(a, 8, R10, FP_TMP, R0);
	bx_mov(a, R1, R0);
	bx_call(a, "rt_chill");
	bx_fault_if(t, BPF_JNE, R0, 0, DIF_FLT_ILLOP, ~0U, EXIT_FP_TMP);
	bx_forget_probe_time(t);
	bx_note_clocks(t);
	bx_helper(a, H_KTIME_GET_NS);
	bx_stx(a, 8, R10, FP_TS, R0);
}

static void
write_record(struct bx_tr *t, const struct plan_clause *pc)
{
	struct bx_asm *a = &t->a;

	bx_probe_field(t, R3, BX_F_EPID);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_movi(a, R2, pc->size);
	bx_time(t, R4);
	bx_call(a, "rt_record");
}

/* Clear the record's padding: it must not show data of an earlier record. */
static void
clear_record(struct bx_tr *t, const struct plan_clause *pc)
{
	uint32_t end = PLAN_RECHDR;

	for (size_t i = 0; i <= pc->recs.n; i++) {
		uint32_t next =
		    i < pc->recs.n ? pc->recs.v[i].offset : pc->size;

		zero_gap(t, R9, (int)(RT_MEM_OFF + MEM_REC), end, next);
		if (i < pc->recs.n)
			end = next + pc->recs.v[i].size;
	}
}

/*
 * speculate(), commit(), discard(): the record carries the speculation's tag.
 */
static void
speculation(struct bx_tr *t, const struct plan_step *s, bx_label out)
{
	struct bx_asm *a = &t->a;

	bx_difo(t, s->value);
	bx_mov(a, R2, R0);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_call(
	    a, s->kind == DIF_STEP_SPECULATE ? "rt_spec_tag" : "rt_spec_end");
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
	bx_fault_if(t, BPF_JNE, R1, 0, DIF_FLT_UNKNOWN, ~0U, EXIT_MS);
	if (s->ends_if_none)
		bx_jcci(a, BPF_JEQ, R0, 0, out);
	bx_stx(a, 8, R9, (int)(RT_MEM_OFF + MEM_REC + s->rec->offset), R0);
}

/* Labels of a clause's code. */
struct clause_run {
	bx_label out;  /* the clause is over */
	bx_label done; /* no more clauses run */
};

/* ---- faults ------------------------------------------------------------- */

void
bx_error_arg(struct bx_tr *t, int rd, unsigned n)
{
	struct bx_asm *a = &t->a;

	switch (n) {
	case 1: /* EPID; FP_EPID has it and the action */
		bx_ldx(a, 4, rd, R10, FP_EPID);
		break;
	case 2:
		bx_ldx(a, 4, rd, R10, FP_EPID + 4);
		break;
	case 3:
		bx_ldx(a, 4, rd, R10, FP_FAULT);
		bx_alui(a, BPF_LSH, rd, 32);
		bx_alui(a, BPF_ARSH, rd, 32);
		break;
	case 4:
		bx_ldx(a, 4, rd, R10, FP_FAULT + 4);
		break;
	case 5:
		bx_ldx(a, 8, rd, R10, FP_FVAL);
		break;
	default:
		bx_movi(a, rd, 0);
		break;
	}
}

/* Report a fault in this clause, then run the ERROR clauses in the context of
 * the thread that faulted.  A fault in one of those is only counted. */
static void
fault_block(struct bx_tr *t, const struct plan_clause *pc, bx_label fault,
    const struct clause_run *run)
{
	struct bx_asm *a = &t->a;
	const struct dt_probe *probe = t->clause.const_probe;
	uint32_t clause_no = t->clause.no;

	bx_bind(a, fault);
	if (t->clause.in_error) {
		bx_drop(t, DT_DROP_DBLERROR);
		return;
	}
	bx_note(t, pc->clause->span, "fault");
	bx_need_time(t);
	bx_probe_field(t, R1, BX_F_EPID);
	bx_stx(a, 4, R10, FP_EPID, R1);
	bx_ldx(a, 8, R1, R10, FP_EPID);
	bx_ldx(a, 8, R2, R10, FP_FAULT);
	bx_ldx(a, 8, R3, R10, FP_FVAL);
	bx_time(t, R4);
	bx_call(a, "rt_error");
	t->clause.in_error = true;
	VEC_FOREACH(&t->facts->error_clauses, ec) {
		t->clause.const_probe = bx_clause_error(*ec);
		bx_clause(t, *ec, 0, run->done);
	}
	t->clause.in_error = false;
	t->clause.const_probe = probe;
	t->clause.no = clause_no;
	t->clause.pc = pc;
	bx_ja(a, run->out);
}

/* Emit the code that the clause's steps so far jump to when they fault. */
static void
fault_code(
    struct bx_tr *t, const struct plan_clause *pc, const struct clause_run *run)
{
	bx_label fault;

	if (t->clause.exits.n == 0)
		return;
	fault = bx_new_label(&t->a);
	bx_emit_fault_exits(t, fault);
	fault_block(t, pc, fault, run);
}

/* ---- the clause --------------------------------------------------------- */

static bool
clause_uses_time(const struct plan_clause *pc)
{
	return pc->size != 0 || dif_uses_var(&pc->uses, DIF_VAR_TIMESTAMP) ||
	    dif_uses_var(&pc->uses, DIF_VAR_VTIMESTAMP) ||
	    dif_uses_var(&pc->uses, DIF_VAR_MACHTIMESTAMP);
}

void
bx_need_time(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label have = bx_new_label(a);

	bx_ldx(a, 8, R0, R10, FP_TS);
	bx_jcci(a, BPF_JNE, R0, 0, have);
	bx_helper(a, H_KTIME_GET_NS);
	bx_stx(a, 8, R10, FP_TS, R0);
	bx_bind(a, have);
}

/* Does this clause apply to the probe that fired? */
static void
test_mask(struct bx_tr *t, uint32_t no, bx_label out)
{
	struct bx_asm *a = &t->a;

	if (t->clause.const_probe != NULL || t->facts->clauses.n == 1)
		return;
	bx_ldx(a, 8, R1, R10, FP_ENT);
	bx_ldx(a, 8, R1, R1, (int)(8 * (no / 64)));
	bx_alui(a, BPF_RSH, R1, (int32_t)(no % 64));
	bx_alui(a, BPF_AND, R1, 1);
	bx_jcci(a, BPF_JEQ, R1, 0, out);
}

/* Emit the predicate.  One that only looks at integers runs before anything is
 * claimed. */
static void
clause_predicate(struct bx_tr *t, const struct plan_clause *pc, bx_label out)
{
	const struct dif_obj *pred = pc->clause->pred;
	bool pred_needs = object_needs_slot(t->lo, pred);

	t->clause.action_no = 0;
	if (pred_needs)
		bx_need_slot(t, out);
	if (pred != NULL) {
		bx_note(t, pc->clause->span, "predicate");
		bx_difo(t, pred);
		bx_jcci(&t->a, BPF_JEQ, R0, 0, out);
	}
	if (!pred_needs && steps_need_slot(t->lo, pc))
		bx_need_slot(t, out);
}

/* Continue the clause in another part, and set up its variables there again. */
static void
cut(struct bx_tr *t, const struct plan_clause *pc, struct clause_run *run)
{
	bx_label next = bx_new_label(&t->a);

	if (t->clause.exits.n != 0)
		bx_ja(&t->a, next);
	fault_code(t, pc, run);
	bx_bind(&t->a, next);
	run->done = bx_part_cut(t, run->out);
	run->out = bx_new_label(&t->a);
	bx_note(t, pc->clause->span, "clause");
	if (dif_uses_tls(&pc->uses))
		bx_find_tls(t);
}

/* Jump to `done`.  In a part the jump has a condition that always holds: the
 * kernel refuses unreachable code behind an unconditional one. */
static void
leave_firing(struct bx_tr *t, bx_label done)
{
	if (!t->parts.has_state) {
		bx_ja(&t->a, done);
		return;
	}
	bx_ldx(&t->a, 8, R1, R10, FP_SLOT);
	bx_jcci(&t->a, BPF_JNE, R1, -1, done);
}

static void
one_step(
    struct bx_tr *t, const struct plan_step *s, const struct clause_run *run)
{
	static const struct dest record = { .in_mem = true, .mem = MEM_REC };

	switch (s->kind) {
	case DIF_STEP_EVAL:
		if (s->value != NULL)
			bx_difo(t, s->value);
		break;
	case DIF_STEP_STORE:
		store_datum(t, s->rec, s->value, &record);
		break;
	case DIF_STEP_AGG:
		aggregate(t, s);
		break;
	case DIF_STEP_RAISE:
		bx_difo(t, s->value);
		send_signal(t);
		break;
	case DIF_STEP_STOP:
		bx_movi(&t->a, R0, SIGSTOP);
		send_signal(t);
		break;
	case DIF_STEP_CHILL:
		chill(t, s);
		break;
	case DIF_STEP_SPECULATE:
	case DIF_STEP_SPEC_END:
		speculation(t, s, run->out);
		break;
	case DIF_STEP_EXIT:
		store_datum(t, s->rec, s->value, &record);
		stop_firing(t);
		break;
	}
}

/* Emit all steps of a clause, in order. */
static void
clause_steps(
    struct bx_tr *t, const struct plan_clause *pc, struct clause_run *run)
{
	VEC_FOREACH(&pc->steps, s) {
		if (bx_part_is_full(t))
			cut(t, pc, run);
		t->clause.action_no = s->action_no;
		bx_note(t, s->span, "%s", s->name);
		one_step(t, s, run);
	}
}

void
bx_clause(
    struct bx_tr *t, const struct plan_clause *pc, uint32_t no, bx_label done)
{
	struct bx_asm *a = &t->a;
	struct clause_run run = { .done = done };

	t->clause.pc = pc;
	t->clause.no = no;
	if (t->parts.has_state && !t->clause.in_error)
		run.done = bx_part_clause(t);
	run.out = bx_new_label(a);
	bx_note(t, pc->clause->span, "clause");
	test_mask(t, no, run.out);
	if (dif_uses_tls(&pc->uses))
		bx_find_tls(t);
	if (clause_uses_time(pc))
		bx_need_time(t);
	clause_predicate(t, pc, run.out);
	if (pc->size != 0)
		clear_record(t, pc);
	clause_steps(t, pc, &run);
	if (pc->size != 0)
		write_record(t, pc);
	if (plan_clause_does(pc, DIF_STEP_EXIT)) {
		ring_bell(t);
		leave_firing(t, run.done);
	} else if (t->clause.exits.n != 0) {
		bx_ja(a, run.out);
	}
	fault_code(t, pc, &run);
	bx_bind(a, run.out);
	bx_part_clause_end(t);
}
