/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculations, and what may stand together in a clause.
 *
 * The order of actions matters for some (doc/reference/language.md section 6):
 * all data that a clause records after speculate() go to the speculation; a
 * clause with commit() records nothing; actions that cannot be undone (an
 * aggregation, exit(), an action that changes the system) cannot be
 * speculative.
 *
 * A clause with `if` is several clauses of DIF.  speculate() is in effect to
 * the end of its block: the id is kept in a hidden variable, and each of the
 * following clauses begins with a speculate() of that variable.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/vec.h"

/* ---- the actions --------------------------------------------------------- */

static const struct dif_type word_type = { .ckind = CTF_K_INTEGER, .size = 8 };

static bool
check_id(struct cg *cg, struct ast_expr *e)
{
	const char *name = e->u.ident.name;
	struct ast_expr *arg;

	if (e->args.n != 1) {
		diag_error(cg->ds, D_PROTO_LEN, e->span,
		    "%s() takes 1 argument, the number of a speculation, "
		    "not %zu",
		    name, e->args.n);
		return false;
	}
	arg = e->args.v[0];
	if (!ck_expr(cg, arg))
		return false;
	if (ctf_is_integer(arg->type))
		return true;
	diag_error(cg->ds, D_PROTO_ARG, arg->span,
	    "argument 1 of %s() must "
	    "be the number of a speculation, an integer, not %s",
	    name, cg_tn(cg, arg->type));
	return false;
}

static bool
add_action(
    struct cg *cg, uint16_t kind, struct ast_expr *id, struct diag_span span)
{
	struct dif_action *act = cg_action(cg, kind, span);

	act->difo = cg_typed_obj(cg, id, word_type);
	return act->difo != NULL;
}

/* Keep the id for the clauses that follow an `if`. */
static bool
keep_id(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *set = cg_set_hidden(cg, e->args.v[0]);
	struct dif_action *act = cg_action(cg, DT_ACT_DIFEXPR, e->span);

	act->difo = cg_effect_obj(cg, set);
	cg->group++;
	cg->spec = set->a;
	return act->difo != NULL;
}

bool
cg_do_speculate(struct cg *cg, struct ast_expr *e)
{
	if (!check_id(cg, e))
		return false;
	if (!cg->has_ifs)
		return add_action(cg, DT_ACT_SPECULATE, e->args.v[0], e->span);
	return keep_id(cg, e) &&
	    add_action(cg, DT_ACT_SPECULATE, cg->spec, e->span);
}

bool
cg_continue_speculation(struct cg *cg)
{
	bool ok;

	if (cg->spec == NULL)
		return true;
	ok = add_action(cg, DT_ACT_SPECULATE, cg->spec, cg->spec->span);
	cg->group++;
	return ok;
}

bool
cg_do_commit(struct cg *cg, struct ast_expr *e)
{
	return check_id(cg, e) &&
	    add_action(cg, DT_ACT_COMMIT, e->args.v[0], e->span);
}

bool
cg_do_discard(struct cg *cg, struct ast_expr *e)
{
	return check_id(cg, e) &&
	    add_action(cg, DT_ACT_DISCARD, e->args.v[0], e->span);
}

/* ---- their order --------------------------------------------------------- */

/* The actions of a clause seen so far, by kind; NULL: none. */
struct speculate_order {
	const struct dif_action *speculate, *commit, *data;
};

struct rule {
	const char *tag;
	const struct dif_action *earlier;
	const char *what;
};

/*
 * Report the first rule whose earlier action has been seen; returns false then.
 */
static bool
check_rules(struct cg *cg, const struct dif_action *act,
    const struct rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (rules[i].earlier == NULL)
			continue;
		diag_error(
		    cg->ds, rules[i].tag, act->span, "%s", rules[i].what);
		return false;
	}
	return true;
}

static bool
check_speculate(struct cg *cg, const struct speculate_order *o,
    const struct dif_action *act)
{
	const struct rule rules[] = {
		{ D_SPEC_COMM, o->commit,
		    "speculate() may not follow commit()" },
		{ D_SPEC_SPEC, o->speculate,
		    "speculate() may not follow speculate()" },
		{ D_SPEC_DREC, o->data,
		    "speculate() may not follow an action "
		    "that records data: that data is not speculative" },
	};

	return check_rules(cg, act, rules, 3);
}

static bool
check_commit(struct cg *cg, const struct speculate_order *o,
    const struct dif_action *act)
{
	const struct rule rules[] = {
		{ D_COMM_COMM, o->commit, "commit() may not follow commit()" },
		{ D_COMM_DREC, o->data,
		    "commit() may not follow an action "
		    "that records data" },
	};

	return check_rules(cg, act, rules, 2);
}

static bool
check_agg(struct cg *cg, const struct speculate_order *o,
    const struct dif_action *act)
{
	const struct rule rules[] = {
		{ D_AGG_COMM, o->commit,
		    "an aggregation may not follow commit()" },
		{ D_AGG_SPEC, o->speculate,
		    "an aggregation may not follow "
		    "speculate(): it could not be taken back" },
	};

	return check_rules(cg, act, rules, 2);
}

static bool
records_data(const struct dif_action *act)
{
	if (act->kind == DT_ACT_DIFEXPR)
		return act->difo == NULL || act->difo->rtype.size != 0 ||
		    act->difo->rtype.kind == DIF_TYPE_STRING;
	return act->kind != DT_ACT_DISCARD &&
	    !dif_step_is_mute(dif_act(act->kind)->step);
}

static bool
check_data(struct cg *cg, const struct speculate_order *o,
    const struct dif_action *act)
{
	const struct rule rules[] = {
		{ D_DREC_COMM, records_data(act) ? o->commit : NULL,
		    "an action that records data may not follow commit()" },
		{ D_EXIT_SPEC, act->kind == DT_ACT_EXIT ? o->speculate : NULL,
		    "exit() may not follow speculate()" },
		{ D_ACT_SPEC,
		    DT_ACT_IS_DESTRUCTIVE(act->kind) ? o->speculate : NULL,
		    "an action that changes the system may not follow "
		    "speculate(): it could not be taken back" },
	};

	return check_rules(cg, act, rules, 3);
}

static bool
check_action(
    struct cg *cg, struct speculate_order *o, const struct dif_action *act)
{
	switch (act->kind) {
	case DT_ACT_SPECULATE:
		if (!check_speculate(cg, o, act))
			return false;
		o->speculate = act;
		return true;
	case DT_ACT_COMMIT:
		if (!check_commit(cg, o, act))
			return false;
		o->commit = act;
		return true;
	default:
		break;
	}
	if (DT_ACT_IS_AGG(act->kind))
		return check_agg(cg, o, act);
	if (!check_data(cg, o, act))
		return false;
	if (records_data(act) && o->speculate == NULL && o->data == NULL)
		o->data = act;
	return true;
}

void
cg_check_order(struct cg *cg, const struct dif_clause *c)
{
	struct speculate_order o = { 0 };

	VEC_FOREACH(&c->actions, act) {
		if (!act->in_tuple && !check_action(cg, &o, act))
			return;
	}
}
