#!/usr/sbin/dtrace -s
/*
 * topcalls.d: the three system calls that a program makes most.
 *
 * @@load: toil folders 37
 * @@truth: strace
 * @@check: [int(row[-1]) for row in rows if len(row) == 2 and row[1].isdigit()] ==
 *     sorted(strace.calls.values())[-3:]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

/* the calls of each round: of the five of toil, two are cut off */
syscall:::return
/execname == "toil"/
{
	@num[probefunc] = count();
}

dtrace:::END
{
	trunc(@num, 3);
	printf("%-20s %8s\n", "SYSCALL", "CALLS");
	printa("%-20s %@8d\n", @num);
}
