/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places for probes in any bytes: they are at the beginnings of instructions,
 * and the properties claimed for an entry hold for its instructions, decoded
 * one by one.  The first byte chooses 32-bit code.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "x86/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Pseudo-random, but always the same for one jump. */
static enum x86_outside
outside(void *arg, int64_t off)
{
	(void)arg;
	return (enum x86_outside)((uint64_t)off % 3);
}

static void
check_entry(const struct x86_code *code, size_t limit, uint64_t taken)
{
	struct x86_site s = x86_entry_site(code, limit, taken);
	int64_t pushed = 0;
	struct x86_insn insn;

	assert(s.off == 0 || (s.off < limit && s.off < X86_ENTRY_MAX));
	assert(!s.is_possible || (taken >> s.off & 1) == 0);
	assert(s.off == 0 || x86_is_boundary(code, s.off));
	for (size_t off = 0; off < s.off; off += insn.len) {
		struct x86_effect effect;

		assert(x86_decode(code, off, &insn));
		if (insn.kind == X86_NOP)
			continue;
		assert(x86_effect(code, off, &effect) && effect.stack_known);
		pushed += effect.pushes;
	}
	assert(pushed == s.pushed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct x86_exits exits = { 0 };
	struct x86_code code;
	struct err err = { 0 };

	if (size == 0 || x86_init(&err) != 0)
		return 0;
	code = (struct x86_code){ data + 1, size - 1, data[0] & 1 };
	check_entry(&code, code.len, 0);
	check_entry(&code, code.len / 2, 0x5555555555555555);
	x86_find_exits(&code, outside, NULL, &exits);
	VEC_FOREACH(&exits.v, e)
		assert(x86_is_boundary(&code, e->off) && e->cond <= X86_ALWAYS);
	VEC_FREE(&exits.v);
	return 0;
}
