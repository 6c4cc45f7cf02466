/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_DROPS_H
#define EXEC_RUNTIME_DROPS_H

/*
 * Numbers that the runtime shares with whoever reads what it counts: dtrace,
 * the kernel's programs and the code in traced processes include this file.
 */

/* Kinds of lost data. */
enum dt_drop {
#define DT_DROP(number, NAME, PUBLIC) DT_DROP_##NAME = number,
#include "exec/runtime/drops.def"
#undef DT_DROP
	DT_DROP_MAX
};

/* The policy for full buffers; doc/reference/records.md section 2. */
enum dt_bufpolicy { DT_BUF_RING = 0, DT_BUF_FILL = 1, DT_BUF_SWITCH = 2 };

#endif
