/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function with more instructions that can have no probe than dtrace
 * remembers.
 */
	.text
	.globl _start
	.type _start, @function
_start:	movl $60, %eax		/* exit(0) */
	xorl %edi, %edi
	syscall
	.size _start, . - _start

	.globl many
	.type many, @function
many:
	.rept 250001
	lock incl (%rdi)
	.endr
	ret
	.size many, . - many
	.section .note.GNU-stack, "", @progbits
