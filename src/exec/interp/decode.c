/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding: each instruction word is analysed once, not each time it runs.
 * Constants become immediates, variables become addresses of their words,
 * subroutines become numbers of runtime functions.
 */
#include "exec/interp/interp_impl.h"

#include <errno.h>
#include <endian.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "dif/flow.h"

struct decoder {
	struct in_machine *m;
	const struct dif_obj *dp;
	const char *strs; /* the machine's copy of dp's strings */
	struct in_code *code;
	bool *in_scratch; /* per instruction: its access is proved */
	uint32_t pc;
	struct err *err;
};

static bool
refuse(struct decoder *d, const char *what, uint32_t id)
{
	err_set(d->err, -EINVAL,
	    "instruction %u: %s %u is not available in the interpreter", d->pc,
	    what, id);
	return false;
}

/* The word of a variable that has a fixed place: global or clause-local. */
static uint64_t
word_addr(const struct in_machine *m, const struct rt_uvar *v)
{
	uint8_t *base =
	    v->scope == DIFV_SCOPE_GLOBAL ? m->vm->host.globals : m->ms->mem;

	return (uint64_t)(uintptr_t)(base + v->off);
}

/* LDGS of a built-in; LDLS of one is 0. */
static bool
decode_builtin(struct decoder *d, struct in_insn *ip, uint32_t id)
{
	ip->op = ip->op == DIF_OP_LDGS ? IN_OP_LDBUILTIN : IN_OP_LDZERO;
	ip->aux = dif_row_of_var(id);
	if (ip->op == IN_OP_LDBUILTIN && ip->aux == RT_NVARS)
		return refuse(d, "built-in variable", id);
	return true;
}

/*
 * Thread-local variables and arrays keep their opcode: their addresses are not
 * fixed.
 */
static bool
decode_variable(struct decoder *d, struct in_insn *ip, uint32_t id)
{
	const struct rt_uvar *v;

	if (id < DIF_VAR_USER_MIN)
		return decode_builtin(d, ip, id);
	v = exec_vars_find(
	    &d->m->vars, id, dif_op_scope(ip->op), dif_op_kind(ip->op));
	if (v == NULL)
		return refuse(d, "variable", id);
	ip->aux = (uint32_t)(v - d->m->vars.v.v);
	if (v->kind == DIFV_KIND_ARRAY || v->scope == DIFV_SCOPE_THREAD)
		return true;
	ip->imm = word_addr(d->m, v);
	if (ip->op == DIF_OP_LDGS || ip->op == DIF_OP_LDLS)
		ip->op = v->is_byref ? IN_OP_LDREF : IN_OP_LDWORD;
	else
		ip->op = v->is_byref ? IN_OP_STREF : IN_OP_STWORD;
	return true;
}

static void
decode_call(struct in_insn *ip, uint32_t subr)
{
	ip->aux = subr;
	switch ((enum dif_subr)subr) {
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		ip->op = IN_OP_BSWAP;
		ip->aux = 16;
		break;
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		ip->op = IN_OP_BSWAP;
		ip->aux = 32;
		break;
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		ip->op = IN_OP_BSWAP;
		ip->aux = 64;
		break;
#define RT_CALL(SUBR, ...) case DIF_SUBR_##SUBR:
#include "exec/runtime/rt_calls.def"
#undef RT_CALL
		ip->op = IN_OP_CALL;
		break;
	}
}

/* An access to scratch memory that the object claimed needs no check. */
static void
decode_access(const struct decoder *d, struct in_insn *ip)
{
	if (!d->in_scratch[d->pc])
		return;
	ip->aux = ip->op;
	ip->op = dif_opinfo[ip->op].fmt == DIF_FMT_LOAD ? IN_OP_LDSCRATCH :
							  IN_OP_STSCRATCH;
}

static bool
note_access(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct decoder *d = arg;
	uint32_t ins = d->dp->text[pc];
	const struct dif_memop *mo = &dif_memops[dif_instr_op(ins)];
	bool is_load = dif_opinfo[dif_instr_op(ins)].fmt == DIF_FMT_LOAD;

	if (mo->size != 0 && !mo->is_user)
		d->in_scratch[pc] = dif_in_scratch(
		    &st->regs[is_load ? dif_instr_r1(ins) : dif_instr_rd(ins)],
		    mo->size);
	return true;
}

static bool
decode_insn(struct decoder *d, struct in_insn *ip)
{
	uint32_t ins = d->dp->text[d->pc];

	*ip = (struct in_insn){ .op = dif_instr_op(ins),
		.r1 = dif_instr_r1(ins),
		.r2 = dif_instr_r2(ins),
		.rd = dif_instr_rd(ins) };
	switch (dif_opinfo[ip->op].fmt) {
	case DIF_FMT_BRANCH:
		ip->aux = dif_instr_label(ins);
		return true;
	case DIF_FMT_SETX:
		ip->imm = d->dp->inttab[dif_instr_idx(ins)];
		return true;
	case DIF_FMT_SETS:
		ip->imm = (uint64_t)(uintptr_t)(d->strs + dif_instr_idx(ins));
		return true;
	case DIF_FMT_LDV:
	case DIF_FMT_STV:
		return decode_variable(d, ip, dif_instr_idx(ins));
	case DIF_FMT_LDA:
		if (ip->op == DIF_OP_LDGA && ip->r1 != DIF_VAR_ARGS)
			return refuse(d, "built-in array", ip->r1);
		return true;
	case DIF_FMT_LOAD:
	case DIF_FMT_STORE:
		decode_access(d, ip);
		return true;
	case DIF_FMT_CALL:
		decode_call(ip, dif_instr_idx(ins));
		return true;
	default:
		return true;
	}
}

bool
in_decode(struct in_machine *m, const struct dif_obj *dp, const char *strs,
    struct in_code *code, struct err *err)
{
	struct decoder d = {
		.m = m, .dp = dp, .strs = strs, .code = code, .err = err
	};

	code->n = dp->ntext;
	code->insns = mem_alloc(dp->ntext * sizeof(*code->insns));
	d.in_scratch = mem_alloc(dp->ntext);
	dif_flow(dp, note_access, &d);
	while (d.pc < dp->ntext && decode_insn(&d, &code->insns[d.pc]))
		d.pc++;
	free(d.in_scratch);
	if (d.pc == dp->ntext)
		return true;
	free(code->insns);
	return false;
}

/* ---- calls -------------------------------------------------------------- */

/*
 * By number of arguments, and whether the function takes their count as the
 * last argument.
 */
#define CALL_0_false(f) f(slot)
#define CALL_1_false(f) f(slot, arg[0])
#define CALL_2_false(f) f(slot, arg[0], arg[1])
#define CALL_3_false(f) f(slot, arg[0], arg[1], arg[2])
#define CALL_4_false(f) f(slot, arg[0], arg[1], arg[2], arg[3])
#define CALL_1_true(f) f(slot, arg[0], n < 1 ? n : 1)
#define CALL_2_true(f) f(slot, arg[0], arg[1], n < 2 ? n : 2)
#define CALL_3_true(f) f(slot, arg[0], arg[1], arg[2], n < 3 ? n : 3)

uint64_t
in_call(struct in_machine *m, uint32_t subr)
{
	uint64_t slot = (uint64_t)(uintptr_t)m->ms, arg[DIF_NTREGS] = { 0 };
	uint32_t n = (uint32_t)m->vm->depth;

	for (uint32_t i = 0; i < n; i++)
		arg[i] = m->vm->tuple[i].value;
	switch (subr) {
#define RT_CALL(SUBR, func, nargs, wants_count, can_fault)                     \
	case DIF_SUBR_##SUBR:                                                  \
		return CALL_##nargs##_##wants_count(func);
#include "exec/runtime/rt_calls.def"
#undef RT_CALL
	default:
		return 0; /* in_decode() accepts no other */
	}
}
