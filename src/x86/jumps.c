/* SPDX-License-Identifier: BSD-2-Clause */
#include "x86/jumps.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"

void
x86_jumps_find(const struct x86_code *code, struct x86_jumps *j)
{
	struct x86_insn insn;
	size_t off = 0, steps = 0;

	j->len = code->len;
	j->bits = mem_alloc(code->len / 8 + 1);
	while (off < code->len && !BOUNDS_POLL(steps)) {
		if (!x86_decode(code, off, &insn)) {
			off++;
			continue;
		}
		if ((insn.kind == X86_JMP || insn.kind == X86_JCC) &&
		    insn.target < code->len)
			j->bits[insn.target / 8] |=
			    (uint8_t)(1 << insn.target % 8);
		off += insn.len;
	}
}

void
x86_jumps_fini(struct x86_jumps *j)
{
	free(j->bits);
}

size_t
x86_jumps_first(const struct x86_jumps *j, size_t from, size_t to)
{
	for (size_t off = from; off < to && off < j->len; off++) {
		if (j->bits[off / 8] >> off % 8 & 1)
			return off;
	}
	return to;
}
