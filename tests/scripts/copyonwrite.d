#!/usr/sbin/dtrace -s
/*
 * copyonwrite.d: pages that were copied because somebody wrote to them, by
 * process.
 *
 * @@load: toil cow 200
 * @@truth: load rusage
 * @@err: firings? skipped by the kernel inside another probe
 * @@check: max(column("toil")) >= 200
 * @@check: sum(column("toil")) <= load["self"]["minflt"] + load["children"]["minflt"] + 20     # each is a fault
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vminfo:::cow_fault
/execname == "toil"/
{
	@num[execname, pid] = count();
}

dtrace:::END
{
	printf("%16s %8s %8s\n", "PROGRAM", "PID", "COPIES");
	printa("%16s %8d %@8d\n", @num);
}
