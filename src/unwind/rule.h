/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

/*
 * How to get from a frame to its caller's: one row of a table, as dtrace writes
 * and a BPF program reads it.
 *
 * A row holds from its offset (in the file, for it does not change with where
 * the file is mapped) up to the next row's.  Its rule is one word:
 *
 *	31          16 15      4 3    0
 *	| CFA offset  |   bp    | kind |	offset: signed, in words
 *	| reg | offset|   bp    |  REG |	reg: 4 bits, offset: 12
 *
 * The CFA is the caller's stack pointer; the return address is in the word
 * below it.  `bp` says where the caller's %rbp is: so many words below the CFA,
 * or one of UNW_BP_*.  No other register is followed: a rule that needs one
 * works only in the first frame, where all are known (UNW_REG).
 */
struct unw_row {
	__UINT32_TYPE__ off;
	__UINT32_TYPE__ rule;
};

enum unw_kind {
	UNW_NONE,     /* nothing is known: try the frame pointer */
	UNW_END,      /* the frame has no caller: the stack ends */
	UNW_SP,	      /* CFA = %rsp + offset */
	UNW_BP,	      /* CFA = %rbp + offset */
	UNW_SP_LOAD,  /* CFA = *(%rsp + offset) */
	UNW_BP_LOAD,  /* CFA = *(%rbp + offset) */
	UNW_SP_LOAD8, /* CFA = *(%rsp + offset) + 8 */
	UNW_BP_LOAD8, /* CFA = *(%rbp + offset) + 8 */
	UNW_REG,      /* CFA = a register + offset */
	UNW_PLT,      /* CFA = %rsp + 8, or 16 from byte `offset` of 16 on */
	UNW_SIGNAL,   /* %rsp is at a struct ucontext that has all registers */
};

#define UNW_ROWS_LOG 24 /* no table has more than 2^24 rows */

#define UNW_BP_SAME 0
#define UNW_BP_MAX 0xffd /* words below the CFA */
#define UNW_BP_LOST 0xffe
#define UNW_BP_HERE 0xfff /* where %rbp points to */

#define UNW_RULE(kind, off, bp)                                                \
	((__UINT32_TYPE__)(kind) | (__UINT32_TYPE__)(bp) << 4 |                \
	    (__UINT32_TYPE__)(off) << 16)
#define UNW_RULE_KIND(rule) ((rule)&0xf)
#define UNW_RULE_BP(rule) ((rule) >> 4 & 0xfff)
/* signed, bytes */
#define UNW_RULE_OFF(rule) ((__INT64_TYPE__)((__INT32_TYPE__)(rule) >> 16) * 8)
#define UNW_RULE_REG(rule) ((rule) >> 16 & 0xf)
#define UNW_RULE_REGOFF(rule)                                                  \
	((__INT64_TYPE__)((__INT32_TYPE__)(rule) >> 20) * 8)

/* A file's contents, as a program sees them: what tables are found by. */
struct unw_file {
	__UINT64_TYPE__ ino, dev; /* dev: major << 20 | minor; 0: the vdso */
	__UINT64_TYPE__ size;
	__UINT64_TYPE__ mtime; /* nanoseconds */
};

#endif
