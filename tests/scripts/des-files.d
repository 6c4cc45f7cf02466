#!/usr/sbin/dtrace -s
/*
 * des-files.d: freopen() sends lines to a file for each kind of mark, and
 * back.
 *
 * @@load: prog known seq:10
 * @@args: -w
 * @@truth: output
 * @@check: [int(w) for w in open("even").read().split()] == [0, 2, 4, 6, 8]
 * @@check: [int(w) for w in open("odd").read().split()] == [1, 3, 5, 7, 9]
 * @@check: out.split() == ["done"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target && arg1 % 2 == 0/
{
	freopen("even");
	printf("%d\n", arg1);
}

syscall::getpriority:entry
/pid == $target && arg1 % 2/
{
	freopen("odd");
	printf("%d\n", arg1);
}

END
{
	freopen("");
	printf("done\n");
}
