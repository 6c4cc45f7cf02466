/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions to DIF.
 *
 * Every gen function takes a register and returns it; its caller gives it back.
 * Results are computed in place where an operand's register can be reused.  %r0
 * is returned for the constant 0, so a caller that writes to a result calls
 * gen_writable() first.
 *
 * Conditions are compiled to jumps (gen_jump), and become 0 or 1 only where a
 * value is wanted.
 */
#include "codegen/cg_impl.h"

#include "codegen/gen_impl.h"

unsigned
gen_writable(struct cg *cg, unsigned reg)
{
	unsigned r;

	if (reg != 0)
		return reg;
	r = o_reg(cg);
	o_rrr(cg, DIF_OP_MOV, 0, 0, r);
	return r;
}

unsigned
gen_const(struct cg *cg, uint64_t value)
{
	unsigned r;

	if (value == 0)
		return 0;
	r = o_reg(cg);
	o_setx(cg, value, r);
	return r;
}

unsigned
gen_rrr(struct cg *cg, enum dif_op op, unsigned r1, unsigned r2)
{
	unsigned rd = r1 != 0 ? r1 : r2;

	if (rd == 0)
		rd = o_reg(cg);
	o_rrr(cg, op, r1, r2, rd);
	if (r2 != rd)
		o_free(cg, r2);
	return rd;
}

unsigned
gen_with_const(struct cg *cg, enum dif_op op, unsigned reg, uint64_t value)
{
	return gen_rrr(cg, op, reg, gen_const(cg, value));
}

/* ---- conversions --------------------------------------------------------- */

unsigned
gen_to_bool(struct cg *cg, unsigned reg)
{
	unsigned t = o_reg(cg);

	reg = gen_writable(cg, reg);
	o_rrr(cg, DIF_OP_SUB, 0, reg, t);
	o_rrr(cg, DIF_OP_OR, reg, t, reg);
	o_setx(cg, 63, t);
	o_rrr(cg, DIF_OP_SRL, reg, t, reg);
	o_free(cg, t);
	return reg;
}

unsigned
gen_narrow(struct cg *cg, unsigned reg, struct ctf_type *to)
{
	struct ctf_type *r = ctf_resolve(to);
	unsigned t;

	if (reg == 0 || r->size == 8 || r->size == 0)
		return reg;
	if (r->encoding & CTF_INT_BOOL)
		return gen_to_bool(cg, reg);
	if (!ctf_is_signed(r))
		return gen_with_const(
		    cg, DIF_OP_AND, reg, (1ULL << (8 * r->size)) - 1);
	t = gen_const(cg, 64 - 8 * r->size);
	o_rrr(cg, DIF_OP_SLL, reg, t, reg);
	o_rrr(cg, DIF_OP_SRA, reg, t, reg);
	o_free(cg, t);
	return reg;
}

bool
gen_is_user_text(const struct ast_expr *e)
{
	struct ctf_type *r = ctf_resolve(e->type);

	if (r->kind == CTF_K_POINTER)
		return r->is_userland;
	return (r->kind == CTF_K_ARRAY || r->kind == CTF_K_D_STRING) &&
	    cg_in_userland(e);
}

static unsigned
gen_copyinstr(struct cg *cg, unsigned reg)
{
	o_flush(cg);
	o_push(cg, cg->g->t_ulong, reg);
	reg = reg != 0 ? reg : o_reg(cg);
	o_w(cg, DIF_OP_CALL, DIF_SUBR_COPYINSTR, reg);
	return reg;
}

static unsigned
gen_copyin(struct cg *cg, unsigned reg, uint64_t size)
{
	unsigned n = gen_const(cg, size);

	o_flush(cg);
	o_push(cg, cg->g->t_ulong, reg);
	o_push(cg, cg->g->t_ulong, n);
	o_free(cg, n);
	reg = reg != 0 ? reg : o_reg(cg);
	o_w(cg, DIF_OP_CALL, DIF_SUBR_COPYIN, reg);
	return reg;
}

unsigned
gen_as(struct cg *cg, struct ast_expr *e, struct ctf_type *to)
{
	unsigned reg;

	if (e->is_const && cg_fits(e, to))
		return gen_const(cg, e->const_value);
	reg = gen_expr(cg, e);
	if (cg_is_string(to))
		return gen_is_user_text(e) ? gen_copyinstr(cg, reg) : reg;
	if (cg_is_byref(to) && cg_in_userland(e))
		return gen_copyin(cg, reg, ctf_resolve(to)->size);
	if (!ctf_is_integer(to) || cg_fits(e, to))
		return reg;
	return gen_narrow(cg, reg, to);
}

/* ---- variables ----------------------------------------------------------- */

unsigned
gen_var_load(struct cg *cg, const struct cg_sym *sym, unsigned rd)
{
	static const enum dif_op ops[] = { DIF_OP_LDGS, DIF_OP_LDTS,
		DIF_OP_LDLS };
	uint32_t id = sym->id;

	if (sym->kind == CG_SYM_VAR)
		id = o_var(cg, sym, DIFV_F_REF);
	o_w(cg, ops[sym->scope], id, rd);
	return rd;
}

unsigned
gen_symbol(struct cg *cg, const struct cg_sym *sym)
{
	unsigned r = o_reg(cg);

	o_symbol(cg, sym, r);
	return r;
}

static unsigned
gen_ident(struct cg *cg, struct ast_expr *e)
{
	const struct cg_sym *sym = e->sym;
	unsigned r;

	if (sym->kind != CG_SYM_KERNEL)
		return gen_var_load(cg, sym, o_reg(cg));
	r = gen_symbol(cg, sym);
	if (e->is_lvalue && !cg_is_byref(e->type))
		gen_load(cg, e->type, false, r, r);
	return r;
}

static unsigned
gen_assoc(struct cg *cg, struct ast_expr *e)
{
	const struct cg_sym *sym = e->sym;
	unsigned rd;

	if (sym->kind == CG_SYM_BUILTIN) { /* uregs[] */
		rd = gen_writable(cg, gen_expr(cg, e->args.v[0]));
		o_rrr(cg, DIF_OP_LDGA, sym->id, rd, rd);
		return rd;
	}
	gen_tuple(cg, e->args.v, e->args.n, sym->keys, true);
	rd = o_reg(cg);
	o_w(cg, sym->scope == DIFV_SCOPE_THREAD ? DIF_OP_LDTAA : DIF_OP_LDGAA,
	    o_var(cg, sym, DIFV_F_REF), rd);
	return rd;
}

/* ---- arithmetic ---------------------------------------------------------- */

unsigned
gen_op(struct cg *cg, enum ast_op op, bool is_signed, unsigned r1, unsigned r2)
{
	switch (op) {
	case AST_OP_ADD:
		return gen_rrr(cg, DIF_OP_ADD, r1, r2);
	case AST_OP_SUB:
		return gen_rrr(cg, DIF_OP_SUB, r1, r2);
	case AST_OP_MUL:
		return gen_rrr(cg, DIF_OP_MUL, r1, r2);
	case AST_OP_DIV:
		return gen_rrr(
		    cg, is_signed ? DIF_OP_SDIV : DIF_OP_UDIV, r1, r2);
	case AST_OP_MOD:
		return gen_rrr(
		    cg, is_signed ? DIF_OP_SREM : DIF_OP_UREM, r1, r2);
	case AST_OP_SHL:
		return gen_rrr(cg, DIF_OP_SLL, r1, r2);
	case AST_OP_SHR:
		return gen_rrr(cg, is_signed ? DIF_OP_SRA : DIF_OP_SRL, r1, r2);
	case AST_OP_BAND:
		return gen_rrr(cg, DIF_OP_AND, r1, r2);
	case AST_OP_BOR:
		return gen_rrr(cg, DIF_OP_OR, r1, r2);
	default:
		return gen_rrr(cg, DIF_OP_XOR, r1, r2);
	}
}

unsigned
gen_scale(struct cg *cg, unsigned reg, uint64_t by)
{
	return by == 1 || reg == 0 ? reg :
				     gen_with_const(cg, DIF_OP_MUL, reg, by);
}

unsigned
gen_scaled(struct cg *cg, struct ast_expr *e, uint64_t size)
{
	return e->is_const ? gen_const(cg, e->const_value * size) :
			     gen_scale(cg, gen_expr(cg, e), size);
}

static unsigned
gen_pointer_sum(struct cg *cg, struct ast_expr *e)
{
	uint64_t size = ctf_resolve(e->type->ref)->size;
	bool a_is_pointer = cg_pointer(cg, e->a) != NULL;
	unsigned r1, r2;

	r1 = a_is_pointer ? gen_expr(cg, e->a) : gen_scaled(cg, e->a, size);
	r2 = a_is_pointer ? gen_scaled(cg, e->b, size) : gen_expr(cg, e->b);
	return gen_op(cg, e->op, false, r1, r2);
}

static unsigned
gen_pointer_difference(struct cg *cg, struct ast_expr *e)
{
	uint64_t size = ctf_resolve(cg_pointer(cg, e->a)->ref)->size;
	unsigned r1 = gen_expr(cg, e->a);
	unsigned r2 = gen_expr(cg, e->b);

	r1 = gen_rrr(cg, DIF_OP_SUB, r1, r2);
	return size == 1 ? r1 : gen_with_const(cg, DIF_OP_SDIV, r1, size);
}

static unsigned
gen_arith(struct cg *cg, struct ast_expr *e)
{
	unsigned r1, r2;

	if (ctf_is_pointer(e->type))
		return gen_pointer_sum(cg, e);
	if (e->op == AST_OP_SUB && cg_pointer(cg, e->a) != NULL)
		return gen_pointer_difference(cg, e);
	r1 = gen_expr(cg, e->a);
	r2 = gen_expr(cg, e->b);
	return gen_op(cg, e->op, ctf_is_signed(e->type), r1, r2);
}

/* ---- all of them --------------------------------------------------------- */

static unsigned
gen_binary(struct cg *cg, struct ast_expr *e)
{
	if (gen_is_condition(e))
		return gen_boolean(cg, e);
	if (e->op == AST_OP_LXOR)
		return gen_lxor(cg, e);
	if (e->op != AST_OP_COMMA)
		return gen_arith(cg, e);
	o_free(cg, gen_expr(cg, e->a));
	return gen_expr(cg, e->b);
}

/* -x and ~x have the width of an unsigned x. */
static unsigned
gen_unsigned(struct cg *cg, unsigned reg, const struct ast_expr *e)
{
	return ctf_is_signed(e->type) ? reg : gen_narrow(cg, reg, e->type);
}

static unsigned
gen_unary(struct cg *cg, struct ast_expr *e)
{
	unsigned r;

	switch (e->op) {
	case AST_OP_NEG:
		r = gen_expr(cg, e->a);
		return gen_unsigned(cg, gen_rrr(cg, DIF_OP_SUB, 0, r), e);
	case AST_OP_BNOT:
		r = gen_writable(cg, gen_expr(cg, e->a));
		o_rrr(cg, DIF_OP_NOT, r, 0, r);
		return gen_unsigned(cg, r, e);
	case AST_OP_LNOT:
		return gen_boolean(cg, e);
	case AST_OP_STRINGOF:
		return gen_as(cg, e->a, e->type);
	case AST_OP_ADDROF:
		return gen_addr(cg, e->a, NULL);
	case AST_OP_PREINC:
	case AST_OP_PREDEC:
	case AST_OP_POSTINC:
	case AST_OP_POSTDEC:
		return gen_incdec(cg, e);
	default:
		return gen_expr(cg, e->a);
	}
}

/* A member that a translator makes: the linker, dif_link(), will fill it in. */
static unsigned
gen_xlref(struct cg *cg, struct ast_expr *e)
{
	unsigned r = e->a == NULL ?
	    o_reg(cg) :
	    gen_writable(cg, gen_as(cg, e->a, e->a->type));

	o_xlref(cg, e, r);
	return r;
}

static unsigned
gen_node(struct cg *cg, struct ast_expr *e)
{
	unsigned r;

	if (e->is_const)
		return gen_const(cg, e->const_value);
	if (e->inst != NULL)
		return gen_as(cg, e->inst, e->type);
	switch (e->kind) {
	case AST_STR:
		r = o_reg(cg);
		o_sets(cg, e->u.str.s, r);
		return r;
	case AST_IDENT:
	case AST_BOUND:
		return gen_ident(cg, e);
	case AST_UNARY:
		return e->op == AST_OP_DEREF ? gen_memory(cg, e) :
					       gen_unary(cg, e);
	case AST_BINARY:
		return gen_binary(cg, e);
	case AST_ASSIGN:
		return gen_assign(cg, e);
	case AST_COND:
		return gen_cond(cg, e);
	case AST_CALL:
		return gen_call(cg, e);
	case AST_INDEX:
		return e->sym != NULL ? gen_assoc(cg, e) : gen_memory(cg, e);
	case AST_MEMBER:
		return gen_memory(cg, e);
	case AST_CAST:
		return gen_as(cg, e->a, e->type);
	case AST_XLATE:
		return gen_memory_of(cg, e->type);
	case AST_XLREF:
		return gen_xlref(cg, e);
	case AST_INT:
	case AST_AGG:
	case AST_SIZEOF_TYPE:
	case AST_OFFSETOF:
		break; /* constants, or refused by the checker */
	}
	return 0;
}

unsigned
gen_expr(struct cg *cg, struct ast_expr *e)
{
	struct diag_span outer = cg->o.span;
	unsigned r;

	cg->o.span = e->span;
	r = gen_node(cg, e);
	cg->o.span = outer;
	return r;
}
