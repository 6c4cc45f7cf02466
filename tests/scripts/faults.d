#!/usr/sbin/dtrace -s
/*
 * faults.d: page faults by program.
 *
 * @@load: toil faults 300
 * @@truth: perf load
 * @@err: firings? skipped by the kernel inside another probe
 * @@check: n("toil") >= 300
 * @@check: perf["page-faults"] - 20 <= n("toil") <= perf["page-faults"] + 3    # perf counts those of its execve(), too
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vminfo:::as_fault
/execname == "toil"/
{
	@[execname] = sum(arg0);
}
