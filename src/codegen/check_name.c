/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: variables, array elements, members and subroutine calls.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/habits.h"

static const char *const scope_prefix[] = { "", "self->", "this->" };

/* A name of D that cannot be used here, and why. */
struct later {
	const char *name;
	bool is_func;
	const char *reason;
};

static const struct later *
find_later(const char *name, bool is_func)
{
	static const struct later later[] = {
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

static void
refuse_later(struct cg *cg, const struct ast_expr *e, const struct later *l)
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
	    dif_subr_find_name(name) != NULL;
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

/* Is the name near to the unknown one a function's? */
static bool
is_near_function(
    struct cg *cg, uint8_t scope, const char *unknown, const char *near)
{
	const char *function = scope == DIFV_SCOPE_GLOBAL ?
	    cg_nearest_function(cg, unknown) :
	    NULL;

	return function != NULL && strcmp(function, near) == 0;
}

/* Hint at the name that was meant by an unknown one. */
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
	const struct later *later = find_later(name, false);

	if (scope == DIFV_SCOPE_GLOBAL && later != NULL) {
		if (cg_check_since(
			cg, e, cg_builtin_since(name), D_IDENT_UNDEF))
			refuse_later(cg, e, later);
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
	    find_later(e->u.ident.name, false) != NULL)
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
	size_t nerrors = cg->ds->nerrors;

	*symp = find_name(cg, e);
	if (*symp == NULL)
		*symp = find_elsewhere(cg, e);
	if (*symp == NULL)
		return cg->ds->nerrors == nerrors && refuse_unknown(cg, e);
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
	    find_later(id->u.ident.name, false) == NULL;
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

/* ---- members ------------------------------------------------------------- */

const struct ctf_member *
cg_member(const struct ast_expr *e, uint64_t *bit_off)
{
	struct ctf_type *t = ctf_resolve(e->a->type);

	if (e->u.ident.arrow)
		t = ctf_resolve(t->ref);
	return ctf_member_find(t, e->u.ident.name, bit_off);
}

#define MAX_ALL 24    /* members that are listed if none is near */
#define MAX_ALIKE 12  /* listed members that have a word of the name */
#define MAX_SEEN 4096 /* members without a name may contain themselves */

static bool
has_word(const char *name, const char *word, size_t len)
{
	for (;; name++) {
		size_t n = strcspn(name, "_");

		if (n == len && strncmp(name, word, n) == 0)
			return true;
		name += n;
		if (*name == '\0')
			return false;
	}
}

/* Do the names share a word of two letters or more, between underscores? */
static bool
shares_word(const char *a, const char *b)
{
	for (;; a++) {
		size_t n = strcspn(a, "_");

		if (n > 1 && has_word(b, a, n))
			return true;
		a += n;
		if (*a == '\0')
			return false;
	}
}

struct cg_wanted
cg_want(const char *name)
{
	return (struct cg_wanted){ .near = near_start(name) };
}

void
cg_want_try(struct cg_wanted *w, const char *name)
{
	near_try(&w->near, name);
	if (w->n++ < MAX_ALL)
		strbuf_printf(&w->all, "%s%s", w->n > 1 ? ", " : "", name);
	if (shares_word(w->near.to, name) && w->nalike++ < MAX_ALIKE)
		strbuf_printf(
		    &w->alike, "%s%s", w->nalike > 1 ? ", " : "", name);
}

void
cg_suggest_wanted(struct cg *cg, struct cg_wanted *w, const char *type)
{
	if (w->near.name != NULL)
		diag_hint(cg->ds, "did you mean '%s'?", w->near.name);
	else if (w->n > 0 && w->n <= MAX_ALL)
		diag_hint(cg->ds, "the members are %s", w->all.s);
	else if (w->nalike > 0 && w->nalike <= MAX_ALIKE)
		diag_hint(cg->ds, "members like it: %s", w->alike.s);
	else if (w->n > 0 && type != NULL)
		diag_hint(cg->ds, "dtrace -T '%s' lists the members", type);
	strbuf_fini(&w->all);
	strbuf_fini(&w->alike);
}

/* Members of a struct without a name are taken as its own. */
static void
want_among(struct cg_wanted *w, const struct ctf_type *sou)
{
	VEC_FOREACH(&sou->members, m) {
		struct ctf_type *t = ctf_resolve(m->type);

		if (w->nseen++ == MAX_SEEN)
			return;
		if (m->name != NULL)
			cg_want_try(w, m->name);
		else if (ctf_is_sou(t))
			want_among(w, t);
	}
}

void
cg_suggest_member(struct cg *cg, const struct ctf_type *sou, const char *name)
{
	struct cg_wanted w = cg_want(name);
	const char *habit = habit_hint(HABIT_IS_MEMBER, name);

	if (habit != NULL) {
		diag_hint(cg->ds, "%s", habit);
		return;
	}
	want_among(&w, sou);
	cg_suggest_wanted(
	    cg, &w, sou->name != NULL ? ctf_type_name(cg->g, sou) : NULL);
}

static bool
refuse_member(struct cg *cg, const struct ast_expr *e, const char *what)
{
	const struct ctf_type *p = cg_decay(cg, e->a);

	diag_error(cg->ds, D_OP_SOU, e->span,
	    "operator %s needs a %s, not an operand of type %s",
	    e->u.ident.arrow ? "->" : ".", what, cg_tn(cg, e->a->type));
	if (!e->u.ident.arrow && cg_is_string(e->a->type))
		diag_hint(cg->ds,
		    "strjoin(a, b) joins two strings, and strlen(s) is the "
		    "length of one");
	if (!e->u.ident.arrow && p != NULL && ctf_is_sou(ctf_resolve(p->ref)))
		diag_hint(cg->ds,
		    "members of what a pointer points to are "
		    "taken with ->");
	return false;
}

bool
ck_member(struct cg *cg, struct ast_expr *e)
{
	const struct ctf_member *m;
	struct ast_expr *before, *tr;
	struct ctf_type *t, *p;
	uint64_t bit_off;

	if (!cg_translation(cg, e->a, &tr, &before))
		return false;
	if (tr != NULL)
		return ck_translated_member(cg, e, tr, before);
	if (!ck_expr(cg, e->a)) {
		if (cg_is_args(cg, e->a))
			diag_hint(cg->ds,
			    "bpftrace's args.NAME is args[0], args[1], ...: "
			    "dtrace -lvn PROBE lists a probe's arguments");
		return false;
	}
	t = ctf_resolve(e->a->type);
	if (e->u.ident.arrow) {
		p = cg_decay(cg, e->a);
		if (p == NULL) {
			diag_error(cg->ds, D_OP_PTR, e->span,
			    "operator -> "
			    "needs a pointer, not an operand of type %s",
			    cg_tn(cg, e->a->type));
			if (ctf_is_sou(t))
				diag_hint(cg->ds,
				    "members of a struct itself "
				    "are taken with .");
			else if (ctf_is_integer(t))
				diag_hint(cg->ds,
				    "cast an address to a pointer first: "
				    "((struct NAME *)address)->%s",
				    e->u.ident.name);
			return false;
		}
		t = ctf_resolve(p->ref);
	}
	if (!ctf_is_sou(t))
		return refuse_member(cg, e,
		    e->u.ident.arrow ? "pointer to a struct or union" :
				       "struct or union");
	if (t->is_incomplete)
		return cg_refuse_incomplete(cg, e->span, t);
	m = ctf_member_find(t, e->u.ident.name, &bit_off);
	if (m == NULL && cg_refuse_unavailable(cg, e, t))
		return false;
	if (m == NULL) {
		diag_error(cg->ds, D_TYPE_MEMBER, e->span,
		    "%s has no member '%s'", cg_tn(cg, t), e->u.ident.name);
		cg_suggest_member(cg, t, e->u.ident.name);
		return false;
	}
	if (m->bits != 0 && cg_unit(m, bit_off).pos + m->bits > 64) {
		diag_error(cg->ds, D_CG_EXPR, e->span,
		    "bit-field '%s' lies in "
		    "nine bytes, and no load takes more than eight",
		    e->u.ident.name);
		return false;
	}
	e->type = m->type;
	e->is_lvalue = true;
	t = ctf_resolve(m->type);
	if (t->kind == CTF_K_ARRAY && t->nelems == 0) {
		/* char data[]: the address is known, the length is not */
		e->type = ctf_pointer(cg->g, t->ref, cg_in_userland(e));
		e->is_lvalue = false;
	}
	return true;
}

/* ---- subroutines --------------------------------------------------------- */

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
	const struct later *later = find_later(name, true);
	const struct cg_sym *sym;

	if (later != NULL) {
		refuse_later(cg, e, later);
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
