/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that is linked with a library which has types (usdtlib.c). */
void usdtlib_fire(int k);

int
main(void)
{
	usdtlib_fire(1);
	return 0;
}
