/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PLAN_STEP_H
#define PLAN_STEP_H

/*
 * Steps: a clause's actions, decoded once (step.c).
 */
#include "plan/plan.h"

/* Does the action have a datum in the clause's record? */
bool plan_is_recorded(const struct dif_action *act);

/* The aggregation that an aggregating action updates. */
struct plan_agg *plan_agg_of(
    const struct plan *pl, const struct dif_action *act);
/* The number of keys before an aggregating action, and the first key. */
uint32_t plan_nkeys(const struct dif_action *act);
const struct dif_action *plan_keys(const struct dif_action *act);

/* Make the steps, once the clause's record and all keys are laid out. */
void plan_make_steps(const struct plan *pl, struct plan_clause *pc);

#endif
