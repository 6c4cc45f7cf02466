/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_JUMPS_H
#define X86_JUMPS_H

/*
 * Find where the jumps of a piece of code lead by decoding it from beginning to
 * end, whatever it contains.  Data in it can look like jumps, so some reported
 * targets may be none.  Call x86_init() first.
 */
#include "x86/insn.h"

/* Offsets that direct jumps in the code lead to, a bit each. */
struct x86_jumps {
	uint8_t *bits; /* malloced */
	size_t len;    /* of the code */
};

void x86_jumps_find(const struct x86_code *code, struct x86_jumps *j);
void x86_jumps_fini(struct x86_jumps *j);
/* The first in [from, to); `to` if there is none. */
size_t x86_jumps_first(const struct x86_jumps *j, size_t from, size_t to);

#endif
