/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the system call getppid() twice, by two instructions.  Nothing in the
 * file leads to the second one, so a decoder does not know that instructions
 * begin there.
 */
#include <stdint.h>

long sure(void);
extern const volatile uint32_t unseen; /* where the second one is */

__asm__(".text\n"
	".type sure, @function\n"
	"sure:\n"
	"	mov $110, %eax\n"
	"	syscall\n"
	"	ret\n"
	"	mov $110, %eax\n"
	"	syscall\n"
	"	nop\n"
	"	ret\n"
	".size sure, . - sure\n"
	".section .rodata\n"
	"unseen:\n"
	"	.long 8\n");

int
main(void)
{
	long (*doubtful)(void) = (long (*)(void))((uintptr_t)sure + unseen);

	return sure() != doubtful();
}
