#!/usr/sbin/dtrace -s
/*
 * lang-fibonacci.d: ninety numbers of the sequence, the last of them near the
 * end of 64 bits.
 *
 * @@load: prog known seq:90
 * @@needs: cmd:bc
 * @@truth: output
 * @@check: out.split() == os.popen("awk 'BEGIN { print \"a = 0; b = 1; for (i
 *     = 0; i < 90; i++) { t = a + b; a = b; b = t; if (i % 30 == 29) a }\" }'
 *     | bc").read().split()
 */

#pragma D option quiet

int64_t a, b, t;

BEGIN
{
	b = 1;
}

syscall::getpriority:entry
/pid == $target/
{
	t = a + b;
	a = b;
	b = t;
}

syscall::getpriority:entry
/pid == $target && arg1 % 30 == 29/
{
	printf("%d\n", a);
}
