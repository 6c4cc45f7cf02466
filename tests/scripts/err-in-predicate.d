#!/usr/sbin/dtrace -s
/*
 * err-in-predicate.d: A predicate that faults is as one that is false.
 *
 * @@load: prog known seq:10
 * @@err: divide-by-zero
 * @@truth: output
 * @@check: out.split() == [str(sum(60 // i > 9 for i in range(1, 10))), "1"]
 */

#pragma D option quiet

int n, faults;

syscall::getpriority:entry
/pid == $target && 60 / (int)arg1 > 9/
{
	n++;
}

ERROR
{
	faults++;
}

END
{
	printf("%d %d\n", n, faults);
}
