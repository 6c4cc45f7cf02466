/* SPDX-License-Identifier: BSD-2-Clause */
/* A 32-bit program with a function that is named like one of glibc's; it only
 * exits. */
	.text
	.globl _start
	.globl pthread_mutex_lock
	.type pthread_mutex_lock, @function
pthread_mutex_lock:
	xorl %eax, %eax
	ret
	.size pthread_mutex_lock, . - pthread_mutex_lock
	.type _start, @function
_start:
	call pthread_mutex_lock
	movl $1, %eax
	xorl %ebx, %ebx
	int $0x80
	.size _start, . - _start
