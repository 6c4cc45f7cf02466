#!/usr/sbin/dtrace -s
/*
 * offcpuflame [PROGRAM]: stacks for a flame graph of where threads wait
 *
 * PROGRAM selects those of that name; -p PID and -c COMMAND select a process
 * and those that it begins.  A wait counts, in
 * microseconds, when it has ended.
 *
 * dtrace --flame=offcpu -t 10s -o out.html runs it, and makes the page.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option stackframes=127
#pragma D option ustackframes=127
#pragma D option demangle

sched:::off-cpu
/pid != 0 && ($$1 == "" || execname == $$1) &&
    ($target == 0 || progenyof($target))/
{
	self->since = timestamp;
}

sched:::on-cpu
/self->since/
{
	@waits[execname, ustack(), stack()] =
	    sum((timestamp - self->since) / 1000);
	self->since = 0;
}

END
{
	printa("%s%k%k%@16d\n\n", @waits);
}
