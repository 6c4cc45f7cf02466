/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stack that goes in a circle.  Its unwind information claims a signal's
 * frame, as libc's __restore_rt has one, which says that it interrupted itself.
 * The program makes one mark (mark.h) there.
 */
	.globl	_start
_start:
	leaq	frame(%rip), %rsp
	movq	%rsp, 160(%rsp)
	leaq	inside(%rip), %rax
	movq	%rax, 168(%rsp)
	jmp	strange

	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6	/* CFA: *(%rsp + 160) */
	.cfi_escape 0x10, 6, 2, 0x77, 0xf8, 0	/* %rbp: %rsp + 120 */
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1	/* pc: %rsp + 168 */
	nop
strange:
	movl	$140, %eax	/* getpriority */
	movl	$0x7001, %edi
	syscall
inside:
	movl	$60, %eax	/* exit */
	xorl	%edi, %edi
	syscall
	hlt
	.cfi_endproc

	.bss
	.balign	16
frame:	.skip	1024
	.section .note.GNU-stack,"",@progbits
