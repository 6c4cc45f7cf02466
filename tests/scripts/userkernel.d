#!/usr/sbin/dtrace -s
/*
 * userkernel.d: is it the program or the kernel for it? One of arg0 and arg1
 * says so at each sample.
 *
 * @@load: toil burn 400
 * @@truth: output
 * @@check: n("user") > n("kernel") and n("user") + n("kernel") == n("all")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Sampling... Hit Ctrl-C to end.\n");
}

profile:::profile-199hz
/execname == "toil"/
{
	@a["all"] = count();
}

profile:::profile-199hz
/arg0 && execname == "toil"/
{
	@k["kernel"] = count();
}

profile:::profile-199hz
/arg1 && execname == "toil"/
{
	@u["user"] = count();
}
