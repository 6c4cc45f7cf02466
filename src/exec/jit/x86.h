/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_JIT_X86_H
#define EXEC_JIT_X86_H

/*
 * A small x86-64 assembler: the integer instructions that compiled DIF needs.
 *
 * Code is for a *region*: code and data that are placed together at any
 * address, so that only offsets in the region are known.  An operand in the
 * region is %rip-relative; a call goes to an offset.  Jumps go to labels.
 *
 * Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum x_reg {
	X_RAX,
	X_RCX,
	X_RDX,
	X_RBX,
	X_RSP,
	X_RBP,
	X_RSI,
	X_RDI,
	X_R8,
	X_R9,
	X_R10,
	X_R11,
	X_R12,
	X_R13,
	X_R14,
	X_R15,
	X_NREGS,
	X_REGION, /* as a base: the operand is at an offset in the region */
};

/* Operations by the digit that encodes them. */
enum x_alu { X_ADD = 0, X_OR = 1, X_AND = 4, X_SUB = 5, X_XOR = 6, X_CMP = 7 };
enum x_unary {
	X_NOT = 2,
	X_NEG = 3,
	X_MUL = 4,
	X_IMUL = 5,
	X_DIV = 6,
	X_IDIV = 7
};
enum x_shift { X_ROL = 0, X_SHL = 4, X_SHR = 5, X_SAR = 7 };
enum x_cc {
	X_B = 2,
	X_AE = 3,
	X_E = 4,
	X_NE = 5,
	X_BE = 6,
	X_A = 7,
	X_L = 12,
	X_GE = 13,
	X_LE = 14,
	X_G = 15,
};

struct x_mem {
	int base; /* enum x_reg */
	int32_t disp;
};
#define X_AT(reg, off) ((struct x_mem){ (reg), (int32_t)(off) })
#define X_IN_REGION(off) ((struct x_mem){ X_REGION, (int32_t)(off) })

typedef uint32_t x_label;
enum {
	X_OPEN = -1,
	X_WANTED = -2
}; /* X_OPEN: no jump to it yet; X_WANTED: jumps */

struct x_asm {
	struct strbuf code;
	uint32_t at;	     /* offset of the code in its region */
	uint32_t ncalls;     /* number of calls of functions in the region */
	VEC(int64_t) labels; /* position in the code, or X_OPEN, X_WANTED */
	VEC(struct x_fixup {
		uint32_t pos; /* end of the 32-bit displacement */
		x_label label;
	})
	fixups;
};

void x_fini(struct x_asm *a);
uint32_t x_here(const struct x_asm *a);

void x_mov(struct x_asm *a, int rd, int rs);	    /* nothing if equal */
void x_movi(struct x_asm *a, int rd, uint64_t imm); /* keeps the flags */
void x_load(struct x_asm *a, int size, bool is_signed, int rd, struct x_mem m);
void x_store(struct x_asm *a, int size, struct x_mem m, int rs);
void x_storei(struct x_asm *a, int size, struct x_mem m, int32_t imm);
void x_lea(struct x_asm *a, int rd, struct x_mem m);
void x_lea_sum(struct x_asm *a, int rd, int ra, int rb);

void x_alu(struct x_asm *a, enum x_alu op, int rd, int rs);
void x_alui(struct x_asm *a, enum x_alu op, int rd, int32_t imm);
void x_alum(struct x_asm *a, enum x_alu op, int rd, struct x_mem m);
void x_alumi(struct x_asm *a, enum x_alu op, struct x_mem m, int32_t imm);
void x_addm(struct x_asm *a, struct x_mem m, int rs); /* m += rs */
void x_test(struct x_asm *a, int ra, int rb);
void x_mul(struct x_asm *a, int rd, int rs);
void x_muli(struct x_asm *a, int rd, int rs, int32_t imm);
void x_unary(struct x_asm *a, enum x_unary op,
    int r); /* DIV, IDIV: rdx:rax by r; MUL, IMUL: <- rax * r */
void x_cqo(struct x_asm *a);
void x_shift_cl(struct x_asm *a, enum x_shift op, int r);
void x_shifti(struct x_asm *a, enum x_shift op, int r, unsigned count);
void x_swap(struct x_asm *a, int bits, int r); /* 16, 32: zero-extended */
void x_bsf(struct x_asm *a, int rd, int rs);
void x_bsr(struct x_asm *a, int rd, int rs);
void x_shrd(struct x_asm *a, int rd, int rs, unsigned count);
void x_rdfsbase(struct x_asm *a, int rd);
void x_rdpid(struct x_asm *a, int rd);
void x_rdtsc(struct x_asm *a); /* rdx:rax */
/* m <- rs if m is %rax, else %rax <- m; only signal handlers may interfere */
void x_cmpxchg(struct x_asm *a, struct x_mem m, int rs);
void x_cmov(struct x_asm *a, enum x_cc cc, int rd, int rs);

x_label x_new_label(struct x_asm *a);
void x_bind(struct x_asm *a, x_label l);
/* Does any code emitted so far jump to the label?  It is not bound yet. */
bool x_is_wanted(const struct x_asm *a, x_label l);
void x_jmp(struct x_asm *a, x_label l);
void x_jcc(struct x_asm *a, enum x_cc cc, x_label l);
void x_call(struct x_asm *a, uint32_t region_off);
void x_jmp_mem(struct x_asm *a, struct x_mem m); /* to the address there */
void x_call_label(struct x_asm *a, x_label l);
void x_push(struct x_asm *a, int r);
void x_pop(struct x_asm *a, int r);
void x_ret(struct x_asm *a);
void x_ret_over(struct x_asm *a, uint16_t size); /* %rsp += size, then */
void x_popfq(struct x_asm *a);
void x_cld(struct x_asm *a);
void x_syscall(struct x_asm *a);
/* m += 1, atomically for all CPUs */
void x_lock_inc(struct x_asm *a, struct x_mem m);

/* Resolve all jumps. */
void x_finish(struct x_asm *a);

#endif
