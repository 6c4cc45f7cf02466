#!/usr/sbin/dtrace -s
/*
 * lang-random-generator.d: A generator of 32-bit numbers by multiplication:
 * the wrap is the type's.
 *
 * @@load: prog known seq:200
 * @@truth: output
 * @@check: out.split() == ["%08x" % x for i, x in enumerate(__import__(
 *     "itertools").accumulate([12345] + [0] * 200, lambda x, _: (x * 1664525 +
 *     1013904223) & 0xffffffff)) if i and i % 40 == 0]
 */

#pragma D option quiet

uint32_t x;

BEGIN
{
	x = 12345;
}

syscall::getpriority:entry
/pid == $target/
{
	x = x * 1664525 + 1013904223;
}

syscall::getpriority:entry
/pid == $target && arg1 % 40 == 39/
{
	printf("%08x\n", x);
}
