/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code for test_mutants.py: places that lead into a window in different ways,
 * and places that only seem to.
 */
	.text

/* A local label within a function is a target if something uses it. */
	.globl	work
	.type	work, @function
work:
	.cfi_startproc
	push	%rbx
	mov	%rdi, %rbx
	test	%rdi, %rdi
	je	.Lbranched
	add	$1, %rbx
.Lbranched:
	add	$2, %rbx
	lea	used(%rip), %rdx
	mov	%rdx, -8(%rsp)
	add	$3, %rbx
fallen:
	add	$4, %rbx
	add	$5, %rbx
used:
	add	$6, %rbx
	add	$7, %rbx
seeming:
	add	$8, %rbx
	call	callee
returned:
	add	$9, %rbx
	add	$10, %rbx
	mov	%rbx, %rax
	pop	%rbx
	ret
	.cfi_endproc
	.size	work, . - work

/* Constants behind the end of an FDE: the first looks like a JAE. */
	.p2align 4
constants:
	.byte	0x73, seeming - . - 1
	.ascii	"sssssssssss no code at all"
	.p2align 4

/* No symbol says that this is a function, but an FDE does. */
	.cfi_startproc
.Lunnamed:
	add	$1, %rax
	add	$2, %rax
	.cfi_endproc
	.cfi_startproc
.Lcontinued:
	add	$3, %rax
	add	$4, %rax
	ret
	.cfi_endproc

/* A switch: only entries of the table lead to the second case. */
	.p2align 4
	.type	choose, @function
choose:
	.cfi_startproc
	cmp	$1, %edi
	ja	.Ldone
	mov	%edi, %edi
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
.Lcase0:
	add	$1, %rcx
	add	$2, %rcx
.Lcase1:
	add	$3, %rcx
	add	$4, %rcx
.Ldone:
	ret
	.cfi_endproc
	.size	choose, . - choose

	.type	callee, @function
callee:
	.cfi_startproc
	mov	%rdi, %rax
	ret
	.cfi_endproc
	.size	callee, . - callee

	.section .rodata
table:
	.long	.Lcase0 - table
	.long	.Lcase1 - table
/* Where they are, for the test: offsets, which no rule reads. */
	.section .places, "", @progbits
	.quad	.Lbranched - work
	.quad	.Lcontinued - work
	.quad	.Lcase1 - work
	.section .note.GNU-stack, "", @progbits
