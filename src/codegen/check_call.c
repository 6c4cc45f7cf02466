/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls: of subroutines and inlines, and of what has no value.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "lang/habits.h"

static void
refuse_unknown_function(struct cg *cg, const struct ast_expr *e)
{
	const char *near = cg_nearest_function(cg, e->u.ident.name);
	bool is_of_agg = e->args.n > 0 && e->args.v[0]->kind == AST_AGG;
	const char *habit =
	    is_of_agg ? habit_hint(HABIT_IS_AGG, e->u.ident.name) : NULL;

	if (habit == NULL)
		habit = habit_hint(HABIT_IS_FUNC, e->u.ident.name);
	diag_error(cg->ds, D_FUNC_UNDEF, e->span, "unknown function '%s'",
	    e->u.ident.name);
	if (habit != NULL)
		diag_hint(cg->ds, "%s", habit);
	else if (near != NULL)
		diag_hint(cg->ds, "did you mean %s()?", near);
}

/* execname() is execname, and args(0) is args[0]. */
static void
refuse_called_variable(
    struct cg *cg, const struct ast_expr *e, const struct cg_sym *sym)
{
	diag_error(cg->ds, D_FUNC_IDKIND, e->span,
	    "'%s' is a variable, not a function", sym->name);
	if (sym->is_array ||
	    (sym->kind == CG_SYM_BUILTIN && sym->id <= DIF_VAR_ARRAY_MAX))
		diag_hint(cg->ds, "its elements are %s[...]", sym->name);
	else
		diag_hint(
		    cg->ds, "it stands without parentheses: %s", sym->name);
}

bool
ck_function_name(struct cg *cg, const struct ast_expr *e)
{
	const char *name = e->u.ident.name;
	const struct cg_later *later = cg_find_later(name, true);
	const struct cg_sym *sym;

	if (later != NULL) {
		cg_refuse_later(cg, e, later);
		return false;
	}
	sym = cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, name);
	if (sym != NULL)
		refuse_called_variable(cg, e, sym);
	else
		refuse_unknown_function(cg, e);
	return false;
}

void
cg_proto(struct cg *cg, const struct dif_subrinfo *si, struct cg_proto *pr)
{
	const char *s = si->proto, *open = strchr(s, '(');
	char *text;

	memset(pr, 0, sizeof(*pr));
	text = mem_strndup(s, (size_t)(open - s) - strlen(si->name));
	pr->result = ctf_lookup_text(cg->g, text);
	free(text);
	for (s = open + 1; *s != ')';) {
		bool is_optional = *s == '[';
		size_t len;

		s += is_optional;
		len = strcspn(s, ",])");
		if (len != 0) {
			text = mem_strndup(s, len);
			pr->params[pr->nparams++] =
			    ctf_lookup_text(cg->g, text);
			pr->nrequired += !is_optional;
			free(text);
		}
		s += len;
		s += strspn(s, "], ");
	}
	/* the script does not give this argument: ck_lock() adds it */
	if (si->flags & DIF_SUBRF_LOCK)
		pr->params[pr->nparams] = cg->g->t_int;
}

static bool
ck_argument(struct cg *cg, const struct dif_subrinfo *si, struct ast_expr *arg,
    struct ctf_type *param, size_t no)
{
	if (!ck_expr(cg, arg))
		return false;
	if (ck_converts(cg, arg, param))
		return true;
	/* a string is passed as its address where any pointer is accepted */
	if (cg_is_string(arg->type) && ctf_is_pointer(param) &&
	    ctf_is_void(ctf_resolve(param)->ref))
		return true;
	/* arguments of probes are integers, even those that are addresses */
	if (si->id == DIF_SUBR_MEMREF && no == 1 && ctf_is_integer(arg->type))
		return true;
	/* addresses are given as uintptr_t */
	if (ctf_is_integer(param) && ctf_resolve(param)->size == 8 &&
	    cg_decay(cg, arg) != NULL)
		return true;
	diag_error(cg->ds, D_PROTO_ARG, arg->span,
	    "argument %zu of %s() must be of type %s, not %s", no, si->name,
	    cg_tn(cg, param), cg_tn(cg, arg->type));
	diag_hint(cg->ds, "the prototype is %s", si->proto);
	return false;
}

static bool
ck_subroutine(struct cg *cg, struct ast_expr *e, const struct dif_subrinfo *si)
{
	struct cg_proto pr;

	cg_proto(cg, si, &pr);
	if (e->args.n < pr.nrequired || e->args.n > pr.nparams) {
		diag_error(cg->ds, D_PROTO_LEN, e->span,
		    "%s() takes %s%zu argument%s, not %zu", si->name,
		    pr.nrequired == pr.nparams	 ? "" :
			e->args.n < pr.nrequired ? "at least " :
						   "at most ",
		    e->args.n < pr.nrequired ? pr.nrequired : pr.nparams,
		    (e->args.n < pr.nrequired ? pr.nrequired : pr.nparams) ==
			    1 ?
			"" :
			"s",
		    e->args.n);
		diag_hint(cg->ds, "the prototype is %s", si->proto);
		return false;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		if (!ck_argument(cg, si, e->args.v[i], pr.params[i], i + 1))
			return false;
	}
	if ((si->flags & DIF_SUBRF_LOCK) && !ck_lock(cg, e, si))
		return false;
	e->sym = (void *)(uintptr_t)si;
	e->type = pr.result;
	return true;
}

bool
cg_check_function(struct cg *cg, const struct ast_expr *call)
{
	return cg_check_since(
	    cg, call, cg_builtin_since(call->u.ident.name), D_FUNC_UNDEF);
}

static int
count_probe(const struct lang_probe *p, void *arg)
{
	(void)p;
	++*(size_t *)arg;
	return 0;
}

/*
 * exists("provider:module:function:name"), in libraries: a constant.
 * Diagnostics about a description that selects nothing are removed.
 */
static bool
ck_exists(struct cg *cg, struct ast_expr *e)
{
	struct ast_pdesc pd = { .span = e->span };
	char **const fields[] = { &pd.prov, &pd.mod, &pd.func, &pd.name };
	char *text = arena_strdup(cg->lc->arena, e->args.v[0]->u.str.s);
	size_t ndiags = cg->ds->list.n, n = 0;

	for (size_t i = 0; i < 4; i++) {
		*fields[i] = text;
		text += strcspn(text, ":");
		if (*text == ':')
			*text++ = '\0';
	}
	cg->lc->probes(cg->lc->probes_ctx, &pd, count_probe, &n);
	diags_truncate(cg->ds, ndiags);
	e->kind = AST_INT;
	e->type = cg->g->t_int;
	e->is_const = true;
	e->const_value = n != 0;
	return true;
}

/* label("name"): a constant, since the host that compiles has the labels. */
static bool
ck_label(struct cg *cg, struct ast_expr *e)
{
	const struct ast_expr *arg = e->args.n == 1 ? e->args.v[0] : NULL;
	const char *value = "";
	struct err err = { 0 };

	if (arg == NULL || arg->kind != AST_STR) {
		diag_error(cg->ds, D_PROTO_ARG, e->span,
		    "label() takes the name of a label, as a string constant");
		diag_hint(cg->ds, "as in label(\"role\")");
		return false;
	}
	if (cg->lc->label != NULL)
		value = cg->lc->label(cg->lc->label_ctx, arg->u.str.s, &err);
	if (value == NULL) {
		diag_error(cg->ds, D_PROTO_ARG, e->span, "%s", err_text(&err));
		err_clear(&err);
		return false;
	}
	e->kind = AST_STR;
	e->u.str.s = arena_strdup(cg->lc->arena, value);
	e->u.str.len = (uint32_t)strlen(value);
	return ck_expr(cg, e);
}

bool
ck_no_action(struct cg *cg, const struct ast_expr *e)
{
	if (e->kind != AST_CALL || !cg_is_action(e->u.ident.name))
		return true;
	diag_error(cg->ds, D_OP_ACT, e->span,
	    "%s() is an action and has no value", e->u.ident.name);
	diag_hint(cg->ds, "make it a statement of its own");
	cg->action = NULL;
	return false;
}

void
ck_explain_action(struct cg *cg)
{
	if (cg->action != NULL)
		diag_hint(cg->ds,
		    "%s() is an action and has no value: make it "
		    "a statement of its own",
		    cg->action->u.ident.name);
	cg->action = NULL;
}

/*
 * An action where a value is wanted.  It is of type void, so the place refuses
 * it with the place's own tag.  Places that take void refuse it with
 * ck_no_action().
 */
static bool
ck_action_value(struct cg *cg, struct ast_expr *e)
{
	if (cg_datum_kind(e) != DT_ACT_NONE)
		return ck_no_action(cg, e);
	e->type = cg->g->t_void;
	cg->action = e;
	return true;
}

const struct cg_sym *
cg_inline_function(struct cg *cg, const struct ast_expr *e)
{
	const struct cg_sym *sym = e->kind == AST_CALL ?
	    cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, e->u.ident.name) :
	    NULL;

	return sym != NULL && sym->kind == CG_SYM_INLINE && sym->is_array ?
	    sym :
	    NULL;
}

bool
ck_call(struct cg *cg, struct ast_expr *e)
{
	const char *name = e->u.ident.name;
	const struct dif_subrinfo *si = dif_subr_find_name(name);
	const struct cg_sym *function;

	if (cg->s->in_library && strcmp(name, "exists") == 0 &&
	    e->args.n == 1 && e->args.v[0]->kind == AST_STR)
		return ck_exists(cg, e);
	if (e->u.ident.module != NULL) {
		diag_error(cg->ds, D_IDENT_BADREF, e->span,
		    "%s`%s() cannot be "
		    "called: a probe calls no function of the kernel",
		    e->u.ident.module, name);
		diag_hint(
		    cg->ds, "its address is &%s`%s", e->u.ident.module, name);
		return false;
	}
	if (!cg_check_function(cg, e))
		return false;
	if (strcmp(name, "label") == 0 && cg_inline_function(cg, e) == NULL)
		return ck_label(cg, e);
	if (si != NULL)
		return ck_subroutine(cg, e, si);
	if (cg_is_aggfunc(name)) {
		diag_error(cg->ds, D_OP_ACT, e->span,
		    "%s() is an aggregating "
		    "function and must be assigned to an aggregation",
		    name);
		cg_aggfunc_hint(cg, e);
		return false;
	}
	if (cg_is_action(name))
		return ck_action_value(cg, e);
	function = cg_inline_function(cg, e);
	return function != NULL ? ck_inline(cg, e, function) :
				  ck_function_name(cg, e);
}
