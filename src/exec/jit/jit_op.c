/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic, comparisons, branches, memory.
 */
#include "exec/jit/jit_impl.h"

#include <assert.h>
#include <string.h>

/* ---- arithmetic --------------------------------------------------------- */

/* d <- d op (register r2) */
static void
alu_into(struct jit *j, enum x_alu op, int d, unsigned r2)
{
	int32_t imm;

	if (jit_imm(j, r2, &imm))
		x_alui(j->a, op, d, imm);
	else
		x_alu(j->a, op, d, jit_use(j, r2, X_R11));
}

/* If the operands can change places, make a constant the second one. */
static void
order_operands(const struct jit *j, unsigned *r1, unsigned *r2)
{
	unsigned swap = *r1;
	uint64_t value;

	if (!jit_const(j, *r1, &value) || jit_const(j, *r2, &value))
		return;
	*r1 = *r2;
	*r2 = swap;
}

/* Is the result's register also the second operand, and not the first? */
static bool
is_reversed(const struct jit *j, int d, unsigned r1, unsigned r2)
{
	uint64_t value;

	return j->regs[r2] == d && j->regs[r1] != d &&
	    !jit_const(j, r2, &value) && jit_fact(j, r2)->kind != DIF_K_STRING;
}

static void
emit_alu(struct jit *j, enum x_alu op, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	int d = jit_def(j, dif_instr_rd(ins));

	if (op != X_SUB)
		order_operands(j, &r1, &r2);
	if (is_reversed(j, d, r1, r2)) {
		if (op == X_SUB)
			x_unary(j->a, X_NEG, d);
		alu_into(j, op == X_SUB ? X_ADD : op, d, r1);
	} else {
		jit_use_in(j, r1, d);
		alu_into(j, op, d, r2);
	}
	jit_defined(j, dif_instr_rd(ins), d);
}

/* A sum of two registers in a third one needs one instruction. */
static void
emit_add(struct jit *j, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	int d = jit_def(j, dif_instr_rd(ins)), a, b;
	int32_t imm;

	order_operands(j, &r1, &r2);
	a = jit_use(j, r1, X_RAX);
	if (jit_imm(j, r2, &imm)) {
		if (a == d)
			x_alui(j->a, X_ADD, d, imm);
		else
			x_lea(j->a, d, X_AT(a, imm));
	} else {
		b = jit_use(j, r2, X_R11);
		if (a == d)
			x_alu(j->a, X_ADD, d, b);
		else if (b == d)
			x_alu(j->a, X_ADD, d, a);
		else
			x_lea_sum(j->a, d, a, b);
	}
	jit_defined(j, dif_instr_rd(ins), d);
}

static void
emit_mul(struct jit *j, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	int d = jit_def(j, dif_instr_rd(ins));
	int32_t imm;

	order_operands(j, &r1, &r2);
	if (jit_imm(j, r2, &imm)) {
		x_muli(j->a, d, jit_use(j, r1, X_RAX), imm);
	} else if (is_reversed(j, d, r1, r2)) {
		x_mul(j->a, d, jit_use(j, r1, X_R11));
	} else {
		jit_use_in(j, r1, d);
		x_mul(j->a, d, jit_use(j, r2, X_R11));
	}
	jit_defined(j, dif_instr_rd(ins), d);
}

/* Shift counts are modulo 64, as the machine's are. */
static void
emit_shift(struct jit *j, enum x_shift op, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	int d = jit_def(j, dif_instr_rd(ins));
	uint64_t count;

	if (jit_const(j, r2, &count)) {
		jit_use_in(j, r1, d);
		x_shifti(j->a, op, d, count & 63);
	} else {
		jit_use_in(j, r2, X_RCX);
		jit_use_in(j, r1, d);
		x_shift_cl(j->a, op, d);
	}
	jit_defined(j, dif_instr_rd(ins), d);
}

static void
emit_one(struct jit *j, uint32_t ins)
{
	int d = jit_def(j, dif_instr_rd(ins));

	jit_use_in(j, dif_instr_r1(ins), d);
	if (dif_instr_op(ins) == DIF_OP_NOT)
		x_unary(j->a, X_NOT, d);
	jit_defined(j, dif_instr_rd(ins), d);
}

void
jit_arith(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	switch (dif_instr_op(ins)) {
	case DIF_OP_OR:
		emit_alu(j, X_OR, ins);
		break;
	case DIF_OP_XOR:
		emit_alu(j, X_XOR, ins);
		break;
	case DIF_OP_AND:
		emit_alu(j, X_AND, ins);
		break;
	case DIF_OP_SUB:
		emit_alu(j, X_SUB, ins);
		break;
	case DIF_OP_ADD:
		emit_add(j, ins);
		break;
	case DIF_OP_MUL:
		emit_mul(j, ins);
		break;
	case DIF_OP_SLL:
		emit_shift(j, X_SHL, ins);
		break;
	case DIF_OP_SRL:
		emit_shift(j, X_SHR, ins);
		break;
	case DIF_OP_SRA:
		emit_shift(j, X_SAR, ins);
		break;
	case DIF_OP_SDIV:
		jit_divide(j, true, false);
		break;
	case DIF_OP_UDIV:
		jit_divide(j, false, false);
		break;
	case DIF_OP_SREM:
		jit_divide(j, true, true);
		break;
	case DIF_OP_UREM:
		jit_divide(j, false, true);
		break;
	default: /* MOV, NOT */
		emit_one(j, ins);
		break;
	}
}

/* ---- comparisons and branches ------------------------------------------- */

/* For a branch that does not follow at once, keep the operands as flags. */
static void
keep_compared(struct jit *j, int ra, int rb)
{
	x_store(j->a, 8, VM_AT(compared[0]), ra);
	x_store(j->a, 8, VM_AT(compared[1]), rb);
}

static void
emit_cmp(struct jit *j, uint32_t ins)
{
	unsigned r2 = dif_instr_r2(ins);
	int ra = jit_use(j, dif_instr_r1(ins), X_RAX);
	int32_t imm;

	if (j->at[j->pc].wants_flags)
		keep_compared(j, ra, jit_use(j, r2, X_R11));
	if (jit_imm(j, r2, &imm))
		x_alui(j->a, X_CMP, ra, imm);
	else
		x_alu(j->a, X_CMP, ra, jit_use(j, r2, X_R11));
}

/* A test compares (r1 != 0) with 0. */
static void
emit_tst(struct jit *j, uint32_t ins)
{
	int r = jit_use(j, dif_instr_r1(ins), X_RAX);

	if (j->at[j->pc].wants_flags) {
		x_movi(j->a, X_R11, 0);
		x_store(j->a, 8, VM_AT(compared[1]), X_R11);
		x_storei(j->a, 8, VM_AT(compared[0]), 1);
		x_test(j->a, r, r);
		x_label set = x_new_label(j->a);
		x_jcc(j->a, X_NE, set);
		x_store(j->a, 8, VM_AT(compared[0]), X_R11);
		x_bind(j->a, set);
	}
	x_test(j->a, r, r);
}

/* Does any branch use more of a comparison than equality? */
static bool
wants_order(const struct jit *j)
{
	uint32_t pc = j->pc + 1;
	bool wants = j->at[j->pc].wants_flags;

	for (; pc < j->dp->ntext && j->at[pc].flags == j->pc; pc++) {
		uint8_t op = dif_instr_op(j->dp->text[pc]);

		wants |= op != DIF_OP_BE && op != DIF_OP_BNE && op != DIF_OP_BA;
	}
	return wants;
}

/* Is the operand a string of the program? */
static bool
is_text(const struct jit *j, unsigned dr)
{
	return dr != 0 && jit_fact(j, dr)->kind == DIF_K_STRING;
}

static void
compare_text(struct jit *j, unsigned s, unsigned text)
{
	const char *p = j->dp->strtab + jit_fact(j, text)->v;

	jit_use_in(j, s, X_RSI);
	jit_use_in(j, text, X_RDX);
	x_movi(j->a, X_RCX, strlen(p) + 1);
	jit_slot(j);
	jit_call_checked(j, "rt_sdiffers");
}

/* The runtime's answer, -1, 0 or 1, compares with 0. */
static void
emit_scmp(struct jit *j, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);

	if (is_text(j, r2) && !wants_order(j)) {
		compare_text(j, r1, r2);
	} else if (is_text(j, r1) && !wants_order(j)) {
		compare_text(j, r2, r1);
	} else {
		jit_use_in(j, r1, X_RSI);
		jit_use_in(j, r2, X_RDX);
		jit_slot(j);
		jit_call_checked(j, "rt_scmp");
	}
	if (j->at[j->pc].wants_flags) {
		x_movi(j->a, X_R11, 0);
		keep_compared(j, X_RAX, X_R11);
	}
	x_alui(j->a, X_CMP, X_RAX, 0);
}

void
jit_compare(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	switch (dif_instr_op(ins)) {
	case DIF_OP_TST:
		emit_tst(j, ins);
		break;
	case DIF_OP_SCMP:
		emit_scmp(j, ins);
		break;
	default:
		emit_cmp(j, ins);
		break;
	}
}

static enum x_cc
condition(uint8_t op)
{
	switch (op) {
	case DIF_OP_BE:
		return X_E;
	case DIF_OP_BNE:
		return X_NE;
	case DIF_OP_BG:
		return X_G;
	case DIF_OP_BGU:
		return X_A;
	case DIF_OP_BGE:
		return X_GE;
	case DIF_OP_BGEU:
		return X_AE;
	case DIF_OP_BL:
		return X_L;
	case DIF_OP_BLU:
		return X_B;
	case DIF_OP_BLE:
		return X_LE;
	default:
		assert(op == DIF_OP_BLEU);
		return X_BE;
	}
}

/*
 * After a test: (r1 != 0) is 1 or 0, so "greater" means r1 != 0, signed or not.
 */
static void
branch_on_test(struct jit *j, uint8_t op, x_label to)
{
	switch (op) {
	case DIF_OP_BE:
	case DIF_OP_BLE:
	case DIF_OP_BLEU:
		x_jcc(j->a, X_E, to);
		break;
	case DIF_OP_BNE:
	case DIF_OP_BG:
	case DIF_OP_BGU:
		x_jcc(j->a, X_NE, to);
		break;
	case DIF_OP_BGE:
	case DIF_OP_BGEU:
		x_jmp(j->a, to);
		break;
	default: /* BL, BLU: never */
		break;
	}
}

void
jit_branch(struct jit *j)
{
	const struct jit_insn *at = &j->at[j->pc];
	uint32_t ins = jit_ins(j);
	uint8_t op = dif_instr_op(ins);
	x_label to = jit_target(j, dif_instr_label(ins));

	if (op == DIF_OP_BA) {
		x_jmp(j->a, to);
		return;
	}
	if (at->flags >= 0 &&
	    dif_instr_op(j->dp->text[at->flags]) == DIF_OP_TST) {
		branch_on_test(j, op, to);
		return;
	}
	if (at->flags < 0) {
		x_load(j->a, 8, false, X_RAX, VM_AT(compared[0]));
		x_alum(j->a, X_CMP, X_RAX, VM_AT(compared[1]));
	}
	x_jcc(j->a, condition(op), to);
}

/* ---- memory ------------------------------------------------------------- */

static void
sign_extend(struct jit *j, const struct dif_memop *mo)
{
	if (!mo->is_signed)
		return;
	x_shifti(j->a, X_SHL, X_RAX, 64 - 8U * mo->size);
	x_shifti(j->a, X_SAR, X_RAX, 64 - 8U * mo->size);
}

static void
emit_load(struct jit *j, const struct dif_memop *mo, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), rd = dif_instr_rd(ins);
	int d = jit_def(j, rd);

	if (jit_is_proved(&j->at[j->pc], ins, r1)) {
		x_load(j->a, mo->size, mo->is_signed, d,
		    X_AT(jit_use(j, r1, X_RAX), 0));
		jit_defined(j, rd, d);
		return;
	}
	jit_use_in(j, r1, X_RSI);
	x_movi(j->a, X_RDX, mo->size);
	jit_slot(j);
	jit_call_checked(j, mo->is_user ? "rt_uload" : "rt_load");
	sign_extend(j, mo);
	jit_defined(j, rd, X_RAX);
}

static void
emit_store(struct jit *j, const struct dif_memop *mo, uint32_t ins)
{
	unsigned r1 = dif_instr_r1(ins), rd = dif_instr_rd(ins);

	if (jit_is_proved(&j->at[j->pc], ins, rd)) {
		int to = jit_use(j, rd, X_RAX);

		x_store(j->a, mo->size, X_AT(to, 0), jit_use(j, r1, X_R11));
		return;
	}
	jit_use_in(j, rd, X_RSI);
	jit_use_in(j, r1, X_RDX);
	x_movi(j->a, X_RCX, mo->size);
	jit_slot(j);
	jit_call_checked(j, "rt_poke");
}

void
jit_access(struct jit *j)
{
	uint32_t ins = jit_ins(j);
	const struct dif_memop *mo = &dif_memops[dif_instr_op(ins)];

	if (dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_LOAD)
		emit_load(j, mo, ins);
	else
		emit_store(j, mo, ins);
}
