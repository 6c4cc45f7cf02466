/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread of each record, for forms of the output that draw threads.
 *
 * A record holds what its clause traces, and no more.  So the clauses that
 * record get three more data, the firing thread's process, number and name,
 * which no form shows as actions of the script.
 */
#include "base/err.h"
#include "base/mem.h"
#include "consume/oformat.h"
#include "libdtrace/dt_impl.h"
#include "plan/step.h"

static const struct whose {
	uint16_t var;
	const char *type;
	struct dif_type rtype;
} whose[DT_NWHOSE] = {
	{ DIF_VAR_PID, "pid_t",
	    { .kind = DIF_TYPE_CTF, .ckind = CTF_K_INTEGER, .size = 4 } },
	{ DIF_VAR_TID, "id_t",
	    { .kind = DIF_TYPE_CTF, .ckind = CTF_K_INTEGER, .size = 4 } },
	{ DIF_VAR_EXECNAME, "string",
	    { .kind = DIF_TYPE_STRING, .flags = DIF_TF_BYREF } },
};

/*
 * Does the clause record data?  One that commits or discards a speculation
 * must not, nor does it trace anything.
 */
static bool
records(const struct dif_clause *c)
{
	bool is_recorded = c->default_action;

	VEC_FOREACH(&c->actions, act) {
		if (dif_act(act->kind)->step == DIF_STEP_SPEC_END ||
		    act->is_whose)
			return false;
		is_recorded |= plan_is_recorded(act);
	}
	return is_recorded;
}

/* An object that does nothing but return the variable. */
static struct dif_obj *
object_of(const struct whose *w)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));

	dp->ntext = 2;
	dp->text = mem_alloc(dp->ntext * sizeof(*dp->text));
	dp->text[0] = dif_instr_w(DIF_OP_LDGS, w->var, 1);
	dp->text[1] = dif_instr(DIF_OP_RET, 0, 0, 1);
	dp->rtype = w->rtype;
	return dp;
}

static int
add(struct dt_hdl *h, struct dif_clause *c, uint32_t i)
{
	struct dif_action act = { .kind = DT_ACT_DIFEXPR,
		.is_whose = true,
		.is_signed = i == 0,
		.group = UINT32_MAX - i,
		.difo = object_of(&whose[i]),
		.span = c->span };
	struct err err = { 0 };

	if (dif_verify(act.difo, &err) != 0) {
		dif_obj_destroy(act.difo);
		return dt_fail_err(h, &err);
	}
	act.type_name = mem_strdup(whose[i].type);
	VEC_PUSH(&c->actions, act);
	return 0;
}

int
dt_whose_add(struct dt_hdl *h, struct dif_prog *p)
{
	const struct oformat_ops *oformat =
	    oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT));

	if (oformat == NULL || !oformat->needs_whose)
		return 0;
	VEC_FOREACH(&p->clauses, c) {
		bool is_recorded = records(c);

		for (uint32_t i = 0; is_recorded && i < DT_NWHOSE; i++) {
			if (add(h, c, i) != 0)
				return -1;
		}
	}
	return 0;
}
