/* SPDX-License-Identifier: BSD-2-Clause */
/* Lvalues in memory: their addresses, loads, and bit-fields. */
#include "codegen/cg_impl.h"

#include "codegen/gen_impl.h"

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
	    cg, e, is_array ? gen_addr(cg, e->a, null) : gen_expr(cg, e->a));
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
		return gen_expr(cg, e);
	switch (e->kind) {
	case AST_UNARY:
		if (e->op == AST_OP_DEREF)
			return gen_expr(cg, e->a);
		break;
	case AST_MEMBER:
		m = cg_member(e, &bit_off);
		r = e->u.ident.arrow ? gen_expr(cg, e->a) :
				       gen_addr(cg, e->a, null);
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
	r = gen_expr(cg, e);
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

unsigned
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

unsigned
gen_memory_of(struct cg *cg, struct ctf_type *pointer)
{
	unsigned r = o_reg(cg);

	o_setx(cg, ctf_resolve(ctf_resolve(pointer)->ref)->size, r);
	o_rrr(cg, DIF_OP_ALLOCS, r, 0, r);
	return r;
}
