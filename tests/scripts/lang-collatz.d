#!/usr/sbin/dtrace -s
/*
 * lang-collatz.d: one step of the sequence from 27 at each mark; where it
 * stands after 100.
 *
 * @@load: prog known seq:100
 * @@truth: output
 * @@check: out.split() == os.popen("awk 'BEGIN { x = 27; top = 27; for (i = 0;
 *     i < 100; i++) { x = x % 2 ? 3 * x + 1 : x / 2; if (x > top) top = x; odd
 *     += x % 2 }; print x, top, odd }'").read().split()
 */

#pragma D option quiet

BEGIN
{
	x = 27;
	top = 27;
}

syscall::getpriority:entry
/pid == $target/
{
	x = x % 2 ? 3 * x + 1 : x / 2;
	top = x > top ? x : top;
	odd += x % 2;
}

END
{
	printf("%d %d %d\n", x, top, odd);
}
