#!/usr/sbin/dtrace -s
/*
 * prof-where-it-spins.d: samples of a program that spins in one function:
 * nearly all are there.
 *
 * @@load: prog spin 0 0.5
 * @@truth: load
 * @@check: n("spin`burn") > 0
 * @@check: n("spin`burn") >= 0.8 * sum(int(v) for v in find(r"`\S+ (\d+)$"))
 *     # it also looks at its clock
 */

#pragma D option quiet

profile-499
/pid == $target && arg1/
{
	@[usym(arg1)] = count();
}

END
{
	printa("%A %@d\n", @);
}
