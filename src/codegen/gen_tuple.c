/* SPDX-License-Identifier: BSD-2-Clause */
/* Tuples: arguments of calls, and keys of arrays. */
#include "codegen/cg_impl.h"

#include "codegen/gen_impl.h"

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
	return is_simple(e) && !(cg_is_string(to) && gen_is_user_text(e));
}

/* Scalar keys keep all of their 64 bits, as variables do. */
static struct ctf_type *
pushed_type(struct cg *cg, struct ctf_type *type, bool is_keys)
{
	return is_keys && cg_is_scalar(type) ? cg->g->t_long : type;
}

/*
 * Push the arguments of a call or the keys of an array, with the types in
 * `types`.  Arguments that need the tuple stack or branch are computed first,
 * and kept in registers or, when few are left, in spill variables.  Then the
 * stack is filled.
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

unsigned
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
