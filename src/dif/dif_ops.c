/* SPDX-License-Identifier: BSD-2-Clause */
#include "dif/dif.h"

/* Indexed by value: reordering the table cannot mislabel a row. */
const struct dif_opinfo dif_opinfo[256] = {
#define DIF_OP(val, NAME, mnem, fmt) [val] = { mnem, DIF_FMT_##fmt },
#include "dif/dif_ops.def"
#undef DIF_OP
};
