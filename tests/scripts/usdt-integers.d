#!/usr/sbin/dtrace -s
/*
 * usdt-integers.d: arguments of every width, signed and not, by the types of
 * their provider.
 *
 * @@load: prog usdtapp 1 0 quiet
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [-1, (1 << 8) - 1, -2, (1 << 16) -
 *     1, -3, (1 << 32) - 1, -(1 << 63), (1 << 64) - 1, (1 << 64) - 2]
 */

#pragma D option quiet

usdtapp$target:::sizes
{
	printf("%d %d %d %d ", args[0], args[1], args[2], args[3]);
	printf("%d %d %d %d %d\n", args[4], args[5], args[6], args[7], args[8]);
}
