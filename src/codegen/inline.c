/* SPDX-License-Identifier: BSD-2-Clause */
/* Inlines: their definitions, and their uses. */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/mem.h"
#include "codegen/expand_impl.h"

static bool
define_inline(struct cg *cg, struct cg_sym *sym, struct ast_decl *d,
    struct ast_expr *init)
{
	if (sym->is_array && !cg_take_params(cg, &sym->params, d->dtor))
		return false;
	if (!cg_check_object_type(cg, d, sym->type) ||
	    !cg_check_value(cg, &sym->params, d->name, init))
		return false;
	if (!ck_converts(cg, init, sym->type)) {
		diag_error(cg->ds, D_OP_INCOMPAT, init->span,
		    "inline '%s' has type %s, but its value has type %s",
		    d->name, cg_tn(cg, sym->type), cg_tn(cg, init->type));
		return false;
	}
	sym->is_const = init->is_const && ctf_is_integer(sym->type) &&
	    cg_fits(init, sym->type);
	sym->value = (int64_t)init->const_value;
	sym->init = cg_template_of(cg, init);
	return sym->init != NULL;
}

/* Does the library define the same inline again, for other kernels? */
static bool
is_alternative(
    const struct cg *cg, const struct cg_sym *old, const struct cg_sym *sym)
{
	return cg->s->in_library && old->kind == CG_SYM_INLINE &&
	    old->source == sym->source && old->is_array == sym->is_array &&
	    ctf_resolve(old->type) == ctf_resolve(sym->type);
}

/* Does the library define it more than once? */
static bool
has_alternatives(const struct cg *cg, const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; cg->s->in_library && i < cg->text->items.n; i++) {
		const struct ast_item *it = cg->text->items.v[i];

		n += it->kind == AST_I_INLINE &&
		    strcmp(it->decl->name, name) == 0;
	}
	return n > 1;
}

static bool
is_function(const char *name)
{
	return dif_subr_find_name(name) != NULL || cg_is_action(name) ||
	    cg_is_aggfunc(name);
}

/*
 * After an error the name is marked as broken, so that its uses are not
 * reported, too.  A library may define an inline again: the first definition
 * that fits this kernel's types counts.
 */
void
cg_declare_inline(struct cg *cg, struct ast_decl *d, struct ast_expr *init)
{
	struct ctf_type *t = cg_var_type(cg, d);
	struct cg_sym *to = cg_sym_taken(cg->s, DIFV_SCOPE_GLOBAL, d->name);
	struct cg_sym sym = { .kind = CG_SYM_INLINE,
		.type = t,
		.source = d->span.source,
		.is_array = d->dtor != NULL && d->dtor->kind == AST_D_ASSOC };
	size_t n = cg->ds->list.n;

	if (t == NULL)
		return;
	if ((to != NULL && !is_alternative(cg, to, &sym)) ||
	    is_function(d->name)) {
		diag_error(cg->ds, D_DECL_IDRED, d->span,
		    "'%s' is already declared%s", d->name,
		    to != NULL ? "" : " as a function");
		return;
	}
	if (to != NULL && to->lacks == NULL)
		return;
	sym.attr = (struct dif_attr)DIF_ATTR_PROGRAM;
	cg->lack = NULL;
	sym.is_broken = !define_inline(cg, &sym, d, init);
	if (sym.is_broken)
		sym.lacks = cg_take_lack(cg, n, has_alternatives(cg, d->name));
	if (to == NULL)
		to = cg_sym_add(
		    cg->s, CG_SYM_INLINE, DIFV_SCOPE_GLOBAL, d->name, t);
	sym.name = to->name;
	sym.is_library = to->is_library;
	*to = sym;
}

/* An inline is used as it was declared, x[1], or as a function, x(1). */
static const char *
inline_brackets(const struct ast_expr *e)
{
	return e->kind == AST_CALL ? "()" : "[]";
}

static bool
ck_inline_args(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym,
    struct ast_expr **args, struct ast_expr **before)
{
	if (e->args.n != sym->params.n) {
		diag_error(cg->ds, D_PROTO_LEN, e->span,
		    "%s%s takes %u argument%s, not %zu", sym->name,
		    inline_brackets(e), sym->params.n,
		    sym->params.n == 1 ? "" : "s", e->args.n);
		return false;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		struct ast_expr *arg = e->args.v[i];
		struct ctf_type *type = sym->params.v[i]->type;

		if (!ck_expr(cg, arg))
			return false;
		if (!ck_converts(cg, arg, type)) {
			diag_error(cg->ds, D_PROTO_ARG, arg->span,
			    "argument %zu of %s%s must be of type %s, not %s",
			    i + 1, sym->name, inline_brackets(e),
			    cg_tn(cg, type), cg_tn(cg, arg->type));
			return false;
		}
		args[i] = cg_bind(cg, arg, type, before);
	}
	return true;
}

struct ast_expr *
cg_inline_instance(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym,
    struct ast_expr **before)
{
	struct ast_expr **args =
	    arena_alloc(cg->lc->arena, e->args.n * sizeof(*args) + 1);

	if (sym->is_array && !ck_inline_args(cg, e, sym, args, before))
		return NULL;
	return cg_instance_of(cg, sym->init, &sym->params, args, e->span);
}

bool
ck_inline(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym)
{
	struct ast_expr *before = NULL, *inst;

	e->type = sym->type;
	if (sym->is_const && !sym->is_array) {
		e->is_const = true;
		e->const_value = (uint64_t)sym->value;
		return true;
	}
	inst = cg_inline_instance(cg, e, sym, &before);
	if (inst == NULL || !ck_expr(cg, inst))
		return false;
	e->is_const = before == NULL && inst->is_const &&
	    ctf_is_integer(sym->type) && cg_fits(inst, sym->type);
	e->const_value = inst->const_value;
	e->inst = cg_sequence(cg, before, inst);
	return true;
}
