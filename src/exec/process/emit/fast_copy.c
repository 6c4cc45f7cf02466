/* SPDX-License-Identifier: BSD-2-Clause */
/* copyin() and copyinstr() of memory that is there, inline. */
#include "exec/process/emit/fast_impl.h"

/*
 * The ranges of memory that the level has listed (struct pr_fire) from which
 * the code copies: the second one, the stack's page, and the proved ones.  A
 * range that is not in use has no bytes.
 */
#define RANGES_FROM 1
#define RANGES_TO (2 + PR_PROVED)
#define COPY_MAX 64 /* bytes without a loop */

/* %rax <- the offset of scratch in the machine state's mem; `slow` unless
 * `size` bytes fit. */
static void
find_scratch(struct pr_tr *t, uint32_t size, x_label slow)
{
	struct x_asm *a = t->a;

	x_load(a, 8, false, X_RAX, PR_MS_AT(scratch));
	x_alui(a, X_ADD, X_RAX, 7);
	x_alui(a, X_AND, X_RAX, -8);
	x_alui(a, X_CMP, X_RAX, (int32_t)(t->x->conf.rt.scratch_end - size));
	x_jcc(a, X_A, slow);
}

/* If a range has at least `size` bytes at %rsi, go to `found` with their number
 * in %r10; else go on.  Changes %r11. */
static void
find_range(struct pr_tr *t, unsigned i, uint32_t size, x_label found)
{
	struct x_asm *a = t->a;
	x_label next = x_new_label(a);

	x_mov(a, T2, X_RSI);
	x_alum(a, X_SUB, T2, PR_FIRE_AT(ranges[i].addr));
	x_load(a, 8, false, T1, PR_FIRE_AT(ranges[i].size));
	x_alu(a, X_SUB, T1, T2); /* carries where T2 is beyond it, or below 0 */
	x_jcc(a, X_B, next);
	x_alui(a, X_CMP, T1, (int32_t)size);
	x_jcc(a, X_AE, found);
	x_bind(a, next);
}

static void
find_ranges(struct pr_tr *t, uint32_t size, x_label slow)
{
	x_label found = x_new_label(t->a);

	for (unsigned i = RANGES_FROM; i < RANGES_TO; i++)
		find_range(t, i, size, found);
	x_jmp(t->a, slow);
	x_bind(t->a, found);
}

#define MEM_OFF (RT_VM_MS + RT_MEM_OFF)

/* %rax <- the copy, which begins at mem[%rax].  A 0 is put behind it, as
 * rt_copyin() does. */
static void
copy_bytes(struct pr_tr *t, uint32_t size, x_label slow)
{
	struct x_asm *a = t->a;
	uint32_t done = 0;

	find_scratch(t, size + 1, slow);
	find_ranges(t, size, slow);
	x_lea_sum(a, T2, X_RAX, PR_VM);
	while (done < size) {
		uint32_t n = 8;

		while (n > size - done)
			n /= 2;
		x_load(a, (int)n, false, T1, X_AT(X_RSI, done));
		x_store(a, (int)n, X_AT(T2, MEM_OFF + done), T1);
		done += n;
	}
	x_movi(a, T1, 0);
	x_store(a, 1, X_AT(T2, MEM_OFF + size), T1);
	x_alui(a, X_ADD, X_RAX, (int32_t)size);
	x_store(a, 8, PR_MS_AT(scratch), X_RAX);
	x_lea(a, X_RAX, X_AT(T2, MEM_OFF));
}

#define STRING_CHANGES                                                         \
	(1U << X_RCX | 1U << X_RDX | 1U << X_RDI | 1U << X_R8 | 1U << X_R9 |   \
	    1U << T1 | 1U << T2)

/*
 * Copy word by word, up to a word with a NUL.  Leave the rare cases to the slow
 * path: a word that is not wholly in the range, or in which the string is cut.
 */
static void
copy_string(struct pr_tr *t, x_label slow)
{
	uint32_t max = (uint32_t)(t->x->conf.rt.strsize - 1) & ~7U;
	struct x_asm *a = t->a;
	x_label loop = x_new_label(a);

	find_scratch(t, (uint32_t)t->x->conf.rt.strsize, slow);
	find_ranges(t, 1, slow);
	x_movi(a, X_RDX, max);
	x_alu(a, X_CMP, T1, X_RDX);
	x_cmov(a, X_A, T1, X_RDX);
	x_movi(a, X_RDX, 0x0101010101010101ULL);
	x_movi(a, X_R9, 0x8080808080808080ULL);
	x_mov(a, X_RCX, X_RSI);
	x_lea_sum(a, X_RDI, X_RAX, PR_VM);
	x_bind(a, loop);
	x_alui(a, X_SUB, T1, 8);
	x_jcc(a, X_B, slow);
	x_load(a, 8, false, T2, X_AT(X_RCX, 0));
	x_store(a, 8, X_AT(X_RDI, MEM_OFF), T2);
	x_mov(a, X_R8, T2);
	x_alu(a, X_SUB, T2, X_RDX);
	x_unary(a, X_NOT, X_R8);
	x_alu(a, X_AND, T2, X_R8);
	x_alui(a, X_ADD, X_RCX, 8);
	x_alui(a, X_ADD, X_RDI, 8);
	x_alu(a, X_AND, T2, X_R9); /* of bytes that are 0 the lowest is right */
	x_jcc(a, X_E, loop);
	x_bsf(a, T2, T2);
	x_shifti(a, X_SHR, T2, 3);
	x_alu(a, X_SUB, X_RCX, X_RSI);
	x_lea_sum(a, X_RCX, X_RCX, T2); /* with the NUL, and 7 */
	x_lea_sum(a, X_RDX, X_RAX, PR_VM);
	x_alu(a, X_ADD, X_RAX, X_RCX);
	x_alui(a, X_SUB, X_RAX, 7);
	x_store(a, 8, PR_MS_AT(scratch), X_RAX);
	x_lea(a, X_RAX, X_AT(X_RDX, MEM_OFF));
}

/* Larger copies than scratch are left to the function, which faults. */
static bool
is_copied_inline(const struct pr_tr *t, uint32_t subr, uint32_t size)
{
	const struct rt_conf *c = &t->x->conf.rt;

	if (c->scratch_end > INT32_MAX)
		return false;
	if (subr == DIF_SUBR_COPYIN)
		return size > 0 && size <= COPY_MAX && size < c->scratch_end;
	return c->strsize >= 16 && c->strsize <= c->scratch_end;
}

uint32_t
pr_fast_copy(void *arg, uint32_t subr, uint32_t size, const x_label *fault)
{
	bool is_string = subr == DIF_SUBR_COPYINSTR;
	struct pr_tr *t = arg;
	struct pr_slow *s;

	if (!pr_is_fast(t) || !is_copied_inline(t, subr, size))
		return 0;
	if (fault != NULL) {
		s = pr_slow_path(t, SLOW_COPY);
		s->subr = subr;
		s->size = size;
		s->fault = *fault;
		if (is_string)
			copy_string(t, s->from);
		else
			copy_bytes(t, size, s->from);
		x_bind(t->a, s->back);
	}
	return is_string ? STRING_CHANGES : 1U << T1 | 1U << T2;
}
