/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One pass over a verified object: every branch goes forward, so labels resolve
 * at the end.  With the facts of dif/flow.h about registers most constants
 * become immediates, so that the instructions that set them are not emitted
 * (jit_flow.c).
 *
 * Registers.  DIF has seven, and its code generator uses low numbers first, so
 * the most used registers of an object have the lowest numbers. x86 has a
 * register for each of them; in objects with calls, for all but two.
 */
#include "exec/jit/jit_impl.h"

#include <errno.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/jit/blob.h"

/* ---- registers ---------------------------------------------------------- */

const struct dif_value *
jit_fact(const struct jit *j, unsigned dr)
{
	return &j->at[j->pc].st.regs[dr];
}

bool
jit_const(const struct jit *j, unsigned dr, uint64_t *value)
{
	const struct dif_value *v = jit_fact(j, dr);

	*value = dr == 0 ? 0 : v->v;
	return dr == 0 || v->kind == DIF_K_CONST;
}

bool
jit_imm(const struct jit *j, unsigned dr, int32_t *imm)
{
	uint64_t value;

	if (!jit_const(j, dr, &value))
		return false;
	*imm = (int32_t)value;
	return (uint64_t)(int64_t)*imm == value;
}

static struct x_mem
spill(unsigned dr)
{
	return X_AT(VM, offsetof(struct rt_vm, spill) + 8 * dr);
}

void
jit_use_in(struct jit *j, unsigned dr, int r)
{
	uint64_t value;

	if (jit_const(j, dr, &value))
		x_movi(j->a, r, value);
	else if (jit_fact(j, dr)->kind == DIF_K_STRING)
		x_lea(j->a, r,
		    X_IN_REGION(j->env->strs + (uint32_t)jit_fact(j, dr)->v));
	else if (j->regs[dr] >= 0)
		x_mov(j->a, r, j->regs[dr]);
	else
		x_load(j->a, 8, false, r, spill(dr));
}

int
jit_use(struct jit *j, unsigned dr, int tmp)
{
	uint64_t value;

	if (j->regs[dr] >= 0 && !jit_const(j, dr, &value) &&
	    jit_fact(j, dr)->kind != DIF_K_STRING)
		return j->regs[dr];
	jit_use_in(j, dr, tmp);
	return tmp;
}

int
jit_def(const struct jit *j, unsigned dr)
{
	return j->regs[dr] >= 0 ? j->regs[dr] : X_RAX;
}

void
jit_defined(struct jit *j, unsigned dr, int r)
{
	if (dr == 0)
		return;
	if (j->regs[dr] >= 0)
		x_mov(j->a, j->regs[dr], r);
	else
		x_store(j->a, 8, spill(dr), r);
}

/*
 * Division uses %rdx, a shift by a variable %rcx.  In leaves %r11 is used only
 * for constants that are not immediates.
 */
static uint32_t
taken(const struct jit *j)
{
	uint32_t regs = 1U << X_RAX;

	if (j->env->args == NULL || !jit_has_short_constants(j->dp))
		regs |= 1U << X_R11;
	for (uint32_t pc = 0; pc < j->dp->ntext; pc++) {
		switch (dif_instr_op(j->dp->text[pc])) {
		case DIF_OP_SDIV:
		case DIF_OP_UDIV:
		case DIF_OP_SREM:
		case DIF_OP_UREM:
			regs |= 1U << X_RDX;
			break;
		case DIF_OP_SLL:
		case DIF_OP_SRL:
		case DIF_OP_SRA:
			regs |= 1U << X_RCX;
			break;
		default:
			break;
		}
	}
	return regs;
}

#define CHANGED_BY_CALLS                                                       \
	(1U << X_RAX | 1U << X_RCX | 1U << X_RDX | 1U << X_RSI | 1U << X_RDI | \
	    1U << X_R8 | 1U << X_R9 | 1U << X_R10 | 1U << X_R11)

/* Registers that the calls of an object change. */
static uint32_t
changed_by_calls(struct jit *j)
{
	uint32_t regs = 0;

	for (j->pc = 0; j->pc < j->dp->ntext; j->pc++) {
		uint32_t ins = jit_ins(j), copy = 0;
		uint8_t op = dif_instr_op(ins);
		bool is_push = op == DIF_OP_PUSHTV || op == DIF_OP_PUSHTR;

		if (!j->at[j->pc].is_reached || !jit_insn_may_call(j, j->pc) ||
		    (is_push && jit_push_is_plain(j, ins)))
			continue;
		if (op == DIF_OP_CALL)
			copy = jit_copy(j, NULL);
		if (copy == 0)
			return CHANGED_BY_CALLS;
		regs |= copy | 1U << X_RSI;
	}
	return regs;
}

/* The x86 registers that can hold DIF's registers; returns their number. */
static size_t
register_pool(const struct jit *j, const int8_t **pool)
{
	static const int8_t changed[] = { X_RCX, X_RDX, X_RSI, X_RDI, X_R8,
		X_R9, X_R10 };
	static const int8_t kept[] = { X_R12, X_R13, X_R14, X_R15, X_RBP };
	static const int8_t leaf[] = { X_RBX, X_R9, X_R8, X_RCX, X_RDX, X_RSI,
		X_RDI, X_R12, X_R13, X_R14, X_R15, X_RBP };

	if (j->env->args != NULL) {
		*pool = leaf;
		return sizeof(leaf);
	}
	*pool = jit_may_call(j) ? kept : changed;
	return jit_may_call(j) ? sizeof(kept) : sizeof(changed);
}

static void
assign_registers(struct jit *j)
{
	bool calls = jit_may_call(j);
	uint32_t args = j->env->args != NULL ? jit_arg_regs(j->env, j->dp) : 0;
	const int8_t *pool;
	size_t n = register_pool(j, &pool), next = 0;

	j->used = taken(j) | changed_by_calls(j);
	for (unsigned dr = 0; dr < DIF_NREGS; dr++) {
		bool is_used = false;

		j->regs[dr] = -1;
		for (uint32_t pc = 0; dr != 0 && pc < j->dp->ntext; pc++)
			is_used |= jit_defines(j->dp->text[pc], dr) &&
			    !j->at[pc].is_dead;
		if (is_used)
			j->regs[dr] = (int8_t)jit_only_arg(j, dr);
		if (!is_used || j->regs[dr] >= 0)
			continue;
		while (next < n && !calls &&
		    ((j->used | args) & 1U << pool[next]) != 0)
			next++;
		if (next >= n)
			continue;
		j->regs[dr] = pool[next++];
		j->used |= 1U << j->regs[dr];
	}
}

/* ---- faults and calls --------------------------------------------------- */

void
jit_refuse(struct jit *j, const char *what, uint32_t id)
{
	if (j->is_refused)
		return;
	j->is_refused = true;
	err_set(j->err, -EINVAL,
	    "instruction %u: %s %u is not available in a process", j->pc, what,
	    id);
}

x_label
jit_fault_exit(struct jit *j, enum dif_fault fault)
{
	struct jit_fault_exit s = {
		.label = x_new_label(j->a), .pc = j->pc, .fault = fault
	};

	VEC_PUSH(&j->exits, s);
	return s.label;
}

static void
emit_fault_exits(struct jit *j)
{
	VEC_FOREACH(&j->exits, s) {
		x_bind(j->a, s->label);
		if (s->fault != 0) {
			x_storei(j->a, 8, MS_AT(fault), (int32_t)s->fault);
			x_storei(j->a, 8, MS_AT(fault_val), 0);
		}
		x_storei(j->a, 8, VM_AT(fault_pc), (int32_t)s->pc);
		x_jmp(j->a, j->fault);
	}
	VEC_FREE(&j->exits);
}

uint32_t
jit_blob_func(const char *name)
{
	uint32_t lo = 0, hi = rt_blob_nfuncs;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int order = strcmp(name, rt_blob_funcs[mid].name);

		if (order == 0)
			return rt_blob_funcs[mid].off;
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	assert(!"no such function of the runtime");
	return 0;
}

void
jit_call(struct jit *j, const char *func)
{
	x_call(j->a, j->env->blob + jit_blob_func(func));
}

void
jit_call_checked(struct jit *j, const char *func)
{
	jit_call(j, func);
	x_alumi(j->a, X_CMP, MS_AT(fault), 0);
	x_jcc(j->a, X_NE, jit_fault_exit(j, 0));
}

void
jit_slot(struct jit *j)
{
	x_lea(j->a, X_RDI, X_AT(VM, RT_VM_MS));
}

/* ---- the object --------------------------------------------------------- */

/* Does the instruction return a known value, in an object that decides? */
static bool
is_decided(const struct jit *j, uint32_t pc, bool *holds)
{
	uint32_t ins = j->dp->text[pc];
	const struct dif_value *v = &j->at[pc].st.regs[dif_instr_rd(ins)];

	if (!j->decides || dif_instr_op(ins) != DIF_OP_RET ||
	    (dif_instr_rd(ins) != 0 && v->kind != DIF_K_CONST))
		return false;
	*holds = dif_instr_rd(ins) != 0 && v->v != 0;
	return true;
}

x_label
jit_target(const struct jit *j, uint32_t pc)
{
	bool holds;

	if (!is_decided(j, pc, &holds))
		return j->at[pc].label;
	return holds ? j->end : j->no;
}

/* Can execution continue here from the instruction before? */
static bool
is_fallen_into(const struct jit *j)
{
	uint8_t before =
	    j->pc > 0 ? dif_instr_op(j->dp->text[j->pc - 1]) : DIF_OP_NOP;

	return before != DIF_OP_RET && before != DIF_OP_BA;
}

static void
emit_decision(struct jit *j)
{
	bool holds;
	int r;

	if (is_decided(j, j->pc, &holds)) {
		if (!is_fallen_into(j))
			return; /* no branch leads here */
		if (!holds)
			x_jmp(j->a, j->no);
	} else {
		r = jit_use(j, dif_instr_rd(jit_ins(j)), X_RAX);
		x_test(j->a, r, r);
		x_jcc(j->a, X_E, j->no);
		holds = true;
	}
	if (holds && j->pc + 1 < j->dp->ntext)
		x_jmp(j->a, j->end);
}

/*
 * Only objects with an unusual end have instructions after a RET, so that the
 * RET has to jump.
 */
static void
emit_ret(struct jit *j)
{
	if (j->decides) {
		emit_decision(j);
		return;
	}
	jit_use_in(j, dif_instr_rd(jit_ins(j)), X_RAX);
	if (j->pc + 1 < j->dp->ntext)
		x_jmp(j->a, j->end);
}

static void
emit_const(struct jit *j)
{
	uint32_t ins = jit_ins(j);
	unsigned rd = dif_instr_rd(ins);
	int d = jit_def(j, rd);

	if (dif_instr_op(ins) == DIF_OP_SETX)
		x_movi(j->a, d, j->dp->inttab[dif_instr_idx(ins)]);
	else
		x_lea(j->a, d, X_IN_REGION(j->env->strs + dif_instr_idx(ins)));
	jit_defined(j, rd, d);
}

static void
emit_alloc(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	jit_use_in(j, dif_instr_r1(ins), X_RSI);
	jit_slot(j);
	jit_call_checked(j, "rt_alloc");
	jit_defined(j, dif_instr_rd(ins), X_RAX);
}

static void
emit_copy(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	jit_use_in(j, dif_instr_r1(ins), X_RSI);
	jit_use_in(j, dif_instr_rd(ins), X_RDX);
	jit_use_in(j, dif_instr_r2(ins), X_RCX);
	jit_slot(j);
	jit_call_checked(j, "rt_bcopy");
}

static void
emit_move(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	if (dif_instr_op(ins) == DIF_OP_ALLOCS)
		emit_alloc(j);
	else
		jit_arith(j);
}

static void
emit_three(struct jit *j)
{
	if (dif_instr_op(jit_ins(j)) == DIF_OP_COPYS)
		emit_copy(j);
	else
		jit_arith(j);
}

static void
emit_insn(struct jit *j)
{
	switch ((enum dif_fmt)dif_opinfo[dif_instr_op(jit_ins(j))].fmt) {
	case DIF_FMT_RRR:
		emit_three(j);
		break;
	case DIF_FMT_RR:
		emit_move(j);
		break;
	case DIF_FMT_CMP:
	case DIF_FMT_TST:
		jit_compare(j);
		break;
	case DIF_FMT_BRANCH:
		jit_branch(j);
		break;
	case DIF_FMT_LOAD:
	case DIF_FMT_STORE:
		jit_access(j);
		break;
	case DIF_FMT_RET:
		emit_ret(j);
		break;
	case DIF_FMT_NONE:
	case DIF_FMT_PUSH:
		jit_tuple(j);
		break;
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
		emit_const(j);
		break;
	case DIF_FMT_LDA:
		jit_probe_array(j);
		break;
	case DIF_FMT_LDV:
	case DIF_FMT_STV:
		jit_variable(j);
		break;
	case DIF_FMT_CALL:
		jit_subroutine(j);
		break;
	case DIF_FMT_XL:
	case DIF_FMT_INVALID:
		jit_refuse(j, "opcode", dif_instr_op(jit_ins(j)));
		break;
	}
}

static void
emit_object(struct jit *j)
{
	if (j->has_tuple)
		x_storei(j->a, 8, VM_AT(depth), 0);
	if (j->wants_initial_flags) { /* all clear, as after 1 - 0 */
		x_storei(j->a, 8, VM_AT(compared[0]), 1);
		x_storei(j->a, 8, VM_AT(compared[1]), 0);
	}
	for (j->pc = 0; j->pc < j->dp->ntext; j->pc++) {
		const struct jit_insn *at = &j->at[j->pc];

		if (at->is_target)
			x_bind(j->a, at->label);
		if (at->is_reached && !at->is_dead)
			emit_insn(j);
	}
	x_bind(j->a, j->end);
}

/* Does the object keep no value in struct rt_vm? */
static bool
is_in_registers(const struct jit *j)
{
	for (uint32_t pc = 0; pc < j->dp->ntext; pc++) {
		for (unsigned dr = 1; dr < DIF_NREGS; dr++) {
			if (jit_defines(j->dp->text[pc], dr) &&
			    !j->at[pc].is_dead && j->regs[dr] < 0)
				return false;
		}
		if (j->at[pc].wants_flags)
			return false;
	}
	return !j->wants_initial_flags;
}

uint32_t
jit_leaf(const struct jit_env *env, const struct dif_obj *dp)
{
	struct x_asm labels = { 0 };
	struct jit j = { .a = &labels, .env = env, .dp = dp };
	uint32_t regs = 0;

	if (!jit_only_computes(dp))
		return 0;
	j.at = mem_alloc(dp->ntext * sizeof(*j.at));
	jit_analyse(&j);
	assign_registers(&j);
	if (is_in_registers(&j) && (j.used & jit_arg_regs(env, dp)) == 0)
		regs = j.used;
	free(j.at);
	x_fini(&labels);
	return regs;
}

static bool
compile(struct jit *j, uint32_t *used)
{
	x_label past = x_new_label(j->a);

	j->end = x_new_label(j->a);
	j->at = mem_alloc(j->dp->ntext * sizeof(*j->at));
	jit_analyse(j);
	assign_registers(j);
	emit_object(j);
	if (j->exits.n != 0)
		x_jmp(j->a, past);
	emit_fault_exits(j);
	x_bind(j->a, past);
	*used |= j->used;
	free(j->at);
	return !j->is_refused;
}

bool
jit_object(struct x_asm *a, const struct jit_env *env, const struct dif_obj *dp,
    x_label fault, uint32_t *used, struct err *err)
{
	struct jit j = {
		.a = a, .env = env, .dp = dp, .fault = fault, .err = err
	};

	return compile(&j, used);
}

bool
jit_decide(struct x_asm *a, const struct jit_env *env, const struct dif_obj *dp,
    x_label no, uint32_t *used, struct err *err)
{
	struct jit j = { .a = a,
		.env = env,
		.dp = dp,
		.fault = no,
		.decides = true,
		.no = no,
		.err = err };

	return compile(&j, used);
}
