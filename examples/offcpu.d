#!/usr/sbin/dtrace -s
/*
 * offcpu.d [PROGRAM]: in which system calls programs wait, and for how long:
 * time that passed, less the time that the thread ran.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/$$1 == "" || execname == $$1/
{
	self->start = timestamp;
	self->vstart = vtimestamp;
}

syscall:::return
/self->start/
{
	@off[execname, probefunc] =
	    sum((timestamp - self->start) - (vtimestamp - self->vstart));
	self->start = 0;
}

END
{
	normalize(@off, 1000000);
	printf("%-16s %-24s %12s\n", "PROGRAM", "CALL", "WAITED ms");
	printa("%-16s %-24s %@12d\n", @off);
}
