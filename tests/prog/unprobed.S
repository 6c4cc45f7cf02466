/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with instructions that can have no probe: half() has two of them
 * among five, whole() begins with one, _start ends in HLT.
 */
	.text
	.globl _start
	.type _start, @function
_start:	xorl %ebp, %ebp
	call half
	call whole
	movl $60, %eax		/* exit(0) */
	xorl %edi, %edi
	syscall
	hlt
	.size _start, . - _start

	.globl half
	.type half, @function
half:	movl $1, %eax
	lock addl %eax, count(%rip)
	addl $2, %eax
	lock incl count(%rip)
	ret
	.size half, . - half

	.globl whole
	.type whole, @function
whole:	lock incl count(%rip)
	ret
	.size whole, . - whole

	.bss
	.align 4
count:	.long 0
	.section .note.GNU-stack, "", @progbits
