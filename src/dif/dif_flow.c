/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Abstract interpretation.
 *
 * Branches only go forward, so when the walk comes to an instruction it has
 * seen every branch to it, and one pass is enough.  The state that a branch
 * carries to its target waits there, joined with those of other branches.
 *
 * Of every waiting state a summary is kept, with the least that the verifier
 * needs (which registers are set, how deep the tuple stack is).  The whole
 * state is kept only for the first WAITING_MAX that wait at a time, so that an
 * object made of branches does not take a hundred times its size in memory.
 * The others arrive with DIF_K_ANY in their registers: less is known, but it
 * is right.
 */
#include "dif/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dif/dif_impl.h"

#define WAITING_MAX 512

struct summary {
	uint8_t set; /* bit n: %rn is set on every path */
	uint8_t depth_min, depth_max;
	bool is_reached;
	uint16_t state; /* 1 + index in states; 0: only the summary */
};

struct dif_flow_walk {
	const struct dif_obj *dp;
	struct dif_varmap vars;
	struct summary *at;	  /* per instruction */
	struct dif_state *states; /* WAITING_MAX */
	uint16_t *free;		  /* indices of states */
	uint32_t nfree;
	struct dif_state now;
	bool is_alive; /* control reaches the next instruction */
};

/* ---- joining ------------------------------------------------------------ */

static void
join_value(struct dif_value *to, const struct dif_value *from)
{
	if (to->kind == DIF_K_UNSET || from->kind == DIF_K_UNSET)
		*to = (struct dif_value){ .kind = DIF_K_UNSET };
	else if (to->kind != from->kind || to->v != from->v ||
	    to->size != from->size)
		*to = (struct dif_value){ .kind = DIF_K_ANY };
}

static void
join_pushed(struct dif_pushed *to, const struct dif_pushed *from)
{
	if (to->kind != from->kind)
		*to = (struct dif_pushed){ .kind = DIF_P_MIXED,
			.value = to->value };
	else if (!from->is_const || to->n != from->n)
		to->is_const = false;
	if (to->value != from->value)
		to->value = DIF_K_ANY;
}

/* An element that only one of the two stacks has is taken over. */
static void
join_state(struct dif_state *to, const struct dif_state *from)
{
	for (unsigned i = 0; i < DIF_NREGS; i++)
		join_value(&to->regs[i], &from->regs[i]);
	for (unsigned i = 0; i < from->depth_max; i++) {
		if (i < to->depth_max)
			join_pushed(&to->tuple[i], &from->tuple[i]);
		else
			to->tuple[i] = from->tuple[i];
	}
	if (from->depth_min < to->depth_min)
		to->depth_min = from->depth_min;
	if (from->depth_max > to->depth_max)
		to->depth_max = from->depth_max;
}

static uint8_t
set_registers(const struct dif_state *st)
{
	uint8_t set = 0;

	for (unsigned i = 0; i < DIF_NREGS; i++)
		set |= (uint8_t)((st->regs[i].kind != DIF_K_UNSET) << i);
	return set;
}

/* The state that a summary alone describes. */
static void
state_of_summary(struct dif_state *st, const struct summary *s)
{
	memset(st, 0, sizeof(*st));
	st->regs[0].kind = DIF_K_CONST;
	for (unsigned i = 1; i < DIF_NREGS; i++)
		st->regs[i].kind = s->set >> i & 1 ? DIF_K_ANY : DIF_K_UNSET;
	st->depth_min = s->depth_min;
	st->depth_max = s->depth_max;
}

/* ---- waiting ------------------------------------------------------------ */

static void
wait_first(struct dif_flow_walk *w, struct summary *s)
{
	*s = (struct summary){ .set = set_registers(&w->now),
		.depth_min = w->now.depth_min,
		.depth_max = w->now.depth_max,
		.is_reached = true };
	if (w->nfree == 0)
		return;
	s->state = w->free[--w->nfree];
	w->states[s->state - 1] = w->now;
}

/* Join `now` into the state that waits at `target`. */
static void
wait_at(struct dif_flow_walk *w, uint32_t target)
{
	struct summary *s = &w->at[target];

	if (!s->is_reached) {
		wait_first(w, s);
		return;
	}
	s->set &= set_registers(&w->now);
	if (w->now.depth_min < s->depth_min)
		s->depth_min = w->now.depth_min;
	if (w->now.depth_max > s->depth_max)
		s->depth_max = w->now.depth_max;
	if (s->state != 0)
		join_state(&w->states[s->state - 1], &w->now);
}

/* Set `now` to the state on arrival; false: no path arrives. */
static bool
arrive(struct dif_flow_walk *w, uint32_t pc)
{
	const struct summary *s = &w->at[pc];
	struct dif_state poor;
	const struct dif_state *waiting = &poor;

	if (!s->is_reached)
		return w->is_alive;
	if (s->state != 0) {
		waiting = &w->states[s->state - 1];
		w->free[w->nfree++] = s->state;
	} else {
		state_of_summary(&poor, s);
	}
	if (w->is_alive)
		join_state(&w->now, waiting);
	else
		w->now = *waiting;
	return true;
}

/* ---- one instruction ---------------------------------------------------- */

static const struct dif_value any = { .kind = DIF_K_ANY };

static struct dif_value
constant(uint64_t v)
{
	return (struct dif_value){ .kind = DIF_K_CONST, .v = v };
}

/* Compute an operation on two constants; divisions are left to run time. */
static bool
fold(enum dif_op op, uint64_t a, uint64_t b, uint64_t *v)
{
	switch (op) {
	case DIF_OP_OR:
		*v = a | b;
		return true;
	case DIF_OP_XOR:
		*v = a ^ b;
		return true;
	case DIF_OP_AND:
		*v = a & b;
		return true;
	case DIF_OP_SLL:
		*v = a << (b & 63);
		return true;
	case DIF_OP_SRL:
		*v = a >> (b & 63);
		return true;
	case DIF_OP_SRA:
		*v = (uint64_t)((int64_t)a >> (b & 63));
		return true;
	case DIF_OP_SUB:
		*v = a - b;
		return true;
	case DIF_OP_ADD:
		*v = a + b;
		return true;
	case DIF_OP_MUL:
		*v = a * b;
		return true;
	default:
		return false;
	}
}

static bool
is_address(const struct dif_value *v)
{
	return v->kind == DIF_K_SCRATCH || v->kind == DIF_K_VAR ||
	    v->kind == DIF_K_ELEM;
}

/* Adding to an address in own memory moves it. */
static struct dif_value
arithmetic(enum dif_op op, const struct dif_value *a, const struct dif_value *b)
{
	struct dif_value moved = *a;
	uint64_t v;

	if (a->kind == DIF_K_CONST && b->kind == DIF_K_CONST)
		return fold(op, a->v, b->v, &v) ? constant(v) : any;
	if (op == DIF_OP_ADD && a->kind == DIF_K_CONST)
		return arithmetic(op, b, a);
	if (!is_address(a) || b->kind != DIF_K_CONST ||
	    (op != DIF_OP_ADD && op != DIF_OP_SUB))
		return any;
	moved.v = op == DIF_OP_ADD ? a->v + b->v : a->v - b->v;
	return moved;
}

static struct dif_value
allocation(bool is_const, uint64_t size)
{
	bool is_known = is_const && size <= UINT32_MAX;

	return (struct dif_value){ .kind = DIF_K_SCRATCH,
		.size = is_known ? (uint32_t)size : 0 };
}

/* Is element i of the tuple stack a constant number, on every path? */
static bool
tuple_const(const struct dif_state *st, unsigned i)
{
	return i < st->depth_min && st->tuple[i].kind == DIF_P_VALUE &&
	    st->tuple[i].is_const;
}

static struct dif_value
call_result(const struct dif_state *st, uint32_t subr)
{
	if (subr == DIF_SUBR_COPYIN)
		return allocation(tuple_const(st, 1), st->tuple[1].n);
	if (subr == DIF_SUBR_ALLOCA)
		return allocation(tuple_const(st, 0), st->tuple[0].n);
	return any;
}

static struct dif_value
variable(const struct dif_flow_walk *w, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);
	const struct dif_var *v;

	if (dif_instr_idx(ins) < DIF_VAR_USER_MIN)
		return op == DIF_OP_LDLS ? constant(0) : any;
	v = dif_varmap_find(&w->vars, dif_instr_idx(ins), dif_op_scope(op));
	if (v == NULL || !(v->type.flags & DIF_TF_BYREF))
		return any;
	return (struct dif_value){ .kind = dif_op_kind(op) == DIFV_KIND_ARRAY ?
		    DIF_K_ELEM :
		    DIF_K_VAR,
		.size = v->type.size };
}

static void
push(struct dif_state *st, uint32_t ins)
{
	bool is_ref = dif_instr_op(ins) == DIF_OP_PUSHTR;
	const struct dif_value *n =
	    &st->regs[is_ref ? dif_instr_r2(ins) : dif_instr_rd(ins)];
	struct dif_pushed p = { .kind = DIF_P_VALUE };

	if (is_ref)
		p.kind = dif_instr_r1(ins) == DIF_TYPE_STRING ? DIF_P_STRING :
								DIF_P_BYTES;
	p.is_const = n->kind == DIF_K_CONST && n->v <= UINT32_MAX;
	p.n = p.is_const ? (uint32_t)n->v : 0;
	p.value = st->regs[dif_instr_rd(ins)].kind;
	/* the element's index is not known: it may be any of these */
	if (st->depth_min != st->depth_max)
		p = (struct dif_pushed){ .kind = DIF_P_MIXED,
			.value = DIF_K_ANY };
	for (unsigned i = st->depth_min; i <= st->depth_max; i++) {
		if (i < DIF_NTREGS)
			st->tuple[i] = p;
	}
	/* pushing to a full stack is a fault, which ends the path */
	st->depth_min += st->depth_min < DIF_NTREGS;
	st->depth_max += st->depth_max < DIF_NTREGS;
}

static void
no_operands(struct dif_state *st, enum dif_op op)
{
	if (op == DIF_OP_FLUSHTS)
		st->depth_min = st->depth_max = 0;
	if (op != DIF_OP_POPTS)
		return;
	st->depth_min -= st->depth_min > 0;
	st->depth_max -= st->depth_max > 0;
}

/* rd <- a function of r1 alone */
static struct dif_value
unary(const struct dif_state *st, uint32_t ins)
{
	const struct dif_value *a = &st->regs[dif_instr_r1(ins)];

	switch (dif_instr_op(ins)) {
	case DIF_OP_MOV:
		return *a;
	case DIF_OP_ALLOCS:
		return allocation(a->kind == DIF_K_CONST, a->v);
	default:
		return a->kind == DIF_K_CONST ? constant(~a->v) : any;
	}
}

static void
step(struct dif_flow_walk *w, uint32_t ins)
{
	struct dif_state *st = &w->now;
	/* a branch has label bits here, and no register */
	struct dif_value *rd = &st->regs[dif_instr_rd(ins) % DIF_NREGS];
	uint8_t op = dif_instr_op(ins);

	switch (dif_opinfo[op].fmt) {
	case DIF_FMT_RRR:
		if (op != DIF_OP_COPYS)
			*rd = arithmetic(op, &st->regs[dif_instr_r1(ins)],
			    &st->regs[dif_instr_r2(ins)]);
		break;
	case DIF_FMT_RR:
		*rd = unary(st, ins);
		break;
	case DIF_FMT_SETX:
		*rd = constant(w->dp->inttab[dif_instr_idx(ins)]);
		break;
	case DIF_FMT_SETS:
		*rd = (struct dif_value){ .kind = DIF_K_STRING,
			.v = dif_instr_idx(ins) };
		break;
	case DIF_FMT_LDV:
		*rd = variable(w, ins);
		break;
	case DIF_FMT_CALL:
		*rd = call_result(st, dif_instr_idx(ins));
		break;
	case DIF_FMT_LOAD:
	case DIF_FMT_LDA:
	case DIF_FMT_XL:
		*rd = any;
		break;
	case DIF_FMT_PUSH:
		push(st, ins);
		break;
	case DIF_FMT_NONE:
		no_operands(st, op);
		break;
	case DIF_FMT_CMP:
	case DIF_FMT_TST:
	case DIF_FMT_BRANCH:
	case DIF_FMT_STORE:
	case DIF_FMT_RET:
	case DIF_FMT_STV:
	case DIF_FMT_INVALID:
		break;
	}
}

static bool
walk_all(struct dif_flow_walk *w, dif_flow_f *f, void *arg)
{
	const struct dif_obj *dp = w->dp;

	for (uint32_t pc = 0; pc < dp->ntext; pc++) {
		uint8_t op = dif_instr_op(dp->text[pc]);

		if (!arrive(w, pc))
			continue;
		if (!f(arg, pc, &w->now))
			return false;
		step(w, dp->text[pc]);
		if (dif_opinfo[op].fmt == DIF_FMT_BRANCH)
			wait_at(w, dif_instr_label(dp->text[pc]));
		w->is_alive = op != DIF_OP_BA && op != DIF_OP_RET;
	}
	return true;
}

/* The most states that can wait at a time; most objects have few branches. */
static uint32_t
waiting_max(const struct dif_obj *dp)
{
	uint32_t n = 0;

	for (uint32_t pc = 0; pc < dp->ntext && n < WAITING_MAX; pc++)
		n += dif_opinfo[dif_instr_op(dp->text[pc])].fmt ==
		    DIF_FMT_BRANCH;
	return n;
}

bool
dif_flow(const struct dif_obj *dp, dif_flow_f *f, void *arg)
{
	static const struct summary start = { .set = 1 };
	struct dif_flow_walk w = { .dp = dp, .is_alive = true };
	uint32_t max = waiting_max(dp);
	bool ok;

	dif_varmap_init(&w.vars, dp);
	w.at = mem_alloc(dp->ntext * sizeof(*w.at));
	w.states = mem_realloc(NULL, max * sizeof(*w.states));
	w.free = mem_realloc(NULL, max * sizeof(*w.free));
	for (; w.nfree < max; w.nfree++)
		w.free[w.nfree] = (uint16_t)(max - w.nfree);
	state_of_summary(&w.now, &start);
	ok = walk_all(&w, f, arg);
	dif_varmap_fini(&w.vars);
	free(w.at);
	free(w.states);
	free(w.free);
	return ok;
}
