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

#include <string.h>

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

static unsigned
gen_const(struct cg *cg, uint64_t value)
{
	unsigned r;

	if (value == 0)
		return 0;
	r = o_reg(cg);
	o_setx(cg, value, r);
	return r;
}

/* r1 op r2 in the register of one of them; both are given back. */
static unsigned
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

static unsigned
gen_with_const(struct cg *cg, enum dif_op op, unsigned reg, uint64_t value)
{
	return gen_rrr(cg, op, reg, gen_const(cg, value));
}

/* ---- conversions --------------------------------------------------------- */

/* (x | -x) >> 63 is 1 for every x but 0, without a branch. */
static unsigned
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

/* Is it a char array or pointer in a process's memory? */
static bool
is_user_text(const struct ast_expr *e)
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
	reg = gen(cg, e);
	if (cg_is_string(to))
		return is_user_text(e) ? gen_copyinstr(cg, reg) : reg;
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

static unsigned
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
		rd = gen_writable(cg, gen(cg, e->args.v[0]));
		o_rrr(cg, DIF_OP_LDGA, sym->id, rd, rd);
		return rd;
	}
	gen_tuple(cg, e->args.v, e->args.n, sym->keys, true);
	rd = o_reg(cg);
	o_w(cg, sym->scope == DIFV_SCOPE_THREAD ? DIF_OP_LDTAA : DIF_OP_LDGAA,
	    o_var(cg, sym, DIFV_F_REF), rd);
	return rd;
}

/* ---- tuples -------------------------------------------------------------- */

static bool is_simple(const struct ast_expr *e);

static bool
all_simple(const struct ast_expr *e)
{
	return e == NULL || is_simple(e);
}

/*
 * Can the key be computed between two pushes?  It must not use the tuple stack
 * or branch (which would empty it), and the later evaluation must make no
 * difference.
 */
static bool
is_simple(const struct ast_expr *e)
{
	if (e->is_const)
		return true;
	if (e->inst != NULL)
		return false;
	switch (e->kind) {
	case AST_INT:
	case AST_STR:
	case AST_SIZEOF_TYPE:
	case AST_OFFSETOF:
	case AST_IDENT:
	case AST_BOUND:
		return true;
	case AST_CAST:
		return is_simple(e->a);
	case AST_UNARY:
		return e->op != AST_OP_LNOT && e->op < AST_OP_PREINC &&
		    !cg_in_userland(e) && is_simple(e->a);
	case AST_BINARY:
		return e->op <= AST_OP_BXOR && is_simple(e->a) &&
		    is_simple(e->b);
	case AST_MEMBER:
		return !cg_in_userland(e) && all_simple(e->a) &&
		    cg_root_var((struct ast_expr *)(uintptr_t)e) == NULL;
	default:
		return false;
	}
}

static bool
is_simple_as(const struct ast_expr *e, struct ctf_type *to)
{
	return is_simple(e) && !(cg_is_string(to) && is_user_text(e));
}

/* Scalar keys keep all of their 64 bits, as variables do. */
static struct ctf_type *
pushed_type(struct cg *cg, struct ctf_type *type, bool is_keys)
{
	return is_keys && cg_is_scalar(type) ? cg->g->t_long : type;
}

/*
 * Push the arguments of a call or the keys of an array, with the types in
 * `types`.  Those that need the tuple stack or branch are computed first, and
 * kept in registers or, when few are left, in spill variables; then the stack
 * is filled.
 */
void
gen_tuple(struct cg *cg, struct ast_expr *const *args, size_t n,
    struct ctf_type *const *types, bool is_keys)
{
	struct {
		struct cg_sym *slot;
		unsigned reg;
		bool is_waiting;
	} wait[DIF_NTREGS] = { 0 };
	unsigned nspills = cg->o.nspills;

	for (size_t i = 0; i < n; i++) {
		struct ctf_type *t = pushed_type(cg, types[i], is_keys);

		if (is_simple_as(args[i], t))
			continue;
		wait[i].reg = gen_as(cg, args[i], t);
		wait[i].is_waiting = true;
		if (o_nfree(cg) < 4)
			wait[i].slot = o_spill(cg, wait[i].reg);
	}
	o_flush(cg);
	for (size_t i = 0; i < n; i++) {
		struct ctf_type *t = pushed_type(cg, types[i], is_keys);
		unsigned reg = wait[i].reg;

		if (!wait[i].is_waiting)
			reg = gen_as(cg, args[i], t);
		else if (wait[i].slot != NULL)
			reg = o_unspill(cg, wait[i].slot);
		o_push(cg, t, reg);
		o_free(cg, reg);
	}
	cg->o.nspills = nspills;
}

static unsigned
gen_call(struct cg *cg, struct ast_expr *e)
{
	const struct dif_subrinfo *si = e->sym;
	struct cg_proto pr;
	unsigned rd;

	cg_proto(cg, si, &pr);
	gen_tuple(cg, e->args.v, e->args.n, pr.params, false);
	rd = o_reg(cg);
	o_w(cg, DIF_OP_CALL, si->id, rd);
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

/* An index, scaled to bytes. */
static unsigned
gen_scaled(struct cg *cg, struct ast_expr *e, uint64_t size)
{
	return e->is_const ? gen_const(cg, e->const_value * size) :
			     gen_scale(cg, gen(cg, e), size);
}

static unsigned
gen_pointer_sum(struct cg *cg, struct ast_expr *e)
{
	uint64_t size = ctf_resolve(e->type->ref)->size;
	bool a_is_pointer = cg_pointer(cg, e->a) != NULL;
	unsigned r1, r2;

	r1 = a_is_pointer ? gen(cg, e->a) : gen_scaled(cg, e->a, size);
	r2 = a_is_pointer ? gen_scaled(cg, e->b, size) : gen(cg, e->b);
	return gen_op(cg, e->op, false, r1, r2);
}

static unsigned
gen_pointer_difference(struct cg *cg, struct ast_expr *e)
{
	uint64_t size = ctf_resolve(cg_pointer(cg, e->a)->ref)->size;
	unsigned r1 = gen(cg, e->a);
	unsigned r2 = gen(cg, e->b);

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
	r1 = gen(cg, e->a);
	r2 = gen(cg, e->b);
	return gen_op(cg, e->op, ctf_is_signed(e->type), r1, r2);
}

/* ---- conditions ---------------------------------------------------------- */

static bool
is_condition(const struct ast_expr *e)
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

/* Strings are compared by their bytes, unless one operand is NULL. */
static bool
compares_strings(const struct ast_expr *e)
{
	return (cg_is_string(e->a->type) || cg_is_string(e->b->type)) &&
	    !cg_is_null(e->a) && !cg_is_null(e->b);
}

static unsigned
gen_compared(struct cg *cg, struct ast_expr *e, bool is_strings)
{
	return is_strings ? gen_as(cg, e, cg->g->t_string) : gen(cg, e);
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

static void gen_jump(
    struct cg *cg, struct ast_expr *e, bool when, uint32_t label);

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

static void
gen_jump(struct cg *cg, struct ast_expr *e, bool when, uint32_t label)
{
	unsigned r;

	if (!e->is_const && is_condition(e)) {
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
	r = gen(cg, e);
	o_cmp(cg, DIF_OP_TST, r, 0);
	o_free(cg, r);
	o_branch(cg, when ? DIF_OP_BNE : DIF_OP_BE, label);
}

/* A condition as 0 or 1. */
static unsigned
gen_boolean(struct cg *cg, struct ast_expr *e)
{
	uint32_t is_false = o_label(cg), end = o_label(cg);
	unsigned rd;

	if (e->is_const)
		return gen_const(cg, e->const_value != 0);
	if (!is_condition(e))
		return gen_to_bool(cg, gen(cg, e));
	gen_jump(cg, e, false, is_false);
	rd = o_reg(cg);
	o_setx(cg, 1, rd);
	o_branch(cg, DIF_OP_BA, end);
	o_bind(cg, is_false);
	o_setx(cg, 0, rd);
	o_bind(cg, end);
	return rd;
}

static unsigned
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
	return ctf_is_integer(type) && !e->is_const ? gen(cg, e) :
						      gen_as(cg, e, type);
}

/* Both values end in one register. */
static unsigned
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

static unsigned
gen_binary(struct cg *cg, struct ast_expr *e)
{
	if (is_condition(e))
		return gen_boolean(cg, e);
	if (e->op == AST_OP_LXOR)
		return gen_lxor(cg, e);
	if (e->op != AST_OP_COMMA)
		return gen_arith(cg, e);
	o_free(cg, gen(cg, e->a));
	return gen(cg, e->b);
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
		r = gen(cg, e->a);
		return gen_unsigned(cg, gen_rrr(cg, DIF_OP_SUB, 0, r), e);
	case AST_OP_BNOT:
		r = gen_writable(cg, gen(cg, e->a));
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
		return gen(cg, e->a);
	}
}

/* ---- memory -------------------------------------------------------------- */

struct ast_expr *
cg_root_var(struct ast_expr *e)
{
	for (;;) {
		if (e->inst != NULL)
			return NULL;
		if (e->kind == AST_IDENT)
			return ((struct cg_sym *)e->sym)->kind == CG_SYM_VAR ?
			    e :
			    NULL;
		if (e->kind == AST_INDEX && e->sym != NULL)
			return e;
		if (e->kind == AST_MEMBER && !e->u.ident.arrow)
			e = e->a;
		else if (e->kind == AST_INDEX &&
		    ctf_resolve(e->a->type)->kind == CTF_K_ARRAY)
			e = e->a;
		else
			return NULL;
	}
}

static unsigned
gen_add_offset(struct cg *cg, unsigned reg, uint64_t off)
{
	if (off == 0)
		return reg;
	return gen_with_const(cg, DIF_OP_ADD, gen_writable(cg, reg), off);
}

/*
 * A bit-field lies within one unit of its declared type.  Only in a packed
 * struct may it cross into the next unit: then a larger unit holds it or, if it
 * crosses eight bytes, the eight bytes from the unit in which it begins.
 */
struct cg_unit
cg_unit(const struct ctf_member *m, uint64_t bit_off)
{
	struct cg_unit u = { .is_signed = ctf_is_signed(m->type) };

	for (u.size = (unsigned)ctf_resolve(m->type)->size; u.size <= 8;
	     u.size *= 2) {
		u.pos = (unsigned)(bit_off % (8 * u.size));
		u.off = (bit_off - u.pos) / 8;
		if (u.pos + m->bits <= 8 * u.size)
			return u;
	}
	u.size = 8;
	u.pos = (unsigned)(bit_off % 8);
	u.off = bit_off / 8;
	return u;
}

/*
 * The byte from which a member is loaded; for a bit-field, the start of its
 * unit.
 */
static uint64_t
member_offset(const struct ctf_member *m, uint64_t bit_off)
{
	return m->bits != 0 ? cg_unit(m, bit_off).off : bit_off / 8;
}

static unsigned
gen_add_index(struct cg *cg, struct ast_expr *e, unsigned base)
{
	unsigned i = gen_scaled(cg, e->args.v[0], ctf_resolve(e->type)->size);

	if (i == 0)
		return base;
	return gen_rrr(cg, DIF_OP_ADD, gen_writable(cg, base), i);
}

static unsigned
gen_element_addr(struct cg *cg, struct ast_expr *e, uint32_t *null)
{
	bool is_array = ctf_resolve(e->a->type)->kind == CTF_K_ARRAY;

	return gen_add_index(
	    cg, e, is_array ? gen_addr(cg, e->a, null) : gen(cg, e->a));
}

unsigned
gen_part_offset(struct cg *cg, struct ast_expr *e, const struct ast_expr *root)
{
	uint64_t bit_off;
	const struct ctf_member *m;
	unsigned r;

	if (e == root) {
		r = o_reg(cg);
		o_setx(cg, 0, r);
		return r;
	}
	r = gen_part_offset(cg, e->a, root);
	if (e->kind == AST_INDEX)
		return gen_add_index(cg, e, r);
	m = cg_member(e, &bit_off);
	return gen_add_offset(cg, r, member_offset(m, bit_off));
}

/*
 * Address computations stay in the register of the root.  A variable without
 * storage has the value 0 and jumps to *null: the 0 is then in the register
 * where the result is expected.
 */
unsigned
gen_addr(struct cg *cg, struct ast_expr *e, uint32_t *null)
{
	const struct ctf_member *m;
	uint64_t bit_off;
	unsigned r;

	if (e->inst != NULL)
		return gen(cg, e);
	switch (e->kind) {
	case AST_UNARY:
		if (e->op == AST_OP_DEREF)
			return gen(cg, e->a);
		break;
	case AST_MEMBER:
		m = cg_member(e, &bit_off);
		r = e->u.ident.arrow ? gen(cg, e->a) : gen_addr(cg, e->a, null);
		return gen_add_offset(cg, r, member_offset(m, bit_off));
	case AST_INDEX:
		if (e->sym == NULL)
			return gen_element_addr(cg, e, null);
		break;
	case AST_IDENT:
		if (((struct cg_sym *)e->sym)->kind == CG_SYM_KERNEL)
			return gen_symbol(cg, e->sym);
		break;
	default:
		break;
	}
	r = gen(cg, e);
	if (null != NULL && cg_root_var(e) == e) {
		o_cmp(cg, DIF_OP_TST, r, 0);
		o_branch(cg, DIF_OP_BE, *null);
	}
	return r;
}

void
gen_load(
    struct cg *cg, struct ctf_type *t, bool is_user, unsigned addr, unsigned rd)
{
	static const enum dif_op ops[2][2][4] = {
		{ { DIF_OP_LDUB, DIF_OP_LDUH, DIF_OP_LDUW, DIF_OP_LDX },
		    { DIF_OP_LDSB, DIF_OP_LDSH, DIF_OP_LDSW, DIF_OP_LDX } },
		{ { DIF_OP_ULDUB, DIF_OP_ULDUH, DIF_OP_ULDUW, DIF_OP_ULDX },
		    { DIF_OP_ULDSB, DIF_OP_ULDSH, DIF_OP_ULDSW, DIF_OP_ULDX } },
	};
	int log = __builtin_ctzll(ctf_resolve(t)->size);

	o_rrr(cg, ops[is_user][ctf_is_signed(t)][log], addr, 0, rd);
}

void
gen_load_unit(
    struct cg *cg, struct cg_unit u, bool is_user, unsigned addr, unsigned rd)
{
	struct ctf_type word = { .kind = CTF_K_INTEGER,
		.size = u.size,
		.encoding = u.is_signed ? CTF_INT_SIGNED : 0 };

	gen_load(cg, &word, is_user, addr, rd);
}

/* Shift a field to the top of the register and down again. */
void
gen_extract(
    struct cg *cg, unsigned reg, unsigned pos, unsigned bits, bool is_signed)
{
	unsigned t = o_reg(cg);

	o_setx(cg, 64 - pos - bits, t);
	o_rrr(cg, DIF_OP_SLL, reg, t, reg);
	if (pos != 0)
		o_setx(cg, 64 - bits, t);
	o_rrr(cg, is_signed ? DIF_OP_SRA : DIF_OP_SRL, reg, t, reg);
	o_free(cg, t);
}

static void
gen_load_bits(struct cg *cg, const struct ctf_member *m, uint64_t bit_off,
    bool is_user, unsigned reg)
{
	struct cg_unit u = cg_unit(m, bit_off);

	gen_load_unit(cg, u, is_user, reg, reg);
	gen_extract(cg, reg, u.pos, m->bits, ctf_is_signed(m->type));
}

/* By-reference types: the address, which may be one of the process. */
static unsigned
gen_memory(struct cg *cg, struct ast_expr *e)
{
	bool has_root = cg_root_var(e) != NULL, is_user = cg_in_userland(e);
	const struct ctf_member *m = NULL;
	uint32_t null = has_root ? o_label(cg) : 0;
	uint64_t bit_off;
	unsigned r = gen_writable(cg, gen_addr(cg, e, has_root ? &null : NULL));

	if (e->kind == AST_MEMBER)
		m = cg_member(e, &bit_off);
	if (m != NULL && m->bits != 0)
		gen_load_bits(cg, m, bit_off, is_user, r);
	else if (!cg_is_byref(m != NULL ? m->type : e->type))
		gen_load(cg, e->type, is_user, r, r);
	if (has_root)
		o_bind(cg, null);
	return r;
}

/* Zeroed scratch memory for the type that the pointer type points to. */
static unsigned
gen_memory_of(struct cg *cg, struct ctf_type *pointer)
{
	unsigned r = o_reg(cg);

	o_setx(cg, ctf_resolve(ctf_resolve(pointer)->ref)->size, r);
	o_rrr(cg, DIF_OP_ALLOCS, r, 0, r);
	return r;
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

/* ---- all of them --------------------------------------------------------- */

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
gen(struct cg *cg, struct ast_expr *e)
{
	struct diag_span outer = cg->o.span;
	unsigned r;

	cg->o.span = e->span;
	r = gen_node(cg, e);
	cg->o.span = outer;
	return r;
}

/* ---- objects ------------------------------------------------------------- */

static void
begin(struct cg *cg, const struct ast_expr *e)
{
	o_begin(cg);
	cg->o.span = e->span;
}

static struct dif_obj *
end_with(struct cg *cg, unsigned reg, struct dif_type rtype)
{
	o_rrr(cg, DIF_OP_RET, 0, 0, reg);
	return o_end(cg, rtype);
}

struct dif_obj *
cg_typed_obj(struct cg *cg, struct ast_expr *e, struct dif_type rtype)
{
	begin(cg, e);
	return end_with(cg, gen(cg, e), rtype);
}

/*
 * Both words are evaluated before scratch memory is taken: they may take some,
 * too.
 */
struct dif_obj *
cg_ref_obj(struct cg *cg, struct ast_expr *addr, struct ast_expr *len)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };
	unsigned raddr, rlen, ref;

	begin(cg, addr);
	raddr = gen(cg, addr);
	rlen = gen(cg, len);
	ref = gen_const(cg, 2 * sizeof(uint64_t));
	o_rrr(cg, DIF_OP_ALLOCS, ref, 0, ref);
	o_rrr(cg, DIF_OP_STX, raddr, 0, ref);
	o_free(cg, raddr);
	raddr = gen_const(cg, sizeof(uint64_t));
	o_rrr(cg, DIF_OP_ADD, ref, raddr, raddr);
	o_rrr(cg, DIF_OP_STX, rlen, 0, raddr);
	return end_with(cg, ref, rtype);
}

/* The record takes the low bytes of the value, so it is not narrowed. */
struct dif_obj *
cg_value_obj(struct cg *cg, struct ast_expr *e)
{
	if (!cg_is_byref(e->type))
		return cg_typed_obj(cg, e, cg_dif_type(e->type));
	return cg_key_obj(cg, e);
}

/*
 * A key may have different sizes in two uses: clear the bits above its own
 * type.
 */
struct dif_obj *
cg_key_obj(struct cg *cg, struct ast_expr *e)
{
	begin(cg, e);
	return end_with(cg, gen_as(cg, e, e->type), cg_dif_type(e->type));
}

struct dif_obj *
cg_effect_obj(struct cg *cg, struct ast_expr *e)
{
	/* the old value of x++ is not used */
	if (e->kind == AST_UNARY && e->op == AST_OP_POSTINC)
		e->op = AST_OP_PREINC;
	else if (e->kind == AST_UNARY && e->op == AST_OP_POSTDEC)
		e->op = AST_OP_PREDEC;
	return cg_typed_obj(cg, e, (struct dif_type){ 0 });
}

struct dif_obj *
cg_const_obj(struct cg *cg, uint64_t value, uint32_t size)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = size };
	struct diag_span span = cg->o.span;

	o_begin(cg);
	cg->o.span = span;
	return end_with(cg, gen_const(cg, value), rtype);
}

struct dif_obj *
cg_zeroes_obj(struct cg *cg, struct dif_type rtype)
{
	bool is_memory = rtype.flags & DIF_TF_BYREF;
	struct diag_span span = cg->o.span;
	unsigned r;

	o_begin(cg);
	cg->o.span = span;
	/* for a string of unknown size: its end */
	r = gen_const(cg, !is_memory ? 0 : rtype.size != 0 ? rtype.size : 1);
	if (is_memory)
		o_rrr(cg, DIF_OP_ALLOCS, r, 0, r);
	return end_with(cg, r, rtype);
}

/* A predicate only needs to be 0 or not 0. */
struct dif_obj *
cg_pred_obj(struct cg *cg, struct ast_expr *e)
{
	struct dif_type rtype = cg_dif_type(e->type);
	uint32_t no;
	unsigned r;

	if (e->is_const || !is_condition(e))
		return cg_typed_obj(cg, e, rtype);
	begin(cg, e);
	no = o_label(cg);
	gen_jump(cg, e, false, no);
	r = o_reg(cg);
	o_setx(cg, 1, r);
	o_rrr(cg, DIF_OP_RET, 0, 0, r);
	o_bind(cg, no);
	return end_with(cg, 0, rtype);
}
