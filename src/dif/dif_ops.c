/* SPDX-License-Identifier: BSD-2-Clause */
#include "dif/dif.h"

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
