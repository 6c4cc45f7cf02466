# SPDX-License-Identifier: BSD-2-Clause
#
# main calls bare, which calls bare_leaf, three times: functions without a word
# about their frames, as in hand-written code.  main's frame is described.
# Each time it also calls first, and twice second, which goes on behind the
# beginning of first.

	.text
	.globl	main, bare, bare_leaf, first, second
	.type	main, @function
main:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	$3, %ebx
1:	call	bare
	call	first
	call	second
	call	second
	dec	%ebx
	jnz	1b
	xor	%eax, %eax
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, . - main

	.type	first, @function
first:
	cmp	$2, %rdi
2:	test	%rdi, %rdi
	jz	3f
	mov	%rdi, %rax
3:	ret
	.size	first, . - first

	.type	second, @function
second:
	mov	%rsi, %rdi
	jmp	2b
	.size	second, . - second

	.type	bare, @function
bare:
	push	%rbx
	push	%r12
	sub	$24, %rsp
	call	bare_leaf
	add	$24, %rsp
	pop	%r12
	pop	%rbx
	ret
	.size	bare, . - bare

	.type	bare_leaf, @function
bare_leaf:
	lea	1(%rdi), %rax
	ret
	.size	bare_leaf, . - bare_leaf
	.section .note.GNU-stack, "", @progbits
