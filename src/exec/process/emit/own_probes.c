/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of probes that dtrace itself fires, at no site: ERROR, BEGIN, END,
 * and the samples of profile.
 */
#include "exec/process/emit/compile.h"

#include "base/vec.h"
#include "exec/process/inside/fire.h"
#include "inproc/inproc.h"

void
pr_error_emit(struct pr_tr *t)
{
	struct x_asm *a = t->a;
	x_label done = x_new_label(a);

	if (t->x->error_clauses.n == 0)
		return;
	t->error_at = a->at + x_here(a);
	pr_name(t, "dtrace:::ERROR");
	t->in_error = true;
	t->used = 0;
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(probe));
	x_store(a, 8, PR_FIRE_AT(saved_probe), X_RAX);
	x_lea(a, X_RAX, X_IN_REGION(t->x->error_desc));
	x_store(a, 8, PR_FIRE_AT(probe), X_RAX);
	x_load(a, 8, false, X_RAX, PR_MS_AT(fault));
	x_store(a, 8, PR_FIRE_AT(fault), X_RAX);
	x_load(a, 8, false, X_RAX, PR_MS_AT(fault_val));
	x_store(a, 8, PR_FIRE_AT(fault_value), X_RAX);
	x_storei(a, 8, PR_MS_AT(fault), 0);
	for (size_t i = 0; i < t->x->error_clauses.n; i++)
		pr_clause(t, t->x->error_clauses.v[i], (uint32_t)i, done);
	x_bind(a, done);
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(saved_probe));
	x_store(a, 8, PR_FIRE_AT(probe), X_RAX);
	x_ret(a);
	t->in_error = false;
	t->x->error_at = t->error_at;
	t->x->error_used = t->error_used = t->used;
}

/* Registers that a function of C must keep (System V ABI, 3.2.1). */
static const int kept[] = { X_RBX, X_RBP, X_R12, X_R13, X_R14, X_R15 };
#define NKEPT (sizeof(kept) / sizeof(kept[0]))
/* Flags at a function's call: interrupts on, and bit 1 (SDM 1, 3.4.3). */
#define OWN_FLAGS 0x202
#define FRAME_AT(member) X_AT(X_RSP, offsetof(struct inproc_frame, member))

/* Save the caller's registers as of the return to it; %rax is lost. */
static void
emit_own_frame(struct pr_tr *t)
{
	struct x_asm *a = t->a;
	int32_t size = sizeof(struct inproc_frame), above = 8 * NKEPT;

	for (int r = 0; r < X_NREGS; r++)
		x_store(a, 8, X_AT(X_RSP, 8 * r), r);
	x_lea(a, X_RAX, X_AT(X_RSP, size + above + 8));
	x_store(a, 8, X_AT(X_RSP, 8 * X_RSP), X_RAX);
	x_storei(a, 8, FRAME_AT(rflags), OWN_FLAGS);
	x_load(a, 8, false, X_RAX, X_AT(X_RSP, size + above));
	x_store(a, 8, FRAME_AT(ip), X_RAX);
}

/* void f(void), which fires one of dtrace's own probes. */
static void
emit_call(struct pr_tr *t, const struct pr_body *b, struct pr_firing *f)
{
	struct x_asm *a = t->a;
	int32_t size = sizeof(struct inproc_frame);

	f->call = a->at + x_here(a);
	for (size_t i = 0; i < NKEPT; i++)
		x_push(a, kept[i]);
	x_alui(a, X_SUB, X_RSP, size);
	if (b->wants_all)
		emit_own_frame(t);
	x_movi(a, X_RAX, f->desc);
	x_call(a, b->entry);
	x_alui(a, X_ADD, X_RSP, size);
	for (size_t i = NKEPT; i-- > 0;)
		x_pop(a, kept[i]);
	x_ret(a);
}

/*
 * The code to which dtrace sends a sampled thread (sample.c); registers and
 * flags are in a frame at its stack pointer.  The thread returns by two words
 * below its red zone, to which the frame's `pad` points.  So all needed data is
 * always outside the memory that a signal would overwrite.
 */
static void
emit_sample(struct pr_tr *t, const struct pr_body *b, struct pr_firing *f)
{
	struct x_asm *a = t->a;

	f->call = a->at + x_here(a);
	x_cld(a);
	x_movi(a, X_RAX, f->desc);
	x_call(a, b->entry);
	x_mov(a, X_RDI, X_RSP);
	pr_call(t, "pr_finish");
	for (int r = 0; r < X_NREGS; r++) {
		if (r != X_RSP)
			x_load(a, 8, false, r, X_AT(X_RSP, 8 * r));
	}
	x_load(a, 8, false, X_RSP, FRAME_AT(pad));
	x_popfq(a);
	x_ret_over(a, PR_RED_ZONE);
}

void
pr_own_emit(struct pr_tr *t, const struct pr_body *b)
{
	VEC_FOREACH(&b->probes, f) {
		if (b->kind == DT_PROBE_RUN)
			emit_call(t, b, f);
		else if (b->kind == DT_PROBE_CLOCK)
			emit_sample(t, b, f);
	}
}
