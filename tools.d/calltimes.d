#!/usr/sbin/dtrace -s
/*
 * calltimes [PROGRAM]: calls, total and longest time of each system call
 *
 * The time is elapsed time: a call that waits counts for as long as it waits.
 */
#pragma D option quiet
#pragma D option defaultargs

#pragma D option aggsortpos=1

syscall:::entry
/$$1 == "" || execname == $$1/
{
	self->start = timestamp;
}

syscall:::return
/self->start/
{
	this->ns = timestamp - self->start;
	self->start = 0;
	@calls[execname, probefunc] = count();
	@total[execname, probefunc] = sum(this->ns);
	@longest[execname, probefunc] = max(this->ns);
}

END
{
	normalize(@total, 1000);
	normalize(@longest, 1000);
	printf("%-16s %-24s %10s %12s %12s\n", "PROGRAM", "CALL", "CALLS",
	    "TOTAL us", "LONGEST us");
	printa("%-16s %-24s %@10d %@12d %@12d\n", @calls, @total, @longest);
}
