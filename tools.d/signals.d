#!/usr/sbin/dtrace -s
/*
 * signals [PROGRAM]: signals by sender, receiver and name
 *
 * PROGRAM selects senders of that name.  The kernel sends signals for the
 * program that runs.
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::signal-send
/$$1 == "" || execname == $$1/
{
	@[execname, args[1]->pr_fname, signame(args[2])] = count();
}

END
{
	printf("%-16s %-16s %-12s %8s\n", "FROM", "TO", "SIGNAL", "TIMES");
	printa("%-16s %-16s %-12s %@8d\n", @);
}
