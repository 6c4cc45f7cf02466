/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOF_DOF_PROG_IMPL_H
#define DOF_DOF_PROG_IMPL_H

/* What reading a program (dof_prog_read.c) and checking its actions
 * (dof_actions.c) share. */
#include "dof/dof_impl.h"

/* What is known of an aggregation; index is our id minus 1. */
struct dec_agg {
	bool is_updated;
	VEC(uint32_t) kinds;		/* of its keys: enum pf_argkind, bytes */
};

/* A variable as the object of one DIFOHDR declares it. */
struct dec_var {
	uint32_t id, sec;
	uint8_t scope, kind;
	struct dif_type type;
};

struct dec {
	const struct dof *d;
	char **msg;
	enum dof_abi abi;
	bool is_ours;			/* has our own sections */
	uint64_t budget;		/* bytes that may still be allocated */
	struct dif_prog *p;
	/* our sections, or NONE */
	uint32_t x_clause, x_action, x_agg, x_var;
	uint32_t *xaction_of;		/* by ACTDESC: its first entry, plus 1 */
	uint32_t *krel_of;		/* by INTTAB: its KRELHDR, plus 1 */
	VEC(uint32_t) agg_ids;		/* the image's ids, plus 1: our ids */
	VEC(struct dec_agg) aggs;
	VEC(struct dec_var) vars;	/* of all objects */
};

/*
 * The actions of a clause: what no check of single fields can see.  Tuples,
 * groups, formats against their arguments, aggregations.  `sec` is the
 * ACTDESC that they come from.
 */
int dof_check_actions(struct dec *de, struct dif_clause *cl, uint32_t sec);
/* Aggregations that our own section names; before the clauses. */
int dof_dec_aggs(struct dec *de);
/* The same for what needs all clauses. */
int dof_check_aggs(struct dec *de);
/* What a verified object declares; and, after all, whether they agree. */
void dof_note_vars(struct dec *de, uint32_t sec, const struct dif_obj *dp);
int dof_check_vars(struct dec *de);

#endif
