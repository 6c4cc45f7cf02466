/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A 32-bit program that calls fn_sum(11, 22, 33) twice, with its arguments on
 * the stack, and exits with the result.
 */
	.text
	.globl fn_sum
	.type fn_sum, @function
fn_sum:
	push %ebx
	push %esi
	mov 12(%esp), %eax
	add 16(%esp), %eax
	add 20(%esp), %eax
	pop %esi
	pop %ebx
	ret
	.size fn_sum, . - fn_sum

	.globl _start
	.type _start, @function
_start:
	mov $2, %edi
1:	push $33
	push $22
	push $11
	call fn_sum
	add $12, %esp
	dec %edi
	jne 1b
	sub $66, %eax
	mov %eax, %ebx
	mov $1, %eax		/* exit */
	int $0x80
	.size _start, . - _start
