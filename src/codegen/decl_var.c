/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations of names: variables, typedefs and externs.
 */
#include "codegen/cg_impl.h"

#include "base/mem.h"

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
