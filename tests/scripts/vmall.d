#!/usr/sbin/dtrace -s
/*
 * vmall.d: everything that vminfo counts, of one program.
 *
 * @@load: toil faults 128
 * @@truth: perf
 * @@err: firings? skipped by the kernel inside another probe
 * @@check: n("as_fault") >= perf["page-faults"] - 20 and n("as_fault") <= perf["page-faults"] + 3   # those of its execve() are perf's
 * @@check: n("zfod") >= 128 and n("maj_fault") == perf["major-faults"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vminfo:::
/execname == "toil"/
{
	@[probename] = sum(arg0);
}
