/* SPDX-License-Identifier: BSD-2-Clause */
#include "dif/dif_impl.h"
#include "dif/flow.h"

/* Indexed by value: reordering the table cannot mislabel a row. */
const struct dif_opinfo dif_opinfo[256] = {
#define DIF_OP(val, NAME, mnem, fmt) [val] = { mnem, DIF_FMT_##fmt },
#include "dif/dif_ops.def"
#undef DIF_OP
};

const struct dif_memop dif_memops[256] = {
	[DIF_OP_LDSB] = { 1, true, false },
	[DIF_OP_LDSH] = { 2, true, false },
	[DIF_OP_LDSW] = { 4, true, false },
	[DIF_OP_LDUB] = { 1, false, false },
	[DIF_OP_LDUH] = { 2, false, false },
	[DIF_OP_LDUW] = { 4, false, false },
	[DIF_OP_LDX] = { 8, false, false },
	[DIF_OP_RLDSB] = { 1, true, false },
	[DIF_OP_RLDSH] = { 2, true, false },
	[DIF_OP_RLDSW] = { 4, true, false },
	[DIF_OP_RLDUB] = { 1, false, false },
	[DIF_OP_RLDUH] = { 2, false, false },
	[DIF_OP_RLDUW] = { 4, false, false },
	[DIF_OP_RLDX] = { 8, false, false },
	[DIF_OP_ULDSB] = { 1, true, true },
	[DIF_OP_ULDSH] = { 2, true, true },
	[DIF_OP_ULDSW] = { 4, true, true },
	[DIF_OP_ULDUB] = { 1, false, true },
	[DIF_OP_ULDUH] = { 2, false, true },
	[DIF_OP_ULDUW] = { 4, false, true },
	[DIF_OP_ULDX] = { 8, false, true },
	[DIF_OP_STB] = { 1, false, false },
	[DIF_OP_STH] = { 2, false, false },
	[DIF_OP_STW] = { 4, false, false },
	[DIF_OP_STX] = { 8, false, false },
};

uint8_t
dif_reads(uint32_t ins)
{
	unsigned r1 = 1U << (dif_instr_r1(ins) % DIF_NREGS);
	unsigned r2 = 1U << (dif_instr_r2(ins) % DIF_NREGS);
	unsigned rd = 1U << (dif_instr_rd(ins) % DIF_NREGS);

	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_RRR:
		/* COPYS takes its destination's address from rd */
		return (uint8_t)(r1 | r2 |
		    (dif_instr_op(ins) == DIF_OP_COPYS ? rd : 0));
	case DIF_FMT_CMP:
		return (uint8_t)(r1 | r2);
	case DIF_FMT_RR:
	case DIF_FMT_TST:
	case DIF_FMT_LOAD:
		return (uint8_t)r1;
	case DIF_FMT_STORE:
		return (uint8_t)(r1 | rd);
	case DIF_FMT_RET:
	case DIF_FMT_STV:
		return (uint8_t)rd;
	case DIF_FMT_PUSH:
		return (uint8_t)(r2 | rd);
	case DIF_FMT_LDA:
		return (uint8_t)r2;
	case DIF_FMT_XL:
		/* XLATE has the value to translate in rd */
		return (uint8_t)(dif_instr_op(ins) == DIF_OP_XLATE ? rd : 0);
	case DIF_FMT_BRANCH:
	case DIF_FMT_NONE:
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
	case DIF_FMT_LDV:
	case DIF_FMT_CALL:
	case DIF_FMT_INVALID:
		return 0;
	}
	return 0;
}

uint8_t
dif_writes(uint32_t ins)
{
	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_RRR:
		if (dif_instr_op(ins) == DIF_OP_COPYS)
			return 0;
		break;
	case DIF_FMT_RR:
	case DIF_FMT_LOAD:
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
	case DIF_FMT_LDA:
	case DIF_FMT_LDV:
	case DIF_FMT_CALL:
	case DIF_FMT_XL:
		break;
	case DIF_FMT_CMP:
	case DIF_FMT_TST:
	case DIF_FMT_BRANCH:
	case DIF_FMT_STORE:
	case DIF_FMT_RET:
	case DIF_FMT_NONE:
	case DIF_FMT_STV:
	case DIF_FMT_PUSH:
	case DIF_FMT_INVALID:
		return 0;
	}
	return (uint8_t)(1U << (dif_instr_rd(ins) % DIF_NREGS));
}
