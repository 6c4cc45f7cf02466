#!/usr/sbin/dtrace -s
/*
 * switches.d: context switches of a program: who left the CPU how often.
 *
 * @@load: toil sleeps 30 2
 * @@truth: rusage
 * @@check: load["self"]["nvcsw"] <= n("toil", "sleep") <= load["self"]["nvcsw"] + 3  # its beginning and end
 * @@check: n("toil", "off-cpu") == n("toil", "sleep") + n("toil", "preempt") + n("toil", "dead")
 * @@check: n("toil", "sleep") >= 30
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::off-cpu, sched:::sleep, sched:::preempt
/execname == "toil"/
{
	@[execname, probename] = count();
}

proc:::exit
/execname == "toil"/
{
	@[execname, "dead"] = count();
}
