#!/usr/sbin/dtrace -s
/*
 * whichcpu.d: how often programs came to each CPU.
 *
 * @@load: toil pingpong 60
 * @@truth: rusage
 * @@check: set(int(r[1]) for r in rows if r[0] == "toil") <= set(range(os.cpu_count()))
 * @@check: sum(column("toil")) <= sum(load[w][k] for w in ("self", "children") for k in ("nvcsw", "nivcsw")) + 10    # before main() and after the report
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

sched:::on-cpu
/execname == "toil"/
{
	@[execname, cpu] = count();
}

dtrace:::END
{
	printa("%s %d %@d\n", @);
}
