/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One group of probes -> one main function.
 *
 *	prologue: is tracing active? which probe is this? which arguments?
 *	every clause that applies to any probe of the group, in program order
 *	epilogue: give the machine state back
 *
 * A group with several probes finds the probe that fired in a table, by index
 * (system call number): a bit per clause, the probe's id, its names and its
 * EPID for each clause.  A system call that no clause matches pays for one
 * array look-up.
 */
#include "exec/bpf/tr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* struct pt_regs of x86-64, as bytes (arch/x86/include/asm/ptrace.h). */
enum {
	REGS_BP = 32,
	REGS_BX = 40,
	REGS_R10 = 56,
	REGS_R9 = 64,
	REGS_R8 = 72,
	REGS_CX = 88,
	REGS_DX = 96,
	REGS_SI = 104,
	REGS_DI = 112,
	REGS_ORIG_AX = 120,
	REGS_IP = 128,
	REGS_CS = 136,
};
#define X32_BIT 0x40000000

uint32_t
bx_ent_size(const struct bx_tr *t)
{
	uint32_t n = BX_F_EPID + (uint32_t)t->clauses.n;

	return 8 * t->ent_mask_words + 4 * ((n + 1) & ~1U);
}

void
bx_ent_fill(struct bx_tr *t, const struct dt_probe *p, void *entry)
{
	const char *names[BX_NNAMES];
	uint64_t *mask = entry;
	uint32_t *fields = (uint32_t *)(mask + t->ent_mask_words);

	bx_probe_names(t, p, names);
	fields[BX_F_ID] = p->id;
	for (unsigned i = 0; i < BX_NNAMES; i++) {
		fields[BX_F_STRID + i] =
		    strtab_intern(&t->lo->pl->strs, names[i]);
		fields[BX_F_NAMEOFF + i] = bx_str_off(t->lo, names[i]);
	}
	for (uint32_t c = 0; c < t->clauses.n; c++) {
		const struct plan_clause *pc = t->clauses.v[c];

		for (uint32_t i = 0; i < pc->probes.n; i++) {
			if (pc->probes.v[i] != p)
				continue;
			mask[c / 64] |= 1ULL << (c % 64);
			fields[BX_F_EPID + c] = pc->epid_base + i;
		}
	}
}

/* Does any clause of the group read a built-in variable? */
static bool
uses_var(const struct bx_tr *t, uint32_t id)
{
	VEC_FOREACH(&t->clauses, pc) {
		const struct dif_clause *c = (*pc)->clause;

		if (c->pred != NULL && bx_difo_uses_var(c->pred, id))
			return true;
		VEC_FOREACH(&c->actions, act) {
			if (act->difo != NULL &&
			    bx_difo_uses_var(act->difo, id))
				return true;
		}
	}
	return false;
}

/* Lay out the part of the frame that depends on the script. */
static void
place_frame(struct bx_tr *t)
{
	int off = -FP_FIXED;

	for (unsigned n = 0; n < 10; n++) {
		if (uses_var(t, DIF_VAR_ARG0 + n))
			t->arg_off[n] = off -= 8;
	}
	t->clock_off = off;		/* of clock 1: 8 below */
	if (t->lo->vclocks >> 1 != 0)
		off -= 8 * (BX_NCLOCKS - 1);
	if (!t->lo->locals_in_mem) {
		t->locals_off = off - 8;
		off -= 8 * (int)t->lo->nlocals_stack;
	}
	t->key_off = off - STACK_KEY_MAX;
}

static void
init_frame(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	if (t->uses_time)
		bx_sti(a, 8, R10, FP_TS, 0);
	if (t->uses_slot) {
		bx_sti(a, 8, R10, FP_SLOT, -1);
		bx_sti(a, 8, R10, FP_MS, 0);
	}
	if (t->lo->locals_in_mem)
		return;
	for (uint32_t i = 0; i < t->lo->nlocals_stack; i++)
		bx_sti(a, 8, R10, t->locals_off - 8 * (int)i, 0);
}

/* bufpolicy=fill: nothing is traced on a CPU whose buffer is full. */
static void
check_filled(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a);

	bx_this_pcpu(t, none);
	bx_ldx(a, 8, R0, R0, offsetof(struct bx_pcpu, drops) +
	    8 * DT_DROP_FILLED);
	bx_jcci(a, BPF_JNE, R0, 0, done);
	bx_bind(a, none);
}

static void
check_active(struct bx_tr *t, bx_label done)
{
	bx_mapval(&t->a, R1, "rtm_ctl", offsetof(struct bx_ctl, state));
	bx_ldx(&t->a, 4, R1, R1, 0);
	bx_jcci(&t->a, BPF_JNE, R1, BX_STATE_ACTIVE, done);
	/* what dtrace runs itself (tick) runs where dtrace is */
	if (t->lo->opts->cpu >= 0 && t->ctx != DT_CTX_RUN) {
		bx_helper(&t->a, H_SMP_PROCESSOR_ID);
		bx_jcci(&t->a, BPF_JNE, R0, t->lo->opts->cpu, done);
	}
	if (t->lo->opts->bufpolicy == DT_BUF_FILL)
		check_filled(t, done);
}

/* FP_TASK <- the current task, once for all its uses. */
static void
save_task(struct bx_tr *t)
{
	bx_helper(&t->a, H_CURRENT_TASK_BTF);
	bx_stx(&t->a, 8, R10, FP_TASK, R0);
	t->task_saved = true;
}

static bool
uses_any_arg(const struct bx_tr *t)
{
	for (unsigned n = 0; n < 10; n++) {
		if (t->arg_off[n] != 0)
			return true;
	}
	return false;
}

/* Will the program ask for the current task, whatever the call is? */
static bool
uses_task(const struct bx_tr *t)
{
	return t->task_saved || t->lo->uses_comm || t->lo->uses_tls ||
	    t->lo->vclocks != 0 || uses_any_arg(t);
}

/* r0 <- whether this is a 32-bit call: 0 if not. */
static void
need_compat(struct bx_tr *t)
{
	if (t->ctx == DT_CTX_SYS_ENTER && !uses_task(t) &&
	    bx_cast_find(t->lo)) {
		bx_is_compat_entry(t);
		return;
	}
	if (!t->task_saved)
		save_task(t);
	bx_is_compat(t);
}

/*
 * One probe: its number decides, before anything is looked up.  `index` of a
 * 32-bit call starts at DT_SYSCALL_COMPAT; a probe may be reached both ways.
 */
static void
match_one_call(struct bx_tr *t, const struct dt_probe *p, bx_label done)
{
	struct bx_asm *a = &t->a;
	bx_label maybe = bx_new_label(a), is32 = bx_new_label(a);
	bx_label not64 = bx_new_label(a), match = bx_new_label(a);
	bool has64 = p->index < DT_SYSCALL_COMPAT;
	uint32_t compat = has64 ? p->compat_index : p->index;
	bool has32 = compat != 0;
	int32_t nr64 = (int32_t)p->index;
	int32_t nr32 = (int32_t)(compat - DT_SYSCALL_COMPAT);

	if (has64)
		bx_jcci(a, BPF_JEQ, R7, nr64, maybe);
	bx_alui(a, BPF_AND, R7, ~X32_BIT);
	bx_jcci(a, BPF_JNE, R7, has32 ? nr32 : nr64,
	    has64 && has32 ? not64 : done);
	if (has64 && has32) {
		bx_ja(a, maybe);
		bx_bind(a, not64);
		bx_jcci(a, BPF_JNE, R7, nr64, done);
	}
	bx_bind(a, maybe);
	need_compat(t);
	bx_jcci(a, BPF_JNE, R0, 0, is32);
	if (has64)
		bx_jcci(a, BPF_JEQ, R7, nr64, match);
	bx_ja(a, done);
	bx_bind(a, is32);
	bx_jcci(a, BPF_JNE, R7, has32 ? nr32 : -1, done);
	bx_bind(a, match);
}

/* FP_ENT <- the entry of call r7, which may be a 32-bit one. */
static void
match_call_table(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;
	bx_label is64 = bx_new_label(a);

	bx_alui(a, BPF_AND, R7, ~X32_BIT);
	bx_jcci(a, BPF_JGE, R7, DT_SYSCALL_NR_MAX, done);
	need_compat(t);
	bx_jcci(a, BPF_JEQ, R0, 0, is64);
	bx_alui(a, BPF_ADD, R7, DT_SYSCALL_COMPAT);
	bx_bind(a, is64);
	bx_stx(a, 4, R10, FP_TMP, R7);
	bx_map(a, R1, t->table);
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, done);
	bx_ldx(a, 8, R1, R0, 0);
	for (uint32_t i = 1; i < t->ent_mask_words; i++) {
		bx_ldx(a, 8, R2, R0, (int)(8 * i));
		bx_alu(a, BPF_OR, R1, R2);
	}
	bx_jcci(a, BPF_JEQ, R1, 0, done);
	bx_stx(a, 8, R10, FP_ENT, R0);
}

static void
match_call(struct bx_tr *t, bx_label done)
{
	if (t->has_table)
		match_call_table(t, done);
	else
		match_one_call(t, t->const_probe, done);
}

/* r0 <- the thread's user registers, typed: loads need no helper. */
static void
load_regs(struct bx_tr *t)
{
	bx_task(t, R1);
	bx_helper(&t->a, H_TASK_PT_REGS);
}

static void
save_args_from(struct bx_tr *t, const int *offs, int size)
{
	for (unsigned n = 0; n < 10; n++) {
		if (t->arg_off[n] == 0)
			continue;
		if (n < 6)
			bx_ldx(&t->a, size, R1, R0, offs[n]);
		else
			bx_movi(&t->a, R1, 0);
		bx_stx(&t->a, 8, R10, t->arg_off[n], R1);
	}
}

static void
save_enter_args(struct bx_tr *t)
{
	static const int offs64[] = { REGS_DI, REGS_SI, REGS_DX, REGS_R10,
		REGS_R8, REGS_R9 };
	static const int offs32[] = { REGS_BX, REGS_CX, REGS_DX, REGS_SI,
		REGS_DI, REGS_BP };
	struct bx_asm *a = &t->a;
	bx_label is32, have;

	if (!uses_any_arg(t))
		return;
	is32 = bx_new_label(a);
	have = bx_new_label(a);
	need_compat(t);
	bx_mov(a, R8, R0);
	load_regs(t);
	bx_jcci(a, BPF_JNE, R8, 0, is32);
	save_args_from(t, offs64, 8);
	bx_ja(a, have);
	bx_bind(a, is32);
	save_args_from(t, offs32, 4);
	bx_bind(a, have);
}

static void
prologue_sys_enter(struct bx_tr *t, bx_label done)
{
	bx_ldx(&t->a, 8, R7, R6, 8);
	match_call(t, done);
	save_enter_args(t);
}

/*
 * arg0 and arg1 are what the program sees: -1 for a call that failed, with the
 * reason in errno (the kernel returns the negative number of the reason).
 */
static void
save_result(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label ok = bx_new_label(a);

	if (!uses_any_arg(t) && !uses_var(t, DIF_VAR_ERRNO))
		return;
	bx_ldx(a, 8, R1, R6, 8);
	bx_movi(a, R2, 0);
	bx_jcci(a, BPF_JSGE, R1, 0, ok);
	bx_jcci(a, BPF_JSLT, R1, -4095, ok);
	bx_alu(a, BPF_SUB, R2, R1);
	bx_movi(a, R1, (uint64_t)-1);
	bx_bind(a, ok);
	bx_stx(a, 8, R10, FP_ERRNO, R2);
	for (unsigned n = 0; n < 10; n++) {
		if (t->arg_off[n] == 0)
			continue;
		if (n < 2)
			bx_stx(a, 8, R10, t->arg_off[n], R1);
		else
			bx_sti(a, 8, R10, t->arg_off[n], 0);
	}
}

static void
prologue_sys_exit(struct bx_tr *t, bx_label done)
{
	save_task(t);
	load_regs(t);
	bx_ldx(&t->a, 8, R7, R0, REGS_ORIG_AX);
	match_call(t, done);
	save_result(t);
}

/* arg0: kernel pc or 0; arg1: user pc or 0.  Count the firing. */
static void
prologue_perf(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label user = bx_new_label(a), have = bx_new_label(a);
	bx_label uncounted = bx_new_label(a);

	bx_this_pcpu(t, uncounted);
	bx_movi(a, R1, 1);
	bx_atomic(a, BPF_ADD, R0,
	    (int)(offsetof(struct bx_pcpu, fired) + 8 * t->perf_index), R1);
	bx_bind(a, uncounted);
	bx_ldx(a, 8, R7, R6, REGS_IP);
	bx_ldx(a, 8, R8, R6, REGS_CS);
	bx_alui(a, BPF_AND, R8, 3);
	bx_movi(a, R1, 0);
	bx_movi(a, R2, 0);
	bx_jcci(a, BPF_JNE, R8, 0, user);
	bx_mov(a, R1, R7);
	bx_ja(a, have);
	bx_bind(a, user);
	bx_mov(a, R2, R7);
	bx_bind(a, have);
	for (unsigned n = 0; n < 10; n++) {
		if (t->arg_off[n] == 0)
			continue;
		if (n < 2)
			bx_stx(a, 8, R10, t->arg_off[n], (int)(R1 + n));
		else
			bx_sti(a, 8, R10, t->arg_off[n], 0);
	}
}

static void
prologue_run(struct bx_tr *t)
{
	for (unsigned n = 0; n < 10; n++) {
		if (t->arg_off[n] != 0)
			bx_sti(&t->a, 8, R10, t->arg_off[n], 0);
	}
}

static void
prologue(struct bx_tr *t, bx_label done)
{
	bx_note(t, (struct diag_span){ 0 }, "prologue");
	bx_mov(&t->a, R6, R1);
	if (!t->always_fires)
		check_active(t, done);
	if (t->uses_ctx)
		bx_stx(&t->a, 8, R10, FP_CTX, R6);
	switch (t->ctx) {
	case DT_CTX_SYS_ENTER:
		prologue_sys_enter(t, done);
		break;
	case DT_CTX_SYS_EXIT:
		prologue_sys_exit(t, done);
		break;
	case DT_CTX_PERF:
		prologue_perf(t);
		break;
	case DT_CTX_RUN:
	case DT_CTX_ERROR:
		prologue_run(t);
		break;
	}
	init_frame(t);
	bx_note_clocks(t);
}

static void
epilogue(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label unclaimed = bx_new_label(a);

	bx_note(t, (struct diag_span){ 0 }, "epilogue");
	if (t->uses_slot) {
		bx_ldx(a, 8, R1, R10, FP_SLOT);
		bx_jcci(a, BPF_JEQ, R1, -1, unclaimed);
		bx_call(a, "rt_slot_release");
	}
	bx_bind(a, unclaimed);
	bx_forget_probe_time(t);
}

int
bx_tr_finish(struct bx_tr *t)
{
	if (t->refused == NULL && bx_finish(&t->a) != 0)
		bx_refuse(t, t->clauses.v[0]->clause->span,
		    "the clauses of one probe are too large for one BPF "
		    "program; split the script");
	return t->refused ? -EINVAL : 0;
}

/*
 * What the frame must hold.  Time is also taken for a fault's report; only
 * clauses that run no object but a constant's cannot fault.
 */
static void
find_needs(struct bx_tr *t)
{
	VEC_FOREACH(&t->clauses, pc) {
		t->uses_slot |= bx_clause_needs_slot(t, *pc);
		t->uses_time |= bx_clause_may_fault(*pc);
	}
	VEC_FOREACH(&t->error_clauses, pc)
		t->uses_slot |= bx_clause_needs_slot(t, *pc);
	t->uses_ctx = t->uses_slot;	/* stacks are built in the state */
	t->uses_time |= t->uses_slot || t->lo->vclocks != 0;
}

int
bx_translate(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label quit = bx_new_label(a), done = bx_new_label(a);

	t->ent_mask_words = ((uint32_t)t->clauses.n + 63) / 64;
	if (!t->has_table)
		t->const_probe = t->probes.v[0];
	find_needs(t);
	place_frame(t);
	prologue(t, quit);
	for (uint32_t i = 0; i < t->clauses.n; i++)
		bx_clause(t, t->clauses.v[i], i, done);
	bx_bind(a, done);
	epilogue(t);
	bx_bind(a, quit);
	bx_movi(a, R0, 0);
	bx_exit(a);
	return bx_tr_finish(t);
}

void
bx_tr_fini(struct bx_tr *t)
{
	bx_asm_fini(&t->a);
	VEC_FREE(&t->clauses);
	VEC_FREE(&t->probes);
	VEC_FREE(&t->error_clauses);
	VEC_FOREACH(&t->notes, n)
		free(n->text);
	VEC_FREE(&t->notes);
	VEC_FREE(&t->stubs);
	free(t->refused);
}
