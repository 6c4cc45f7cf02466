/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_RELOC_H
#define INPROC_RELOC_H

/*
 * One instruction, written so that it does elsewhere what it does at its place.
 *
 * "What it does" is registers, flags, memory, and where it goes on: branches
 * lead to the original targets, calls push the original return address.  What a
 * program can tell by looking at the clock, at its own code, at the %rip of a
 * signal handler or at the x87's last instruction is not.  Memory below the
 * stack pointer beyond the red zone may change, as a signal would do.
 */
#include "base/mem.h"
#include "x86/insn.h"

#define RELOC_MAX 64 /* bytes that one instruction may become */

/*
 * Append to `out` what goes to address `to` for the instruction at offset `off`
 * of the code, which is at address `from`.  Falls through at its end if the
 * instruction does.  At most RELOC_MAX bytes.
 *
 * Returns NULL, or why it cannot be moved there (static text); `out` is then as
 * it was.
 */
const char *reloc_insn(const struct x86_code *code, size_t off, uint64_t from,
    uint64_t to, struct strbuf *out);

/* Does a jump or an operand that ends at `end` reach `target`? */
bool reloc_is_near(uint64_t end, uint64_t target);
/* JMP that goes to `at`: 5 bytes, or 14 to targets that are far away. */
void reloc_jmp(struct strbuf *out, uint64_t at, uint64_t target);

#endif
