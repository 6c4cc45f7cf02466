#!/usr/sbin/dtrace -s
/*
 * sent.d: signals, from whom to whom.
 *
 * @@load: toil signals 33
 * @@load: toil kills 6 15
 * @@truth: load
 * @@check: n("toil", "toil", 10) == 33 and n("toil", "toil", 15) == 6
 * @@check: count(r"^toil +\d+ +toil +17$") == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%16s %16s %6s %8s\n", "SENDER", "RECIPIENT", "SIG", "COUNT");
}

proc:::signal-send
/execname == "toil" && args[2] != SIGCHLD/
{
	@[execname, stringof(args[1]->pr_fname), args[2]] = count();
}

dtrace:::END
{
	printa("%16s %16s %6d %@8d\n", @);
}
