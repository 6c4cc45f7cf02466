#!/usr/sbin/dtrace -s
/*
 * lang-width-of-declared.d: declared variables of 1, 2 and 4 bytes wrap where
 * C's do.
 *
 * @@load: prog known seq:300
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [300 - 256, (65500 + 300) % 65536,
 *     2147483500 + 300 - (1 << 32), (1 << 32) - 300]
 */

#pragma D option quiet

char b;
unsigned short s;
int i;
uint32_t u;

BEGIN
{
	s = 65500;
	i = 2147483500;
}

syscall::getpriority:entry
/pid == $target/
{
	b++;
	s++;
	++i;
	u -= 1;
}

END
{
	printf("%d %u %d %u\n", b, s, i, u);
}
