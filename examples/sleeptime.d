#!/usr/sbin/dtrace -s
/*
 * sleeptime.d [PROGRAM]: how long threads were off the CPU because they waited,
 * and where in the kernel they waited most, until ^C.
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::sleep
/$$1 == "" || execname == $$1/
{
	self->since = timestamp;
}

sched:::on-cpu
/self->since/
{
	@times[execname] = quantize((timestamp - self->since) / 1000);
	@where[execname, stack(8)] = sum((timestamp - self->since) / 1000);
	self->since = 0;
}

END
{
	printa("%s (us)%@d\n", @times);
	trunc(@where, 5);
	printa("%s%k%@16d us\n\n", @where);
}
