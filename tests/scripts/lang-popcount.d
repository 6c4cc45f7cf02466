#!/usr/sbin/dtrace -s
/*
 * lang-popcount.d: counting set bits by masks, for each of 64 numbers.
 *
 * @@load: prog known seq:64
 * @@truth: output
 * @@check: out.split() == (lambda b: [str(f(b)) for f in (sum, min, max)])(
 *     [bin(i * 0x9e3779b97f4a7c15 & (1 << 64) - 1).count("1") for i in
 *     range(64)])
 */

#pragma D option quiet

uint64_t v;
int bits;

BEGIN
{
	least = 64;
	most = 0;
}

syscall::getpriority:entry
/pid == $target/
{
	v = arg1 * 0x9e3779b97f4a7c15;
	v = v - ((v >> 1) & 0x5555555555555555);
	v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
	bits = (v * 0x0101010101010101) >> 56;
	sum += bits;
	least = bits < least ? bits : least;
	most = bits > most ? bits : most;
}

END
{
	printf("%d %d %d\n", sum, least, most);
}
