/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * May the firings come in any order?  They may if each of them changes nothing
 * but aggregations, whose functions do not depend on the order of values.
 *
 * BEGIN and END fire before and after all others.
 */
#include "exec/replay/impl.h"

#include <string.h>

#include "base/mem.h"
#include "dif/uses.h"

#define FREE_STEPS (1U << DIF_STEP_AGG | 1U << DIF_STEP_EVAL)

static bool
is_at_an_end(const struct rp *rp, const struct plan_clause *pc)
{
	for (size_t i = 0; i < pc->probes.n; i++) {
		const struct dt_probe *p = pc->probes.v[i];

		if ((rp->begin == RP_NONE ||
			p != rp->probes.v[rp->begin].probe) &&
		    (rp->end == RP_NONE || p != rp->probes.v[rp->end].probe))
			return false;
	}
	return true;
}

/* Does the object read or set what outlives the firing? */
static void
find_shared(const struct dif_obj *dp, void *arg)
{
	bool *found = arg;

	for (uint32_t i = 0; i < dp->ntext; i++) {
		uint32_t ins = dp->text[i];

		switch (dif_instr_op(ins)) {
		case DIF_OP_LDGS:
			*found |= dif_instr_idx(ins) >= DIF_VAR_USER_MIN;
			break;
		case DIF_OP_STGS:
		case DIF_OP_LDTA:
		case DIF_OP_LDTS:
		case DIF_OP_STTS:
		case DIF_OP_LDGAA:
		case DIF_OP_LDTAA:
		case DIF_OP_STGAA:
		case DIF_OP_STTAA:
			*found = true;
			break;
		default:
			break;
		}
	}
}

/* Why the clause's firings must come in order, or NULL. */
static const char *
clause_refuses(const struct plan_clause *pc)
{
	static const uint32_t ordered[] = { DIF_SUBR_RAND, DIF_SUBR_RANDOM,
		DIF_SUBR_SPECULATION, DIF_SUBR_COPYIN, DIF_SUBR_COPYINSTR,
		DIF_SUBR_COPYINTO };
	bool is_shared = false;

	if (pc->size != 0 || (pc->does & ~FREE_STEPS) != 0)
		return "does more than aggregate";
	plan_clause_each_obj(pc, find_shared, &is_shared);
	if (is_shared)
		return "has variables that one firing leaves to another";
	for (size_t i = 0; i < sizeof(ordered) / sizeof(ordered[0]); i++) {
		if (dif_uses_subr(&pc->uses, ordered[i]))
			return "calls rand(), random(), speculation() or "
			       "copyin()";
	}
	if (dif_uses_var(&pc->uses, DIF_VAR_WALLTIMESTAMP))
		return "reads walltimestamp";
	if (dif_uses_var(&pc->uses, DIF_VAR_EXECARGS))
		return "reads execargs";
	return NULL;
}

char *
rp_refuses_parts(const struct rp *rp)
{
	if (rp->src.parts == NULL || rp->src.ntapes != 1)
		return mem_strdup("several recordings are read in the order of "
				  "time");
	if (rp->ticks.n != 0)
		return mem_strdup("a tick probe fires between other firings");
	if (rp->error != RP_NONE)
		return mem_strdup("a clause of dtrace:::ERROR runs between "
				  "other firings");
	if (rp->wants_strings)
		return mem_strdup("strings belong to the firing before them");
	for (size_t i = 0; i < rp->pl->clauses.n; i++) {
		const struct plan_clause *pc = &rp->pl->clauses.v[i];
		const char *why =
		    is_at_an_end(rp, pc) ? NULL : clause_refuses(pc);

		if (why != NULL)
			return mem_printf("clause %zu %s", i + 1, why);
	}
	return NULL;
}
