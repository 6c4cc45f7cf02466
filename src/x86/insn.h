/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_INSN_H
#define X86_INSN_H

/*
 * Instructions of x86, as much of them as planting probes needs: how long they
 * are, where they lead, and what they change.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_kind {
	X86_PLAIN, /* the next instruction follows */
	X86_NOP,
	X86_PUSH,      /* of a general register, all of it */
	X86_JMP,       /* to `target` */
	X86_JCC,       /* to `target`, or on; LOOP and JCXZ too */
	X86_CALL,      /* of `target` */
	X86_CALL_FAR,  /* of an address in a register or memory */
	X86_JMP_REG,   /* to the address in a register */
	X86_JMP_MEM,   /* ... in memory, that no index chooses */
	X86_JMP_TABLE, /* ... in memory, that an index chooses */
	X86_RET,
	X86_TRAP, /* UD2, HLT, INT3: nothing follows */
};

#define X86_ALWAYS 16 /* of conditions, which are numbers to 15 */

struct x86_insn {
	uint8_t len;
	enum x86_kind kind;
	/* The kernel carries it out itself under a uprobe, since 6.1; where
	 * not, it lets the thread step through a copy. */
	bool is_emulated;
	uint8_t cond;	  /* Jcc: the last digit of its opcode */
	bool is_indexed;  /* an index register chooses its memory */
	bool frees_stack; /* POP, LEAVE, ADD to the stack pointer */
	bool is_refused;  /* by the kernel, as a place for uprobes */
	bool is_std;	  /* sets the direction flag */
	bool is_lea;	  /* LEA relative to %rip */
	bool has_address; /* loads or pushes a constant of 32 bits or more */
	int64_t imm;	  /* its last constant, 0 if it has none */
	/* Offsets from the code's beginning: */
	uint64_t target;
	uint64_t lea; /* the address that LEA makes */
};

/* What an instruction changes. */
struct x86_effect {
	uint16_t writes;  /* general registers but the stack pointer: bit
			   * n is number n of the architecture */
	int32_t pushes;	  /* bytes that it moves the stack pointer by,
			   * downwards */
	bool stack_known; /* `pushes` says it */
	bool is_visible;  /* it may fault, or changes memory besides
			   * what it pushes */
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

/* Some code: all of a function, say.  Borrowed; the bytes may be anything. */
struct x86_code {
	const uint8_t *bytes;
	size_t len;
	bool is_32;
};

/*
 * Needed before the two below.  0, or -1 with *msg (malloced) when the library
 * that decodes is not installed.
 */
int x86_init(char **msg);
/* Has it been called, and is the library there? */
bool x86_is_ready(void);

/* The instruction at `off`; false: there is none, or not all of it. */
bool x86_decode(const struct x86_code *code, size_t off, struct x86_insn *insn);
bool x86_effect(
    const struct x86_code *code, size_t off, struct x86_effect *effect);

/* The instruction as text, as AT&T write it; its length, or 0: there is none. */
size_t x86_format(
    const struct x86_code *code, size_t off, char *text, size_t size);

#endif
