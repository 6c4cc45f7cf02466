/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts: how each kind of program finds the probe that fired and its
 * arguments.
 *
 * A new kind is an enum bx_context, a prologue here and a row in the table at
 * the end of this file.
 *
 * A program that serves many probes tells them apart by their cookie: the
 * probe's place in the group's table.  Where the kernel has no cookies for a
 * kind of attachment, the program is loaded once for each probe, with the place
 * as a constant in it.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ownfailure.h"
#include "base/vec.h"
#include "exec/bpf/site.h"
#include "x86/insn.h"

/* struct pt_regs of x86-64, as bytes (arch/x86/include/asm/ptrace.h). */
enum {
	REGS_BP = 32,
	REGS_BX = 40,
	REGS_R10 = 56,
	REGS_R9 = 64,
	REGS_R8 = 72,
	REGS_AX = 80,
	REGS_CX = 88,
	REGS_DX = 96,
	REGS_SI = 104,
	REGS_DI = 112,
	REGS_ORIG_AX = 120,
	REGS_IP = 128,
	REGS_CS = 136,
	REGS_FLAGS = 144,
	REGS_SP = 152,
};
#define X32_BIT 0x40000000

void
bx_save_task(struct bx_tr *t)
{
	bx_helper(&t->a, H_CURRENT_TASK_BTF);
	bx_stx(&t->a, 8, R10, FP_TASK, R0);
	t->frame.has_task = true;
}

static bool
uses_any_arg(const struct bx_tr *t)
{
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] != 0)
			return true;
	}
	return false;
}

/* Does the program use the current task, whatever the call is? */
static bool
uses_task(const struct bx_tr *t)
{
	return t->frame.has_task || t->lo->uses_comm || t->lo->uses_tls ||
	    t->lo->vclocks != 0 || uses_any_arg(t);
}

/* r0 <- 0, or not 0 in a 32-bit call. */
static void
need_compat(struct bx_tr *t)
{
	if (t->facts->ctx == BX_CTX_SYS_ENTER && !uses_task(t) &&
	    bx_cast_find(t->lo)) {
		bx_is_compat_entry(t);
		return;
	}
	if (!t->frame.has_task)
		bx_save_task(t);
	bx_is_compat(t);
}

/* Match one probe: compare its number before any look-up.  `index` of a 32-bit
 * call starts at DT_SYSCALL_COMPAT; a probe may have both numbers. */
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
	bx_jcci(
	    a, BPF_JNE, R7, has32 ? nr32 : nr64, has64 && has32 ? not64 : done);
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

void
bx_lookup_entry(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;

	if (t->frame.place != 0) {
		bx_ldx(a, 4, R1, R10, FP_TMP);
		bx_stx(a, 8, R10, t->frame.place, R1);
	}
	bx_map(a, R1, t->facts->table);
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, done);
}

/* FP_ENT <- the entry of the probe, found by its cookie. */
static void
match_cookie(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;

	if (!t->facts->has_table)
		return;
	if (t->facts->is_patched) {
		t->entry.place_insn = (uint32_t)a->insns.n;
		bx_movi(a, R0, 0);
	} else {
		bx_mov(a, R1, R6);
		bx_helper(a, H_GET_ATTACH_COOKIE);
	}
	bx_stx(a, 4, R10, FP_TMP, R0);
	bx_lookup_entry(t, done);
	bx_stx(a, 8, R10, FP_ENT, R0);
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
	bx_lookup_entry(t, done);
	bx_ldx(a, 8, R1, R0, 0);
	for (uint32_t i = 1; i < t->entry.mask_words; i++) {
		bx_ldx(a, 8, R2, R0, (int)(8 * i));
		bx_alu(a, BPF_OR, R1, R2);
	}
	bx_jcci(a, BPF_JEQ, R1, 0, done);
	bx_stx(a, 8, R10, FP_ENT, R0);
}

static void
match_call(struct bx_tr *t, bx_label done)
{
	if (t->facts->has_table)
		match_call_table(t, done);
	else
		match_one_call(t, t->clause.const_probe, done);
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
		if (t->frame.args[n] == 0)
			continue;
		if (n < 6)
			bx_ldx(&t->a, size, R1, R0, offs[n]);
		else
			bx_movi(&t->a, R1, 0);
		bx_stx(&t->a, 8, R10, t->frame.args[n], R1);
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
 * Save arg0 and arg1 as the traced program gets them: -1 for a call that
 * failed, with the reason in errno (the kernel returns the negative number of
 * the reason).
 */
static void
save_result(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	struct dif_uses clauses = bx_group_uses(t), steps = bx_steps_uses(t);
	bx_label ok = bx_new_label(a);

	if (!uses_any_arg(t) && !dif_uses_var(&clauses, DIF_VAR_ERRNO) &&
	    !dif_uses_var(&steps, DIF_VAR_ERRNO))
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
		if (t->frame.args[n] == 0)
			continue;
		if (n < 2)
			bx_stx(a, 8, R10, t->frame.args[n], R1);
		else
			bx_sti(a, 8, R10, t->frame.args[n], 0);
	}
}

static void
prologue_sys_exit(struct bx_tr *t, bx_label done)
{
	bx_save_task(t);
	load_regs(t);
	bx_ldx(&t->a, 8, R7, R0, REGS_ORIG_AX);
	match_call(t, done);
	save_result(t);
}

static void
count_clock(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label uncounted = bx_new_label(a);

	bx_this_pcpu(t, uncounted);
	bx_movi(a, R1, 1);
	bx_atomic(a, BPF_ADD, R0,
	    (int)(offsetof(struct bx_pcpu, fired) + 8 * t->facts->perf_index),
	    R1);
	bx_bind(a, uncounted);
}

/* arg0: kernel pc or 0; arg1: user pc or 0.  Counts a clock's firing. */
static void
prologue_perf(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;
	bx_label user = bx_new_label(a), have = bx_new_label(a);

	(void)done;
	if (t->facts->is_clock)
		count_clock(t);
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
		if (t->frame.args[n] == 0)
			continue;
		if (n < 2)
			bx_stx(a, 8, R10, t->frame.args[n], (int)(R1 + n));
		else
			bx_sti(a, 8, R10, t->frame.args[n], 0);
	}
}

static void
prologue_run(struct bx_tr *t, bx_label done)
{
	(void)done;
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] != 0)
			bx_sti(&t->a, 8, R10, t->frame.args[n], 0);
	}
}

/* The words of the context are the tracepoint's arguments. */
static void
prologue_rawtp(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;

	match_cookie(t, done);
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] == 0)
			continue;
		if (n < t->facts->probes.v[0]->nwords)
			bx_ldx(a, 8, R1, R6, 8 * (int)n);
		else
			bx_movi(a, R1, 0);
		bx_stx(a, 8, R10, t->frame.args[n], R1);
	}
}

/*
 * Copy the argument words of a tracepoint whose pointers have types that the
 * verifier knows.  Arguments used as such pointers are loaded from the context,
 * arguments used as numbers are copied from its memory.
 */
static void
prologue_typed_tp(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;

	bx_threads_save(t);
	match_cookie(t, done);
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] == 0)
			continue;
		if (n >= t->facts->probes.v[0]->nwords) {
			bx_sti(a, 8, R10, t->frame.args[n], 0);
			continue;
		}
		bx_mov(a, R3, R6);
		bx_alui(a, BPF_ADD, R3, 8 * (int32_t)n);
		bx_read_kernel(a, t->frame.args[n], 8);
	}
}

/* ---- probes in programs -------------------------------------------------- */

/* Match the process.  After vfork() a child shares its parent's memory, and the
 * probes in it. */
static void
match_process(struct bx_tr *t, bx_label done)
{
	const struct dt_probe *p = t->facts->probes.v[0];
	pid_t pid = p->up->pid, family = dt_probe_family(p);

	if (family != 0)
		bx_match_family(t, family, done);
	if (pid == 0)
		return;
	bx_current_pid(t);
	bx_jcci(&t->a, BPF_JNE, R0, pid, done);
}

/* FP_ENT <- the entry of the probe; r7 <- its site's word. */
static void
match_site(struct bx_tr *t, bx_label done, bool needs_site)
{
	struct bx_asm *a = &t->a;

	match_process(t, done);
	if (!t->facts->has_table && !needs_site)
		return;
	bx_mov(a, R1, R6);
	bx_helper(a, H_GET_ATTACH_COOKIE);
	bx_mov(a, R7, R0);
	bx_alui(a, BPF_RSH, R7, 32);
	if (!t->facts->has_table)
		return;
	bx_stx(a, 4, R10, FP_TMP, R0);
	bx_lookup_entry(t, done);
	bx_stx(a, 8, R10, FP_ENT, R0);
}

/* Argument n <- the word of `size` bytes, `off` above the stack pointer's value
 * at the entry; 0 if it cannot be read. */
static void
save_stack_arg(struct bx_tr *t, unsigned n, int off, int size)
{
	struct bx_asm *a = &t->a;

	bx_sti(a, 8, R10, t->frame.args[n], 0);
	bx_mov(a, R1, R10);
	bx_alui(a, BPF_ADD, R1, t->frame.args[n]);
	bx_movi(a, R2, (uint64_t)size);
	bx_ldx(a, 8, R3, R6, REGS_SP);
	bx_mov(a, R4, R7);
	bx_alui(a, BPF_AND, R4, BX_SITE_PUSHED_MASK);
	bx_alu(a, BPF_ADD, R3, R4);
	bx_alui(a, BPF_ADD, R3, off);
	bx_helper(a, H_READ_USER);
}

/* System V ABI for x86-64, 3.2.3: six words in registers, the rest on the
 * stack; for i386, 2.2.3: all on the stack. */
static void
save_call_args(struct bx_tr *t)
{
	static const int regs[] = { REGS_DI, REGS_SI, REGS_DX, REGS_CX, REGS_R8,
		REGS_R9 };
	bool is_32 = t->facts->probes.v[0]->up->is_32;

	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] == 0)
			continue;
		if (is_32) {
			save_stack_arg(t, n, 4 + 4 * (int)n, 4);
		} else if (n >= 6) {
			save_stack_arg(t, n, 8 + 8 * ((int)n - 6), 8);
		} else {
			bx_ldx(&t->a, 8, R1, R6, regs[n]);
			bx_stx(&t->a, 8, R10, t->frame.args[n], R1);
		}
	}
}

static void
prologue_usdt(struct bx_tr *t, bx_label done)
{
	match_site(t, done, uses_any_arg(t));
	if (uses_any_arg(t))
		bx_usdt_args(t, done);
}

static void
prologue_uprobe(struct bx_tr *t, bx_label done)
{
	match_site(t, done, uses_any_arg(t) || t->frame.site != 0);
	if (t->frame.site != 0)
		bx_stx(&t->a, 8, R10, t->frame.site, R7);
	save_call_args(t);
}

/* Bits of the flags register (Intel SDM, volume 1, 3.4.3). */
enum { FLAG_C = 1, FLAG_P = 4, FLAG_Z = 0x40, FLAG_S = 0x80, FLAG_O = 0x800 };

/*
 * r0 <- whether condition r8 holds for flags r1, as Jcc decides (Intel SDM,
 * volume 2, appendix B.1.4.7): numbers come in pairs, the odd one is the
 * opposite.  "Less" means that sign and overflow differ.
 */
static void
eval_condition(struct bx_tr *t)
{
	static const struct {
		int flags;
		bool less;
	} conds[8] = { { FLAG_O, false }, { FLAG_C, false }, { FLAG_Z, false },
		{ FLAG_C | FLAG_Z, false }, { FLAG_S, false },
		{ FLAG_P, false }, { 0, true }, { FLAG_Z, true } };
	struct bx_asm *a = &t->a;
	bx_label have = bx_new_label(a), is_bit = bx_new_label(a);

	bx_mov(a, R2, R1); /* bit 7: sign differs from overflow */
	bx_alui(a, BPF_RSH, R2, 4);
	bx_alu(a, BPF_XOR, R2, R1);
	bx_alui(a, BPF_AND, R2, FLAG_S);
	bx_mov(a, R3, R8);
	bx_alui(a, BPF_RSH, R3, 1);
	for (int i = 0; i < 8; i++) {
		bx_label next = bx_new_label(a);

		bx_jcci(a, BPF_JNE, R3, i, next);
		bx_mov(a, R0, R1);
		bx_alui(a, BPF_AND, R0, conds[i].flags);
		if (conds[i].less)
			bx_alu(a, BPF_OR, R0, R2);
		bx_ja(a, have);
		bx_bind(a, next);
	}
	bx_movi(a, R0, 0);
	bx_bind(a, have);
	bx_jcci(a, BPF_JEQ, R0, 0, is_bit);
	bx_movi(a, R0, 1);
	bx_bind(a, is_bit);
	bx_alu(a, BPF_XOR, R0, R8);
	bx_alui(a, BPF_AND, R0, 1);
}

/* Is a site a jump that only sometimes returns? */
static bool
has_conditions(const struct bx_tr *t)
{
	VEC_FOREACH(&t->facts->probes, pp) {
		VEC_FOREACH(&(*pp)->up->sites, s) {
			if (s->cond < X86_ALWAYS)
				return true;
		}
	}
	return false;
}

static void
match_condition(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;
	bx_label always = bx_new_label(a);

	bx_mov(a, R8, R7);
	bx_alui(a, BPF_AND, R8, BX_SITE_COND_MASK);
	bx_jcci(a, BPF_JGE, R8, X86_ALWAYS, always);
	bx_ldx(a, 8, R1, R6, REGS_FLAGS);
	eval_condition(t);
	bx_jcci(a, BPF_JEQ, R0, 0, done);
	bx_bind(a, always);
}

/* arg0: offset in the function; arg1: the value. */
static void
prologue_ureturn(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;
	int size = t->facts->probes.v[0]->up->is_32 ? 4 : 8;
	bool is_conditional = has_conditions(t);

	match_site(t, done, is_conditional || t->frame.args[0] != 0);
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] != 0)
			bx_sti(a, 8, R10, t->frame.args[n], 0);
	}
	if (is_conditional)
		match_condition(t, done);
	if (t->frame.args[0] != 0) {
		bx_alui(a, BPF_LSH, R7, 32);
		bx_alui(a, BPF_ARSH, R7, 32 + BX_SITE_COND_BITS);
		bx_stx(a, 8, R10, t->frame.args[0], R7);
	}
	if (t->frame.args[1] != 0) {
		bx_ldx(a, size, R1, R6, REGS_AX);
		bx_stx(a, 8, R10, t->frame.args[1], R1);
	}
}

/* The context holds the registers at the call of the function; further
 * arguments are on the stack, above the return address. */
static void
prologue_kprobe(struct bx_tr *t, bx_label done)
{
	static const int regs[] = { REGS_DI, REGS_SI, REGS_DX, REGS_CX, REGS_R8,
		REGS_R9 };
	const unsigned nregs = sizeof(regs) / sizeof(regs[0]);
	struct bx_asm *a = &t->a;

	match_cookie(t, done);
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] == 0)
			continue;
		if (n < nregs) {
			bx_ldx(a, 8, R1, R6, regs[n]);
			bx_stx(a, 8, R10, t->frame.args[n], R1);
			continue;
		}
		bx_ldx(a, 8, R3, R6, REGS_SP);
		bx_alui(a, BPF_ADD, R3, (int32_t)(8 * (n - nregs + 1)));
		bx_read_kernel(a, t->frame.args[n], 8);
	}
}

/* arg0 would be the offset of the return, which the kernel does not tell; arg1
 * is the value, from r1. */
static void
save_returned(struct bx_tr *t)
{
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] == 0)
			continue;
		if (n == 1)
			bx_stx(&t->a, 8, R10, t->frame.args[n], R1);
		else
			bx_sti(&t->a, 8, R10, t->frame.args[n], 0);
	}
}

static void
prologue_kretprobe(struct bx_tr *t, bx_label done)
{
	match_cookie(t, done);
	bx_ldx(&t->a, 8, R1, R6, REGS_AX);
	save_returned(t);
}

/* bpf_get_func_arg() checks the number against the function's; an argument that
 * the function does not have is 0. */
static void
prologue_fentry(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;

	match_cookie(t, done);
	for (unsigned n = 0; n < 10; n++) {
		if (t->frame.args[n] == 0)
			continue;
		bx_sti(a, 8, R10, t->frame.args[n], 0);
		bx_mov(a, R1, R6);
		bx_movi(a, R2, n);
		bx_mov(a, R3, R10);
		bx_alui(a, BPF_ADD, R3, t->frame.args[n]);
		bx_helper(a, H_GET_FUNC_ARG);
	}
}

static void
prologue_fexit(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;

	match_cookie(t, done);
	bx_sti(a, 8, R10, FP_TMP, 0);
	bx_mov(a, R1, R6);
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_helper(a, H_GET_FUNC_RET);
	bx_ldx(a, 8, R1, R10, FP_TMP);
	save_returned(t);
}

/* ---- the table ----------------------------------------------------------- */

static const struct bx_ctx ctxs[] = {
	[BX_CTX_RUN] = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.prologue = prologue_run,
		.own_frames = bx_frames_program,
		.in_thread = true,
	},
	/* without programs: its clauses are part of others */
	[BX_CTX_ERROR] = {
		.type = BPF_PROG_TYPE_UNSPEC,
		.prologue = prologue_run,
		.own_frames = bx_frames_program,
		.in_thread = true,
	},
	[BX_CTX_SYS_ENTER] = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.prologue = prologue_sys_enter,
		.own_frames = bx_frames_listeners,
		.in_thread = true,
		.by_number = true,
	},
	[BX_CTX_SYS_EXIT] = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.prologue = prologue_sys_exit,
		.own_frames = bx_frames_listeners,
		.in_thread = true,
		.by_number = true,
	},
	[BX_CTX_PERF] = {
		.type = BPF_PROG_TYPE_PERF_EVENT,
		.prologue = prologue_perf,
		.own_frames = bx_frames_none,
	},
	[BX_CTX_RAWTP] = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.prologue = prologue_rawtp,
		.own_frames = bx_frames_tracepoint,
	},
	[BX_CTX_TYPED_TP] = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach = BPF_TRACE_RAW_TP,
		.prologue = prologue_typed_tp,
		.own_frames = bx_frames_tracepoint,
		.per_target = true,
	},
	[BX_CTX_UPROBE] = {
		.type = BPF_PROG_TYPE_KPROBE,
		.prologue = prologue_uprobe,
		.own_frames = bx_frames_none,
		.in_thread = true,
		.is_uprobe = true,
		.is_preemptible = true,
	},
	[BX_CTX_USDT] = {
		.type = BPF_PROG_TYPE_KPROBE,
		.prologue = prologue_usdt,
		.own_frames = bx_frames_none,
		.in_thread = true,
		.is_uprobe = true,
		.is_preemptible = true,
	},
	[BX_CTX_URETURN] = {
		.type = BPF_PROG_TYPE_KPROBE,
		.prologue = prologue_ureturn,
		.own_frames = bx_frames_none,
		.in_thread = true,
		.is_uprobe = true,
		.is_preemptible = true,
	},
	[BX_CTX_KPROBE] = {
		.type = BPF_PROG_TYPE_KPROBE,
		.prologue = prologue_kprobe,
		.own_frames = bx_frames_none,
	},
	[BX_CTX_KRETPROBE] = {
		.type = BPF_PROG_TYPE_KPROBE,
		.prologue = prologue_kretprobe,
		.own_frames = bx_frames_none,
	},
	[BX_CTX_KPROBE_MULTI] = {
		.type = BPF_PROG_TYPE_KPROBE,
		.attach = BPF_TRACE_KPROBE_MULTI,
		.prologue = prologue_kprobe,
		.own_frames = bx_frames_none,
	},
	[BX_CTX_KRETPROBE_MULTI] = {
		.type = BPF_PROG_TYPE_KPROBE,
		.attach = BPF_TRACE_KPROBE_MULTI,
		.prologue = prologue_kretprobe,
		.own_frames = bx_frames_none,
	},
	[BX_CTX_FENTRY] = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach = BPF_TRACE_FENTRY,
		.prologue = prologue_fentry,
		.own_frames = bx_frames_trampoline,
		.is_preemptible = true,
		.per_target = true,
	},
	[BX_CTX_FEXIT] = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach = BPF_TRACE_FEXIT,
		.prologue = prologue_fexit,
		.own_frames = bx_frames_trampoline,
		.is_preemptible = true,
		.per_target = true,
	},
};

const struct bx_ctx *
bx_ctx(enum bx_context ctx)
{
	return &ctxs[ctx];
}

enum bpf_attach_type
bx_ctx_attach(const struct bx_ctx *c)
{
	return c->is_uprobe && bx_uprobe_has_multi() ?
	    (enum bpf_attach_type)BX_UPROBE_MULTI :
	    c->attach;
}

bool
bx_ctx_has_cookies(const struct bx_ctx *c)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL,
		    .imm = BPF_FUNC_get_attach_cookie },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = R0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(
	    bpf_prog_load_opts, o, .expected_attach_type = bx_ctx_attach(c));
	int fd = bpf_prog_load(c->type, "dtrace_cookie", BX_LICENSE, insns,
	    sizeof(insns) / sizeof(insns[0]), &o);

	if (fd < 0) /* the script's programs will tell that memory is short */
		return is_own_failure(-fd);
	close(fd);
	return true;
}
