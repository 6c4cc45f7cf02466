#!/usr/sbin/dtrace -s
/*
 * majorfaults.d: faults that had to read a disk, and what was read for them.
 *
 * @@load: toil major 18
 * @@truth: rusage procio
 * @@check: n("maj_fault") == load["self"]["majflt"] == 18
 * @@check: n("pgpgin") * 4096 == load["read_bytes"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vminfo:::maj_fault,
vminfo:::pgpgin
/execname == "toil"/
{
	@[probename] = sum(arg0);
}
