/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of a process that is traced: helpers, which other processes' probes
 * run for it.  They see no kernel memory, keep no variables of threads and no
 * arrays, and call only what looks at their own process or at no memory at all
 * (doc/reference/dif.md section 5, rules 8 and 9).
 */
#include "dif/dif.h"

#include <errno.h>

#include "base/err.h"
#include "base/mem.h"

void
dif_hide_kernel(struct dif_obj *dp)
{
	for (uint32_t pc = 0; pc < dp->ntext; pc++) {
		uint8_t op = dif_instr_op(dp->text[pc]);

		if (op >= DIF_OP_LDSB && op <= DIF_OP_LDX)
			dp->text[pc] += (uint32_t)(DIF_OP_RLDSB - DIF_OP_LDSB)
			    << 24;
	}
	dif_uses_find(dp);
}

static bool
is_helper_var(uint32_t id)
{
	return id >= DIF_VAR_USER_MIN || (dif_var_flags(id) & DIF_VARF_HELPER);
}

static bool
is_helper_op(uint8_t op)
{
	switch (op) {
	case DIF_OP_LDTA:
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
	case DIF_OP_LDGAA:
	case DIF_OP_LDTAA:
	case DIF_OP_STGAA:
	case DIF_OP_STTAA:
		return false;
	default:
		return op < DIF_OP_LDSB || op > DIF_OP_LDX;
	}
}

static char *
helper_refusal(uint32_t pc, uint32_t ins)
{
	uint8_t op = dif_instr_op(ins);
	uint32_t idx = dif_instr_idx(ins);

	if (!is_helper_op(op))
		return mem_printf("instruction %u (%s): not in a helper", pc,
		    dif_opinfo[op].mnem);
	if (op == DIF_OP_LDGS && !is_helper_var(idx))
		return mem_printf("instruction %u (ldgs): %s is not for "
				  "helpers",
		    pc, dif_var_name(idx));
	if (op == DIF_OP_CALL && !(dif_subr_flags(idx) & DIF_SUBRF_HELPER))
		return mem_printf("instruction %u (call): %s() is not for "
				  "helpers",
		    pc, dif_subr_find(idx)->name);
	return NULL;
}

int
dif_verify_helper(const struct dif_obj *dp, struct err *err)
{
	for (uint32_t pc = 0; pc < dp->ntext; pc++) {
		char *why = helper_refusal(pc, dp->text[pc]);

		if (why != NULL)
			return err_take(err, -EINVAL, why);
	}
	return 0;
}
