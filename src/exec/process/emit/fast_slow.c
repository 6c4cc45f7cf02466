/* SPDX-License-Identifier: BSD-2-Clause */
/* Slow paths of inline steps: calls of the functions in inside/. */
#include "exec/process/emit/fast_impl.h"

#include "base/vec.h"

struct pr_slow *
pr_slow_path(struct pr_tr *t, enum slow kind)
{
	struct pr_slow s = { .kind = kind,
		.pc = t->pc,
		.from = x_new_label(t->a),
		.back = x_new_label(t->a),
		.quit = x_new_label(t->a) };

	s.none =
	    kind == SLOW_COUNT || kind == SLOW_RECORD || kind == SLOW_WAKE ?
	    s.back :
	    t->leave;
	VEC_PUSH(&t->slow, s);
	return &t->slow.v[t->slow.n - 1];
}

static void
load_agg(struct pr_tr *t, int reg, uint32_t index)
{
	x_lea(t->a, reg,
	    X_IN_REGION(t->x->aggs_off + index * sizeof(struct pr_agg)));
}

static void
call_copy(struct pr_tr *t, const struct pr_slow *s)
{
	x_movi(t->a, X_RDX, s->size);
	x_lea(t->a, X_RDI, X_AT(PR_VM, RT_VM_MS));
	if (s->subr == DIF_SUBR_COPYIN) {
		pr_call(t, "rt_copyin");
	} else {
		x_movi(t->a, X_RCX, 1); /* argument */
		pr_call(t, "rt_copyinstr");
	}
}

static void
slow_call(struct pr_tr *t, const struct pr_slow *s)
{
	switch ((enum slow)s->kind) {
	case SLOW_COUNT:
		x_lea(t->a, X_RDI, X_IN_REGION(t->x->conf.own));
		x_lea(t->a, X_RSI, X_IN_REGION(t->x->conf_off));
		load_agg(t, X_RDX, s->agg);
		pr_call(t, "pr_count");
		break;
	case SLOW_ENTER:
		pr_call_enter(t);
		break;
	case SLOW_TIME:
		pr_call_vm(t, "pr_timestamp");
		break;
	case SLOW_BUCKET:
		x_mov(t->a, X_RDI, X_RAX);
		pr_call(t, "rt_quantize_index");
		break;
	case SLOW_KEY:
		load_agg(t, X_RSI, s->agg);
		pr_call_vm(t, "pr_agg_keyed");
		break;
	case SLOW_RECORD:
		pr_call_record(t, s->pc);
		break;
	case SLOW_WAKE:
		pr_call_vm(t, "pr_wake_for_half");
		break;
	case SLOW_COPY:
		call_copy(t, s);
		break;
	case SLOW_FAULT:
		pr_report_fault(t);
		break;
	}
}

/* Registers that the call may change, but for %rax. */
static uint32_t
slow_changes(const struct pr_tr *t, enum slow kind)
{
	uint32_t regs = PR_CALL_CHANGES;

	if (kind == SLOW_FAULT && t->error_at != 0)
		regs |= t->error_used;
	return regs & ~(1U << X_RAX);
}

/* Save the program's registers that functions change in the frame, unless they
 * are saved already, and restore them afterwards. */
static void
emit_slow(struct pr_tr *t, const struct pr_slow *s, uint32_t saved)
{
	uint32_t regs = slow_changes(t, s->kind);
	struct x_asm *a = t->a;

	x_bind(a, s->from);
	if (!t->has_asked)
		pr_ask_for_room(t,
		    s->kind == SLOW_ENTER || s->kind == SLOW_KEY ? s->quit :
								   s->none);
	pr_save_regs(t, regs & ~saved);
	slow_call(t, s);
	pr_restore_regs(t, regs);
	if (s->kind == SLOW_ENTER || s->kind == SLOW_KEY) {
		x_test(a, X_RAX, X_RAX);
		x_jcc(a, X_E, s->quit);
	}
	if (s->kind == SLOW_ENTER)
		x_mov(a, PR_VM, X_RAX);
	if (s->kind == SLOW_COPY) {
		x_alumi(a, X_CMP, PR_MS_AT(fault), 0);
		x_jcc(a, X_NE, s->fault);
	}
	x_jmp(a, s->back);
}

void
pr_slow_paths(struct pr_tr *t)
{
	uint32_t saved = t->used;

	VEC_FOREACH(&t->slow, s)
		emit_slow(t, s, saved);
	t->used = saved; /* these calls change nothing that is not put back */
	t->slow.n = 0;
}
