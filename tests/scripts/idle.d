#!/usr/sbin/dtrace -s
/*
 * idle.d: threads that begin and end without ever being more than once on the
 * CPU, or more: by thread id.
 *
 * @@load: toil threads 15
 * @@truth: load
 * @@check: n("started") == load["done"] == 15
 * @@check: n("ended") == 16       # the first thread, too
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::lwp-start
/execname == "toil"/
{
	self->on = 1;
	@s["started"] = count();
}

sched:::on-cpu
/self->on/
{
	self->times++;
}

proc:::lwp-exit
/execname == "toil"/
{
	@e["ended"] = count();
	@q["times"] = lquantize(self->times, 0, 10);
	self->times = 0;
	self->on = 0;
}
