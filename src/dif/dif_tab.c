/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups in the tables of built-in variables, subroutines and an object's own
 * variables.  Look-ups by name search, since a compile makes a few dozen.
 * Look-ups by id index, since the verifier makes one for every instruction.
 */
#include "dif/dif_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct builtin {
	uint32_t id;
	const char *name;
	uint32_t flags;
} vars[] = {
#define DIF_VAR(val, NAME, name, type, attr, flags) { val, name, flags },
#include "dif/dif_vars.def"
#undef DIF_VAR
};

static const struct dif_subrinfo subrs[] = {
#define DIF_SUBR(val, NAME, name, proto, flags) { val, name, proto, flags },
#include "dif/dif_subrs.def"
#undef DIF_SUBR
};

#define NELEMS(a) (sizeof(a) / sizeof((a)[0]))

static const struct builtin *
find_var(uint32_t id)
{
	switch (id) {
#define DIF_VAR(val, NAME, ...)                                                \
	case val:                                                              \
		return &vars[DIF_VROW_##NAME];
#include "dif/dif_vars.def"
#undef DIF_VAR
	default:
		return NULL;
	}
}

const char *
dif_var_name(uint32_t id)
{
	const struct builtin *v = find_var(id);

	return v != NULL ? v->name : NULL;
}

uint32_t
dif_var_flags(uint32_t id)
{
	const struct builtin *v = find_var(id);

	return v != NULL ? v->flags : 0;
}

bool
dif_var_find_name(const char *name, uint32_t *id)
{
	for (size_t i = 0; i < NELEMS(vars); i++) {
		if (strcmp(vars[i].name, name) != 0)
			continue;
		*id = vars[i].id;
		return true;
	}
	return false;
}

const struct dif_subrinfo *
dif_subr_find(uint32_t id)
{
	switch (id) {
#define DIF_SUBR(val, NAME, ...)                                               \
	case val:                                                              \
		return &subrs[DIF_SROW_##NAME];
#include "dif/dif_subrs.def"
#undef DIF_SUBR
	default:
		return NULL;
	}
}

uint32_t
dif_subr_flags(uint32_t id)
{
	const struct dif_subrinfo *si = dif_subr_find(id);

	return si != NULL ? si->flags : 0;
}

const struct dif_subrinfo *
dif_subr_find_name(const char *name)
{
	for (size_t i = 0; i < NELEMS(subrs); i++) {
		if (strcmp(subrs[i].name, name) == 0)
			return &subrs[i];
	}
	return NULL;
}

uint8_t
dif_op_scope(uint8_t op)
{
	switch (op) {
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
	case DIF_OP_LDTAA:
	case DIF_OP_STTAA:
		return DIFV_SCOPE_THREAD;
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return DIFV_SCOPE_LOCAL;
	default:
		return DIFV_SCOPE_GLOBAL;
	}
}

uint8_t
dif_op_kind(uint8_t op)
{
	return op >= DIF_OP_LDGAA && op <= DIF_OP_STTAA ? DIFV_KIND_ARRAY :
							  DIFV_KIND_SCALAR;
}

static uint16_t *
varmap_slot(const struct dif_varmap *vm, uint32_t id, uint8_t scope)
{
	return &vm->slots[scope * vm->nids + (id - vm->first)];
}

void
dif_varmap_init(struct dif_varmap *vm, const struct dif_obj *dp)
{
	uint32_t last = 0;

	*vm = (struct dif_varmap){ .dp = dp, .first = UINT32_MAX };
	if (dp->nvar == 0)
		return;
	for (uint32_t i = 0; i < dp->nvar; i++) {
		uint32_t id = dp->vartab[i].id;

		vm->first = id < vm->first ? id : vm->first;
		last = id > last ? id : last;
	}
	vm->nids = last - vm->first + 1;
	vm->slots =
	    mem_alloc((DIFV_SCOPE_LOCAL + 1) * vm->nids * sizeof(*vm->slots));
	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		*varmap_slot(vm, v->id, v->scope) = (uint16_t)(i + 1);
	}
}

void
dif_varmap_fini(struct dif_varmap *vm)
{
	free(vm->slots);
}

const struct dif_var *
dif_varmap_find(const struct dif_varmap *vm, uint32_t id, uint8_t scope)
{
	uint16_t slot = 0;

	if (id >= vm->first && id - vm->first < vm->nids)
		slot = *varmap_slot(vm, id, scope);
	return slot != 0 ? &vm->dp->vartab[slot - 1] : NULL;
}

/*
 * The arguments that are not in brackets: "string substr(string, int, [int])".
 */
uint32_t
dif_subr_min_args(const struct dif_subrinfo *si)
{
	const char *p = strchr(si->proto, '(') + 1;
	uint32_t n = *p != ')' && *p != '[';

	for (; *p != ')' && *p != '['; p++)
		n += *p == ',' && p[1] != '[' && p[2] != '[';
	return n;
}
