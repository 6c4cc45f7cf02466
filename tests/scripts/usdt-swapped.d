#!/usr/sbin/dtrace -s
/*
 * usdt-swapped.d: A provider may give its arguments in another order than the
 * program does.
 *
 * @@load: prog usdtapp 4 0 quiet
 * @@truth: output
 * @@check: rows == [[("/even", "/odd")[i % 2], str(i)] for i in range(4)]
 */

#pragma D option quiet

usdtapp$target:::swapped
{
	printf("%s %d\n", copyinstr((uintptr_t)args[0]), args[1]);
}
