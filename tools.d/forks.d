#!/usr/sbin/dtrace -s
/*
 * forks: numbers of processes and threads that each program creates
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::create
{
	@processes[execname] = count();
}

proc:::lwp-create
{
	@threads[execname] = count();
}

END
{
	printf("%-16s %10s %10s\n", "PROGRAM", "PROCESSES", "LWPS");
	printa("%-16s %@10d %@10d\n", @processes, @threads);
}
