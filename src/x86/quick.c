/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decode the instructions that make up most of any program in a tenth of the
 * library's time: 64-bit code, at most a REX prefix, the one-byte opcodes of
 * integer code and some of the two-byte ones.  The library decodes all that is
 * rarer or looks invalid.  tests/unit/test_x86.c compares the two.
 *
 * Formats: Intel SDM, volume 2, appendix A.
 */
#include "x86/x86_impl.h"

#include <string.h>

#define LONGEST 15

/* The parts behind an opcode. */
enum {
	OTHER = 0, /* not decoded here */
	NONE = 1,
	MODRM = 2,
	IMM8 = 4,
	IMM32 = 8,
	COUNT = 32, /* one byte, unsigned */
	GROUP = 16, /* ModRM's digit tells if there is a constant */
};

#define ALU(op) [(op)...(op) + 3] = MODRM, [(op) + 4] = IMM8, [(op) + 5] = IMM32

/* clang-format off */
static const uint8_t one_byte[256] = {
	ALU(0x00), ALU(0x08), ALU(0x10), ALU(0x18),
	ALU(0x20), ALU(0x28), ALU(0x30), ALU(0x38),
	[0x50 ... 0x5f] = NONE,			/* PUSH, POP */
	[0x63] = MODRM,
	[0x68] = IMM32, [0x69] = MODRM | IMM32,
	[0x6a] = IMM8, [0x6b] = MODRM | IMM8,
	[0x70 ... 0x7f] = IMM8,			/* Jcc */
	[0x80] = MODRM | IMM8, [0x81] = MODRM | IMM32, [0x83] = MODRM | IMM8,
	[0x84 ... 0x8b] = MODRM,
	[0x8d] = MODRM | GROUP,
	[0x98 ... 0x99] = NONE,
	[0xa8] = IMM8, [0xa9] = IMM32,
	[0xb0 ... 0xb7] = IMM8, [0xb8 ... 0xbf] = IMM32,
	[0xc0 ... 0xc1] = MODRM | COUNT,
	[0xc3] = NONE,
	[0xc6] = MODRM | IMM8 | GROUP, [0xc7] = MODRM | IMM32 | GROUP,
	[0xc9] = NONE,
	[0xd0 ... 0xd3] = MODRM,
	[0xe8 ... 0xe9] = IMM32, [0xeb] = IMM8,
	[0xf6] = MODRM | GROUP, [0xf7] = MODRM | GROUP,
	[0xfe ... 0xff] = MODRM | GROUP,
};
static const uint8_t two_byte[256] = {
	[0x1f] = MODRM,
	[0x40 ... 0x4f] = MODRM,		/* CMOVcc */
	[0x80 ... 0x8f] = IMM32,		/* Jcc */
	[0x90 ... 0x9f] = MODRM,		/* SETcc */
	[0xaf] = MODRM,
	[0xb6 ... 0xb7] = MODRM, [0xbe ... 0xbf] = MODRM,
};
/* clang-format on */

/* An instruction being decoded. */
struct quick {
	const uint8_t *p; /* next byte */
	uint8_t rex, opcode, modrm, format;
	bool is_two_byte, is_indexed;
	int64_t disp, imm;
};

static unsigned
digit(const struct quick *q)
{
	return q->modrm >> 3 & 7;
}

static unsigned
mod(const struct quick *q)
{
	return q->modrm >> 6;
}

static int64_t
take(struct quick *q, unsigned size)
{
	int64_t v = 0;

	memcpy(&v, q->p, size);
	q->p += size;
	return size == 1 ? (int8_t)v : size == 4 ? (int32_t)v : v;
}

static void
take_memory(struct quick *q)
{
	unsigned rm = q->modrm & 7;

	if (mod(q) == 3)
		return;
	if (rm == 4) {
		uint8_t sib = *q->p++;

		q->is_indexed = (sib >> 3 & 7) != 4 || q->rex & 2;
		rm = sib & 7;
	}
	if (mod(q) == 1)
		q->disp = take(q, 1);
	else if (mod(q) == 2 || rm == 5)
		q->disp = take(q, 4);
}

/* Resolve opcodes with several meanings; false: leave it to the library. */
static bool
resolve_group(struct quick *q)
{
	switch (q->opcode) {
	case 0x8d:
		return mod(q) != 3;
	case 0xc6:
	case 0xc7:
		return digit(q) == 0;
	case 0xf6:
	case 0xf7:
		if (digit(q) == 0)
			q->format |= q->opcode == 0xf6 ? IMM8 : IMM32;
		return digit(q) != 1;
	case 0xfe:
		return digit(q) < 2;
	case 0xff:
		return digit(q) != 3 && digit(q) != 5 && digit(q) != 7;
	default:
		return false;
	}
}

static void
take_constant(struct quick *q)
{
	bool is_mov = q->opcode >= 0xb8 && q->opcode <= 0xbf && !q->is_two_byte;

	if (q->format & COUNT)
		q->imm = *q->p++;
	else if (q->format & IMM8)
		q->imm = take(q, 1);
	else if (q->format & IMM32)
		q->imm = take(q, is_mov && q->rex & 8 ? 8 : 4);
}

static bool
parse(struct quick *q)
{
	if ((*q->p & 0xf0) == 0x40)
		q->rex = *q->p++;
	if (*q->p == 0x0f) {
		q->is_two_byte = true;
		q->p++;
	}
	q->opcode = *q->p++;
	q->format = (q->is_two_byte ? two_byte : one_byte)[q->opcode];
	if (q->format == OTHER)
		return false;
	if (q->format & MODRM)
		q->modrm = *q->p++;
	if (q->format & GROUP && !resolve_group(q))
		return false;
	if (q->format & MODRM)
		take_memory(q);
	take_constant(q);
	return true;
}

/* ---- kinds -------------------------------------------------------------- */

static enum x86_kind
group_ff_kind(const struct quick *q)
{
	if (digit(q) == 2)
		return X86_CALL_FAR;
	if (digit(q) != 4)
		return X86_PLAIN;
	if (mod(q) == 3)
		return X86_JMP_REG;
	return q->is_indexed ? X86_JMP_TABLE : X86_JMP_MEM;
}

static enum x86_kind
kind_of(const struct quick *q)
{
	if (q->is_two_byte)
		return q->opcode == 0x1f       ? X86_NOP :
		    (q->opcode & 0xf0) == 0x80 ? X86_JCC :
						 X86_PLAIN;
	switch (q->opcode) {
	case 0x50 ... 0x57:
		return X86_PUSH;
	case 0x70 ... 0x7f:
		return X86_JCC;
	case 0xc3:
		return X86_RET;
	case 0xe8:
		return X86_CALL;
	case 0xe9:
	case 0xeb:
		return X86_JMP;
	case 0xff:
		return group_ff_kind(q);
	default:
		return X86_PLAIN;
	}
}

static bool
frees_stack(const struct quick *q)
{
	if (q->is_two_byte)
		return false;
	return (q->opcode >= 0x58 && q->opcode <= 0x5f) || q->opcode == 0xc9 ||
	    ((q->opcode == 0x81 || q->opcode == 0x83) &&
		(q->modrm & 0xf8) == 0xc0 && (q->modrm & 7) == X86_SP);
}

static bool
has_address(const struct quick *q)
{
	return !q->is_two_byte &&
	    (q->opcode == 0x68 || q->opcode == 0xc7 ||
		(q->opcode >= 0xb8 && q->opcode <= 0xbf));
}

static void
fill(const struct quick *q, uint8_t len, size_t off, struct x86_insn *insn)
{
	enum x86_kind kind = kind_of(q);

	*insn = (struct x86_insn){ .len = len,
		.kind = kind,
		.is_emulated = kind == X86_PUSH || kind == X86_JMP ||
		    kind == X86_JCC || kind == X86_CALL,
		.cond = kind == X86_JCC ? q->opcode & 15 : X86_ALWAYS,
		.is_indexed = q->is_indexed,
		.frees_stack = frees_stack(q),
		.is_lea = !q->is_two_byte && q->opcode == 0x8d &&
		    (q->modrm & 0xc7) == 5,
		.has_address = has_address(q),
		.imm = q->imm,
		.target = off + len + (uint64_t)q->imm,
		.lea = off + len + (uint64_t)q->disp };
}

bool
x86_quick(const struct x86_code *code, size_t off, struct x86_insn *insn)
{
	struct quick q = { .p = code->bytes + off };

	if (code->is_32 || off >= code->len || code->len - off < LONGEST ||
	    !parse(&q))
		return false;
	fill(&q, (uint8_t)(q.p - (code->bytes + off)), off, insn);
	return true;
}
