#!/usr/sbin/dtrace -s
/*
 * errcount.d: system calls that failed, by program, call and error.
 *
 * @@load: toil errors 25
 * @@truth: load strace
 * @@check: n("toil", "read", 9) == n("toil", "kill", 22) == load["done"]
 * @@check: n("toil", "mkdir", 17) == load["done"]
 * @@check: sum(column("toil")) == sum(strace.failed.values())
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing errors... Hit Ctrl-C to end.\n\n");
}

syscall:::return
/errno != 0 && pid != $pid && execname == "toil"/
{
	@errs[execname, probefunc, errno] = count();
}

dtrace:::END
{
	printf("%16s %16s %4s %8s\n", "EXEC", "SYSCALL", "ERR", "COUNT");
	printa("%16s %16s %4d %@8d\n", @errs);
}
