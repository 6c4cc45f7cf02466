/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user stack of the thread that fired.
 */
#include "exec/bpf/tr.h"

void
bx_ustack(struct bx_tr *t, uint32_t mem_off, uint32_t nframes)
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
