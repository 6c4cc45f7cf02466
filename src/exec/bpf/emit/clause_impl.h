/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_EMIT_CLAUSE_IMPL_H
#define EXEC_BPF_EMIT_CLAUSE_IMPL_H

/* Declarations shared by the files that emit a clause (clause*.c). */
#include "exec/bpf/tr.h"

/* The place of a record or a key under construction: in the machine state or on
 * the stack. */
struct bx_dest {
	bool in_mem;
	uint32_t mem; /* offset in mem of byte 0 */
	int fp;	      /* fp offset of byte 0 */
};

/* ---- clause_state.c: machine state --------------------------------------- */

bool bx_object_needs_slot(const struct bx_layout *lo, const struct dif_obj *dp);

/* Do the steps of a clause need a machine state? (Its predicate may.) */
bool bx_steps_need_slot(
    const struct bx_layout *lo, const struct plan_clause *pc);

/* ---- clause_store.c: storing results ------------------------------------- */

void bx_dest_base(const struct bx_dest *d, int *reg, int *off);
void bx_dest_ptr(
    struct bx_tr *t, const struct bx_dest *d, int rd, uint32_t off);

/* Store a datum: the object's value, or rec->arg if there is no object. */
void bx_store_datum(struct bx_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, const struct bx_dest *d);

/* Zero bytes [from, to) at base + off, with as few stores as alignment
 * allows. */
void bx_zero_gap(
    struct bx_tr *t, int base, int off, uint32_t from, uint32_t to);

/* ---- clause_agg.c: aggregations ------------------------------------------ */

/* The runtime writes strings and user stacks, and only reaches the machine
 * state.  Walking a stack takes all of the BPF stack that is left (group.c). */
bool bx_key_in_mem(const struct bx_layout *lo, const struct plan_agg *pa);
void bx_aggregate(struct bx_tr *t, const struct plan_step *s);

#endif
