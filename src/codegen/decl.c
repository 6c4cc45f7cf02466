/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations to types and variables.
 */
#include "codegen/cg_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/habits.h"

#define MAX_TYPE_SIZE (1ULL << 30)
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

/* ---- struct, union, enum ------------------------------------------------- */

static bool
check_bitfield(struct cg *cg, struct ast_decl *m, struct ctf_type *t, int *bits)
{
	int64_t width;

	if (!ctf_is_integer(t)) {
		diag_error(cg->ds, D_DECL_BFTYPE, m->span,
		    "bit-field '%s' must have an integer type, not %s",
		    m->name != NULL ? m->name : "", cg_tn(cg, t));
		return false;
	}
	if (!ck_expr(cg, m->bits))
		return false;
	if (!m->bits->is_const) {
		diag_error(cg->ds, D_DECL_BFCONST, m->bits->span,
		    "the width of a bit-field must be an integer constant");
		return false;
	}
	width = (int64_t)m->bits->const_value;
	if (width < 0 || width > (int64_t)(8 * ctf_resolve(t)->size) ||
	    (width == 0 && m->name != NULL)) {
		diag_error(cg->ds, D_DECL_BFSIZE, m->bits->span,
		    "a bit-field of type %s cannot have %lld bits",
		    cg_tn(cg, t), (long long)width);
		return false;
	}
	*bits = (int)width;
	return true;
}

static bool
check_member_type(struct cg *cg, struct ast_decl *m, struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);
	const char *name = m->name != NULL ? m->name : "";

	if (m->storage != AST_ST_NONE) {
		diag_error(cg->ds, D_DECL_BADCLASS, m->span,
		    "a member cannot have a storage class");
	} else if (ctf_is_void(t)) {
		diag_error(cg->ds, D_DECL_VOIDOBJ, m->span,
		    "member '%s' cannot have type void", name);
	} else if (r->is_incomplete || r->kind == CTF_K_FUNCTION) {
		diag_error(cg->ds, D_DECL_INCOMPLETE, m->span,
		    "member '%s' has incomplete type %s", name, cg_tn(cg, t));
		cg_hint_incomplete(cg, r);
	} else {
		return true;
	}
	return false;
}

/* A struct being laid out, and the names of its members so far. */
struct body {
	struct ctf_layout lo;
	struct strtab names;
};

static bool
add_member_name(
    struct cg *cg, struct body *b, const struct ast_decl *m, const char *name)
{
	if (strtab_find(&b->names, name) == 0) {
		strtab_intern(&b->names, name);
		return true;
	}
	diag_error(cg->ds, D_DECL_IDRED, m->span,
	    "member '%s' is declared twice", name);
	return false;
}

/* Members of an anonymous struct are also members of the enclosing one. */
static bool
add_member_names(
    struct cg *cg, struct body *b, const struct ast_decl *m, struct ctf_type *t)
{
	bool ok = true;

	if (m->name != NULL)
		return add_member_name(cg, b, m, m->name);
	if (!ctf_is_sou(t))
		return true;
	VEC_FOREACH(&ctf_resolve(t)->members, inner) {
		struct ast_decl unnamed = { .span = m->span };

		ok = ok &&
		    (inner->name != NULL ?
			    add_member_name(cg, b, m, inner->name) :
			    add_member_names(cg, b, &unnamed, inner->type));
	}
	return ok;
}

/* A string in a struct is stored there, in strsize bytes. */
static struct ctf_type *
member_room(struct cg *cg, struct ctf_type *t)
{
	return ctf_resolve(t)->kind != CTF_K_D_STRING ?
	    t :
	    ctf_array(cg->g, ctf_lookup(cg->g, CTF_SP_ORDINARY, "char"),
		cg->s->strsize);
}

static bool
check_member_size(struct cg *cg, const struct ctf_layout *lo,
    const struct ast_decl *m, struct ctf_type *t)
{
	if (lo->bit_off / 8 + ctf_resolve(member_room(cg, t))->size <=
	    MAX_TYPE_SIZE)
		return true;
	diag_error(cg->ds, D_DECL_ARRBIG, m->span,
	    "%s is larger than %llu bytes", cg_tn(cg, lo->type),
	    (unsigned long long)MAX_TYPE_SIZE);
	return false;
}

static bool
lay_out_member(struct cg *cg, struct body *b, struct ast_decl *m)
{
	struct ctf_type *t = cg_decl_type(cg, m);
	struct ctf_layout *lo = &b->lo;
	int bits = -1;

	if (t == NULL || !check_member_type(cg, m, t) ||
	    !check_member_size(cg, lo, m, t))
		return false;
	if (m->bits != NULL && !check_bitfield(cg, m, t, &bits))
		return false;
	if (m->name == NULL && bits == -1 &&
	    (!ctf_is_sou(t) || m->base != NULL)) {
		diag_error(cg->ds, D_DECL_USELESS, m->span,
		    "member declaration without a name");
		return false;
	}
	if (!add_member_names(cg, b, m, t))
		return false;
	if (m->name == NULL && bits > 0) { /* padding */
		lo->bit_off += (uint64_t)bits;
		return true;
	}
	ctf_layout_member(cg->g, lo, m->name, member_room(cg, t), bits);
	if (bits != 0)
		lo->type->members.v[lo->type->members.n - 1].type = t;
	return true;
}

/* Before a body: the tag must have no body yet. */
static bool
may_define(struct cg *cg, const struct ast_decl *d, struct ctf_type *t)
{
	if (!t->is_incomplete || t->same != NULL) {
		diag_error(cg->ds, D_DECL_TYPERED, d->span,
		    "%s is declared twice", cg_tn(cg, t));
		return false;
	}
	t->is_pending = false;
	t->import = NULL;
	return true;
}

/* The node of a tag; the tag may name a module. */
static struct ctf_type *
tag_type(struct cg *cg, const struct ast_decl *d, enum ctf_kind kind)
{
	if (d->base == NULL || strchr(d->base, '`') == NULL)
		return ctf_tag(cg->g, kind, d->base);
	if (d->has_body) {
		diag_error(cg->ds, D_DECL_SCOPE, d->base_span,
		    "a type of a module cannot be defined here");
		return NULL;
	}
	return cg_scoped_type(cg,
	    kind == CTF_K_STRUCT    ? CTF_SP_STRUCT :
		kind == CTF_K_UNION ? CTF_SP_UNION :
				      CTF_SP_ENUM,
	    d->base, d->base_span);
}

static struct ctf_type *
sou_type(struct cg *cg, struct ast_decl *d)
{
	enum ctf_kind kind =
	    d->tag == AST_TAG_STRUCT ? CTF_K_STRUCT : CTF_K_UNION;
	struct ctf_type *t = tag_type(cg, d, kind);
	struct body b = { .lo = { .type = t } };
	bool ok = true;

	if (t == NULL || !d->has_body)
		return t;
	/* `struct s { ... } a, b;`: the same body is seen once per name */
	if (cg->body != NULL && cg->body == d->members.v)
		return cg->body_type;
	if (!may_define(cg, d, t))
		return NULL;
	strtab_init(&b.names);
	for (size_t i = 0; i < d->members.n; i++) {
		struct ast_decl *m = d->members.v[i];

		for (; m != NULL; m = m->next)
			ok = lay_out_member(cg, &b, m) && ok;
	}
	strtab_fini(&b.names);
	ctf_layout_end(&b.lo);
	cg->body = d->members.v;
	cg->body_type = ok ? t : NULL;
	return cg->body_type;
}

/*
 * Enumerators are ints.  Headers that come with the preprocessor are written
 * for gcc: an enumerator there may need a larger type, and so may its enum.
 */
static struct ctf_type *
enumerator_type(struct cg *cg, struct ctf_type *t,
    const struct ast_enumerator *en, int64_t value)
{
	if (value >= INT32_MIN && value <= INT32_MAX)
		return cg->g->t_int;
	if ((cg->lc->flags & LANG_F_CPP) == 0) {
		diag_error(cg->ds, D_DECL_ENOFLOW, en->span,
		    "the value of '%s' does not fit in an int", en->name);
		return NULL;
	}
	if (value < 0 || value > UINT32_MAX)
		t->size = t->align = 8;
	else
		t->encoding &= ~(uint32_t)CTF_INT_SIGNED;
	return en->value != NULL ? en->value->type : cg->g->t_long;
}

static bool
add_enumerator(
    struct cg *cg, struct ctf_type *t, struct ast_enumerator *en, int64_t *next)
{
	struct ctf_enumerator ce = { .value = *next };
	struct ctf_type *type;
	struct cg_sym *sym;

	if (en->value != NULL) {
		if (!ck_expr(cg, en->value))
			return false;
		if (!en->value->is_const) {
			diag_error(cg->ds, D_DECL_ENCONST, en->value->span,
			    "the value of '%s' must be an integer constant",
			    en->name);
			return false;
		}
		ce.value = (int64_t)en->value->const_value;
	}
	type = enumerator_type(cg, t, en, ce.value);
	if (type == NULL)
		ce.value = 0; /* later uses are then not reported */
	if (cg_sym_taken(cg->s, DIFV_SCOPE_GLOBAL, en->name) != NULL) {
		diag_error(cg->ds, D_DECL_IDRED, en->span,
		    "'%s' is already declared", en->name);
		return false;
	}
	sym = cg_sym_add(cg->s, CG_SYM_ENUM, DIFV_SCOPE_GLOBAL, en->name,
	    type != NULL ? type : cg->g->t_int);
	sym->value = ce.value;
	ce.name = sym->name;
	VEC_PUSH(&t->enums, ce);
	*next = (int64_t)((uint64_t)ce.value + 1);
	return type != NULL;
}

static struct ctf_type *
enum_type(struct cg *cg, struct ast_decl *d)
{
	struct ctf_type *t = tag_type(cg, d, CTF_K_ENUM);
	int64_t next = 0;
	bool ok = true;

	if (t == NULL || !d->has_body)
		return t;
	if (cg->body != NULL && cg->body == d->enums.v)
		return cg->body_type;
	if (!may_define(cg, d, t))
		return NULL;
	t->size = 4;
	t->align = 4;
	t->is_incomplete = false;
	for (size_t i = 0; i < d->enums.n; i++)
		ok = add_enumerator(cg, t, &d->enums.v[i], &next) && ok;
	cg->body = d->enums.v;
	cg->body_type = ok ? t : NULL;
	return cg->body_type;
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
		t = sou_type(cg, d);
		break;
	case AST_TAG_ENUM:
		t = enum_type(cg, d);
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

/* ---- variables ----------------------------------------------------------- */

static bool
check_storage(struct cg *cg, const struct ast_decl *d)
{
	const char *what = NULL;

	switch (d->storage) {
	case AST_ST_STATIC:
		what = "static";
		break;
	case AST_ST_REGISTER:
		what = "register";
		break;
	case AST_ST_AUTO:
		what = "auto";
		break;
	case AST_ST_EXTERN:
	case AST_ST_NONE:
	case AST_ST_SELF:
	case AST_ST_THIS:
	case AST_ST_TYPEDEF:
		return true;
	}
	diag_error(cg->ds, D_DECL_BADCLASS, d->span,
	    "storage class %s is not supported in D", what);
	diag_hint(cg->ds,
	    "D variables are global, self-> (per thread) or "
	    "this-> (per firing)");
	return false;
}

bool
cg_check_object_type(
    struct cg *cg, const struct ast_decl *d, struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);

	if (ctf_is_void(t)) {
		diag_error(cg->ds, D_DECL_VOIDOBJ, d->span,
		    "'%s' cannot have type void", d->name);
	} else if (r->is_incomplete) {
		diag_error(cg->ds, D_DECL_INCOMPLETE, d->span,
		    "'%s' has incomplete type %s", d->name, cg_tn(cg, t));
		cg_hint_incomplete(cg, r);
	} else if (r->kind == CTF_K_FUNCTION) {
		diag_error(cg->ds, D_DECL_PROTO_TYPE, d->span,
		    "'%s': D programs cannot declare functions", d->name);
	} else {
		return true;
	}
	return false;
}

/* The size of stored types is limited; an inline may have any type. */
bool
cg_check_var_size(struct cg *cg, const struct ast_decl *d, struct ctf_type *t)
{
	uint64_t size = ctf_resolve(t)->size;

	if (!cg_is_byref(t) || size <= DIF_STATVAR_MAX)
		return true;
	diag_error(cg->ds, D_DECL_ARRBIG, d->span,
	    "'%s' takes %llu bytes; a variable has at most %u", d->name,
	    (unsigned long long)size, DIF_STATVAR_MAX);
	return false;
}

static bool
same_keys(
    const struct cg_sym *sym, struct ctf_type *const *keys, uint32_t nkeys)
{
	if (sym->nkeys != nkeys)
		return false;
	for (uint32_t i = 0; i < nkeys; i++) {
		if (!ctf_type_compat(sym->keys[i], keys[i]))
			return false;
	}
	return true;
}

static struct ctf_type **
key_types(struct cg *cg, struct ast_declarator *dt)
{
	struct ctf_type **keys =
	    arena_alloc(&cg->s->arena, dt->types.n * sizeof(*keys) + 1);

	for (size_t i = 0; i < dt->types.n; i++) {
		keys[i] = cg_decl_type(cg, dt->types.v[i]);
		if (keys[i] == NULL)
			return NULL;
	}
	return keys;
}

/* Redeclare a name: allowed if the declaration is the same. */
static void
redeclare(struct cg *cg, const struct ast_decl *d, const struct cg_sym *old,
    struct ctf_type *t, struct ctf_type *const *keys, uint32_t nkeys)
{
	if (old->kind == CG_SYM_VAR && ctf_type_compat(old->type, t) &&
	    old->is_array == (keys != NULL) &&
	    (keys == NULL || same_keys(old, keys, nkeys)))
		return;
	diag_error(cg->ds, D_DECL_IDRED, d->span,
	    "'%s' is already declared%s%s", d->name,
	    old->kind == CG_SYM_BUILTIN ? " as a built-in variable" :
		old->kind == CG_SYM_VAR ? " with type " :
					  "",
	    old->kind == CG_SYM_VAR ? cg_tn(cg, old->type) : "");
}

static void
declare_var(struct cg *cg, struct ast_decl *d, struct ctf_type *t)
{
	uint8_t scope = d->storage == AST_ST_SELF ? DIFV_SCOPE_THREAD :
	    d->storage == AST_ST_THIS		  ? DIFV_SCOPE_LOCAL :
						    DIFV_SCOPE_GLOBAL;
	bool is_assoc = d->dtor != NULL && d->dtor->kind == AST_D_ASSOC;
	struct ctf_type **keys = NULL;
	uint32_t nkeys = 0;
	struct cg_sym *sym;

	if (!cg_check_object_type(cg, d, t) || !cg_check_var_size(cg, d, t))
		return;
	if (is_assoc) {
		if (scope == DIFV_SCOPE_LOCAL) {
			diag_error(cg->ds, D_DECL_LOCASSC, d->span,
			    "clause-local '%s' cannot be an associative array",
			    d->name);
			return;
		}
		nkeys = (uint32_t)d->dtor->types.n;
		if (nkeys > DIF_NTREGS) {
			diag_error(cg->ds, D_PROTO_LEN, d->span,
			    "'%s' has %u keys; an array has at most %u",
			    d->name, nkeys, DIF_NTREGS);
			return;
		}
		keys = key_types(cg, d->dtor);
		if (keys == NULL)
			return;
	}
	sym = cg_sym_taken(cg->s, scope, d->name);
	if (sym != NULL) {
		redeclare(cg, d, sym, t, keys, nkeys);
		return;
	}
	sym = cg_var_add(cg->s, scope, d->name, t);
	sym->is_array = is_assoc;
	sym->keys = keys;
	sym->nkeys = nkeys;
}

static void
declare_typedef(struct cg *cg, struct ast_decl *d, struct ctf_type *t)
{
	struct ctf_type *old = ctf_lookup(cg->g, CTF_SP_ORDINARY, d->name);

	if (old == NULL)
		ctf_typedef(cg->g, d->name, t);
	else if (!ctf_type_compat(old, t))
		diag_error(cg->ds, D_DECL_TYPERED, d->span,
		    "type '%s' is already declared as %s", d->name,
		    cg_tn(cg, ctf_resolve(old)));
}

static void
declare_extern(struct cg *cg, const struct ast_decl *d, struct ctf_type *t)
{
	const struct cg_extern *old = cg_find_extern(cg, d->name);

	if (old != NULL && old->is_library == cg->s->in_library &&
	    !ctf_type_compat(old->type, t))
		diag_error(cg->ds, D_DECL_IDRED, d->span,
		    "'%s' is already declared extern with type %s", d->name,
		    cg_tn(cg, old->type));
	else
		cg_declare_extern(cg, d->name, t);
}

void
cg_declare(struct cg *cg, struct ast_decl *d)
{
	struct ctf_type *t;

	for (; d != NULL; d = d->next) {
		if (d->name != NULL && !check_storage(cg, d))
			continue;
		t = d->storage == AST_ST_TYPEDEF ||
			d->storage == AST_ST_EXTERN ?
		    cg_decl_type(cg, d) :
		    cg_var_type(cg, d);
		if (t == NULL)
			continue;
		if (d->name == NULL) {
			if (d->tag == AST_TAG_NONE)
				diag_error(cg->ds, D_DECL_USELESS, d->span,
				    "the declaration declares nothing");
			continue;
		}
		if (d->storage == AST_ST_TYPEDEF)
			declare_typedef(cg, d, t);
		else if (d->storage == AST_ST_EXTERN ||
		    (d->storage == AST_ST_NONE &&
			ctf_resolve(t)->kind == CTF_K_FUNCTION))
			declare_extern(cg, d, t);
		else
			declare_var(cg, d, t);
	}
}
