#!/usr/sbin/dtrace -s
/*
 * lang-casts.d: casts to each integer type cut and extend as C's do.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [[int(w) for w in r] for r in rows[:5]] == [[t(v).value for t in
 *     map(lambda n: getattr(__import__("ctypes"), "c_" + n), "int64 int8 uint8
 *     int16 uint16 int32 uint32 int64".split())] for v in (200,
 *     0xfedcba9876543210, -129, 65535, 0x80000000)]
 */

#pragma D option quiet

int64_t v;

BEGIN
{
	values[1] = (int64_t)0xfedcba9876543210;
	values[2] = (int64_t)-129;
	values[3] = (int64_t)65535;
	values[4] = (int64_t)0x80000000;
	v = 200;
}

BEGIN, tick-20ms
{
	printf("%d %d %u %d %u %d %u %d\n", v, (char)v, (unsigned char)v,
	    (short)v, (unsigned short)v, (int)v, (unsigned int)v, (int64_t)v);
	v = values[++n];
}

tick-20ms
/n == 5/
{
	exit(0);
}
