#!/usr/sbin/dtrace -s
/*
 * callrate.d: system calls in each tenth of a second, and all of them at last.
 *
 * @@load: toil sleeps 20 25
 * @@truth: strace
 * @@how: self
 * @@check: sum(column("interval")) == strace.calls["clock_nanosleep"] == 20
 * @@check: len(column("interval")) >= 20
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-12s %10s\n", "WHAT", "CALLS");
	seconds = 3;
	tenths = 0;
}

syscall::nanosleep:return,
syscall::clock_nanosleep:return
/execname == "toil"/
{
	@n["interval"] = count();
}

profile:::tick-100ms
{
	printa("%-12s %@10d\n", @n);
	clear(@n);
	tenths++;
}

profile:::tick-100ms
/tenths >= seconds * 10/
{
	exit(0);
}
