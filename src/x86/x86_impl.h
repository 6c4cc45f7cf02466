/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef X86_X86_IMPL_H
#define X86_X86_IMPL_H

/* Shared by the files of x86/. */
#include "x86/insn.h"
#include "x86/zydis_lib.h"

/* Decode all of an instruction; `ops` has ZYDIS_MAX_OPERAND_COUNT elements. */
bool x86_decode_full(const struct x86_code *code, size_t off,
    ZydisDecodedInstruction *zi, ZydisDecodedOperand *ops);
void x86_insn_of(
    const ZydisDecodedInstruction *zi, size_t off, struct x86_insn *insn);
/* x86_decode() for frequent instructions; false: ask the library. */
bool x86_quick(const struct x86_code *code, size_t off, struct x86_insn *insn);
/* The number of the general register that `reg` is part of, or -1. */
int x86_general_number(const struct x86_code *code, ZydisRegister reg);
bool x86_has_prefix(const ZydisDecodedInstruction *zi, uint8_t prefix);

#endif
