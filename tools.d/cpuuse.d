#!/usr/sbin/dtrace -s
/*
 * cpuuse [PROGRAM]: which programs the CPUs run: samples, 97 a second
 *
 * PROGRAM selects those of that name.  97 samples are a second of one CPU.
 */
#pragma D option quiet
#pragma D option defaultargs

profile-97
/pid != 0 && ($$1 == "" || execname == $$1)/
{
	@[execname, pid] = count();
}

END
{
	printf("%-16s %8s %10s\n", "PROGRAM", "PID", "SAMPLES");
	printa("%-16s %8d %@10d\n", @);
}
