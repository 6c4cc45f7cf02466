/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the clauses of a text to clauses of a program.
 *
 * DIF has no way to run an action under a condition other than a clause's
 * predicate, so `if` splits a clause.  Each condition is computed once, into a
 * hidden clause-local variable: 0 before that, 1 if it was true, 2 if it was
 * false:
 *
 *	/P/ { A; if (C) { T } else { E } B }
 * becomes
 *	/P/ { A; this->$if = C ? 1 : 2; }
 *	/this->$if == 1/ { T }
 *	/this->$if == 2/ { E }
 *	/this->$if/ { B }
 *
 * After a fault in A the variable is 0, and none of the other clauses runs.
 */
#include "codegen/cg_impl.h"

#include "base/mem.h"
#include "base/vec.h"

static void
begin_clause(struct cg *cg, const struct ast_clause *ac)
{
	struct dif_clause cl = { .span = ac->span, .attr = DIF_ATTR_PROGRAM };

	for (size_t i = 0; i < ac->pdescs.n; i++) {
		const struct ast_pdesc *ap = &ac->pdescs.v[i];
		struct dif_pdesc pd = { .id = ap->id,
			.is_of_targets = ap->is_of_targets,
			.span = ap->span,
			.prov = mem_strdup(ap->prov),
			.mod = mem_strdup(ap->mod),
			.func = mem_strdup(ap->func),
			.name = mem_strdup(ap->name) };

		VEC_PUSH(&cl.pdescs, pd);
	}
	VEC_PUSH(&cg->prog->clauses, cl);
	cg->cl = &cg->prog->clauses.v[cg->prog->clauses.n - 1];
	cg->group = 0;
}

struct ast_expr *
cg_int_node(struct cg *cg, uint64_t value, struct diag_span span)
{
	struct ast_expr *e = cg_node(cg, AST_INT, cg->g->t_int, span);

	e->is_const = true;
	e->const_value = value;
	return e;
}

/* A hidden variable, which keeps the result of an `if`, for example. */
static struct cg_sym *
new_hidden(struct cg *cg)
{
	char *name = arena_printf(&cg->s->arena, "$if%u", cg->s->nifs++);
	struct cg_sym *sym =
	    cg_var_add(cg->s, DIFV_SCOPE_LOCAL, name, cg->g->t_int);

	sym->is_hidden = true;
	return sym;
}

static bool
is_agg_target(const struct ast_expr *e)
{
	while (e->kind == AST_INDEX)
		e = e->a;
	return e->kind == AST_AGG;
}

static bool
compile_effect(struct cg *cg, struct ast_expr *e)
{
	struct dif_action *act;

	if (!ck_expr(cg, e))
		return false;
	act = cg_action(cg, DT_ACT_DIFEXPR, e->span);
	act->difo = cg_effect_obj(cg, e);
	return act->difo != NULL;
}

static void
compile_expr(struct cg *cg, struct ast_expr *e)
{
	bool ok = false;

	cg_begin_statement(cg);
	if (e->kind == AST_AGG) {
		diag_error(cg->ds, D_AGG_NULL, e->span,
		    "the statement has no effect: nothing is assigned to @%s",
		    ast_agg_name(e->u.ident.name));
		diag_hint(
		    cg->ds, "@%s = count()", ast_agg_name(e->u.ident.name));
	} else if (e->kind == AST_ASSIGN && is_agg_target(e->a)) {
		ok = cg_compile_agg(cg, e);
	} else if (e->kind == AST_CALL && cg_is_action(e->u.ident.name)) {
		ok = cg_check_function(cg, e) && cg_compile_action(cg, e);
	} else {
		ok = compile_effect(cg, e);
	}
	if (ok)
		cg_note_attr(cg, e);
	else
		ck_explain_action(cg);
	cg->group++;
}

struct ast_expr *
cg_set_hidden(struct cg *cg, struct ast_expr *value)
{
	struct ast_expr *set =
	    cg_node(cg, AST_ASSIGN, cg->g->t_int, value->span);

	set->a = cg_var_node(cg, new_hidden(cg), value->span);
	set->b = value;
	return set;
}

static bool
check_condition(struct cg *cg, struct ast_expr *cond)
{
	if (!ck_expr(cg, cond)) {
		ck_explain_action(cg);
		return false;
	}
	if (cg_is_scalar(cond->type))
		return true;
	diag_error(cg->ds, D_PRED_SCALAR, cond->span,
	    "a condition "
	    "must be an integer or a pointer, not %s",
	    cg_tn(cg, cond->type));
	ck_explain_action(cg);
	return false;
}

/* Make the condition a value of 1 or 2; it has been checked. */
static struct ast_expr *
compile_condition(struct cg *cg, struct ast_expr *cond)
{
	struct ast_expr *value, *set;
	struct dif_action *act;

	value = cg_node(cg, AST_COND, cg->g->t_int, cond->span);
	value->a = cond;
	value->b = cg_int_node(cg, 1, cond->span);
	value->c = cg_int_node(cg, 2, cond->span);
	set = cg_set_hidden(cg, value);
	act = cg_action(cg, DT_ACT_DIFEXPR, cond->span);
	act->difo = cg_effect_obj(cg, set);
	cg->group++;
	cg_note_attr(cg, cond);
	return act->difo != NULL ? set->a : NULL;
}

/* A new clause that runs when the condition variable has `value`. */
static void
begin_branch(struct cg *cg, const struct ast_clause *ac, struct ast_expr *var,
    uint64_t value)
{
	struct ast_expr *test = var;

	if (value != 0) {
		test = cg_node(cg, AST_BINARY, cg->g->t_int, var->span);
		test->op = AST_OP_EQ;
		test->a = var;
		test->b = cg_int_node(cg, value, var->span);
	}
	begin_clause(cg, ac);
	cg->cl->pred = cg_pred_obj(cg, test);
	cg_continue_speculation(cg);
}

static void compile_stmts(struct cg *cg, const struct ast_clause *ac,
    struct ast_stmt *const *stmts, size_t n);

static bool
has_stmts(struct ast_stmt *const *stmts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (stmts[i]->kind != AST_S_EMPTY)
			return true;
	}
	return false;
}

static void
compile_branch(struct cg *cg, const struct ast_clause *ac, struct ast_expr *var,
    uint64_t value, struct ast_stmt *const *stmts, size_t n)
{
	struct ast_expr *spec;

	if (!has_stmts(stmts, n))
		return;
	spec = cg->spec;
	begin_branch(cg, ac, var, value);
	compile_stmts(cg, ac, stmts, n);
	cg->spec = spec;
}

/* Returns the condition on which the statements after the `if` depend, too. */
static struct ast_expr *
compile_if(struct cg *cg, const struct ast_clause *ac,
    const struct ast_stmt *st, bool is_sound)
{
	struct ast_expr *var =
	    is_sound ? compile_condition(cg, st->expr) : NULL;

	/* the branches are worth checking even after an error */
	if (var == NULL)
		var = cg_var_node(cg, new_hidden(cg), st->span);
	compile_branch(cg, ac, var, 1, st->then_.v, st->then_.n);
	compile_branch(cg, ac, var, 2, st->else_.v, st->else_.n);
	return var;
}

static bool
is_action(const struct ast_expr *e)
{
	if (e->kind == AST_COND)
		return is_action(e->b) || (e->c != NULL && is_action(e->c));
	if (e->kind == AST_ASSIGN)
		return is_agg_target(e->a);
	return e->kind == AST_CALL && cg_is_action(e->u.ident.name);
}

static void
add_stmt(struct cg *cg, struct ast_stmt *list, struct ast_expr *e)
{
	struct ast_stmt *st;

	if (e->kind == AST_INT)
		return; /* stands for no action */
	st = ARENA_NEW(cg->lc->arena, struct ast_stmt);
	st->kind = AST_S_EXPR;
	st->span = e->span;
	st->expr = e;
	AST_PUSH(cg->lc->arena, &list->then_, st);
}

/*
 * An action chosen by ?: is an `if`: OPT_time ? printf("TIME ") : 1, or
 * OPT_count ? @n = count() : 1.  Scripts written before D had `if` use it
 * often.
 */
static const struct ast_stmt *
cond_to_if(struct cg *cg, const struct ast_stmt *st)
{
	struct ast_stmt *s, other = { 0 };

	if (st->kind != AST_S_EXPR || st->expr->kind != AST_COND ||
	    !is_action(st->expr))
		return st;
	s = ARENA_NEW(cg->lc->arena, struct ast_stmt);
	s->kind = AST_S_IF;
	s->span = st->span;
	s->expr = st->expr->a;
	add_stmt(cg, s, st->expr->b);
	add_stmt(cg, &other, st->expr->c);
	s->else_.v = other.then_.v;
	s->else_.n = other.then_.n;
	s->else_.cap = other.then_.cap;
	return s;
}

/*
 * With a constant condition the other branch is not even checked: it may use
 * names that an option leaves out.  The chosen branch and the statements after
 * the `if` are compiled in sequence.
 */
static void
compile_chosen(struct cg *cg, const struct ast_clause *ac,
    const struct ast_stmt *st, struct ast_stmt *const *rest, size_t nrest)
{
	bool is_true = st->expr->const_value != 0;
	struct ast_stmt *const *v = is_true ? st->then_.v : st->else_.v;
	size_t n = is_true ? st->then_.n : st->else_.n;
	struct ast_stmt **all =
	    arena_alloc(cg->lc->arena, (n + nrest + 1) * sizeof(*all));

	for (size_t i = 0; i < n + nrest; i++)
		all[i] = i < n ? v[i] : rest[i - n];
	compile_stmts(cg, ac, all, n + nrest);
}

static void
compile_stmts(struct cg *cg, const struct ast_clause *ac,
    struct ast_stmt *const *stmts, size_t n)
{
	for (size_t i = 0; i < n && !cg_has_given_up(cg); i++) {
		const struct ast_stmt *st = cond_to_if(cg, stmts[i]);
		struct ast_expr *var;
		bool is_sound;

		if (st->kind == AST_S_EXPR)
			compile_expr(cg, st->expr);
		if (st->kind != AST_S_IF)
			continue;
		is_sound = check_condition(cg, st->expr);
		if (is_sound && st->expr->is_const) {
			compile_chosen(cg, ac, st, stmts + i + 1, n - i - 1);
			return;
		}
		var = compile_if(cg, ac, st, is_sound);
		if (!has_stmts(stmts + i + 1, n - i - 1))
			return;
		begin_branch(cg, ac, var, 0);
	}
}

static void
compile_predicate(struct cg *cg, struct ast_expr *pred)
{
	cg_begin_statement(cg);
	if (!ck_expr(cg, pred)) {
		if (pred->kind == AST_ASSIGN && pred->op == AST_OP_NONE &&
		    pred->b->op != AST_OP_BNOT)
			diag_hint(cg->ds, "= assigns, == compares");
		ck_explain_action(cg);
		return;
	}
	if (!cg_is_scalar(pred->type)) {
		diag_error(cg->ds, D_PRED_SCALAR, pred->span,
		    "a predicate "
		    "must be an integer or a pointer, not %s",
		    cg_tn(cg, pred->type));
		if (cg_is_string(pred->type))
			diag_hint(cg->ds,
			    "compare it: s != NULL, or "
			    "strlen(s) != 0");
		ck_explain_action(cg);
		return;
	}
	cg->cl->pred = cg_pred_obj(cg, pred);
	cg_note_attr(cg, pred);
}

static bool
has_ifs(struct cg *cg, struct ast_stmt *const *stmts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (cond_to_if(cg, stmts[i])->kind == AST_S_IF)
			return true;
	}
	return false;
}

void
cg_compile_clause(struct cg *cg, struct ast_clause *ac)
{
	size_t first = cg->prog->clauses.n;
	bool is_late = cg_pred_is_late(cg, ac);

	cg->has_ifs = has_ifs(cg, ac->body.v, ac->body.n);
	cg->spec = NULL;
	cg->clause = ac;
	cg->args = NULL;
	begin_clause(cg, ac);
	if (ac->pred != NULL && !is_late)
		compile_predicate(cg, ac->pred);
	cg->cl->default_action = !has_stmts(ac->body.v, ac->body.n);
	compile_stmts(cg, ac, ac->body.v, ac->body.n);
	cg->cl = &cg->prog->clauses.v[first];
	if (is_late)
		compile_predicate(cg, ac->pred);
	for (; first < cg->prog->clauses.n; first++)
		cg_check_order(cg, &cg->prog->clauses.v[first]);
	cg->clause = NULL;
}
