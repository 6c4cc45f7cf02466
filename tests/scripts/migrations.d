#!/usr/sbin/dtrace -s
/*
 * migrations.d: threads that come to another CPU than they were on.
 *
 * @@load: toil pingpong 150
 * @@truth: perf
 * @@check: n("toil") <= perf["cpu-migrations"] + 2    # perf begins at its execve()
 */

#pragma D option quiet

self int cpu_last;

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::on-cpu
/execname == "toil" && self->cpu_last != 0 && self->cpu_last != cpu + 1/
{
	@[execname] = count();
}

sched:::on-cpu
/execname == "toil"/
{
	self->cpu_last = cpu + 1;
}
