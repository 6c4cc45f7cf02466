/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uregs[]: the thread's user registers.
 *
 * The numbers up to R_SS are those of the words of struct pt_regs, which the
 * kernel saved when the thread entered it.  The next ones are segments, which
 * are 0 in 64-bit programs, and the number of a trap, which the kernel does not
 * keep: both read 0.
 *
 * At an entry probe behind the function's first instruction, the stack pointer
 * and the instruction pointer read as they were at the entry.
 */
#include "exec/bpf/emit/difo_impl.h"
#include "exec/bpf/site.h"

/* Indices: dlib/regs.d */
enum { R_RIP = 16, R_RSP = 19, R_SS = 20, R_TRAPNO = 25 };

#define FP_VALUE FP_TMP
#define FP_INDEX (FP_TMP + 8)

/* FP_VALUE <- word FP_INDEX of the registers. */
static void
read_saved(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_task(t, R1);
	bx_helper(a, H_TASK_PT_REGS);
	bx_ptr_to_number(t, R3, R0);
	bx_ldx(a, 8, R1, R10, FP_INDEX);
	bx_alui(a, BPF_LSH, R1, 3);
	bx_alu(a, BPF_ADD, R3, R1);
	bx_read_kernel(a, FP_VALUE, 8);
}

static void
correct_for_site(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label is_rsp = bx_new_label(a), add = bx_new_label(a);
	bx_label done = bx_new_label(a);

	bx_ldx(a, 8, R1, R10, FP_INDEX);
	bx_ldx(a, 8, R2, R10, t->frame.site);
	bx_jcci(a, BPF_JEQ, R1, R_RSP, is_rsp);
	bx_jcci(a, BPF_JNE, R1, R_RIP, done);
	bx_alui(a, BPF_RSH, R2, BX_SITE_DELTA_SHIFT);
	bx_alui(a, BPF_MUL, R2, -1);
	bx_ja(a, add);
	bx_bind(a, is_rsp);
	bx_alui(a, BPF_AND, R2, BX_SITE_PUSHED_MASK);
	bx_bind(a, add);
	bx_ldx(a, 8, R1, R10, FP_VALUE);
	bx_alu(a, BPF_ADD, R1, R2);
	bx_stx(a, 8, R10, FP_VALUE, R1);
	bx_bind(a, done);
}

void
bx_uregs(struct walk *w, uint32_t ins)
{
	struct bx_tr *t = w->t;
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);
	int index = bx_use_reg(w, dif_instr_r2(ins), R1);

	bx_stx(a, 8, R10, FP_INDEX, index);
	bx_sti(a, 8, R10, FP_VALUE, 0);
	bx_fault_if(t, BPF_JGT, index, R_TRAPNO, DIF_FLT_ILLOP, bx_dif_off(w),
	    EXIT_ZERO);
	bx_jcci(a, BPF_JGT, index, R_SS, done);
	read_saved(t);
	if (t->frame.site != 0)
		correct_for_site(t);
	bx_bind(a, done);
	bx_ldx(a, 8, R0, R10, FP_VALUE);
	bx_set_reg(w, dif_instr_rd(ins), R0);
}
