/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_FORM_H
#define X86_FORM_H

/*
 * How an instruction is encoded, for code that writes a changed copy elsewhere,
 * and which registers it uses.  Call x86_init() first.
 */
#include "x86/insn.h"

/* Status flags, as bits of RFLAGS (Intel SDM, volume 1, 3.4.3). */
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

	/* Offsets of its parts within it; 0: absent. */
	uint8_t modrm_at, disp_at;
	uint8_t disp_len; /* bytes */
	uint8_t opcode;
	bool is_default_map; /* an opcode of one byte */
	bool has_16;	     /* the operand-size prefix has effect: no REX.W */
	bool has_address_size; /* has an address-size prefix */

	/* Its memory operand, if ModRM describes one. */
	bool is_rip; /* relative to %rip, or to %eip */
	int8_t base; /* a general register; -1: none */
	int32_t disp;

	bool is_relative; /* has, or may have, an operand relative to itself */
	bool is_syscall;
	bool is_repeated; /* REP... */
	uint16_t uses;	  /* general registers, in any role */
	uint32_t flags_read;
	uint32_t flags_killed; /* changed, whatever its operands are */
};

/* The instruction at `off`; false: none, or not all of it. */
bool x86_form(const struct x86_code *code, size_t off, struct x86_form *form);

#endif
