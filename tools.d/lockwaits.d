#!/usr/sbin/dtrace -s
/*
 * lockwaits [PROGRAM]: how often and how long programs wait for kernel locks
 *
 * PROGRAM selects those of that name.  SLEEPS are waits off the CPU, and SLEPT
 * their time; SPINS are waits on the CPU.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=4m

lockstat:::adaptive-block,
lockstat:::rw-block
/$$1 == "" || execname == $$1/
{
	@sleeps[execname] = count();
	@slept[execname] = sum(arg1);
}

lockstat:::adaptive-spin,
lockstat:::spin-spin
/$$1 == "" || execname == $$1/
{
	@spins[execname] = count();
}

END
{
	normalize(@slept, 1000);
	printf("%-16s %10s %12s %10s\n", "PROGRAM", "SLEEPS", "SLEPT us",
	    "SPINS");
	printa("%-16s %@10d %@12d %@10d\n", @sleeps, @slept, @spins);
}
