#!/usr/sbin/dtrace -s
/*
 * sampled.d: which programs are on the CPUs, 97 times a second.
 *
 * @@load: toil burn 500
 * @@truth: rusage
 * @@check: 0 < n("toil") <= 2 * 97 * load["self"]["cpu_us"] / 1e6 + 10    # it has the CPU that long; others may steal of it
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Sampling... Hit Ctrl-C to end.\n");
}

profile:::profile-97
/pid != 0/
{
	@num[execname] = count();
}
