#!/usr/sbin/dtrace -s
/*
 * callerrors [PROGRAM]: system calls that failed, by program, call and error
 *
 * PROGRAM selects those of that name.  ERROR is the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::return
/errno != 0 && ($$1 == "" || execname == $$1)/
{
	@[execname, probefunc, errname(errno)] = count();
}

END
{
	printf("%-16s %-24s %-21s %10s\n", "PROGRAM", "CALL", "ERROR", "TIMES");
	printa("%-16s %-24s %-15s %@10d\n", @);
}
