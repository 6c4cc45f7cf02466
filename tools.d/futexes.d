#!/usr/sbin/dtrace -s
/*
 * futexes [PROGRAM]: how long threads wait for locks of their programs
 *
 * PROGRAM selects those of that name.  The waits are calls of futex(2).
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::futex:entry
/((arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 9) && ($$1 == "" || execname == $$1)/
{
	self->start = timestamp;
}

syscall::futex:return
/self->start/
{
	@waits[execname, pid] = count();
	@total[execname, pid] = sum(timestamp - self->start);
	@longest[execname, pid] = max(timestamp - self->start);
	self->start = 0;
}

END
{
	normalize(@total, 1000);
	normalize(@longest, 1000);
	printf("%-16s %8s %10s %14s %14s\n", "PROGRAM", "PID", "WAITS",
	    "TOTAL us", "LONGEST us");
	printa("%-16s %8d %@10d %@14d %@14d\n", @waits, @total, @longest);
}
