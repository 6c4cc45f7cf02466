/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user stack of the thread that fired.
 *
 * The registers of a thread's entry to the kernel are at the top of its kernel
 * stack, at every probe.  From there rt_ustack() walks by the tables of the
 * files (runtime/rt_unwind.c); the kernel walks a 32-bit program's stack, by
 * frame pointers.
 */
#include "exec/bpf/emit/difo_impl.h"
#include "exec/bpf/site.h"

#define REGS_CS 136    /* in struct pt_regs (asm/ptrace.h) */
#define USER32_CS 0x23 /* asm/segment.h: __USER32_CS */

/* Let the kernel walk; r0 <- frames. */
static void
walk_32bit(struct bx_tr *t, uint32_t mem_off, uint32_t nframes)
{
	struct bx_asm *a = &t->a;
	bx_label ok = bx_new_label(a);

	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_mem_ptr(t, R2, mem_off);
	bx_movi(a, R3, nframes * 8);
	bx_movi(a, R4, BPF_F_USER_STACK);
	bx_helper(a, H_GET_STACK);
	bx_jcci(a, BPF_JSGE, R0, 0, ok);
	bx_movi(a, R0, 0);
	bx_bind(a, ok);
	bx_alui(a, BPF_RSH, R0, 3);
}

/* Replace the first frame by the function's entry if the probe is some bytes
 * behind it. */
static void
correct_for_site(struct bx_tr *t, uint32_t mem_off)
{
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a);
	int first = (int)(RT_MEM_OFF + mem_off);

	bx_ldx(a, 8, R1, R9, first);
	bx_jcci(a, BPF_JEQ, R1, 0, none);
	bx_ldx(a, 8, R2, R10, t->frame.site);
	bx_alui(a, BPF_RSH, R2, BX_SITE_DELTA_SHIFT);
	bx_alu(a, BPF_SUB, R1, R2);
	bx_stx(a, 8, R9, first, R1);
	bx_bind(a, none);
}

/* r5 <- distance of the return address from the stack pointer, if the site
 * tells it: then the first frame needs no table. */
static void
return_address(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label known = bx_new_label(a);

	bx_movi(a, R5, t->facts->ctx == BX_CTX_URETURN ? 0 : RT_NONE);
	if (t->frame.site == 0)
		return;
	bx_ldx(a, 8, R1, R10, t->frame.site);
	bx_mov(a, R5, R1);
	bx_alui(a, BPF_AND, R5, BX_SITE_PUSHED_MASK);
	bx_jcci(a, BPF_JSET, R1, BX_SITE_IS_ENTRY, known);
	bx_movi(a, R5, RT_NONE);
	bx_bind(a, known);
}

/* Name the frames of the stack that was just walked; 32-bit programs have no
 * helpers. */
static void
name_frames(struct bx_tr *t, uint32_t mem_off, uint32_t nframes, uint32_t nstrs)
{
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a);

	bx_ldx(a, 8, R1, R10, FP_TMP);
	bx_jcci(a, BPF_JEQ, R1, 0, none);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_movi(a, R2, mem_off);
	bx_movi(a, R3, nframes);
	bx_movi(a, R4, mem_off + 8 * nframes);
	bx_movi(a, R5, nstrs);
	bx_call(a, "rt_frame_names");
	bx_jcci(a, BPF_JEQ, R0, 0, none);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_call(a, "rt_run_helpers");
	bx_bind(a, none);
}

/*
 * Note a walk that stopped early; r0 is the result of rt_ustack().  dtrace
 * finishes the walk of an action, whose process id stands before the frames; a
 * variable has no value then.
 */
static void
note_cut(struct bx_tr *t, uint32_t mem_off, uint32_t dif_off)
{
	struct bx_asm *a = &t->a;
	bx_label whole = bx_new_label(a);
	int id_off = (int)(RT_MEM_OFF + mem_off) - 4;

	bx_mov(a, R1, R0);
	bx_alui(a, BPF_RSH, R1, 32);
	if (dif_off != ~0U) {
		bx_fault_if(
		    t, BPF_JNE, R1, 0, DIF_FLT_NOTABLE, dif_off, EXIT_ZERO);
		return;
	}
	bx_jcci(a, BPF_JEQ, R1, 0, whole);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_call(a, "rt_ustack_unfinished");
	bx_stx(a, 4, R9, id_off, R0);
	bx_bind(a, whole);
}

void
bx_ustack(struct bx_tr *t, uint32_t mem_off, uint32_t nframes, uint32_t nstrs,
    uint32_t dif_off)
{
	struct bx_asm *a = &t->a;
	bx_label is32 = bx_new_label(a), done = bx_new_label(a);

	bx_mem_ptr(t, R1, mem_off);
	bx_movi(a, R2, nframes * 8 + ((nstrs + 7) & ~7U));
	bx_movi(a, R3, 0);
	bx_helper(a, H_READ_KERNEL); /* fails and zeroes the destination */
	bx_task(t, R1);
	bx_helper(a, H_TASK_PT_REGS);
	bx_ldx(a, 8, R1, R0, REGS_CS);
	bx_jcci(a, BPF_JEQ, R1, USER32_CS, is32);
	bx_ptr_to_number(t, R4, R0);
	return_address(t);
	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_movi(a, R2, mem_off);
	bx_movi(a, R3, nframes);
	bx_call(a, "rt_ustack");
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
	bx_fault_if(t, BPF_JNE, R1, 0, DIF_FLT_UNKNOWN, dif_off, EXIT_MS);
	note_cut(t, mem_off, dif_off);
	bx_sti(a, 8, R10, FP_TMP, 1);
	bx_ja(a, done);
	bx_bind(a, is32);
	walk_32bit(t, mem_off, nframes);
	bx_sti(a, 8, R10, FP_TMP, 0);
	bx_bind(a, done);
	if (t->frame.site != 0)
		correct_for_site(t, mem_off);
	if (nstrs != 0)
		name_frames(t, mem_off, nframes, nstrs);
}
