#!/usr/sbin/dtrace -s
/*
 * oncpu.d: stretches of time that a program was on a CPU.
 *
 * @@load: toil sleeps 40 1
 * @@truth: rusage
 * @@check: n("stretches") >= load["self"]["nvcsw"]
 * @@check: n("stretches") <= load["self"]["nvcsw"] + load["self"]["nivcsw"] + 5    # before and after main()
 * @@check: sum(dist("toil").values()) == n("stretches")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::on-cpu
/execname == "toil"/
{
	self->ts = timestamp;
}

sched:::off-cpu
/self->ts/
{
	@time[execname] = quantize(timestamp - self->ts);
	@n["stretches"] = count();
	self->ts = 0;
}

dtrace:::END
{
	printa("%s\n%@d\n", @time);
	printa("%s %@d\n", @n);
}
