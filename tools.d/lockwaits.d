#!/usr/sbin/dtrace -s
/*
 * lockwaits: how often and how long programs wait for locks of the kernel
 *
 * Of threads that spin and of threads that sleep, until Control-C.
 */
#pragma D option quiet

lockstat:::adaptive-block,
lockstat:::rw-block
{
	@sleeps[execname] = count();
	@slept[execname] = sum(arg1 / 1000);
}

lockstat:::adaptive-spin,
lockstat:::spin-spin
{
	@spins[execname] = count();
}

END
{
	printf("%-16s %10s %12s %10s\n", "PROGRAM", "SLEEPS", "SLEPT us",
	    "SPINS");
	printa("%-16s %@10d %@12d %@10d\n", @sleeps, @slept, @spins);
}
