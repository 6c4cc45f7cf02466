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

#include "base/vec.h"
#include "exec/process/emit/clause_impl.h"

static uint32_t
rec_mem(const struct pr_tr *t)
{
	return (uint32_t)t->x->conf.mem_rec;
}

/* ---- faults -------------------------------------------------------------- */

x_label
pr_fault_label(struct pr_tr *t, bool has_offset)
{
	struct pr_fault_exit s = { .label = x_new_label(t->a),
		.action = t->action_no,
		.has_offset = has_offset };

	VEC_PUSH(&t->exits, s);
	return s.label;
}

void
pr_check_result(struct pr_tr *t)
{
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_NE, pr_fault_label(t, false));
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

/* ---- other steps --------------------------------------------------------- */

/* Send the signal in %rax. */
static void
send_signal(struct pr_tr *t)
{
	x_mov(t->a, X_RSI, X_RAX);
	pr_call_vm(t, "pr_signal");
	pr_check_result(t);
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
	pr_run_object(t, s->value);
	x_mov(t->a, X_RSI, X_RAX);
	pr_call_vm(t, "pr_chill");
	pr_check_result(t);
	load_step_vars(t, s);
}

/*
 * speculate(), commit(), discard(): the record carries the speculation's tag.
 */
static void
speculation(struct pr_tr *t, const struct plan_step *s, x_label out)
{
	pr_run_object(t, s->value);
	x_mov(t->a, X_RSI, X_RAX);
	pr_slot(t);
	pr_call(
	    t, s->kind == DIF_STEP_SPECULATE ? "rt_spec_tag" : "rt_spec_end");
	x_alumi(t->a, X_CMP, PR_MS_AT(fault), 0);
	x_jcc(t->a, X_NE, pr_fault_label(t, false));
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
			pr_run_object(t, s->value);
		break;
	case DIF_STEP_STORE:
		pr_store_datum(t, s->rec, s->value, rec_mem(t));
		break;
	case DIF_STEP_AGG:
		pr_aggregate(t, s);
		break;
	case DIF_STEP_RAISE:
		pr_run_object(t, s->value);
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
		pr_store_datum(t, s->rec, s->value, rec_mem(t));
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

/* ---- the clause ---------------------------------------------------------- */

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
	pr_run_object(t, pred);
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
		pr_zero_padding(t, rec_mem(t), PLAN_RECHDR, pc->recs.v,
		    pc->recs.n, pc->size);
	clause_steps(t, out);
	if (pc->size != 0 && !pr_fast_record(t))
		pr_call_record(t, pc);
	x_jmp(a, plan_clause_does(pc, DIF_STEP_EXIT) ? done : out);
	emit_fault_exits(t, fault);
	fault_block(t, fault, out);
	x_bind(a, out);
}
