/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * @name[keys] = function(arguments).
 *
 * The ranges of lquantize, llquantize and percentile parameters, and their
 * packing into one word, are those of doc/reference/records.md section 6.
 */
#include "codegen/cg_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fmt/percents.h"
#include "lang/habits.h"

struct aggfunc {
	const char *name;
	uint16_t kind;
	uint8_t least, most; /* arguments */
	uint8_t nvalues;     /* those before the increment */
};

static const struct aggfunc aggfuncs[] = {
	{ "count", DT_ACT_COUNT, 0, 0, 0 },
	{ "min", DT_ACT_MIN, 1, 1, 1 },
	{ "max", DT_ACT_MAX, 1, 1, 1 },
	{ "avg", DT_ACT_AVG, 1, 1, 1 },
	{ "sum", DT_ACT_SUM, 1, 1, 1 },
	{ "stddev", DT_ACT_STDDEV, 1, 1, 1 },
	{ "quantize", DT_ACT_QUANTIZE, 1, 2, 1 },
	{ "lquantize", DT_ACT_LQUANTIZE, 3, 5, 4 },
	{ "llquantize", DT_ACT_LLQUANTIZE, 5, 6, 5 },
	{ "percentile", DT_ACT_PERCENTILE, 1, 1 + PERCENTS_PACKED_MAX,
	    1 + PERCENTS_PACKED_MAX },
};

static const struct aggfunc *
find_aggfunc(const char *name)
{
	for (size_t i = 0; i < sizeof(aggfuncs) / sizeof(aggfuncs[0]); i++) {
		if (strcmp(aggfuncs[i].name, name) == 0)
			return &aggfuncs[i];
	}
	return NULL;
}

const char *
cg_aggfunc_name(size_t i)
{
	return i < sizeof(aggfuncs) / sizeof(aggfuncs[0]) ? aggfuncs[i].name :
							    NULL;
}

bool
cg_is_aggfunc(const char *name)
{
	return find_aggfunc(name) != NULL;
}

/* The arguments of a call as they are written, if in one line. */
static char *
written_arguments(struct cg *cg, const struct ast_expr *call)
{
	struct diag_span span = diag_span_join(
	    call->args.v[0]->span, call->args.v[call->args.n - 1]->span);
	const char *text = diag_text(cg->ds, span);

	if (*text == '\0' || memchr(text, '\n', span.len) != NULL)
		return mem_strdup("KEY");
	return mem_strndup(text, span.len);
}

/* An argument of count() is most likely meant as a key. */
void
cg_aggfunc_hint(struct cg *cg, const struct ast_expr *call)
{
	const struct aggfunc *f = find_aggfunc(call->u.ident.name);
	char *key;

	if (f->most > 0) {
		diag_hint(cg->ds, "@ = %s(...)", f->name);
	} else if (call->args.n == 0) {
		diag_hint(cg->ds, "@ = %s()", f->name);
	} else {
		key = written_arguments(cg, call);
		diag_hint(
		    cg->ds, "@[%s] = %s() counts each value", key, f->name);
		free(key);
	}
}

/* ---- aggregations taken for variables ------------------------------------ */

/* The expression as it is written, if in one line, or `other`; malloced. */
static char *
written(struct cg *cg, const struct ast_expr *e, const char *other)
{
	const char *text = diag_text(cg->ds, e->span);

	if (*text == '\0' || memchr(text, '\n', e->span.len) != NULL)
		return mem_strdup(other);
	return mem_strndup(text, e->span.len);
}

/* A value as it is written, unless it is made of an aggregation. */
static char *
written_value(struct cg *cg, const struct ast_expr *e)
{
	char *text = written(cg, e, "VALUE");

	if (strchr(text, '@') == NULL)
		return text;
	free(text);
	return mem_strdup("VALUE");
}

/* A name for a variable in place of the aggregation. */
static const char *
variable_name(const struct ast_expr *agg)
{
	const char *name = agg->u.ident.name;

	return strcmp(name, "_") == 0 ? "x" : name;
}

/* The array element or variable in place of the aggregation; malloced. */
static char *
as_variable(struct cg *cg, const struct ast_expr *agg)
{
	char *key, *text;

	if (agg->args.n == 0)
		return mem_strdup(variable_name(agg));
	key = written_arguments(cg, agg);
	text = mem_printf("%s[%s]", variable_name(agg), key);
	free(key);
	return text;
}

void
cg_agg_read_hint(struct cg *cg, const struct ast_expr *agg)
{
	char *variable = as_variable(cg, agg);

	diag_hint(cg->ds,
	    "printa(@%s) prints it; a value that is read again is kept in a "
	    "variable: %s, or self->%s for the thread",
	    ast_agg_name(agg->u.ident.name), variable, variable_name(agg));
	free(variable);
}

bool
ck_agg_step(struct cg *cg, const struct ast_expr *e)
{
	bool is_up = e->op == AST_OP_PREINC || e->op == AST_OP_POSTINC;
	char *agg = written(cg, e->a, "@");

	diag_error(cg->ds, D_OP_SCALAR, e->span,
	    "operator %s cannot change an aggregation", is_up ? "++" : "--");
	diag_hint(cg->ds, "%s = %s", agg, is_up ? "count()" : "sum(-1)");
	free(agg);
	return false;
}

/* A word of another tracer that the value is, and D's word for it. */
static const char *
habit_of_value(struct cg *cg, const struct ast_expr *value)
{
	return value->kind == AST_IDENT && value->u.ident.scope == AST_GLOBAL &&
		cg_sym_find(cg->s, DIFV_SCOPE_GLOBAL, value->u.ident.name) ==
		    NULL ?
	    habit_hint(HABIT_IS_VAR, value->u.ident.name) :
	    NULL;
}

/* Does the text call an aggregating function?  Such a call is no value. */
static bool
calls_aggregating(const char *text)
{
	for (uint32_t kind = DT_ACT_COUNT; *dif_act(kind)->name != '?';
	     kind++) {
		const char *name = dif_act(kind)->name,
			   *at = strstr(text, name);

		if (at != NULL && at[strlen(name)] == '(')
			return true;
	}
	return false;
}

static void
hint_at_value(struct cg *cg, const struct ast_expr *e)
{
	char *variable = as_variable(cg, e->a),
	     *value = written_value(cg, e->b);
	char *agg = written(cg, e->a, "@");
	const char *habit = habit_of_value(cg, e->b);
	const char *op = e->op == AST_OP_NONE ? "" : ast_op_text(e->op);
	bool has_call = calls_aggregating(value);

	if (e->op == AST_OP_ADD && !has_call)
		diag_hint(cg->ds, "%s = sum(%s)", agg, value);
	else if (e->op == AST_OP_SUB && !has_call)
		diag_hint(cg->ds, "%s = sum(-(%s))", agg, value);
	else
		diag_hint(cg->ds,
		    "a variable holds a value: %s %s= %s, or self->%s %s= %s "
		    "for the thread; count(), sum(x), max(x), quantize(x), ... "
		    "aggregate%s%s",
		    variable, op, has_call ? "..." : value, variable_name(e->a),
		    op, has_call ? "..." : value, habit != NULL ? "; " : "",
		    habit != NULL ? habit : "");
	free(agg);
	free(value);
	free(variable);
}

/* ---- parameters ---------------------------------------------------------- */

/* An integer constant argument within [least, most]. */
static bool
const_argument(struct cg *cg, const struct ast_expr *call, size_t no,
    const char *what, int64_t least, int64_t most, const char *tag_type,
    const char *tag_value, int64_t *value)
{
	struct ast_expr *arg = call->args.v[no];

	if (!ck_const(cg, arg, value)) {
		diag_error(cg->ds, tag_type, arg->span,
		    "argument %zu of %s(), "
		    "the %s, must be an integer constant",
		    no + 1, call->u.ident.name, what);
		return false;
	}
	if (*value >= least && *value <= most)
		return true;
	diag_error(cg->ds, tag_value, arg->span,
	    "argument %zu of %s(), the "
	    "%s, must be between %lld and %lld, not %lld",
	    no + 1, call->u.ident.name, what, (long long)least, (long long)most,
	    (long long)*value);
	return false;
}

static bool
pack_lquantize(struct cg *cg, const struct ast_expr *e, uint64_t *arg)
{
	int64_t base, limit, step = 1, levels;

	if (!const_argument(cg, e, 1, "base", INT32_MIN, INT32_MAX,
		D_LQUANT_BASETYPE, D_LQUANT_BASEVAL, &base) ||
	    !const_argument(cg, e, 2, "limit", INT32_MIN, INT32_MAX,
		D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL, &limit))
		return false;
	if (limit < base) {
		diag_error(cg->ds, D_LQUANT_MISMATCH, e->span,
		    "the base of lquantize(), %lld, is above its limit, %lld",
		    (long long)base, (long long)limit);
		return false;
	}
	if (e->args.n > 3 &&
	    !const_argument(cg, e, 3, "step", 1, UINT16_MAX, D_LQUANT_STEPTYPE,
		D_LQUANT_STEPVAL, &step))
		return false;
	levels = (limit - base) / step;
	if (levels == 0) {
		diag_error(cg->ds, D_LQUANT_STEPLARGE, e->span,
		    "the step of lquantize(), %lld, leaves no level between "
		    "%lld and %lld",
		    (long long)step, (long long)base, (long long)limit);
		return false;
	}
	if (levels > UINT16_MAX) {
		diag_error(cg->ds, D_LQUANT_STEPSMALL, e->span,
		    "the step of lquantize(), %lld, makes %lld levels; there "
		    "are at most %d",
		    (long long)step, (long long)levels, UINT16_MAX);
		return false;
	}
	*arg = (uint64_t)step << 48 | (uint64_t)levels << 32 | (uint32_t)base;
	return true;
}

static bool
refuse_llquantize(
    struct cg *cg, const struct ast_expr *e, const char *tag, const char *why)
{
	diag_error(cg->ds, tag, e->span, "llquantize(): %s", why);
	return false;
}

static bool
check_llquantize(struct cg *cg, const struct ast_expr *e, int64_t factor,
    int64_t low, int64_t high, int64_t nsteps)
{
	uint64_t power = 1;
	int64_t v;

	if (factor < 2)
		return refuse_llquantize(cg, e, D_LLQUANT_FACTORSMALL,
		    "the factor must be at least 2");
	if (low >= high)
		return refuse_llquantize(cg, e, D_LLQUANT_MAGRANGE,
		    "the low magnitude must be below the high one");
	if (nsteps < factor)
		return refuse_llquantize(cg, e, D_LLQUANT_FACTORNSTEPS,
		    "the number of steps must be at least the factor");
	for (v = factor; v < nsteps;)
		v *= factor;
	if (v % nsteps != 0 || nsteps % factor != 0)
		return refuse_llquantize(cg, e, D_LLQUANT_FACTOREVEN,
		    "the number of steps must be a multiple of the factor and "
		    "divide one of its powers");
	for (int64_t i = 0; i <= high; i++) {
		if (__builtin_mul_overflow(power, (uint64_t)factor, &power) ||
		    power > INT64_MAX)
			return refuse_llquantize(cg, e, D_LLQUANT_MAGTOOBIG,
			    "the factor raised to the high magnitude plus one "
			    "does not fit in 64 bits");
	}
	return true;
}

static bool
pack_llquantize(struct cg *cg, const struct ast_expr *e, uint64_t *arg)
{
	int64_t factor, low, high, nsteps;

	if (!const_argument(cg, e, 1, "factor", 0, UINT16_MAX,
		D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL, &factor) ||
	    !const_argument(cg, e, 2, "low magnitude", 0, UINT16_MAX,
		D_LLQUANT_LOWTYPE, D_LLQUANT_LOWVAL, &low) ||
	    !const_argument(cg, e, 3, "high magnitude", 0, UINT16_MAX,
		D_LLQUANT_HIGHTYPE, D_LLQUANT_HIGHVAL, &high) ||
	    !const_argument(cg, e, 4, "number of steps", 0, UINT16_MAX,
		D_LLQUANT_NSTEPTYPE, D_LLQUANT_NSTEPVAL, &nsteps) ||
	    !check_llquantize(cg, e, factor, low, high, nsteps))
		return false;
	*arg = (uint64_t)factor << 48 | (uint64_t)low << 32 |
	    (uint64_t)high << 16 | (uint64_t)nsteps;
	return true;
}

/* A percent: an integer, or a string for one with a fraction. */
static bool
percent_argument(
    struct cg *cg, const struct ast_expr *call, size_t no, struct percents *out)
{
	struct ast_expr *arg = call->args.v[no];
	bool is_text = arg->kind == AST_STR;
	struct percents one = { 0 };
	uint64_t word;
	int64_t value = 0;

	if (is_text && pf_percents_parse(arg->u.str.s, &one) && one.n == 1)
		out->v[out->n++] = one.v[0];
	else if (!is_text && ck_const(cg, arg, &value) && value > 0 &&
	    value <= 100)
		out->v[out->n++] = (uint32_t)value * 1000;
	else
		goto bad;
	if (pf_percents_pack(out, &word))
		return true;
bad:
	diag_error(cg->ds, D_PCT_VALUE, arg->span,
	    "argument %zu of %s() must be a percent: an integer constant from "
	    "1 to 100, or a string such as \"99.9\"",
	    no + 1, call->u.ident.name);
	if (is_text && one.n > 1)
		diag_hint(cg->ds, "each percent is an argument of its own");
	else if (is_text && one.n == 1)
		diag_hint(cg->ds,
		    "a percent has one decimal, two above 90, three above 99 "
		    "or below 1");
	return false;
}

/* Without percents they are 50, 90, 99 and 99.9. */
static bool
pack_percentile(struct cg *cg, const struct ast_expr *e, uint64_t *arg)
{
	struct percents p = { .n = e->args.n > 1 ? 0 : 4,
		.v = { 50000, 90000, 99000, 99900 } };

	for (size_t i = 1; i < e->args.n; i++) {
		if (!percent_argument(cg, e, i, &p))
			return false;
	}
	return pf_percents_pack(&p, arg);
}

/* The distance of the limit from the base: levels times the step. */
static uint64_t
lquantize_span(uint64_t arg)
{
	return (arg >> 48) * (arg >> 32 & 0xffff);
}

/*
 * All uses of an aggregation have the same parameters: name the first one that
 * differs.
 */
static const char *
mismatch_tag(uint16_t kind, uint64_t a, uint64_t b, const char **what)
{
	uint64_t diff = a ^ b;

	if (kind == DT_ACT_PERCENTILE) {
		*what = "list of percents";
		return D_PCT_MATCH;
	}
	if (kind == DT_ACT_LQUANTIZE && (uint32_t)diff != 0) {
		*what = "base";
		return D_LQUANT_MATCHBASE;
	}
	if (kind == DT_ACT_LQUANTIZE) {
		bool is_step = lquantize_span(a) == lquantize_span(b);

		*what = is_step ? "step" : "limit";
		return is_step ? D_LQUANT_MATCHSTEP : D_LQUANT_MATCHLIM;
	}
	*what = diff >> 48	? "factor" :
	    diff >> 32 & 0xffff ? "low magnitude" :
	    diff >> 16 & 0xffff ? "high magnitude" :
				  "number of steps";
	return diff >> 48	? D_LLQUANT_FACTORMATCH :
	    diff >> 32 & 0xffff ? D_LLQUANT_LOWMATCH :
	    diff >> 16 & 0xffff ? D_LLQUANT_HIGHMATCH :
				  D_LLQUANT_NSTEPMATCH;
}

/* ---- checks -------------------------------------------------------------- */

static bool
check_increment(
    struct cg *cg, const struct ast_expr *call, const struct aggfunc *f)
{
	const struct ast_expr *incr;

	if (call->args.n <= f->nvalues)
		return true;
	incr = call->args.v[f->nvalues];
	if (ctf_is_integer(incr->type))
		return true;
	diag_error(cg->ds, D_QUANT_PROTO, incr->span,
	    "the increment of %s() must be an integer, not %s", f->name,
	    cg_tn(cg, incr->type));
	return false;
}

static bool
check_function(struct cg *cg, struct ast_expr *call, const struct aggfunc *f,
    uint64_t *arg)
{
	*arg = 0;
	if (call->args.n < f->least || call->args.n > f->most) {
		diag_error(cg->ds, D_PROTO_LEN, call->span,
		    "%s() takes %u%s%.0u argument%s, not %zu", f->name,
		    f->least, f->most > f->least ? " to " : "",
		    f->most > f->least ? f->most : 0, f->most == 1 ? "" : "s",
		    call->args.n);
		if (f->most == 0)
			cg_aggfunc_hint(cg, call);
		return false;
	}
	for (size_t i = 0; i < call->args.n; i++) {
		if (!ck_expr(cg, call->args.v[i]))
			return false;
	}
	if (f->nvalues > 0 && !cg_is_scalar(call->args.v[0]->type)) {
		diag_error(cg->ds, D_AGG_SCALAR, call->args.v[0]->span,
		    "%s() takes an integer, not %s", f->name,
		    cg_tn(cg, call->args.v[0]->type));
		return false;
	}
	if (!check_increment(cg, call, f))
		return false;
	if (f->kind == DT_ACT_PERCENTILE)
		return pack_percentile(cg, call, arg);
	if (f->kind == DT_ACT_LQUANTIZE)
		return pack_lquantize(cg, call, arg);
	return f->kind != DT_ACT_LLQUANTIZE || pack_llquantize(cg, call, arg);
}

static bool
check_keys(struct cg *cg, struct ast_expr *e, const struct cg_agg *agg,
    uint64_t *frames)
{
	for (size_t i = 0; i < e->args.n; i++) {
		struct ast_expr *key = e->args.v[i];

		if (cg_datum_kind(key) != DT_ACT_NONE) {
			if (!ck_datum(cg, key, &frames[i]))
				return false;
		} else if (!ck_expr(cg, key) ||
		    !ck_is_key(cg, key, "an aggregation", (int)i + 1)) {
			return false;
		}
	}
	if (agg->kind == 0)
		return true;
	if (e->args.n != agg->nkeys) {
		diag_error(cg->ds, D_PROTO_LEN, e->span,
		    "@%s takes %u key%s, not %zu", ast_agg_name(agg->name),
		    agg->nkeys, agg->nkeys == 1 ? "" : "s", e->args.n);
		return false;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		if (ck_same_key(cg, e->args.v[i], agg->keys[i]))
			continue;
		diag_error(cg->ds, D_PROTO_ARG, e->args.v[i]->span,
		    "key %zu of @%s is of type %s, not %s", i + 1,
		    ast_agg_name(agg->name), cg_tn(cg, agg->keys[i]),
		    cg_tn(cg, e->args.v[i]->type));
		return false;
	}
	return true;
}

/*
 * The first use settles what the aggregation is; later uses must agree with it.
 */
static bool
settle(struct cg *cg, const struct ast_expr *e, const struct ast_expr *call,
    struct cg_agg *agg, const struct aggfunc *f, uint64_t arg)
{
	const char *tag, *what;

	if (agg->kind == 0) {
		agg->kind = f->kind;
		agg->arg = arg;
		agg->nkeys = (uint32_t)e->args.n;
		agg->keys = arena_alloc(
		    &cg->s->arena, e->args.n * sizeof(*agg->keys) + 1);
		for (size_t i = 0; i < e->args.n; i++)
			agg->keys[i] = e->args.v[i]->type;
		return true;
	}
	if (agg->arg == arg)
		return true;
	tag = mismatch_tag(f->kind, agg->arg, arg, &what);
	diag_error(cg->ds, tag, call->span,
	    "the %s of %s() differs from an earlier use of @%s", what, f->name,
	    ast_agg_name(agg->name));
	return false;
}

/* ---- actions ------------------------------------------------------------- */

static struct dif_action *
add_tuple(struct cg *cg, uint16_t kind, struct diag_span span)
{
	struct dif_action *act = cg_action(cg, kind, span);

	act->in_tuple = true;
	return act;
}

static bool
add_id(struct cg *cg, const struct ast_expr *e, const struct cg_agg *agg)
{
	struct dif_action *act = add_tuple(cg, DT_ACT_DIFEXPR, e->span);

	cg->o.span = e->span;
	act->difo = cg_const_obj(cg, agg->id, sizeof(uint32_t));
	return act->difo != NULL;
}

static bool
add_key(struct cg *cg, struct ast_expr *key, uint64_t frames)
{
	uint16_t kind = cg_datum_kind(key);
	struct dif_action *act = add_tuple(
	    cg, kind != DT_ACT_NONE ? kind : DT_ACT_DIFEXPR, key->span);

	act->arg = frames;
	cg_action_type(cg, act, key->type);
	if (kind != DT_ACT_NONE)
		return cg_datum_obj(cg, key, act);
	act->difo = cg_key_obj(cg, key);
	return act->difo != NULL;
}

static bool
add_update(struct cg *cg, struct ast_expr *call, const struct aggfunc *f,
    const struct cg_agg *agg, uint32_t nkeys)
{
	bool has_incr = call->args.n > f->nvalues;
	struct dif_action *act;

	if (has_incr) {
		act = add_tuple(cg, DT_ACT_DIFEXPR, call->span);
		act->difo = cg_typed_obj(
		    cg, call->args.v[f->nvalues], (struct dif_type){ 0 });
		if (act->difo == NULL)
			return false;
	}
	act = cg_action(cg, f->kind, call->span);
	act->has_incr = has_incr;
	act->ntuple = 1 + nkeys + has_incr;
	act->arg = agg->arg;
	if (f->nvalues == 0)
		return true;
	cg_action_type(cg, act, call->args.v[0]->type);
	act->difo = cg_typed_obj(
	    cg, call->args.v[0], cg_dif_type(call->args.v[0]->type));
	return act->difo != NULL;
}

static bool
check_form(struct cg *cg, const struct ast_expr *e)
{
	const struct ast_expr *call = e->b;

	if (e->a->kind == AST_INDEX) {
		diag_error(cg->ds, D_AGG_MDIM, e->a->span,
		    "an aggregation has one list of keys: @name[a, b]");
		return false;
	}
	if (e->op == AST_OP_NONE && call->kind == AST_CALL &&
	    cg_is_aggfunc(call->u.ident.name))
		return true;
	if (call->kind == AST_CALL && !cg_is_action(call->u.ident.name) &&
	    !cg_is_aggfunc(call->u.ident.name) &&
	    dif_subr_find_name(call->u.ident.name) == NULL &&
	    cg_inline_function(cg, call) == NULL)
		return ck_function_name(cg, call);
	diag_error(cg->ds, D_AGG_FUNC, e->span,
	    "an aggregation can only be "
	    "assigned an aggregating function");
	if (call->kind == AST_CALL && cg_is_action(call->u.ident.name))
		diag_hint(cg->ds, "%s() is an action: make it a statement",
		    call->u.ident.name);
	else if (call->kind != AST_CALL || !cg_is_aggfunc(call->u.ident.name))
		hint_at_value(cg, e);
	else
		diag_hint(cg->ds, "= assigns %s()", call->u.ident.name);
	return false;
}

bool
cg_compile_agg(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *target = e->a, *call = e->b;
	const struct aggfunc *f;
	struct cg_agg *agg;
	uint64_t *frames, arg;

	if (!check_form(cg, e) || !cg_check_function(cg, call))
		return false;
	f = find_aggfunc(call->u.ident.name);
	agg = cg_agg_find(cg->s, target->u.ident.name);
	if (agg == NULL)
		agg = cg_agg_add(cg->s, target->u.ident.name);
	if (agg->kind != 0 && agg->kind != f->kind) {
		diag_error(cg->ds, D_AGG_REDEF, e->span,
		    "@%s is already assigned another function than %s()",
		    ast_agg_name(agg->name), f->name);
		return false;
	}
	frames =
	    arena_alloc(cg->lc->arena, target->args.n * sizeof(*frames) + 1);
	if (!check_keys(cg, target, agg, frames) ||
	    !check_function(cg, call, f, &arg) ||
	    !settle(cg, target, call, agg, f, arg) || !add_id(cg, e, agg))
		return false;
	for (size_t i = 0; i < target->args.n; i++) {
		if (!add_key(cg, target->args.v[i], frames[i]))
			return false;
	}
	return add_update(cg, call, f, agg, (uint32_t)target->args.n);
}
