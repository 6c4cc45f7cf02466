#!/usr/sbin/dtrace -s
/*
 * deaths.d: how processes end: by themselves or by a signal.
 *
 * @@load: toil kills 11 15
 * @@load: toil forks 7
 * @@truth: load
 * @@check: n("toil", "killed") == 11
 * @@check: n("toil", "exited") == 7 + 2       # the loads themselves
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
	how[CLD_EXITED] = "exited";
	how[CLD_KILLED] = "killed";
	how[CLD_DUMPED] = "dumped";
}

proc:::exit
/execname == "toil"/
{
	@[execname, how[args[0]]] = count();
}
