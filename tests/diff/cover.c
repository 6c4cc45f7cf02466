/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coverage of a run's programs: instructions, subroutines, built-in variables,
 * kinds of variables, faults, and the edges of edges.def.  Too low a count is a
 * failure: a generator that omits something does not test it.
 */
#include "diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 5U /* minimum of each count */

static const char *const edges[] = {
#define DIFF_EDGE(NAME, text) [EDGE_##NAME] = text,
#include "edges.def"
#undef DIFF_EDGE
};

/* ---- counting ------------------------------------------------------------ */

static void
meet_division(struct coverage *cov, uint8_t op, uint64_t a, uint64_t b)
{
	bool is_min = a == (uint64_t)INT64_MIN && b == UINT64_MAX;

	cov->edges[EDGE_DIV_ZERO] += b == 0;
	if (op == DIF_OP_SDIV)
		cov->edges[EDGE_SDIV_MIN] += is_min;
	else if (op == DIF_OP_SREM)
		cov->edges[EDGE_SREM_MIN] += is_min;
}

static void
meet_shift(
    struct coverage *cov, enum diff_edge at, enum diff_edge more, uint64_t by)
{
	cov->edges[at] += by == 64;
	cov->edges[more] += by > 64;
}

/* Count the length of a string. */
static void
meet_string(struct coverage *cov, const struct in_machine *m, uint32_t strsize,
    uint64_t addr)
{
	char text[1024];
	size_t len;

	if (addr == 0) {
		cov->edges[EDGE_STR_NULL]++;
		return;
	}
	if (in_read_str(m, text, addr, strsize + 2) != 0)
		return;
	len = strnlen(text, strsize + 2);
	cov->edges[EDGE_STR_EMPTY] += len == 0;
	cov->edges[EDGE_STR_FITS] += len == strsize - 1;
	cov->edges[EDGE_STR_EXACT] += len == strsize;
	cov->edges[EDGE_STR_LONGER] += len > strsize;
}

static void
meet_strings(struct coverage *cov, const struct in_machine *m, uint32_t strsize,
    uint64_t addr, uint64_t other)
{
	char text[1024], like[1024];

	meet_string(cov, m, strsize, addr);
	if (addr == 0 || other == 0 || addr == other ||
	    in_read_str(m, text, addr, strsize + 2) != 0 ||
	    in_read_str(m, like, other, strsize + 2) != 0)
		return;
	cov->edges[EDGE_STR_SAME] += strncmp(text, like, strsize) == 0;
}

static void
meet_arithmetic(struct coverage *cov, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t d;

	switch (op) {
	case DIF_OP_SDIV:
	case DIF_OP_UDIV:
	case DIF_OP_SREM:
	case DIF_OP_UREM:
		meet_division(cov, op, a, b);
		break;
	case DIF_OP_SLL:
		meet_shift(cov, EDGE_SLL_64, EDGE_SLL_MORE, b);
		break;
	case DIF_OP_SRL:
		meet_shift(cov, EDGE_SRL_64, EDGE_SRL_MORE, b);
		break;
	case DIF_OP_SRA:
		meet_shift(cov, EDGE_SRA_64, EDGE_SRA_MORE, b);
		break;
	case DIF_OP_CMP:
		cov->edges[EDGE_CMP_OVERFLOW] +=
		    __builtin_sub_overflow((int64_t)a, (int64_t)b, &d);
		break;
	case DIF_OP_COPYS:
		cov->edges[EDGE_COPYS_NULL] += a == 0;
		break;
	default:
		break;
	}
}

/* Count the class of a user variable, or the id of a built-in one. */
static void
meet_variable(struct coverage *cov, uint32_t ins, uint64_t value)
{
	uint8_t op = dif_instr_op(ins);
	uint32_t id = dif_instr_idx(ins);
	enum gen_class c;

	if (id < DIF_VAR_USER_MIN) {
		cov->vars[id]++;
		return;
	}
	c = gen_class_of(id);
	cov->classes[op][c]++;
	cov->loaded_elem |= op == DIF_OP_LDGAA || op == DIF_OP_LDTAA;
	if (dif_opinfo[op].fmt == DIF_FMT_LDV || value != 0)
		return;
	if (dif_op_kind(op) == DIFV_KIND_ARRAY)
		cov->edges[EDGE_STORE_ZERO]++;
	else if (c != GEN_NUMBER)
		cov->edges[EDGE_STORE_NULL]++;
}

static void
meet_tuple(struct coverage *cov, uint32_t ins, uint32_t depth)
{
	uint8_t op = dif_instr_op(ins);

	cov->edges[EDGE_TUPLE_EMPTY] += op == DIF_OP_POPTS && depth == 0;
	cov->edges[EDGE_TUPLE_MORE] +=
	    depth == DIF_NTREGS && dif_opinfo[op].fmt == DIF_FMT_PUSH;
	cov->edges[EDGE_TUPLE_ALL] +=
	    depth == DIF_NTREGS && (op == DIF_OP_STGAA || op == DIF_OP_LDGAA);
}

static void
meet_load(struct coverage *cov, uint8_t op, uint64_t addr)
{
	if (addr % dif_memops[op].size == 0)
		return;
	if (dif_opinfo[op].fmt == DIF_FMT_LOAD)
		cov->edges[EDGE_LOAD_ODD]++;
}

/* Count a store through an address, or a copy to it. */
static void
meet_store(struct coverage *cov, const struct in_machine *m, uint64_t addr,
    bool is_copy)
{
	enum in_elem at = in_elem_at(m, addr);

	cov->edges[EDGE_STORE_GONE] += at == IN_ELEM_SPACE;
	if (at != IN_ELEM_VALUE)
		return;
	cov->edges[is_copy ? EDGE_COPY_ELEM : EDGE_STORE_ELEM]++;
	cov->edges[EDGE_STORE_KEPT] += !cov->loaded_elem;
}

/* Count the result of the previous instruction. */
static void
meet_result(struct coverage *cov, const uint64_t *regs)
{
	if (dif_instr_op(cov->last) == DIF_OP_CALL &&
	    dif_instr_idx(cov->last) == DIF_SUBR_SPECULATION)
		cov->edges[EDGE_SPEC_NONE] +=
		    regs[dif_instr_rd(cov->last)] == 0;
}

void
cover_instruction(struct coverage *cov, const struct in_machine *m,
    uint32_t strsize, uint32_t ins, const uint64_t *regs, uint32_t depth)
{
	uint8_t op = dif_instr_op(ins);
	uint64_t a = regs[dif_instr_r1(ins) % DIF_NREGS];
	uint64_t b = regs[dif_instr_r2(ins) % DIF_NREGS];
	uint64_t d = regs[dif_instr_rd(ins) % DIF_NREGS];

	cov->ops[op]++;
	meet_result(cov, regs);
	cov->last = ins;
	meet_tuple(cov, ins, depth);
	switch (dif_opinfo[op].fmt) {
	case DIF_FMT_RRR:
		meet_arithmetic(cov, op, a, b);
		if (op == DIF_OP_COPYS && b != 0)
			meet_store(cov, m, d, true);
		break;
	case DIF_FMT_STORE:
		meet_store(cov, m, d, false);
		break;
	case DIF_FMT_CMP:
		meet_arithmetic(cov, op, a, b);
		if (op == DIF_OP_SCMP)
			meet_strings(cov, m, strsize, a, b);
		break;
	case DIF_FMT_PUSH:
		if (dif_instr_r1(ins) == DIF_TYPE_STRING)
			meet_string(cov, m, strsize, d);
		break;
	case DIF_FMT_LOAD:
		meet_load(cov, op, a);
		break;
	case DIF_FMT_LDV:
	case DIF_FMT_STV:
		meet_variable(cov, ins, d);
		break;
	case DIF_FMT_LDA:
		cov->vars[dif_instr_r1(ins)]++;
		break;
	case DIF_FMT_CALL:
		cov->subrs[dif_instr_idx(ins)]++;
		break;
	default:
		break;
	}
}

/* Count the bad address with which the instruction ended an object. */
static void
meet_bad_address(struct coverage *cov, uint8_t op, uint64_t addr, uint64_t end)
{
	switch (dif_opinfo[op].fmt) {
	case DIF_FMT_LOAD:
		if (!dif_memops[op].is_user)
			cov->edges[EDGE_LOAD_WILD]++;
		else if (addr < end && addr + 8 > end)
			cov->edges[EDGE_USER_END]++;
		else
			cov->edges[EDGE_USER_WILD]++;
		break;
	case DIF_FMT_STORE:
		cov->edges[EDGE_STORE_WILD]++;
		break;
	case DIF_FMT_CALL:
		cov->edges[EDGE_SUBR_WILD]++;
		break;
	default:
		break;
	}
}

void
cover_end(struct coverage *cov, const struct gen_env *env,
    const struct dif_obj *dp, const struct in_result *res)
{
	uint8_t op;

	cov->last = 0;
	cov->loaded_elem = false;
	if (!res->is_fault || res->offset / 4 >= dp->ntext)
		return;
	op = dif_instr_op(dp->text[res->offset / 4]);
	cov->faults[res->fault]++;
	if (res->fault == DIF_FLT_BADADDR)
		meet_bad_address(
		    cov, op, res->value, env->user + GEN_USER_SIZE);
	else if (res->fault == DIF_FLT_NOSCRATCH)
		cov->edges[op == DIF_OP_CALL ? EDGE_SUBR_FULL :
					       EDGE_ALLOCS_FULL]++;
	else if (res->fault == DIF_FLT_BADALIGN)
		cov->edges[EDGE_STORE_ODD]++;
}

/* ---- what is missing ----------------------------------------------------- */

static uint32_t
lacks(uint32_t n, const char *who, const char *what, const char *of)
{
	if (n >= LEAST)
		return 0;
	printf("# %s: %s%s is met %u times, not %u\n", who, what, of, n, LEAST);
	return 1;
}

static uint32_t
missing_ops(const struct coverage *cov, const char *who)
{
	uint32_t bad = 0;

	for (unsigned op = 0; op < 256; op++) {
		if (dif_opinfo[op].mnem == NULL ||
		    dif_opinfo[op].fmt == DIF_FMT_XL)
			continue;
		bad += lacks(cov->ops[op], who, dif_opinfo[op].mnem, "");
		for (int c = 0; c < GEN_NCLASSES; c++) {
			if (gen_has((uint8_t)op, (enum gen_class)c))
				bad += lacks(cov->classes[op][c], who,
				    dif_opinfo[op].mnem, gen_class_names[c]);
		}
	}
	return bad;
}

static uint32_t
missing_names(
    const struct coverage *cov, const struct gen_env *env, const char *who)
{
	uint32_t bad = 0;

#define DIF_SUBR(id, NAME, name, proto, flags)                                 \
	if (gen_calls(env, id))                                                \
		bad += lacks(cov->subrs[id], who, name, "()");
#include "dif/dif_subrs.def"
#undef DIF_SUBR
#define DIF_VAR(id, NAME, name, ...)                                           \
	if (gen_reads(env, id))                                                \
		bad += lacks(cov->vars[id], who, "variable ", name);
#include "dif/dif_vars.def"
#undef DIF_VAR
	return bad;
}

uint32_t
cover_missing(
    const struct coverage *cov, const struct gen_env *env, const char *who)
{
	static const enum dif_fault faults[] = { DIF_FLT_BADADDR,
		DIF_FLT_BADALIGN, DIF_FLT_ILLOP, DIF_FLT_DIVZERO,
		DIF_FLT_NOSCRATCH, DIF_FLT_TUPOFLOW };
	uint32_t bad = missing_ops(cov, who) + missing_names(cov, env, who);
	char text[32];

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		snprintf(text, sizeof(text), "%d", faults[i]);
		bad += lacks(cov->faults[faults[i]], who, "fault ", text);
	}
	for (size_t i = 0; i < EDGE_MAX; i++)
		bad += lacks(cov->edges[i], who, edges[i], "");
	return bad;
}
