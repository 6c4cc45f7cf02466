/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations to types: basic types, and declarators.
 */
#include "codegen/cg_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "lang/habits.h"

#define MAX_TYPE_PARTS 512 /* types are walked by recursion */

/* ---- basic types --------------------------------------------------------- */

/*
 * Do the specifiers make a combination that C allows?  `base` is the word
 * beside signed, unsigned, short and long; "int" if there is none.
 */
static bool
check_specifiers(struct cg *cg, const struct ast_decl *d, const char *base)
{
	bool is_int = strcmp(base, "int") == 0;
	bool is_wide = strcmp(base, "__int128") == 0;
	bool is_real =
	    strcmp(base, "float") == 0 || strcmp(base, "double") == 0;
	bool has_size = d->n_short + d->n_long > 0;
	bool has_sign = d->n_signed + d->n_unsigned > 0;

	if (strcmp(base, "char") == 0 && has_size)
		diag_error(cg->ds, D_DECL_CHARATTR, d->span,
		    "short and long cannot qualify char");
	else if (strcmp(base, "void") == 0 && (has_size || has_sign))
		diag_error(cg->ds, D_DECL_VOIDATTR, d->span,
		    "void takes no attributes");
	else if (d->n_complex > 1 || (d->n_complex && !is_real))
		diag_error(cg->ds, D_DECL_COMBO, d->span,
		    "_Complex qualifies float, double and long double, not %s",
		    base);
	else if (has_sign && !is_int && !is_wide && strcmp(base, "char") != 0)
		diag_error(cg->ds, D_DECL_SIGNINT, d->span,
		    "signed and unsigned qualify integer types, not %s", base);
	else if (has_size && !is_int &&
	    !(d->n_long == 1 && d->n_short == 0 && strcmp(base, "double") == 0))
		diag_error(cg->ds, D_DECL_LONGINT, d->span,
		    "short and long qualify integer types, not %s", base);
	else if ((d->n_signed && d->n_unsigned) || d->n_long > 2 ||
	    (d->n_short && d->n_long) || d->n_short > 1 || d->n_signed > 1 ||
	    d->n_unsigned > 1)
		diag_error(cg->ds, D_DECL_COMBO, d->span,
		    "invalid combination of type specifiers");
	else
		return true;
	return false;
}

static struct ctf_type *
named_type(struct cg *cg, const struct ast_decl *d, const char *name)
{
	const char *habit = habit_hint(HABIT_IS_TYPE, name);
	struct ctf_type *t;

	if (strchr(name, '`') != NULL)
		return cg_scoped_type(cg, CTF_SP_ORDINARY, name, d->base_span);
	t = ctf_find(cg->g, CTF_SP_ORDINARY, name);
	if (t == NULL) {
		diag_error(cg->ds, D_TYPE_ERR,
		    d->base_span.source != 0 ? d->base_span : d->span,
		    "unknown type '%s'", name);
		if (habit != NULL)
			diag_hint(cg->ds, "%s", habit);
		else if (!cg_hint_imports(cg))
			cg_suggest_type(cg, CTF_SP_ORDINARY, name);
	}
	return t;
}

/* The words of a type in canonical order. */
static void
spell(const struct ast_decl *d, const char *base, char *name, size_t size)
{
	const char *sign = d->n_unsigned ? "unsigned " : "";

	if (strcmp(base, "int") == 0)
		snprintf(name, size, "%s%s", sign,
		    d->n_short	       ? "short" :
			d->n_long == 2 ? "long long" :
			d->n_long      ? "long" :
					 "int");
	else if (strcmp(base, "char") == 0 && d->n_signed)
		snprintf(name, size, "signed char");
	else
		snprintf(name, size, "%s%s%s%s", sign, d->n_long ? "long " : "",
		    base, d->n_complex ? " _Complex" : "");
}

static struct ctf_type *
basic_type(struct cg *cg, struct ast_decl *d)
{
	unsigned nwords =
	    d->n_short + d->n_long + d->n_signed + d->n_unsigned + d->n_complex;
	/* GNU C: _Complex alone is _Complex double */
	const char *base = d->base != NULL ? d->base :
	    d->n_complex		   ? "double" :
					     "int";
	char name[64];

	if (d->base == NULL && nwords == 0) {
		diag_error(cg->ds, D_DECL_COMBO, d->span,
		    "declaration without a type");
		return NULL;
	}
	if (!check_specifiers(cg, d, base))
		return NULL;
	if (nwords == 0)
		return named_type(cg, d, base);
	spell(d, base, name, sizeof(name));
	return named_type(cg, d, name);
}

/* short, long, signed and unsigned cannot qualify a struct, union or enum. */
static bool
check_tag_specifiers(struct cg *cg, const struct ast_decl *d)
{
	bool has_size = d->n_short + d->n_long > 0;

	if (d->tag == AST_TAG_NONE ||
	    (!has_size && d->n_signed + d->n_unsigned == 0))
		return true;
	diag_error(cg->ds, has_size ? D_DECL_LONGINT : D_DECL_SIGNINT, d->span,
	    "%s qualify integer types, not a struct, union or enum",
	    has_size ? "short and long" : "signed and unsigned");
	return false;
}

static struct ctf_type *
base_type(struct cg *cg, struct ast_decl *d)
{
	struct ctf_type *t;

	if (!check_tag_specifiers(cg, d))
		return NULL;
	switch (d->tag) {
	case AST_TAG_STRUCT:
	case AST_TAG_UNION:
		t = cg_sou_type(cg, d);
		break;
	case AST_TAG_ENUM:
		t = cg_enum_type(cg, d);
		break;
	default:
		t = basic_type(cg, d);
		break;
	}
	if (t != NULL && d->is_const)
		t = ctf_qualified(cg->g, t, CTF_K_CONST);
	if (t != NULL && d->is_volatile)
		t = ctf_qualified(cg->g, t, CTF_K_VOLATILE);
	return t;
}

/* ---- declarators --------------------------------------------------------- */

static bool
array_bound(struct cg *cg, const struct ast_decl *d, struct ast_declarator *dt,
    int64_t *n)
{
	*n = 0;
	if (dt->size == NULL && dt->may_be_empty)
		return true;
	if (dt->size == NULL) {
		diag_error(
		    cg->ds, D_DECL_ARRNULL, d->span, "an array needs a size");
		return false;
	}
	if (!ck_expr(cg, dt->size))
		return false;
	*n = (int64_t)dt->size->const_value;
	if (dt->size->is_const && (*n > 0 || (*n == 0 && dt->may_be_empty)))
		return true;
	diag_error(cg->ds, D_DECL_ARRSUB, dt->size->span,
	    "the size of an array must be a positive integer constant");
	return false;
}

static struct ctf_type *
array_type(struct cg *cg, struct ast_decl *d, struct ast_declarator *dt,
    struct ctf_type *of)
{
	int64_t n;

	if (!array_bound(cg, d, dt, &n))
		return NULL;
	if (ctf_resolve(of)->kind == CTF_K_D_STRING) {
		diag_error(cg->ds, D_DECL_DYNOBJ, d->span,
		    "an array of strings cannot be declared");
		diag_hint(cg->ds, "use an associative array: string x[int]");
		return NULL;
	}
	if (ctf_is_void(of) || ctf_resolve(of)->is_incomplete) {
		diag_error(cg->ds, D_DECL_INCOMPLETE, d->span,
		    "an array of %s cannot be declared", cg_tn(cg, of));
		return NULL;
	}
	if (ctf_resolve(of)->size != 0 &&
	    (uint64_t)n > MAX_TYPE_SIZE / ctf_resolve(of)->size) {
		diag_error(cg->ds, D_DECL_ARRBIG, dt->size->span,
		    "the array is larger than %llu bytes",
		    (unsigned long long)MAX_TYPE_SIZE);
		return NULL;
	}
	return ctf_array(cg->g, of, (uint64_t)n);
}

static bool
is_void_list(const struct ast_declarator *dt)
{
	return dt->types.n == 1 && !dt->varargs &&
	    dt->types.v[0]->name == NULL && dt->types.v[0]->dtor == NULL;
}

static struct ctf_type *
function_type(struct cg *cg, struct ast_declarator *dt, struct ctf_type *result)
{
	struct ctf_type *t = ctf_new(cg->g, CTF_K_FUNCTION);

	t->ref = result;
	t->varargs = dt->varargs;
	for (size_t i = 0; i < dt->types.n; i++) {
		struct ctf_type *p = cg_decl_type(cg, dt->types.v[i]);

		if (p == NULL)
			return NULL;
		if (ctf_is_void(p) && !is_void_list(dt)) {
			diag_error(cg->ds, D_DECL_PROTO_VOID,
			    dt->types.v[i]->span,
			    "(void) declares that there are no parameters: "
			    "no other parameter may follow");
			return NULL;
		}
		VEC_PUSH(&t->params, p);
	}
	return t;
}

/*
 * No type is derived from an associative array.  As in C, functions return
 * neither arrays nor functions, and there are no arrays of functions.
 */
static bool
check_derivation(
    struct cg *cg, const struct ast_decl *d, const struct ast_declarator *dt)
{
	static const char *const nouns[] = { [AST_D_POINTER] = "pointer to",
		[AST_D_ARRAY] = "array of",
		[AST_D_ASSOC] = "array of",
		[AST_D_FUNC] = "function that returns" };
	const struct ast_declarator *of = dt->next;

	if (of == NULL || of->kind == AST_D_POINTER ||
	    (of->kind == AST_D_ARRAY && dt->kind != AST_D_FUNC) ||
	    (of->kind == AST_D_FUNC && dt->kind == AST_D_POINTER))
		return true;
	diag_error(cg->ds, D_DECL_DYNOBJ, d->span, "there is no %s %s",
	    nouns[dt->kind],
	    of->kind == AST_D_ASSOC	? "associative arrays" :
		of->kind == AST_D_ARRAY ? "arrays" :
					  "functions");
	return false;
}

/*
 * The chain names the outermost derivation first (what the identifier is), so
 * the type is built from its end.  An associative array's type is that of its
 * elements; its keys are the caller's business.
 */
static struct ctf_type *
derive(struct cg *cg, struct ast_decl *d, struct ast_declarator *dt,
    struct ctf_type *t)
{
	if (dt == NULL)
		return t;
	if (!check_derivation(cg, d, dt))
		return NULL;
	t = derive(cg, d, dt->next, t);
	if (t == NULL)
		return NULL;
	switch (dt->kind) {
	case AST_D_POINTER:
		t = ctf_pointer(cg->g, t, dt->is_userland || d->is_userland);
		if (dt->is_const)
			t = ctf_qualified(cg->g, t, CTF_K_CONST);
		if (dt->is_volatile)
			t = ctf_qualified(cg->g, t, CTF_K_VOLATILE);
		return t;
	case AST_D_ARRAY:
		return array_type(cg, d, dt, t);
	case AST_D_FUNC:
		return function_type(cg, dt, t);
	case AST_D_ASSOC:
		break;
	}
	return t;
}

struct ctf_type *
cg_var_type(struct cg *cg, struct ast_decl *d)
{
	struct ctf_type *t = base_type(cg, d);
	unsigned n = 0;

	if (t != NULL)
		t = derive(cg, d, d->dtor, t);
	for (struct ctf_type *p = t; p != NULL && n <= MAX_TYPE_PARTS;
	     p = p->ref)
		n++;
	if (n <= MAX_TYPE_PARTS)
		return t;
	diag_error(cg->ds, D_TYPE_ERR, d->span,
	    "the type is made of more than %d others", MAX_TYPE_PARTS);
	return NULL;
}

struct ctf_type *
cg_decl_type(struct cg *cg, struct ast_decl *d)
{
	if (d->dtor == NULL || d->dtor->kind != AST_D_ASSOC)
		return cg_var_type(cg, d);
	diag_error(cg->ds, D_DECL_DYNOBJ, d->span,
	    "only a global or self-> "
	    "variable or an inline can be an associative array");
	return NULL;
}
