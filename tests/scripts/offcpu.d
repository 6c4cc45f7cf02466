#!/usr/sbin/dtrace -s
/*
 * offcpu.d: where a thread waits in the kernel: switches by stack.
 *
 * @@load: toil sleeps 25 1
 * @@truth: rusage
 * @@check: sum(int(l) for l in find(r"^ +(\d+)$")) >= 25
 * @@check: count("nanosleep") > 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::off-cpu
/execname == "toil" && curlwpsinfo->pr_state == SSLEEP/
{
	self->start = timestamp;
}

sched:::on-cpu
/self->start/
{
	@[stack(12)] = count();
	self->start = 0;
}
