#!/usr/sbin/dtrace -s
/*
 * cputimes.d: time of calls on the clock and on the CPU: the second is not
 * more.
 *
 * @@load: toil sleeps 15 3
 * @@truth: load
 * @@check: n("calls") == load["done"] == 15
 * @@check: 0 < n("cpu") < n("elapsed")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::*nanosleep:entry
/execname == "toil"/
{
	self->start = timestamp;
	self->vstart = vtimestamp;
}

syscall::*nanosleep:return
/self->start/
{
	@e["elapsed"] = sum(timestamp - self->start);
	@c["cpu"] = sum(vtimestamp - self->vstart);
	@n["calls"] = count();
	self->start = 0;
	self->vstart = 0;
}
