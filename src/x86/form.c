/* SPDX-License-Identifier: BSD-2-Clause */
#include "x86/form.h"

#include "x86/x86_impl.h"

#define OPERAND_SIZE 0x66
#define ADDRESS_SIZE 0x67

static void
add_register(
    const struct x86_code *code, ZydisRegister reg, struct x86_form *form)
{
	int n = x86_general_number(code, reg);

	if (n >= 0)
		form->uses |= (uint16_t)(1U << n);
}

static void
add_operand(const struct x86_code *code, const ZydisDecodedOperand *op,
    struct x86_form *form)
{
	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
		add_register(code, op->reg.value, form);
	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY)
		return;
	add_register(code, op->mem.base, form);
	add_register(code, op->mem.index, form);
	if (op->encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM)
		return;
	form->base = (int8_t)x86_general_number(code, op->mem.base);
	form->disp = (int32_t)op->mem.disp.value;
	form->is_rip = op->mem.base == ZYDIS_REGISTER_RIP ||
	    op->mem.base == ZYDIS_REGISTER_EIP;
}

/*
 * The flags that the instruction changes in any case.  Shifts by 0 change none,
 * nor do comparisons repeated 0 times; a flag that is left undefined has no
 * meaning afterwards.
 */
static uint32_t
killed_flags(const ZydisDecodedInstruction *zi, bool is_repeated)
{
	const ZydisAccessedFlags *f = zi->cpu_flags;

	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SHRD:
		return 0;
	default:
		break;
	}
	if (f == NULL || is_repeated)
		return 0;
	return (f->modified | f->set_0 | f->set_1 | f->undefined) & X86_STATUS;
}

/* SYSENTER and SYSRET change %rip too; they do not run in 64-bit programs. */
static void
fill_form(const ZydisDecodedInstruction *zi, struct x86_form *form)
{
	form->opcode = zi->opcode;
	form->is_default_map = zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	form->modrm_at = zi->raw.modrm.offset;
	form->disp_at = zi->raw.disp.offset;
	form->disp_len = zi->raw.disp.size / 8;
	form->has_16 = x86_has_prefix(zi, OPERAND_SIZE) && zi->raw.rex.W == 0;
	form->has_address_size = x86_has_prefix(zi, ADDRESS_SIZE);
	form->is_relative = zi->attributes & ZYDIS_ATTRIB_IS_RELATIVE;
	form->is_syscall = zi->mnemonic == ZYDIS_MNEMONIC_SYSCALL;
	form->is_repeated = zi->attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
		ZYDIS_ATTRIB_HAS_REPNE);
	if (zi->cpu_flags != NULL)
		form->flags_read = zi->cpu_flags->tested;
	form->flags_killed = killed_flags(zi, form->is_repeated);
}

bool
x86_form(const struct x86_code *code, size_t off, struct x86_form *form)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (!x86_decode_full(code, off, &zi, ops))
		return false;
	*form = (struct x86_form){ .base = -1 };
	x86_insn_of(&zi, off, &form->insn);
	fill_form(&zi, form);
	for (unsigned i = 0; i < zi.operand_count; i++)
		add_operand(code, &ops[i], form);
	return true;
}
