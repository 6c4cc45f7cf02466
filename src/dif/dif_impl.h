/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_DIF_IMPL_H
#define DIF_DIF_IMPL_H

/* Shared by the files of this folder. */
#include "dif/dif.h"

#define DIF_NCKINDS 14
extern const char *const dif_ckind_names[DIF_NCKINDS];

/* The variable table by scope and id, so that look-ups take no search. */
struct dif_varmap {
	const struct dif_obj *dp;
	uint32_t first, nids; /* ids: `first` to first + nids - 1 */
	uint16_t *slots; /* [scope][id - first]: 1 + index in vartab, or 0 */
};
/*
 * The variables' scopes and ids must be in range, and DIF_MAX_BYTES observed.
 */
void dif_varmap_init(struct dif_varmap *vm, const struct dif_obj *dp);
void dif_varmap_fini(struct dif_varmap *vm);
/* The last matching variable in the table, or NULL. */
const struct dif_var *dif_varmap_find(
    const struct dif_varmap *vm, uint32_t id, uint8_t scope);

#endif
