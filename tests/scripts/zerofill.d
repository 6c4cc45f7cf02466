#!/usr/sbin/dtrace -s
/*
 * zerofill.d: pages that were made and filled with zeroes.
 *
 * @@load: toil faults 256
 * @@truth: load rusage
 * @@err: firings? skipped by the kernel inside another probe
 * @@check: 256 <= n("toil", "zfod") <= load["self"]["minflt"] + 30     # its start, and tables of pages
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vminfo:::zfod
/execname == "toil"/
{
	@[execname, probename] = sum(arg0);
}
