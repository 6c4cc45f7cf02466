/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_ENTRY_H
#define X86_ENTRY_H

/*
 * The places in a function's code where probes are planted.  x86_init() comes
 * first.
 */
#include "base/vec.h"
#include "x86/insn.h"

/* A place that every call of the function passes once. */
struct x86_site {
	uint32_t off;
	uint32_t pushed;  /* bytes pushed below the return address */
	bool is_emulated; /* cheap under a uprobe */
	bool is_possible; /* false: no place is possible */
};

/*
 * The cheapest place within the entry sequence and before `limit`, where other
 * names may begin.  At equal cost, prefer a place behind the first instruction:
 * debuggers put their breakpoints on the first.  `taken` has a bit for each
 * offset that is in use.
 */
#define X86_ENTRY_MAX 64 /* bytes; entry sequences are shorter */
struct x86_site x86_entry_site(
    const struct x86_code *code, size_t limit, uint64_t taken);

/* The kind of target of a jump out of the code. */
enum x86_outside {
	X86_OUT_UNKNOWN,
	X86_OUT_PART,	  /* a part of the function that was moved elsewhere */
	X86_OUT_FUNCTION, /* the beginning of another function */
};
typedef enum x86_outside x86_outside_f(void *arg, int64_t off);

struct x86_exit {
	uint32_t off;
	uint8_t cond; /* only if this condition holds: the last digit
		       * of Jcc's opcode; X86_ALWAYS otherwise */
};

struct x86_exits {
	VEC(struct x86_exit) v;
};

/*
 * Find all instructions that leave the function for good: returns, and jumps to
 * other functions (tail calls).  A conditional jump to an unknown place is
 * taken for one to a part of the function; an unconditional one for a tail
 * call.
 */
void x86_find_exits(const struct x86_code *code, x86_outside_f *outside,
    void *arg, struct x86_exits *exits);

/* Does the kernel accept a uprobe on the instruction at `off`? */
bool x86_can_probe(const struct x86_code *code, size_t off);

/* Does an instruction begin at `off`? */
bool x86_is_boundary(const struct x86_code *code, size_t off);

#endif
