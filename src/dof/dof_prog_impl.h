/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOF_DOF_PROG_IMPL_H
#define DOF_DOF_PROG_IMPL_H

/*
 * Shared by the readers of programs (dof_prog_*.c) and the checks of their
 * actions and variables (dof_actions.c, dof_aggs.c, dof_vars.c).
 */
#include "base/err.h"
#include "base/vec.h"
#include "dof/dof_impl.h"

/* Facts of an aggregation; the index is our id minus 1. */
struct dec_agg {
	bool is_updated;
	VEC(uint32_t) kinds; /* of its keys: enum pf_argkind, size */
};

/* A variable as the object of one DIFOHDR declares it. */
struct dec_var {
	uint32_t id, sec;
	uint8_t scope, kind;
	struct dif_type type;
};

struct dec {
	const struct dof *d;
	struct err *err;
	enum dof_abi abi;
	bool is_ours;	 /* the image has our own sections */
	uint64_t budget; /* bytes that may still be allocated */
	struct dif_prog *p;
	/* indices of our sections, or NONE */
	uint32_t x_clause, x_action, x_agg, x_var;
	uint32_t *xaction_of;  /* by ACTDESC: its first entry, plus 1 */
	uint32_t *krel_of;     /* by INTTAB: its KRELHDR, plus 1 */
	VEC(uint32_t) agg_ids; /* the image's ids, plus 1: our ids */
	VEC(struct dec_agg) aggs;
	VEC(struct dec_var) vars; /* of all objects */
};

/*
 * Check a clause's actions beyond single fields: tuples, groups, formats
 * against their arguments, aggregations.  `sec` is their ACTDESC.
 */
int dof_check_actions(struct dec *de, struct dif_clause *cl, uint32_t sec);
/* Read the aggregations of our own section; called before the clauses. */
int dof_dec_aggs(struct dec *de);
/* Check the aggregations of all clauses. */
int dof_check_aggs(struct dec *de);
/*
 * dof_note_vars() notes the variables that a verified object declares;
 * dof_check_vars() checks at the end that all declarations agree.
 */
void dof_note_vars(struct dec *de, uint32_t sec, const struct dif_obj *dp);
int dof_check_vars(struct dec *de);

#endif
