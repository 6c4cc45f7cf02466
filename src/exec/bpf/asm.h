/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_ASM_H
#define EXEC_BPF_ASM_H

/*
 * A small BPF assembler: instructions, forward labels, relocations.
 *
 * Instruction encodings: Documentation/bpf/standardization/instruction-set.rst
 * of the kernel.  Labels only go forward, like DIF's.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/link.h"

/* Registers by role. */
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

typedef uint32_t bx_label;

struct bx_asm {
	VEC(struct bpf_insn) insns;
	VEC(struct bl_reloc) relocs;
	struct strtab maps;  /* symbols of the maps in use */
	VEC(int32_t) labels; /* instruction index, -1 while open */
	VEC(struct bx_fixup {
		uint32_t insn;
		bx_label label;
	})
	fixups;
	/* source of the instructions, for messages and dumps */
	VEC(struct bx_note {
		uint32_t insn;
		struct diag_span span;
		char *text;
	})
	notes;
};

void bx_asm_fini(struct bx_asm *a);
uint32_t bx_here(const struct bx_asm *a);

void bx_insn(
    struct bx_asm *a, uint8_t code, int dst, int src, int16_t off, int32_t imm);

/* rd op= rs / imm; op is BPF_ADD, BPF_MOV, ...; 64 bits wide. */
void bx_alu(struct bx_asm *a, uint8_t op, int rd, int rs);
void bx_alui(struct bx_asm *a, uint8_t op, int rd, int32_t imm);
void bx_mov(struct bx_asm *a, int rd, int rs);	      /* nothing if equal */
void bx_movi(struct bx_asm *a, int rd, uint64_t imm); /* any 64-bit value */

/* size is 1, 2, 4 or 8 bytes. */
void bx_ldx(struct bx_asm *a, int size, int rd, int base, int off);
void bx_stx(struct bx_asm *a, int size, int base, int off, int rs);
void bx_sti(struct bx_asm *a, int size, int base, int off, int32_t imm);
/* *(base + off) atomically: op is BPF_ADD, BPF_OR | BPF_FETCH, ... */
void bx_atomic(struct bx_asm *a, int op, int base, int off, int rs);

bx_label bx_new_label(struct bx_asm *a);
void bx_bind(struct bx_asm *a, bx_label l);
/* Does an instruction jump to the label? */
bool bx_is_used(const struct bx_asm *a, bx_label l);
void bx_ja(struct bx_asm *a, bx_label l);
void bx_jcc(struct bx_asm *a, uint8_t op, int ra, int rb, bx_label l);
void bx_jcci(struct bx_asm *a, uint8_t op, int ra, int32_t imm, bx_label l);
/* Compare the lower half. */
void bx_jcci32(struct bx_asm *a, uint8_t op, int ra, int32_t imm, bx_label l);
void bx_exit(struct bx_asm *a);

void bx_helper(struct bx_asm *a, int helper);
void bx_kfunc(struct bx_asm *a, uint32_t btf_id);
/* Symbols are kept by reference: string constants or long-lived strings. */
void bx_call(struct bx_asm *a, const char *func);
void bx_map(struct bx_asm *a, int rd, const char *map);
void bx_mapval(struct bx_asm *a, int rd, const char *map, uint32_t off);
/* A per-CPU variable of the kernel, by its number in BTF. */
void bx_percpu(struct bx_asm *a, int rd, uint32_t btf_id);
void bx_const(struct bx_asm *a, int rd, const char *sym);

/* Resolve all jumps.  Returns 0, or -E2BIG when one is out of range. */
int bx_finish(struct bx_asm *a);

#endif
