/* SPDX-License-Identifier: BSD-2-Clause */
/* Records inline. */
#include "exec/process/emit/fast_impl.h"

#include "exec/runtime/tsc.h"

#define RECORD_MAX 128

#define BUF_DATA (int32_t) offsetof(struct exec_buf, data)

/* %rdx <- a new record in the thread's buffer; %r11: bits in which its position
 * differs from the one behind it. */
static void
reserve(struct pr_tr *t, uint32_t size, x_label slow)
{
	struct x_mem head = X_AT(T1, offsetof(struct exec_buf, head));
	struct x_asm *a = t->a;

	x_load(a, 8, false, T1, PR_FIRE_AT(thread));
	x_load(a, 8, false, X_RCX, THREAD_AT(T1, buf_mask));
	x_load(a, 8, false, T1, THREAD_AT(T1, buf));
	x_load(a, 8, false, X_RAX, head);
	x_lea(a, T2, X_AT(X_RAX, size + EXEC_BUF_WORD));
	x_lea(a, X_RDX, X_AT(T2, -1));
	x_alum(a, X_SUB, X_RDX, X_AT(T1, offsetof(struct exec_buf, tail)));
	x_alu(a, X_CMP, X_RDX, X_RCX);
	x_jcc(a, X_A, slow);
	x_cmpxchg(a, head, T2);
	x_jcc(a, X_NE, slow);
	x_alu(a, X_XOR, T2, X_RAX);
	x_mov(a, X_RDX, X_RAX);
	x_alu(a, X_AND, X_RDX, X_RCX);
	x_alu(a, X_ADD, X_RDX, T1);
	x_alui(a, X_ADD, X_RDX, BUF_DATA);
	x_alui(a, X_ADD, X_RAX, (int32_t)size);
	x_alu(a, X_AND, X_RAX, X_RCX);
	x_alu(a, X_ADD, X_RAX, T1);
	x_rdpid(a, X_RCX);
	x_alui(a, X_AND, X_RCX, EXEC_CPU_MASK);
	x_shifti(a, X_SHL, X_RCX, 32);
	x_alui(a, X_ADD, X_RCX, (int32_t)size + EXEC_BUF_WORD);
	x_store(a, 8, X_AT(X_RAX, BUF_DATA), X_RCX);
}

/* Write the header last, and its EPID at the very end. */
static void
fill(struct pr_tr *t, uint32_t size)
{
	struct x_asm *a = t->a;
	uint32_t off = PLAN_RECHDR;

	while (off < size) {
		int n = off % 8 == 0 && size - off >= 8 ? 8 : 4;

		x_load(a, n, false, X_RAX, PR_MEM_AT(t->x->conf.mem_rec + off));
		x_store(a, n, X_AT(X_RDX, off), X_RAX);
		off += (uint32_t)n;
	}
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(time));
	x_shifti(a, X_ROL, X_RAX, 32); /* the high half is first */
	x_store(a, 8, X_AT(X_RDX, 4), X_RAX);
	x_load(a, 4, false, X_RAX, PR_VM_AT(vars[RT_VAR_EPID]));
	x_store(a, 4, X_AT(X_RDX, 0), X_RAX);
}

bool
pr_fast_record(struct pr_tr *t)
{
	uint32_t size = t->pc->size;
	struct pr_slow wake, all;

	if (!pr_is_fast(t) || size > RECORD_MAX || size % 4 != 0)
		return false;
	pr_fast_time(t);
	all = *pr_slow_path(t, SLOW_RECORD);
	wake = *pr_slow_path(t, SLOW_WAKE);
	reserve(t, size, all.from);
	fill(t, size);
	x_load(t->a, 8, false, T1, PR_FIRE_AT(thread)); /* another half? */
	x_alum(t->a, X_AND, T2, THREAD_AT(T1, buf_half));
	x_jcc(t->a, X_NE, wake.from);
	x_bind(t->a, wake.back);
	x_bind(t->a, all.back);
	return true;
}
