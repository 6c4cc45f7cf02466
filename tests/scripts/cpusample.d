#!/usr/sbin/dtrace -s
/*
 * cpusample.d: samples by CPU: each CPU is asked as often as the others.
 *
 * @@load: toil burn 300
 * @@truth: output
 * @@check: set(dist()) - {"<0"} <= set(range(os.cpu_count() + 1)) | {f">={os.cpu_count()}"}
 * @@check: sum(v for k, v in dist().items()) == n("all") > 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Sampling... Hit Ctrl-C to end.\n");
}

profile:::profile-100hz
{
	@c = lquantize(cpu, 0, 64, 1);
	@n["all"] = count();
}
