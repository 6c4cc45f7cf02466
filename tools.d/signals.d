#!/usr/sbin/dtrace -s
/*
 * signals: signals by sender, receiver and number, until Control-C
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::signal-send
{
	@[execname, args[1]->pr_fname, args[2]] = count();
}

END
{
	printf("%-16s %-16s %6s %8s\n", "FROM", "TO", "SIGNAL", "TIMES");
	printa("%-16s %-16s %6d %@8d\n", @);
}
