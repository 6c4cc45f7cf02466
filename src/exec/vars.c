/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/vars.h"

#include <errno.h>

#include "base/err.h"
#include "base/vec.h"
#include "exec/shared.h"

#define MEM_MIN 4096U /* of a machine state's memory */

static uint32_t
round8(uint32_t n)
{
	return (n + 7) & ~7U;
}

const struct rt_uvar *
exec_vars_find(
    const struct exec_vars *vars, uint32_t id, uint8_t scope, uint8_t kind)
{
	VEC_FOREACH(&vars->v, v) {
		if (v->id == id && v->scope == scope && v->kind == kind)
			return v;
	}
	return NULL;
}

/* Give a static variable its place; its storage grows by what it takes. */
static void
place(struct exec_vars *vars, struct rt_uvar *v)
{
	const struct exec_shared_var *sv =
	    exec_shared_find(vars->shared, v->id, v->scope, v->kind);

	if (v->kind == DIFV_KIND_ARRAY)
		return;
	if (sv != NULL) {
		v->is_shared = 1;
		v->off = sv->off;
		return;
	}
	v->off = vars->sizes[v->scope];
	vars->sizes[v->scope] += v->is_byref ? 8 + round8(v->size) : 8;
}

static bool
is_same(const struct rt_uvar *a, const struct rt_uvar *b)
{
	return a->is_byref == b->is_byref && a->is_string == b->is_string &&
	    a->size == b->size;
}

CHECKED static bool
add(struct exec_vars *vars, const struct dif_var *dv, uint32_t strsize,
    struct err *err)
{
	struct rt_uvar v = { .id = dv->id,
		.scope = dv->scope,
		.kind = dv->kind,
		.is_byref = (dv->type.flags & DIF_TF_BYREF) != 0,
		.is_string = dv->type.kind == DIF_TYPE_STRING,
		.size = dv->type.size };
	const struct rt_uvar *old = exec_vars_find(vars, v.id, v.scope, v.kind);

	if (v.is_string)
		v.size = strsize;
	if (!v.is_byref)
		v.size = 8;
	if (old != NULL && !is_same(old, &v)) {
		err_set(err, -EINVAL,
		    "variable 0x%x has different types in two objects", v.id);
		return false;
	}
	if (old != NULL)
		return true;
	place(vars, &v);
	VEC_PUSH(&vars->v, v);
	return true;
}

bool
exec_vars_add(struct exec_vars *vars, const struct dif_obj *dp,
    uint32_t strsize, struct err *err)
{
	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *dv = &dp->vartab[i];

		if (dv->id >= DIF_VAR_USER_MIN && !add(vars, dv, strsize, err))
			return false;
	}
	return true;
}

size_t
exec_vars_largest(const struct exec_vars *vars)
{
	size_t max = 8;

	VEC_FOREACH(&vars->v, v)
		max = v->size > max ? v->size : max;
	return max;
}

uint64_t
exec_vars_lay_out(struct rt_conf *c, const struct exec_vars *vars,
    uint32_t strsize, uint64_t scratchsize)
{
	uint64_t room = round8(strsize), size = MEM_MIN;

	c->strsize = strsize;
	c->tmp_a = c->locals + vars->sizes[DIFV_SCOPE_LOCAL];
	c->tmp_b = c->tmp_a + room;
	c->tok = c->tmp_b + room;
	c->scratch_begin = c->tok + room;
	c->scratch_end = c->scratch_begin + scratchsize;
	while (size < c->scratch_end)
		size *= 2;
	c->memmask = size - 1;
	return size + room;
}

size_t
exec_key_max(uint32_t strsize)
{
	return 16 + DIF_NTREGS * (8 + (size_t)strsize);
}
