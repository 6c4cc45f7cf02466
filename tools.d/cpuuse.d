#!/usr/sbin/dtrace -s
/*
 * cpuuse: which programs the CPUs run: samples, 97 a second
 */
#pragma D option quiet
#pragma D option defaultargs

profile-97
/pid != 0/
{
	@[execname, pid] = count();
}

END
{
	printf("%-16s %8s %10s\n", "PROGRAM", "PID", "SAMPLES");
	printa("%-16s %8d %@10d\n", @);
}
