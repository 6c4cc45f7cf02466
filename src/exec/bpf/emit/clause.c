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

#include <signal.h>

#include "base/vec.h"
#include "exec/bpf/emit/clause_impl.h"

/* ---- other steps --------------------------------------------------------- */

/* exit(): stop all probes but END; wake the consumer. */
static void
stop_firing(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_mapval(a, R1, "rtm_ctl", offsetof(struct bx_ctl, state));
	bx_sti(a, 4, R1, 0, EXEC_STATE_DRAINING);
}

static void
wake_dtrace(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_sti(a, 8, R10, FP_TMP, 1);
	bx_map(a, R1, "rtm_wakeup");
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

		bx_zero_gap(t, R9, (int)(RT_MEM_OFF + MEM_REC), end, next);
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

/* ---- faults -------------------------------------------------------------- */

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

/* ---- the clause ---------------------------------------------------------- */

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
	bool pred_needs = bx_object_needs_slot(t->lo, pred);

	t->clause.action_no = 0;
	if (pred_needs)
		bx_need_slot(t, out);
	if (pred != NULL) {
		bx_note(t, pc->clause->span, "predicate");
		bx_difo(t, pred);
		bx_jcci(&t->a, BPF_JEQ, R0, 0, out);
	}
	if (!pred_needs && bx_steps_need_slot(t->lo, pc))
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
	static const struct bx_dest record = { .in_mem = true, .mem = MEM_REC };

	switch (s->kind) {
	case DIF_STEP_EVAL:
		if (s->value != NULL)
			bx_difo(t, s->value);
		break;
	case DIF_STEP_STORE:
		bx_store_datum(t, s->rec, s->value, &record);
		break;
	case DIF_STEP_AGG:
		bx_aggregate(t, s);
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
		bx_store_datum(t, s->rec, s->value, &record);
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
		wake_dtrace(t);
		leave_firing(t, run.done);
	} else if (t->clause.exits.n != 0) {
		bx_ja(a, run.out);
	}
	fault_code(t, pc, &run);
	bx_bind(a, run.out);
	bx_part_clause_end(t);
}
