#!/usr/sbin/dtrace -s
/*
 * end-exit-status.d: the last exit() decides: END's own, after that of the
 * clause that ended.
 *
 * @@load: prog known seq:8
 * @@exit: 5
 * @@truth: output
 * @@check: out.split() == ["0", "1", "2", "3", "end", "4"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("%d\n", arg1);
}

syscall::getpriority:entry
/pid == $target && arg1 == 3/
{
	last = arg1 + 1;
	exit(2);
}

syscall::getpriority:entry
/pid == $target && arg1 > 3/
{
	printf("too late\n");
}

END
{
	printf("end %d\n", last);
	exit(5);
}
