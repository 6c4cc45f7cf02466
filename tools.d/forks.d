#!/usr/sbin/dtrace -s
/*
 * forks [PROGRAM]: numbers of processes and threads that each program creates
 *
 * PROGRAM selects those of that name.  An LWP is a thread.
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::create
/$$1 == "" || execname == $$1/
{
	@processes[execname] = count();
}

proc:::lwp-create
/$$1 == "" || execname == $$1/
{
	@threads[execname] = count();
}

END
{
	printf("%-16s %10s %10s\n", "PROGRAM", "PROCESSES", "LWPS");
	printa("%-16s %@10d %@10d\n", @processes, @threads);
}
