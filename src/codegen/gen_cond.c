/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditions: compiled to jumps (gen_jump), they become 0 or 1 only where a
 * value is wanted.
 */
#include "codegen/cg_impl.h"

#include "codegen/gen_impl.h"

bool
gen_is_condition(const struct ast_expr *e)
{
	if (e->kind == AST_UNARY)
		return e->op == AST_OP_LNOT;
	if (e->kind != AST_BINARY)
		return false;
	return e->op == AST_OP_LAND || e->op == AST_OP_LOR ||
	    (e->op >= AST_OP_EQ && e->op <= AST_OP_GE);
}

static enum dif_op
branch_if(enum ast_op op, bool is_signed)
{
	switch (op) {
	case AST_OP_EQ:
		return DIF_OP_BE;
	case AST_OP_NE:
		return DIF_OP_BNE;
	case AST_OP_LT:
		return is_signed ? DIF_OP_BL : DIF_OP_BLU;
	case AST_OP_LE:
		return is_signed ? DIF_OP_BLE : DIF_OP_BLEU;
	case AST_OP_GT:
		return is_signed ? DIF_OP_BG : DIF_OP_BGU;
	default:
		return is_signed ? DIF_OP_BGE : DIF_OP_BGEU;
	}
}

static enum ast_op
negated(enum ast_op op)
{
	switch (op) {
	case AST_OP_EQ:
		return AST_OP_NE;
	case AST_OP_NE:
		return AST_OP_EQ;
	case AST_OP_LT:
		return AST_OP_GE;
	case AST_OP_LE:
		return AST_OP_GT;
	case AST_OP_GT:
		return AST_OP_LE;
	default:
		return AST_OP_LT;
	}
}

/* Strings are compared by their bytes. */
static bool
compares_strings(const struct ast_expr *e)
{
	return cg_is_string(e->a->type) || cg_is_string(e->b->type);
}

/*
 * Beside a string, NULL is "": scripts ask by $$1 == NULL whether there is an
 * operand.
 */
static unsigned
gen_compared(struct cg *cg, struct ast_expr *e, bool is_strings)
{
	unsigned r;

	if (!is_strings)
		return gen_expr(cg, e);
	if (!cg_is_null(e))
		return gen_as(cg, e, cg->g->t_string);
	r = o_reg(cg);
	o_sets(cg, "", r);
	return r;
}

static void
gen_jump_compare(struct cg *cg, struct ast_expr *e, bool when, uint32_t label)
{
	bool is_strings = compares_strings(e);
	unsigned r1 = gen_compared(cg, e->a, is_strings);
	unsigned r2 = gen_compared(cg, e->b, is_strings);
	enum ast_op op = when ? e->op : negated(e->op);

	if (!is_strings && r2 == 0 && (op == AST_OP_EQ || op == AST_OP_NE))
		o_cmp(cg, DIF_OP_TST, r1, 0);
	else
		o_cmp(cg, is_strings ? DIF_OP_SCMP : DIF_OP_CMP, r1, r2);
	o_free(cg, r1);
	o_free(cg, r2);
	o_branch(
	    cg, branch_if(op, is_strings || cg_compares_signed(cg, e)), label);
}

/* a && b jumps when false as soon as a is false; || is its mirror image. */
static void
gen_jump_logical(struct cg *cg, struct ast_expr *e, bool when, uint32_t label)
{
	bool is_and = e->op == AST_OP_LAND;
	uint32_t skip;

	if (is_and != when) {
		gen_jump(cg, e->a, when, label);
		gen_jump(cg, e->b, when, label);
		return;
	}
	skip = o_label(cg);
	gen_jump(cg, e->a, !when, skip);
	gen_jump(cg, e->b, when, label);
	o_bind(cg, skip);
}

void
gen_jump(struct cg *cg, struct ast_expr *e, bool when, uint32_t label)
{
	unsigned r;

	if (!e->is_const && gen_is_condition(e)) {
		if (e->kind == AST_UNARY)
			gen_jump(cg, e->a, !when, label);
		else if (e->op == AST_OP_LAND || e->op == AST_OP_LOR)
			gen_jump_logical(cg, e, when, label);
		else
			gen_jump_compare(cg, e, when, label);
		return;
	}
	if (e->is_const) {
		if ((e->const_value != 0) == when)
			o_branch(cg, DIF_OP_BA, label);
		return;
	}
	r = gen_expr(cg, e);
	o_cmp(cg, DIF_OP_TST, r, 0);
	o_free(cg, r);
	o_branch(cg, when ? DIF_OP_BNE : DIF_OP_BE, label);
}

unsigned
gen_boolean(struct cg *cg, struct ast_expr *e)
{
	uint32_t is_false = o_label(cg), end = o_label(cg);
	unsigned rd;

	if (e->is_const)
		return gen_const(cg, e->const_value != 0);
	if (!gen_is_condition(e))
		return gen_to_bool(cg, gen_expr(cg, e));
	gen_jump(cg, e, false, is_false);
	rd = o_reg(cg);
	o_setx(cg, 1, rd);
	o_branch(cg, DIF_OP_BA, end);
	o_bind(cg, is_false);
	o_setx(cg, 0, rd);
	o_bind(cg, end);
	return rd;
}

unsigned
gen_lxor(struct cg *cg, struct ast_expr *e)
{
	unsigned r1 = gen_boolean(cg, e->a);
	unsigned r2 = gen_boolean(cg, e->b);

	return gen_rrr(cg, DIF_OP_XOR, r1, r2);
}

/*
 * Emit one of the two values.  Integers are not narrowed, as operands are not.
 */
static unsigned
gen_chosen(struct cg *cg, struct ast_expr *e, struct ctf_type *type)
{
	return ctf_is_integer(type) && !e->is_const ? gen_expr(cg, e) :
						      gen_as(cg, e, type);
}

unsigned
gen_cond(struct cg *cg, struct ast_expr *e)
{
	uint32_t otherwise, end;
	unsigned rd, r;

	if (e->c == NULL)
		return gen_chosen(cg, e->b, e->type);
	otherwise = o_label(cg);
	end = o_label(cg);
	gen_jump(cg, e->a, false, otherwise);
	rd = gen_writable(cg, gen_chosen(cg, e->b, e->type));
	o_branch(cg, DIF_OP_BA, end);
	o_bind(cg, otherwise);
	o_free(cg, rd);
	r = gen_chosen(cg, e->c, e->type);
	if (r != rd) {
		/* rd is free: it was free before, and only r was taken since */
		o_rrr(cg, DIF_OP_MOV, r, 0, rd);
		o_free(cg, r);
		cg->o.regs |= 1U << rd;
	}
	o_bind(cg, end);
	return rd;
}
