#!/usr/sbin/dtrace -s
/*
 * calltime.d [PROGRAM]: the time spent in each system call, until Control-C.
 *
 * Elapsed time: a call that waits counts for as long as it waits.
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
	this->time = timestamp - self->start;
	@calls[execname, probefunc] = count();
	@total[execname, probefunc] = sum(this->time);
	@longest[execname, probefunc] = max(this->time);
	self->start = 0;
}

END
{
	normalize(@total, 1000);
	normalize(@longest, 1000);
	printf("%-16s %-20s %10s %12s %12s\n", "PROGRAM", "CALL", "CALLS",
	    "TOTAL us", "LONGEST us");
	printa("%-16s %-20s %@10d %@12d %@12d\n", @calls, @total, @longest);
}
