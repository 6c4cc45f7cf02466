/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuse a plan that reads data which the recording does not have, by name. */
#include "exec/replay/impl.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "dif/uses.h"

const struct rp_words rp_words[RP_NSTACKS] = {
	[RP_KERNEL] = { PLAN_STACK, "stack()", "recordstack" },
	[RP_USER] = { PLAN_USTACK, "ustack()", "recordustack" },
};

uint32_t
rp_frames(const struct plan *recorded, enum plan_store store)
{
	uint32_t max = 0;

	VEC_FOREACH(&recorded->clauses, pc) {
		VEC_FOREACH(&pc->recs, rec) {
			if (rec->store == store &&
			    dif_action_firing(rec->src) >= 0 &&
			    (uint32_t)rec->arg > max)
				max = (uint32_t)rec->arg;
		}
	}
	return max;
}

static bool
has_variable(const struct rp *rp, uint32_t id)
{
	switch (id) {
	case DIF_VAR_CALLER:
		return rp->nframes[RP_KERNEL] >= 2;
	case DIF_VAR_UCALLER:
		return rp->nframes[RP_USER] >= 2;
	case DIF_VAR_ARGS:
	case DIF_VAR_TIMESTAMP:
	case DIF_VAR_MACHTIMESTAMP:
	case DIF_VAR_WALLTIMESTAMP:
	case DIF_VAR_EPID:
	case DIF_VAR_ID:
	case DIF_VAR_PROBEPROV:
	case DIF_VAR_PROBEMOD:
	case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME:
	case DIF_VAR_PROBE:
	case DIF_VAR_PID:
	case DIF_VAR_TID:
	case DIF_VAR_PPID:
	case DIF_VAR_UID:
	case DIF_VAR_GID:
	case DIF_VAR_EXECNAME:
	case DIF_VAR_ERRNO:
	case DIF_VAR_CPU:
	case DIF_VAR_HOST:
	case DIF_VAR_EXECARGS:
		return true;
	default:
		return id >= DIF_VAR_ARG0 && id <= DIF_VAR_ARG9;
	}
}

CHECKED static int
refuse_variable(uint32_t id, struct err *err)
{
	if (id == DIF_VAR_CALLER || id == DIF_VAR_UCALLER)
		return err_set(err, -ENOTSUP,
		    "%s is not in the recording: record with -x %s",
		    dif_var_name(id),
		    rp_words[id == DIF_VAR_UCALLER ? RP_USER : RP_KERNEL]
			.option);
	return err_set(err, -ENOTSUP,
	    "%s is not in the recording: a firing has pid, tid, ppid, uid, "
	    "gid, execname, cpu, errno, its arguments and times",
	    dif_var_name(id));
}

CHECKED static int
check_uses(const struct rp *rp, const struct dif_uses *u, struct err *err)
{
	uint64_t left;

	for (left = u->vars | u->arrays; left != 0; left &= left - 1) {
		uint32_t id = dif_var_of_row(DIF_ROW_OF(left));

		if (!has_variable(rp, id))
			return refuse_variable(id, err);
	}
	for (left = u->subrs; left != 0; left &= left - 1) {
		const struct dif_subrinfo *si =
		    dif_subr_find(dif_subr_of_row(DIF_ROW_OF(left)));

		/* of the strings that were recorded */
		if (si->id == DIF_SUBR_COPYINSTR || si->id == DIF_SUBR_COPYIN ||
		    si->id == DIF_SUBR_COPYINTO)
			continue;
		if ((si->flags &
			(DIF_SUBRF_DESTRUCTIVE | DIF_SUBRF_RUNNING |
			    DIF_SUBRF_KERNEL | DIF_SUBRF_LOCK)) != 0)
			return err_set(err, -ENOTSUP,
			    "%s() looks at the running system, or changes it: "
			    "a recording is over",
			    si->name);
	}
	return 0;
}

/* Does the recording have so many frames? */
CHECKED static int
check_address(const struct rp *rp, const struct plan_rec *rec, struct err *err)
{
	enum rp_stack_kind kind =
	    rec->store == PLAN_STACK ? RP_KERNEL : RP_USER;
	const struct rp_words *w = &rp_words[kind];

	if (!rp->src.has_one_space &&
	    (PLAN_IS_STACK(rec->store) || rec->store == PLAN_SYM ||
		rec->store == PLAN_USYM))
		return err_set(err, -ENOTSUP,
		    "%s(): the recordings are of several machines, or starts "
		    "of one, and an address has another name in each: ask one "
		    "at a time",
		    dif_act(rec->action)->name);
	if (!PLAN_IS_STACK(rec->store) ||
	    (uint32_t)rec->arg <= rp->nframes[kind])
		return 0;
	if (rp->nframes[kind] == 0)
		return err_set(err, -ENOTSUP,
		    "%s is not in the recording: record with -x %s", w->stack,
		    w->option);
	return err_set(err, -ENOTSUP,
	    "%s of %u frames: the recording has %u of each stack: record with "
	    "-x %s=%u",
	    w->stack, (uint32_t)rec->arg, rp->nframes[kind], w->option,
	    (uint32_t)rec->arg);
}

CHECKED static int
check_addresses(
    const struct rp *rp, const struct plan_clause *pc, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < pc->recs.n && rc == 0; i++)
		rc = check_address(rp, &pc->recs.v[i], err);
	for (size_t i = 0; i < pc->steps.n && rc == 0; i++) {
		const struct plan_agg *pa = pc->steps.v[i].agg;

		for (size_t k = 0; pa != NULL && k < pa->keys.n && rc == 0; k++)
			rc = check_address(rp, &pa->keys.v[k], err);
	}
	return rc;
}

CHECKED static int
check_clause(const struct rp *rp, const struct plan_clause *pc, struct err *err)
{
	int rc = check_addresses(rp, pc, err);

	if (rc != 0)
		return rc;
	VEC_FOREACH(&pc->clause->actions, act) {
		if (DT_ACT_IS_DESTRUCTIVE(act->kind))
			return err_set(err, -ENOTSUP,
			    "%s() changes the system: a recording is over",
			    dif_act(act->kind)->name);
	}
	return check_uses(rp, &pc->uses, err);
}

CHECKED static int
check_probe(const struct dt_probe *p, struct err *err)
{
	struct strbuf name = { 0 };

	if (p->kind != DT_PROBE_CLOCK || p->period_ns == 0 ||
	    strncmp(p->name, "profile-", 8) != 0)
		return 0;
	dt_probe_format(p, &name);
	err_set(err, -ENOTSUP,
	    "%s interrupts CPUs, which a recording has not: tick probes fire "
	    "in the time of the recording",
	    name.s);
	strbuf_fini(&name);
	return -ENOTSUP;
}

int
rp_check(const struct rp *rp, const struct dt_exec_opts *opts, struct err *err)
{
	const struct plan *pl = rp->pl;
	int rc = 0;

	if (opts->bufpolicy != DT_BUF_SWITCH)
		return err_set(
		    err, -ENOTSUP, "option bufpolicy: a replay has no buffers");
	for (size_t i = 0; i < pl->clauses.n && rc == 0; i++) {
		const struct plan_clause *pc = &pl->clauses.v[i];

		if (pc->probes.n == 0)
			continue;
		rc = check_clause(rp, pc, err);
		if (rc != 0)
			err_prefix(err, "clause %zu", i + 1);
		for (size_t k = 0; k < pc->probes.n && rc == 0; k++)
			rc = check_probe(pc->probes.v[k], err);
	}
	return rc;
}
