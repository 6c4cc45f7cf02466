/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole DIF objects: values, keys, effects, constants and predicates. */
#include "codegen/cg_impl.h"

#include "codegen/gen_impl.h"

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
	return end_with(cg, gen_expr(cg, e), rtype);
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
	raddr = gen_expr(cg, addr);
	rlen = gen_expr(cg, len);
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

	if (e->is_const || !gen_is_condition(e))
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
