/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A body's code: the entry, which saves registers, the clauses, and the way
 * out.
 */
#include "exec/process/emit/compile.h"

#include "base/vec.h"
#include "exec/process/inside/fire.h"
#include "inproc/inproc.h"
#include "provider/usites.h"

static struct x_mem
saved_reg(int reg)
{
	return X_AT(X_RSP, 8 + 8 * reg);
}

void
pr_save_regs(struct pr_tr *t, uint32_t regs)
{
	for (int reg = 0; reg < X_NREGS; reg++) {
		if (regs & 1U << reg)
			x_store(t->a, 8, saved_reg(reg), reg);
	}
}

void
pr_restore_regs(struct pr_tr *t, uint32_t regs)
{
	for (int reg = 0; reg < X_NREGS; reg++) {
		if (regs & 1U << reg)
			x_load(t->a, 8, false, reg, saved_reg(reg));
	}
}

/* Computes the address of the probe's description from its offset in %eax. */
void
pr_call_enter(struct pr_tr *t)
{
	struct x_asm *a = t->a;

	x_lea(a, X_RCX, X_IN_REGION(0));
	x_alu(a, X_ADD, X_RCX, X_RAX);
	x_lea(a, X_RDI, X_IN_REGION(t->x->conf.own));
	x_lea(a, X_RSI, X_IN_REGION(t->x->conf_off));
	x_lea(a, X_RDX, X_AT(X_RSP, 8));
	pr_call(t, "pr_enter");
}

static void
emit_enter(struct pr_tr *t, x_label quit)
{
	if (pr_fast_enter(t, quit))
		return;
	pr_call_enter(t);
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_E, quit);
	x_mov(t->a, PR_VM, X_RAX);
}

static bool
sends_signals(const struct plan_clause *const *clauses, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (plan_clause_does(clauses[i], DIF_STEP_RAISE) ||
		    plan_clause_does(clauses[i], DIF_STEP_STOP))
			return true;
	}
	return false;
}

static void
emit_clauses(struct pr_tr *t, x_label quit)
{
	const struct pr_body *b = t->body;
	const struct pr_exec *x = t->x;
	x_label done = t->leave;
	bool sends = sends_signals(b->clauses.v, b->clauses.n) ||
	    sends_signals(x->error_clauses.v, x->error_clauses.n);

	emit_enter(t, quit);
	if (sends)
		x_storei(t->a, 8, PR_FIRE_AT(signals), 0);
	for (size_t i = 0; i < b->clauses.n; i++)
		pr_clause(t, b->clauses.v[i], (uint32_t)i, done);
	x_bind(t->a, done);
	pr_note(t, (struct diag_span){ 0 }, "leave");
	if (sends)
		pr_call_vm(t, "pr_send_signals");
	if (!pr_fast_leave(t))
		pr_call_vm(t, "pr_leave");
}

/* Probes of one process: its children have the jumps, and an own part, too. */
static bool
is_of_named(const struct pr_exec *x, const struct pr_body *b)
{
	if (!pr_has_calls(x))
		return false;
	VEC_FOREACH(&b->probes, f) {
		if (f->probe->up != NULL && f->probe->up->pid != 0)
			return true;
	}
	return false;
}

/* Registers that the trampoline has saved; the body saves all others. */
#define BY_TRAMPOLINE                                                          \
	(1U << X_RAX | 1U << X_RSP | 1U << INPROC_IP | 1U << INPROC_RFLAGS)

/*
 * The start of a body: it saves the registers that it changes, but only after a
 * simple predicate has held.
 */
static void
emit_entry(struct pr_tr *t, struct pr_body *b, x_label main)
{
	uint32_t wants = pr_wanted_regs(b);
	struct x_asm *a = t->a;
	x_label quit = x_new_label(a);

	b->entry = a->at + x_here(a);
	t->pc = b->clauses.v[0];
	pr_note(t, (struct diag_span){ 0 }, "enter");
	pr_usdt_check(t);
	if (t->decided != NULL)
		pr_decide(t, t->decided, t->decided_used, quit);
	if (!b->always) {
		x_alumi(a, X_CMP, X_IN_REGION(t->x->conf.data),
		    (int32_t)t->x->conf.gate);
		x_jcc(a, X_NE, quit);
	}
	if (is_of_named(t->x, b)) {
		x_alumi(a, X_CMP, PR_OWN_AT(t, start.is_named), 1);
		x_jcc(a, X_NE, quit);
	}
	if (t->has_asked && b->kind != DT_PROBE_RUN)
		pr_ask_for_room(t, quit);
	pr_save_regs(t, (t->used | wants) & ~t->decided_used & ~BY_TRAMPOLINE);
	x_jmp(a, main);
	x_bind(a, quit);
	pr_restore_regs(t, t->decided_used & ~BY_TRAMPOLINE);
	x_ret(a);
	b->changes = 1U << X_RAX;
	b->wants = wants & BY_TRAMPOLINE;
}

/*
 *	main:	the firing; restore; ret
 *		slow paths
 *	entry:	predicate; save; jmp main
 */
void
pr_body_emit(struct pr_tr *t, struct pr_body *b)
{
	struct x_asm *a = t->a;
	x_label main = x_new_label(a), out = x_new_label(a);
	uint32_t ncalls = a->ncalls;

	t->body = b;
	t->leave = x_new_label(a);
	pr_name_body(t, b);
	t->used = 1U << X_RAX | 1U << X_RBX;
	t->decided = pr_light_predicate(b, &t->decided_used);
	t->args_intact = false;
	x_bind(a, main);
	if (!pr_light_body(t))
		emit_clauses(t, out);
	x_bind(a, out);
	t->has_asked = a->ncalls != ncalls;
	t->used |= t->decided_used;
	pr_restore_regs(t, t->used & ~BY_TRAMPOLINE);
	x_ret(a);
	pr_slow_paths(t);
	emit_entry(t, b, main);
}
