/* SPDX-License-Identifier: BSD-2-Clause */
/* Run objects, and store their results into a record or a key. */
#include "exec/process/emit/compile.h"

#include "base/err.h"
#include "base/str.h"
#include "exec/process/emit/clause_impl.h"

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
		.shared = (uint32_t)c->shared,
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

void
pr_run_object(struct pr_tr *t, const struct dif_obj *dp)
{
	emit_object(t, dp, pr_fault_label(t, true));
}

void
pr_slot(struct pr_tr *t)
{
	x_lea(t->a, X_RDI, X_AT(PR_VM, RT_VM_MS));
}

/* The arguments of a store: the value, its place and its size. */
static void
store_args(struct pr_tr *t, uint32_t off, uint32_t size)
{
	x_mov(t->a, X_RDX, X_RAX);
	x_movi(t->a, X_RSI, off);
	x_movi(t->a, X_RCX, size);
}

static void
store_string(struct pr_tr *t, uint32_t off, uint32_t size)
{
	store_args(t, off, size);
	pr_slot(t);
	pr_call(t, "rt_store_str");
	pr_check_result(t);
}

static void
store_bytes(struct pr_tr *t, uint32_t off, uint32_t size)
{
	store_args(t, off, size);
	pr_call_vm(t, "pr_store_bytes");
	pr_check_result(t);
}

static void
store_ref(struct pr_tr *t, uint32_t off, uint32_t size)
{
	store_args(t, off, size - PLAN_REFHDR);
	pr_slot(t);
	pr_call(t, "rt_store_ref");
	pr_check_result(t);
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
			t->x->pl->strs, dp->strtab + dif_instr_idx(ins)));
		return;
	}
	if (dif_instr_idx(ins) == DIF_VAR_PROBEPROV && pr_is_of_family(t)) {
		pr_call_vm(t, "pr_pid");
		x_alui(t->a, X_OR, X_RAX, (int32_t)PLAN_STR_PID);
		x_store(t->a, 4, PR_MEM_AT(off), X_RAX);
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
	pr_run_object(t, dp);
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
	pr_check_result(t);
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

void
pr_store_datum(struct pr_tr *t, const struct plan_rec *rec,
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
		pr_run_object(t, dp);
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
		pr_run_object(t, dp);
		store_value(t, rec, dp, off);
	} else if (rec->size == 8) {
		x_movi(t->a, X_RAX, rec->arg);
		x_store(t->a, 8, PR_MEM_AT(off), X_RAX);
	}
}

void
pr_zero_padding(struct pr_tr *t, uint32_t base, uint32_t end,
    const struct plan_rec *recs, size_t n, uint32_t size)
{
	for (size_t i = 0; i <= n; i++) {
		zero_gap(t, base, end, i < n ? recs[i].offset : size);
		if (i < n)
			end = recs[i].offset + recs[i].size;
	}
}
