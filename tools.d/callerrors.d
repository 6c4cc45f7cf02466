#!/usr/sbin/dtrace -s
/*
 * callerrors [PROGRAM]: system calls that failed, by program, call and error
 *
 * PROGRAM selects those of that name.  The error is the number of errno(3).
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::return
/errno != 0 && ($$1 == "" || execname == $$1)/
{
	@[execname, probefunc, errno] = count();
}

END
{
	printf("%-16s %-24s %6s %10s\n", "PROGRAM", "CALL", "ERROR", "TIMES");
	printa("%-16s %-24s %6d %@10d\n", @);
}
