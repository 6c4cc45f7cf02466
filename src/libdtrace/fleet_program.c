/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of a fleet's run, for consoles and mergers. */
#include "dif/prog.h"
#include "libdtrace/fleet.h"

static const char *
unmergeable(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (plan_clause_does(pc, DIF_STEP_SPECULATE) ||
		    plan_clause_does(pc, DIF_STEP_SPEC_END))
			return "speculations";
	}
	VEC_FOREACH(&pl->aggs, pa) {
		VEC_FOREACH(&pa->keys, key) {
			if (key->store == PLAN_STACK ||
			    key->store == PLAN_USTACK ||
			    key->store == PLAN_SYM || key->store == PLAN_USYM)
				return "stacks and addresses as keys of "
				       "aggregations";
		}
	}
	return NULL;
}

struct tape_merge *
dt_fleet_take_program(
    struct dt_hdl *h, struct fleet_program *p, const struct record *r)
{
	struct tape_merge *m;
	const void *dof;
	const char *what;
	size_t len;

	dof = record_program(r, &len);
	p->dif = dt_load_dof(h, dof, len);
	if (p->dif == NULL)
		return NULL;
	strbuf_add(&p->dof, dof, len);
	dt_need_plan(h);
	if (plan_add_program(h->plan, p->dif, &h->compiled.diags) != 0) {
		(void)dt_fail(h, "the program cannot be enabled");
		return NULL;
	}
	m = tape_merge_create(h->plan);
	/* the plan is finished now */
	what = unmergeable(h->plan);
	if (what == NULL)
		return m;
	tape_merge_destroy(m);
	(void)dt_fail(h,
	    "a fleet does not have %s yet: ask each host alone, there", what);
	return NULL;
}

bool
dt_fleet_is_without_records(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (pc->size != 0)
			return false;
	}
	return true;
}

int
dt_fleet_add_host(const struct fleet_program *p, struct tape_merge *m,
    struct record *r, const char *name, struct err *err)
{
	size_t len;
	const void *dof = record_program(r, &len);
	int rc = dt_fleet_same(p, dof, len, err);

	if (rc == 0)
		return tape_merge_add(m, r, name, err);
	record_close(r);
	return rc;
}

void
dt_fleet_program_fini(struct fleet_program *p)
{
	dif_prog_destroy(p->dif);
	strbuf_fini(&p->dof);
}
