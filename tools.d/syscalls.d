#!/usr/sbin/dtrace -s
/*
 * syscalls [PROGRAM]: numbers of system calls, by program and call
 *
 * PROGRAM selects those of that name.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/$$1 == "" || execname == $$1/
{
	@[execname, probefunc] = count();
}

END
{
	printf("%-16s %-24s %10s\n", "PROGRAM", "CALL", "CALLS");
	printa("%-16s %-24s %@10d\n", @);
}
