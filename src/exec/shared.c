/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/shared.h"

#include <stddef.h>

#include "ctf/ctf.h"

#define WORD 8U

/*
 * A word can be shared, unless it is an address: its process could change it,
 * and make the kernel's clauses read whatever it likes.
 */
bool
exec_shared_can(const struct dif_var *dv)
{
	return dv->scope == DIFV_SCOPE_GLOBAL && dv->kind == DIFV_KIND_SCALAR &&
	    dv->type.kind == DIF_TYPE_CTF &&
	    (dv->type.flags & DIF_TF_BYREF) == 0 &&
	    (dv->type.ckind == CTF_K_INTEGER || dv->type.ckind == CTF_K_ENUM);
}

const struct exec_shared_var *
exec_shared_find(
    const struct exec_shared *sh, uint32_t id, uint8_t scope, uint8_t kind)
{
	if (sh == NULL || kind != DIFV_KIND_SCALAR)
		return NULL;
	VEC_FOREACH(&sh->v, v) {
		if (v->id == id && v->scope == scope)
			return v;
	}
	return NULL;
}

void
exec_shared_add(
    struct exec_shared *sh, uint32_t id, uint8_t scope, const char *name)
{
	if (exec_shared_find(sh, id, scope, DIFV_KIND_SCALAR) != NULL)
		return;
	if (sh->size == 0)
		sh->size = WORD; /* the mark */
	VEC_PUSH(&sh->v,
	    (struct exec_shared_var){
		.id = id, .scope = scope, .off = sh->size, .name = name });
	sh->size += WORD;
}
