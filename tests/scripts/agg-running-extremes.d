#!/usr/sbin/dtrace -s
/*
 * agg-running-extremes.d: the largest value so far, printed at each mark, and
 * cleared half way.
 *
 * @@load: prog known seq:12
 * @@truth: output
 * @@check: rows == [[str(i), str(max(j * 5 % 12 for j in range(i // 6 * 6, i +
 *     1)))] for i in range(12)]
 */

#pragma D option quiet

uint64_t top;

syscall::getpriority:entry
/pid == $target && arg1 == 6/
{
	top = 0;
}

syscall::getpriority:entry
/pid == $target && (!arg1 || arg1 == 6 || arg1 * 5 % 12 > top)/
{
	top = arg1 * 5 % 12;
}

syscall::getpriority:entry
/pid == $target/
{
	printf("%d %d\n", arg1, top);
}
