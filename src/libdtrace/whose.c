/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread of each record, for forms of the output that draw threads.
 *
 * A record holds what its clause traces, and no more.  So the clauses that
 * record get three more data, the firing thread's process, number and name,
 * which no form shows as actions of the script.
 */
#include "consume/oformat.h"
#include "libdtrace/dt_impl.h"
#include "plan/step.h"

/*
 * Does the clause record data, and not the thread yet?  One that commits or
 * discards a speculation must not, nor does it trace anything.
 */
static bool
records(const struct dif_clause *c)
{
	bool is_recorded = c->default_action;

	VEC_FOREACH(&c->actions, act) {
		if (dif_act(act->kind)->step == DIF_STEP_SPEC_END ||
		    dif_action_firing(act) >= 0)
			return false;
		is_recorded |= plan_is_recorded(act);
	}
	return is_recorded;
}

int
dt_whose_add(struct dt_hdl *h, struct dif_prog *p)
{
	const struct oformat_ops *oformat =
	    oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT));

	if (oformat == NULL || !oformat->needs_whose)
		return 0;
	VEC_FOREACH(&p->clauses, c) {
		if (records(c) && dt_firing_add_thread(h, c) != 0)
			return -1;
	}
	return 0;
}
