/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One clause -> x86-64: predicate, steps in order, record, faults.
 *
 *	predicate false  ------------------------------> out
 *	for each step: run its object, put the result into the record under
 *	    construction (or the key, or update the aggregation)
 *	reserve, copy and commit the record ------------> out
 *	fault: report it, run the ERROR clauses --------> out
 *
 * Nothing is reserved in a buffer before everything is evaluated, since a
 * signal handler that comes in between may write records, too.
 */
#include "exec/process/emit/compile.h"

#include <signal.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

static uint32_t
rec_mem(const struct pr_tr *t)
{
	return (uint32_t)t->x->conf.mem_rec;
}

/* ---- faults ------------------------------------------------------------- */

static x_label
fault_label(struct pr_tr *t, bool has_offset)
{
	struct pr_fault_exit s = { .label = x_new_label(t->a),
		.action = t->action_no,
		.has_offset = has_offset };

	VEC_PUSH(&t->exits, s);
	return s.label;
}

/* After a call of a function that returns whether it has faulted. */
static void
check_result(struct pr_tr *t)
{
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_NE, fault_label(t, false));
}

static void
emit_fault_exits(struct pr_tr *t, x_label fault)
{
	struct x_asm *a = t->a;

	VEC_FOREACH(&t->exits, s) {
		if (!x_is_wanted(a, s->label))
			continue;
		x_bind(a, s->label);
		x_storei(a, 4, PR_FIRE_AT(action), (int32_t)s->action);
		if (s->has_offset) {
			x_load(a, 8, false, X_RAX, PR_VM_AT(fault_pc));
			x_shifti(a, X_SHL, X_RAX, 2);
		} else {
			x_movi(a, X_RAX, UINT32_MAX);
		}
		x_jmp(a, fault);
	}
	t->exits.n = 0;
}

/* Runs in the thread that faulted.  A fault in one of ERROR's clauses is only
 * counted. */
void
pr_report_fault(struct pr_tr *t)
{
	struct x_asm *a = t->a;

	if (t->in_error) {
		x_movi(a, X_RSI, DT_DROP_DBLERROR);
		pr_call_vm(t, "pr_drop");
	} else {
		x_store(a, 4, PR_FIRE_AT(offset), X_RAX);
		x_load(a, 8, false, X_RAX, PR_VM_AT(vars[RT_VAR_EPID]));
		x_store(a, 4, PR_FIRE_AT(epid), X_RAX);
		pr_call_vm(t, "pr_error");
		if (t->error_at != 0) {
			x_call(a, t->error_at);
			pr_changes(t, t->error_used);
		}
	}
	x_storei(a, 8, PR_MS_AT(fault), 0);
}

/* The code for faults, behind the clause; the clause ends at `out`. */
static void
fault_block(struct pr_tr *t, x_label fault, x_label out)
{
	if (!x_is_wanted(t->a, fault) || pr_fast_fault(t, fault, out))
		return;
	x_bind(t->a, fault);
	pr_report_fault(t);
}

/* ---- storing results ---------------------------------------------------- */

static const struct pr_strs *
strs_of(const struct pr_tr *t, const struct dif_obj *dp)
{
	const struct pr_strs *s = t->x->difos.v;

	while (s->dp != dp)
		s++;
	return s;
}

/* %rax <- an object's result; goes to `fault` if the object faults. */
static void
emit_object(struct pr_tr *t, const struct dif_obj *dp, x_label fault)
{
	const struct pr_conf *c = &t->x->conf;
	struct jit_env env = { .globals = (uint32_t)c->globals,
		.locals = (uint32_t)c->rt.locals,
		.uvars = t->x->uvars,
		.strs = strs_of(t, dp)->off,
		.vars = &t->x->vars,
		.builtin = pr_var_call,
		.copy = pr_fast_copy,
		.copy_arg = t };
	uint32_t used = 0;
	struct err err = { 0 };

	pr_note_object(t, dp);
	if (!jit_object(t->a, &env, dp, fault, &used, &err))
		pr_refuse(t, t->pc->clause->span, err_steal(&err));
	pr_changes(t, used);
}

void
pr_leaf(struct pr_tr *t, const struct jit_env *env, const struct dif_obj *dp,
    x_label no)
{
	uint32_t used = 0;
	struct err err = { 0 };

	pr_note_object(t, dp);
	if (!jit_decide(t->a, env, dp, no, &used, &err))
		pr_refuse(t, t->pc->clause->span, err_steal(&err));
}

/* %rax <- the object's result */
static void
run_object(struct pr_tr *t, const struct dif_obj *dp)
{
	emit_object(t, dp, fault_label(t, true));
}

/* %rdi <- the machine state */
static void
slot(struct pr_tr *t)
{
	x_lea(t->a, X_RDI, X_AT(PR_VM, RT_VM_MS));
}

static void
store_string(struct pr_tr *t, uint32_t off, uint32_t size)
{
	x_mov(t->a, X_RDX, X_RAX);
	x_movi(t->a, X_RSI, off);
	x_movi(t->a, X_RCX, size);
	slot(t);
	pr_call(t, "rt_store_str");
	check_result(t);
}

static void
store_bytes(struct pr_tr *t, uint32_t off, uint32_t size)
{
	x_mov(t->a, X_RDX, X_RAX);
	x_movi(t->a, X_RSI, off);
	x_movi(t->a, X_RCX, size);
	pr_call_vm(t, "pr_store_bytes");
	check_result(t);
}

static void
store_ref(struct pr_tr *t, uint32_t off, uint32_t size)
{
	x_mov(t->a, X_RDX, X_RAX);
	x_movi(t->a, X_RSI, off);
	x_movi(t->a, X_RCX, size - PLAN_REFHDR);
	slot(t);
	pr_call(t, "rt_store_ref");
	check_result(t);
}

static unsigned
name_index(uint32_t var)
{
	return var == DIF_VAR_PROBE ? PR_NNAMES - 1 : var - DIF_VAR_PROBEPROV;
}

/* A string that is known in advance: a constant, or one of the probe's names.
 */
static void
store_str_id(struct pr_tr *t, const struct dif_obj *dp, uint32_t off)
{
	uint32_t ins = dp->text[0];
	unsigned i;

	if (dif_instr_op(ins) == DIF_OP_SETS) {
		x_storei(t->a, 4, PR_MEM_AT(off),
		    (int32_t)strtab_intern(
			&t->x->pl->strs, dp->strtab + dif_instr_idx(ins)));
		return;
	}
	i = name_index(dif_instr_idx(ins));
	x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(probe));
	x_load(t->a, 4, false, X_RAX,
	    X_AT(X_RAX, offsetof(struct pr_probe, strids) + 4 * i));
	x_store(t->a, 4, PR_MEM_AT(off), X_RAX);
}

static void
store_comm(struct pr_tr *t, uint32_t off)
{
	pr_call_vm(t, "pr_execname"); /* changes %rcx, too */
	x_load(t->a, 8, false, X_RCX, X_AT(X_RAX, 0));
	x_store(t->a, 8, PR_MEM_AT(off), X_RCX);
	x_load(t->a, 8, false, X_RCX, X_AT(X_RAX, 8));
	x_store(t->a, 8, PR_MEM_AT(off + 8), X_RCX);
}

static void
store_usym(struct pr_tr *t, const struct dif_obj *dp, uint32_t off)
{
	run_object(t, dp);
	x_store(t->a, 8, PR_MEM_AT(off + 8), X_RAX);
	pr_call_vm(t, "pr_pid");
	x_store(t->a, 8, PR_MEM_AT(off), X_RAX);
}

/* Zero mem[from, to) with as few stores as alignment lets. */
static void
zero_gap(struct pr_tr *t, uint32_t base, uint32_t from, uint32_t to)
{
	if (from < to)
		x_movi(t->a, X_RAX, 0);
	while (from < to) {
		uint32_t size = 8;

		while (size > 1 && (from % size != 0 || to - from < size))
			size /= 2;
		x_store(t->a, (int)size, PR_MEM_AT(base + from), X_RAX);
		from += size;
	}
}

/* Store a process id, then its frames; no strings are stored behind them. */
static void
store_ustack(struct pr_tr *t, const struct plan_rec *rec, uint32_t off)
{
	uint32_t nframes = (uint32_t)rec->arg;

	pr_call_vm(t, "pr_pid");
	x_store(t->a, 8, PR_MEM_AT(off), X_RAX);
	x_movi(t->a, X_RSI, off + 8);
	x_movi(t->a, X_RDX, nframes);
	pr_call_vm(t, "pr_ustack");
	check_result(t);
	zero_gap(t, 0, off + 8 + 8 * nframes, off + rec->size);
}

/* Store the object's value, which is in %rax. */
static void
store_value(struct pr_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, uint32_t off)
{
	if (rec->store == PLAN_STR)
		store_string(t, off, rec->size);
	else if (dp->rtype.flags & DIF_TF_BYREF)
		store_bytes(t, off, rec->size);
	else if (rec->size != 0)
		x_store(t->a, (int)rec->size, PR_MEM_AT(off), X_RAX);
}

/* Store a datum: the object's result, or rec->arg if there is no object.  Its
 * record or key begins at offset `base` in mem. */
static void
store_datum(struct pr_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, uint32_t base)
{
	uint32_t off = base + rec->offset;

	switch (rec->store) {
	case PLAN_STR_ID:
		store_str_id(t, dp, off);
		return;
	case PLAN_STR_COMM:
		store_comm(t, off);
		return;
	case PLAN_USYM:
		store_usym(t, dp, off);
		return;
	case PLAN_REF:
		run_object(t, dp);
		store_ref(t, off, rec->size);
		return;
	case PLAN_USTACK:
		store_ustack(t, rec, off);
		return;
	case PLAN_STACK: /* available.c refuses these */
	case PLAN_STR:
	case PLAN_BYTES:
	case PLAN_SYM:
		break;
	}
	if (dp != NULL) {
		run_object(t, dp);
		store_value(t, rec, dp, off);
	} else if (rec->size == 8) {
		x_movi(t->a, X_RAX, rec->arg);
		x_store(t->a, 8, PR_MEM_AT(off), X_RAX);
	}
}

/* Zero the padding between data: it must not show old contents. */
static void
zero_padding(struct pr_tr *t, uint32_t base, uint32_t end,
    const struct plan_rec *recs, size_t n, uint32_t size)
{
	for (size_t i = 0; i <= n; i++) {
		zero_gap(t, base, end, i < n ? recs[i].offset : size);
		if (i < n)
			end = recs[i].offset + recs[i].size;
	}
}

/* ---- aggregations ------------------------------------------------------- */

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
		store_datum(t, &s->agg->keys.v[i], s->keys[i].difo,
		    (uint32_t)t->x->conf.mem_key);
	}
	if (s->incr != NULL) {
		t->action_no = s->action_no - 1;
		run_object(t, s->incr);
		x_store(t->a, 8, PR_FIRE_AT(incr), X_RAX);
	}
	t->action_no = s->action_no;
	if (s->value != NULL) {
		run_object(t, s->value);
		x_store(t->a, 8, PR_FIRE_AT(value), X_RAX);
	}
}

static void
aggregate(struct pr_tr *t, const struct plan_step *s)
{
	const struct plan_agg *pa = s->agg;
	x_label none = x_new_label(t->a);

	agg_operands(t, s);
	if (pa->agg->kind >= DT_ACT_QUANTIZE) {
		find_bucket(t, pa);
		x_store(t->a, 8, PR_FIRE_AT(bucket), X_RAX);
	}
	zero_padding(t, (uint32_t)t->x->conf.mem_key, PLAN_KEYHDR, pa->keys.v,
	    pa->keys.n, pa->key_size);
	find_value(t, pa, none);
	update_value(t, pa, s->incr != NULL);
	x_bind(t->a, none);
}

/* ---- other steps -------------------------------------------------------- */

/* Send the signal in %rax. */
static void
send_signal(struct pr_tr *t)
{
	x_mov(t->a, X_RSI, X_RAX);
	pr_call_vm(t, "pr_signal");
	check_result(t);
}

/* Load the built-in variables that the steps from `s` on read. */
static void
load_step_vars(struct pr_tr *t, const struct plan_step *s)
{
	struct dif_uses u = { 0 };

	if (s == NULL)
		return;
	for (; s < t->pc->steps.v + t->pc->steps.n; s++)
		dif_uses_add(&u, &s->uses);
	pr_load_vars(t, &u);
}

static void
chill(struct pr_tr *t, const struct plan_step *s)
{
	run_object(t, s->value);
	x_mov(t->a, X_RSI, X_RAX);
	pr_call_vm(t, "pr_chill");
	check_result(t);
	load_step_vars(t, s);
}

/*
 * speculate(), commit(), discard(): the record carries the speculation's tag.
 */
static void
speculation(struct pr_tr *t, const struct plan_step *s, x_label out)
{
	run_object(t, s->value);
	x_mov(t->a, X_RSI, X_RAX);
	slot(t);
	pr_call(
	    t, s->kind == DIF_STEP_SPECULATE ? "rt_spec_tag" : "rt_spec_end");
	x_alumi(t->a, X_CMP, PR_MS_AT(fault), 0);
	x_jcc(t->a, X_NE, fault_label(t, false));
	x_store(t->a, 8, PR_MEM_AT(rec_mem(t) + s->rec->offset), X_RAX);
	if (!s->ends_if_none)
		return;
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_E, out);
}

static void
one_step(struct pr_tr *t, const struct plan_step *s, x_label out)
{
	switch (s->kind) {
	case DIF_STEP_EVAL:
		if (s->value != NULL)
			run_object(t, s->value);
		break;
	case DIF_STEP_STORE:
		store_datum(t, s->rec, s->value, rec_mem(t));
		break;
	case DIF_STEP_AGG:
		aggregate(t, s);
		break;
	case DIF_STEP_RAISE:
		run_object(t, s->value);
		send_signal(t);
		break;
	case DIF_STEP_STOP:
		x_movi(t->a, X_RAX, SIGSTOP);
		send_signal(t);
		break;
	case DIF_STEP_CHILL:
		chill(t, s);
		break;
	case DIF_STEP_SPECULATE:
	case DIF_STEP_SPEC_END:
		speculation(t, s, out);
		break;
	case DIF_STEP_EXIT:
		store_datum(t, s->rec, s->value, rec_mem(t));
		pr_call_vm(t, "pr_exit");
		break;
	}
}

/* Emit all steps of a clause, in order. */
static void
clause_steps(struct pr_tr *t, x_label out)
{
	VEC_FOREACH(&t->pc->steps, s) {
		t->action_no = s->action_no;
		pr_note(t, s->span, s->name);
		one_step(t, s, out);
	}
}

/* ---- the clause --------------------------------------------------------- */

void
pr_call_record(struct pr_tr *t, const struct plan_clause *pc)
{
	x_movi(t->a, X_RSI, pc->size);
	x_load(t->a, 8, false, X_RDX, PR_VM_AT(vars[RT_VAR_EPID]));
	pr_call_vm(t, "pr_record");
}

static void
predicate(struct pr_tr *t, x_label out)
{
	const struct dif_obj *pred = t->pc->clause->pred;

	if (pred == NULL || pred == t->decided)
		return;
	t->action_no = 0;
	pr_note(t, t->pc->clause->span, "predicate");
	pr_load_vars(t, pred->uses);
	run_object(t, pred);
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_E, out);
}

static void
load_epid(struct pr_tr *t)
{
	size_t off = offsetof(struct pr_probe, epids) + 4 * t->clause_no;

	x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(probe));
	x_load(t->a, 4, false, X_RAX, X_AT(X_RAX, off));
	x_store(t->a, 8, PR_VM_AT(vars[RT_VAR_EPID]), X_RAX);
}

void
pr_clause(
    struct pr_tr *t, const struct plan_clause *pc, uint32_t no, x_label done)
{
	struct x_asm *a = t->a;
	x_label out = x_new_label(a), fault = x_new_label(a);

	t->pc = pc;
	t->clause_no = no;
	pr_note(t, pc->clause->span, "clause");
	load_epid(t);
	x_storei(a, 8, PR_MS_AT(scratch), (int32_t)t->x->conf.rt.scratch_begin);
	predicate(t, out);
	load_step_vars(t, pc->steps.v);
	if (pc->size != 0)
		zero_padding(t, rec_mem(t), PLAN_RECHDR, pc->recs.v, pc->recs.n,
		    pc->size);
	clause_steps(t, out);
	if (pc->size != 0 && !pr_fast_record(t))
		pr_call_record(t, pc);
	x_jmp(a, plan_clause_does(pc, DIF_STEP_EXIT) ? done : out);
	emit_fault_exits(t, fault);
	fault_block(t, fault, out);
	x_bind(a, out);
}
