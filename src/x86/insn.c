/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding has two depths: x86_decode() finds lengths and branches of a whole
 * function, fast; x86_effect() finds what one instruction changes.
 */
#include "x86/insn.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/err.h"
#include "x86/x86_impl.h"

#define OPERAND_SIZE 0x66 /* the prefix's byte */

/* Written once, by init(), under `once`; read by everybody after it. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct zy_lib *lib;
static struct err init_error;
static struct zy_decoders {
	ZydisDecoder shallow, full;
} decoders[2]; /* 64-bit code, 32-bit code */

static void
init(void)
{
	lib = zy_lib(&init_error);
	if (lib == NULL)
		return;
	for (int is_32 = 0; is_32 < 2; is_32++) {
		struct zy_decoders *d = &decoders[is_32];

		lib->ZydisDecoderInit(&d->full,
		    is_32 ? ZYDIS_MACHINE_MODE_LEGACY_32 :
			    ZYDIS_MACHINE_MODE_LONG_64,
		    is_32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_64);
		d->shallow = d->full;
		lib->ZydisDecoderEnableMode(
		    &d->shallow, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	}
}

int
x86_init(struct err *err)
{
	pthread_once(&once, init);
	if (lib != NULL)
		return 0;
	return err_set(err, -EINVAL, "%s", err_text(&init_error));
}

bool
x86_is_ready(void)
{
	return lib != NULL;
}

/* ---- branches ----------------------------------------------------------- */

/* A memory operand with an index register. */
static bool
is_indexed(const ZydisDecodedInstruction *zi)
{
	return zi->attributes & ZYDIS_ATTRIB_HAS_MODRM &&
	    zi->raw.modrm.mod != 3 && zi->raw.modrm.rm == 4 &&
	    (zi->raw.sib.index != 4 || zi->raw.rex.X);
}

/* FF /2 .. /5: calls and jumps through a register or memory. */
static enum x86_kind
indirect_kind(const ZydisDecodedInstruction *zi)
{
	switch (zi->raw.modrm.reg) {
	case 2:
	case 3:
		return X86_CALL_FAR;
	case 4:
	case 5:
		if (zi->raw.modrm.mod == 3)
			return X86_JMP_REG;
		return is_indexed(zi) ? X86_JMP_TABLE : X86_JMP_MEM;
	default:
		return X86_PLAIN;
	}
}

bool
x86_has_prefix(const ZydisDecodedInstruction *zi, uint8_t prefix)
{
	for (unsigned i = 0; i < zi->raw.prefix_count; i++) {
		if (zi->raw.prefixes[i].value == prefix)
			return true;
	}
	return false;
}

static enum x86_kind
one_byte_kind(const ZydisDecodedInstruction *zi)
{
	switch (zi->opcode) {
	case 0x50 ... 0x57:
		return zi->length > 2 || x86_has_prefix(zi, OPERAND_SIZE) ?
		    X86_PLAIN :
		    X86_PUSH;
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		return X86_JCC;
	case 0x90:
		/* F3 90 is PAUSE, 41 90 exchanges registers */
		return zi->length == 1 ||
			(zi->length == 2 && x86_has_prefix(zi, OPERAND_SIZE)) ?
		    X86_NOP :
		    X86_PLAIN;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		return X86_RET;
	case 0xcc:
	case 0xf4:
		return X86_TRAP;
	case 0xe8:
		return X86_CALL;
	case 0xe9:
	case 0xeb:
		return X86_JMP;
	case 0xff:
		return indirect_kind(zi);
	default:
		return X86_PLAIN;
	}
}

static enum x86_kind
two_byte_kind(const ZydisDecodedInstruction *zi)
{
	if (zi->opcode >= 0x80 && zi->opcode <= 0x8f)
		return X86_JCC;
	if (zi->opcode == 0x1f)
		return X86_NOP;
	return zi->opcode == 0x0b ? X86_TRAP : X86_PLAIN;
}

static enum x86_kind
kind_of(const ZydisDecodedInstruction *zi)
{
	switch (zi->opcode_map) {
	case ZYDIS_OPCODE_MAP_DEFAULT:
		return one_byte_kind(zi);
	case ZYDIS_OPCODE_MAP_0F:
		return zi->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ?
		    two_byte_kind(zi) :
		    X86_PLAIN;
	default:
		return X86_PLAIN;
	}
}

/*
 * The conditions of arch/x86/kernel/uprobes.c (branch_setup_xol_ops(),
 * push_setup_xol_ops()): relative jumps and calls, NOP of one byte, PUSH of a
 * register; no operand-size prefix.  Only newer kernels emulate NOPs of several
 * bytes, and not in every form: 0F 1F 44 00 00 yes, 0F 1F 04 00 no.
 */
static bool
is_emulated(const ZydisDecodedInstruction *zi, enum x86_kind kind)
{
	switch (kind) {
	case X86_NOP:
		return zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	case X86_PUSH:
		return true;
	case X86_JMP:
	case X86_CALL:
		return !x86_has_prefix(zi, OPERAND_SIZE);
	case X86_JCC: /* not LOOP, JCXZ */
		return !x86_has_prefix(zi, OPERAND_SIZE) && zi->opcode < 0xe0;
	case X86_PLAIN:
	case X86_CALL_FAR:
	case X86_JMP_REG:
	case X86_JMP_MEM:
	case X86_JMP_TABLE:
	case X86_RET:
	case X86_TRAP:
		return false;
	}
	return false;
}

/* POP of a register, LEAVE, ADD of a constant to the stack pointer. */
static bool
frees_stack(const ZydisDecodedInstruction *zi)
{
	if (zi->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	return (zi->opcode >= 0x58 && zi->opcode <= 0x5f) ||
	    zi->opcode == 0xc9 ||
	    ((zi->opcode == 0x81 || zi->opcode == 0x83) &&
		zi->raw.modrm.mod == 3 && zi->raw.modrm.reg == 0 &&
		zi->raw.modrm.rm == X86_SP);
}

/*
 * good_insns_64 of the same file excludes INS, OUTS, IN, OUT, INT, IRET, HLT,
 * CLI and STI.
 */
static bool
is_privileged(const ZydisDecodedInstruction *zi)
{
	static const uint8_t bad[] = { 0x6c, 0x6d, 0x6e, 0x6f, 0xcc, 0xcd, 0xce,
		0xcf, 0xe4, 0xe5, 0xe6, 0xe7, 0xec, 0xed, 0xee, 0xef, 0xf1,
		0xf4, 0xfa, 0xfb };

	return zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    memchr(bad, zi->opcode, sizeof(bad)) != NULL;
}

/*
 * SYSCALL and SYSENTER.  The kernel accepts them, steps over its copy of the
 * instruction, and gets the trap one instruction too late, since the flag that
 * asks for it is off in the system call.  So the instruction behind the copy is
 * executed too: a RET leads the program to a wrong address (seen on Linux
 * 6.18).
 */
static bool
is_system_call(const ZydisDecodedInstruction *zi)
{
	return zi->opcode_map == ZYDIS_OPCODE_MAP_0F &&
	    (zi->opcode == 0x05 || zi->opcode == 0x34);
}

/*
 * is_prefix_bad() of the same file: LOCK, and segments but FS and GS.  AVX-512
 * is refused too.  Other VEX code is not, but the kernel looks at its opcode as
 * if it had no prefix (VZEROUPPER's is that of JA): so refuse it.
 */
static bool
is_refused(const ZydisDecodedInstruction *zi)
{
	static const uint8_t bad[] = { 0xf0, 0x26, 0x2e, 0x36, 0x3e };

	for (unsigned i = 0; i < sizeof(bad); i++) {
		if (x86_has_prefix(zi, bad[i]))
			return true;
	}
	return zi->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
	    is_privileged(zi) || is_system_call(zi);
}

/* LEA relative to %rip: ModRM selects %rip whatever REX.B is. */
static bool
is_lea(const ZydisDecodedInstruction *zi)
{
	return zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    zi->opcode == 0x8d && zi->raw.modrm.mod == 0 &&
	    zi->raw.modrm.rm == 5 &&
	    zi->machine_mode == ZYDIS_MACHINE_MODE_LONG_64;
}

/* PUSH, MOV to a register: the constant may be an address. */
static bool
has_address(const ZydisDecodedInstruction *zi)
{
	return zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    zi->raw.imm[0].size >= 32 &&
	    (zi->opcode == 0x68 || zi->opcode == 0xc7 ||
		(zi->opcode >= 0xb8 && zi->opcode <= 0xbf));
}

void
x86_insn_of(
    const ZydisDecodedInstruction *zi, size_t off, struct x86_insn *insn)
{
	insn->len = zi->length;
	insn->kind = kind_of(zi);
	insn->is_emulated = is_emulated(zi, insn->kind);
	insn->is_refused = is_refused(zi);
	insn->is_indexed = is_indexed(zi);
	insn->frees_stack = frees_stack(zi);
	insn->is_std =
	    zi->opcode == 0xfd && zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	insn->is_lea = is_lea(zi);
	insn->has_address = has_address(zi);
	insn->cond = insn->kind == X86_JCC && zi->opcode < 0xe0 ?
	    zi->opcode & 15 :
	    X86_ALWAYS;
	insn->imm = zi->raw.imm[0].value.s;
	insn->target = off + zi->length + (uint64_t)insn->imm;
	insn->lea = off + zi->length + (uint64_t)zi->raw.disp.value;
}

bool
x86_decode(const struct x86_code *code, size_t off, struct x86_insn *insn)
{
	ZydisDecodedInstruction zi;

	if (x86_quick(code, off, insn))
		return true;
	if (off >= code->len ||
	    !ZYAN_SUCCESS(lib->ZydisDecoderDecodeInstruction(
		&decoders[code->is_32].shallow, NULL, code->bytes + off,
		code->len - off, &zi)))
		return false;
	x86_insn_of(&zi, off, insn);
	return true;
}

bool
x86_decode_full(const struct x86_code *code, size_t off,
    ZydisDecodedInstruction *zi, ZydisDecodedOperand *ops)
{
	return off < code->len &&
	    ZYAN_SUCCESS(
		lib->ZydisDecoderDecodeFull(&decoders[code->is_32].full,
		    code->bytes + off, code->len - off, zi, ops));
}

/* ---- effects ------------------------------------------------------------ */

int
x86_general_number(const struct x86_code *code, ZydisRegister reg)
{
	ZydisRegister whole = lib->ZydisRegisterGetLargestEnclosing(
	    decoders[code->is_32].full.machine_mode, reg);
	ZydisRegister first =
	    code->is_32 ? ZYDIS_REGISTER_EAX : ZYDIS_REGISTER_RAX;
	int n = (int)whole - (int)first;

	return n >= 0 && n < 16 ? n : -1;
}

static bool
is_stack_pointer(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_RSP || reg == ZYDIS_REGISTER_ESP;
}

/*
 * Is the operand memory that surely exists and is not changed: the program's
 * own data, the thread's (%fs), the stack?
 */
static bool
is_harmless(const ZydisDecodedOperand *op)
{
	if (op->mem.type == ZYDIS_MEMOP_TYPE_AGEN) /* LEA, NOP */
		return true;
	if (is_stack_pointer(op->mem.base) &&
	    op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		return true; /* PUSH */
	if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ||
	    op->mem.index != ZYDIS_REGISTER_NONE)
		return false;
	return op->mem.base == ZYDIS_REGISTER_RIP ||
	    is_stack_pointer(op->mem.base) ||
	    (op->mem.base == ZYDIS_REGISTER_NONE &&
		op->mem.segment == ZYDIS_REGISTER_FS);
}

static uint16_t
general_bit(const struct x86_code *code, ZydisRegister reg)
{
	int n = x86_general_number(code, reg);

	return n >= 0 ? (uint16_t)(1U << n) : 0;
}

/* XOR and SUB of a register with itself depend on nothing. */
static bool
is_zeroing(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops)
{
	return (zi->mnemonic == ZYDIS_MNEMONIC_XOR ||
		   zi->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	    ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    ops[0].reg.value == ops[1].reg.value;
}

static uint16_t
operand_reads(const struct x86_code *code, const ZydisDecodedOperand *op)
{
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return general_bit(code, op->mem.base) |
		    general_bit(code, op->mem.index);
	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0)
		return general_bit(code, op->reg.value);
	return 0;
}

static void
add_operand(const struct x86_code *code, const ZydisDecodedOperand *op,
    struct x86_effect *effect)
{
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && !is_harmless(op))
		effect->is_visible = true;
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	if (is_stack_pointer(op->reg.value))
		effect->stack_known = false;
	else
		effect->writes |= general_bit(code, op->reg.value);
}

/* PUSH of a register or constant, SUB and ADD of a constant. */
static void
find_stack_change(const struct x86_code *code,
    const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
    struct x86_effect *effect)
{
	int64_t n = ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ?
	    ops[1].imm.value.s :
	    0;

	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		effect->pushes = code->is_32 ? 4 : 8;
		effect->stack_known = zi->operand_width >= 32;
		break;
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_ADD:
		if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !is_stack_pointer(ops[0].reg.value) ||
		    ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		    n < -(1 << 20) || n > 1 << 20)
			break;
		effect->pushes =
		    (int32_t)(zi->mnemonic == ZYDIS_MNEMONIC_SUB ? n : -n);
		effect->stack_known = true;
		break;
	default:
		break;
	}
}

bool
x86_effect(const struct x86_code *code, size_t off, struct x86_effect *effect)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (!x86_decode_full(code, off, &zi, ops))
		return false;
	*effect = (struct x86_effect){ .stack_known = true };
	for (unsigned i = 0; i < zi.operand_count; i++) {
		if (!is_zeroing(&zi, ops))
			effect->reads |= operand_reads(code, &ops[i]);
		add_operand(code, &ops[i], effect);
	}
	find_stack_change(code, &zi, ops, effect);
	return true;
}
