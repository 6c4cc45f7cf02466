#!/usr/sbin/dtrace -s
/*
 * lang-clauses-in-order.d: clauses of one probe run as they are written,
 * whatever pattern named them.
 *
 * @@load: prog known seq:2
 * @@truth: output
 * @@check: out.split() == "0 abcd 1 abcd".split()
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("%d a", arg1);
}

syscall::getprio*:entry
/pid == $target/
{
	printf("b");
}

syscall::getpriority:
/pid == $target && probename == "entry"/
{
	printf("c");
}

syscall::get[a-q]riority:ent??
/pid == $target/
{
	printf("d\n");
}
