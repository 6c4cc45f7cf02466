/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: variables, and elements of arrays.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"
#include "lang/habits.h"

static const char *const scope_prefix[] = { "", "self->", "this->" };

const struct cg_later *
cg_find_later(const char *name, bool is_func)
{
	static const struct cg_later later[] = {
#define LATER_FUNC(name, reason) { #name, true, reason },
#define LATER_VAR(name, reason) { #name, false, reason },
#include "codegen/names_later.def"
#undef LATER_FUNC
#undef LATER_VAR
	};

	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		if (later[i].is_func == is_func &&
		    strcmp(later[i].name, name) == 0)
			return &later[i];
	}
	return NULL;
}

void
cg_refuse_later(
    struct cg *cg, const struct ast_expr *e, const struct cg_later *l)
{
	const char *parens = l->is_func ? "()" : "";

	diag_error(cg->ds, l->is_func ? D_FUNC_UNDEF : D_VAR_UNSUP, e->span,
	    "%s%s is not available: %s", l->name, parens, l->reason);
}

/* ---- identifiers --------------------------------------------------------- */

static bool
is_function(const char *name)
{
	return cg_is_action(name) || cg_is_aggfunc(name) ||
	    dif_subr_find_name(name) != NULL || strcmp(name, "label") == 0;
}

/* An operand that is a word: "$1" in the source stands for it. */
static bool
hint_at_operand(struct cg *cg, const struct ast_expr *e)
{
	const char *text = diag_text(cg->ds, e->span);
	size_t len;

	if (text[0] != '$')
		return false;
	len = strspn(text + 1, "0123456789");
	if (len == 0)
		return false;
	diag_hint(cg->ds,
	    "%.*s is the operand as D reads it: $%.*s is its text",
	    (int)len + 1, text, (int)len + 1, text);
	return true;
}

/* "it is a function: rand()", or with arguments exit(...) */
static void
hint_at_call(struct cg *cg, const char *name)
{
	const struct dif_subrinfo *si = dif_subr_find_name(name);
	bool is_empty = si != NULL && strstr(si->proto, "()") != NULL;

	diag_hint(
	    cg->ds, "it is a function: %s(%s)", name, is_empty ? "" : "...");
}

/* Is `near`, which resembles the unknown name, the name of a function? */
static bool
is_near_function(
    struct cg *cg, uint8_t scope, const char *unknown, const char *near)
{
	const char *function = scope == DIFV_SCOPE_GLOBAL ?
	    cg_nearest_function(cg, unknown) :
	    NULL;

	return function != NULL && strcmp(function, near) == 0;
}

/* Hint at a known name that resembles the unknown one. */
static void
hint_at_name(struct cg *cg, uint8_t scope, const struct ast_expr *e)
{
	const char *name = e->u.ident.name;
	const char *near = cg_nearest(cg, scope, name);
	const char *habit =
	    scope == DIFV_SCOPE_GLOBAL ? habit_hint(HABIT_IS_VAR, name) : NULL;

	if (hint_at_operand(cg, e))
		return;
	if (habit != NULL)
		diag_hint(cg->ds, "%s", habit);
	else if (scope == DIFV_SCOPE_GLOBAL && is_function(name))
		hint_at_call(cg, name);
	else if (near != NULL)
		diag_hint(cg->ds, "did you mean %s%s%s?", scope_prefix[scope],
		    near, is_near_function(cg, scope, name, near) ? "()" : "");
	else if (dif_subr_find_name(name) != NULL || cg_is_action(name))
		diag_hint(cg->ds, "%s is a function: %s(...)", name, name);
	else if (cg_hint_imports(cg))
		return;
	else if (scope == DIFV_SCOPE_GLOBAL &&
	    (near = cg_nearest_type(cg, name)) != NULL)
		diag_hint(cg->ds, "did you mean %s?", near);
	else
		diag_hint(cg->ds,
		    "a variable must be assigned or declared "
		    "before it is used");
}

static bool
refuse_unknown(struct cg *cg, const struct ast_expr *e)
{
	const char *name = e->u.ident.name;
	uint8_t scope = cg_scope(e->u.ident.scope);
	const struct cg_later *later = cg_find_later(name, false);

	if (scope == DIFV_SCOPE_GLOBAL && later != NULL) {
		if (cg_check_since(
			cg, e, cg_builtin_since(name), D_IDENT_UNDEF))
			cg_refuse_later(cg, e, later);
		return false;
	}
	if (scope == DIFV_SCOPE_GLOBAL && cg->defining != NULL &&
	    strcmp(cg->defining, name) == 0) {
		diag_error(cg->ds, D_IDENT_BADREF, e->span,
		    "inline '%s' refers to itself", name);
		return false;
	}
	if (scope == DIFV_SCOPE_GLOBAL)
		diag_error(
		    cg->ds, D_IDENT_UNDEF, e->span, "unknown name '%s'", name);
	else
		diag_error(cg->ds, D_VAR_UNDEF, e->span,
		    "%s%s has not been declared or assigned",
		    scope_prefix[scope], name);
	hint_at_name(cg, scope, e);
	return false;
}

static struct cg_sym *
find_name(struct cg *cg, const struct ast_expr *e)
{
	struct cg_sym *param;

	if (e->u.ident.module != NULL)
		return NULL;
	param = e->u.ident.scope == AST_GLOBAL ?
	    cg_param_find(cg, e->u.ident.name) :
	    NULL;
	return param != NULL ?
	    param :
	    cg_sym_find(cg->s, cg_scope(e->u.ident.scope), e->u.ident.name);
}

/* A name that the script did not define may be an enumerator of the kernel. */
static struct cg_sym *
find_elsewhere(struct cg *cg, const struct ast_expr *e)
{
	if (e->u.ident.scope != AST_GLOBAL ||
	    cg_find_later(e->u.ident.name, false) != NULL)
		return NULL;
	return cg_find_enumerator(cg, e);
}

static bool
is_args(const struct cg_sym *sym)
{
	return sym != NULL && sym->kind == CG_SYM_BUILTIN &&
	    sym->id == DIF_VAR_ARGS;
}

static bool
is_uregs(const struct cg_sym *sym)
{
	return sym->kind == CG_SYM_BUILTIN && sym->id == DIF_VAR_UREGS;
}

/* Find the symbol, and refuse one that cannot be used at all. */
static bool
resolve_name(struct cg *cg, struct ast_expr *e, struct cg_sym **symp)
{
	size_t nerrors = cg->ds->list.n;

	*symp = find_name(cg, e);
	if (*symp == NULL)
		*symp = find_elsewhere(cg, e);
	if (*symp == NULL)
		return cg->ds->list.n == nerrors && refuse_unknown(cg, e);
	if (is_args(*symp)) {
		diag_error(cg->ds, D_ARR_BADREF, e->span,
		    "args[] needs an index: args[0] is the first argument");
		return false;
	}
	cg->lack = (*symp)->lacks;
	if (cg->lack != NULL)
		diag_error(cg->ds, D_IDENT_UNDEF, e->span,
		    "'%s' is not available: %s", (*symp)->name, cg->lack);
	return !(*symp)->is_broken;
}

bool
ck_ident(struct cg *cg, struct ast_expr *e)
{
	struct cg_sym *sym;

	if (cg_is_symbol(cg, e))
		return ck_symbol(cg, e, false);
	if (!resolve_name(cg, e, &sym))
		return false;
	if (is_uregs(sym)) {
		diag_error(cg->ds, D_ARR_BADREF, e->span,
		    "uregs[] needs an index: uregs[R_PC] is where the program "
		    "was");
		return false;
	}
	if (sym->is_array) {
		bool is_inline = sym->kind == CG_SYM_INLINE;
		unsigned n = is_inline ? sym->params.n : sym->nkeys;

		diag_error(cg->ds, D_ARR_BADREF, e->span,
		    "%s%s is an %s and "
		    "needs %u %s%s",
		    scope_prefix[sym->scope], sym->name,
		    is_inline ? "inline" : "associative array", n,
		    is_inline ? "argument" : "key", n == 1 ? "" : "s");
		return false;
	}
	if (!cg_check_since(cg, e, sym->since, D_IDENT_UNDEF))
		return false;
	e->sym = sym;
	if (sym->kind == CG_SYM_INLINE)
		return ck_inline(cg, e, sym);
	e->type = sym->type;
	e->is_lvalue = sym->kind == CG_SYM_VAR;
	if (sym->kind == CG_SYM_ENUM) {
		e->is_const = true;
		e->const_value = (uint64_t)sym->value;
	}
	return true;
}

/* ---- declaration by assignment ------------------------------------------- */

/* The identifier that an assignment to `target` would declare. */
static const struct ast_expr *
target_ident(const struct ast_expr *target)
{
	if (target->kind == AST_INDEX)
		target = target->a;
	return target->kind == AST_IDENT ? target : NULL;
}

/*
 * Scripts of other systems fill arrays with names of errors and signals: the
 * functions of our libraries do not take these names from them.
 */
static bool
is_taken(const struct cg *cg, const struct cg_sym *sym)
{
	if (sym == NULL)
		return false;
	return sym->kind != CG_SYM_INLINE || !sym->is_array ||
	    !sym->is_library || cg->s->in_library;
}

bool
ck_is_new_var(struct cg *cg, const struct ast_expr *target)
{
	const struct ast_expr *id = target_ident(target);

	if (id == NULL || id->u.ident.module != NULL ||
	    is_taken(cg, find_name(cg, id)))
		return false;
	return id->u.ident.scope != AST_GLOBAL ||
	    cg_find_later(id->u.ident.name, false) == NULL;
}

static bool
check_key_count(struct cg *cg, const struct ast_expr *e)
{
	if (e->args.n <= DIF_NTREGS)
		return true;
	diag_error(cg->ds, D_PROTO_LEN, e->span,
	    "an associative array has at most %u keys, not %zu", DIF_NTREGS,
	    e->args.n);
	return false;
}

bool
ck_declare_target(struct cg *cg, struct ast_expr *target, struct ctf_type *type)
{
	const struct ast_expr *id = target_ident(target);
	uint8_t scope = cg_scope(id->u.ident.scope);
	struct ctf_type **keys = NULL;
	struct cg_sym *sym;

	if (target->kind == AST_INDEX) {
		if (scope == DIFV_SCOPE_LOCAL) {
			diag_error(cg->ds, D_ARR_LOCAL, target->span,
			    "this->%s cannot be an associative array",
			    id->u.ident.name);
			diag_hint(cg->ds, "use self->%s[...] or a global array",
			    id->u.ident.name);
			return false;
		}
		if (!check_key_count(cg, target))
			return false;
		keys = arena_alloc(
		    &cg->s->arena, target->args.n * sizeof(*keys) + 1);
		for (size_t i = 0; i < target->args.n; i++) {
			struct ast_expr *key = target->args.v[i];

			if (!ck_expr(cg, key) ||
			    !ck_is_key(cg, key, id->u.ident.name, (int)i + 1))
				return false;
			keys[i] = key->type;
		}
	}
	sym = cg_var_add(cg->s, scope, id->u.ident.name, type);
	sym->is_array = target->kind == AST_INDEX;
	sym->keys = keys;
	sym->nkeys = sym->is_array ? (uint32_t)target->args.n : 0;
	return true;
}

/* ---- keys and arguments -------------------------------------------------- */

/*
 * A struct made by a translator cannot be used whole: its members are computed
 * one by one.
 */
static bool
is_translated(const struct ast_expr *e)
{
	if (ctf_is_pointer(e->type))
		return false;
	if (e->kind == AST_UNARY && e->op == AST_OP_DEREF)
		return ck_points_to_translation(e->a);
	while (e->kind != AST_XLATE && e->inst != NULL)
		e = e->inst;
	return e->kind == AST_XLATE;
}

bool
ck_is_key(struct cg *cg, struct ast_expr *e, const char *what, int no)
{
	struct ctf_type *r = ctf_resolve(e->type);

	if (!ctf_is_void(e->type) && r->kind != CTF_K_FUNCTION &&
	    r->kind != CTF_K_D_STACK && r->kind != CTF_K_D_SYM &&
	    !is_translated(e))
		return true;
	diag_error(cg->ds, D_KEY_TYPE, e->span,
	    "key %d of %s cannot have type %s", no, what, cg_tn(cg, e->type));
	return false;
}

/* Can `e` be used as a key of the array's signature? */
bool
ck_same_key(struct cg *cg, const struct ast_expr *e, struct ctf_type *key)
{
	(void)cg;
	if (cg_is_scalar(key))
		return cg_is_scalar(e->type);
	if (cg_is_string(key))
		return cg_is_strcompat(e->type);
	return ctf_type_compat(key, e->type);
}

static bool
ck_keys(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym)
{
	if (e->args.n != sym->nkeys) {
		diag_error(cg->ds, D_PROTO_LEN, e->span,
		    "%s%s takes %u key%s, not %zu", scope_prefix[sym->scope],
		    sym->name, sym->nkeys, sym->nkeys == 1 ? "" : "s",
		    e->args.n);
		return false;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		struct ast_expr *key = e->args.v[i];

		if (!ck_expr(cg, key) ||
		    !ck_is_key(cg, key, sym->name, (int)i + 1))
			return false;
		if (ck_same_key(cg, key, sym->keys[i]))
			continue;
		diag_error(cg->ds, D_PROTO_ARG, key->span,
		    "key %zu of %s%s is of type %s, not %s", i + 1,
		    scope_prefix[sym->scope], sym->name,
		    cg_tn(cg, sym->keys[i]), cg_tn(cg, key->type));
		return false;
	}
	return true;
}

/* base[index], as in C. */
static bool
ck_element(struct cg *cg, struct ast_expr *e)
{
	struct ctf_type *p;

	if (!ck_expr(cg, e->a))
		return false;
	p = cg_pointer(cg, e->a);
	if (p == NULL) {
		diag_error(cg->ds, D_ARR_BADREF, e->span,
		    "an operand of type "
		    "%s is not an array",
		    cg_tn(cg, e->a->type));
		return false;
	}
	if (e->args.n != 1 || !ck_expr(cg, e->args.v[0])) {
		if (e->args.n != 1)
			diag_error(cg->ds, D_ARR_BADREF, e->span,
			    "an array of C has one index, not %zu", e->args.n);
		return false;
	}
	if (!ctf_is_integer(e->args.v[0]->type)) {
		diag_error(cg->ds, D_OP_INT, e->args.v[0]->span,
		    "an index must be an integer, not %s",
		    cg_tn(cg, e->args.v[0]->type));
		return false;
	}
	if (ctf_is_void(p->ref) || ctf_resolve(p->ref)->is_incomplete) {
		diag_error(cg->ds,
		    ctf_is_void(p->ref) ? D_DEREF_VOID : D_OP_INCOMPLETE,
		    e->span, "elements of type %s cannot be loaded",
		    cg_tn(cg, p->ref));
		return false;
	}
	e->type = p->ref;
	e->is_lvalue = true;
	return true;
}

bool
cg_is_args(struct cg *cg, const struct ast_expr *e)
{
	return e->kind == AST_IDENT && is_args(find_name(cg, e));
}

/* R_TRAPNO of dlib/regs.d is the last. */
#define UREGS_MAX 25

static bool
ck_uregs(struct cg *cg, struct ast_expr *e, struct cg_sym *sym)
{
	struct ast_expr *index = e->args.n == 1 ? e->args.v[0] : NULL;

	if (index != NULL && !ck_expr(cg, index))
		return false;
	if (index == NULL || !ctf_is_integer(index->type)) {
		diag_error(cg->ds, D_REGS_IDX, e->span,
		    "uregs[] has one index, an integer: R_PC, R_SP, R_RAX, ...");
		return false;
	}
	if (index->is_const && index->const_value > UREGS_MAX) {
		diag_error(cg->ds, D_REGS_IDX, e->span,
		    "uregs[%lld] does not exist: there are 0 (R_R15) to %d "
		    "(R_TRAPNO)",
		    (long long)index->const_value, UREGS_MAX);
		return false;
	}
	e->sym = sym;
	e->type = sym->type;
	return true;
}

bool
ck_index(struct cg *cg, struct ast_expr *e)
{
	struct cg_sym *sym;

	if (e->a->kind == AST_AGG) {
		diag_error(cg->ds, D_AGG_MDIM, e->span,
		    "an aggregation has "
		    "one list of keys: @%s[a, b]",
		    ast_agg_name(e->a->u.ident.name));
		return false;
	}
	if (e->a->kind != AST_IDENT || cg_is_symbol(cg, e->a))
		return ck_element(cg, e);
	if (cg_is_args(cg, e->a))
		return cg_resolve_args(cg, e) && ck_expr(cg, e);
	if (!resolve_name(cg, e->a, &sym))
		return false;
	if (sym->kind == CG_SYM_INLINE && sym->is_array)
		return ck_inline(cg, e, sym);
	if (is_uregs(sym))
		return ck_uregs(cg, e, sym);
	if (!sym->is_array)
		return ck_element(cg, e);
	if (!ck_keys(cg, e, sym))
		return false;
	e->sym = sym;
	e->type = sym->type;
	e->is_lvalue = true;
	return true;
}
