#!/usr/sbin/dtrace -s
/*
 * oncpustate.d: states of threads that come to a CPU: they are on one.
 *
 * @@load: toil sleeps 12 2
 * @@truth: rusage
 * @@check: n("toil", "O", 6) >= load["self"]["nvcsw"] and n("toil", "R", 2) == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::on-cpu
/execname == "toil"/
{
	@[execname, curlwpsinfo->pr_sname, curlwpsinfo->pr_state] = count();
}

dtrace:::END
{
	printa("%s %c %d %@d\n", @);
}
