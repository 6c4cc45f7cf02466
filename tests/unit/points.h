/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_POINTS_H
#define TESTS_UNIT_POINTS_H

/* Points of one function, in three sets: its entry, its returns, every
 * instruction. */
#include "base/vec.h"
#include "inproc/inproc.h"
#include "inproc/module.h"
#include "sym/elf_syms.h"
#include "x86/entry.h"

enum { ENTRIES, RETURNS, ALL, NSETS };

/* The body of each point; `id` is the point's number. */
struct points {
	struct inproc_body body;
	VEC(struct inproc_point) v;
};

static void
add_point(struct points *ps, const struct elf_sym *sym, uint64_t vaddr)
{
	struct inproc_point p = { .vaddr = vaddr,
		.func = sym->value,
		.size = sym->size,
		.body = ps->body };

	p.body.id = (uint32_t)ps->v.n;
	VEC_PUSH(&ps->v, p);
}

static enum x86_outside
outside(void *arg, int64_t off)
{
	(void)arg;
	(void)off;
	return X86_OUT_UNKNOWN;
}

static void
add_function(struct points *ps, const struct ip_text *t,
    const struct elf_sym *sym, int set)
{
	struct x86_code code = { t->bytes + (sym->value - t->vaddr), sym->size,
		false };
	struct x86_exits exits = { 0 };
	struct x86_insn insn;

	switch (set) {
	case ENTRIES:
		add_point(ps, sym, sym->value);
		break;
	case RETURNS:
		x86_find_exits(&code, outside, NULL, &exits);
		VEC_FOREACH(&exits.v, e)
			add_point(ps, sym, sym->value + e->off);
		VEC_FREE(&exits.v);
		break;
	case ALL:
		for (size_t off = 0; x86_decode(&code, off, &insn);
		     off += insn.len)
			add_point(ps, sym, sym->value + off);
		break;
	}
}

#endif
