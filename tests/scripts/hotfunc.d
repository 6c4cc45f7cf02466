#!/usr/sbin/dtrace -s
/*
 * hotfunc.d: functions of a program that use the CPU.
 *
 * @@load: toil burn 400
 * @@truth: output
 * @@check: n("toil`burn") > 0 and n("toil`burn") == max(column())
 */

#pragma D option quiet

profile:::profile-199
/arg1 && pid == $target/
{
	@hot[ufunc(arg1)] = count();
}

dtrace:::END
{
	trunc(@hot, 10);
	printa("%-40A %@8d\n", @hot);
}
