# SPDX-License-Identifier: BSD-2-Clause
# 32-bit system calls for a file: open (5) with O_CREAT and O_RDWR, pwrite64 (181)
# of three bytes, fsync (118), rename (38), unlink (10), exit (1).
	.globl _start
	.text
_start:
	movl	$5, %eax
	movl	$from, %ebx
	movl	$0102, %ecx
	movl	$0600, %edx
	int	$0x80
	movl	%eax, %ebx
	movl	$181, %eax
	movl	$from, %ecx
	movl	$3, %edx
	movl	$0, %esi
	movl	$0, %edi
	int	$0x80
	movl	$118, %eax
	int	$0x80
	movl	$38, %eax
	movl	$from, %ebx
	movl	$to, %ecx
	int	$0x80
	movl	$10, %eax
	movl	$to, %ebx
	int	$0x80
	movl	$1, %eax
	movl	$0, %ebx
	int	$0x80
	.section .rodata
from:	.asciz	"from"
to:	.asciz	"to"
	.section .note.GNU-stack, "", @progbits
