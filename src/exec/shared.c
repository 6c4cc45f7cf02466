/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/shared.h"

#include <stddef.h>

#include "ctf/ctf.h"
#include "exec/runtime/rt_self.h"

#define WORD 8U
#define LINE (RT_SELF_WAYS * WORD)

/*
 * A word can be shared, unless it is an address: its process could change it,
 * and make the kernel's clauses read whatever it likes.
 */
bool
exec_shared_can(const struct dif_var *dv)
{
	return dv->scope != DIFV_SCOPE_LOCAL && dv->kind == DIFV_KIND_SCALAR &&
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
	uint32_t *end = scope == DIFV_SCOPE_THREAD ? &sh->self_size : &sh->size;

	if (exec_shared_find(sh, id, scope, DIFV_KIND_SCALAR) != NULL)
		return;
	if (sh->size == 0)
		sh->size = WORD; /* the mark */
	VEC_PUSH(&sh->v,
	    (struct exec_shared_var){
		.id = id, .scope = scope, .off = *end, .name = name });
	*end += WORD;
}

void
exec_shared_lay_out(struct exec_shared *sh, uint64_t page)
{
	uint64_t end = sh->size;

	if (sh->self_size != 0) {
		/* a bucket is a line of the cache */
		sh->self_keys = (sh->size + LINE - 1) & -LINE;
		sh->self_words =
		    sh->self_keys + (uint32_t)(RT_SELF_SLOTS * WORD);
		end = sh->self_words + RT_SELF_SLOTS * sh->self_size;
	}
	sh->len = (end + page - 1) & -page;
}

void
exec_shared_conf(const struct exec_shared *sh, struct rt_conf *conf)
{
	conf->self_keys = sh->self_keys;
	conf->self_words = sh->self_words;
	conf->self_stride = sh->self_size;
}

void
exec_shared_fini(struct exec_shared *sh)
{
	VEC_FREE(&sh->v);
	VEC_FREE(&sh->pids);
}
