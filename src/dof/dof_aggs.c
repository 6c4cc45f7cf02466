/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of a program from DOF: all uses of one must agree, and printa()
 * prints those with the same keys together.
 *
 * The image numbers aggregations as it likes; our ids count from 1 without
 * gaps.  Ids are in constant objects, which are changed here.
 */
#include "dof/dof_actions_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "fmt/percents.h"

#define AGG_ID_MAX 65535

/* The value of an object that only returns a constant: { setx; ret }. */
static bool
get_constant(const struct dif_obj *dp, uint64_t *value)
{
	uint32_t set, ret;

	if (!dof_is_value(dp) || dp->ntext != 2)
		return false;
	set = dp->text[0];
	ret = dp->text[1];
	if (dif_instr_op(set) != DIF_OP_SETX ||
	    dif_instr_rd(set) != dif_instr_rd(ret))
		return false;
	*value = dp->inttab[dif_instr_idx(set)];
	return true;
}

static void
set_constant(struct dif_obj *dp, uint64_t value)
{
	dp->text[0] = dif_instr_w(DIF_OP_SETX, 0, dif_instr_rd(dp->text[0]));
	dp->inttab[0] = value;
}

/* Our aggregation for the image's id; a new one at first use. */
static struct dif_agg *
map_agg(struct dec *de, uint64_t id)
{
	struct dif_agg agg = { .id = (uint32_t)de->p->aggs.n + 1 };

	if (id == 0 || id > AGG_ID_MAX)
		return NULL;
	while (de->agg_ids.n <= id)
		VEC_PUSH(&de->agg_ids, 0);
	if (de->agg_ids.v[id] == 0) {
		agg.name = mem_printf("agg%u", (unsigned)id);
		VEC_PUSH(&de->p->aggs, agg);
		VEC_PUSH(&de->aggs, (struct dec_agg){ 0 });
		de->agg_ids.v[id] = agg.id;
	}
	return &de->p->aggs.v[de->agg_ids.v[id] - 1];
}

struct dif_agg *
dof_agg_of_object(struct dec *de, struct dif_obj *dp)
{
	struct dif_agg *agg;
	uint64_t id;

	if (!get_constant(dp, &id))
		return NULL;
	agg = map_agg(de, id);
	if (agg != NULL)
		set_constant(dp, agg->id);
	return agg;
}

/* Read names and parameters from our own section. */
int
dof_dec_aggs(struct dec *de)
{
	uint32_t n =
	    de->x_agg == DOF_SECIDX_NONE ? 0 : dof_nelems(de->d, de->x_agg);

	for (uint32_t i = 0; i < n; i++) {
		struct dof_xagg x;
		struct dif_agg *agg;
		size_t before = de->p->aggs.n;

		dof_get(de->d, de->x_agg, i, &x);
		agg = map_agg(de, x.dofxg_id);
		if (agg == NULL || de->p->aggs.n == before)
			return dof_refuse(de->d, de->x_agg,
			    dof_elem_off(de->d, de->x_agg, i), de->err,
			    "entry %u: %u is no id of an aggregation, or is a "
			    "second time",
			    i, x.dofxg_id);
		free(agg->name);
		agg->name = mem_strndup(
		    dof_str(de->d, x.dofxg_strtab, x.dofxg_name), 255);
		agg->kind = (uint16_t)x.dofxg_kind;
		agg->arg = x.dofxg_arg;
		agg->nkeys = x.dofxg_nkeys;
	}
	return 0;
}

/* Ranges of doc/reference/records.md section 6. */
static bool
is_lquantize_arg(uint64_t arg)
{
	uint64_t step = arg >> 48, levels = arg >> 32 & 0xffff;

	return step != 0 && levels != 0;
}

static bool
is_llquantize_arg(uint64_t arg)
{
	uint64_t factor = arg >> 48, low = arg >> 32 & 0xffff;
	uint64_t high = arg >> 16 & 0xffff, nsteps = arg & 0xffff;
	uint64_t power = 1, v;

	if (factor < 2 || low >= high || nsteps < factor)
		return false;
	for (v = factor; v < nsteps;)
		v *= factor;
	if (v % nsteps != 0 || nsteps % factor != 0)
		return false;
	for (uint64_t i = 0; i <= high; i++) {
		if (__builtin_mul_overflow(power, factor, &power) ||
		    power > INT64_MAX)
			return false;
	}
	return true;
}

static bool
is_agg_arg(uint16_t kind, uint64_t arg)
{
	struct percents percents;

	if (kind == DT_ACT_PERCENTILE)
		return pf_percents_unpack(arg, &percents);
	if (kind == DT_ACT_LQUANTIZE)
		return is_lquantize_arg(arg);
	return kind != DT_ACT_LLQUANTIZE || is_llquantize_arg(arg);
}

/*
 * A key's kind, with its size if the kind has several.  Integers may be enums:
 * a key of one use may be an enum and of another a plain number.
 */
static uint32_t
key_class(const struct dif_action *key)
{
	enum pf_argkind kind = dof_arg_kind(key);

	if (kind == PF_ARG_STACK) /* of the kernel or of a process */
		return kind | (uint32_t)(key->kind == DT_ACT_STACK) << 8;
	if (kind == PF_ARG_SYM)
		return kind | (uint32_t)dif_act_is_usym(key->kind) << 8;
	if (kind == PF_ARG_BYTES)
		return kind | key->difo->rtype.size << 8;
	return kind == PF_ARG_POINTER || kind == PF_ARG_INT ? PF_ARG_ENUM :
							      kind;
}

static int
check_key(const struct dof_acts *as, uint32_t i)
{
	const struct dif_action *key = &as->v[i];

	if (key->in_tuple || DT_ACT_IS_AGG(key->kind))
		return REFUSE(as, i, "action %u is part of two tuples", i);
	if (dif_act_is_datum(key->kind))
		return 0;
	if (key->kind != DT_ACT_DIFEXPR || key->difo == NULL ||
	    dof_is_unrecorded(key))
		return REFUSE(as, i, "action %u cannot be a key", i);
	return 0;
}

/* Later uses must match the first. */
static int
check_agg_use(const struct dof_acts *as, uint32_t i, struct dif_agg *agg,
    const struct dif_action *keys, uint32_t nkeys)
{
	struct dec_agg *da = &as->de->aggs.v[agg->id - 1];
	const struct dif_action *act = &as->v[i];

	if (!da->is_updated) {
		for (uint32_t k = 0; k < nkeys; k++)
			VEC_PUSH(&da->kinds, key_class(&keys[k]));
		if (agg->kind == 0) {
			agg->kind = act->kind;
			agg->arg = act->arg;
			agg->nkeys = nkeys;
		}
		da->is_updated = true;
	}
	if (agg->kind != act->kind || agg->arg != act->arg ||
	    agg->nkeys != nkeys || da->kinds.n != nkeys)
		return REFUSE(as, i,
		    "action %u updates @%s with another "
		    "function, other parameters or other keys",
		    i, agg->name);
	for (uint32_t k = 0; k < nkeys; k++) {
		if (da->kinds.v[k] != key_class(&keys[k]))
			return REFUSE(as, i,
			    "action %u: key %u of @%s is of "
			    "another type than before",
			    i, k + 1, agg->name);
	}
	return 0;
}

static int
check_agg_value(const struct dof_acts *as, uint32_t i)
{
	const struct dif_action *act = &as->v[i];

	if (!is_agg_arg(act->kind, act->arg))
		return REFUSE(as, i,
		    "action %u: 0x%llx are no parameters of "
		    "the function",
		    i, (unsigned long long)act->arg);
	if (act->kind != DT_ACT_COUNT)
		return dof_need_value(as, i, dif_act(act->kind)->name);
	if (act->difo == NULL)
		return 0;
	return REFUSE(as, i, "action %u is count(), which takes no value", i);
}

static bool
takes_increment(uint16_t kind)
{
	return kind == DT_ACT_QUANTIZE || kind == DT_ACT_LQUANTIZE ||
	    kind == DT_ACT_LLQUANTIZE;
}

int
dof_check_tuple(const struct dof_acts *as, uint32_t i)
{
	struct dif_action *act = &as->v[i], *tuple;
	struct dif_agg *agg;
	int rc;

	if (act->ntuple == 0 || act->ntuple > i)
		return REFUSE(as, i,
		    "action %u has a tuple of %u, but there "
		    "are %u actions before it",
		    i, act->ntuple, i);
	tuple = act - act->ntuple;
	act->has_incr = act->ntuple > 1 && dof_is_unrecorded(act - 1) &&
	    takes_increment(act->kind);
	for (struct dif_action *key = tuple; key < act; key++) {
		if (act->has_incr && key == act - 1 && !key->in_tuple)
			continue;
		rc = check_key(as, (uint32_t)(key - as->v));
		if (rc != 0)
			return rc;
	}
	for (struct dif_action *key = tuple; key < act; key++)
		key->in_tuple = true;
	agg = dof_agg_of_object(as->de, tuple->difo);
	if (agg == NULL)
		return REFUSE(as, i,
		    "action %u: its tuple does not begin with "
		    "the constant id of an aggregation",
		    i);
	rc = check_agg_value(as, i);
	return rc != 0 ? rc :
			 check_agg_use(as, i, agg, tuple + 1,
			     act->ntuple - 1 - act->has_incr);
}

static int
refuse_clause(struct dec *de, const struct dif_clause *cl, const char *why)
{
	return err_set(de->err, -EINVAL, "clause %zu: %s",
	    (size_t)(cl - de->p->clauses.v) + 1, why);
}

/* printa() prints the keys of its first aggregation. */
static int
check_printa_format(
    struct dec *de, const struct dif_clause *cl, const struct dif_action *act)
{
	const struct dec_agg *da = &de->aggs.v[act->arg - 1];
	enum pf_argkind *kinds;
	const char **names;
	struct err err = { 0 };
	int rc = 0;

	if (act->fmt == NULL)
		return 0;
	kinds = mem_alloc((da->kinds.n + 1) * sizeof(*kinds));
	names = mem_alloc((da->kinds.n + 1) * sizeof(*names));
	for (size_t i = 0; i < da->kinds.n; i++) {
		kinds[i] = (enum pf_argkind)(da->kinds.v[i] & 0xff);
		names[i] = "the key";
	}
	if (printf_check(act->fmt, true, kinds, names, da->kinds.n, &err) !=
	    NULL)
		rc = refuse_clause(de, cl, err_text(&err));
	err_clear(&err);
	free(kinds);
	free(names);
	return rc;
}

static bool
has_same_keys(const struct dec_agg *a, const struct dec_agg *b)
{
	if (a->kinds.n != b->kinds.n)
		return false;
	for (size_t i = 0; i < a->kinds.n; i++) {
		if (a->kinds.v[i] != b->kinds.v[i])
			return false;
	}
	return true;
}

static int
check_printed(
    struct dec *de, const struct dif_clause *cl, const struct dif_action *act)
{
	const struct dec_agg *da = &de->aggs.v[act->arg - 1];
	const struct dif_action *prev = act > cl->actions.v &&
		act[-1].kind == DT_ACT_PRINTA && act[-1].group == act->group ?
	    act - 1 :
	    NULL;

	if (!da->is_updated)
		return refuse_clause(de, cl,
		    "it prints an aggregation that "
		    "no clause updates");
	if (prev == NULL)
		return check_printa_format(de, cl, act);
	if (!has_same_keys(&de->aggs.v[prev->arg - 1], da))
		return refuse_clause(de, cl,
		    "it prints aggregations with "
		    "different keys together");
	return 0;
}

int
dof_check_aggs(struct dec *de)
{
	VEC_FOREACH(&de->p->clauses, cl) {
		VEC_FOREACH(&cl->actions, act) {
			int rc = act->kind == DT_ACT_PRINTA ?
			    check_printed(de, cl, act) :
			    0;

			if (rc != 0)
				return rc;
		}
	}
	return 0;
}
