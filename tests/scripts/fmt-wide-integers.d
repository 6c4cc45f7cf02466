#!/usr/sbin/dtrace -s
/*
 * fmt-wide-integers.d: numbers at the ends of 8, 16, 32 and 64 bits, signed
 * and not, each as its type says.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [f(b) for b in (8, 16, 32, 64) for
 *     f in (lambda b: -(1 << b - 1), lambda b: (1 << b - 1) - 1, lambda b: (1
 *     << b) - 1)]
 */

#pragma D option quiet

BEGIN
{
	printf("%d %d %u\n", (char)0x80, (char)0x7f, (unsigned char)0xff);
	printf("%hd %hd %hu\n", (short)0x8000, (short)0x7fff,
	    (unsigned short)0xffff);
	printf("%d %d %u\n", (int)0x80000000, 0x7fffffff, 0xffffffff);
	printf("%lld %ld %llu\n", (int64_t)0x8000000000000000,
	    0x7fffffffffffffff, 0xffffffffffffffff);
	exit(0);
}
