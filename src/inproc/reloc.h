/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_RELOC_H
#define INPROC_RELOC_H

/*
 * One instruction, written so that it does elsewhere what it does at its place.
 *
 * The copy has the same effect on registers, flags and memory, and goes on at
 * the same place: branches lead to the original targets, calls push the
 * original return address.  A program can see a difference in time, in its own
 * code, in the %rip that a signal handler gets, and in the x87's last
 * instruction.  Memory below the red zone may change, as it does when a signal
 * is handled.
 */
#include "base/str.h"
#include "x86/insn.h"

#define RELOC_MAX 64 /* bytes that one instruction may become */

/*
 * Append to `out` a copy, for address `to`, of the instruction at offset `off`
 * of the code; its own address is `from`.  The copy falls through at its end if
 * the instruction does.  It has at most RELOC_MAX bytes.
 *
 * Returns NULL, or why it cannot be moved there (static text); `out` is then as
 * it was.
 */
const char *reloc_insn(const struct x86_code *code, size_t off, uint64_t from,
    uint64_t to, struct strbuf *out);

/* Does a jump or an operand that ends at `end` reach `target`? */
bool reloc_is_near(uint64_t end, uint64_t target);
/* Append a JMP for address `at`: 5 bytes, or 14 if the target is far away. */
void reloc_jmp(struct strbuf *out, uint64_t at, uint64_t target);

#endif
