/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_FORM_H
#define X86_FORM_H

/*
 * How an instruction is encoded, for those who write it down elsewhere in a
 * changed form, and what it needs of the registers.  x86_init() comes first.
 */
#include "x86/insn.h"

/* Status flags, where RFLAGS has them (Intel SDM, volume 1, 3.4.3). */
enum {
	X86_CF = 1 << 0,
	X86_PF = 1 << 2,
	X86_AF = 1 << 4,
	X86_ZF = 1 << 6,
	X86_SF = 1 << 7,
	X86_DF = 1 << 10,
	X86_OF = 1 << 11,
};
#define X86_STATUS (X86_CF | X86_PF | X86_AF | X86_ZF | X86_SF | X86_OF)

struct x86_form {
	struct x86_insn insn;

	/* Its parts, as offsets in it; 0: it has none. */
	uint8_t modrm_at, disp_at;
	uint8_t disp_len; /* bytes */
	uint8_t opcode;
	bool is_default_map; /* an opcode of one byte */
	bool has_16; /* the operand-size prefix counts: no REX.W undoes it */
	bool has_address_size; /* the prefix for it */

	/* Its memory operand that ModRM describes. */
	bool is_rip; /* relative to %rip, or to %eip */
	int8_t base; /* a general register; -1: none */
	int32_t disp;

	bool is_relative; /* it leads to somewhere relative to itself, or may */
	bool is_syscall;
	bool is_repeated; /* REP... */
	uint16_t uses;	  /* general registers, in whatever role */
	uint32_t flags_read;
	uint32_t flags_killed; /* changed, whatever the operands are */
};

/* The instruction at `off`; false: there is none, or not all of it. */
bool x86_form(const struct x86_code *code, size_t off, struct x86_form *form);

#endif
