#!/usr/sbin/dtrace -s
/*
 * threadlife.d: threads that begin and end, beside the processes.
 *
 * @@load: toil threads 29
 * @@truth: strace load
 * @@check: n("lwp-create") == load["done"] == strace.calls["clone3"] + strace.calls["clone"]
 * @@check: n("lwp-start") == 29 and n("lwp-exit") == 30 and n("exit") == 1
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::lwp-create,
proc:::lwp-start,
proc:::lwp-exit,
proc:::exit
/execname == "toil"/
{
	@[probename] = count();
}
