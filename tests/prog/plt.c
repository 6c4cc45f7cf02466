/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls through a PLT entry that pushes a number on its way, the first time. */
#include <unistd.h>

__attribute__((noinline, noclone)) static int
caller(void)
{
	return getppid() + 1;
}

int
main(void)
{
	return caller() == 0;
}
