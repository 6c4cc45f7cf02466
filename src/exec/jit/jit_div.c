/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Division.
 *
 * A known divisor becomes a factor: n / d is the upper word of n times 2^64 /
 * d, shifted, when the factor has enough bits (T.  Granlund, P.  L.
 * Montgomery, "Division by Invariant Integers using Multiplication", 1994,
 * figures 4.1 and 5.2).  It always has one bit more than a word, so the factor
 * here is without its highest one, and n is added.
 */
#include "exec/jit/jit_impl.h"

typedef unsigned __int128 uint128_t;

/* The least l with 2^l >= d. */
static unsigned
log2_above(uint64_t d)
{
	return d < 2 ? 0 : 64 - (unsigned)__builtin_clzll(d - 1);
}

static void
quotient_unsigned(struct x_asm *a, int n, uint64_t by)
{
	unsigned l = log2_above(by);
	uint128_t above = ((uint128_t)1 << l) - by;
	uint64_t factor = (uint64_t)((above << 64) / by + 1);

	x_movi(a, X_RAX, factor);
	x_unary(a, X_MUL, n);
	x_mov(a, X_RAX, n); /* n + %rdx may not fit: their mean does */
	x_alu(a, X_SUB, X_RAX, X_RDX);
	x_shifti(a, X_SHR, X_RAX, l > 0);
	x_alu(a, X_ADD, X_RDX, X_RAX);
	x_shifti(a, X_SHR, X_RDX, l > 1 ? l - 1 : 0);
}

/* Round towards 0: add one if n is negative. */
static void
quotient_signed(struct x_asm *a, int n, int64_t by)
{
	uint64_t d = by < 0 ? -(uint64_t)by : (uint64_t)by;
	unsigned shift = d == 1 ? 0 : log2_above(d) - 1;
	uint64_t factor = (uint64_t)(((uint128_t)1 << (64 + shift)) / d + 1);

	x_movi(a, X_RAX, factor);
	x_unary(a, X_IMUL, n);
	x_alu(a, X_ADD, X_RDX, n);
	x_shifti(a, X_SAR, X_RDX, shift);
	x_mov(a, X_RAX, n);
	x_shifti(a, X_SAR, X_RAX, 63);
	x_alu(a, X_SUB, X_RDX, X_RAX);
	if (by < 0)
		x_unary(a, X_NEG, X_RDX);
}

void
jit_quotient(struct x_asm *a, bool is_signed, int n, uint64_t by)
{
	if (is_signed)
		quotient_signed(a, n, (int64_t)by);
	else
		quotient_unsigned(a, n, by);
}

static void
divide_by(struct jit *j, bool is_signed, bool wants_rest, uint64_t by)
{
	uint32_t ins = jit_ins(j);
	int n = jit_use(j, dif_instr_r1(ins), X_R11);

	jit_quotient(j->a, is_signed, n, by);
	if (wants_rest) { /* n - %rdx * by */
		x_movi(j->a, X_RAX, by);
		x_mul(j->a, X_RAX, X_RDX);
		x_unary(j->a, X_NEG, X_RAX);
		x_alu(j->a, X_ADD, X_RAX, n);
	}
	jit_defined(j, dif_instr_rd(ins), wants_rest ? X_RAX : X_RDX);
}

/* The quotient by -1 of INT64_MIN is INT64_MIN itself. */
static void
divide_signed(struct jit *j, bool wants_rest)
{
	x_label normal = x_new_label(j->a), done = x_new_label(j->a);

	x_alui(j->a, X_CMP, X_R11, -1);
	x_jcc(j->a, X_NE, normal);
	x_unary(j->a, X_NEG, X_RAX);
	if (wants_rest)
		x_movi(j->a, X_RDX, 0);
	x_jmp(j->a, done);
	x_bind(j->a, normal);
	x_cqo(j->a);
	x_unary(j->a, X_IDIV, X_R11);
	x_bind(j->a, done);
}

static void
divide_by_any(struct jit *j, bool is_signed, bool wants_rest)
{
	uint32_t ins = jit_ins(j);

	jit_use_in(j, dif_instr_r2(ins), X_R11);
	jit_use_in(j, dif_instr_r1(ins), X_RAX);
	x_test(j->a, X_R11, X_R11);
	x_jcc(j->a, X_E, jit_fault_exit(j, DIF_FLT_DIVZERO));
	if (is_signed) {
		divide_signed(j, wants_rest);
	} else {
		x_movi(j->a, X_RDX, 0);
		x_unary(j->a, X_DIV, X_R11);
	}
	jit_defined(j, dif_instr_rd(ins), wants_rest ? X_RDX : X_RAX);
}

void
jit_divide(struct jit *j, bool is_signed, bool wants_rest)
{
	uint64_t by;

	if (jit_const(j, dif_instr_r2(jit_ins(j)), &by) && by != 0)
		divide_by(j, is_signed, wants_rest, by);
	else
		divide_by_any(j, is_signed, wants_rest);
}
