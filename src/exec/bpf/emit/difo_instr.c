/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DIF instruction -> BPF: registers, arithmetic, compares and branches,
 * loads and stores, the tuple stack, and calls of the runtime.
 */
#include "exec/bpf/emit/difo_impl.h"

/* ---- registers ---------------------------------------------------------- */

static int
mapped_reg(unsigned dr)
{
	static const int map[DIF_NREGS] = { -1, R6, R7, R8, -1, -1, -1, -1 };

	return map[dr];
}

static int
spill_off(unsigned dr)
{
	return FP_REG4 - 8 * ((int)dr - 4);
}

/*
 * The BPF register that holds DIF register `dr`, loaded into `tmp` if needed.
 */
int
bx_use_reg(struct walk *w, unsigned dr, int tmp)
{
	struct bx_asm *a = &w->t->a;

	if (dr == 0) {
		bx_movi(a, tmp, 0);
		return tmp;
	}
	if (mapped_reg(dr) >= 0)
		return mapped_reg(dr);
	bx_ldx(a, 8, tmp, R10, spill_off(dr));
	return tmp;
}

void
bx_set_reg(struct walk *w, unsigned dr, int src)
{
	if (mapped_reg(dr) >= 0)
		bx_mov(&w->t->a, mapped_reg(dr), src);
	else
		bx_stx(&w->t->a, 8, R10, spill_off(dr), src);
}

/* Leave with the fault that a runtime call may have set. */
void
bx_check_ms_fault(struct walk *w)
{
	bx_ldx(&w->t->a, 8, R1, R9, offsetof(struct rt_mstate, fault));
	bx_fault_if(
	    w->t, BPF_JNE, R1, 0, DIF_FLT_UNKNOWN, bx_dif_off(w), EXIT_MS);
}

void
bx_call_checked(struct walk *w, const char *func)
{
	struct bx_asm *a = &w->t->a;

	bx_call(a, func);
	bx_stx(a, 8, R10, FP_TMP, R0);
	bx_check_ms_fault(w);
	bx_ldx(a, 8, R0, R10, FP_TMP);
}

/* r1 <- slot, r2 and up <- DIF registers: the operands of a runtime call. */
static void
load_operands(struct walk *w, int n, const unsigned *regs)
{
	for (int i = 0; i < n; i++) {
		int r = bx_use_reg(w, regs[i], R2 + i);

		bx_mov(&w->t->a, R2 + i, r);
	}
	bx_ldx(&w->t->a, 8, R1, R10, FP_SLOT);
}

/* ---- subroutines -------------------------------------------------------- */

/* The call of a subroutine: the runtime function, whether its last argument is
 * the number of arguments, whether it can fault. */
struct subr_call {
	uint32_t subr;
	const char *func;
	uint8_t nargs; /* with optional ones */
	bool wants_count;
	bool can_fault;
};

static void
call_runtime(struct walk *w, const struct subr_call *sc)
{
	struct bx_asm *a = &w->t->a;
	int nargs = sc->nargs, reg = R2;

	if (w->st->depth_min < sc->nargs)
		nargs = (int)bx_tuple_depth(w);
	for (int i = 0; i < sc->nargs; i++, reg++) {
		if (i < nargs)
			bx_ldx(a, 8, reg, R10, FP_TUPLE - 8 * i);
		else
			bx_movi(a, reg, 0);
	}
	if (sc->wants_count)
		bx_movi(a, reg, (uint64_t)nargs);
	if (bx_subr_needs_slot(sc->subr))
		bx_ldx(a, 8, R1, R10, FP_SLOT);
	else
		bx_movi(a, R1, 0);
	if (sc->can_fault)
		bx_call_checked(w, sc->func);
	else
		bx_call(a, sc->func);
}

static void
swap_bytes(struct walk *w, int bits)
{
	bx_ldx(&w->t->a, 8, R0, R10, FP_TUPLE);
	bx_insn(&w->t->a, BPF_ALU | BPF_END | BPF_TO_BE, R0, 0, 0, bits);
}

static void
emit_call(struct walk *w, uint32_t subr, unsigned rd)
{
	switch ((enum dif_subr)subr) {
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		swap_bytes(w, 16);
		break;
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		swap_bytes(w, 32);
		break;
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		swap_bytes(w, 64);
		break;
#define RT_CALL(SUBR, func, nargs, wants_count, can_fault)                     \
	case DIF_SUBR_##SUBR:                                                  \
		call_runtime(w,                                                \
		    &(struct subr_call){ DIF_SUBR_##SUBR, #func, nargs,        \
			wants_count, can_fault });                             \
		break;
#include "exec/runtime/rt_calls.def"
#undef RT_CALL
	}
	bx_set_reg(w, rd, R0);
}

/* ---- arithmetic and control --------------------------------------------- */

/* rd <- r1 op r2, for operations that BPF has. */
static void
emit_alu(struct walk *w, uint8_t op, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	int ra = bx_use_reg(w, dif_instr_r1(ins), R0);
	int rb = bx_use_reg(w, dif_instr_r2(ins), R1);

	if (ra != R0)
		bx_mov(a, R0, ra);
	bx_alu(a, op, R0, rb);
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

/* Shift counts are taken modulo 64. */
static void
emit_shift(struct walk *w, uint8_t op, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	int ra, rb = bx_use_reg(w, dif_instr_r2(ins), R1);

	bx_mov(a, R1, rb);
	bx_alui(a, BPF_AND, R1, 63);
	ra = bx_use_reg(w, dif_instr_r1(ins), R0);
	bx_mov(a, R0, ra);
	bx_alu(a, op, R0, R1);
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

/* r0 <- r0 op r1, signed: BPF divides unsigned, so divide magnitudes.  The
 * remainder has the dividend's sign; INT64_MIN / -1 is INT64_MIN. */
static void
signed_divmod(struct walk *w, uint8_t op)
{
	struct bx_asm *a = &w->t->a;
	bx_label pos_a = bx_new_label(a), pos_b = bx_new_label(a);
	bx_label done = bx_new_label(a);

	bx_mov(a, R2, R0);
	if (op == BPF_DIV)
		bx_alu(a, BPF_XOR, R2, R1);
	bx_jcci(a, BPF_JSGE, R0, 0, pos_a);
	bx_alui(a, BPF_NEG, R0, 0);
	bx_bind(a, pos_a);
	bx_jcci(a, BPF_JSGE, R1, 0, pos_b);
	bx_alui(a, BPF_NEG, R1, 0);
	bx_bind(a, pos_b);
	bx_alu(a, op, R0, R1);
	bx_jcci(a, BPF_JSGE, R2, 0, done);
	bx_alui(a, BPF_NEG, R0, 0);
	bx_bind(a, done);
}

static void
emit_div(struct walk *w, uint8_t op, bool is_signed, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	int ra, rb = bx_use_reg(w, dif_instr_r2(ins), R1);

	bx_mov(a, R1, rb);
	bx_fault_if(
	    w->t, BPF_JEQ, R1, 0, DIF_FLT_DIVZERO, bx_dif_off(w), EXIT_ZERO);
	ra = bx_use_reg(w, dif_instr_r1(ins), R0);
	bx_mov(a, R0, ra);
	if (is_signed)
		signed_divmod(w, op);
	else
		bx_alu(a, op, R0, R1);
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

/* Load through a foreign address; a fault leaves the object. */
static void
emit_load(struct walk *w, uint32_t ins, const struct dif_memop *op)
{
	struct bx_asm *a = &w->t->a;
	int addr = bx_use_reg(w, dif_instr_r1(ins), R3);

	bx_mov(a, R3, addr);
	bx_stx(a, 8, R10, FP_TMP, R3);
	bx_mov(a, R1, R10);
	bx_alui(a, BPF_ADD, R1, FP_TMP + 8);
	bx_movi(a, R2, op->size);
	bx_helper(a, op->is_user ? H_READ_USER : H_READ_KERNEL);
	bx_fault_if(
	    w->t, BPF_JNE, R0, 0, DIF_FLT_BADADDR, bx_dif_off(w), EXIT_FP_TMP);
	bx_ldx(a, op->size, R0, R10, FP_TMP + 8);
	if (op->is_signed) {
		bx_alui(a, BPF_LSH, R0, 64 - 8 * op->size);
		bx_alui(a, BPF_ARSH, R0, 64 - 8 * op->size);
	}
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

/* Store to own memory: the runtime checks the address. */
static void
emit_store(struct walk *w, uint32_t ins, int size)
{
	load_operands(
	    w, 2, (unsigned[]){ dif_instr_rd(ins), dif_instr_r1(ins) });
	bx_movi(&w->t->a, R4, (uint64_t)size);
	bx_call(&w->t->a, "rt_poke");
	bx_check_ms_fault(w);
}

static void
emit_copys(struct walk *w, uint32_t ins)
{
	load_operands(w, 3,
	    (unsigned[]){
		dif_instr_r1(ins), dif_instr_rd(ins), dif_instr_r2(ins) });
	bx_call(&w->t->a, "rt_bcopy");
	bx_check_ms_fault(w);
}

static void
emit_allocs(struct walk *w, uint32_t ins)
{
	load_operands(w, 1, (unsigned[]){ dif_instr_r1(ins) });
	bx_call_checked(w, "rt_alloc");
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

/*
 * Condition flags are kept as the two operands that produced them.  TST
 * compares (r1 != 0) with 0, and SCMP the runtime's -1, 0, 1 with 0: both
 * orders, signed and unsigned, are then those of their flags.
 */
static void
flags_of_test(struct walk *w, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	bx_label zero = bx_new_label(a);
	int r = bx_use_reg(w, dif_instr_r1(ins), R1);

	bx_movi(a, R0, 0);
	bx_jcci(a, BPF_JEQ, r, 0, zero);
	bx_movi(a, R0, 1);
	bx_bind(a, zero);
	bx_movi(a, R1, 0);
}

static void
flags_of_scmp(struct walk *w, uint32_t ins)
{
	load_operands(
	    w, 2, (unsigned[]){ dif_instr_r1(ins), dif_instr_r2(ins) });
	bx_call_checked(w, "rt_scmp");
	bx_movi(&w->t->a, R1, 0);
}

static void
emit_compare(struct walk *w, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	int ra = R0, rb = R1;

	switch (dif_instr_op(ins)) {
	case DIF_OP_TST:
		flags_of_test(w, ins);
		break;
	case DIF_OP_SCMP:
		flags_of_scmp(w, ins);
		break;
	default:
		ra = bx_use_reg(w, dif_instr_r1(ins), R0);
		rb = bx_use_reg(w, dif_instr_r2(ins), R1);
		break;
	}
	bx_stx(a, 8, R10, FP_CCA, ra);
	bx_stx(a, 8, R10, FP_CCB, rb);
}

static uint8_t
branch_op(uint8_t dif_op)
{
	switch (dif_op) {
	case DIF_OP_BE:
		return BPF_JEQ;
	case DIF_OP_BNE:
		return BPF_JNE;
	case DIF_OP_BG:
		return BPF_JSGT;
	case DIF_OP_BGU:
		return BPF_JGT;
	case DIF_OP_BGE:
		return BPF_JSGE;
	case DIF_OP_BGEU:
		return BPF_JGE;
	case DIF_OP_BL:
		return BPF_JSLT;
	case DIF_OP_BLU:
		return BPF_JLT;
	case DIF_OP_BLE:
		return BPF_JSLE;
	default:
		return BPF_JLE;
	}
}

static void
emit_branch(struct walk *w, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	uint32_t target = dif_instr_label(ins);

	if (dif_instr_op(ins) == DIF_OP_BA) {
		bx_ja(a, w->labels[target]);
		return;
	}
	bx_ldx(a, 8, R0, R10, FP_CCA);
	bx_ldx(a, 8, R1, R10, FP_CCB);
	bx_jcc(a, branch_op(dif_instr_op(ins)), R0, R1, w->labels[target]);
}

/* Emit a compare and the branch behind it as one conditional jump, if no other
 * instruction reads the flags.  Returns true if both were emitted. */
static bool
emit_compare_branch(struct walk *w, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	uint32_t next, target;
	uint8_t op = dif_instr_op(ins), jop;

	if (w->pc + 1 >= w->dp->ntext || w->is_target[w->pc + 1])
		return false;
	next = w->dp->text[w->pc + 1];
	if (dif_opinfo[dif_instr_op(next)].fmt != DIF_FMT_BRANCH ||
	    dif_instr_op(next) == DIF_OP_BA || w->flags_live[w->pc + 1])
		return false;
	target = dif_instr_label(next);
	jop = branch_op(dif_instr_op(next));
	if (op == DIF_OP_SCMP) {
		flags_of_scmp(w, ins);
		bx_jcci(a, jop, R0, 0, w->labels[target]);
	} else if (op == DIF_OP_TST && (jop == BPF_JEQ || jop == BPF_JNE)) {
		int r = bx_use_reg(w, dif_instr_r1(ins), R0);

		bx_jcci(a, jop, r, 0, w->labels[target]);
	} else if (op == DIF_OP_TST) {
		flags_of_test(w, ins);
		bx_jcci(a, jop, R0, 0, w->labels[target]);
	} else {
		int ra = bx_use_reg(w, dif_instr_r1(ins), R0);
		int rb = bx_use_reg(w, dif_instr_r2(ins), R1);

		bx_jcc(a, jop, ra, rb, w->labels[target]);
	}
	w->fused = w->pc + 1;
	return true;
}

/* Check a pushed size that no object can have; a constant size that is right
 * costs nothing. */
static void
check_push_size(struct walk *w, unsigned size_reg)
{
	const struct dif_value *size = &w->st->regs[size_reg];
	int r;

	if (size->kind == DIF_K_CONST && size->v <= INT64_MAX)
		return;
	r = bx_use_reg(w, size_reg, R0);
	bx_stx(&w->t->a, 8, R10, FP_TMP, r);
	bx_fault_if(
	    w->t, BPF_JSLT, r, 0, DIF_FLT_ILLOP, bx_dif_off(w), EXIT_FP_TMP);
}

static void
emit_push(struct walk *w, uint32_t ins)
{
	uint32_t depth = bx_tuple_depth(w);
	int r;

	if (depth == DIF_NTREGS) {
		bx_movi(&w->t->a, R0, 0);
		bx_fault_if(w->t, BPF_JEQ, R0, 0, DIF_FLT_TUPOFLOW,
		    bx_dif_off(w), EXIT_ZERO);
		return;
	}
	if (dif_instr_op(ins) == DIF_OP_PUSHTR &&
	    dif_instr_r1(ins) == DIF_TYPE_CTF)
		check_push_size(w, dif_instr_r2(ins));
	r = bx_use_reg(w, dif_instr_rd(ins), R0);
	bx_stx(&w->t->a, 8, R10, FP_TUPLE - 8 * (int)depth, r);
}

static void
emit_sets(struct walk *w, uint32_t ins)
{
	const char *s = w->dp->strtab + dif_instr_idx(ins);

	bx_addr(w->t, R0, "rtm_strs", bx_str_off(w->t->lo, s));
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

static void
emit_setx(struct walk *w, uint32_t ins)
{
	unsigned rd = dif_instr_rd(ins);
	uint64_t value = w->dp->inttab[dif_instr_idx(ins)];

	if (mapped_reg(rd) >= 0) {
		bx_movi(&w->t->a, mapped_reg(rd), value);
	} else {
		bx_movi(&w->t->a, R0, value);
		bx_set_reg(w, rd, R0);
	}
}

/* Three-register operations that BPF has. */
static const uint8_t alu_ops[] = {
	[DIF_OP_OR] = BPF_OR,
	[DIF_OP_XOR] = BPF_XOR,
	[DIF_OP_AND] = BPF_AND,
	[DIF_OP_SUB] = BPF_SUB,
	[DIF_OP_ADD] = BPF_ADD,
	[DIF_OP_MUL] = BPF_MUL,
};

static void
emit_rrr(struct walk *w, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);

	switch (op) {
	case DIF_OP_SLL:
		emit_shift(w, BPF_LSH, ins);
		break;
	case DIF_OP_SRL:
		emit_shift(w, BPF_RSH, ins);
		break;
	case DIF_OP_SRA:
		emit_shift(w, BPF_ARSH, ins);
		break;
	case DIF_OP_SDIV:
		emit_div(w, BPF_DIV, true, ins);
		break;
	case DIF_OP_UDIV:
		emit_div(w, BPF_DIV, false, ins);
		break;
	case DIF_OP_SREM:
		emit_div(w, BPF_MOD, true, ins);
		break;
	case DIF_OP_UREM:
		emit_div(w, BPF_MOD, false, ins);
		break;
	case DIF_OP_COPYS:
		emit_copys(w, ins);
		break;
	default:
		emit_alu(w, alu_ops[op], ins);
		break;
	}
}

/* rd <- r1, ~r1, or scratch of r1 bytes */
static void
emit_rr(struct walk *w, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	int r;

	if (dif_instr_op(ins) == DIF_OP_ALLOCS) {
		emit_allocs(w, ins);
		return;
	}
	r = bx_use_reg(w, dif_instr_r1(ins), R0);
	if (dif_instr_op(ins) == DIF_OP_NOT) {
		bx_mov(a, R0, r);
		bx_alui(a, BPF_XOR, R0, -1);
		r = R0;
	}
	bx_set_reg(w, dif_instr_rd(ins), r);
}

static void
emit_ret(struct walk *w, uint32_t ins)
{
	int r = bx_use_reg(w, dif_instr_rd(ins), R0);

	bx_mov(&w->t->a, R0, r);
	if (w->pc + 1 < w->dp->ntext)
		bx_ja(&w->t->a, w->end);
}

/* rd <- address of this CPU's instance of a per-CPU variable of the kernel. */
static void
emit_cpuaddr(struct walk *w, uint32_t ins)
{
	const struct dif_value *id = &w->st->regs[dif_instr_r2(ins)];

	if (id->kind != DIF_K_CONST || id->v > INT32_MAX) {
		bx_refuse(w->t, bx_here_span(w),
		    "the number of a per-CPU variable must be a constant");
		return;
	}
	bx_percpu(&w->t->a, R1, (uint32_t)id->v);
	bx_helper(&w->t->a, H_THIS_CPU_PTR);
	bx_ptr_to_number(w->t, R0, R0);
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

/* Loads from built-in arrays; those of threads fault. */
static void
emit_lda(struct walk *w, uint32_t ins)
{
	if (dif_instr_op(ins) == DIF_OP_LDGA &&
	    dif_instr_r1(ins) == DIF_VAR_CPUADDR) {
		emit_cpuaddr(w, ins);
		return;
	}
	if (dif_instr_op(ins) == DIF_OP_LDGA &&
	    dif_instr_r1(ins) == DIF_VAR_UREGS) {
		bx_uregs(w, ins);
		return;
	}
	if (dif_instr_op(ins) == DIF_OP_LDGA) {
		bx_args(w, ins);
		return;
	}
	bx_movi(&w->t->a, R0, 0);
	bx_fault_if(
	    w->t, BPF_JEQ, R0, 0, DIF_FLT_ILLOP, bx_dif_off(w), EXIT_ZERO);
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

void
bx_instr(struct walk *w, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);

	switch (dif_opinfo[op].fmt) {
	case DIF_FMT_RRR:
		emit_rrr(w, ins);
		break;
	case DIF_FMT_RR:
		emit_rr(w, ins);
		break;
	case DIF_FMT_CMP:
	case DIF_FMT_TST:
		if (!emit_compare_branch(w, ins))
			emit_compare(w, ins);
		break;
	case DIF_FMT_BRANCH:
		emit_branch(w, ins);
		break;
	case DIF_FMT_LOAD:
		emit_load(w, ins, &dif_memops[op]);
		break;
	case DIF_FMT_STORE:
		emit_store(w, ins, dif_memops[op].size);
		break;
	case DIF_FMT_RET:
		emit_ret(w, ins);
		break;
	case DIF_FMT_NONE:
		break; /* dif_flow() tracks the tuple stack */
	case DIF_FMT_SETX:
		emit_setx(w, ins);
		break;
	case DIF_FMT_SETS:
		emit_sets(w, ins);
		break;
	case DIF_FMT_LDA:
		emit_lda(w, ins);
		break;
	case DIF_FMT_LDV:
	case DIF_FMT_STV:
		bx_variable(w, ins);
		break;
	case DIF_FMT_CALL:
		emit_call(w, dif_instr_idx(ins), dif_instr_rd(ins));
		break;
	case DIF_FMT_PUSH:
		emit_push(w, ins);
		break;
	case DIF_FMT_XL:
	case DIF_FMT_INVALID:
		bx_refuse(w->t, bx_here_span(w),
		    "the program still has translator references");
		break;
	}
}
