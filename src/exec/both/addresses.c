/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses that clauses read at.
 *
 * An address is a number, and does not say whose memory it is of: a program of
 * the kernel reads there what the kernel has, code in a process what the
 * process has.  So a clause whose addresses may be of any memory but dtrace's
 * own runs in the kernel.  copyin() and its like name the process's memory, and
 * give the same in both.
 *
 * Dtrace's own are strings, values by reference, and what functions return in
 * scratch memory, also after it was kept in a clause-local variable.
 *
 * Branches only go forward.  So one pass over an object meets each branch
 * before its target, where the facts of all paths are joined.
 */
#include "exec/both/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/vec.h"

/* Facts that hold on all paths to an instruction. */
struct facts {
	uint8_t own;	 /* bit n: %rn has an address of dtrace's memory */
	uint8_t depth;	 /* of the tuple stack */
	uint16_t pushed; /* bit n: so has its element n */
	bool is_reached;
};

struct addr_walk {
	struct idmap *others; /* ids of this-> variables with other addresses */
	const struct dif_obj *dp;
	struct facts now;
	struct facts *waiting; /* by instruction */
	bool returns_address;
	bool has_changed; /* `others` has */
	bool does;	  /* an object reads at an address of other memory */
};

/* ---- facts ------------------------------------------------------------ */

static void
join(struct facts *to, const struct facts *from)
{
	if (!to->is_reached) {
		*to = *from;
		return;
	}
	to->own &= from->own;
	to->pushed &= from->pushed;
	to->depth = from->depth > to->depth ? from->depth : to->depth;
}

/* %r0 is NULL, an address of no memory: reading there is a fault everywhere. */
static bool
is_own(const struct addr_walk *r, uint8_t reg)
{
	return reg == 0 || (r->now.own >> reg & 1) != 0;
}

static void
set_own(struct addr_walk *r, uint8_t reg, bool is)
{
	r->now.own =
	    (uint8_t)((r->now.own & ~(1U << reg)) | (unsigned)is << reg);
}

static void
read_at(struct addr_walk *r, uint8_t reg)
{
	r->does |= !is_own(r, reg);
}

/* ---- variables --------------------------------------------------------- */

/* Objects need not describe built-in variables. */
static bool
is_built_in_string(uint32_t id)
{
	switch (id) {
#define DIF_VAR(val, NAME, name, type, attr, flags)                            \
	case val:                                                              \
		return strcmp(type, "string") == 0;
#include "dif/dif_vars.def"
#undef DIF_VAR
	default:
		return false;
	}
}

static bool
is_by_reference(const struct dif_obj *dp, uint32_t ins)
{
	uint8_t scope = dif_op_scope(dif_instr_op(ins));

	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *dv = &dp->vartab[i];

		if (dv->id == dif_instr_idx(ins) && dv->scope == scope)
			return (dv->type.flags & DIF_TF_BYREF) != 0;
	}
	return is_built_in_string(dif_instr_idx(ins));
}

static bool
is_local_scalar(uint32_t ins)
{
	return dif_op_scope(dif_instr_op(ins)) == DIFV_SCOPE_LOCAL &&
	    dif_op_kind(dif_instr_op(ins)) == DIFV_KIND_SCALAR;
}

static void
load_variable(struct addr_walk *r, uint32_t ins)
{
	bool is = is_by_reference(r->dp, ins) ||
	    (is_local_scalar(ins) &&
		idmap_get(r->others, dif_instr_idx(ins)) == NULL);

	set_own(r, dif_instr_rd(ins), is);
}

static void
store_variable(struct addr_walk *r, uint32_t ins)
{
	uint8_t reg = dif_instr_rd(ins);
	uint32_t id = dif_instr_idx(ins);

	if (is_by_reference(r->dp, ins)) {
		read_at(r, reg);
	} else if (is_local_scalar(ins) && !is_own(r, reg) &&
	    idmap_get(r->others, id) == NULL) {
		idmap_put(r->others, id, 1);
		r->has_changed = true;
	}
}

/* ---- subroutines ------------------------------------------------------- */

/* The argument at whose address it reads without naming whose; or -1. */
static int
address_argument(uint32_t subr)
{
	switch (subr) {
	case DIF_SUBR_BCOPY:
	case DIF_SUBR_COPYOUT:
	case DIF_SUBR_INET_NTOA:
	case DIF_SUBR_INET_NTOA6:
	case DIF_SUBR_MEMREF:
	case DIF_SUBR_MEMSTR:
	case DIF_SUBR_UUIDSTR:
		return 0;
	case DIF_SUBR_INET_NTOP:
	case DIF_SUBR_LINK_NTOP:
		return 1;
	default:
		return -1;
	}
}

static void
call(struct addr_walk *r, uint32_t ins)
{
	uint32_t subr = dif_instr_idx(ins);
	int arg = address_argument(subr);

	if (arg >= 0 && (r->now.pushed >> arg & 1) == 0)
		r->does = true;
	set_own(r, dif_instr_rd(ins),
	    (dif_subr_flags(subr) & DIF_SUBRF_STRING) != 0 ||
		subr == DIF_SUBR_COPYIN || subr == DIF_SUBR_ALLOCA ||
		subr == DIF_SUBR_MEMREF);
}

static void
push(struct addr_walk *r, uint32_t ins)
{
	uint8_t reg = dif_instr_rd(ins);
	unsigned bit = 1U << r->now.depth;

	if (dif_instr_op(ins) == DIF_OP_PUSHTR)
		read_at(r, reg);
	if (r->now.depth >= DIF_NTREGS)
		return;
	r->now.pushed = (uint16_t)(is_own(r, reg) ? r->now.pushed | bit :
						    r->now.pushed & ~bit);
	r->now.depth++;
}

/* ---- objects ----------------------------------------------------------- */

/* rd <- r1, r2 */
static void
compute(struct addr_walk *r, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);
	bool moves = op == DIF_OP_ADD || op == DIF_OP_SUB;

	if (op == DIF_OP_COPYS) {
		read_at(r, dif_instr_r1(ins));
		return;
	}
	set_own(r, dif_instr_rd(ins),
	    moves &&
		(is_own(r, dif_instr_r1(ins)) ||
		    (op == DIF_OP_ADD && is_own(r, dif_instr_r2(ins)))));
}

static void
load(struct addr_walk *r, uint32_t ins)
{
	if (!dif_memops[dif_instr_op(ins)].is_user)
		read_at(r, dif_instr_r1(ins));
	set_own(r, dif_instr_rd(ins), false);
}

static void
compare(struct addr_walk *r, uint32_t ins)
{
	if (dif_instr_op(ins) != DIF_OP_SCMP)
		return;
	read_at(r, dif_instr_r1(ins));
	read_at(r, dif_instr_r2(ins));
}

static void
set_depth(struct addr_walk *r, enum dif_op op)
{
	if (op == DIF_OP_FLUSHTS)
		r->now.depth = 0;
	else if (op == DIF_OP_POPTS && r->now.depth != 0)
		r->now.depth--;
}

static void
step(struct addr_walk *r, uint32_t ins)
{
	enum dif_op op = (enum dif_op)dif_instr_op(ins);

	switch (dif_opinfo[op].fmt) {
	case DIF_FMT_RRR:
		compute(r, ins);
		break;
	case DIF_FMT_RR:
		set_own(r, dif_instr_rd(ins),
		    op == DIF_OP_ALLOCS ||
			(op == DIF_OP_MOV && is_own(r, dif_instr_r1(ins))));
		break;
	case DIF_FMT_SETS:
		set_own(r, dif_instr_rd(ins), true);
		break;
	case DIF_FMT_SETX:
	case DIF_FMT_LDA:
	case DIF_FMT_XL:
		set_own(r, dif_instr_rd(ins), false);
		break;
	case DIF_FMT_LDV:
		load_variable(r, ins);
		break;
	case DIF_FMT_STV:
		store_variable(r, ins);
		break;
	case DIF_FMT_CALL:
		call(r, ins);
		break;
	case DIF_FMT_LOAD:
		load(r, ins);
		break;
	case DIF_FMT_CMP:
		compare(r, ins);
		break;
	case DIF_FMT_PUSH:
		push(r, ins);
		break;
	case DIF_FMT_NONE:
		set_depth(r, op);
		break;
	case DIF_FMT_RET:
		if (r->returns_address)
			read_at(r, dif_instr_rd(ins));
		break;
	case DIF_FMT_TST:
	case DIF_FMT_BRANCH:
	case DIF_FMT_STORE:
	case DIF_FMT_INVALID:
		break;
	}
}

static void
walk(struct addr_walk *r, const struct dif_obj *dp, bool returns_address)
{
	r->dp = dp;
	r->returns_address = returns_address;
	r->now = (struct facts){ .is_reached = true };
	r->waiting = mem_alloc((dp->ntext + 1) * sizeof(*r->waiting));
	for (uint32_t pc = 0; pc < dp->ntext; pc++) {
		uint32_t ins = dp->text[pc];
		uint8_t op = dif_instr_op(ins);

		if (r->waiting[pc].is_reached)
			join(&r->now, &r->waiting[pc]);
		if (!r->now.is_reached)
			continue;
		step(r, ins);
		if (dif_opinfo[op].fmt == DIF_FMT_BRANCH)
			join(&r->waiting[dif_instr_label(ins)], &r->now);
		if (op == DIF_OP_BA || op == DIF_OP_RET)
			r->now = (struct facts){ .own = 0 };
	}
	free(r->waiting);
}

/* ---- clauses ----------------------------------------------------------- */

static void
walk_object(const struct dif_obj *dp, void *arg)
{
	walk(arg, dp, (dp->rtype.flags & DIF_TF_BYREF) != 0);
}

/* A datum of many bytes is at an address, also if that has no such type. */
static void
walk_clause(struct addr_walk *r, const struct plan_clause *pc)
{
	plan_clause_each_obj(pc, walk_object, r);
	VEC_FOREACH(&pc->steps, s) {
		if (s->value != NULL && s->rec != NULL &&
		    s->rec->store == PLAN_REF)
			walk(r, s->value, true);
	}
}

/* Each round but the last finds another variable. */
void
both_addresses_init(struct both_addresses *a, const struct plan *pl)
{
	struct addr_walk r = { .others = &a->others };

	*a = (struct both_addresses){ 0 };
	do {
		r.has_changed = false;
		VEC_FOREACH(&pl->clauses, pc)
			walk_clause(&r, pc);
	} while (r.has_changed);
}

void
both_addresses_fini(struct both_addresses *a)
{
	idmap_fini(&a->others);
}

bool
both_reads_other_memory(
    const struct both_addresses *a, const struct plan_clause *pc)
{
	struct idmap others = a->others; /* nothing is added any more */
	struct addr_walk r = { .others = &others };

	walk_clause(&r, pc);
	return r.does;
}
