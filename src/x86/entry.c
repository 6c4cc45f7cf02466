/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places for probes in a function's code.
 *
 * The cost of a uprobe depends on the instruction under it.  Measured on Linux
 * 6.18 with a program that does nothing (bench/uprobe.c): 0.7 us on a NOP, 0.7
 * to 1.1 us where the kernel emulates the instruction (PUSH, JMP, Jcc, CALL), 9
 * to 14 us where the thread must step through a copy of it, as on ENDBR64, SUB
 * or MOV.
 *
 * So the entry probe may move from the function's first instruction to a later
 * one, if the difference cannot be seen:
 *
 *	- every call passes the place once: the instructions before it fall
 *	  through, and no branch leads behind the entry and not behind the
 *	  new place;
 *	- the instructions before it change no general register except the
 *	  stack pointer, by a known number, and registers that have no value
 *	  at a function's entry (DEAD): so arguments and uregs[] are the same;
 *	- they change no memory but the stack, and cannot fault: a call that
 *	  dies on its first instruction must be seen.
 *
 * Direct branches are found by decoding the whole function.  Indirect ones
 * (switch tables, computed gotos) lead to the beginnings of statements: never
 * to a PUSH of the entry sequence, because the stack would then have two
 * depths.  So in a function that has such jumps only places up to the last PUSH
 * are taken.
 */
#include "x86/entry.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/vec.h"

#define DEAD (1 << X86_AX | 1 << X86_R11)

/* ---- entry -------------------------------------------------------------- */

/* Candidate places, in order; branches then rule some out. */
struct candidates {
	struct x86_site sites[16];
	bool is_push[16];
	unsigned n;
};

static bool
is_straight(const struct x86_insn *insn)
{
	return insn->kind == X86_PLAIN || insn->kind == X86_PUSH;
}

/*
 * Can the probe move past this instruction?  `pushed` is then the stack's
 * depth.
 */
static bool
pass(const struct x86_code *code, uint32_t off, const struct x86_insn *insn,
    uint32_t *pushed)
{
	struct x86_effect effect;
	int64_t n;

	if (insn->kind == X86_NOP)
		return true;
	if (!is_straight(insn) || !x86_effect(code, off, &effect) ||
	    (effect.writes & ~DEAD) != 0 || effect.is_visible ||
	    !effect.stack_known)
		return false;
	n = (int64_t)*pushed + effect.pushes;
	*pushed = (uint32_t)n;
	return n >= 0;
}

/* Find the instructions of the entry sequence where a probe may be. */
static void
find_candidates(
    const struct x86_code *code, uint64_t taken, struct candidates *c)
{
	uint32_t off = 0, pushed = 0;
	struct x86_insn insn;

	while (
	    off < X86_ENTRY_MAX && c->n < 16 && x86_decode(code, off, &insn)) {
		if (!insn.is_refused && (taken >> off & 1) == 0) {
			c->sites[c->n] = (struct x86_site){ off, pushed,
				insn.is_emulated, true };
			c->is_push[c->n++] = insn.kind == X86_PUSH;
		}
		if (!pass(code, off, &insn, &pushed))
			return;
		off += insn.len;
	}
}

/* The branches into the entry sequence. */
struct branches {
	uint64_t first;	  /* the first target behind the entry */
	bool has_unknown; /* some have unknown targets */
	bool is_whole;	  /* everything could be decoded */
};

static struct branches
find_branches(const struct x86_code *code)
{
	struct branches b = { .first = UINT64_MAX };
	struct x86_insn insn;
	size_t off = 0;

	for (; x86_decode(code, off, &insn); off += insn.len) {
		if (insn.kind == X86_JMP_REG || insn.kind == X86_JMP_TABLE ||
		    insn.kind == X86_JMP_MEM)
			b.has_unknown = true;
		else if ((insn.kind == X86_JMP || insn.kind == X86_JCC ||
			     insn.kind == X86_CALL) &&
		    insn.target != 0 && insn.target < b.first)
			b.first = insn.target;
	}
	b.is_whole = off >= code->len;
	return b;
}

/* May the probe be at candidate i, behind the first instruction? */
static bool
is_safe(const struct candidates *c, unsigned i, const struct branches *b,
    size_t limit)
{
	return b->is_whole && c->sites[i].off < b->first &&
	    c->sites[i].off < limit && (!b->has_unknown || c->is_push[i]);
}

struct x86_site
x86_entry_site(const struct x86_code *code, size_t limit, uint64_t taken)
{
	const struct x86_site *first = NULL, *stepped = NULL;
	struct candidates c = { 0 };
	struct branches b;

	find_candidates(code, taken, &c);
	if (c.n == 0)
		return (struct x86_site){ 0 };
	b = find_branches(code);
	for (unsigned i = 0; i < c.n; i++) {
		const struct x86_site *s = &c.sites[i];

		if (s->off == 0)
			first = s;
		else if (!is_safe(&c, i, &b, limit))
			continue;
		else if (s->is_emulated)
			return *s;
		else if (stepped == NULL)
			stepped = s;
	}
	if (first == NULL)
		first = stepped;
	return first != NULL ? *first : (struct x86_site){ 0 };
}

/* ---- exits -------------------------------------------------------------- */

struct entry_exit_walk {
	const struct x86_code *code;
	x86_outside_f *outside;
	void *arg;
	struct x86_exits *exits;
	unsigned since_index; /* instructions since an address was loaded
			       * from a table */
};
#define INDEX_NEAR 8

static enum x86_outside
outside(const struct entry_exit_walk *w, const struct x86_insn *insn)
{
	if (insn->target < w->code->len)
		return X86_OUT_PART;
	return w->outside(w->arg, (int64_t)insn->target);
}

/*
 * A jump to the address in a register ends a switch statement when the address
 * came out of a table; otherwise it is a tail call.  So it is when the stack
 * was given back just before.
 */
static bool
is_exit(const struct entry_exit_walk *w, const struct x86_insn *insn)
{
	switch (insn->kind) {
	case X86_RET:
	case X86_JMP_MEM:
		return true;
	case X86_JMP:
		return outside(w, insn) != X86_OUT_PART;
	case X86_JCC:
		return outside(w, insn) == X86_OUT_FUNCTION;
	case X86_JMP_REG:
		return w->since_index >= INDEX_NEAR;
	case X86_PLAIN:
	case X86_NOP:
	case X86_PUSH:
	case X86_CALL:
	case X86_CALL_FAR:
	case X86_JMP_TABLE:
	case X86_TRAP:
		return false;
	}
	return false;
}

static void
walk_exit(struct entry_exit_walk *w, const struct x86_insn *insn, size_t off)
{
	struct x86_exit e = { (uint32_t)off, insn->cond };

	if (is_exit(w, insn))
		VEC_PUSH(&w->exits->v, e);
	if (insn->is_indexed && insn->kind == X86_PLAIN)
		w->since_index = 0;
	else if (insn->frees_stack)
		w->since_index = INDEX_NEAR;
	else
		w->since_index++;
}

void
x86_find_exits(const struct x86_code *code, x86_outside_f *outside_f, void *arg,
    struct x86_exits *exits)
{
	struct entry_exit_walk w = { code, outside_f, arg, exits, INDEX_NEAR };
	struct x86_insn insn;

	size_t steps = 0;

	for (size_t off = 0;
	     x86_decode(code, off, &insn) && !BOUNDS_POLL(steps);
	     off += insn.len)
		walk_exit(&w, &insn, off);
}

bool
x86_is_boundary(const struct x86_code *code, size_t off)
{
	struct x86_insn insn;
	size_t at = 0, steps = 0;

	while (at < off && x86_decode(code, at, &insn) && !BOUNDS_POLL(steps))
		at += insn.len;
	return at == off && x86_decode(code, at, &insn);
}

bool
x86_can_probe(const struct x86_code *code, size_t off)
{
	struct x86_insn insn;

	return x86_decode(code, off, &insn) && !insn.is_refused;
}
