/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check that the actions of a program from DOF fit together.
 *
 * Substrates and consumer trust the compiler: an aggregation has its keys
 * before it, a format has as many arguments as it takes, all uses of an
 * aggregation agree (dof_aggs.c).  A foreign program gets the same trust only
 * after the same checks.
 */
#include "dof/dof_actions_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define PRINTM_MAX 65536
/* doc/reference/ctf.md section 5 */
#define CTF_K_FLOAT 2
#define CTF_K_POINTER 3
#define CTF_K_ENUM 8

bool
dof_is_value(const struct dif_obj *dp)
{
	return dp != NULL && dp->rtype.kind == DIF_TYPE_CTF &&
	    (dp->rtype.flags & (DIF_TF_BYREF | DIF_TF_BYUREF)) == 0;
}

static bool
is_string(const struct dif_obj *dp)
{
	return dp != NULL && dp->rtype.kind == DIF_TYPE_STRING;
}

static bool
is_mute(const struct dif_action *act)
{
	return dif_step_is_mute(dif_act(act->kind)->step);
}

bool
dof_is_unrecorded(const struct dif_action *act)
{
	return act->kind == DT_ACT_DIFEXPR && dof_is_value(act->difo) &&
	    act->difo->rtype.size == 0;
}

enum pf_argkind
dof_arg_kind(const struct dif_action *act)
{
	if (dif_act_is_stack(act->kind))
		return PF_ARG_STACK;
	if (dif_act_is_sym(act->kind))
		return PF_ARG_SYM;
	if (is_string(act->difo))
		return PF_ARG_STRING;
	if (act->difo->rtype.ckind == CTF_K_FLOAT)
		return PF_ARG_FLOAT;
	if (!dof_is_value(act->difo))
		return PF_ARG_BYTES;
	if (act->difo->rtype.ckind == CTF_K_ENUM)
		return PF_ARG_ENUM;
	return act->difo->rtype.ckind == CTF_K_POINTER ? PF_ARG_POINTER :
							 PF_ARG_INT;
}

int
dof_need_value(const struct dof_acts *as, uint32_t i, const char *what)
{
	if (dof_is_value(as->v[i].difo))
		return 0;
	return REFUSE(as, i,
	    "action %u, %s(), needs an object that returns a "
	    "value",
	    i, what);
}

/* ---- single actions ----------------------------------------------------- */

static int
check_action(const struct dof_acts *as, uint32_t i)
{
	const struct dif_action *act = &as->v[i];
	const struct dif_actinfo *row = dif_act(act->kind);

	if (act->kind == DT_ACT_PRINTM &&
	    (act->arg < 1 || act->arg > PRINTM_MAX))
		return REFUSE(as, i,
		    "action %u, printm(), records %llu bytes; "
		    "from 1 to %u are allowed",
		    i, (unsigned long long)act->arg, PRINTM_MAX);
	switch (row->takes) {
	case DIF_TAKES_ANYTHING:
		break;
	case DIF_TAKES_NOTHING:
		if (act->difo != NULL)
			return REFUSE(as, i, "action %u, %s(), takes no object",
			    i, row->name);
		break;
	case DIF_TAKES_OBJECT:
		if (act->difo == NULL)
			return REFUSE(as, i, "action %u, %s(), needs an object",
			    i, row->name);
		break;
	case DIF_TAKES_VALUE:
		return dof_need_value(as, i, row->name);
	case DIF_TAKES_TUPLE:
		return dof_check_tuple(as, i);
	}
	return 0;
}

/* ---- speculations -------------------------------------------------------- */

static bool
records_data(const struct dif_action *act)
{
	return !act->in_tuple && !is_mute(act) && !dof_is_unrecorded(act) &&
	    !DT_ACT_IS_SPEC(act->kind);
}

/* Actions that may not be speculative, since they cannot be undone. */
static bool
is_final(const struct dif_action *act)
{
	return DT_ACT_IS_AGG(act->kind) || act->kind == DT_ACT_EXIT ||
	    DT_ACT_IS_DESTRUCTIVE(act->kind);
}

/* doc/reference/language.md section 6: what goes together in a clause. */
static int
check_order(const struct dof_acts *as)
{
	const struct dif_action *speculate = NULL, *commit = NULL;
	bool has_data = false;

	for (uint32_t i = 0; i < as->n; i++) {
		const struct dif_action *act = &as->v[i];
		bool is_spec = act->kind == DT_ACT_SPECULATE;
		bool is_commit = act->kind == DT_ACT_COMMIT;

		if (is_spec &&
		    (speculate != NULL || commit != NULL || has_data))
			return REFUSE(as, i,
			    "action %u, speculate(), must come "
			    "first, and once",
			    i);
		if (is_commit && (commit != NULL || has_data))
			return REFUSE(as, i,
			    "action %u, commit(), stands with "
			    "data or another commit()",
			    i);
		if (commit != NULL && records_data(act))
			return REFUSE(as, i,
			    "action %u records data after "
			    "commit()",
			    i);
		if (speculate != NULL && is_final(act))
			return REFUSE(as, i,
			    "action %u may not follow "
			    "speculate(): it could not be taken back",
			    i);
		speculate = is_spec ? act : speculate;
		commit = is_commit ? act : commit;
		has_data |= speculate == NULL && records_data(act) &&
		    !DT_ACT_IS_AGG(act->kind);
	}
	return 0;
}

/* ---- groups ------------------------------------------------------------- */

/* Does the datum at i belong to the group that begins at first? */
static bool
is_in_group(const struct dof_acts *as, uint32_t first, uint32_t i)
{
	return i < as->n && as->v[i].group == as->v[first].group &&
	    !as->v[i].in_tuple && !DT_ACT_IS_AGG(as->v[i].kind) &&
	    !dof_is_unrecorded(&as->v[i]) && !is_mute(&as->v[i]);
}

static int
check_printf_arg(
    const struct dof_acts *as, uint32_t i, uint32_t first, uint32_t end)
{
	const struct dif_action *act = &as->v[i], *head = &as->v[first];

	if (act->fmt == NULL || strcmp(act->fmt, head->fmt) != 0)
		return REFUSE(as, i,
		    "action %u has another format than the "
		    "first datum of its statement",
		    i);
	if (dif_act_is_stack(act->kind))
		return 0;
	if (act->kind != head->kind && !dif_act_is_datum(act->kind) &&
	    !dif_act_is_datum(head->kind))
		return REFUSE(as, i,
		    "action %u is not of the kind of its "
		    "statement",
		    i);
	if (act->difo == NULL && end - first == 1)
		return 0;
	if (act->difo == NULL ||
	    (dof_is_value(act->difo) && act->difo->rtype.size == 0))
		return REFUSE(as, i, "action %u has no value to print", i);
	return 0;
}

static int
check_format(const struct dof_acts *as, uint32_t first, uint32_t end)
{
	size_t n =
	    as->v[first].difo == NULL && !dif_act_is_stack(as->v[first].kind) ?
	    0 :
	    end - first;
	enum pf_argkind *kinds = mem_alloc((n + 1) * sizeof(*kinds));
	const char **names = mem_alloc((n + 1) * sizeof(*names));
	struct err err = { 0 };
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		const struct dif_action *act = &as->v[first + i];

		kinds[i] = dof_arg_kind(act);
		names[i] =
		    act->type_name != NULL ? act->type_name : "the value";
	}
	if (printf_check(as->v[first].fmt, false, kinds, names, n, &err) !=
	    NULL)
		rc = REFUSE(as, first, "action %u: %s", first, err_text(&err));
	err_clear(&err);
	free(kinds);
	free(names);
	return rc;
}

static int
check_printf(const struct dof_acts *as, uint32_t first, uint32_t end)
{
	int rc = 0;

	for (uint32_t i = first; i < end && rc == 0; i++)
		rc = check_printf_arg(as, i, first, end);
	return rc != 0 ? rc : check_format(as, first, end);
}

static int
check_printa(const struct dof_acts *as, uint32_t first, uint32_t end)
{
	const char *fmt = as->v[first].fmt;

	for (uint32_t i = first; i < end; i++) {
		struct dif_action *act = &as->v[i];
		struct dif_agg *agg = act->kind == DT_ACT_PRINTA ?
		    dof_agg_of_object(as->de, act->difo) :
		    NULL;

		if (agg == NULL)
			return REFUSE(as, i,
			    "action %u does not name an "
			    "aggregation to print",
			    i);
		if ((fmt == NULL) != (act->fmt == NULL) ||
		    (fmt != NULL && strcmp(fmt, act->fmt) != 0))
			return REFUSE(as, i,
			    "action %u has another format "
			    "than the first datum of its statement",
			    i);
		act->arg = agg->id;
		dif_obj_destroy(act->difo);
		act->difo = NULL;
	}
	return 0;
}

static int
check_on_agg(
    const struct dof_acts *as, uint32_t first, uint32_t n, uint32_t want)
{
	if (dof_agg_of_object(as->de, as->v[first].difo) == NULL)
		return REFUSE(as, first,
		    "action %u does not name an "
		    "aggregation",
		    first);
	if (n != want)
		return REFUSE(
		    as, first, "action %u has %u data, not %u", first, n, want);
	return want < 2 ?
	    0 :
	    dof_need_value(as, first + 1, dif_libact_name(as->v[first].arg));
}

static int
check_libact(const struct dof_acts *as, uint32_t first, uint32_t end)
{
	uint64_t which = as->v[first].arg;
	uint32_t n = end - first;

	for (uint32_t i = first; i < end; i++) {
		if (as->v[i].kind != DT_ACT_LIBACT || as->v[i].arg != which)
			return REFUSE(as, i,
			    "action %u is not of the kind of "
			    "its statement",
			    i);
	}
	switch ((enum dt_libact)which) {
	case DT_LIBACT_CLEAR:
	case DT_LIBACT_DENORMALIZE:
		return check_on_agg(as, first, n, 1);
	case DT_LIBACT_NORMALIZE:
	case DT_LIBACT_TRUNC:
		return check_on_agg(as, first, n, 2);
	case DT_LIBACT_FTRUNCATE:
		return 0;
	case DT_LIBACT_SETOPT:
		if (n == 2 && is_string(as->v[first].difo))
			return 0;
		return REFUSE(as, first,
		    "action %u, setopt(), needs a name "
		    "and a value",
		    first);
	}
	return REFUSE(as, first,
	    "action %u is sub-action %llu, which is not "
	    "available",
	    first, (unsigned long long)which);
}

/* Check a group, which prints as one; *next is the action after it. */
static int
check_group(const struct dof_acts *as, uint32_t i, uint32_t *next)
{
	const struct dif_action *act = &as->v[i];
	uint32_t end = i + 1;

	while (is_in_group(as, i, end))
		end++;
	*next = end;
	if (act->kind == DT_ACT_PRINTA)
		return check_printa(as, i, end);
	if (act->kind == DT_ACT_LIBACT)
		return check_libact(as, i, end);
	if (dif_act_has_format(act->kind) && act->fmt == NULL)
		return REFUSE(as, i, "action %u has no format", i);
	if (dif_act_has_format(act->kind) ||
	    (dif_act_is_datum(act->kind) && act->fmt != NULL))
		return check_printf(as, i, end);
	*next = i + 1;
	return 0;
}

int
dof_check_actions(struct dec *de, struct dif_clause *cl, uint32_t sec)
{
	struct dof_acts as = { de, cl->actions.v, (uint32_t)cl->actions.n,
		sec };
	int rc = 0;

	for (uint32_t i = 0; i < as.n && rc == 0; i++)
		rc = check_action(&as, i);
	for (uint32_t i = 0; i < as.n && rc == 0;) {
		if (is_in_group(&as, i, i))
			rc = check_group(&as, i, &i);
		else
			i++;
	}
	return rc != 0 ? rc : check_order(&as);
}
