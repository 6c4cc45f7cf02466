#!/usr/sbin/dtrace -s
/*
 * offcpu [PROGRAM]: where in the kernel threads waited longest, off the CPU
 *
 * The 20 stacks with the longest total time are shown, in microseconds.
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::off-cpu
/pid != 0 && ($$1 == "" || execname == $$1)/
{
	self->since = timestamp;
}

sched:::on-cpu
/self->since/
{
	@[execname, stack(12)] = sum(timestamp - self->since);
	self->since = 0;
}

END
{
	trunc(@, 20);
	normalize(@, 1000);
	printa("%s%k%@16d us\n\n", @);
}
