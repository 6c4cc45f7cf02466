/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "x86/insn.h"
#include "x86/zydis_lib.h"

size_t
x86_format(const struct x86_code *code, size_t off, char *text, size_t size)
{
	const struct zy_lib *zy = zy_lib(NULL);
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

	zy->ZydisDecoderInit(
	    &decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	zy->ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
	zy->ZydisFormatterSetProperty(&formatter,
	    ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
	if (ZYAN_FAILED(zy->ZydisDecoderDecodeFull(
		&decoder, code->bytes + off, code->len - off, &insn, ops)))
		return 0;
	if (ZYAN_FAILED(zy->ZydisFormatterFormatInstruction(&formatter, &insn,
		ops, insn.operand_count_visible, text, size, off, NULL)))
		return 0;
	return insn.length;
}
