/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/bpf/asm.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"

void
bx_asm_fini(struct bx_asm *a)
{
	VEC_FREE(&a->insns);
	VEC_FREE(&a->relocs);
	strtab_fini(&a->maps);
	VEC_FREE(&a->labels);
	VEC_FREE(&a->fixups);
	VEC_FOREACH(&a->notes, n)
		free(n->text);
	VEC_FREE(&a->notes);
}

uint32_t
bx_here(const struct bx_asm *a)
{
	return (uint32_t)a->insns.n;
}

void
bx_insn(
    struct bx_asm *a, uint8_t code, int dst, int src, int16_t off, int32_t imm)
{
	struct bpf_insn i = { .code = code,
		.dst_reg = (uint8_t)(dst & 15),
		.src_reg = (uint8_t)(src & 15),
		.off = off,
		.imm = imm };

	VEC_PUSH(&a->insns, i);
}

void
bx_alu(struct bx_asm *a, uint8_t op, int rd, int rs)
{
	bx_insn(a, BPF_ALU64 | op | BPF_X, rd, rs, 0, 0);
}

void
bx_alui(struct bx_asm *a, uint8_t op, int rd, int32_t imm)
{
	bx_insn(a, BPF_ALU64 | op | BPF_K, rd, 0, 0, imm);
}

void
bx_mov(struct bx_asm *a, int rd, int rs)
{
	if (rd != rs)
		bx_alu(a, BPF_MOV, rd, rs);
}

/* The two-instruction 64-bit immediate; `src` says what the immediate is. */
static void
bx_lddw(struct bx_asm *a, int rd, int src, uint64_t imm)
{
	bx_insn(
	    a, BPF_LD | BPF_DW | BPF_IMM, rd, src, 0, (int32_t)(uint32_t)imm);
	bx_insn(a, 0, 0, 0, 0, (int32_t)(uint32_t)(imm >> 32));
}

void
bx_movi(struct bx_asm *a, int rd, uint64_t imm)
{
	if ((uint64_t)(int64_t)(int32_t)imm == imm)
		bx_alui(a, BPF_MOV, rd, (int32_t)imm);
	else
		bx_lddw(a, rd, 0, imm);
}

static uint8_t
size_code(int size)
{
	switch (size) {
	case 1:
		return BPF_B;
	case 2:
		return BPF_H;
	case 4:
		return BPF_W;
	default:
		assert(size == 8);
		return BPF_DW;
	}
}

/* Displacements have 16 bits, and a machine state with long strings is larger.
 * The address is then computed in r5, which holds no value elsewhere. */
static int
reach(struct bx_asm *a, int base, int *off)
{
	if (*off >= INT16_MIN && *off <= INT16_MAX)
		return base;
	assert(base != R5);
	bx_mov(a, R5, base);
	bx_alui(a, BPF_ADD, R5, *off);
	*off = 0;
	return R5;
}

void
bx_ldx(struct bx_asm *a, int size, int rd, int base, int off)
{
	base = reach(a, base, &off);
	bx_insn(
	    a, BPF_LDX | BPF_MEM | size_code(size), rd, base, (int16_t)off, 0);
}

void
bx_stx(struct bx_asm *a, int size, int base, int off, int rs)
{
	assert(rs != R5);
	base = reach(a, base, &off);
	bx_insn(
	    a, BPF_STX | BPF_MEM | size_code(size), base, rs, (int16_t)off, 0);
}

void
bx_sti(struct bx_asm *a, int size, int base, int off, int32_t imm)
{
	base = reach(a, base, &off);
	bx_insn(
	    a, BPF_ST | BPF_MEM | size_code(size), base, 0, (int16_t)off, imm);
}

void
bx_atomic(struct bx_asm *a, int op, int base, int off, int rs)
{
	assert(off >= INT16_MIN && off <= INT16_MAX);
	bx_insn(a, BPF_STX | BPF_ATOMIC | BPF_DW, base, rs, (int16_t)off, op);
}

bx_label
bx_new_label(struct bx_asm *a)
{
	VEC_PUSH(&a->labels, -1);
	return (bx_label)a->labels.n - 1;
}

void
bx_bind(struct bx_asm *a, bx_label l)
{
	assert(a->labels.v[l] == -1);
	a->labels.v[l] = (int32_t)a->insns.n;
}

bool
bx_is_used(const struct bx_asm *a, bx_label l)
{
	VEC_FOREACH(&a->fixups, f) {
		if (f->label == l)
			return true;
	}
	return false;
}

static void
bx_jump(struct bx_asm *a, uint8_t code, int ra, int rb, int32_t imm, bx_label l)
{
	struct bx_fixup f = { .insn = bx_here(a), .label = l };

	VEC_PUSH(&a->fixups, f);
	bx_insn(a, code, ra, rb, 0, imm);
}

void
bx_ja(struct bx_asm *a, bx_label l)
{
	bx_jump(a, BPF_JMP | BPF_JA, 0, 0, 0, l);
}

void
bx_jcc(struct bx_asm *a, uint8_t op, int ra, int rb, bx_label l)
{
	bx_jump(a, BPF_JMP | op | BPF_X, ra, rb, 0, l);
}

void
bx_jcci(struct bx_asm *a, uint8_t op, int ra, int32_t imm, bx_label l)
{
	bx_jump(a, BPF_JMP | op | BPF_K, ra, 0, imm, l);
}

void
bx_jcci32(struct bx_asm *a, uint8_t op, int ra, int32_t imm, bx_label l)
{
	bx_jump(a, BPF_JMP32 | op | BPF_K, ra, 0, imm, l);
}

void
bx_exit(struct bx_asm *a)
{
	bx_insn(a, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

void
bx_helper(struct bx_asm *a, int helper)
{
	bx_insn(a, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

void
bx_kfunc(struct bx_asm *a, uint32_t btf_id)
{
	bx_insn(a, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0,
	    (int32_t)btf_id);
}

static void
bx_reloc(struct bx_asm *a, enum bl_relkind kind, const char *sym)
{
	struct bl_reloc r = { .insn = bx_here(a), .kind = kind, .sym = sym };

	VEC_PUSH(&a->relocs, r);
	if (kind == BL_MAP || kind == BL_MAPVAL)
		strtab_intern(&a->maps, sym);
}

void
bx_call(struct bx_asm *a, const char *func)
{
	bx_reloc(a, BL_CALL, func);
	bx_insn(a, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
}

void
bx_map(struct bx_asm *a, int rd, const char *map)
{
	bx_reloc(a, BL_MAP, map);
	bx_lddw(a, rd, 0, 0);
}

void
bx_mapval(struct bx_asm *a, int rd, const char *map, uint32_t off)
{
	bx_reloc(a, BL_MAPVAL, map);
	bx_lddw(a, rd, 0, (uint64_t)off << 32);
}

void
bx_percpu(struct bx_asm *a, int rd, uint32_t btf_id)
{
	bx_lddw(a, rd, BPF_PSEUDO_BTF_ID, btf_id);
}

void
bx_const(struct bx_asm *a, int rd, const char *sym)
{
	bx_reloc(a, BL_CONST, sym);
	bx_lddw(a, rd, 0, 0);
}

int
bx_finish(struct bx_asm *a)
{
	VEC_FOREACH(&a->fixups, f) {
		int32_t target = a->labels.v[f->label];
		int32_t rel = target - (int32_t)f->insn - 1;

		assert(target > (int32_t)f->insn);
		if (rel > INT16_MAX)
			return -E2BIG;
		a->insns.v[f->insn].off = (int16_t)rel;
	}
	return 0;
}
