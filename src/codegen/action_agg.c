/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions that the consumer carries out, most of them on aggregations. */
#include "codegen/cg_impl.h"

#include "base/mem.h"
#include "codegen/action_impl.h"

/* The aggregation that an argument names, as a whole; NULL after an error. */
static struct cg_agg *
agg_argument(struct cg *cg, const struct ast_expr *call,
    const struct ast_expr *arg, const char *tag_arg, const char *tag_key,
    const char *tag_bad)
{
	struct cg_agg *agg;
	const char *near;

	if (arg->kind != AST_AGG) {
		diag_error(cg->ds, tag_arg, arg->span,
		    "%s() needs an aggregation here", call->u.ident.name);
		return NULL;
	}
	if (arg->args.n != 0) {
		diag_error(cg->ds, tag_key, arg->span,
		    "%s() takes a whole aggregation, without keys: @%s",
		    call->u.ident.name, ast_agg_name(arg->u.ident.name));
		return NULL;
	}
	agg = cg_agg_find(cg->s, arg->u.ident.name);
	if (agg != NULL && agg->kind != 0)
		return agg;
	diag_error(cg->ds, tag_bad, arg->span,
	    "aggregation @%s has not been assigned anything",
	    ast_agg_name(arg->u.ident.name));
	near = cg_nearest_agg(cg->s, arg->u.ident.name);
	if (near != NULL)
		diag_hint(cg->ds, "did you mean @%s?", ast_agg_name(near));
	else
		diag_hint(cg->ds, "the clause that assigns it must come first");
	return NULL;
}

/* Aggregations that are printed together share their key's columns. */
static bool
check_same_keys(struct cg *cg, const struct ast_expr *arg,
    const struct cg_agg *a, const struct cg_agg *b)
{
	if (a->nkeys != b->nkeys) {
		diag_error(cg->ds, D_PRINTA_AGGKEY, arg->span,
		    "@%s has %u key%s and @%s has %u: they cannot be printed "
		    "together",
		    ast_agg_name(a->name), a->nkeys, a->nkeys == 1 ? "" : "s",
		    ast_agg_name(b->name), b->nkeys);
		return false;
	}
	for (uint32_t i = 0; i < a->nkeys; i++) {
		if (cg_argkind(a->keys[i]) == cg_argkind(b->keys[i]))
			continue;
		diag_error(cg->ds, D_PRINTA_AGGPROTO, arg->span,
		    "key %u is %s in @%s and %s in @%s: they cannot be "
		    "printed together",
		    i + 1, cg_tn(cg, a->keys[i]), ast_agg_name(a->name),
		    cg_tn(cg, b->keys[i]), ast_agg_name(b->name));
		return false;
	}
	return true;
}

static bool
check_printa_aggs(
    struct cg *cg, struct ast_expr *e, size_t first, struct cg_agg **aggs)
{
	for (size_t i = first; i < e->args.n; i++) {
		struct cg_agg *agg = agg_argument(cg, e, e->args.v[i],
		    D_PRINTA_AGGARG, D_PRINTA_AGGKEY, D_PRINTA_AGGBAD);

		if (agg == NULL)
			return false;
		aggs[i - first] = agg;
		if (!check_same_keys(cg, e->args.v[i], aggs[0], agg))
			return false;
	}
	return true;
}

bool
cg_do_printa(struct cg *cg, struct ast_expr *e)
{
	size_t first = e->args.n > 0 && e->args.v[0]->kind == AST_STR;
	const char *fmt = first ? e->args.v[0]->u.str.s : NULL;
	struct cg_agg **aggs =
	    arena_alloc(cg->lc->arena, e->args.n * sizeof(*aggs) + 1);

	if (e->args.n == first) {
		diag_error(cg->ds, D_PRINTA_PROTO, e->span,
		    "printa() needs an aggregation: printa([format,] @a, ...)");
		return false;
	}
	if (!first && e->args.n > 1 && e->args.v[0]->kind != AST_AGG) {
		diag_error(cg->ds, D_PRINTF_ARG_FMT, e->args.v[0]->span,
		    "the format of printa() must be a string constant");
		return false;
	}
	if (!check_printa_aggs(cg, e, first, aggs))
		return false;
	if (fmt != NULL &&
	    !cg_check_format(
		cg, e->args.v[0], true, aggs[0]->keys, aggs[0]->nkeys))
		return false;
	for (size_t i = first; i < e->args.n; i++) {
		struct dif_action *act = cg_action(cg, DT_ACT_PRINTA, e->span);

		act->arg = aggs[i - first]->id;
		if (fmt != NULL)
			act->fmt = mem_strdup(fmt);
	}
	return true;
}

static bool
add_libact(struct cg *cg, const struct ast_expr *e, enum dt_libact libact,
    struct dif_obj *difo)
{
	struct dif_action *act = cg_action(cg, DT_ACT_LIBACT, e->span);

	act->arg = libact;
	act->difo = difo;
	return difo != NULL;
}

static bool
check_string(
    struct cg *cg, const struct ast_expr *call, struct ast_expr *arg, size_t no)
{
	if (!ck_expr(cg, arg))
		return false;
	if (cg_is_string(arg->type))
		return true;
	diag_error(cg->ds, D_PROTO_ARG, arg->span,
	    "argument %zu of %s() must be a string, not %s", no,
	    call->u.ident.name, cg_tn(cg, arg->type));
	return false;
}

bool
cg_do_setopt(struct cg *cg, struct ast_expr *e)
{
	if (!cg_check_count(cg, D_PROTO_LEN, e, 1, 2))
		return false;
	for (size_t i = 0; i < e->args.n; i++)
		if (!check_string(cg, e, e->args.v[i], i + 1))
			return false;
	if (!add_libact(
		cg, e, DT_LIBACT_SETOPT, cg_value_obj(cg, e->args.v[0])))
		return false;
	cg->o.span = e->span;
	return add_libact(cg, e, DT_LIBACT_SETOPT,
	    e->args.n > 1 ? cg_value_obj(cg, e->args.v[1]) :
			    cg_const_obj(cg, 0, sizeof(uint32_t)));
}

bool
cg_do_ftruncate(struct cg *cg, struct ast_expr *e)
{
	if (!cg_check_count(cg, D_PROTO_LEN, e, 0, 0))
		return false;
	cg->o.span = e->span;
	return add_libact(
	    cg, e, DT_LIBACT_FTRUNCATE, cg_const_obj(cg, 0, sizeof(uint32_t)));
}

static bool
do_on_agg(struct cg *cg, struct ast_expr *e, enum dt_libact libact,
    const char *const tags[3])
{
	struct cg_agg *agg =
	    agg_argument(cg, e, e->args.v[0], tags[0], tags[1], tags[2]);

	cg->o.span = e->span;
	return agg != NULL &&
	    add_libact(
		cg, e, libact, cg_const_obj(cg, agg->id, sizeof(uint32_t)));
}

bool
cg_do_clear(struct cg *cg, struct ast_expr *e)
{
	const char *const tags[] = { D_CLEAR_AGGARG, D_CLEAR_AGGARG,
		D_CLEAR_AGGBAD };

	return cg_check_count(cg, D_CLEAR_PROTO, e, 1, 1) &&
	    do_on_agg(cg, e, DT_LIBACT_CLEAR, tags);
}

static const char *const *
normalize_tags(const char *tags[3])
{
	tags[0] = tags[1] = D_NORMALIZE_AGGARG;
	tags[2] = D_NORMALIZE_AGGBAD;
	return tags;
}

bool
cg_do_denormalize(struct cg *cg, struct ast_expr *e)
{
	const char *tags[3];

	return cg_check_count(cg, D_NORMALIZE_PROTO, e, 1, 1) &&
	    do_on_agg(cg, e, DT_LIBACT_DENORMALIZE, normalize_tags(tags));
}

static bool
check_agg_scalar(struct cg *cg, const char *tag, const struct ast_expr *call,
    struct ast_expr *arg)
{
	if (!ck_expr(cg, arg))
		return false;
	if (ctf_is_integer(arg->type))
		return true;
	diag_error(cg->ds, tag, arg->span,
	    "argument 2 of %s() must be an integer, not %s", call->u.ident.name,
	    cg_tn(cg, arg->type));
	return false;
}

bool
cg_do_normalize(struct cg *cg, struct ast_expr *e)
{
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };
	const char *tags[3];
	struct ast_expr *by;

	if (!cg_check_count(cg, D_NORMALIZE_PROTO, e, 2, 2))
		return false;
	by = e->args.v[1];
	if (!do_on_agg(cg, e, DT_LIBACT_NORMALIZE, normalize_tags(tags)) ||
	    !check_agg_scalar(cg, D_NORMALIZE_SCALAR, e, by))
		return false;
	if (by->is_const && (int64_t)by->const_value <= 0) {
		diag_error(cg->ds, D_NORMALIZE_SCALAR, by->span,
		    "argument 2 of normalize() must be positive");
		return false;
	}
	return add_libact(
	    cg, e, DT_LIBACT_NORMALIZE, cg_typed_obj(cg, by, rtype));
}

bool
cg_do_trunc(struct cg *cg, struct ast_expr *e)
{
	const char *const tags[] = { D_TRUNC_AGGARG, D_TRUNC_AGGARG,
		D_TRUNC_AGGBAD };
	struct dif_type rtype = { .ckind = CTF_K_INTEGER, .size = 8 };

	if (!cg_check_count(cg, D_TRUNC_PROTO, e, 1, 2) ||
	    !do_on_agg(cg, e, DT_LIBACT_TRUNC, tags))
		return false;
	if (e->args.n == 1)
		return add_libact(
		    cg, e, DT_LIBACT_TRUNC, cg_const_obj(cg, 0, 8));
	return check_agg_scalar(cg, D_TRUNC_SCALAR, e, e->args.v[1]) &&
	    add_libact(
		cg, e, DT_LIBACT_TRUNC, cg_typed_obj(cg, e->args.v[1], rtype));
}
