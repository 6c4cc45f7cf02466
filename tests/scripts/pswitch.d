#!/usr/sbin/dtrace -s
/*
 * pswitch.d: switches of the whole machine, as the kernel counts them.
 *
 * @@load: toil pingpong 200
 * @@truth: stat
 * @@err: firings? skipped by the kernel inside another probe
 * @@check: 0 < n("pswitch") <= stat["ctxt"]     # counted from before to after
 * @@check: n("nthreads") <= stat["processes"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sysinfo:::pswitch,
sysinfo:::nthreads
{
	@[probename] = sum(arg0);
}
