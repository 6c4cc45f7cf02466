#!/usr/sbin/dtrace -s
/*
 * classes.d: threads that come to the CPU, by class.
 *
 * @@load: toil sleeps 12 2
 * @@truth: rusage
 * @@check: 12 <= n("toil", "TS") <= load["self"]["nvcsw"] + load["self"]["nivcsw"] + 5   # before and after main()
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::on-cpu
/execname == "toil"/
{
	@[execname, curlwpsinfo->pr_clname] = count();
}
