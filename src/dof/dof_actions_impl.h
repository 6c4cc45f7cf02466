/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOF_DOF_ACTIONS_IMPL_H
#define DOF_DOF_ACTIONS_IMPL_H

/*
 * Shared by the checks of a clause's actions: dof_actions.c and dof_aggs.c.
 */
#include "dof/dof_prog_impl.h"
#include "fmt/fmt.h"

/* One clause's actions, and their place in the image. */
struct dof_acts {
	struct dec *de;
	struct dif_action *v;
	uint32_t n, sec;
};

#define REFUSE(as, i, ...)                                                     \
	dof_refuse((as)->de->d, (as)->sec,                                     \
	    dof_elem_off((as)->de->d, (as)->sec, (i)), (as)->de->err,          \
	    __VA_ARGS__)

/* ---- dof_actions.c ------------------------------------------------------- */

/* Does the object return a value, not a reference or a string? */
bool dof_is_value(const struct dif_obj *dp);
/* An expression statement, or an aggregation's increment. */
bool dof_is_unrecorded(const struct dif_action *act);
/* The kind of the action's datum, for formats. */
enum pf_argkind dof_arg_kind(const struct dif_action *act);
/* Refuse action i, named `what`, if its object does not return a value. */
int dof_need_value(const struct dof_acts *as, uint32_t i, const char *what);

/* ---- dof_aggs.c ---------------------------------------------------------- */

/*
 * The aggregation whose id an object returns; the object then returns our id.
 */
struct dif_agg *dof_agg_of_object(struct dec *de, struct dif_obj *dp);
/* Check the tuple before an aggregation: id, keys, increment. */
int dof_check_tuple(const struct dof_acts *as, uint32_t i);

#endif
