#!/usr/sbin/dtrace -s
/*
 * surrender.d: threads that give their CPU away by their own will.
 *
 * @@load: toil yields 50
 * @@truth: strace
 * @@check: n("toil") == strace.calls["sched_yield"] == 50
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::surrender
/curpsinfo->pr_pid != $pid && execname == "toil"/
{
	@[stringof(args[1]->pr_fname)] = count();
}
