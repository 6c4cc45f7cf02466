#!/usr/sbin/dtrace -s
/*
 * end-ticks.d: A counter of ticks ends the script after five of them, and
 * counts down.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: out.split() == ["begin", "5", "4", "3", "2", "1", "boom"]
 */

#pragma D option quiet

inline int LENGTH = 5;

BEGIN
{
	printf("begin\n");
	left = LENGTH;
}

tick-50ms
/left > 0/
{
	printf("%d\n", left--);
}

tick-50ms
/left == 0/
{
	exit(0);
}

END
{
	printf("boom\n");
}
