/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_INSN_H
#define X86_INSN_H

/*
 * Decode x86 instructions as far as planting probes needs it: their length,
 * where they lead, and what they change.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum x86_kind {
	X86_PLAIN, /* the next instruction follows */
	X86_NOP,
	X86_PUSH,      /* of a whole general register */
	X86_JMP,       /* to `target` */
	X86_JCC,       /* to `target`, or falls through; LOOP and JCXZ too */
	X86_CALL,      /* of `target` */
	X86_CALL_FAR,  /* of an address in a register or memory */
	X86_JMP_REG,   /* to the address in a register */
	X86_JMP_MEM,   /* to an address in memory, without an index */
	X86_JMP_TABLE, /* to an address in memory, chosen by an index */
	X86_RET,
	X86_TRAP, /* UD2, HLT, INT3: nothing follows */
};

/* Bytes of the jump that takes a distance of 32 bits: what dtrace plants. */
#define X86_JUMP_LEN 5

#define X86_ALWAYS 16 /* kinds of conditions; numbers up to 15 are Jcc's */

struct x86_insn {
	uint8_t len;
	enum x86_kind kind;
	/* The kernel emulates it under a uprobe, since 6.1; otherwise the
	 * thread steps through a copy. */
	bool is_emulated;
	uint8_t cond;	  /* Jcc: the last digit of its opcode */
	bool is_indexed;  /* its memory operand has an index register */
	bool frees_stack; /* POP, LEAVE, ADD to the stack pointer */
	bool is_refused;  /* the kernel refuses a uprobe on it */
	bool is_std;	  /* sets the direction flag */
	bool is_lea;	  /* LEA relative to %rip */
	bool has_address; /* loads or pushes a constant of 32 bits or more */
	int64_t imm;	  /* its last constant; 0: none */
	/* Offsets from the code's beginning: */
	uint64_t target;
	uint64_t lea; /* the address that LEA makes */
};

/* The registers that an instruction reads, and the changes that it makes. */
struct x86_effect {
	/* General registers: bit n is the architecture's number n. */
	uint16_t reads;	  /* also for addresses; not what it sets to 0 */
	uint16_t writes;  /* but the stack pointer */
	int32_t pushes;	  /* bytes by which it lowers the stack pointer */
	bool stack_known; /* `pushes` is right */
	bool is_visible;  /* may fault, or changes memory besides the pushed
			   * word */
};

/* General registers by number (Intel SDM, volume 2, 2.1.5). */
enum {
	X86_AX,
	X86_CX,
	X86_DX,
	X86_BX,
	X86_SP,
	X86_BP,
	X86_SI,
	X86_DI,
	X86_R8,
	X86_R9,
	X86_R10,
	X86_R11,
};

/* Some code, such as a function's. Borrowed; the bytes may be anything. */
struct x86_code {
	const uint8_t *bytes;
	size_t len;
	bool is_32;
};

/*
 * Call this before the functions below.  Returns 0, or -errno with *err
 * if the decoder's library is not installed.
 */
CHECKED int x86_init(struct err *err);
/* Was x86_init() called, and is the library there? */
bool x86_is_ready(void);

/* The instruction at `off`; false: none, or not all of it. */
bool x86_decode(const struct x86_code *code, size_t off, struct x86_insn *insn);
bool x86_effect(
    const struct x86_code *code, size_t off, struct x86_effect *effect);

/* The instruction as text in AT&T syntax. Returns its length, or 0: none. */
size_t x86_format(
    const struct x86_code *code, size_t off, char *text, size_t size);

#endif
