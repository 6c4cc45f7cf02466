#!/usr/sbin/dtrace -s
/*
 * sleeps [PROGRAM]: how long programs sleep in (clock_)nanosleep(2)
 *
 * PROGRAM selects those of that name.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::nanosleep:entry,
syscall::clock_nanosleep:entry
/$$1 == "" || execname == $$1/
{
	self->start = timestamp;
}

syscall::nanosleep:return,
syscall::clock_nanosleep:return
/self->start/
{
	@times[execname, pid] = count();
	@total[execname, pid] = sum(timestamp - self->start);
	self->start = 0;
}

END
{
	normalize(@total, 1000000);
	printf("%-16s %8s %10s %12s\n", "PROGRAM", "PID", "SLEEPS", "TOTAL ms");
	printa("%-16s %8d %@10d %@12d\n", @times, @total);
}
