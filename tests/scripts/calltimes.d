#!/usr/sbin/dtrace -s
/*
 * calltimes.d: time in system calls, by call: number, sum and mean.
 *
 * @@load: toil preads 80 512
 * @@truth: strace load
 * @@check: n("pread64", "calls") == strace.calls["pread64"] == load["done"]
 * @@check: n("pread64", "total") >= n("pread64", "calls") * n("pread64", "mean") > 0
 * @@check: n("pread64", "total") < (n("pread64", "mean") + 1) * n("pread64", "calls")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall:::entry
/execname == "toil"/
{
	self->start = timestamp;
}

syscall:::return
/self->start/
{
	this->elapsed = timestamp - self->start;
	@calls[probefunc, "calls"] = count();
	@total[probefunc, "total"] = sum(this->elapsed);
	@mean[probefunc, "mean"] = avg(this->elapsed);
	self->start = 0;
}
