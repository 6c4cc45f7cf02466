#!/usr/sbin/dtrace -s
/*
 * slowcalls [MS [PROGRAM]]: system calls longer than MS (10) milliseconds
 *
 * PROGRAM selects those of that name.  ERROR is 0 for a call that succeeded, or
 * the name that errno(3) has.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	limit = ($1 ? $1 : 10) * 1000000;
	printf("%-16s %8s %8s %-24s %10s %s\n", "PROGRAM", "PID", "THREAD",
	    "CALL", "TIME ms", "ERROR");
}

syscall:::entry
/$$2 == "" || execname == $$2/
{
	self->start = timestamp;
}

syscall:::return
/self->start && timestamp - self->start > limit/
{
	printf("%-16s %8d %8d %-24s %10d %s\n", execname, pid, tid,
	    probefunc, (timestamp - self->start) / 1000000,
	    errname(errno));
}

syscall:::return
{
	self->start = 0;
}
