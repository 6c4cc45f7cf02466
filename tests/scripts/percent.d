#!/usr/sbin/dtrace -s
/*
 * percent.d: how the samples of a program spread over its functions, in percent
 * of all of them.
 *
 * @@load: toil burn 300
 * @@truth: output
 * @@check: n("toil`burn") >= 50 and sum(int(r[-1]) for r in rows if r[-1].isdigit() and "`" in r[0]) <= 101
 */

#pragma D option quiet

int total;

profile:::profile-201hz
/pid == $target && arg1/
{
	@total[usym(arg1)] = sum(100);
	total++;
}

dtrace:::END
{
	normalize(@total, total);
	printf("%-40s %5s\n", "SYMBOL", "PCNT");
	printa("%-40A %@5d\n", @total);
}
