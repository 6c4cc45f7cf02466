/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that dtrace's code makes in a process, where probes of the
 * kernel would see them as the program's.
 *
 * A clause that needs some at each firing is tied to the clauses that see them.
 * The few that each thread needs now and then are not worth a trap at each
 * firing; doc/substrates.md names them.
 */
#include "exec/both/split.h"

#include <string.h>

#include "base/vec.h"
#include "exec/runtime/rt_os.h"

/* Built-in variables that a process has at hand. */
static bool
is_at_hand(uint32_t id)
{
	switch (id) {
	case DIF_VAR_ARG0: /* in registers */
	case DIF_VAR_ARG1:
	case DIF_VAR_ARG2:
	case DIF_VAR_ARG3:
	case DIF_VAR_ARG4:
	case DIF_VAR_ARG5:
	case DIF_VAR_TIMESTAMP:
	case DIF_VAR_MACHTIMESTAMP:
	case DIF_VAR_PID:
	case DIF_VAR_TID:
	case DIF_VAR_CPU:
	case DIF_VAR_PROBEPROV:
	case DIF_VAR_PROBEMOD:
	case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME:
	case DIF_VAR_PROBE:
	case DIF_VAR_ID:
	case DIF_VAR_EPID:
		return true;
	default:
		return false;
	}
}

static bool
reads_more(const struct dif_uses *u)
{
	for (uint64_t left = u->vars; left != 0; left &= left - 1) {
		if (!is_at_hand(dif_var_of_row(DIF_ROW_OF(left))))
			return true;
	}
	return u->arrays != 0;
}

/* Only subroutines that compute numbers, and speculation(), make no calls. */
static bool
calls_more(const struct dif_uses *u)
{
	for (uint64_t left = u->subrs; left != 0; left &= left - 1) {
		uint32_t id = dif_subr_of_row(DIF_ROW_OF(left));

		if (id != DIF_SUBR_SPECULATION &&
		    !(dif_subr_flags(id) & DIF_SUBRF_NUMBERS))
			return true;
	}
	return false;
}

/* Does the object load memory that may be absent? */
static bool
loads_memory(const struct dif_uses *u)
{
	for (unsigned op = DIF_OP_LDSB; op <= DIF_OP_LDX; op++) {
		if (dif_uses_op(u, (uint8_t)op))
			return true;
	}
	for (unsigned op = DIF_OP_ULDSB; op <= DIF_OP_RLDX; op++) {
		if (dif_uses_op(u, (uint8_t)op))
			return true;
	}
	return false;
}

/* Can arguments of the probe be in memory?  Those of USDT probes can. */
static bool
has_args_in_memory(const struct plan_clause *pc)
{
	bool reads_args = false, is_usdt = both_grows(pc);

	for (uint32_t id = DIF_VAR_ARG0; id <= DIF_VAR_ARG9; id++)
		reads_args |= dif_uses_var(&pc->uses, id);
	VEC_FOREACH(&pc->probes, p)
		is_usdt |= (*p)->kind == DT_PROBE_USDT;
	VEC_FOREACH(&pc->clause->pdescs, desc) {
		if (desc->prov != NULL && strncmp(desc->prov, "pid", 3) == 0)
			is_usdt = false;
	}
	return reads_args && is_usdt;
}

bool
both_makes_calls(const struct plan_clause *pc)
{
	return reads_more(&pc->uses) || calls_more(&pc->uses) ||
	    loads_memory(&pc->uses) || has_args_in_memory(pc) ||
	    plan_clause_stores(pc, PLAN_USTACK) ||
	    plan_clause_stores(pc, PLAN_REF) ||
	    plan_clause_does(pc, DIF_STEP_RAISE) ||
	    plan_clause_does(pc, DIF_STEP_STOP);
}

static bool
is_our_call(uint32_t nr)
{
	switch (nr) {
#define CALL(NAME, number) case RT_SYS_##NAME:
		RT_CALLS(CALL)
#undef CALL
		return true;
	default:
		return false;
	}
}

/* Does the probe see system calls?  A tracepoint sees all of them, or one. */
static bool
sees_calls(const struct dt_probe *p)
{
	if (p->kind == DT_PROBE_CALL_ENTRY || p->kind == DT_PROBE_CALL_RETURN)
		return is_our_call(p->index);
	return p->kind == DT_PROBE_TRACEPOINT &&
	    (strncmp(p->name, "sys_enter", 9) == 0 ||
		strncmp(p->name, "sys_exit", 8) == 0);
}

bool
both_sees_calls(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, pp) {
		if (sees_calls(*pp))
			return true;
		for (size_t i = 0; i < (*pp)->norigins; i++) {
			if (sees_calls((*pp)->origins[i]))
				return true;
		}
	}
	return false;
}
