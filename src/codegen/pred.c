/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Predicates that name variables which only the body of their clause assigns:
 *
 *	tick-1s /!self->seen/ { self->seen = 1; }
 *
 * The types of such variables are known after the body has been compiled, so
 * the predicate is compiled after it.
 */
#include "codegen/cg_impl.h"

#include <string.h>

/* Does the expression assign to the variable of that name and scope? */
static bool
expr_assigns(const struct ast_expr *e, const struct ast_expr *var)
{
	const struct ast_expr *to;

	if (e == NULL)
		return false;
	if (e->kind == AST_ASSIGN ||
	    (e->kind == AST_UNARY && e->op >= AST_OP_PREINC &&
		e->op <= AST_OP_POSTDEC)) {
		to = e->a->kind == AST_INDEX ? e->a->a : e->a;
		if (to->kind == AST_IDENT &&
		    to->u.ident.scope == var->u.ident.scope &&
		    strcmp(to->u.ident.name, var->u.ident.name) == 0)
			return true;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		if (expr_assigns(e->args.v[i], var))
			return true;
	}
	return expr_assigns(e->a, var) || expr_assigns(e->b, var) ||
	    expr_assigns(e->c, var);
}

static bool
stmts_assign(
    struct ast_stmt *const *stmts, size_t n, const struct ast_expr *var)
{
	for (size_t i = 0; i < n; i++) {
		const struct ast_stmt *st = stmts[i];

		if (expr_assigns(st->expr, var) ||
		    stmts_assign(st->then_.v, st->then_.n, var) ||
		    stmts_assign(st->else_.v, st->else_.n, var))
			return true;
	}
	return false;
}

static bool
names_new(struct cg *cg, const struct ast_clause *ac, const struct ast_expr *e)
{
	if (e == NULL)
		return false;
	if (e->kind == AST_IDENT)
		return ck_is_new_var(cg, e) &&
		    stmts_assign(ac->body.v, ac->body.n, e);
	for (size_t i = 0; i < e->args.n; i++) {
		if (names_new(cg, ac, e->args.v[i]))
			return true;
	}
	return names_new(cg, ac, e->a) || names_new(cg, ac, e->b) ||
	    names_new(cg, ac, e->c);
}

bool
cg_pred_is_late(struct cg *cg, const struct ast_clause *ac)
{
	return ac->pred != NULL && names_new(cg, ac, ac->pred);
}
