/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction is [66 or f3] [REX] opcode ModRM [SIB] [disp] [imm]:
 *
 *	REX	0100WRXB: W 64 bits wide; R, B the upper bank of reg and rm
 *	ModRM	mod (2 bits), reg (3), rm (3)
 *		mod 3: rm is a register; mod 2 and 1: memory at rm + disp32,
 *disp8; mod 0, rm 5: memory at %rip + disp32
 *
 * %rsp and %r12 as a base need a SIB byte; other forms of it are only used by
 * x_lea_sum().
 */
#include "exec/jit/x86.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

enum {
	OPERAND16 = 0x66,
	REPEAT = 0xf3, /* part of some opcodes */
	REX = 0x40,
	REX_W = 8,
	REX_R = 4,
	REX_X = 2,
	REX_B = 1
};
enum { SIB = 4, DISP32 = 5 }; /* meaning of rm there */

void
x_fini(struct x_asm *a)
{
	strbuf_fini(&a->code);
	VEC_FREE(&a->labels);
	VEC_FREE(&a->fixups);
}

uint32_t
x_here(const struct x_asm *a)
{
	return (uint32_t)a->code.len;
}

static void
byte(struct x_asm *a, unsigned b)
{
	*strbuf_room(&a->code, 1) = (char)b;
	a->code.len++;
}

static void
number(struct x_asm *a, unsigned size, uint64_t value)
{
	memcpy(strbuf_room(&a->code, size), &value, size);
	a->code.len += size;
}

static bool
is_int8(int64_t v)
{
	return v >= INT8_MIN && v <= INT8_MAX;
}

static bool
is_int32(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v == v;
}

static void
rex(struct x_asm *a, int wide, int reg, int rm)
{
	byte(a,
	    REX | (wide ? REX_W : 0) | (reg & 8 ? REX_R : 0U) |
		(rm & 8 ? REX_B : 0U));
}

/* opcodes of one byte, or of two with 0x0f before */
static void
opcode(struct x_asm *a, unsigned op)
{
	if (op > 0xff)
		byte(a, op >> 8);
	byte(a, op);
}

static void
modrm(struct x_asm *a, int mod, int reg, int rm)
{
	byte(a, (unsigned)(mod << 6 | (reg & 7) << 3 | (rm & 7)));
}

/* op reg, rm: registers */
static void
rr(struct x_asm *a, int wide, unsigned op, int reg, int rm)
{
	rex(a, wide, reg, rm);
	opcode(a, op);
	modrm(a, 3, reg, rm);
}

/* op reg, m: memory; `nimm` bytes of immediate follow */
static void
rm(struct x_asm *a, int wide, unsigned op, int reg, struct x_mem m,
    unsigned nimm)
{
	int mod;

	if (m.base == X_REGION) {
		rex(a, wide, reg, 0);
		opcode(a, op);
		modrm(a, 0, reg, DISP32);
		number(a, 4, (uint32_t)m.disp - a->at - x_here(a) - 4 - nimm);
		return;
	}
	mod = is_int8(m.disp) ? 1 : 2;
	rex(a, wide, reg, m.base);
	opcode(a, op);
	modrm(a, mod, reg, m.base);
	if ((m.base & 7) == SIB)
		byte(a, SIB << 3 | SIB); /* no index */
	number(a, mod == 1 ? 1 : 4, (uint64_t)m.disp);
}

/* ---- moves -------------------------------------------------------------- */

void
x_mov(struct x_asm *a, int rd, int rs)
{
	if (rd != rs)
		rr(a, 1, 0x89, rs, rd);
}

void
x_movi(struct x_asm *a, int rd, uint64_t imm)
{
	if (imm <= UINT32_MAX) {
		if (rd & 8)
			rex(a, 0, 0, rd);
		byte(a, 0xb8U + (unsigned)(rd & 7));
		number(a, 4, imm);
	} else if (is_int32(imm)) {
		rr(a, 1, 0xc7, 0, rd);
		number(a, 4, imm);
	} else {
		rex(a, 1, 0, rd);
		byte(a, 0xb8U + (unsigned)(rd & 7));
		number(a, 8, imm);
	}
}

void
x_load(struct x_asm *a, int size, bool is_signed, int rd, struct x_mem m)
{
	switch (size) {
	case 1:
		rm(a, is_signed, is_signed ? 0x0fbe : 0x0fb6, rd, m, 0);
		break;
	case 2:
		rm(a, is_signed, is_signed ? 0x0fbf : 0x0fb7, rd, m, 0);
		break;
	case 4:
		rm(a, is_signed, is_signed ? 0x63 : 0x8b, rd, m, 0);
		break;
	default:
		assert(size == 8);
		rm(a, 1, 0x8b, rd, m, 0);
		break;
	}
}

void
x_store(struct x_asm *a, int size, struct x_mem m, int rs)
{
	if (size == 2)
		byte(a, OPERAND16);
	rm(a, size == 8, size == 1 ? 0x88 : 0x89, rs, m, 0);
}

void
x_storei(struct x_asm *a, int size, struct x_mem m, int32_t imm)
{
	assert(size == 4 || size == 8);
	rm(a, size == 8, 0xc7, 0, m, 4);
	number(a, 4, (uint64_t)imm);
}

void
x_lea(struct x_asm *a, int rd, struct x_mem m)
{
	rm(a, 1, 0x8d, rd, m, 0);
}

/* rd <- ra + rb, flags kept */
void
x_lea_sum(struct x_asm *a, int rd, int ra, int rb)
{
	if (rb == X_RSP || (ra & 7) == X_RBP) {
		int swap = ra;

		ra = rb;
		rb = swap;
	}
	/* %rbp and %r13 as a base want a displacement */
	byte(a,
	    REX | REX_W | (rd & 8 ? REX_R : 0U) | (rb & 8 ? REX_X : 0U) |
		(ra & 8 ? REX_B : 0U));
	byte(a, 0x8d);
	modrm(a, 1, rd, SIB);
	modrm(a, 0, rb, ra);
	byte(a, 0);
}

/* ---- arithmetic --------------------------------------------------------- */

void
x_alu(struct x_asm *a, enum x_alu op, int rd, int rs)
{
	rr(a, 1, (unsigned)op << 3 | 1, rs, rd);
}

void
x_alui(struct x_asm *a, enum x_alu op, int rd, int32_t imm)
{
	bool is_short = is_int8(imm);

	rr(a, 1, is_short ? 0x83 : 0x81, (int)op, rd);
	number(a, is_short ? 1 : 4, (uint64_t)imm);
}

void
x_alum(struct x_asm *a, enum x_alu op, int rd, struct x_mem m)
{
	rm(a, 1, (unsigned)op << 3 | 3, rd, m, 0);
}

void
x_alumi(struct x_asm *a, enum x_alu op, struct x_mem m, int32_t imm)
{
	bool is_short = is_int8(imm);

	rm(a, 1, is_short ? 0x83 : 0x81, (int)op, m, is_short ? 1 : 4);
	number(a, is_short ? 1 : 4, (uint64_t)imm);
}

void
x_addm(struct x_asm *a, struct x_mem m, int rs)
{
	rm(a, 1, (unsigned)X_ADD << 3 | 1, rs, m, 0);
}

void
x_test(struct x_asm *a, int ra, int rb)
{
	rr(a, 1, 0x85, rb, ra);
}

void
x_mul(struct x_asm *a, int rd, int rs)
{
	rr(a, 1, 0x0faf, rd, rs);
}

void
x_muli(struct x_asm *a, int rd, int rs, int32_t imm)
{
	rr(a, 1, 0x69, rd, rs);
	number(a, 4, (uint64_t)imm);
}

void
x_unary(struct x_asm *a, enum x_unary op, int r)
{
	rr(a, 1, 0xf7, (int)op, r);
}

void
x_cqo(struct x_asm *a)
{
	rex(a, 1, 0, 0);
	byte(a, 0x99);
}

void
x_shift_cl(struct x_asm *a, enum x_shift op, int r)
{
	rr(a, 1, 0xd3, (int)op, r);
}

void
x_shifti(struct x_asm *a, enum x_shift op, int r, unsigned count)
{
	rr(a, 1, 0xc1, (int)op, r);
	byte(a, count);
}

/* The lowest bits in network order. */
void
x_swap(struct x_asm *a, int bits, int r)
{
	rex(a, bits != 32, 0, r);
	byte(a, 0x0f);
	byte(a, 0xc8U + (unsigned)(r & 7));
	if (bits == 16)
		x_shifti(a, X_SHR, r, 48);
}

void
x_bsf(struct x_asm *a, int rd, int rs)
{
	rr(a, 1, 0x0fbc, rd, rs);
}

void
x_bsr(struct x_asm *a, int rd, int rs)
{
	rr(a, 1, 0x0fbd, rd, rs);
}

void
x_shrd(struct x_asm *a, int rd, int rs, unsigned count)
{
	rr(a, 1, 0x0fac, rs, rd);
	byte(a, count);
}

void
x_rdfsbase(struct x_asm *a, int rd)
{
	byte(a, REPEAT);
	rr(a, 1, 0x0fae, 0, rd);
}

void
x_rdpid(struct x_asm *a, int rd)
{
	byte(a, REPEAT);
	rr(a, 0, 0x0fc7, 7, rd);
}

void
x_rdtsc(struct x_asm *a)
{
	opcode(a, 0x0f31);
}

void
x_cmpxchg(struct x_asm *a, struct x_mem m, int rs)
{
	rm(a, 1, 0x0fb1, rs, m, 0);
}

void
x_cmov(struct x_asm *a, enum x_cc cc, int rd, int rs)
{
	rr(a, 1, 0x0f40U | (unsigned)cc, rd, rs);
}

/* ---- control ------------------------------------------------------------ */

x_label
x_new_label(struct x_asm *a)
{
	VEC_PUSH(&a->labels, X_OPEN);
	return (x_label)a->labels.n - 1;
}

void
x_bind(struct x_asm *a, x_label l)
{
	a->labels.v[l] = (int64_t)x_here(a);
}

bool
x_is_wanted(const struct x_asm *a, x_label l)
{
	return a->labels.v[l] == X_WANTED;
}

static void
target(struct x_asm *a, x_label l)
{
	struct x_fixup f = { .label = l };

	if (a->labels.v[l] == X_OPEN)
		a->labels.v[l] = X_WANTED;
	number(a, 4, 0);
	f.pos = x_here(a);
	VEC_PUSH(&a->fixups, f);
}

void
x_jmp(struct x_asm *a, x_label l)
{
	byte(a, 0xe9);
	target(a, l);
}

void
x_jcc(struct x_asm *a, enum x_cc cc, x_label l)
{
	byte(a, 0x0f);
	byte(a, 0x80U | (unsigned)cc);
	target(a, l);
}

void
x_call(struct x_asm *a, uint32_t region_off)
{
	byte(a, 0xe8);
	number(a, 4, region_off - a->at - x_here(a) - 4);
	a->ncalls++;
}

void
x_jmp_mem(struct x_asm *a, struct x_mem m)
{
	rm(a, 0, 0xff, 4, m, 0);
}

void
x_call_label(struct x_asm *a, x_label l)
{
	byte(a, 0xe8);
	target(a, l);
}

void
x_push(struct x_asm *a, int r)
{
	if (r & 8)
		rex(a, 0, 0, r);
	byte(a, 0x50U + (unsigned)(r & 7));
}

void
x_pop(struct x_asm *a, int r)
{
	if (r & 8)
		rex(a, 0, 0, r);
	byte(a, 0x58U + (unsigned)(r & 7));
}

void
x_ret(struct x_asm *a)
{
	byte(a, 0xc3);
}

void
x_ret_over(struct x_asm *a, uint16_t size)
{
	byte(a, 0xc2);
	number(a, 2, size);
}

void
x_popfq(struct x_asm *a)
{
	byte(a, 0x9d);
}

void
x_cld(struct x_asm *a)
{
	byte(a, 0xfc);
}

void
x_syscall(struct x_asm *a)
{
	byte(a, 0x0f);
	byte(a, 0x05);
}

void
x_lock_inc(struct x_asm *a, struct x_mem m)
{
	byte(a, 0xf0);
	rm(a, 1, 0xff, 0, m, 0);
}

void
x_finish(struct x_asm *a)
{
	VEC_FOREACH(&a->fixups, f) {
		int64_t to = a->labels.v[f->label];
		uint32_t disp = (uint32_t)(to - (int64_t)f->pos);

		assert(to >= 0);
		memcpy(a->code.s + f->pos - 4, &disp, sizeof(disp));
	}
	a->fixups.n = 0;
}
