/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables, the tuple stack and subroutines.
 */
#include "exec/jit/jit_impl.h"

/* ---- variables ---------------------------------------------------------- */

/* LDGS of a built-in; LDLS of one is 0. */
static void
load_builtin(struct jit *j, uint8_t op, uint32_t id, unsigned rd)
{
	uint32_t row = dif_row_of_var(id);
	int d = jit_def(j, rd);

	if (op == DIF_OP_LDGS && jit_builtin(j, id) != NULL) {
		x_mov(j->a, X_RDI, VM);
		jit_call_checked(j, jit_builtin(j, id));
		jit_defined(j, rd, X_RAX);
		return;
	}
	if (op == DIF_OP_LDGS && row == RT_NVARS)
		jit_refuse(j, "built-in variable", id);
	else if (op == DIF_OP_LDGS && j->env->args != NULL)
		x_mov(j->a, d, j->env->args[id - DIF_VAR_ARG0]);
	else if (op == DIF_OP_LDGS)
		x_load(j->a, 8, false, d, VM_AT(vars[row]));
	else
		x_movi(j->a, d, 0);
	jit_defined(j, rd, d);
}

/* The operand for a variable's word; the thread's needs %r11. */
static struct x_mem
word(struct jit *j, const struct rt_uvar *v)
{
	switch (v->scope) {
	case DIFV_SCOPE_GLOBAL:
		return X_IN_REGION(
		    (v->is_shared ? j->env->shared : j->env->globals) + v->off);
	case DIFV_SCOPE_LOCAL:
		return MEM_AT(j->env->locals + v->off);
	default:
		x_load(j->a, 8, false, X_R11,
		    v->is_shared ? VM_AT(host.self) : VM_AT(host.tls));
		return X_AT(X_R11, v->off);
	}
}

/* The operand for the variable's description, which the runtime reads. */
static struct x_mem
description(const struct jit *j, const struct rt_uvar *v)
{
	size_t i = (size_t)(v - j->env->vars->v.v);

	return X_IN_REGION(j->env->uvars + i * sizeof(*v));
}

static void
load_var(struct jit *j, const struct rt_uvar *v, unsigned rd)
{
	struct x_mem at = word(j, v), bytes = { at.base, at.disp + 8 };
	int d = jit_def(j, rd);
	x_label null;

	if (!v->is_byref) {
		x_load(j->a, 8, false, d, at);
	} else {
		null = x_new_label(j->a);
		x_load(j->a, 8, false, X_RAX, at);
		x_test(j->a, X_RAX, X_RAX);
		x_jcc(j->a, X_E, null);
		x_lea(j->a, X_RAX, bytes);
		x_bind(j->a, null);
		x_mov(j->a, d, X_RAX);
	}
	jit_defined(j, rd, d);
}

static void
store_var(struct jit *j, const struct rt_uvar *v, unsigned rd)
{
	struct x_mem at = word(j, v);

	if (!v->is_byref) {
		x_store(j->a, 8, at, jit_use(j, rd, X_RAX));
		return;
	}
	x_lea(j->a, X_RSI, at);
	x_lea(j->a, X_RDX, description(j, v));
	jit_use_in(j, rd, X_RCX);
	x_mov(j->a, X_RDI, VM);
	jit_call_checked(j, "rt_vm_store_ref");
}

static void
array(struct jit *j, const struct rt_uvar *v, unsigned rd, bool is_load)
{
	x_lea(j->a, X_RSI, description(j, v));
	if (!is_load)
		jit_use_in(j, rd, X_RDX);
	x_mov(j->a, X_RDI, VM);
	jit_call_checked(j, is_load ? "rt_vm_load_array" : "rt_vm_store_array");
	if (is_load)
		jit_defined(j, rd, X_RAX);
}

void
jit_variable(struct jit *j)
{
	uint32_t ins = jit_ins(j), id = dif_instr_idx(ins);
	uint8_t op = dif_instr_op(ins), kind = dif_op_kind(op);
	bool is_load = dif_opinfo[op].fmt == DIF_FMT_LDV;
	unsigned rd = dif_instr_rd(ins);
	const struct rt_uvar *v;

	if (id < DIF_VAR_USER_MIN) {
		load_builtin(j, op, id, rd);
		return;
	}
	v = exec_vars_find(j->env->vars, id, dif_op_scope(op), kind);
	if (v == NULL)
		jit_refuse(j, "variable", id);
	else if (kind == DIFV_KIND_ARRAY)
		array(j, v, rd, is_load);
	else if (is_load)
		load_var(j, v, rd);
	else
		store_var(j, v, rd);
}

/* args[i]: beyond the last one is 0. */
static void
load_arg(struct jit *j, unsigned index, unsigned rd)
{
	int d = jit_def(j, rd);
	x_label beyond;
	uint64_t i;

	if (jit_const(j, index, &i)) {
		if (i < RT_NARGS)
			x_load(j->a, 8, false, d, VM_AT(args[i]));
		else
			x_movi(j->a, d, 0);
	} else {
		beyond = x_new_label(j->a);
		jit_use_in(j, index, X_R11);
		x_movi(j->a, X_RAX, 0);
		x_alui(j->a, X_CMP, X_R11, RT_NARGS);
		x_jcc(j->a, X_AE, beyond);
		x_shifti(j->a, X_SHL, X_R11, 3);
		x_alu(j->a, X_ADD, X_R11, VM);
		x_load(j->a, 8, false, X_RAX,
		    X_AT(X_R11, offsetof(struct rt_vm, args)));
		x_bind(j->a, beyond);
		x_mov(j->a, d, X_RAX);
	}
	jit_defined(j, rd, d);
}

void
jit_probe_array(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	if (dif_instr_op(ins) == DIF_OP_LDTA) {
		x_jmp(j->a, jit_fault_exit(j, DIF_FLT_ILLOP)); /* reserved */
		return;
	}
	if (jit_builtin(j, dif_instr_r1(ins)) != NULL) {
		jit_use_in(j, dif_instr_r2(ins), X_RSI);
		x_mov(j->a, X_RDI, VM);
		jit_call_checked(j, jit_builtin(j, dif_instr_r1(ins)));
		jit_defined(j, dif_instr_rd(ins), X_RAX);
		return;
	}
	if (dif_instr_r1(ins) != DIF_VAR_ARGS)
		jit_refuse(j, "built-in array", dif_instr_r1(ins));
	load_arg(j, dif_instr_r2(ins), dif_instr_rd(ins));
}

/* ---- the tuple stack ---------------------------------------------------- */

/*
 * The depth of the tuple stack here, if it is the same on all paths; else -1.
 */
static int
known_depth(const struct jit *j)
{
	const struct dif_state *st = &j->at[j->pc].st;

	return st->depth_min == st->depth_max ? st->depth_min : -1;
}

static struct x_mem
element(unsigned i, size_t off)
{
	return X_AT(VM,
	    offsetof(struct rt_vm, tuple) + i * sizeof(struct rt_tuple) + off);
}
#define ELEMENT(i, member) element(i, offsetof(struct rt_tuple, member))

static void
push_at(struct jit *j, unsigned depth, uint32_t ins)
{
	bool is_ref = dif_instr_op(ins) == DIF_OP_PUSHTR;
	bool is_string = is_ref && dif_instr_r1(ins) == DIF_TYPE_STRING;

	x_store(j->a, 8, ELEMENT(depth, value),
	    jit_use(j, dif_instr_rd(ins), X_RAX));
	if (is_ref)
		x_store(j->a, 8, ELEMENT(depth, size),
		    jit_use(j, dif_instr_r2(ins), X_RAX));
	x_storei(j->a, 4, ELEMENT(depth, is_ref), is_ref);
	x_storei(j->a, 4, ELEMENT(depth, is_string), is_string);
	x_storei(j->a, 8, VM_AT(depth), (int32_t)depth + 1);
}

/* Is the depth known and small enough, and is the size sure to be accepted? */
bool
jit_push_is_plain(const struct jit *j, uint32_t ins)
{
	int depth = known_depth(j);
	uint64_t size;

	if (depth < 0 || depth == DIF_NTREGS)
		return false;
	if (dif_instr_op(ins) == DIF_OP_PUSHTV ||
	    dif_instr_r1(ins) == DIF_TYPE_STRING)
		return true;
	return jit_const(j, dif_instr_r2(ins), &size) && size <= INT64_MAX;
}

static void
push(struct jit *j, uint32_t ins)
{
	bool is_ref = dif_instr_op(ins) == DIF_OP_PUSHTR;

	if (jit_push_is_plain(j, ins)) {
		push_at(j, (unsigned)known_depth(j), ins);
		return;
	}
	jit_use_in(j, dif_instr_rd(ins), X_RSI);
	jit_use_in(j, is_ref ? dif_instr_r2(ins) : 0, X_RDX);
	x_movi(j->a, X_RCX, is_ref);
	x_movi(j->a, X_R8, is_ref && dif_instr_r1(ins) == DIF_TYPE_STRING);
	x_mov(j->a, X_RDI, VM);
	jit_call_checked(j, "rt_vm_push");
}

static void
pop(struct jit *j)
{
	x_label empty = x_new_label(j->a);

	x_alumi(j->a, X_CMP, VM_AT(depth), 0);
	x_jcc(j->a, X_E, empty);
	x_alumi(j->a, X_SUB, VM_AT(depth), 1);
	x_bind(j->a, empty);
}

void
jit_tuple(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	switch (dif_instr_op(ins)) {
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
		push(j, ins);
		break;
	case DIF_OP_POPTS:
		pop(j);
		break;
	case DIF_OP_FLUSHTS:
		x_storei(j->a, 8, VM_AT(depth), 0);
		break;
	default: /* NOP */
		break;
	}
}

/* ---- subroutines -------------------------------------------------------- */

/* %r <- element i, or 0 where the tuple is shorter. */
static void
argument(struct jit *j, unsigned i, int r)
{
	const struct dif_state *st = &j->at[j->pc].st;
	x_label none;

	if (i >= st->depth_max) {
		x_movi(j->a, r, 0);
	} else if (i < st->depth_min) {
		x_load(j->a, 8, false, r, ELEMENT(i, value));
	} else {
		none = x_new_label(j->a);
		x_movi(j->a, r, 0);
		x_alumi(j->a, X_CMP, VM_AT(depth), (int32_t)i);
		x_jcc(j->a, X_BE, none);
		x_load(j->a, 8, false, r, ELEMENT(i, value));
		x_bind(j->a, none);
	}
}

/* %r <- the number of arguments given, at most n */
static void
argument_count(struct jit *j, unsigned n, int r)
{
	const struct dif_state *st = &j->at[j->pc].st;
	int depth = known_depth(j);

	if (st->depth_min >= n || depth >= 0) {
		x_movi(j->a, r, st->depth_min < n ? st->depth_min : n);
		return;
	}
	x_load(j->a, 8, false, r, VM_AT(depth));
	x_movi(j->a, X_RAX, n);
	x_alu(j->a, X_CMP, r, X_RAX);
	x_cmov(j->a, X_A, r, X_RAX);
}

static void
call_runtime(struct jit *j, const char *func, unsigned nargs, bool wants_count,
    bool can_fault)
{
	static const int regs[] = { X_RSI, X_RDX, X_RCX, X_R8 };

	for (unsigned i = 0; i < nargs; i++)
		argument(j, i, regs[i]);
	if (wants_count)
		argument_count(j, nargs, regs[nargs]);
	jit_slot(j);
	if (can_fault)
		jit_call_checked(j, func);
	else
		jit_call(j, func);
}

static void
swap_bytes(struct jit *j, int bits)
{
	argument(j, 0, X_RAX);
	x_swap(j->a, bits, X_RAX);
}

uint32_t
jit_copy(const struct jit *j, const x_label *fault)
{
	const struct dif_pushed *size = &j->at[j->pc].st.tuple[1];
	uint32_t subr = dif_instr_idx(jit_ins(j));
	bool is_string = subr == DIF_SUBR_COPYINSTR;

	if (j->env->copy == NULL || (subr != DIF_SUBR_COPYIN && !is_string) ||
	    known_depth(j) != (is_string ? 1 : 2))
		return 0;
	if (is_string)
		return j->env->copy(j->env->copy_arg, subr, 0, fault);
	if (size->kind != DIF_P_VALUE || !size->is_const)
		return 0;
	return j->env->copy(j->env->copy_arg, subr, size->n, fault);
}

static void
emit_copy(struct jit *j)
{
	x_label fault = jit_fault_exit(j, 0);

	argument(j, 0, X_RSI);
	jit_copy(j, &fault);
}

static void
emit_call(struct jit *j, uint32_t subr)
{
	switch ((enum dif_subr)subr) {
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		swap_bytes(j, 16);
		break;
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		swap_bytes(j, 32);
		break;
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		swap_bytes(j, 64);
		break;
#define RT_CALL(SUBR, func, nargs, wants_count, can_fault)                     \
	case DIF_SUBR_##SUBR:                                                  \
		call_runtime(j, #func, nargs, wants_count, can_fault);         \
		break;
#include "exec/runtime/rt_calls.def"
#undef RT_CALL
	}
}

void
jit_subroutine(struct jit *j)
{
	uint32_t ins = jit_ins(j);

	if (jit_copy(j, NULL) != 0)
		emit_copy(j);
	else
		emit_call(j, dif_instr_idx(ins));
	jit_defined(j, dif_instr_rd(ins), X_RAX);
}
