/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_EMIT_CLAUSE_IMPL_H
#define EXEC_PROCESS_EMIT_CLAUSE_IMPL_H

/* Declarations shared by the files that emit a clause (clause*.c). */
#include "exec/process/emit/compile.h"

/* ---- clause.c: the clause ------------------------------------------------ */

x_label pr_fault_label(struct pr_tr *t, bool has_offset);

/* After a call of a function that returns whether it has faulted. */
void pr_check_result(struct pr_tr *t);

/* ---- clause_store.c: storing results ------------------------------------- */

/* %rax <- the object's result */
void pr_run_object(struct pr_tr *t, const struct dif_obj *dp);

/* %rdi <- the machine state */
void pr_slot(struct pr_tr *t);

/* Store a datum: the object's result, or rec->arg if there is no object.  Its
 * record or key begins at offset `base` in mem. */
void pr_store_datum(struct pr_tr *t, const struct plan_rec *rec,
    const struct dif_obj *dp, uint32_t base);

/* Zero the padding between data: it must not show old contents. */
void pr_zero_padding(struct pr_tr *t, uint32_t base, uint32_t end,
    const struct plan_rec *recs, size_t n, uint32_t size);

/* ---- clause_agg.c: aggregations ------------------------------------------ */

void pr_aggregate(struct pr_tr *t, const struct plan_step *s);

#endif
