/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare the variables of a program's objects.
 *
 * Every object declares the variables that it uses, and all of them share the
 * storage: what one wrote as an integer, another must not read as the address
 * of a string.  The verifier sees one object at a time, so this is seen to
 * here (doc/reference/dif.md section 5, rule 5).
 */
#include "dof/dof_prog_impl.h"

#include <stdlib.h>

#include "base/vec.h"

void
dof_note_vars(struct dec *de, uint32_t sec, const struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->id >= DIF_VAR_USER_MIN)
			VEC_PUSH(&de->vars,
			    (struct dec_var){
				v->id, sec, v->scope, v->kind, v->type });
	}
}

/* By scope, then id; entries of one variable in the file's order. */
static int
cmp_var(const void *va, const void *vb)
{
	const struct dec_var *a = va, *b = vb;

	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->sec > b->sec) - (a->sec < b->sec);
}

/* Size 0 agrees with any size. */
static bool
is_same_var(const struct dec_var *a, const struct dec_var *b)
{
	return a->kind == b->kind && a->type.kind == b->type.kind &&
	    a->type.flags == b->type.flags &&
	    (a->type.size == b->type.size || b->type.size == 0);
}

int
dof_check_vars(struct dec *de)
{
	const struct dec_var *first = de->vars.v;

	if (de->vars.n == 0)
		return 0;
	qsort(de->vars.v, de->vars.n, sizeof(*de->vars.v), cmp_var);
	VEC_FOREACH(&de->vars, v) {
		if (v->scope != first->scope || v->id != first->id)
			first = v;
		else if (!is_same_var(first, v))
			return dof_refuse(de->d, v->sec,
			    dof_elem_off(de->d, v->sec, 0), de->err,
			    "variable 0x%x is of another kind or type here "
			    "than in section %u (DIFOHDR)",
			    v->id, first->sec);
	}
	return 0;
}
