/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions with a format: printf(), system(), freopen(). */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "codegen/action_impl.h"
#include "fmt/fmt.h"

enum pf_argkind
cg_argkind(struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);

	switch (r->kind) {
	case CTF_K_D_STRING:
		return PF_ARG_STRING;
	case CTF_K_D_STACK:
		return PF_ARG_STACK;
	case CTF_K_D_SYM:
		return PF_ARG_SYM;
	case CTF_K_POINTER:
		return PF_ARG_POINTER;
	case CTF_K_FLOAT:
		return PF_ARG_FLOAT;
	case CTF_K_INTEGER:
		return PF_ARG_INT;
	case CTF_K_ENUM:
		return PF_ARG_ENUM;
	default:
		return PF_ARG_BYTES;
	}
}

/* As cg_argkind(), and which pointers lead to members. */
static enum pf_argkind
format_kind(struct ctf_type *t)
{
	const struct ctf_type *r = ctf_resolve(t);

	return r->kind == CTF_K_POINTER && ctf_is_sou(r->ref) ? PF_ARG_SOU :
								cg_argkind(t);
}

static bool
check_format_arg(struct cg *cg, const struct ast_expr *e)
{
	if (e->args.n == 0) {
		diag_error(cg->ds, D_PROTO_LEN, e->span, "%s() needs a format",
		    e->u.ident.name);
		return false;
	}
	if (e->args.v[0]->kind == AST_STR)
		return true;
	diag_error(cg->ds, D_PRINTF_ARG_FMT, e->args.v[0]->span,
	    "the format of %s() must be a string constant", e->u.ident.name);
	diag_hint(cg->ds, "%s(\"%%s\", ...) prints a string", e->u.ident.name);
	return false;
}

bool
cg_check_format(struct cg *cg, const struct ast_expr *fmt, bool is_printa,
    struct ctf_type *const *types, size_t n)
{
	enum pf_argkind *kinds =
	    arena_alloc(cg->lc->arena, n * sizeof(*kinds) + 1);
	const char **names = arena_alloc(cg->lc->arena, n * sizeof(*names) + 1);
	const char *tag;
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		kinds[i] = format_kind(types[i]);
		names[i] = cg_tn(cg, types[i]);
	}
	tag = printf_check(fmt->u.str.s, is_printa, kinds, names, n, &err);
	if (tag == NULL)
		return true;
	diag_error(cg->ds, tag, fmt->span, "%s", err_text(&err));
	err_clear(&err);
	return false;
}

static bool
check_printf_arg(struct cg *cg, struct ast_expr *arg, uint64_t *frames)
{
	if (arg->kind == AST_AGG) {
		diag_error(cg->ds, D_PRINTF_ARG_TYPE, arg->span,
		    "printf() prints values, not an aggregation");
		diag_hint(cg->ds, "print it with printa(@%s)",
		    ast_agg_name(arg->u.ident.name));
		return false;
	}
	if (cg_datum_kind(arg) != DT_ACT_NONE)
		return ck_datum(cg, arg, frames);
	if (!ck_expr(cg, arg))
		return false;
	if (!ctf_is_void(arg->type) &&
	    ctf_resolve(arg->type)->kind != CTF_K_FUNCTION)
		return true;
	diag_error(cg->ds, D_PRINTF_ARG_TYPE, arg->span,
	    "an expression of type %s cannot be printed", cg_tn(cg, arg->type));
	return false;
}

/* Does %A print argument i of the format, which is well-formed? */
static bool
is_uaddr(const char *fmt, size_t i)
{
	const char *tag;
	struct err err = { 0 };
	struct pf_format *pf = pf_parse(fmt, &tag, &err);
	bool is_it = false;
	size_t arg = 0;

	VEC_FOREACH(&pf->convs, pc) {
		arg += (size_t)pc->width_star + pc->prec_star;
		if (pc->info != NULL && arg == i)
			is_it = pc->info->render == PF_RENDER_UADDR;
		arg++;
	}
	pf_destroy(pf);
	return is_it;
}

static bool
do_printflike(struct cg *cg, struct ast_expr *e, uint16_t kind)
{
	size_t n = e->args.n == 0 ? 0 : e->args.n - 1;
	struct ctf_type **types =
	    arena_alloc(cg->lc->arena, n * sizeof(*types) + 1);
	uint64_t *frames = arena_alloc(cg->lc->arena, n * sizeof(*frames) + 1);
	const char *fmt;

	if (!check_format_arg(cg, e))
		return false;
	fmt = e->args.v[0]->u.str.s;
	for (size_t i = 0; i < n; i++) {
		if (!check_printf_arg(cg, e->args.v[i + 1], &frames[i]))
			return false;
		types[i] = e->args.v[i + 1]->type;
	}
	if (!cg_check_format(cg, e->args.v[0], false, types, n))
		return false;
	if (n == 0)
		cg_action(cg, kind, e->span)->fmt = mem_strdup(fmt);
	for (size_t i = 0; i < n; i++) {
		/*
		 * The record also needs the process that the address belongs
		 * to.
		 */
		uint16_t as = is_uaddr(fmt, i) ? DT_ACT_UADDR : kind;

		if (!cg_add_value(cg, as, e->args.v[i + 1], frames[i], fmt))
			return false;
	}
	return true;
}

bool
cg_do_printf(struct cg *cg, struct ast_expr *e)
{
	return do_printflike(cg, e, DT_ACT_PRINTF);
}

bool
cg_do_system(struct cg *cg, struct ast_expr *e)
{
	return do_printflike(cg, e, DT_ACT_SYSTEM);
}

bool
cg_do_freopen(struct cg *cg, struct ast_expr *e)
{
	const char *fmt = e->args.n > 0 && e->args.v[0]->kind == AST_STR ?
	    e->args.v[0]->u.str.s :
	    NULL;

	if (fmt != NULL && strcmp(fmt, ".") == 0) {
		diag_error(cg->ds, D_FREOPEN_INVALID, e->args.v[0]->span,
		    "freopen() cannot write to \".\", a directory");
		diag_hint(cg->ds,
		    "freopen(\"\") goes back to the standard "
		    "output");
		return false;
	}
	if (fmt == NULL || fmt[0] != '\0' || e->args.n > 1)
		return do_printflike(cg, e, DT_ACT_FREOPEN);
	cg_action(cg, DT_ACT_FREOPEN, e->span)->fmt = mem_strdup(".");
	return true;
}
