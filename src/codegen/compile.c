/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From clauses to a program.
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

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

#define MAX_ERRORS 20 /* the rest of the text is not checked */

static bool
has_given_up(const struct cg *cg)
{
	return cg->ds->nerrors >= MAX_ERRORS;
}

/* ---- clauses of the result ----------------------------------------------- */

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

/* ---- typed trees of our own ---------------------------------------------- */

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

/* ---- statements ---------------------------------------------------------- */

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
	for (size_t i = 0; i < n && !has_given_up(cg); i++) {
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

static void
compile_clause(struct cg *cg, struct ast_clause *ac)
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

/* ---- rules of libraries -------------------------------------------------- */

/* The derived probe that a rule fires; NULL: the clause has no fire(). */
static const char *
fired_probe(const struct ast_clause *ac)
{
	for (size_t i = 0; i < ac->body.n; i++) {
		const struct ast_expr *e = ac->body.v[i]->expr;

		if (ac->body.v[i]->kind == AST_S_EXPR && cg_is_fire(e))
			return e->args.v[0]->u.str.s;
	}
	return NULL;
}

/*
 * The message of the first error since diagnostic n, as the reason; all of
 * these errors are removed.
 */
static const char *
take_back(struct cg *cg, size_t n, size_t first)
{
	const char *why = NULL;

	for (size_t i = n; i < cg->ds->list.n && why == NULL; i++) {
		if (cg->ds->list.v[i].severity == DIAG_ERROR)
			why =
			    arena_strdup(cg->lc->arena, cg->ds->list.v[i].msg);
	}
	diags_truncate(cg->ds, n);
	while (cg->prog->clauses.n > first)
		dif_clause_fini(&cg->prog->clauses.v[--cg->prog->clauses.n]);
	return why != NULL ? why : "its predicate is never true here";
}

static void
leave_out(struct cg *cg, const char *fires, const char *why)
{
	struct dif_leftout lo = { mem_strdup(fires), mem_strdup(why) };

	VEC_PUSH(&cg->prog->leftouts, lo);
}

/*
 * Is the predicate a constant decided by exists()?  Such a clause is not armed.
 */
static bool
is_never_true(const struct ast_expr *pred)
{
	if (pred == NULL)
		return false;
	if (pred->is_const)
		return pred->const_value == 0;
	return pred->kind == AST_BINARY && pred->op == AST_OP_LAND &&
	    (is_never_true(pred->a) || is_never_true(pred->b));
}

/*
 * The thread-local variable, perhaps an array, that the statement sets and does
 * nothing else; or NULL.
 */
static const char *
kept_by(const struct ast_stmt *st)
{
	const struct ast_expr *e = st->expr;

	if (st->kind != AST_S_EXPR || e->kind != AST_ASSIGN)
		return NULL;
	e = e->a->kind == AST_INDEX ? e->a->a : e->a;
	return e->kind == AST_IDENT && e->u.ident.scope == AST_SELF ?
	    e->u.ident.name :
	    NULL;
}

/*
 * Does the clause only set thread-local variables, for other clauses of the
 * library?
 */
static bool
only_keeps(const struct ast_clause *ac)
{
	for (size_t i = 0; i < ac->body.n; i++) {
		if (kept_by(ac->body.v[i]) == NULL)
			return false;
	}
	return ac->body.n != 0 && ac->body.n <= 10;
}

static struct cg_kept *
find_kept(const struct cg *cg, const char *name)
{
	VEC_FOREACH(&cg->kept, k) {
		if (strcmp(k->name, name) == 0)
			return k;
	}
	return NULL;
}

/* If several clauses set a variable, one that works is enough. */
static void
note_kept(struct cg *cg, const struct ast_clause *ac, const char *why)
{
	for (size_t i = 0; i < ac->body.n; i++) {
		const char *name = kept_by(ac->body.v[i]);
		struct cg_kept *k = find_kept(cg, name);

		if (k == NULL)
			VEC_PUSH(&cg->kept, (struct cg_kept){ name, why });
		else if (why == NULL)
			k->why = NULL;
	}
}

static void
compile_keeper(struct cg *cg, struct ast_clause *ac)
{
	size_t n = cg->ds->list.n, first = cg->prog->clauses.n;
	unsigned nerrors = cg->ds->nerrors;
	const char *why = NULL;

	compile_clause(cg, ac);
	if (cg->ds->nerrors != nerrors || is_never_true(ac->pred))
		why = take_back(cg, n, first);
	note_kept(cg, ac, why);
}

/*
 * Why this kernel does not set a thread-local variable of the expression; NULL:
 * all of them are set.
 */
static const char *
why_unkept(const struct cg *cg, const struct ast_expr *e)
{
	const struct cg_kept *k;
	const char *why = NULL;

	if (e == NULL)
		return NULL;
	if (e->kind == AST_IDENT && e->u.ident.scope == AST_SELF) {
		k = find_kept(cg, e->u.ident.name);
		return k == NULL ? NULL : k->why;
	}
	for (size_t i = 0; i < e->args.n && why == NULL; i++)
		why = why_unkept(cg, e->args.v[i]);
	if (why == NULL)
		why = why_unkept(cg, e->a);
	if (why == NULL)
		why = why_unkept(cg, e->b);
	return why != NULL ? why : why_unkept(cg, e->c);
}

/*
 * A clause of a library is a rule: it says how a derived probe is made from its
 * origins.  Kernels differ in their tracepoints, functions and types.  A rule
 * that this kernel cannot support is left out, and the reason is kept for users
 * of the probe.  A rule is also left out if it reads a variable and all rules
 * that set the variable were left out.  Rules that set a variable stand before
 * rules that read it.
 */
static void
compile_library_clause(struct cg *cg, struct ast_clause *ac)
{
	const char *fires = fired_probe(ac), *why;
	size_t n = cg->ds->list.n, first = cg->prog->clauses.n;
	unsigned nerrors = cg->ds->nerrors;

	if (fires == NULL && only_keeps(ac)) {
		compile_keeper(cg, ac);
		return;
	}
	if (fires == NULL || ac->body.n != 1) {
		diag_error(cg->ds, D_FIRE_ALONE, ac->span,
		    "a D library may "
		    "only declare: the body of a clause is one fire(), or "
		    "assigns to self-> variables");
		return;
	}
	why = why_unkept(cg, ac->pred);
	if (why == NULL)
		why = why_unkept(cg, ac->body.v[0]->expr);
	if (why == NULL) {
		compile_clause(cg, ac);
		if (cg->ds->nerrors != nerrors || is_never_true(ac->pred))
			why = take_back(cg, n, first);
	}
	if (why != NULL)
		leave_out(cg, fires, why);
}

static bool
same_pdescs(const struct dif_clause *a, const struct dif_clause *b)
{
	for (size_t i = 0; a->pdescs.n == b->pdescs.n && i < a->pdescs.n; i++) {
		const struct dif_pdesc *pa = &a->pdescs.v[i],
				       *pb = &b->pdescs.v[i];

		if (strcmp(pa->prov, pb->prov) != 0 ||
		    strcmp(pa->mod, pb->mod) != 0 ||
		    strcmp(pa->func, pb->func) != 0 ||
		    strcmp(pa->name, pb->name) != 0)
			return false;
	}
	return a->pdescs.n == b->pdescs.n;
}

/* Find another rule for the same probe at the same origins that lacks nothing.
 */
static bool
has_better(const struct cg *cg, const struct dif_clause *c)
{
	VEC_FOREACH(&cg->prog->clauses, other) {
		if (other->fires != NULL && other->lacks == NULL &&
		    strcmp(other->fires, c->fires) == 0 &&
		    same_pdescs(other, c))
			return true;
	}
	return false;
}

static const char *
first_lack(const struct dif_clause *c)
{
	size_t i = 0;

	while (c->lacks[i] == NULL)
		i++;
	return c->lacks[i];
}

/*
 * A clause that lacks some argument is one of several alternatives for
 * different kernels: it is dropped if another one has all arguments, else it
 * stays.
 */
static void
leave_out_worse(struct cg *cg)
{
	size_t kept = 0;

	VEC_FOREACH(&cg->prog->clauses, c) {
		if (c->lacks != NULL && has_better(cg, c)) {
			leave_out(cg, c->fires, first_lack(c));
			dif_clause_fini(c);
			memset(c, 0, sizeof(*c));
		}
	}
	VEC_FOREACH(&cg->prog->clauses, c) {
		if (c->pdescs.n != 0)
			cg->prog->clauses.v[kept++] = *c;
	}
	cg->prog->clauses.n = kept;
}

/* ---- programs ------------------------------------------------------------ */

static void
compile_item(struct cg *cg, struct ast_item *it)
{
	switch (it->kind) {
	case AST_I_CLAUSE:
		if (cg->s->in_library)
			compile_library_clause(cg, it->clause);
		else
			compile_clause(cg, it->clause);
		break;
	case AST_I_DECL:
		cg_declare(cg, it->decl);
		break;
	case AST_I_INLINE:
		cg_declare_inline(cg, it->decl, it->init);
		break;
	case AST_I_TRANSLATOR:
		cg_declare_xlator(cg, it->xlator);
		break;
	case AST_I_PRAGMA:
		cg_pragma(cg, it);
		break;
	case AST_I_PROVIDER:
		cg_declare_provider(cg, it->provider);
		break;
	}
}

static void
list_options(struct dif_prog *dp, const struct ast_program *prog)
{
	for (size_t i = 0; i < prog->options.n; i++) {
		const struct ast_option *ao = &prog->options.v[i];
		struct dif_progopt po = { .name = mem_strdup(ao->name),
			.value = ao->value ? mem_strdup(ao->value) : NULL,
			.span = ao->span };

		VEC_PUSH(&dp->options, po);
	}
}

static void
list_aggs(struct cg_session *s, struct dif_prog *dp)
{
	VEC_FOREACH(&s->aggs, ap) {
		struct dif_agg da = { .id = (*ap)->id,
			.name = mem_strdup((*ap)->name),
			.kind = (*ap)->kind,
			.arg = (*ap)->arg,
			.nkeys = (*ap)->nkeys };

		VEC_PUSH(&dp->aggs, da);
	}
}

static void
list_vars(struct cg_session *s, struct dif_prog *dp)
{
	VEC_FOREACH(&s->syms, sp) {
		const struct cg_sym *sym = *sp;
		struct dif_pvar pv = {
			.var = { .id = sym->id,
			    .scope = sym->scope,
			    .kind = sym->is_array ? DIFV_KIND_ARRAY :
						    DIFV_KIND_SCALAR,
			    .flags = DIFV_F_REF | DIFV_F_MOD },
		};

		if (sym->kind != CG_SYM_VAR || sym->is_hidden)
			continue;
		pv.name = mem_strdup(sym->name);
		pv.var.type = cg_dif_type(sym->type);
		pv.type_name = mem_strdup(ctf_type_name(&s->types, sym->type));
		VEC_PUSH(&dp->vars, pv);
	}
}

struct dif_prog *
cg_compile(
    struct cg_session *s, struct lang_compile *lc, struct ast_program *prog)
{
	struct cg cg = {
		.s = s, .g = &s->types, .lc = lc, .ds = lc->diags, .text = prog
	};

	/* text that could not be parsed would only be reported twice */
	if (lc->diags->nerrors != 0)
		return NULL;
	cg.prog = dif_prog_create();
	for (size_t i = 0; i < prog->items.n; i++) {
		compile_item(&cg, prog->items.v[i]);
		cg_retry_pragmas(&cg);
		if (has_given_up(&cg)) {
			diag_hint(lc->diags,
			    "there are many errors; the rest "
			    "of the text is not checked");
			break;
		}
	}
	cg_finish_pragmas(&cg);
	if (s->in_library)
		leave_out_worse(&cg);
	VEC_FREE(&cg.kept);
	if (lc->diags->nerrors != 0) {
		dif_prog_destroy(cg.prog);
		return NULL;
	}
	list_options(cg.prog, prog);
	list_aggs(s, cg.prog);
	list_vars(s, cg.prog);
	return cg.prog;
}

struct ctf_type *
cg_compile_type(struct cg_session *s, struct lang_compile *lc,
    const struct ast_program *prog)
{
	struct cg cg = { .s = s, .g = &s->types, .lc = lc, .ds = lc->diags };
	const struct ast_clause *ac;
	struct ast_expr *e;
	struct ctf_type *t;

	if (lc->diags->nerrors != 0 || prog->items.n != 1 ||
	    prog->items.v[0]->kind != AST_I_CLAUSE)
		return NULL;
	ac = prog->items.v[0]->clause;
	if (ac->body.n != 1 || ac->body.v[0]->kind != AST_S_EXPR)
		return NULL;
	e = ac->body.v[0]->expr;
	if (e->kind == AST_SIZEOF_TYPE)
		t = cg_decl_type(&cg, e->decl);
	else if (e->kind == AST_UNARY && e->op == AST_OP_SIZEOF)
		t = cg_type_in_parens(&cg, e->a);
	else
		return NULL;
	return lc->diags->nerrors == 0 ? t : NULL;
}
