/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls through a PLT entry that pushes a number before the first call. */
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
