/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DIF object -> BPF.
 *
 * dif_verify() has passed: registers, tables and branch targets are in range
 * and every branch goes forward, so one DIF instruction maps to a group of BPF
 * ones, and labels resolve in one pass.
 *
 * Addresses are plain numbers here (see exec/runtime/rt.h): a helper reads
 * foreign memory; our own storage is accessed by its place.  The walk tracks
 * what BPF wants constant or what saves code: the depth and kinds of the tuple
 * stack and constants in registers (dif/flow.h), and whether condition flags
 * outlive the branch behind a compare.
 */
#include "exec/bpf/emit/difo_impl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

void
bx_refuse(struct bx_tr *t, struct diag_span span, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (t->refused.why != NULL)
		return;
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	t->refused.why = strbuf_steal(&sb);
	t->refused.span = span;
}

void
bx_note(struct bx_tr *t, struct diag_span span, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	struct bx_note n = { .insn = bx_here(&t->a), .span = span };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	n.text = strbuf_steal(&sb);
	VEC_PUSH(&t->a.notes, n);
}

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

/* ---- faults ------------------------------------------------------------- */

void
bx_fault_if(struct bx_tr *t, uint8_t op, int ra, int32_t imm,
    enum dif_fault fault, uint32_t dif_off, int value_kind)
{
	struct bx_fault_exit s = { .label = bx_new_label(&t->a),
		.fault = fault,
		.dif_off = dif_off,
		.action = t->clause.action_no,
		.value_kind = value_kind };

	bx_jcci(&t->a, op, ra, imm, s.label);
	VEC_PUSH(&t->clause.exits, s);
}

/* Take over code and value of a fault that a runtime function set. */
static void
exit_from_ms(struct bx_asm *a, uint32_t dif_off)
{
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault));
	bx_alui(a, BPF_LSH, R1, 32);
	bx_movi(a, R2, dif_off);
	bx_alu(a, BPF_OR, R1, R2);
	bx_stx(a, 8, R10, FP_FAULT, R1);
	bx_ldx(a, 8, R1, R9, offsetof(struct rt_mstate, fault_val));
	bx_stx(a, 8, R10, FP_FVAL, R1);
	bx_sti(a, 8, R9, offsetof(struct rt_mstate, fault), 0);
}

void
bx_emit_fault_exits(struct bx_tr *t, bx_label fault)
{
	struct bx_asm *a = &t->a;

	VEC_FOREACH(&t->clause.exits, s) {
		bx_bind(a, s->label);
		if (s->value_kind == EXIT_MS) {
			exit_from_ms(a, s->dif_off);
		} else {
			bx_movi(a, R1, (uint64_t)s->fault << 32 | s->dif_off);
			bx_stx(a, 8, R10, FP_FAULT, R1);
			bx_movi(a, R1, 0);
			if (s->value_kind == EXIT_FP_TMP)
				bx_ldx(a, 8, R1, R10, FP_TMP);
			bx_stx(a, 8, R10, FP_FVAL, R1);
		}
		bx_sti(a, 4, R10, FP_EPID + 4, (int32_t)s->action);
		bx_ja(a, fault);
	}
	t->clause.exits.n = 0;
}

uint32_t
bx_dif_off(const struct walk *w)
{
	return w->pc * 4;
}

uint32_t
bx_tuple_depth(struct walk *w)
{
	if (w->st->depth_min != w->st->depth_max)
		bx_refuse(w->t, bx_here_span(w),
		    "the tuple stack differs "
		    "between two ways to instruction %u",
		    w->pc);
	return w->st->depth_min;
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

/* ---- shared emitters ---------------------------------------------------- */

/* Pointers become numbers by a detour through the machine state: a program with
 * CAP_PERFMON may store one in a map, and reads a scalar back. */
void
bx_ptr_to_number(struct bx_tr *t, int rd, int ptr)
{
	bx_stx(&t->a, 8, R9, RT_MEM_OFF + MEM_PTR, ptr);
	bx_ldx(&t->a, 8, rd, R9, RT_MEM_OFF + MEM_PTR);
}

void
bx_addr(struct bx_tr *t, int rd, const char *map, uint32_t off)
{
	bx_mapval(&t->a, rd, map, off);
	bx_ptr_to_number(t, rd, rd);
}

void
bx_read_kernel(struct bx_asm *a, int off, uint32_t size)
{
	bx_mov(a, R1, R10);
	bx_alui(a, BPF_ADD, R1, off);
	bx_movi(a, R2, size);
	bx_helper(a, H_READ_KERNEL);
}

void
bx_mem_addr(struct bx_tr *t, int rd, uint32_t mem_off)
{
	bx_ldx(&t->a, 8, rd, R9, offsetof(struct rt_mstate, base));
	bx_alui(&t->a, BPF_ADD, rd, (int32_t)(RT_MEM_OFF + mem_off));
}

void
bx_mem_ptr(struct bx_tr *t, int rd, uint32_t mem_off)
{
	bx_mov(&t->a, rd, R9);
	bx_alui(&t->a, BPF_ADD, rd, (int32_t)(RT_MEM_OFF + mem_off));
}

/* Keep the pointer: a helper call costs 18 ns here, mostly its return. */
void
bx_task(struct bx_tr *t, int rd)
{
	if (t->frame.other != 0) {
		bx_ldx(&t->a, 8, rd, R10, t->frame.other);
		return;
	}
	if (t->frame.has_task) {
		bx_ldx(&t->a, 8, rd, R10, FP_TASK);
		return;
	}
	bx_helper(&t->a, H_CURRENT_TASK_BTF);
	bx_mov(&t->a, rd, R0);
}

void
bx_comm(struct bx_tr *t, int base, int off)
{
	struct bx_asm *a = &t->a;

	if (t->lo->comm_off < 0) {
		bx_mov(a, R1, base);
		bx_alui(a, BPF_ADD, R1, off);
		bx_movi(a, R2, 16);
		bx_helper(a, H_CURRENT_COMM);
		return;
	}
	bx_task(t, R2);
	for (int i = 0; i < 16; i += 8) {
		bx_ldx(a, 8, R1, R2, t->lo->comm_off + i);
		bx_stx(a, 8, base, off + i, R1);
	}
}

void
bx_drop(struct bx_tr *t, enum dt_drop kind)
{
	bx_movi(&t->a, R1, kind);
	bx_call(&t->a, "rt_drop");
}

void
bx_this_pcpu(struct bx_tr *t, bx_label none)
{
	struct bx_asm *a = &t->a;

	bx_helper(a, H_SMP_PROCESSOR_ID);
	bx_stx(a, 4, R10, FP_TMP, R0);
	bx_map(a, R1, "rtm_pcpu");
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
}

void
bx_time(struct bx_tr *t, int rd)
{
	bx_ldx(&t->a, 8, rd, R10, FP_TS);
}

/* `probe` is made only for scripts that use it: it takes one string per
 * probe. */
void
bx_probe_names(
    struct bx_tr *t, const struct dt_probe *p, const char *names[BX_NNAMES])
{
	p = dt_probe_shown(p);
	names[0] = p->prov;
	names[1] = p->mod;
	names[2] = p->func;
	names[3] = p->name;
	names[4] = !t->lo->uses_probe ?
	    "" :
	    arena_printf(&t->lo->arena, "%s:%s:%s:%s", p->prov, p->mod, p->func,
		p->name);
}

bool
bx_fires_anywhere(const struct bx_tr *t)
{
	const struct dt_probe *p = t->clause.const_probe;

	return dt_probe_is_wide_function(p != NULL ? p : t->facts->probes.v[0]);
}

unsigned
bx_name_index(uint32_t builtin)
{
	return builtin == DIF_VAR_PROBE ? BX_NNAMES - 1 :
					  builtin - DIF_VAR_PROBEPROV;
}

/* Does the field describe the origin of the firing, whichever probe a step
 * derives from it? */
static bool
is_of_origin(unsigned field)
{
	return field >= BX_F_LISTEN && field < BX_F_EPID;
}

static uint32_t
const_probe_field(struct bx_tr *t, unsigned field)
{
	const struct dt_probe *p = t->clause.const_probe;
	const char *names[BX_NNAMES];

	bx_probe_names(t, p, names);
	if (field == BX_F_ID)
		return dt_probe_shown(p)->id;
	if (field < BX_F_NAMEOFF)
		return strtab_intern(
		    &t->lo->pl->strs, names[field - BX_F_STRID]);
	if (is_of_origin(field))
		return bx_listener(
		    t, t->facts->probes.v[0], field - BX_F_LISTEN);
	if (field < BX_F_LISTEN)
		return bx_str_off(t->lo, names[field - BX_F_NAMEOFF]);
	for (uint32_t i = 0; i < t->clause.pc->probes.n; i++) {
		if (t->clause.pc->probes.v[i] == dt_probe_shown(p))
			return t->clause.pc->epid_base + i;
	}
	return 0;
}

void
bx_probe_field(struct bx_tr *t, int rd, unsigned field)
{
	if (t->clause.const_probe != NULL &&
	    !(is_of_origin(field) && t->facts->has_table)) {
		bx_movi(&t->a, rd, const_probe_field(t, field));
		return;
	}
	if (field == BX_F_EPID)
		field += t->clause.no;
	bx_ldx(&t->a, 8, rd, R10, FP_ENT);
	bx_ldx(&t->a, 4, rd, rd, (int)(8 * t->entry.mask_words + 4 * field));
}

struct diag_span
bx_here_span(const struct walk *w)
{
	return w->dp->spans ? w->dp->spans[w->pc] : (struct diag_span){ 0 };
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

static void
emit_instr(struct walk *w, uint32_t ins)
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

static bool
reads_flags(uint32_t ins)
{
	return dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_BRANCH &&
	    dif_instr_op(ins) != DIF_OP_BA;
}

static bool
sets_flags(uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);

	return op == DIF_OP_CMP || op == DIF_OP_TST || op == DIF_OP_SCMP;
}

/* Find the reachable instructions.  Branches only go forward, so one pass
 * suffices. */
static void
find_reached(struct walk *w)
{
	const struct dif_obj *dp = w->dp;

	w->is_reached[0] = true;
	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint8_t op = dif_instr_op(dp->text[i]);

		if (!w->is_reached[i])
			continue;
		if (dif_opinfo[op].fmt == DIF_FMT_BRANCH) {
			uint32_t label = dif_instr_label(dp->text[i]);

			w->is_reached[label] = w->is_target[label] = true;
		}
		if (op != DIF_OP_BA && op != DIF_OP_RET)
			w->is_reached[i + 1] = true;
	}
}

/* flags_live[i]: does an instruction after i read the flags before one sets
 * them?  One pass from the end suffices. */
static void
find_live_flags(struct walk *w)
{
	const struct dif_obj *dp = w->dp;
	bool *live_in = mem_alloc(dp->ntext + 1);

	for (uint32_t i = dp->ntext; i-- > 0;) {
		uint32_t ins = dp->text[i];
		uint8_t op = dif_instr_op(ins);
		bool out =
		    op != DIF_OP_BA && op != DIF_OP_RET && live_in[i + 1];

		if (dif_opinfo[op].fmt == DIF_FMT_BRANCH)
			out |= live_in[dif_instr_label(ins)];
		w->flags_live[i] = out;
		live_in[i] = reads_flags(ins) || (out && !sets_flags(ins));
	}
	/* All flags start cleared, like those of a compare of 1 with 0. */
	if (live_in[0]) {
		bx_sti(&w->t->a, 8, R10, FP_CCA, 1);
		bx_sti(&w->t->a, 8, R10, FP_CCB, 0);
	}
	free(live_in);
}

static void
note_source(struct walk *w)
{
	const struct diag_span *spans = w->dp->spans;

	if (spans != NULL &&
	    (w->pc == 0 ||
		memcmp(&spans[w->pc], &spans[w->pc - 1], sizeof(*spans)) != 0))
		bx_note(w->t, spans[w->pc], "%s", "");
}

static bool
emit_arrival(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct walk *w = arg;

	if (pc == w->fused)
		return true;
	w->pc = pc;
	w->st = st;
	if (w->is_target[pc])
		bx_bind(&w->t->a, w->labels[pc]);
	note_source(w);
	emit_instr(w, w->dp->text[pc]);
	return w->t->refused.why == NULL;
}

void
bx_difo(struct bx_tr *t, const struct dif_obj *dp)
{
	struct walk w = { .t = t,
		.dp = dp,
		.end = bx_new_label(&t->a),
		.fused = UINT32_MAX };

	w.labels = mem_alloc(dp->ntext * sizeof(*w.labels));
	w.is_reached = mem_alloc(dp->ntext + 1);
	w.is_target = mem_alloc(dp->ntext);
	w.flags_live = mem_alloc(dp->ntext);
	find_reached(&w);
	find_live_flags(&w);
	for (uint32_t i = 0; i < dp->ntext; i++) {
		if (w.is_target[i])
			w.labels[i] = bx_new_label(&t->a);
	}
	dif_flow(dp, emit_arrival, &w);
	bx_bind(&t->a, w.end);
	free(w.labels);
	free(w.is_reached);
	free(w.is_target);
	free(w.flags_live);
}
